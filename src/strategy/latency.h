/* The time of single calls, where it was asked for (--latency). Without it a call costs one test of
 * a pointer; with it two clock readings, which is why it is off by default. */
#ifndef IOBENCH_STRATEGY_LATENCY_H
#define IOBENCH_STRATEGY_LATENCY_H

#include "base/clock.h"
#include "base/histogram.h"
#include "base/tally.h"

static inline uint64_t latency_start(const struct tally *tally)
{
    return tally->histogram[OF_LATENCY] != NULL ? clock_now_ns() : 0;
}

static inline void latency_stop(struct tally *tally, uint64_t start)
{
    if (tally->histogram[OF_LATENCY] != NULL)
        histogram_record(tally->histogram[OF_LATENCY], clock_now_ns() - start);
}

#endif
