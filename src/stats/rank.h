/* Distribution-free intervals for a median, from order statistics. */
#ifndef IOBENCH_STATS_RANK_H
#define IOBENCH_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* 1-based ranks: the interval is [sorted[low - 1], sorted[high - 1]]. */
struct ranks {
    size_t low, high;
};

/* The largest k with P(Bin(n, 1/2) < k) <= (1 - confidence) / 2, then [k, n + 1 - k]. False when
 * n is too small for that confidence. David and Nagaraja, "Order Statistics", 7.1. */
bool rank_interval(size_t n, double confidence, struct ranks *ranks);

/* The fewest pairs that give m comparisons an interval at 95 % together. */
size_t rank_rounds_needed(size_t m);

#endif
