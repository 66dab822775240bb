/* What a gate would do, and find, on a machine where equal cases were measured for long: all from
 * one tape of their rounds. */
#ifndef IOBENCH_STATS_GATE_H
#define IOBENCH_STATS_GATE_H

#include "stats/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two equal cases, round by round: the logarithm of their ratio, and how long the round took. */
struct tape {
    const double *logs;
    const uint64_t *round_ns;
    size_t n;
};

struct gate {
    size_t rounds;
    uint64_t time_ns;
    bool settled; /* precise enough before the time was over */
    struct ratio ratio;
};

/* The gate that begins with round from: it looks and stops as a run with two cases does (stop.h),
 * at half of max_slowdown or when limit_ns is over. False when the tape ends before. work holds
 * tape->n numbers. */
bool gate_replay(const struct tape *tape, size_t from, double max_slowdown, uint64_t limit_ns,
                 double *work, struct gate *gate);

/* What gates of a given length find. */
struct effect {
    uint64_t time_ns;
    size_t windows;    /* stretches of the tape of that length, one behind the other */
    size_t misses;     /* whose interval does not hold 1: 5 in 100 are due */
    double half_width; /* of the 95 % interval: median of the windows; NaN: no window */
    double smallest;   /* slowdown that is told from none in 95 of 100 windows; NaN: none */
};

/* The interval of a case that is slower by e is that of the equal case times 1 + e: costs multiply.
 * All of it lies above 1 when e > 1 / low - 1, and, the cases being equal, their order is of no
 * meaning, so that high - 1 is the same figure of the mirrored window. The smallest effect is the
 * 95th percentile of both figures of all windows. Then a gate that allows a slowdown of d finds
 * (1 + d) (1 + smallest) - 1 in 95 of 100 cases. room holds 4 tape->n + 4 numbers. */
void gate_effect(const struct tape *tape, uint64_t time_ns, double *room, struct effect *effect);

/* What a gate that allows max_slowdown finds, by the smallest effect. */
double gate_finds(double smallest, double max_slowdown);

#endif
