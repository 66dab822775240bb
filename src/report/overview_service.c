#include "config.h"

#include "report/overview_columns.h"

#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>

_Static_assert((int)PARAM_TEXT >= (int)UNITS_TEXT, "one text holds both");

/* The values of a sweep: "16, 64, 256". */
static void print_values(const struct settings *s, enum knob knob, FILE *out)
{
    for (size_t i = 0; i < s->n_knob_values[knob]; i++) {
        char text[PARAM_TEXT];
        uint64_t value = s->knob_values[knob][i];
        fprintf(out, "%s%s", i > 0 ? ", " : "",
                knob_info[knob].kind == KNOB_KIND_SIZE ? units_size(text, value)
                                                       : params_text(knob, value, text));
    }
}

/* Whatever is not the same in all cases is in their rows. */
static void print_message(const struct settings *s, FILE *out)
{
    bool raw =
        s->n_knob_values[KNOB_PROTOCOL] == 0 || s->knob_values[KNOB_PROTOCOL][0] == PROTOCOL_RAW;
    fputs(", ", out);
    if (raw || s->connect == NULL) {
        print_values(s, KNOB_MESSAGE_SIZE, out);
        fputc(' ', out);
    }
    print_values(s, KNOB_PROTOCOL, out);
    if (s->n_knob_values[KNOB_RATE] == 1 && s->knob_values[KNOB_RATE][0] != PARAM_NONE)
        fprintf(out, ", %" PRIu64 " requests/s given", s->knob_values[KNOB_RATE][0]);
}

/* "64 connections over tcp on this machine, 64 B raw, a load of our own" */
static void print_source(const struct report *report, FILE *out)
{
    const struct settings *s = report->settings;
    char shown[300];
    if (s->listen != NULL) {
        fprintf(out, "listening on %s, ", text_printable(s->listen, shown, sizeof shown));
        print_values(s, KNOB_PROTOCOL, out);
        return;
    }
    print_values(s, KNOB_CONNECTIONS, out);
    fputs(s->n_knob_values[KNOB_CONNECTIONS] == 1 && s->knob_values[KNOB_CONNECTIONS][0] == 1
              ? " connection"
              : " connections",
          out);
    if (s->connect != NULL) {
        fprintf(out, " to %s", text_printable(s->connect, shown, sizeof shown));
    } else {
        fputs(" over ", out);
        print_values(s, KNOB_TRANSPORT, out);
        fputs(" on this machine", out);
    }
    print_message(s, out);
    fputs(", a load of our own", out);
}

/* Latency of requests: from the moment meant for them where there is a rate. */
static void add_latency(const struct report *report, bool verbose, struct table *table)
{
    static const struct quantile_column first[] = {{"p50", 0.5, 1}};
    static const struct quantile_column between[] = {{"p75", 0.75, 8}, {"p90", 0.9, 8}};
    static const struct quantile_column more[] = {{"p99", 0.99, 1}, {"p99.9", 0.999, 4}};
    static const struct quantile_column far[] = {{"p99.99", 0.9999, 8}};
    static const struct quantile_column last[] = {{"max", 1, 6}};
    static const struct quantile_column sent[] = {{"from send p99", 0.99, 6}};
    static const struct quantile_column late[] = {{"late p99", 0.99, 4}};
    const struct run *run = report->run;
    columns_add_quantiles(run, table, first, 1, OF_LATENCY, units_time);
    if (verbose)
        columns_add_quantiles(run, table, between, 2, OF_LATENCY, units_time);
    columns_add_quantiles(run, table, more, 2, OF_LATENCY, units_time);
    if (verbose)
        columns_add_quantiles(run, table, far, 1, OF_LATENCY, units_time);
    columns_add_quantiles(run, table, last, 1, OF_LATENCY, units_time);
    columns_add_quantiles(run, table, sent, 1, OF_SERVICE, units_time);
    columns_add_quantiles(run, table, late, 1, OF_LATENESS, units_time);
}

static void add_columns(const struct report *report, const struct figures *figures, bool verbose,
                        struct table *table)
{
    const struct run *run = report->run;
    columns_add_counts(run, figures, table, "requests/s", METRIC_REQUESTS_PER_S);
    add_latency(report, verbose, table);
    columns_add_metric(run, figures, table, "CPU/req", 1, METRIC_CPU_NS_PER_REQUEST, units_time);
    columns_add_metric(run, figures, table, "load/req", 2, METRIC_PEER_CPU_NS_PER_REQUEST,
                       units_time);
    columns_add_metric(run, figures, table, "memory", 2, METRIC_PEAK_RSS_BYTES, cell_memory);
    if (verbose) {
        columns_add_metric(run, figures, table, "a connection", 9, METRIC_ANON_BYTES_PER_CONNECTION,
                           cell_size);
        columns_add_metric(run, figures, table, "CPU", 7, METRIC_CPU_RATIO, cell_percent);
        columns_add_metric(run, figures, table, "load", 7, METRIC_PEER_CPU_RATIO, cell_percent);
        columns_add_metric(run, figures, table, "waited", 9, METRIC_WAITED_RATIO, cell_percent);
        columns_add_metric(run, figures, table, "switches/s", 9, METRIC_SWITCHES_PER_S,
                           cell_number);
    }
}

const struct overview_family overview_service = {print_source, add_columns, 3};
