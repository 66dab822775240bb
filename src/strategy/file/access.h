/* What the file strategies share: getting at a file and letting go of it, with the time of both
 * noted where a profile asks for it, and the two loops. */
#ifndef IOBENCH_STRATEGY_FILE_ACCESS_H
#define IOBENCH_STRATEGY_FILE_ACCESS_H

#include "strategy/latency.h"
#include "strategy/pattern.h"
#include "strategy/strategy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Opens the task's file, at the task's offset when seek is set. Returns a descriptor for
 * file_close, or -1. */
int file_open(const struct task *task, bool seek, struct tally *tally, struct err *err);
/* The same with further flags of open(2), which do not reach a descriptor that was handed over. */
int file_open_with(const struct task *task, int flags, bool seek, struct tally *tally,
                   struct err *err);
void file_close(int fd, struct tally *tally);

/* The same for a stream; buffer, unless NULL, is its setvbuf() buffer of size bytes. */
FILE *file_fopen(const struct task *task, void *buffer, size_t size, struct tally *tally,
                 struct err *err);
void file_fclose(FILE *stream, struct tally *tally);

/* How much of the task's slice the file holds. Fails for a file that does not tell its size. */
int file_slice_length(int fd, const struct task *task, uint64_t *length, struct err *err);

/* A mapping of the task's slice; bytes is NULL and length 0 for an empty one. */
struct file_map {
    int fd;
    void *base;
    size_t span;
    const unsigned char *bytes;
    size_t length;
};
int file_map(struct file_map *map, const struct task *task, int flags, struct tally *tally,
             struct err *err);
void file_unmap(struct file_map *map, struct tally *tally);

int file_read_error(const struct task *task, struct err *err);

/* State of the strategies that read blocks into one buffer. */
struct block_state {
    unsigned char *buffer;
    size_t size;
};
int block_setup(void *state, const struct task *task, struct err *err);
void block_teardown(void *state);

/* State of the stdio strategies: the stream's own buffer, and one for blocks or lines. */
struct stdio_state {
    void *stream_buffer; /* NULL: the C library's own */
    size_t stream_size;
    char *buffer; /* stdio_setup() leaves it NULL; stdio_teardown() frees it */
    size_t size;
};
int stdio_setup(void *state, const struct task *task, struct err *err);
int stdio_block_setup(void *state, const struct task *task, struct err *err);
void stdio_teardown(void *state);

/* The walk over the task's slice in its pattern; only where the pattern is not sequential, and the
 * length therefore known. */
static inline void file_walk(struct walk *walk, const struct task *task)
{
    walk_init(walk, task->params->value[KNOB_PATTERN], task->offset, task->length,
              task->params->value[KNOB_BLOCK_SIZE], task->seed);
}

static inline bool file_is_sequential(const struct task *task)
{
    return task->params->value[KNOB_PATTERN] == PATTERN_SEQUENTIAL;
}

/* The loop below, made twice by the compiler: plain is the sequential one whose calls are not
 * timed, and leaves nothing between two calls but the counting. */
ALWAYS_INLINE int read_blocks_how(ssize_t (*read_at)(int, unsigned char *, size_t, off_t), int fd,
                                  bool plain, const struct block_state *state,
                                  const struct task *task, struct tally *tally, struct err *err)
{
    uint64_t at = task->offset, left = task->length;
    size_t size = state->size;
    struct walk walk;
    size_t in_block = 0; /* what is left of a block of the walk */
    bool sequential = plain || file_is_sequential(task);
    if (!sequential)
        file_walk(&walk, task);
    while (left > 0) {
        if (!sequential && in_block == 0 && !walk_next(&walk, &at, &in_block))
            break;
        size_t room = sequential ? size : in_block;
        size_t want = left < room ? (size_t)left : room;
        uint64_t start = plain ? 0 : latency_start(tally);
        ssize_t got = read_at(fd, state->buffer, want, (off_t)at);
        if (!plain)
            latency_stop(tally, start);
        tally->calls++;
        if (got <= 0) {
            if (got == 0)
                break;
            if (errno == EINTR)
                continue;
            return file_read_error(task, err);
        }
        tally->short_calls += (size_t)got < want;
        consume(&task->sink, tally, state->buffer, (size_t)got);
        at += (uint64_t)got;
        left -= (uint64_t)got;
        in_block -= sequential ? 0 : (size_t)got;
    }
    return 0;
}

/* The loop of every system call that fills a buffer from a place. read_at(fd, buffer, want, at) is
 * a static function of the caller's and inlined here: there is no call through a pointer. */
ALWAYS_INLINE int read_blocks(ssize_t (*read_at)(int, unsigned char *, size_t, off_t), int fd,
                              const struct block_state *state, const struct task *task,
                              struct tally *tally, struct err *err)
{
    if (file_is_sequential(task) && tally->histogram[OF_LATENCY] == NULL)
        return read_blocks_how(read_at, fd, true, state, task, tally, err);
    return read_blocks_how(read_at, fd, false, state, task, tally, err);
}

/* The loop of getc and its kind, inlined with next, how and whether there is a limit known: a
 * compare more weighs on a loop of five instructions. getc looks at every byte itself, so touch has
 * nothing to add. */
ALWAYS_INLINE uint64_t read_chars_how(int (*next)(FILE *), FILE *stream, enum consume how,
                                      bool limited, const struct task *task, struct tally *tally)
{
    uint64_t n = 0, sum = 0, newlines = 0, length = task->length;
    unsigned char gathered[4096];
    size_t held = 0;
    int c;
    while ((!limited || n < length) && (c = next(stream)) != EOF) {
        n++;
        if (how == CONSUME_SUM)
            sum += (unsigned)c;
        else if (how == CONSUME_LINES)
            newlines += c == '\n';
        else if (how == CONSUME_DIGEST) {
            gathered[held++] = (unsigned char)c;
            if (held == sizeof gathered) {
                XXH3_64bits_update(task->sink.hash, gathered, held);
                held = 0;
            }
        }
    }
    if (how == CONSUME_DIGEST)
        XXH3_64bits_update(task->sink.hash, gathered, held);
    tally->sum += sum;
    tally->newlines += newlines;
    return n;
}

ALWAYS_INLINE int read_chars(int (*next)(FILE *), const struct stdio_state *state,
                             const struct task *task, struct tally *tally, struct err *err)
{
    FILE *stream = file_fopen(task, state->stream_buffer, state->stream_size, tally, err);
    if (stream == NULL)
        return -1;
    uint64_t n = 0;
    bool limited = task->length != NO_LIMIT;
    switch (task->sink.how) {
    case CONSUME_NONE:
    case CONSUME_TOUCH:
        n = limited ? read_chars_how(next, stream, CONSUME_NONE, true, task, tally)
                    : read_chars_how(next, stream, CONSUME_NONE, false, task, tally);
        break;
    case CONSUME_SUM:
        n = read_chars_how(next, stream, CONSUME_SUM, true, task, tally);
        break;
    case CONSUME_LINES:
        n = read_chars_how(next, stream, CONSUME_LINES, true, task, tally);
        break;
    case CONSUME_DIGEST:
        n = read_chars_how(next, stream, CONSUME_DIGEST, true, task, tally);
        break;
    }
    tally->bytes += n;
    tally->calls += n + (n < task->length); /* the one that met the end */
    int status = ferror(stream) ? file_read_error(task, err) : 0;
    file_fclose(stream, tally);
    return status;
}

#endif
