/* Any bytes at all as a recorded document, compared with itself where they are one, and as a
 * calibration: `make fuzz`. */
#include "config.h"

#include "report/comparison.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

static void write_all(const struct comparison *comparison)
{
    struct comparison_report report = {"1", 0, NULL, comparison};
    struct text_style style = {80, true, true};
    struct err err = {0};
    FILE *out = fopen("/dev/null", "w");
    if (out == NULL)
        abort();
    if (comparison_json(&report, out, &err) != 0 || comparison_csv(&report, out, &err) != 0 ||
        comparison_markdown(&report, out, &err) != 0 ||
        comparison_text(&report, &style, out, &err) != 0)
        abort();
    fclose(out);
}

static void compare(const struct record *base, const struct record *fresh, size_t n, bool absolute)
{
    struct comparison_wish wish = {.absolute = absolute,
                                   .run_noise = NAN,
                                   .max_slowdown = 0.05,
                                   .judged = (1u << COMPARED_METRICS) - 1};
    struct comparison comparison;
    struct err err = {0};
    if (comparison_make(base, n, fresh, n, &wish, &comparison, &err) == 0)
        write_all(&comparison);
    else if (err.text[0] == '\0')
        abort(); /* every refusal has its sentence */
    comparison_free(&comparison);
}

static void calibrate(const unsigned char *bytes, size_t size)
{
    struct calibrated calibrated;
    struct err err = {0};
    if (calibrated_parse("here", (const char *)bytes, size, &calibrated, &err) != 0 &&
        err.text[0] == '\0')
        abort();
    calibrated_free(&calibrated);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    struct record base, fresh;
    struct err err = {0};
    calibrate(bytes, size);
    if (record_parse("base", (const char *)bytes, size, &base, &err) == 0 &&
        record_parse("new", (const char *)bytes, size, &fresh, &err) == 0) {
        compare(&base, &fresh, 1, false);
        compare(&base, &fresh, 1, true);
        record_free(&fresh);
    } else if (err.text[0] == '\0') {
        abort();
    }
    record_free(&base);
    return 0;
}
