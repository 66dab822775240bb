#include "config.h"

#include "base/histogram.h"

#include "base/tally.h"

#include <math.h>

/* Fewer values beyond a percentile than this, and it is an accident. */
enum { LEAST_BEYOND = 5 };

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
    histogram->count += other->count;
    histogram->overflow += other->overflow;
    if (other->max > histogram->max)
        histogram->max = other->max;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        histogram->bucket[i] += other->bucket[i];
}

uint64_t histogram_lowest(size_t index)
{
    if (index < HISTOGRAM_LINEAR)
        return index;
    size_t shift = index / HISTOGRAM_HALF - 1;
    return (uint64_t)(index - shift * HISTOGRAM_HALF) << shift;
}

uint64_t histogram_highest(size_t index)
{
    if (index < HISTOGRAM_LINEAR)
        return index;
    size_t shift = index / HISTOGRAM_HALF - 1;
    return histogram_lowest(index) + (UINT64_C(1) << shift) - 1;
}

/* The middle as HdrHistogram takes it: of an even number of values the upper one of two. */
static double middle(size_t index)
{
    uint64_t low = histogram_lowest(index);
    return (double)(low + (histogram_highest(index) - low + 1) / 2);
}

void histogram_moments(const struct histogram *histogram, struct moments *moments)
{
    double n = (double)histogram->count, sum = 0, squares = 0, within = 0;
    *moments = (struct moments){(double)NAN, (double)NAN, (double)NAN};
    if (histogram->count == 0)
        return;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        sum += (double)histogram->bucket[i] * middle(i);
    double mean = sum / n;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        squares += (double)histogram->bucket[i] * (middle(i) - mean) * (middle(i) - mean);
    double stddev = sqrt(squares / n);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (fabs(middle(i) - mean) <= stddev)
            within += (double)histogram->bucket[i];
    *moments = (struct moments){mean, stddev, within / n};
}

uint64_t histogram_quantile(const struct histogram *histogram, double q)
{
    if (histogram->count == 0)
        return UNKNOWN;
    if (q >= 1)
        return histogram->max;
    uint64_t rank = (uint64_t)ceil(q * (double)histogram->count);
    if (histogram->count - rank < LEAST_BEYOND)
        return UNKNOWN;
    uint64_t seen = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->bucket[i];
        if (seen >= rank && seen > 0) {
            uint64_t value = histogram_highest(i);
            return value < histogram->max ? value : histogram->max;
        }
    }
    return histogram->max;
}
