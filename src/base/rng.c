#include "config.h"

#include "base/rng.h"

#include "base/clock.h"

#include <unistd.h>

void rng_init(struct rng *rng, uint64_t seed)
{
    rng->state = seed;
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t rng_below(struct rng *rng, uint64_t limit)
{
    uint64_t reject_from = UINT64_MAX - UINT64_MAX % limit;
    uint64_t draw;
    do
        draw = rng_next(rng);
    while (draw >= reject_from);
    return draw % limit;
}

void rng_shuffle(struct rng *rng, unsigned *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)rng_below(rng, i);
        unsigned kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

uint64_t rng_fresh_seed(void)
{
    uint64_t seed = 0;
    if (getentropy(&seed, sizeof seed) != 0)
        seed = clock_now_ns() ^ ((uint64_t)getpid() << 40);
    return seed % RNG_SEED_LIMIT;
}
