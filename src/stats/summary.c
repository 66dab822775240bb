#include "config.h"

#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_values(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
}

double quantile(const double *sorted, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t below = (size_t)at;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Throughputs and times multiply, so the middle of two is their geometric mean. */
static double median_of(const double *sorted, size_t n)
{
    double low = sorted[(n - 1) / 2], high = sorted[n / 2];
    if (low > 0 && high > low)
        return exp((log(low) + log(high)) / 2);
    return low + (high - low) / 2;
}

void summarize(double *values, size_t n, struct summary *summary)
{
    *summary = (struct summary){n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return;
    sort_values(values, n);
    summary->median = median_of(values, n);
    summary->p10 = quantile(values, n, 0.1);
    summary->p90 = quantile(values, n, 0.9);
    summary->min = values[0];
    summary->max = values[n - 1];

    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    summary->mean = sum / (double)n;
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - summary->mean) * (values[i] - summary->mean);
    if (n > 1)
        summary->stddev = sqrt(squares / (double)(n - 1));

    for (size_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - summary->median);
    sort_values(values, n);
    summary->mad = quantile(values, n, 0.5);
}
