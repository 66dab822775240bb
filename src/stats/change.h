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

/* One run a side: logs of the trials of each, in the order of their rounds. The ratio is that of
 * the medians. Each median gets its interval of order statistics (ratio_estimate, which minds a
 * drift within the run) at 1 - alpha/2, and the ends are subtracted crosswise: both hold together
 * at 1 - alpha (Bonferroni). Order statistics and not a bootstrap: nothing is supposed about the
 * distribution, no seed is needed, and the bootstrap's interval of a median takes its ends from the
 * same order statistics. Then run_noise (0.05 for 5 %) widens it in both directions, for all that
 * one run cannot know of the next. work holds room for the larger side. */
void change_of_trials(const double *base, size_t n_base, const double *fresh, size_t n_fresh,
                      double confidence, double run_noise, double *work, struct change *change);

/* Two or three runs a side, or one value a side: logs of the runs' medians. The ratio of their
 * medians, give or take the larger of run_noise and the widest range within a side; no interval for
 * a run_noise that is NaN. Sorts both. */
void change_of_few_runs(double *base, size_t n_base, double *fresh, size_t n_fresh,
                        double run_noise, struct change *change);

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
