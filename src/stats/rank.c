#include "config.h"

#include "stats/rank.h"

#include <math.h>

/* A rank may reach a tail of exactly alpha/2; logs and exps lose the last bits. */
#define TOLERANCE 1e-12

bool rank_interval(size_t n, double confidence, struct ranks *ranks)
{
    double tail_limit = (1 - confidence) / 2 * (1 + TOLERANCE);
    double log_term = -(double)n * log(2); /* P(Bin = 0), in logs: 2^-n underflows from 1075 on */
    double tail = 0;
    size_t k = 0;
    while (k < n) {
        tail += exp(log_term);
        if (tail > tail_limit)
            break;
        k++;
        log_term += log((double)(n - k + 1)) - log((double)k);
    }
    if (k == 0)
        return false;
    *ranks = (struct ranks){k, n + 1 - k};
    return true;
}

size_t rank_rounds_needed(size_t m)
{
    size_t n = 1;
    struct ranks ranks;
    while (!rank_interval(n, 1 - 0.05 / (double)(m > 0 ? m : 1), &ranks))
        n++;
    return n;
}
