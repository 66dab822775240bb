/* When a run is precise enough to stop. */
#ifndef IOBENCH_STATS_STOP_H
#define IOBENCH_STATS_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* Looking at the intervals after each round would cost coverage (8 % misses where 5 % are due), and
 * the first of them that is narrow enough is so by luck in part: two looks in a row must find it.
 */
enum { STOP_LOOK_EVERY = 20, STOP_PRECISE_LOOKS = 2 };

static inline bool stop_looks_after(size_t rounds)
{
    return rounds % STOP_LOOK_EVERY == 0;
}

/* Notes what a look found; true: stop. precise_looks begins with 0. */
static inline bool stop_looked(unsigned *precise_looks, bool precise)
{
    *precise_looks = precise ? *precise_looks + 1 : 0;
    return *precise_looks >= STOP_PRECISE_LOOKS;
}

#endif
