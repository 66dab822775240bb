#include "config.h"

#include "report/overview_columns.h"

#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Does the knob differ between cases, so that it needs a column? */
static bool varies(const struct run *run, enum knob knob)
{
    uint64_t seen = 0;
    bool any = false;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        if (!(c->knobs & KNOB_BIT(knob)) || c->params.value[knob] == PARAM_NONE)
            continue; /* has none, and says so where the others stand side by side */
        if (any && c->params.value[knob] != seen)
            return true;
        seen = c->params.value[knob];
        any = true;
    }
    return false;
}

/* A size that was asked for as one: 128 KiB, or all its digits where that would round. */
void cell_param(char *cell, const struct run_case *c, enum knob knob)
{
    uint64_t value = c->params.value[knob];
    char text[UNITS_TEXT];
    if (!(c->knobs & KNOB_BIT(knob)) || value == PARAM_NONE)
        snprintf(cell, TABLE_CELL, "-");
    else if (knob_info[knob].kind != KNOB_KIND_SIZE)
        snprintf(cell, TABLE_CELL, "%s", params_text(knob, value, text));
    else if (value >= 1024 && value % 1024 != 0)
        snprintf(cell, TABLE_CELL, "%" PRIu64 " B", value);
    else
        snprintf(cell, TABLE_CELL, "%s", units_size(text, value));
}

/* Where a strategy has no block of its own, the stream's buffer is what meets the system. */
static void print_block(char *cell, const struct run_case *c)
{
    bool block = !(c->knobs & KNOB_BIT(KNOB_STDIO_BUFFER)) || c->knobs & KNOB_BIT(KNOB_BLOCK_SIZE);
    cell_param(cell, c, block ? KNOB_BLOCK_SIZE : KNOB_STDIO_BUFFER);
}

void columns_add_knobs(const struct run *run, struct table *table)
{
    size_t column = table_add_column(table, "block", false, 1);
    for (unsigned i = 0; i < run->n_cases; i++)
        print_block(table_cell(table, i, column), &run->cases[i]);
    for (int k = 0; k < KNOBS; k++) {
        if (k == KNOB_BLOCK_SIZE || !varies(run, (enum knob)k))
            continue;
        column = table_add_column(table, knob_info[k].column, false, 1);
        for (unsigned i = 0; i < run->n_cases; i++)
            cell_param(table_cell(table, i, column), &run->cases[i], (enum knob)k);
    }
}

int figures_make(const struct run *run, struct figures *figures)
{
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    if (work == NULL)
        return -1;
    for (unsigned i = 0; i < run->n_cases; i++)
        for (int m = 0; m < METRICS; m++)
            metric_summary(run, i, (enum metric_id)m, work, &figures[i].of[m]);
    free(work);
    return 0;
}

void cell_if_known(char *cell, double value, char *(*print)(char *, double))
{
    char text[UNITS_TEXT];
    snprintf(cell, TABLE_CELL, "%s", isnan(value) ? "-" : print(text, value));
}

char *cell_size(char *text, double bytes)
{
    return units_size(text, (uint64_t)bytes);
}

char *cell_memory(char *text, double bytes)
{
    /* Kilobytes of memory are noise: two significant digits of MiB do. */
    double mib = bytes / (1024 * 1024);
    if (mib < 1)
        return units_size(text, (uint64_t)bytes);
    snprintf(text, UNITS_TEXT, mib < 10 ? "%.1f MiB" : "%.0f MiB", mib);
    return text;
}

char *cell_percent(char *text, double ratio)
{
    snprintf(text, UNITS_TEXT, "%.0f %%", 100 * ratio);
    return text;
}

char *cell_number(char *text, double value)
{
    return units_count(text, value);
}

/* Rows whose figures stand for nothing keep them out of the table. */
double figure_if_ok(const struct run_case *c, double value)
{
    return c->status == CASE_OK ? value : NAN;
}

static void print_middle(char *cell, const struct summary *rate)
{
    char low[UNITS_TEXT], high[UNITS_TEXT];
    if (isnan(rate->median) || rate->n < 2)
        snprintf(cell, TABLE_CELL, "-");
    else
        snprintf(cell, TABLE_CELL, "%s .. %s", units_rate_like(low, rate->p10, rate->median),
                 units_rate_like(high, rate->p90, rate->median));
}

static void print_throughput(char *cell, const struct run_case *c, const struct summary *rate)
{
    if (c->status != CASE_OK)
        snprintf(cell, TABLE_CELL, "%s", case_status_name(c->status));
    else
        cell_if_known(cell, rate->median, units_rate);
}

void columns_add_counts(const struct run *run, const struct figures *figures, struct table *table,
                        const char *heading, enum metric_id metric)
{
    size_t rate = table_add_column(table, heading, false, 0);
    size_t middle = table_add_column(table, "middle 80 %", false, 4);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        const struct summary *s = &figures[i].of[metric];
        char low[UNITS_TEXT], high[UNITS_TEXT], *cell = table_cell(table, i, rate);
        if (c->status != CASE_OK)
            snprintf(cell, TABLE_CELL, "%s", case_status_name(c->status));
        else
            cell_if_known(cell, s->median, cell_number);
        snprintf(table_cell(table, i, middle), TABLE_CELL,
                 c->status != CASE_OK || s->n < 2 ? "-" : "%s .. %s", cell_number(low, s->p10),
                 cell_number(high, s->p90));
    }
}

void columns_add_rate(const struct run *run, const struct figures *figures, struct table *table)
{
    size_t rate = table_add_column(table, "throughput", false, 0);
    size_t middle = table_add_column(table, "middle 80 %", false, 4);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct summary *s = &figures[i].of[METRIC_BYTES_PER_S];
        print_throughput(table_cell(table, i, rate), &run->cases[i], s);
        struct summary shown = *s;
        shown.median = figure_if_ok(&run->cases[i], s->median);
        print_middle(table_cell(table, i, middle), &shown);
    }
}

static double profile_share(const struct run_case *c, uint64_t ns)
{
    return c->has_profile && c->profile.passes > 0 ? (double)ns / (double)c->profile.passes : NAN;
}

/* real, user and sys of a pass, as time(1) has them. */
void columns_add_times(const struct run *run, const struct figures *figures, struct table *table)
{
    size_t real = table_add_column(table, "real", false, 7);
    size_t user = table_add_column(table, "user", false, 5);
    size_t sys = table_add_column(table, "sys", false, 5);
    size_t cpu = table_add_column(table, "CPU", false, 3);
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        const struct summary *of = figures[i].of;
        cell_if_known(table_cell(table, i, real),
                      figure_if_ok(c, of[METRIC_WALL_NS_PER_PASS].median), units_time);
        cell_if_known(table_cell(table, i, user),
                      figure_if_ok(c, profile_share(c, c->profile.user_ns)), units_time);
        cell_if_known(table_cell(table, i, sys),
                      figure_if_ok(c, profile_share(c, c->profile.system_ns)), units_time);
        cell_if_known(table_cell(table, i, cpu), figure_if_ok(c, of[METRIC_CPU_RATIO].median),
                      cell_percent);
    }
}

void columns_add_metric(const struct run *run, const struct figures *figures, struct table *table,
                        const char *heading, unsigned last_kept, enum metric_id metric,
                        char *(*print)(char *, double))
{
    size_t column = table_add_column(table, heading, false, last_kept);
    for (unsigned i = 0; i < run->n_cases; i++)
        cell_if_known(table_cell(table, i, column),
                      figure_if_ok(&run->cases[i], figures[i].of[metric].median), print);
}

void columns_add_quantiles(const struct run *run, struct table *table,
                           const struct quantile_column *shown, size_t n, enum histogram_of of,
                           char *(*print)(char *, double))
{
    for (size_t q = 0; q < n; q++) {
        size_t column = table_add_column(table, shown[q].heading, false, shown[q].last_kept);
        for (unsigned i = 0; i < run->n_cases; i++) {
            const struct histogram *h = run->cases[i].histogram[of];
            uint64_t value = h != NULL ? histogram_quantile(h, shown[q].share) : UNKNOWN;
            cell_if_known(table_cell(table, i, column), value != UNKNOWN ? (double)value : NAN,
                          print);
        }
    }
}

/* Bytes of single calls, where they were noted. */
void columns_add_sizes(const struct run *run, struct table *table)
{
    static const struct quantile_column shown[] = {
        {"a call p50", 0.5, 2}, {"p90 ", 0.9, 2}, {"max ", 1, 2}};
    columns_add_quantiles(run, table, shown, sizeof shown / sizeof shown[0], OF_SIZES, cell_size);
}

/* Times of single calls, where they were asked for. */
void columns_add_latency(const struct run *run, struct table *table)
{
    static const struct quantile_column shown[] = {
        {"call p50", 0.5, 2}, {"p99", 0.99, 2}, {"max", 1, 2}};
    columns_add_quantiles(run, table, shown, sizeof shown / sizeof shown[0], OF_LATENCY,
                          units_time);
}

void columns_add_usage(const struct run *run, const struct figures *figures, bool verbose,
                       struct table *table)
{
    columns_add_metric(run, figures, table, "calls", 6, METRIC_CALLS_PER_PASS, units_count);
    columns_add_metric(run, figures, table, "faults", 6, METRIC_MINOR_FAULTS_PER_PASS, units_count);
    columns_add_metric(run, figures, table, "switches", 8, METRIC_SWITCHES_PER_PASS, units_count);
    columns_add_metric(run, figures, table, "memory", 9, METRIC_PEAK_RSS_BYTES, cell_memory);
    if (verbose)
        columns_add_metric(run, figures, table, "a call", 9, METRIC_BYTES_PER_CALL, cell_size);
    columns_add_metric(run, figures, table, "storage", 9, METRIC_STORAGE_READ_BYTES_PER_PASS,
                       cell_size);
}
