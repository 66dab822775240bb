/* The figures of a case as the exports have them: the medians of metric.c, and the percentiles of
 * single calls where they were asked for. */
#ifndef IOBENCH_REPORT_FIGURE_H
#define IOBENCH_REPORT_FIGURE_H

#include "report/metric.h"
#include "report/report.h"

enum { FIGURE_PERCENTILES = 4, FIGURES = METRICS + FIGURE_PERCENTILES };

struct figure {
    const char *key, *help, *unit; /* as those of a metric; latency_p50_ns for a percentile */
    enum better better;
    double value;     /* the median of the trials, or the percentile of all calls */
    double low, high; /* the 10th and 90th percentile of the trials; NaN: it is of no trial */
    size_t n;         /* trials that have it; 0 with a percentile */
};

/* Fills figure number `which`, below FIGURES, of a case. false: it was not measured, because the
 * case failed or was skipped or has no such figure; key, help, unit and better are there in any
 * case. work holds run->samples.n numbers. */
bool figure_of(const struct run *run, unsigned index, unsigned which, double *work,
               struct figure *figure);

/* Room for figure_of(), to be freed; NULL when out of memory. */
double *figure_room(const struct run *run);

#endif
