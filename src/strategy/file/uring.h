/* What the io_uring strategies share: a ring, and a queue of blocks that goes through it. */
#ifndef IOBENCH_STRATEGY_FILE_URING_H
#define IOBENCH_STRATEGY_FILE_URING_H

#include "strategy/file/queue.h"
#include "strategy/ring.h"

enum uring_kind {
    URING_PLAIN,
    URING_FIXED,  /* with registered buffers and a registered file */
    URING_SQPOLL, /* with a kernel thread that looks for requests by itself */
};

/* The kernel registers no larger one. */
#define URING_LARGEST_BUFFER (UINT64_C(1) << 30)

struct uring {
#ifdef HAVE_LIBURING
    struct io_uring ring;
#endif
    struct queue queue;
    enum uring_kind kind;
    unsigned blocks_together; /* in one registered buffer */
    int fd; /* what requests read: a descriptor, or a place among the registered files */
    bool made;
};

/* Can such a ring be made here? Fails with the likely cause. */
int uring_probe(enum uring_kind kind, struct err *err);

int uring_setup(struct uring *uring, enum uring_kind kind, const struct task *task,
                struct err *err);
int uring_pass(void *uring, const struct task *task, struct tally *tally, struct err *err);
void uring_teardown(void *uring);

#endif
