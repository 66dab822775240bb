#include "config.h"

#include "strategy/pattern.h"

#include "base/rng.h"

void walk_init(struct walk *walk, uint64_t pattern, uint64_t offset, uint64_t length,
               uint64_t block, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed);
    uint64_t step = pattern >= PATTERN_LEAST_STRIDE && pattern > block ? pattern : block;
    *walk = (struct walk){.offset = offset,
                          .length = length,
                          .block = block,
                          .step = step,
                          .blocks = length / step + (length % step != 0),
                          .pattern = pattern};
    uint64_t size = 1;
    while (size < walk->blocks)
        size <<= 1;
    walk->mask = size - 1;
    walk->increment = rng_next(&rng) | 1;  /* odd, with a factor of 5: the period is full */
    walk->multiplier = rng_next(&rng) | 1; /* odd: a bijection */
    walk->state = rng_next(&rng) & walk->mask;
}
