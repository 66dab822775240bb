#include "config.h"

#include "stats/change.h"

#include "stats/mann_whitney.h"
#include "stats/ratio.h"
#include "stats/summary.h"

#include <math.h>

static const struct change unknown = {NAN, NAN, NAN};

void change_of_trials(const double *base, size_t n_base, const double *fresh, size_t n_fresh,
                      double confidence, double run_noise, double *work, struct change *change)
{
    struct ratio old, now;
    double each = 1 - (1 - confidence) / 2;
    ratio_estimate(base, n_base, each, 0, work, &old);
    ratio_estimate(fresh, n_fresh, each, 0, work, &now);
    *change = (struct change){now.ratio / old.ratio, now.low / old.high / (1 + run_noise),
                              now.high / old.low * (1 + run_noise)};
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

void change_of_few_runs(double *base, size_t n_base, double *fresh, size_t n_fresh,
                        double run_noise, struct change *change)
{
    *change = unknown;
    if (n_base == 0 || n_fresh == 0)
        return;
    sort_values(base, n_base);
    sort_values(fresh, n_fresh);
    double middle = quantile(fresh, n_fresh, 0.5) - quantile(base, n_base, 0.5);
    double range = larger(base[n_base - 1] - base[0], fresh[n_fresh - 1] - fresh[0]);
    double noise = isnan(run_noise) ? NAN : larger(log(1 + run_noise), range);
    *change = (struct change){exp(middle), exp(middle - noise), exp(middle + noise)};
}

void change_of_runs(const double *base, size_t n_base, const double *fresh, size_t n_fresh,
                    double confidence, double *work, struct change *change)
{
    size_t n = 0;
    *change = unknown;
    for (size_t i = 0; i < n_base; i++)
        for (size_t j = 0; j < n_fresh; j++)
            work[n++] = fresh[j] - base[i];
    if (n == 0)
        return;
    sort_values(work, n);
    change->ratio = exp(quantile(work, n, 0.5));
    size_t k = mann_whitney_k(n_base, n_fresh, confidence);
    if (k == 0)
        return;
    change->low = exp(work[k - 1]);
    change->high = exp(work[n - k]);
}

enum change_verdict change_judge(const struct change *change, double limit)
{
    if (isnan(change->low) || isnan(change->high))
        return CHANGE_INCONCLUSIVE;
    if (change->low > 1 + limit)
        return CHANGE_REGRESSED;
    if (change->high < 1 / (1 + limit))
        return CHANGE_IMPROVED;
    if (change->low >= 1 / (1 + limit) && change->high <= 1 + limit)
        return CHANGE_SAME;
    return CHANGE_INCONCLUSIVE;
}

const char *change_verdict_name(enum change_verdict verdict)
{
    static const char *const names[] = {"regressed", "improved", "same", "inconclusive"};
    return names[verdict];
}
