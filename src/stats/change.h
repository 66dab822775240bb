/* What changed between recorded runs, and how sure that is. Costs come as natural logarithms; a
 * ratio is new cost / old cost, so that above 1 is worse. */
#ifndef IOBENCH_STATS_CHANGE_H
#define IOBENCH_STATS_CHANGE_H

#include <stddef.h>

enum change_verdict { CHANGE_REGRESSED, CHANGE_IMPROVED, CHANGE_SAME, CHANGE_INCONCLUSIVE };

struct change {
    double ratio;     /* NaN: nothing to compare */
    double low, high; /* NaN: too few values for an interval of that confidence */
};

/* What few runs cannot know of the next one. */
struct change_doubt {
    double run_noise; /* 0.05: runs of the same code differ by 5 %; NaN: nothing can be said */
    double control;   /* natural logarithm of how the cost of the control itself changed; 0: none */
};

/* One run a side: logs of the trials of each, in the order of their rounds. The ratio is that of
 * the medians. Each median gets its interval of order statistics (ratio_estimate, which minds a
 * drift within the run) at 1 - alpha/2, and the ends are subtracted crosswise: both hold together
 * at 1 - alpha (Bonferroni). Order statistics and not a bootstrap: nothing is supposed about the
 * distribution, no seed is needed, and the bootstrap's interval of a median takes its ends from the
 * same order statistics.
 *
 * Then the noise widens it in both directions. And a case that did not change at all looks slower
 * by as much as its control became faster: the end that is nearer to no change is moved towards it
 * by what the control changed that way, where that is more than the noise, at most to no change.
 * Here memory became a quarter faster within minutes and page faults did not; by this rule neither
 * is taken for a change of the program.
 *
 * work holds room for the larger side. */
void change_of_trials(const double *base, size_t n_base, const double *fresh, size_t n_fresh,
                      double confidence, const struct change_doubt *doubt, double *work,
                      struct change *change);

/* Two or three runs a side, or one value a side: logs of the runs' medians. The ratio of their
 * medians, give or take the larger of the noise and the widest range within a side, and the control
 * as above; no interval where nothing can be said of the noise. Sorts both. */
void change_of_few_runs(double *base, size_t n_base, double *fresh, size_t n_fresh,
                        const struct change_doubt *doubt, struct change *change);

/* Four runs a side and more: logs of the runs' medians. The interval is that of the k-th smallest
 * and k-th largest of all differences (mann_whitney.h), the ratio their median (Hodges and Lehmann
 * 1963); how much runs differ shows in them, and no noise is assumed. work holds n_base * n_fresh.
 */
void change_of_runs(const double *base, size_t n_base, const double *fresh, size_t n_fresh,
                    double confidence, double *work, struct change *change);

/* By an interval and what is allowed (0.05 for 5 %): regressed and improved when all of it lies
 * beyond, same when all of it lies within, inconclusive otherwise or without an interval. */
enum change_verdict change_judge(const struct change *change, double limit);

const char *change_verdict_name(enum change_verdict verdict);

#endif
