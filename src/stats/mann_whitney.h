/* Comparing few values with few others, without supposing anything about their distribution. */
#ifndef IOBENCH_STATS_MANN_WHITNEY_H
#define IOBENCH_STATS_MANN_WHITNEY_H

#include <stddef.h>

/* The most values on either side. */
enum { MANN_WHITNEY_MOST = 32 };

/* The largest k for which the k-th smallest and the k-th largest of all m * n differences (each
 * value of one side less each of the other) enclose the shift between the sides with at least that
 * confidence: P(U < k) <= (1 - confidence) / 2, exactly, with U of Mann and Whitney (1947). 0 when
 * there are too few values for it, or more than MANN_WHITNEY_MOST. Hollander, Wolfe and Chicken,
 * "Nonparametric Statistical Methods", 4.3 (Moses' interval). At 95 %: 4 x 4 -> 1, 5 x 5 -> 3,
 * 6 x 6 -> 6, 8 x 8 -> 14. */
size_t mann_whitney_k(size_t m, size_t n, double confidence);

#endif
