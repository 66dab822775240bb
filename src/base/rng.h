/* A small seeded generator, so that every order and every made file can be had again. */
#ifndef IOBENCH_BASE_RNG_H
#define IOBENCH_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* Seeds stay below this, so that a JSON reader with doubles keeps them whole. */
#define RNG_SEED_LIMIT (UINT64_C(1) << 53)

struct rng {
    uint64_t state;
};

void rng_init(struct rng *rng, uint64_t seed);

/* A uniform 64-bit number. SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014. */
uint64_t rng_next(struct rng *rng);

/* A uniform number in [0, limit), without modulo bias; limit > 0. */
uint64_t rng_below(struct rng *rng, uint64_t limit);

/* Shuffles n indices in place (Fisher-Yates). */
void rng_shuffle(struct rng *rng, unsigned *items, size_t n);

/* A seed from the system, below RNG_SEED_LIMIT. */
uint64_t rng_fresh_seed(void);

#endif
