/* Comparing two cases that ran in the same rounds: the ratio of their costs, how sure it is, and
 * the verdict. */
#ifndef IOBENCH_STATS_RATIO_H
#define IOBENCH_STATS_RATIO_H

#include <stdbool.h>
#include <stddef.h>

enum verdict { VERDICT_FASTER, VERDICT_SLOWER, VERDICT_SAME, VERDICT_INCONCLUSIVE };

struct ratio {
    size_t n;          /* pairs, one a round */
    double ratio;      /* case cost / baseline cost: above 1 is slower; NaN for n = 0 */
    double low, high;  /* the interval; NaN with too few pairs */
    double confidence; /* of that interval */
    bool drifts;       /* the ratio itself wandered while the rounds ran; see ratio_estimate */
    enum verdict verdict;
};

/* logs[i] = ln(cost of the case / cost of the baseline) in round i, in the order of the rounds.
 * The ratio is exp(median); the interval holds the order statistics for confidence. When the signs
 * of d - median(d) come in too few runs (Wald and Wolfowitz 1940, z < -1.64, from 24 pairs on) the
 * pairs are not independent, and the interval is the wider of the plain one and that of the medians
 * of 12 contiguous blocks. delta (0.01 for 1 %) is how much is still "the same". Work holds room
 * for n numbers. */
void ratio_estimate(const double *logs, size_t n, double confidence, double delta, double *work,
                    struct ratio *ratio);

/* Half the width of the interval relative to the ratio, in logs made linear: 0.005 is ±0.5 %.
 * Infinite while there is no interval. */
double ratio_half_width(const struct ratio *ratio);

/* z of the runs test on the signs of values - median; 0 when there is nothing to test. */
double runs_z(const double *values, size_t n, double median);

/* Confidence of each of m intervals that hold together at 95 % (Bonferroni). */
double family_confidence(size_t m);

const char *verdict_name(enum verdict verdict);

#endif
