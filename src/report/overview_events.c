#include "config.h"

#include "report/overview_columns.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>

/* "1000 pipe handles, 1 writer" */
static void print_source(const struct report *report, FILE *out)
{
    const struct settings *s = report->settings;
    for (size_t i = 0; i < s->n_knob_values[KNOB_HANDLES]; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", s->knob_values[KNOB_HANDLES][i]);
    fputs(" handles (", out);
    for (size_t i = 0; i < s->n_knob_values[KNOB_KIND]; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "",
                knob_info[KNOB_KIND].choices[s->knob_values[KNOB_KIND][i]]);
    fputs("), a writer of our own", out);
}

static void add_wait_columns(const struct run *run, const struct figures *figures,
                             struct table *table)
{
    static const struct quantile_column shown[] = {
        {"a wait p50", 0.5, 5}, {"p90", 0.9, 5}, {"max", 1, 5}};
    columns_add_quantiles(run, table, shown, sizeof shown / sizeof shown[0], OF_SIZES, cell_number);
    columns_add_metric(run, figures, table, "CPU/event", 4, METRIC_CPU_NS_PER_EVENT, units_time);
    columns_add_metric(run, figures, table, "its writer's", 6, METRIC_PEER_CPU_NS_PER_EVENT,
                       units_time);
    columns_add_metric(run, figures, table, "a read", 7, METRIC_COALESCING_RATIO, cell_number);
    columns_add_metric(run, figures, table, "switches/s", 7, METRIC_SWITCHES_PER_S, cell_number);
    columns_add_metric(run, figures, table, "system's", 8, METRIC_SYSTEM_SWITCHES_PER_S,
                       cell_number);
}

/* What waiting on many descriptors comes to. */
static void add_columns(const struct report *report, const struct figures *figures, bool verbose,
                        struct table *table)
{
    const struct run *run = report->run;
    columns_add_counts(run, figures, table, "events/s", METRIC_EVENTS_PER_S);
    columns_add_metric(run, figures, table, "CPU", 3, METRIC_CPU_RATIO, cell_percent);
    columns_add_metric(run, figures, table, "waited", 2, METRIC_WAITED_RATIO, cell_percent);
    columns_add_metric(run, figures, table, "writer", 2, METRIC_PEER_CPU_RATIO, cell_percent);
    add_wait_columns(run, figures, table);
    columns_add_latency(run, table);
    columns_add_usage(run, figures, verbose, table);
}

const struct overview_family overview_events = {print_source, add_columns, 0};
