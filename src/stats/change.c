#include "config.h"

#include "stats/change.h"

#include "stats/mann_whitney.h"
#include "stats/ratio.h"
#include "stats/summary.h"

#include <math.h>

static const struct change unknown = {NAN, NAN, NAN};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* All in logs: the ends as the runs themselves give them, and the noise. */
static void widen(double low, double high, double noise, double control, struct change *change)
{
    double still_low = control < 0 ? larger(smaller(low, 0), low + control) : low;
    double still_high = control > 0 ? smaller(larger(high, 0), high + control) : high;
    change->low = exp(isnan(noise) ? NAN : smaller(low - noise, still_low));
    change->high = exp(isnan(noise) ? NAN : larger(high + noise, still_high));
}

void change_of_trials(const double *base, size_t n_base, const double *fresh, size_t n_fresh,
                      double confidence, const struct change_doubt *doubt, double *work,
                      struct change *change)
{
    struct ratio old, now;
    double each = 1 - (1 - confidence) / 2;
    ratio_estimate(base, n_base, each, 0, work, &old);
    ratio_estimate(fresh, n_fresh, each, 0, work, &now);
    change->ratio = now.ratio / old.ratio;
    widen(log(now.low / old.high), log(now.high / old.low), log(1 + doubt->run_noise),
          doubt->control, change);
}

void change_of_few_runs(double *base, size_t n_base, double *fresh, size_t n_fresh,
                        const struct change_doubt *doubt, struct change *change)
{
    *change = unknown;
    if (n_base == 0 || n_fresh == 0)
        return;
    sort_values(base, n_base);
    sort_values(fresh, n_fresh);
    double middle = quantile(fresh, n_fresh, 0.5) - quantile(base, n_base, 0.5);
    double range = larger(base[n_base - 1] - base[0], fresh[n_fresh - 1] - fresh[0]);
    double noise = log(1 + doubt->run_noise);
    change->ratio = exp(middle);
    widen(middle, middle, isnan(noise) ? NAN : larger(noise, range), doubt->control, change);
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
