/* How sure a rate is of which k cases of n were seen. */
#ifndef IOBENCH_STATS_BINOMIAL_H
#define IOBENCH_STATS_BINOMIAL_H

#include <stddef.h>

/* The interval of Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the
 * case of the binomial", Biometrika 26 (1934): exact, so that it holds at least that often. k <= n;
 * without any cases it is 0 to 1. */
void binomial_interval(size_t k, size_t n, double confidence, double *low, double *high);

#endif
