/* Columns for gnuplot: a block for each series, which `index` tells apart (two blank lines between
 * them), under a line of column names that `using 1:"bytes_per_s"` finds; the first of them is the
 * series' title, for `title columnheader(1)`. What was not measured is "?" (`set datafile
 * missing`). https://gnuplot.sourceforge.net/docs_6.1/loc12151.html (missing), `help index`, `help
 * columnheader`
 *
 * A series is a mode, with those of its swept parameters that are not on the x axis. */
#include "config.h"

#include "report/escape.h"
#include "report/figure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No knob is on the x axis. */
enum { NO_KNOB = KNOBS };

static bool has_value(const struct run_case *c, int knob)
{
    return c->knobs & KNOB_BIT(knob) && c->params.value[knob] != PARAM_NONE;
}

static bool is_number(int knob)
{
    return knob_info[knob].kind == KNOB_KIND_SIZE || knob_info[knob].kind == KNOB_KIND_COUNT;
}

/* Different values of a knob among the cases that were measured. */
static unsigned count_values(const struct run *run, int knob)
{
    unsigned n = 0;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        bool fresh = c->status == CASE_OK && has_value(c, knob);
        for (unsigned j = 0; j < i && fresh; j++)
            fresh = run->cases[j].status != CASE_OK || !has_value(&run->cases[j], knob) ||
                    run->cases[j].params.value[knob] != c->params.value[knob];
        n += fresh;
    }
    return n;
}

/* The number that was swept most, the block size where that says nothing. */
static int choose_x(const struct run *run)
{
    int x = count_values(run, KNOB_BLOCK_SIZE) > 0 ? KNOB_BLOCK_SIZE : NO_KNOB;
    unsigned most = 1;
    for (int k = 0; k < KNOBS; k++) {
        unsigned n = is_number(k) ? count_values(run, k) : 0;
        if (n > most || (n == most && k == KNOB_BLOCK_SIZE)) {
            x = k;
            most = n;
        }
    }
    return x;
}

/* A knob that was swept but is not on the x axis. */
static bool is_in_title(const struct settings *s, int knob, int x)
{
    return knob != x && s->knobs & KNOB_BIT(knob) && s->n_knob_values[knob] > 1;
}

static bool is_same_series(const struct report *r, const struct run_case *a,
                           const struct run_case *b, int x)
{
    if (b->status != CASE_OK || a->kind != b->kind || strcmp(a->mode, b->mode) != 0)
        return false;
    for (int k = 0; k < KNOBS; k++)
        if (is_in_title(r->settings, k, x) &&
            (has_value(a, k) != has_value(b, k) ||
             (has_value(a, k) && a->params.value[k] != b->params.value[k])))
            return false;
    return true;
}

static char *make_title(const struct report *r, const struct run_case *c, int x)
{
    char *title = NULL, text[PARAM_TEXT];
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (out == NULL)
        return NULL;
    fputs(c->mode, out);
    for (int k = 0; k < KNOBS; k++)
        if (is_in_title(r->settings, k, x) && has_value(c, k))
            fprintf(out, " %s=%s", knob_info[k].key,
                    params_text((enum knob)k, c->params.value[k], text));
    if (fclose(out) == 0)
        return title;
    free(title);
    return NULL;
}

static void put_row(const struct report *r, unsigned index, int x, double *work, FILE *out)
{
    const struct run_case *c = &r->run->cases[index];
    if (x != NO_KNOB && has_value(c, x))
        fprintf(out, "%" PRIu64, c->params.value[x]);
    else
        fputc('?', out);
    for (unsigned which = 0; which < FIGURES; which++) {
        struct figure f;
        bool known = figure_of(r->run, index, which, work, &f);
        if (f.better == NEITHER_IS_BETTER)
            continue;
        escape_gnuplot_number(known ? f.value : NAN, out);
        if (which < METRICS) {
            escape_gnuplot_number(known ? f.low : NAN, out);
            escape_gnuplot_number(known ? f.high : NAN, out);
        }
    }
    fputc('\n', out);
}

static void put_names(const char *title, const struct run *run, double *work, FILE *out)
{
    escape_gnuplot(title, out);
    for (unsigned which = 0; which < FIGURES; which++) {
        struct figure f;
        figure_of(run, 0, which, work, &f);
        if (f.better != NEITHER_IS_BETTER && which < METRICS)
            fprintf(out, " %s %s_p10 %s_p90", f.key, f.key, f.key);
        else if (f.better != NEITHER_IS_BETTER)
            fprintf(out, " %s", f.key);
    }
    fputc('\n', out);
}

static int put_series(const struct report *r, unsigned first, int x, double *work, FILE *out,
                      struct err *err)
{
    const struct run *run = r->run;
    char *title = make_title(r, &run->cases[first], x);
    if (title == NULL)
        return err_set(err, ENOMEM, "cannot write the columns");
    put_names(title, run, work, out);
    for (unsigned i = first; i < run->n_cases; i++)
        if (is_same_series(r, &run->cases[first], &run->cases[i], x))
            put_row(r, i, x, work, out);
    free(title);
    return 0;
}

static void put_head(const struct report *r, int x, double *work, FILE *out)
{
    fprintf(out, "# iobench %s %s: medians of the trials that count\n", r->version, r->command);
    fputs("# set datafile missing \"?\"\n# x: ", out);
    if (x == NO_KNOB)
        fputs("none\n", out);
    else
        fprintf(out, "%s%s\n", knob_info[x].key,
                knob_info[x].kind == KNOB_KIND_SIZE ? " (bytes)" : "");
    int column = 2;
    for (unsigned which = 0; which < FIGURES && r->run->n_cases > 0; which++) {
        struct figure f;
        figure_of(r->run, 0, which, work, &f);
        if (f.better == NEITHER_IS_BETTER)
            continue;
        fprintf(out, "# %d: %s (%s)", column, f.key, f.unit);
        fputs(which < METRICS ? ", its 10th and 90th percentile\n" : "\n", out);
        column += which < METRICS ? 3 : 1;
    }
}

int report_dat(const struct report *report, FILE *out, struct err *err)
{
    const struct run *run = report->run;
    double *work = figure_room(run);
    int status = 0, x = choose_x(run);
    bool any = false;
    if (work == NULL)
        return err_set(err, errno, "cannot write the columns");
    put_head(report, x, work, out);
    for (unsigned i = 0; i < run->n_cases && status == 0; i++) {
        bool first = run->cases[i].status == CASE_OK;
        for (unsigned j = 0; j < i && first; j++)
            first = !is_same_series(report, &run->cases[i], &run->cases[j], x);
        if (!first)
            continue;
        fputs(any ? "\n\n" : "", out);
        status = put_series(report, i, x, work, out, err);
        any = true;
    }
    free(work);
    return status;
}
