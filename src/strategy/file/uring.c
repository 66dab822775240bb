#include "config.h"

#include "strategy/file/uring.h"

#ifdef HAVE_LIBURING

#include <inttypes.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    SPINS = 2000, /* a few microseconds of looking before a wait in the kernel */
};

int uring_probe(enum uring_kind kind, struct err *err)
{
    return ring_probe(kind == URING_SQPOLL, IORING_OP_READ, "read", err);
}

/* The blocks in as few buffers as possible, and room for one file. */
static int register_all(struct uring *uring, struct err *err)
{
    const struct queue *queue = &uring->queue;
    unsigned together = (unsigned)(URING_LARGEST_BUFFER / queue->block_size);
    unsigned n = (queue->depth + together - 1) / together;
    struct iovec *buffers = calloc(n, sizeof *buffers);
    if (buffers == NULL)
        return err_set(err, errno, "cannot register %u buffers", n);
    for (unsigned i = 0; i < n; i++) {
        unsigned left = queue->depth - i * together;
        size_t blocks = left < together ? left : together;
        buffers[i] = (struct iovec){queue->blocks[i * together].bytes, blocks * queue->block_size};
    }
    int status = io_uring_register_buffers(&uring->ring, buffers, n);
    free(buffers);
    uring->blocks_together = together;
    if (status < 0)
        return err_set(err, -status, "cannot register %u blocks of %zu bytes with io_uring%s",
                       queue->depth, queue->block_size,
                       status == -ENOMEM ? ", which locks them in memory (see 'ulimit -l')" : "");
    int none = -1;
    status = io_uring_register_files(&uring->ring, &none, 1);
    return status < 0 ? err_set(err, -status, "cannot register a file with io_uring") : 0;
}

int uring_setup(struct uring *uring, enum uring_kind kind, const struct task *task, struct err *err)
{
    uring->kind = kind;
    if (queue_setup(&uring->queue, task, err) != 0)
        return -1;
    /* A polling thread may complete requests before it gives their places back. */
    unsigned depth = uring->queue.depth;
    bool polled = kind == URING_SQPOLL;
    if (ring_make(&uring->ring, polled, polled ? 2 * depth : depth, err) != 0)
        return -1;
    uring->made = true;
    return kind == URING_FIXED ? register_all(uring, err) : 0;
}

void uring_teardown(void *opaque)
{
    struct uring *uring = opaque;
    if (uring->made)
        io_uring_queue_exit(&uring->ring);
    queue_teardown(&uring->queue);
}

static inline void ask(struct uring *uring, struct block *block)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring); /* there is one for each block */
    unsigned char *to = block->bytes + block->got;
    unsigned size = (unsigned)block_rest(block);
    uint64_t at = block->at + block->got;
    if (uring->kind == URING_FIXED) {
        unsigned place = (unsigned)(block - uring->queue.blocks);
        int buffer = (int)(place / uring->blocks_together);
        io_uring_prep_read_fixed(sqe, uring->fd, to, size, at, buffer);
        sqe->flags = IOSQE_FIXED_FILE;
    } else {
        io_uring_prep_read(sqe, uring->fd, to, size, at);
    }
    io_uring_sqe_set_data(sqe, block);
}

/* Hands over what was prepared, and waits until there is something to consume or to collect. A
 * polling thread takes it by itself, unless it sleeps; what it brings is looked for before it is
 * waited for. */
static int hand_over(struct uring *uring, struct tally *tally)
{
    struct io_uring *ring = &uring->ring;
    if (uring->kind == URING_SQPOLL) {
        tally->calls += (IO_URING_READ_ONCE(*ring->sq.kflags) & IORING_SQ_NEED_WAKEUP) != 0;
        int status = ring_or_later(io_uring_submit(ring));
        if (status < 0 || queue_is_ready(&uring->queue))
            return status < 0 ? status : 0;
        for (unsigned i = 0; i < SPINS; i++)
            if (io_uring_cq_ready(ring) > 0)
                return 0;
    }
    tally->calls++;
    return ring_enter(ring);
}

static void collect(struct uring *uring, struct tally *tally)
{
    struct io_uring_cqe *cqe;
    unsigned head, n = 0;
    io_uring_for_each_cqe(&uring->ring, head, cqe)
    {
        struct block *block = io_uring_cqe_get_data(cqe);
        if (block_arrived(block, cqe->res, tally))
            ask(uring, block);
        n++;
    }
    io_uring_cq_advance(&uring->ring, n);
}

/* Goes on after the end or an error until nothing is under way: buffers and file are in use. */
static int read_all(struct uring *uring, const struct task *task, struct tally *tally,
                    struct err *err)
{
    int status = 0;
    /* A call costs more than blocks that wait for it; where there is none, each is asked for as
     * soon as there is room. */
    unsigned at_once = uring->kind == URING_SQPOLL ? 1 : uring->queue.depth;
    for (;;) {
        struct block *block;
        while ((block = queue_next(&uring->queue)) != NULL)
            ask(uring, block);
        if (uring->queue.n == 0)
            return status;
        int entered = hand_over(uring, tally);
        if (entered < 0)
            return err_set(err, -entered, "cannot read '%s' through io_uring", task->name);
        collect(uring, tally);
        if (queue_consume(&uring->queue, at_once, task, tally, err) != 0)
            status = -1;
    }
}

/* Puts fd, or -1 for none, in the place of the registered file. */
static int swap_file(struct uring *uring, int fd, struct err *err)
{
    int status = io_uring_register_files_update(&uring->ring, 0, &fd, 1);
    return status < 0 ? err_set(err, -status, "cannot register a file with io_uring") : 0;
}

int uring_pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct uring *uring = opaque;
    if (ring_wake(&uring->ring, err) != 0)
        return -1;
    int fd = file_open(task, false, tally, err);
    if (fd < 0)
        return -1;
    queue_begin(&uring->queue, task, fd);
    bool fixed = uring->kind == URING_FIXED;
    uring->fd = fixed ? 0 : fd;
    int status = fixed ? swap_file(uring, fd, err) : 0;
    if (status == 0)
        status = read_all(uring, task, tally, err);
    if (fixed && swap_file(uring, -1, err) != 0)
        status = -1;
    file_close(fd, tally);
    return status;
}

#else

int uring_probe(enum uring_kind kind, struct err *err)
{
    return ring_probe(kind == URING_SQPOLL, 0, "read", err);
}

int uring_setup(struct uring *uring, enum uring_kind kind, const struct task *task, struct err *err)
{
    (void)uring, (void)task;
    return uring_probe(kind, err);
}

int uring_pass(void *uring, const struct task *task, struct tally *tally, struct err *err)
{
    (void)uring, (void)task, (void)tally;
    return uring_probe(URING_PLAIN, err);
}

void uring_teardown(void *uring)
{
    (void)uring;
}

#endif
