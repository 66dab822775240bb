#include "config.h"

#include "report/figure.h"

#include <math.h>
#include <stdlib.h>

static const struct percentile {
    const char *key, *help;
    double share;
} percentiles[FIGURE_PERCENTILES] = {
    {"latency_p50_ns", "Median time of a single call.", 0.5},
    {"latency_p90_ns", "90th percentile of the time of a single call.", 0.9},
    {"latency_p99_ns", "99th percentile of the time of a single call.", 0.99},
    {"latency_p999_ns", "99.9th percentile of the time of a single call.", 0.999},
};

static bool is_percentile(const struct run_case *c, const struct percentile *p, struct figure *f)
{
    *f = (struct figure){p->key, p->help, "ns", SMALLER_IS_BETTER, NAN, NAN, NAN, 0};
    if (c->status != CASE_OK || c->histogram[OF_LATENCY] == NULL)
        return false;
    uint64_t value = histogram_quantile(c->histogram[OF_LATENCY], p->share);
    f->value = (double)value;
    return value != UNKNOWN;
}

bool figure_of(const struct run *run, unsigned index, unsigned which, double *work,
               struct figure *f)
{
    const struct run_case *c = &run->cases[index];
    if (which >= METRICS)
        return is_percentile(c, &percentiles[which - METRICS], f);
    const struct metric *m = &metrics[which];
    struct summary s;
    *f = (struct figure){m->key, m->help, m->unit, m->better, NAN, NAN, NAN, 0};
    if (c->status != CASE_OK)
        return false;
    metric_summary(run, index, (enum metric_id)which, work, &s);
    f->value = s.median;
    f->low = s.p10;
    f->high = s.p90;
    f->n = s.n;
    return isfinite(s.median);
}

double *figure_room(const struct run *run)
{
    return malloc((run->samples.n + 1) * sizeof(double));
}
