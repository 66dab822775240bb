/* A comparison for people: on a terminal, and as Markdown for a pull request. */
#include "config.h"

#include "report/comparison.h"
#include "report/table.h"

#include "base/text.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void put_shown(const char *text, FILE *out)
{
    char shown[512];
    fputs(text_printable(text, shown, sizeof shown), out);
}

/* The figure as people read it: throughput where it is the time per byte. */
static void print_figure(char *cell, const struct comparison *c, enum compared metric, double value)
{
    char text[UNITS_TEXT];
    enum compared_unit unit = compared_info[metric].unit;
    if (!c->per_byte && compared_info[metric].pass_key != NULL)
        unit = UNIT_NS;
    if (isnan(value))
        snprintf(cell, TABLE_CELL, "-");
    else if (unit == UNIT_NS_AS_BYTE_RATE)
        snprintf(cell, TABLE_CELL, "%s", units_rate(text, 1e9 / value));
    else if (unit == UNIT_NS_AS_RATE)
        snprintf(cell, TABLE_CELL, "%s", units_count(text, 1e9 / value));
    else if (unit == UNIT_NS_PER_BYTE)
        snprintf(cell, TABLE_CELL, "%.3g ns/B", value);
    else if (unit == UNIT_BYTES)
        snprintf(cell, TABLE_CELL, "%s", units_size(text, (uint64_t)value));
    else
        snprintf(cell, TABLE_CELL, "%s", units_time(text, value));
}

static void print_ratio(char *cell, const struct comparison_row *row)
{
    if (isnan(row->change.ratio))
        snprintf(cell, TABLE_CELL, "-");
    else
        snprintf(cell, TABLE_CELL, "%.3f", row->change.ratio);
}

static void print_interval(char *cell, const struct comparison_row *row)
{
    if (isnan(row->change.low))
        snprintf(cell, TABLE_CELL, "-");
    else
        snprintf(cell, TABLE_CELL, "%.3f .. %.3f", row->change.low, row->change.high);
}

static bool is_shown(const struct comparison *c, const struct comparison_case *of, int metric,
                     bool all)
{
    return of->rows[metric].known &&
           (all || of->rows[metric].judged || (of->is_control && c->wish->judged & 1u << metric));
}

static void fill_row(const struct comparison *c, const struct comparison_case *of,
                     enum compared metric, struct table *t, size_t at)
{
    const struct comparison_row *row = &of->rows[metric];
    size_t column = 0;
    text_printable(of->id, table_cell(t, at, column++), TABLE_CELL);
    snprintf(table_cell(t, at, column++), TABLE_CELL, "%s",
             c->per_byte || compared_info[metric].pass_key == NULL ? compared_info[metric].heading
                                                                   : compared_info[metric].name);
    print_figure(table_cell(t, at, column++), c, metric, row->base);
    print_figure(table_cell(t, at, column++), c, metric, row->fresh);
    print_ratio(table_cell(t, at, column++), row);
    print_interval(table_cell(t, at, column++), row);
    snprintf(table_cell(t, at, column), TABLE_CELL, "%s",
             of->is_control ? "control"
             : row->judged  ? change_verdict_name(row->verdict)
                            : "-");
}

static int make_table(const struct comparison *c, bool all, struct table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_cases; i++)
        for (int m = 0; m < COMPARED_METRICS; m++)
            n += is_shown(c, &c->cases[i], m, all);
    if (table_init(t, n) != 0)
        return -1;
    table_add_column(t, "case", true, 0);
    table_add_column(t, "figure", true, 0);
    table_add_column(t, "base", false, 2);
    table_add_column(t, "new", false, 1);
    table_add_column(t, c->control != NULL ? "relative cost" : "cost", false, 0);
    table_add_column(t, "95 % together", false, 3);
    table_add_column(t, "verdict", true, 0);
    size_t at = 0;
    for (size_t i = 0; i < c->n_cases; i++)
        for (int m = 0; m < COMPARED_METRICS; m++)
            if (is_shown(c, &c->cases[i], m, all))
                fill_row(c, &c->cases[i], (enum compared)m, t, at++);
    return 0;
}

static void put_side(const struct record *runs, size_t n, FILE *out)
{
    put_shown(runs[0].path, out);
    if (n > 1)
        fprintf(out, " and %zu more", n - 1);
    fprintf(out, " (%s)", runs[0].started_at);
}

/* What is compared, by what, and what therefore is not seen. */
static void put_head(const struct comparison *c, FILE *out)
{
    put_side(c->base, c->n_base, out);
    fputs(" against ", out);
    put_side(c->fresh, c->n_fresh, out);
    if (c->control != NULL) {
        fputs("\nrelative to ", out);
        put_shown(c->control, out);
        fputs(" of the same run: a change of that case itself is not judged", out);
    } else {
        fputs("\nabsolute figures: a change of the machine looks like one of the case", out);
    }
    if (c->many)
        fputs("\nhow much runs differ is taken from the runs themselves", out);
    else
        fprintf(out, "\n%.3g %% is allowed for how much runs of the same code differ%s",
                100 * c->run_noise,
                c->wish->calibrated != NULL ? ", as measured by iobench calibrate" : "");
    fputc('\n', out);
}

/* "read/fread is regressed: time per byte 12 % (10 .. 14) up, more than the 5 % allowed". */
static void put_change(const struct comparison *c, const struct comparison_case *of, int metric,
                       FILE *out)
{
    const struct change *change = &of->rows[metric].change;
    put_shown(of->id, out);
    fprintf(out, " %s: its %s %+.1f %% (%+.1f .. %+.1f), where %g %% is allowed.\n",
            change_verdict_name(of->rows[metric].verdict), comparison_key(c, (enum compared)metric),
            100 * (change->ratio - 1), 100 * (change->low - 1), 100 * (change->high - 1),
            100 * c->wish->max_slowdown);
}

static void put_counts(const struct comparison *c, FILE *out)
{
    for (size_t i = 0; i < c->n_cases; i++)
        for (int k = 0; k < COMPARISON_COUNTS; k++) {
            const struct comparison_count *figure = &c->cases[i].counts[k];
            if (!figure->known || figure->base == figure->fresh)
                continue;
            put_shown(c->cases[i].id, out);
            fprintf(out, ": %.15g %s a pass instead of %.15g.\n", figure->fresh, figure->name,
                    figure->base);
        }
}

static void put_losses(const struct comparison *c, FILE *out)
{
    for (size_t i = 0; i < c->n_losses; i++) {
        put_shown(c->losses[i].id, out);
        fputs(" is not compared: ", out);
        put_shown(c->losses[i].path, out);
        fputs(": ", out);
        put_shown(c->losses[i].reason, out);
        fputs(".\n", out);
    }
}

static void put_findings(const struct comparison *c, FILE *out)
{
    size_t n[4] = {0};
    for (size_t i = 0; i < c->n_cases; i++)
        for (int m = 0; m < COMPARED_METRICS; m++) {
            const struct comparison_row *row = &c->cases[i].rows[m];
            if (!row->judged)
                continue;
            n[row->verdict]++;
            if (row->verdict == CHANGE_REGRESSED || row->verdict == CHANGE_IMPROVED)
                put_change(c, &c->cases[i], m, out);
        }
    fprintf(out, "%zu regressed, %zu improved, %zu the same within %g %%, %zu inconclusive.\n",
            n[CHANGE_REGRESSED], n[CHANGE_IMPROVED], n[CHANGE_SAME], 100 * c->wish->max_slowdown,
            n[CHANGE_INCONCLUSIVE]);
    put_counts(c, out);
    put_losses(c, out);
}

int comparison_text(const struct comparison_report *report, const struct text_style *style,
                    FILE *out, struct err *err)
{
    struct table table;
    put_head(report->comparison, out);
    if (make_table(report->comparison, style->verbose, &table) != 0)
        return err_set(err, ENOMEM, "cannot write the table");
    table_fit(&table, style->width);
    fputc('\n', out);
    table_print(&table, style->color, out);
    table_free(&table);
    fputc('\n', out);
    put_findings(report->comparison, out);
    return 0;
}

int comparison_markdown(const struct comparison_report *report, FILE *out, struct err *err)
{
    struct table table;
    fputs("### iobench compare\n\n", out);
    put_head(report->comparison, out);
    if (make_table(report->comparison, true, &table) != 0)
        return err_set(err, ENOMEM, "cannot write the table");
    fputc('\n', out);
    table_print_markdown(&table, out);
    table_free(&table);
    fputc('\n', out);
    put_findings(report->comparison, out);
    fprintf(out, "\niobench %s\n", report->version);
    return 0;
}
