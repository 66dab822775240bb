/* The order in which the blocks of a file are visited. */
#include "config.h"

#include "check.h"

#include "strategy/pattern.h"

#include <stdio.h>
#include <stdlib.h>

static const uint64_t patterns[] = {PATTERN_SEQUENTIAL, PATTERN_REVERSE, PATTERN_RANDOM};

enum { MOST_BLOCKS = 1100, BLOCK = 100, OFFSET = 7000 };

/* Writes down the places of a walk; returns how many, and the bytes. */
static size_t walk_all(uint64_t pattern, uint64_t length, uint64_t block, uint64_t seed,
                       uint64_t *places, size_t room, uint64_t *bytes)
{
    struct walk walk;
    walk_init(&walk, pattern, OFFSET, length, block, seed);
    size_t n = 0, size;
    *bytes = 0;
    for (uint64_t at; walk_next(&walk, &at, &size); n++) {
        CHECK_COUNT("blocks", n, <, room);
        CHECK_COUNT("place", at, >=, OFFSET);
        CHECK_COUNT("end of the block", at + size, <=, OFFSET + length);
        CHECK_COUNT("size", size, >, 0);
        CHECK_COUNT("size", size, <=, block);
        places[n] = at;
        *bytes += size;
    }
    return n;
}

static void every_block_is_visited_once_in_every_order(void **state)
{
    (void)state;
    static uint64_t places[MOST_BLOCKS];
    for (size_t p = 0; p < ROWS_OF(patterns); p++) {
        for (uint64_t length = 0; length < (MOST_BLOCKS - 1) * BLOCK; length += 1 + length / 40) {
            uint64_t bytes, blocks = (length + BLOCK - 1) / BLOCK;
            unsigned char seen[MOST_BLOCKS] = {0};
            size_t n = walk_all(patterns[p], length, BLOCK, length, places, MOST_BLOCKS, &bytes);
            CHECK_COUNT("blocks", n, ==, blocks);
            CHECK_COUNT("bytes", bytes, ==, length);
            for (size_t i = 0; i < n; i++) {
                CHECK_COUNT("a block's start", (places[i] - OFFSET) % BLOCK, ==, 0);
                CHECK_COUNT("earlier visits", seen[(places[i] - OFFSET) / BLOCK]++, ==, 0);
            }
        }
    }
}

static void a_sequential_walk_goes_up_and_a_reverse_one_down(void **state)
{
    (void)state;
    uint64_t up[4], down[4], bytes;
    CHECK_COUNT("up", walk_all(PATTERN_SEQUENTIAL, 350, BLOCK, 1, up, 4, &bytes), ==, 4);
    CHECK_COUNT("down", walk_all(PATTERN_REVERSE, 350, BLOCK, 1, down, 4, &bytes), ==, 4);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_COUNT("up", up[i], ==, OFFSET + i * BLOCK);
        CHECK_COUNT("down", down[i], ==, OFFSET + (3 - i) * BLOCK);
    }
}

static void a_random_walk_follows_its_seed_and_does_not_go_up(void **state)
{
    (void)state;
    enum { N = 1000 };
    static uint64_t first[N], again[N], other[N];
    uint64_t bytes;
    walk_all(PATTERN_RANDOM, N * BLOCK, BLOCK, 1, first, N, &bytes);
    walk_all(PATTERN_RANDOM, N * BLOCK, BLOCK, 1, again, N, &bytes);
    walk_all(PATTERN_RANDOM, N * BLOCK, BLOCK, 2, other, N, &bytes);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    unsigned up = 0, next = 0;
    for (size_t i = 1; i < N; i++) {
        up += first[i] > first[i - 1];
        next += first[i] == first[i - 1] + BLOCK;
    }
    CHECK_COUNT("steps up", up, >, N / 4);
    CHECK_COUNT("steps up", up, <, 3 * N / 4);
    CHECK_COUNT("steps to the next block", next, <, N / 20);
}

static void a_stride_visits_a_block_at_each_of_its_multiples(void **state)
{
    (void)state;
    uint64_t places[8], bytes;
    CHECK_COUNT("blocks", walk_all(1000, 4150, BLOCK, 1, places, 8, &bytes), ==, 5);
    for (unsigned i = 0; i < 5; i++)
        CHECK_COUNT("place", places[i], ==, OFFSET + 1000 * i);
    CHECK_COUNT("bytes", bytes, ==, 5 * BLOCK);
    CHECK_COUNT("blocks", walk_all(1000, 4050, BLOCK, 1, places, 8, &bytes), ==, 5);
    CHECK_COUNT("bytes with a short last block", bytes, ==, 4 * BLOCK + 50);
}

static void a_stride_shorter_than_a_block_is_sequential(void **state)
{
    (void)state;
    uint64_t places[8], bytes;
    CHECK_COUNT("blocks", walk_all(512, 3500, 1000, 1, places, 8, &bytes), ==, 4);
    for (unsigned i = 0; i < 4; i++)
        CHECK_COUNT("place", places[i], ==, OFFSET + 1000 * i);
    CHECK_COUNT("bytes", bytes, ==, 3500);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_visited_once_in_every_order),
        cmocka_unit_test(a_sequential_walk_goes_up_and_a_reverse_one_down),
        cmocka_unit_test(a_random_walk_follows_its_seed_and_does_not_go_up),
        cmocka_unit_test(a_stride_visits_a_block_at_each_of_its_multiples),
        cmocka_unit_test(a_stride_shorter_than_a_block_is_sequential),
    };
    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
