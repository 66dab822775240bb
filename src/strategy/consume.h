/* What is done with the bytes once they are there. The same for all strategies, so that none wins
 * by not looking. Verification is one more way (digest), so that the verified loop is the timed
 * one. */
#ifndef IOBENCH_STRATEGY_CONSUME_H
#define IOBENCH_STRATEGY_CONSUME_H

#include "base/params.h"
#include "base/tally.h"

#include <stddef.h>
#include <xxhash.h>

#define CACHE_LINE 64

struct sink {
    enum consume how;
    XXH3_state_t *hash; /* for CONSUME_DIGEST; shared by the workers, who take turns */
};

/* The slower ways stand in consume.c, out of the loop's code. */
uint64_t consume_sum(const unsigned char *bytes, size_t n);
uint64_t consume_count_newlines(const unsigned char *bytes, size_t n);

static inline uint64_t consume_touch(const unsigned char *bytes, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i += CACHE_LINE)
        sum += bytes[i];
    return sum;
}

/* n bytes have been delivered at bytes. Counts them as well. */
static inline void consume(const struct sink *sink, struct tally *tally, const void *bytes,
                           size_t n)
{
    tally->bytes += n;
    switch (sink->how) {
    case CONSUME_NONE:
        break;
    case CONSUME_TOUCH:
        tally->sum += consume_touch(bytes, n);
        break;
    case CONSUME_SUM:
        tally->sum += consume_sum(bytes, n);
        break;
    case CONSUME_LINES:
        tally->newlines += consume_count_newlines(bytes, n);
        break;
    case CONSUME_DIGEST:
        XXH3_64bits_update(sink->hash, bytes, n);
        break;
    }
}

#endif
