#include "config.h"

#include "report/comparison_series.h"

#include "stats/summary.h"

#include <math.h>
#include <string.h>

/* NaN stands for what was not measured. */
static double number(uint64_t value)
{
    return value == UNKNOWN ? NAN : (double)value;
}

static double cost(const struct record_case *of, const struct record_trial *t, enum compared metric,
                   bool per_byte)
{
    double work = number(per_byte ? t->bytes : t->passes);
    switch (metric) {
    case COMPARED_TIME:
        return number(t->wall_ns) / work;
    case COMPARED_CPU:
        return number(t->cpu_ns) / work;
    case COMPARED_MEMORY:
        return number(t->peak_rss_bytes);
    case COMPARED_P50:
        return number(of->p50_ns);
    case COMPARED_P99:
        return number(of->p99_ns);
    default:
        return NAN;
    }
}

bool series_has(const struct record_case *of, enum compared metric, bool per_byte)
{
    for (size_t i = 0; i < of->n_trials; i++)
        if (isfinite(cost(of, &of->trials[i], metric, per_byte)))
            return true;
    return false;
}

/* A percentile is one figure of the whole run. */
static bool is_of_run(enum compared metric)
{
    return metric == COMPARED_P50 || metric == COMPARED_P99;
}

static size_t add(double value, double *logs, size_t n)
{
    if (isfinite(value))
        logs[n++] = value;
    return n;
}

static size_t relative_logs(const struct record_case *of, const struct record_case *control,
                            enum compared metric, bool per_byte, double *logs)
{
    size_t n = 0;
    for (size_t i = 0, j = 0; i < of->n_trials && j < control->n_trials;) {
        const struct record_trial *a = &of->trials[i], *b = &control->trials[j];
        if (a->round == b->round)
            n = add(log(cost(of, a, metric, per_byte)) - log(cost(control, b, metric, per_byte)),
                    logs, n);
        i += a->round <= b->round;
        j += b->round <= a->round;
    }
    return n;
}

size_t series_logs(const struct record_case *of, const struct record_case *control,
                   enum compared metric, bool per_byte, double *logs)
{
    size_t n = 0;
    if (of->n_trials == 0 || (control != NULL && control->n_trials == 0))
        return 0;
    if (metric == COMPARED_MEMORY)
        control = NULL;
    if (is_of_run(metric)) {
        double log_control =
            control != NULL ? log(cost(control, control->trials, metric, per_byte)) : 0;
        return add(log(cost(of, of->trials, metric, per_byte)) - log_control, logs, 0);
    }
    if (control != NULL)
        return relative_logs(of, control, metric, per_byte, logs);
    for (size_t i = 0; i < of->n_trials; i++)
        n = add(log(cost(of, &of->trials[i], metric, per_byte)), logs, n);
    return n;
}

double series_median(double *logs, size_t n)
{
    if (n == 0)
        return NAN;
    sort_values(logs, n);
    return quantile(logs, n, 0.5);
}

double series_constant(const struct record_case *of, enum comparison_counts which)
{
    double first = NAN;
    for (size_t i = 0; i < of->n_trials; i++) {
        const struct record_trial *t = &of->trials[i];
        double value = number(which == COUNT_BYTES ? t->bytes : t->calls) / (double)t->passes;
        if (isnan(value) || (i > 0 && value != first))
            return NAN;
        first = value;
    }
    return first;
}

bool series_has_bytes(const struct record *record)
{
    for (size_t i = 0; i < record->n_cases; i++) {
        const struct record_case *c = &record->cases[i];
        for (size_t j = 0; j < c->n_trials && strcmp(c->status, "ok") == 0; j++)
            if (c->trials[j].bytes == 0 || c->trials[j].bytes == UNKNOWN)
                return false;
    }
    return true;
}
