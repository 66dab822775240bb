#include "config.h"

#include "stats/binomial.h"

#include <math.h>

enum { HALVINGS = 60 };

/* P(Bin(n, p) >= k) for 0 < p < 1; in logs, since 1 - p to the power of n may be nothing. */
static double upper_tail(size_t k, size_t n, double p)
{
    double sum = 0, trials = (double)n;
    for (size_t i = k; i <= n; i++) {
        double hits = (double)i;
        sum += exp(lgamma(trials + 1) - lgamma(hits + 1) - lgamma(trials - hits + 1) +
                   hits * log(p) + (trials - hits) * log1p(-p));
    }
    return sum;
}

/* The p with P(Bin(n, p) >= k) = wanted: that tail grows with p. */
static double solve(size_t k, size_t n, double wanted)
{
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double p = low + (high - low) / 2;
        if (upper_tail(k, n, p) < wanted)
            low = p;
        else
            high = p;
    }
    return low + (high - low) / 2;
}

void binomial_interval(size_t k, size_t n, double confidence, double *low, double *high)
{
    double tail = (1 - confidence) / 2;
    *low = k == 0 ? 0 : solve(k, n, tail);
    *high = k >= n ? 1 : solve(k + 1, n, 1 - tail);
}
