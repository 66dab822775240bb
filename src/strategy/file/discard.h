/* What the strategies share that move a file into /dev/null inside the kernel. */
#ifndef IOBENCH_STRATEGY_FILE_DISCARD_H
#define IOBENCH_STRATEGY_FILE_DISCARD_H

#include "strategy/file/access.h"

struct discard {
    int null_fd;
    int pipe[2]; /* to read from, to write to; -1: none */
    size_t block;
};

int discard_setup(void *discard, const struct task *task, struct err *err);
/* The same with a pipe, as large as a block where the system allows that. */
int discard_pipe_setup(void *discard, const struct task *task, struct err *err);
void discard_teardown(void *discard);

/* Moves at most want bytes from fd into /dev/null, and counts and times its calls. Returns how many
 * arrived there, 0 at the end, or -1. */
typedef ssize_t discard_move(const struct discard *discard, int fd, size_t want,
                             struct tally *tally);

/* Tries to move a byte of the task's file, unless that would use it up. */
int discard_suits(discard_move *move, const char *call, const struct task *task, struct err *err);

/* The loop; move is a static function of the caller's and inlined here. */
ALWAYS_INLINE int discard_file(discard_move *move, const struct discard *discard,
                               const struct task *task, struct tally *tally, struct err *err)
{
    int fd = file_open(task, true, tally, err);
    if (fd < 0)
        return -1;
    int status = 0;
    for (uint64_t left = task->length; left > 0;) {
        size_t want = left < discard->block ? (size_t)left : discard->block;
        ssize_t moved = move(discard, fd, want, tally);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved < 0)
            status = file_read_error(task, err);
        if (moved <= 0)
            break;
        tally->short_calls += (size_t)moved < want;
        tally->bytes += (uint64_t)moved;
        left -= (uint64_t)moved;
    }
    file_close(fd, tally);
    return status;
}

#endif
