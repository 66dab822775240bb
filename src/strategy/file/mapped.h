/* The loop over a mapping. */
#ifndef IOBENCH_STRATEGY_FILE_MAPPED_H
#define IOBENCH_STRATEGY_FILE_MAPPED_H

#include "strategy/file/access.h"

#include <sys/mman.h>

/* Often enough for the tally to show progress, seldom enough to cost nothing. */
enum { MAPPED_STEP = 1024 * 1024 };

static inline void consume_mapped(const unsigned char *bytes, size_t length,
                                  const struct task *task, struct tally *tally)
{
    for (size_t at = 0; at < length; at += MAPPED_STEP) {
        size_t left = length - at;
        consume(&task->sink, tally, bytes + at, left < MAPPED_STEP ? left : MAPPED_STEP);
    }
}

/* flags are mmap's, beside MAP_PRIVATE; advice is posix_madvise's. */
ALWAYS_INLINE int read_mapped(int flags, int advice, const struct task *task, struct tally *tally,
                              struct err *err)
{
    struct file_map map;
    if (file_map(&map, task, flags, tally, err) != 0)
        return -1;
    tally->calls = UNKNOWN;
    if (advice != POSIX_MADV_NORMAL && map.span > 0)
        posix_madvise(map.base, map.span, advice);
    if (!file_is_sequential(task)) {
        struct walk walk;
        uint64_t at;
        size_t size;
        walk_init(&walk, task->params->value[KNOB_PATTERN], 0, map.length,
                  task->params->value[KNOB_BLOCK_SIZE], task->seed);
        while (walk_next(&walk, &at, &size))
            consume(&task->sink, tally, map.bytes + at, size);
    } else {
        consume_mapped(map.bytes, map.length, task, tally);
    }
    file_unmap(&map, tally);
    return 0;
}

#endif
