#include "config.h"

#include "stats/ratio.h"

#include "stats/rank.h"
#include "stats/summary.h"

#include <math.h>
#include <string.h>

enum { DRIFT_BLOCKS = 12, DRIFT_LEAST_PAIRS = 24 };
#define DRIFT_Z (-1.64)

double runs_z(const double *values, size_t n, double median)
{
    double above = 0, below = 0, runs = 0;
    int last = 0;
    for (size_t i = 0; i < n; i++) {
        int sign = (values[i] > median) - (values[i] < median);
        if (sign == 0)
            continue;
        above += sign > 0;
        below += sign < 0;
        runs += sign != last;
        last = sign;
    }
    double all = above + below;
    if (above == 0 || below == 0 || all < 3)
        return 0;
    double product = 2 * above * below;
    double expected = product / all + 1;
    double variance = product * (product - all) / (all * all * (all - 1));
    return variance > 0 ? (runs - expected) / sqrt(variance) : 0;
}

/* The interval of sorted logs, as logs; false when there are too few. */
static bool interval(const double *sorted, size_t n, double confidence, double *low, double *high)
{
    struct ranks ranks;
    if (!rank_interval(n, confidence, &ranks))
        return false;
    *low = sorted[ranks.low - 1];
    *high = sorted[ranks.high - 1];
    return true;
}

/* Widens [low, high] to the interval of the medians of contiguous blocks, if that is wider. False
 * when so few blocks cannot give that confidence. */
static bool widen_by_blocks(const double *logs, size_t n, double confidence, double *work,
                            double *low, double *high)
{
    double medians[DRIFT_BLOCKS];
    for (size_t b = 0; b < DRIFT_BLOCKS; b++) {
        size_t from = b * n / DRIFT_BLOCKS, to = (b + 1) * n / DRIFT_BLOCKS;
        memcpy(work, logs + from, (to - from) * sizeof *work);
        sort_values(work, to - from);
        medians[b] = quantile(work, to - from, 0.5);
    }
    sort_values(medians, DRIFT_BLOCKS);
    double block_low, block_high;
    if (!interval(medians, DRIFT_BLOCKS, confidence, &block_low, &block_high))
        return false;
    if (block_high - block_low > *high - *low) {
        *low = block_low;
        *high = block_high;
    }
    return true;
}

static enum verdict judge(double low, double high, double delta)
{
    if (isnan(low) || isnan(high))
        return VERDICT_INCONCLUSIVE;
    if (low > 1 + delta)
        return VERDICT_SLOWER;
    if (high < 1 / (1 + delta))
        return VERDICT_FASTER;
    if (low >= 1 / (1 + delta) && high <= 1 + delta)
        return VERDICT_SAME;
    return VERDICT_INCONCLUSIVE;
}

void ratio_estimate(const double *logs, size_t n, double confidence, double delta, double *work,
                    struct ratio *ratio)
{
    *ratio = (struct ratio){n, NAN, NAN, NAN, confidence, false, VERDICT_INCONCLUSIVE};
    if (n == 0)
        return;
    memcpy(work, logs, n * sizeof *work);
    sort_values(work, n);
    double median = quantile(work, n, 0.5);
    ratio->ratio = exp(median);

    double low, high;
    bool known = interval(work, n, confidence, &low, &high);
    if (known && n >= DRIFT_LEAST_PAIRS && runs_z(logs, n, median) < DRIFT_Z) {
        ratio->drifts = true;
        known = widen_by_blocks(logs, n, confidence, work, &low, &high);
    }
    if (known) {
        ratio->low = exp(low);
        ratio->high = exp(high);
    }
    ratio->verdict = judge(ratio->low, ratio->high, delta);
}

double ratio_half_width(const struct ratio *ratio)
{
    if (isnan(ratio->low) || isnan(ratio->high))
        return INFINITY;
    return sqrt(ratio->high / ratio->low) - 1;
}

double family_confidence(size_t m)
{
    return 1 - 0.05 / (double)(m > 0 ? m : 1);
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"faster", "slower", "same", "inconclusive"};
    return names[verdict];
}
