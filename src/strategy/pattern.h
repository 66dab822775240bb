/* The order in which the blocks of a slice are visited. */
#ifndef IOBENCH_STRATEGY_PATTERN_H
#define IOBENCH_STRATEGY_PATTERN_H

#include "base/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A walk visits each block of [offset, offset + length) once; the last one may be short. A stride
 * visits one block at each multiple of the stride instead. It needs no memory: a random order is a
 * full-period sequence modulo a power of two (Knuth, TAOCP 2, 3.2.1.2), shuffled by xor-shifts,
 * that skips numbers which are no block. */
struct walk {
    uint64_t offset, length, block, step; /* step: from one block's start to the next one's */
    uint64_t blocks, done;
    uint64_t pattern, state, mask, multiplier, increment;
};

/* pattern is a value of KNOB_PATTERN; length must be a real one, block > 0. */
void walk_init(struct walk *walk, uint64_t pattern, uint64_t offset, uint64_t length,
               uint64_t block, uint64_t seed);

static inline uint64_t walk_scramble(const struct walk *walk)
{
    /* xor with its own high bits is a bijection of the numbers below a power of two */
    uint64_t x = walk->state;
    x ^= x >> 7;
    return (x * walk->multiplier) & walk->mask;
}

/* The next block's place and size; false when all have been visited. */
static inline bool walk_next(struct walk *walk, uint64_t *at, size_t *size)
{
    if (walk->done == walk->blocks)
        return false;
    uint64_t index = walk->done++;
    if (walk->pattern == PATTERN_REVERSE) {
        index = walk->blocks - 1 - index;
    } else if (walk->pattern == PATTERN_RANDOM) {
        do {
            walk->state = (walk->state * UINT64_C(5) + walk->increment) & walk->mask;
            index = walk_scramble(walk);
        } while (index >= walk->blocks);
    }
    uint64_t from = index * walk->step;
    uint64_t left = walk->length - from;
    *at = walk->offset + from;
    *size = (size_t)(left < walk->block ? left : walk->block);
    return true;
}

#endif
