#include "config.h"

#include "stats/mann_whitney.h"

/* A tail may be exactly alpha/2; the last bits of the sum are lost. */
#define TOLERANCE 1e-12

enum { MOST_PAIRS = MANN_WHITNEY_MOST * MANN_WHITNEY_MOST };

/* ways[u]: in how many of the arrangements of m + n values U is u. They are the coefficients of
 * the product of (1 - q^(n+i)) / (1 - q^i) for i = 1 .. m (Mann and Whitney's recurrence, summed).
 * Returns the number of arrangements. */
static double count_ways(size_t m, size_t n, double ways[MOST_PAIRS + 1])
{
    size_t pairs = m * n;
    double all = 1;
    for (size_t u = 0; u <= pairs; u++)
        ways[u] = u == 0;
    for (size_t i = 1; i <= m; i++) {
        for (size_t u = pairs; u >= n + i; u--)
            ways[u] -= ways[u - n - i];
        for (size_t u = i; u <= pairs; u++)
            ways[u] += ways[u - i];
        all *= (double)(n + i) / (double)i;
    }
    return all;
}

size_t mann_whitney_k(size_t m, size_t n, double confidence)
{
    double ways[MOST_PAIRS + 1];
    if (m == 0 || n == 0 || m > MANN_WHITNEY_MOST || n > MANN_WHITNEY_MOST)
        return 0;
    double limit = count_ways(m, n, ways) * (1 - confidence) / 2 * (1 + TOLERANCE);
    double tail = 0;
    size_t k = 0;
    while (k < m * n / 2 && tail + ways[k] <= limit)
        tail += ways[k++];
    return k;
}
