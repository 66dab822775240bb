/* A log-linear histogram of nanoseconds in fixed memory: values keep three significant digits from
 * 1 ns to about 73 minutes, as in HdrHistogram (http://hdrhistogram.org): up to 2047 each value has
 * a bucket of its own, above that each power of two is cut into 1024. */
#ifndef IOBENCH_BASE_HISTOGRAM_H
#define IOBENCH_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_LINEAR = 2048, /* values with a bucket of their own */
    HISTOGRAM_HALF = 1024,   /* buckets for each power of two above */
    HISTOGRAM_POWERS = 31,   /* 2^11 to 2^42 ns */
    HISTOGRAM_BUCKETS = HISTOGRAM_LINEAR + HISTOGRAM_POWERS * HISTOGRAM_HALF
};

/* All zero bits is an empty one, so that fresh shared memory can be used as it is. */
struct histogram {
    uint64_t count;    /* of all values, those beyond the range included */
    uint64_t overflow; /* of values beyond the range; they count as the largest bucket */
    uint64_t max;      /* exact */
    uint64_t bucket[HISTOGRAM_BUCKETS];
};

static inline size_t histogram_index(uint64_t value)
{
    if (value < HISTOGRAM_LINEAR)
        return (size_t)value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - 10u; /* leaves 11 bits */
    size_t index = (size_t)shift * HISTOGRAM_HALF + (size_t)(value >> shift);
    return index < HISTOGRAM_BUCKETS ? index : HISTOGRAM_BUCKETS;
}

static inline void histogram_record(struct histogram *histogram, uint64_t value)
{
    size_t index = histogram_index(value);
    histogram->count++;
    if (value > histogram->max)
        histogram->max = value;
    if (index == HISTOGRAM_BUCKETS) {
        histogram->overflow++;
        index--;
    }
    histogram->bucket[index]++;
}

/* Adds all of other; exact. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/* The value at or below which the share q (0 to 1) of all values lies, as the upper end of its
 * bucket, never above the exact maximum; UNKNOWN when there are too few values to tell: it takes
 * 5 beyond it, but for q = 1. */
uint64_t histogram_quantile(const struct histogram *histogram, double q);

/* Of all values, each taken as the middle of its bucket, as HdrHistogram does; NaN without any. */
struct moments {
    double mean, stddev; /* n in the denominator: the values are all there are */
    double within_ratio; /* the share within one standard deviation of the mean, as wrk has it */
};
void histogram_moments(const struct histogram *histogram, struct moments *moments);

/* Bounds of a bucket: the smallest and the largest value that it counts. */
uint64_t histogram_lowest(size_t index);
uint64_t histogram_highest(size_t index);

#endif
