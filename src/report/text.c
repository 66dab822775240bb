/* The report for a person at a terminal. */
#include "config.h"

#include "report/crossover.h"
#include "report/overview.h"
#include "report/report.h"
#include "report/service_text.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Prints text, breaking lines between words; width 0: one line. */
static void print_wrapped(const char *text, unsigned width, FILE *out)
{
    size_t column = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        size_t wide = text_columns(word);
        if (column > 0 && width > 0 && column + 1 + wide > width) {
            fputc('\n', out);
            column = 0;
        } else if (column > 0) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += wide;
        text += length;
        if (*text == '\n') {
            fputc('\n', out);
            column = 0;
        }
        text += *text != '\0';
    }
    if (column > 0)
        fputc('\n', out);
}

/* Runs print into memory. The caller frees the text; NULL when out of memory. */
static char *print_to_text(int (*print)(const struct report *, FILE *, struct err *),
                           const struct report *report, struct err *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        err_set(err, errno, "cannot print the report");
        return NULL;
    }
    int status = print(report, out, err);
    if (fclose(out) != 0 && status == 0)
        status = err_set(err, errno, "cannot print the report");
    if (status == 0)
        return text;
    free(text);
    return NULL;
}

static int print_head(const struct report *report, FILE *out, struct err *err)
{
    (void)err;
    const struct settings *s = report->settings;
    overview_source(report, out);
    if (report->run->n_cases == 0)
        return 0;
    fputs(" · ", out);
    overview_effort(report, out);
    char consume[PARAM_TEXT];
    bool consumes = s->knobs & KNOB_BIT(KNOB_CONSUME) && !s->sends;
    if (consumes && s->n_knob_values[KNOB_CONSUME] == 1)
        fprintf(out, " · %s", params_text(KNOB_CONSUME, s->knob_values[KNOB_CONSUME][0], consume));
    return 0;
}

static int print_part(int (*print)(const struct report *, FILE *, struct err *),
                      const struct report *report, unsigned width, FILE *out, struct err *err)
{
    char *text = print_to_text(print, report, err);
    if (text == NULL)
        return -1;
    print_wrapped(text, width, out);
    free(text);
    return 0;
}

static int print_table(const struct report *report, const struct text_style *style, FILE *out,
                       struct err *err)
{
    struct table table;
    if (overview_table(report, style->verbose, &table) != 0)
        return err_set(err, ENOMEM, "cannot print the report");
    table_fit(&table, style->width);
    table_print(&table, style->color, out);
    table_free(&table);
    return 0;
}

int report_text(const struct report *report, const struct text_style *style, FILE *out,
                struct err *err)
{
    if (print_part(print_head, report, style->width, out, err) != 0)
        return -1;
    if (report->run->n_cases == 0)
        return 0;
    fputc('\n', out);
    if (service_text_wanted(report))
        service_text(report, out);
    else if (print_table(report, style, out, err) != 0)
        return -1;
    fputc('\n', out);
    if (report->settings->is_events && crossover_wanted(report->run)) {
        if (crossover_print(report->run, out, err) != 0)
            return -1;
        fputc('\n', out);
    }
    return print_part(overview_findings, report, style->width, out, err);
}
