#include "config.h"

#include "report/overview_columns.h"

#include "base/text.h"

/* "tcp, a sender of our own" */
static void print_source(const struct report *report, FILE *out)
{
    const struct settings *s = report->settings;
    char shown[300];
    if (s->connect != NULL || s->listen != NULL) {
        const char *address = s->connect != NULL ? s->connect : s->listen;
        fprintf(out, "%s %s", s->connect != NULL ? "connected to" : "listening on",
                text_printable(address, shown, sizeof shown));
        return;
    }
    for (size_t i = 0; i < s->n_knob_values[KNOB_TRANSPORT]; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "",
                knob_info[KNOB_TRANSPORT].choices[s->knob_values[KNOB_TRANSPORT][i]]);
    fputs(" on this machine, own sender", out);
}

static bool may_lose(const struct run *run)
{
    for (unsigned i = 0; i < run->n_cases; i++)
        if (run->cases[i].lossy)
            return true;
    return false;
}

static void add_columns(const struct report *report, const struct figures *figures, bool verbose,
                        struct table *table)
{
    const struct run *run = report->run;
    columns_add_rate(run, figures, table);
    columns_add_times(run, figures, table);
    columns_add_metric(run, figures, table, "waited", 2, METRIC_WAITED_RATIO, cell_percent);
    columns_add_metric(run, figures, table, "sender", 2, METRIC_PEER_CPU_RATIO, cell_percent);
    if (may_lose(run))
        columns_add_metric(run, figures, table, "lost", 0, METRIC_LOST_RATIO, cell_percent);
    columns_add_sizes(run, table);
    columns_add_latency(run, table);
    columns_add_usage(run, figures, verbose, table);
}

const struct overview_family overview_stream = {print_source, add_columns, 0};
