/* The loop over a mapping. */
#ifndef IOBENCH_STRATEGY_FILE_MAPPED_H
#define IOBENCH_STRATEGY_FILE_MAPPED_H

#include "strategy/file/access.h"

/* Often enough for the tally to show progress, seldom enough to cost nothing. */
enum { MAPPED_STEP = 1024 * 1024 };

ALWAYS_INLINE int read_mapped(int flags, const struct task *task, struct tally *tally,
                              struct err *err)
{
    struct file_map map;
    if (file_map(&map, task, flags, tally, err) != 0)
        return -1;
    tally->calls = UNKNOWN;
    if (!file_is_sequential(task)) {
        struct walk walk;
        uint64_t at;
        size_t size;
        walk_init(&walk, task->params->value[KNOB_PATTERN], 0, map.length,
                  task->params->value[KNOB_BLOCK_SIZE], task->seed);
        while (walk_next(&walk, &at, &size))
            consume(&task->sink, tally, map.bytes + at, size);
        file_unmap(&map, tally);
        return 0;
    }
    for (size_t at = 0; at < map.length; at += MAPPED_STEP) {
        size_t left = map.length - at;
        consume(&task->sink, tally, map.bytes + at, left < MAPPED_STEP ? left : MAPPED_STEP);
    }
    file_unmap(&map, tally);
    return 0;
}

#endif
