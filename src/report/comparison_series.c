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

bool series_has(const struct record_case *of, enum compared metric, bool per_byte)
{
    for (size_t i = 0; i < of->n_trials; i++)
        if (isfinite(compared_cost(metric, of, &of->trials[i], per_byte)))
            return true;
    return false;
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
            n = add(log(compared_cost(metric, of, a, per_byte)) -
                        log(compared_cost(metric, control, b, per_byte)),
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
    if (compared_info[metric].absolute)
        control = NULL;
    if (compared_info[metric].cost == COST_OF_RUN) {
        double log_control =
            control != NULL ? log(compared_cost(metric, control, control->trials, per_byte)) : 0;
        return add(log(compared_cost(metric, of, of->trials, per_byte)) - log_control, logs, 0);
    }
    if (control != NULL)
        return relative_logs(of, control, metric, per_byte, logs);
    for (size_t i = 0; i < of->n_trials; i++)
        n = add(log(compared_cost(metric, of, &of->trials[i], per_byte)), logs, n);
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
