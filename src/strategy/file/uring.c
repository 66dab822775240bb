#include "config.h"

#include "strategy/file/uring.h"

#ifdef HAVE_LIBURING

#include <inttypes.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    IDLE_MS = 10, /* of the polling thread, before it sleeps: longer than a pause between passes */
    SPINS = 2000, /* a few microseconds of looking before a wait in the kernel */
};

/* From the fastest to what every kernel takes. A ring for one thread alone is made disabled: it
 * belongs to who enables it, which need not be the thread that set it up. */
static const unsigned plain_flags[] = {
#if defined(IORING_SETUP_SINGLE_ISSUER) && defined(IORING_SETUP_DEFER_TASKRUN)
    IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
#endif
#ifdef IORING_SETUP_COOP_TASKRUN
    IORING_SETUP_COOP_TASKRUN,
#endif
    0};

/* Returns 0 or minus an errno value. */
static int make_ring(struct io_uring *ring, enum uring_kind kind, unsigned entries)
{
    struct io_uring_params params = {.flags = IORING_SETUP_SQPOLL, .sq_thread_idle = IDLE_MS};
    if (kind == URING_SQPOLL)
        return io_uring_queue_init_params(entries, ring, &params);
    int status = -EINVAL;
    for (size_t i = 0; status == -EINVAL && i < sizeof plain_flags / sizeof plain_flags[0]; i++)
        status = io_uring_queue_init(entries, ring, plain_flags[i]);
    return status;
}

static int explain(int number, struct err *err)
{
    if (number == ENOSYS)
        return err_set(err, number, "no io_uring: the kernel is too old or was built without");
    if (number == EPERM)
        return err_set(err, number,
                       "io_uring is forbidden here, likely by the seccomp filter of a container or "
                       "by the sysctl kernel.io_uring_disabled");
    if (number == ENOMEM)
        return err_set(err, number,
                       "cannot make an io_uring: more memory would be locked than 'ulimit -l' "
                       "says, or there is none");
    return err_set(err, number, "cannot make an io_uring");
}

int uring_probe(enum uring_kind kind, struct err *err)
{
    struct io_uring ring;
    int status = make_ring(&ring, kind, 2);
    if (status < 0)
        return explain(-status, err);
    struct io_uring_probe *probe = io_uring_get_probe_ring(&ring);
    bool reads = probe != NULL && io_uring_opcode_supported(probe, IORING_OP_READ);
    io_uring_free_probe(probe);
    io_uring_queue_exit(&ring);
    return reads ? 0 : err_set(err, 0, "the io_uring of this kernel is too old: it cannot read");
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
    int status = make_ring(&uring->ring, kind, kind == URING_SQPOLL ? 2 * depth : depth);
    if (status < 0)
        return explain(-status, err);
    uring->made = true;
    uring->asleep = (uring->ring.flags & IORING_SETUP_R_DISABLED) != 0;
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
        int status = io_uring_submit(ring);
        if (status < 0 || queue_is_ready(&uring->queue))
            return status < 0 ? status : 0;
        for (unsigned i = 0; i < SPINS; i++)
            if (io_uring_cq_ready(ring) > 0)
                return 0;
    }
    tally->calls++;
    int status = io_uring_submit_and_wait(ring, 1);
    return status == -EINTR || status == -EAGAIN || status == -EBUSY ? 0 : status;
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

static int wake(struct uring *uring, struct err *err)
{
    if (!uring->asleep)
        return 0;
    uring->asleep = false;
    /* liburing has a function for it, but exports it from 2.4 on only. */
    int fd = uring->ring.ring_fd;
    if (syscall(SYS_io_uring_register, fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) < 0)
        return err_set(err, errno, "cannot enable an io_uring");
    return 0;
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
    if (wake(uring, err) != 0)
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
    (void)kind;
    return err_set(err, 0, "built without liburing");
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
