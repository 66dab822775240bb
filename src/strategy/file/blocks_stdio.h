/* The loop of fread(3) and fread_unlocked(3). */
#ifndef IOBENCH_STRATEGY_FILE_BLOCKS_STDIO_H
#define IOBENCH_STRATEGY_FILE_BLOCKS_STDIO_H

#include "strategy/file/access.h"

/* take is a static function of the caller's, inlined here. */
ALWAYS_INLINE int read_stream_blocks(size_t (*take)(void *, size_t, FILE *),
                                     const struct stdio_state *state, const struct task *task,
                                     struct tally *tally, struct err *err)
{
    FILE *stream = file_fopen(task, state->stream_buffer, state->stream_size, tally, err);
    if (stream == NULL)
        return -1;
    uint64_t left = task->length;
    while (left > 0) {
        size_t want = left < state->size ? (size_t)left : state->size;
        uint64_t start = latency_start(tally);
        size_t got = take(state->buffer, want, stream);
        latency_stop(tally, start);
        tally->calls++;
        if (got > 0)
            consume(&task->sink, tally, state->buffer, got);
        if (got < want) {
            tally->short_calls += got > 0;
            break;
        }
        left -= got;
    }
    int status = ferror(stream) ? file_read_error(task, err) : 0;
    file_fclose(stream, tally);
    return status;
}

#endif
