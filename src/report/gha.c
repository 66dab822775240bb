/* The custom formats of github-action-benchmark: an array of name, unit, value, range and extra. A
 * file is of one direction, because its `tool` is: customSmallerIsBetter or customBiggerIsBetter.
 * https://github.com/benchmark-action/github-action-benchmark (README: tool) */
#include "config.h"

#include "report/gha.h"

#include "report/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Six digits without an exponent: readers take the range apart. */
static void print_range(char *text, size_t size, double half)
{
    int decimals = half > 0 ? 5 - (int)floor(log10(half)) : 0;
    snprintf(text, size, "± %.*f", decimals < 0 ? 0 : decimals > 15 ? 15 : decimals, half);
}

void gha_append(struct json_document *d, json_t *array, const char *id, const char *key,
                const char *unit, const char *extra, double value, double low, double high)
{
    json_t *o = json_object();
    char *name = NULL, range[64];
    if (asprintf(&name, "%s: %s", id, key) < 0) {
        name = NULL;
        d->broken = true;
    }
    json_put(d, o, "name", json_text(name));
    json_put(d, o, "unit", json_string(unit));
    json_put(d, o, "value", json_number(value));
    if (isfinite(low) && isfinite(high)) {
        print_range(range, sizeof range, (high - low) / 2);
        json_put(d, o, "range", json_string(range));
    }
    json_put(d, o, "extra", json_text(extra));
    json_append(d, array, o);
    free(name);
}

static void append_figure(struct json_document *d, const struct report *r, unsigned index,
                          const struct figure *f, json_t *array)
{
    char extra[512];
    int n = f->n > 0 ? snprintf(extra, sizeof extra,
                                "median of %zu trials, middle 80 %%: %.6g .. %.6g %s\n", f->n,
                                f->low, f->high, f->unit)
                     : snprintf(extra, sizeof extra, "of all calls of all trials\n");
    snprintf(extra + n, sizeof extra - (size_t)n, "iobench %.40s, %.80s, %.80s", r->version,
             r->host->kernel, r->host->cpu_model);
    bool spread = f->n > 1; /* one trial has none */
    gha_append(d, array, r->run->cases[index].id, f->key, f->unit, extra, f->value,
               spread ? f->low : NAN, spread ? f->high : NAN);
}

static int report_gha(const struct report *report, enum better better, FILE *out, struct err *err)
{
    struct json_document d = {false};
    double *work = figure_room(report->run);
    if (work == NULL)
        return err_set(err, errno, "cannot write the metrics");
    json_t *array = json_array();
    struct figure f;
    for (unsigned i = 0; i < report->run->n_cases; i++)
        for (unsigned which = 0; which < FIGURES; which++)
            if (figure_of(report->run, i, which, work, &f) && f.better == better)
                append_figure(&d, report, i, &f, array);
    free(work);
    return json_finish(&d, array, out, err);
}

int report_gha_smaller(const struct report *report, FILE *out, struct err *err)
{
    return report_gha(report, SMALLER_IS_BETTER, out, err);
}

int report_gha_bigger(const struct report *report, FILE *out, struct err *err)
{
    return report_gha(report, BIGGER_IS_BETTER, out, err);
}
