/* Describing one array of numbers. */
#ifndef IOBENCH_STATS_SUMMARY_H
#define IOBENCH_STATS_SUMMARY_H

#include <stddef.h>

/* Every member but n is NaN where it is not defined: all for n = 0, stddev for n = 1. */
struct summary {
    size_t n;
    double median; /* an even n takes the middle in logs; arithmetically when a value is 0 */
    double p10, p90, min, max;
    double mean, stddev; /* n - 1 in the denominator */
    double mad;          /* median absolute deviation from the median, not scaled */
};

/* Sorts values in place. NaNs must have been left out. */
void summarize(double *values, size_t n, struct summary *summary);

/* Sorts n numbers upwards. */
void sort_values(double *values, size_t n);

/* The q-quantile of sorted values by linear interpolation (type 7 of Hyndman and Fan, "Sample
 * quantiles in statistical packages", 1996); n > 0, 0 <= q <= 1. */
double quantile(const double *sorted, size_t n, double q);

#endif
