/* What the tables of all families are made of. A family brings a row in overview.c: how it says
 * what was measured, and its columns. */
#ifndef IOBENCH_REPORT_OVERVIEW_COLUMNS_H
#define IOBENCH_REPORT_OVERVIEW_COLUMNS_H

#include "report/metric.h"
#include "report/overview.h"

/* Summaries of one case, for its row. */
struct figures {
    struct summary of[METRICS];
};

int figures_make(const struct run *run, struct figures *figures);

struct overview_family {
    void (*source)(const struct report *report, FILE *out); /* begins the first line */
    void (*add_columns)(const struct report *report, const struct figures *figures, bool verbose,
                        struct table *table);
    unsigned against_kept; /* last_kept of the column against the baseline */
};
extern const struct overview_family overview_file, overview_stream, overview_events,
    overview_service;

/* Cells. Those that make a text of a number fit columns_add_metric. */
void cell_if_known(char *cell, double value, char *(*print)(char *, double));
void cell_param(char *cell, const struct run_case *c, enum knob knob);
char *cell_size(char *text, double bytes);
char *cell_memory(char *text, double bytes);
char *cell_percent(char *text, double ratio);
char *cell_number(char *text, double value);
/* Rows whose figures stand for nothing keep them out of the table: NaN. */
double figure_if_ok(const struct run_case *c, double value);

/* Columns; last_kept as in table.h. */
void columns_add_knobs(const struct run *run, struct table *table);
void columns_add_metric(const struct run *run, const struct figures *figures, struct table *table,
                        const char *heading, unsigned last_kept, enum metric_id metric,
                        char *(*print)(char *, double));
/* A figure per second that is no number of bytes, and its middle 80 %. */
void columns_add_counts(const struct run *run, const struct figures *figures, struct table *table,
                        const char *heading, enum metric_id metric);
/* Throughput, its middle 80 %, real, user and sys. */
void columns_add_rate(const struct run *run, const struct figures *figures, struct table *table);
void columns_add_times(const struct run *run, const struct figures *figures, struct table *table);

/* A column for a quantile of single calls or waits: "call p50". */
struct quantile_column {
    const char *heading;
    double share;
    unsigned last_kept;
};
void columns_add_quantiles(const struct run *run, struct table *table,
                           const struct quantile_column *shown, size_t n, enum histogram_of of,
                           char *(*print)(char *, double));
/* Those of bytes that calls brought, and of the time of calls. */
void columns_add_sizes(const struct run *run, struct table *table);
void columns_add_latency(const struct run *run, struct table *table);
/* Calls, faults, switches and memory of the subject. */
void columns_add_usage(const struct run *run, const struct figures *figures, bool verbose,
                       struct table *table);

/* The last one: each case against the baseline. */
int columns_add_against(const struct run *run, unsigned last_kept, struct table *table);

#endif
