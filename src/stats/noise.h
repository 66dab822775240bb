/* How much runs of the same code differ. */
#ifndef IOBENCH_STATS_NOISE_H
#define IOBENCH_STATS_NOISE_H

#include <stddef.h>

/* All as ratios, 0.05 for 5 %; NaN for fewer than two runs. */
struct noise {
    size_t n;
    double stddev; /* of the logs, n - 1 in the denominator */
    double range;  /* the largest over the smallest, less 1 */
    double bound;  /* what two further runs differ by at most, 95 times in 100 */
};

/* logs[i] is the logarithm of the figure of run i. The difference of two further runs has the
 * standard deviation sqrt(2) s; with s from n runs and logs that are nearly normal, the bound is
 * exp(sqrt(2) s t) - 1, with t of Student's distribution with n - 1 degrees of freedom. */
void noise_estimate(const double *logs, size_t n, struct noise *noise);

/* The t that Student's |T| does not exceed with this probability ("The probable error of a mean",
 * 1908). degrees > 0. */
double student_t(size_t degrees, double probability);

#endif
