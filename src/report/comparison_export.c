/* A comparison for other programs: the ratios, their intervals, and nothing that they would have to
 * compare once more. What has no ratio (the control, a figure that a side lacks) is left out. */
#include "config.h"

#include "report/bmf.h"
#include "report/comparison.h"
#include "report/escape.h"
#include "report/gha.h"

#include <math.h>

static const struct comparison_row *row_of(const struct comparison *c, size_t i, int metric)
{
    const struct comparison_row *row = &c->cases[i].rows[metric];
    return row->known && isfinite(row->change.ratio) ? row : NULL;
}

/* "wall_ns_per_byte" becomes "wall_ns_per_byte_ratio". */
static const char *name_ratio(const struct comparison *c, int metric, char *text, size_t size)
{
    snprintf(text, size, "%s_ratio", comparison_key(c, (enum compared)metric));
    return text;
}

int comparison_bmf(const struct comparison_report *report, FILE *out, struct err *err)
{
    const struct comparison *c = report->comparison;
    struct json_document d = {false};
    json_t *document = json_object();
    for (size_t i = 0; i < c->n_cases; i++) {
        json_t *measures = json_object();
        for (int m = 0; m < COMPARED_METRICS; m++) {
            const struct comparison_row *row = row_of(c, i, m);
            char name[64];
            if (row != NULL)
                bmf_put(&d, measures, name_ratio(c, m, name, sizeof name), row->change.ratio,
                        row->change.low, row->change.high);
        }
        bmf_put_case(&d, document, c->cases[i].id, measures);
    }
    return json_finish(&d, document, out, err);
}

static void print_extra(char *text, size_t size, const struct comparison *c,
                        const struct comparison_row *row)
{
    int n = snprintf(text, size, "%s, new / base%s",
                     row->judged ? change_verdict_name(row->verdict) : "not judged",
                     c->control != NULL ? ", each relative to the control" : "");
    if (isfinite(row->change.low))
        snprintf(text + n, size - (size_t)n, "\n95 %% together: %.6g .. %.6g", row->change.low,
                 row->change.high);
}

int comparison_gha_smaller(const struct comparison_report *report, FILE *out, struct err *err)
{
    const struct comparison *c = report->comparison;
    struct json_document d = {false};
    json_t *array = json_array();
    for (size_t i = 0; i < c->n_cases; i++)
        for (int m = 0; m < COMPARED_METRICS; m++) {
            const struct comparison_row *row = row_of(c, i, m);
            char name[64], extra[160];
            if (row == NULL)
                continue;
            print_extra(extra, sizeof extra, c, row);
            gha_append(&d, array, c->cases[i].id, name_ratio(c, m, name, sizeof name), "ratio",
                       extra, row->change.ratio, row->change.low, row->change.high);
        }
    return json_finish(&d, array, out, err);
}

/* The three figures of a ratio. */
static const struct ratio_gauge {
    const char *name, *help;
    size_t at;
} gauges[] = {
    {"iobench_compare_cost_ratio", "Cost of the new side over that of the base.",
     offsetof(struct change, ratio)},
    {"iobench_compare_cost_low_ratio", "Lower end of the interval of that ratio.",
     offsetof(struct change, low)},
    {"iobench_compare_cost_high_ratio", "Upper end of the interval of that ratio.",
     offsetof(struct change, high)},
};

static void put_gauge(const struct comparison *c, const struct ratio_gauge *gauge, FILE *out)
{
    fprintf(out, "# TYPE %s gauge\n# UNIT %s ratio\n# HELP %s %s\n", gauge->name, gauge->name,
            gauge->name, gauge->help);
    for (size_t i = 0; i < c->n_cases; i++)
        for (int m = 0; m < COMPARED_METRICS; m++) {
            const struct comparison_row *row = row_of(c, i, m);
            double value = NAN;
            if (row != NULL)
                value = *(const double *)((const char *)&row->change + gauge->at);
            if (!isfinite(value))
                continue;
            fprintf(out, "%s{id=\"", gauge->name);
            escape_label(c->cases[i].id, out);
            fprintf(out, "\",metric=\"%s\"} %.15g\n", comparison_key(c, (enum compared)m), value);
        }
}

int comparison_openmetrics(const struct comparison_report *report, FILE *out, struct err *err)
{
    (void)err;
    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++)
        put_gauge(report->comparison, &gauges[i], out);
    fputs("# EOF\n", out);
    return 0;
}

/* A block for each figure, in which the rows are numbered: a forest of ratios, with the ids as
 * labels of the axis (see dat.c). */
int comparison_dat(const struct comparison_report *report, FILE *out, struct err *err)
{
    const struct comparison *c = report->comparison;
    bool any = false;
    (void)err;
    fprintf(out, "# iobench %s compare: cost of the new side / cost of the base\n",
            report->version);
    fputs("# set datafile missing \"?\"\n# 1: row\n# 2: ratio (1)\n# 3, 4: ends of its interval\n"
          "# 5: case\n",
          out);
    for (int m = 0; m < COMPARED_METRICS; m++) {
        size_t n = 0;
        for (size_t i = 0; i < c->n_cases; i++) {
            const struct comparison_row *row = row_of(c, i, m);
            if (row == NULL)
                continue;
            if (n == 0)
                fprintf(out, "%s\"%s\" ratio ci_low ci_high case\n", any ? "\n\n" : "",
                        comparison_key(c, (enum compared)m));
            any = true;
            fprintf(out, "%zu", n++);
            escape_gnuplot_number(row->change.ratio, out);
            escape_gnuplot_number(row->change.low, out);
            escape_gnuplot_number(row->change.high, out);
            fputc(' ', out);
            escape_gnuplot(c->cases[i].id, out);
            fputc('\n', out);
        }
    }
    return 0;
}
