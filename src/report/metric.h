/* The figures of a case: one row in metric.c makes one known to the JSON and to OpenMetrics. */
#ifndef IOBENCH_REPORT_METRIC_H
#define IOBENCH_REPORT_METRIC_H

#include "measure/run.h"
#include "stats/summary.h"

enum metric_id {
    METRIC_BYTES_PER_S,
    METRIC_WALL_NS_PER_PASS,
    METRIC_CPU_NS_PER_PASS,
    METRIC_CPU_NS_PER_BYTE,
    METRIC_CPU_RATIO,
    METRIC_CALLS_PER_PASS,
    METRIC_BYTES_PER_CALL,
    METRIC_MINOR_FAULTS_PER_PASS,
    METRIC_MAJOR_FAULTS_PER_PASS,
    METRIC_SWITCHES_PER_PASS,
    METRIC_PEAK_RSS_BYTES,
    METRIC_PEAK_RSS_ANON_BYTES,
    METRIC_STORAGE_READ_BYTES_PER_PASS,
    METRIC_WAITED_RATIO,
    METRIC_PEER_CPU_RATIO,
    METRIC_PEER_CPU_NS_PER_BYTE,
    METRIC_PEER_BLOCKED_RATIO,
    METRIC_LOST_RATIO,
    METRIC_EVENTS_PER_S,
    METRIC_EVENTS_PER_WAIT,
    METRIC_CPU_NS_PER_EVENT,
    METRIC_PEER_CPU_NS_PER_EVENT,
    METRIC_SWITCHES_PER_S,
    METRIC_SYSTEM_SWITCHES_PER_S,
    METRIC_COALESCING_RATIO,
    METRIC_REQUESTS_PER_S,
    METRIC_CPU_NS_PER_REQUEST,
    METRIC_PEER_CPU_NS_PER_REQUEST,
    METRIC_ANON_BYTES_PER_CONNECTION,
    METRICS
};

/* Which way is an improvement, if that can be said of the figure alone. */
enum better { NEITHER_IS_BETTER, SMALLER_IS_BETTER, BIGGER_IS_BETTER };

struct metric {
    const char *key;                              /* in the JSON's summary */
    const char *help;                             /* one sentence, for OpenMetrics */
    double (*value)(const struct sample *sample); /* NaN: not measured */
    const char *unit;                             /* as people write it; "ratio" for a share */
    enum better better;
};

extern const struct metric metrics[METRICS];

/* Summary of a metric over the trials of a case that count. work holds run->samples.n numbers. */
void metric_summary(const struct run *run, unsigned index, enum metric_id metric, double *work,
                    struct summary *summary);

#endif
