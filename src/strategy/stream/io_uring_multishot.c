/* io_uring with multishot receives: asked for once, a connection goes on giving, into buffers that
 * the kernel takes from a ring and we give back. */
#include "config.h"

#include "strategy/ring.h"
#include "strategy/stream/drain.h"

#include <stdlib.h>
#include <string.h>

#if defined HAVE_LIBURING && defined IORING_RECV_MULTISHOT
#define USABLE 1
#endif

#ifdef USABLE
enum { BUFFERS = 64, GROUP = 0 }; /* a power of two */
#define MOST_BUFFER_BYTES (UINT64_C(64) << 20)

struct state {
    struct io_uring ring;
    bool made, registered;
    struct io_uring_buf_ring *buffers;
    unsigned n_buffers;
    unsigned char *bytes;
    size_t size;
    bool *armed; /* one a connection */
};

static void give_back(struct state *state, unsigned buffer)
{
    io_uring_buf_ring_add(state->buffers, state->bytes + buffer * state->size,
                          (unsigned)state->size, (unsigned short)buffer,
                          io_uring_buf_ring_mask(state->n_buffers), 0);
    io_uring_buf_ring_advance(state->buffers, 1);
}

/* Large blocks come in smaller numbers. */
static unsigned count_buffers(size_t size)
{
    unsigned n = BUFFERS;
    while (n > 2 && n * size > MOST_BUFFER_BYTES)
        n /= 2;
    return n;
}

static int provide_buffers(struct state *state, struct err *err)
{
    size_t ring_bytes = state->n_buffers * sizeof(struct io_uring_buf);
    if (posix_memalign((void **)&state->buffers, 4096, ring_bytes) != 0) {
        state->buffers = NULL;
        return err_set(err, ENOMEM, "cannot get a ring of buffers");
    }
    memset(state->buffers, 0, ring_bytes);
    struct io_uring_buf_reg reg = {
        .ring_addr = (uintptr_t)state->buffers, .ring_entries = state->n_buffers, .bgid = GROUP};
    int status = io_uring_register_buf_ring(&state->ring, &reg, 0);
    if (status < 0)
        return err_set(err, -status, "cannot provide buffers to the io_uring");
    io_uring_buf_ring_init(state->buffers);
    for (unsigned i = 0; i < state->n_buffers; i++)
        give_back(state, i);
    return 0;
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    state->n_buffers = count_buffers(state->size);
    state->armed = calloc(task->n_fds, sizeof *state->armed);
    state->bytes = calloc(state->n_buffers, state->size);
    if (state->armed == NULL || state->bytes == NULL)
        return err_set(err, errno, "cannot get %u buffers of %zu bytes", state->n_buffers,
                       state->size);
    memset(state->bytes, 0x55, state->n_buffers * state->size);
    unsigned entries = task->n_fds < BUFFERS ? BUFFERS : task->n_fds < 4096 ? task->n_fds : 4096;
    if (ring_make(&state->ring, false, entries, err) != 0)
        return -1;
    state->made = true;
    return provide_buffers(state, err);
}

static void arm(struct state *state, const struct drain *drain, unsigned i)
{
    if (state->armed[i] || !drain_wants(drain, i))
        return;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&state->ring);
    if (sqe == NULL) {
        drain->tally->calls++;
        io_uring_submit(&state->ring);
        sqe = io_uring_get_sqe(&state->ring);
    }
    if (sqe == NULL)
        return;
    io_uring_prep_recv_multishot(sqe, drain->task->fds[i], NULL, 0,
                                 drain->task->datagrams ? MSG_TRUNC : 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = GROUP;
    io_uring_sqe_set_data64(sqe, i);
    state->armed[i] = true;
}

static int take(struct state *state, struct drain *drain, const struct io_uring_cqe *cqe)
{
    unsigned i = (unsigned)cqe->user_data;
    int status = 0;
    if ((cqe->flags & IORING_CQE_F_MORE) == 0)
        state->armed[i] = false;
    if (cqe->res == -ENOBUFS) {
        drain->tally->counter[COUNTER_NO_BUFFER]++;
        arm(state, drain, i);
        return 0;
    }
    bool held = (cqe->flags & IORING_CQE_F_BUFFER) != 0;
    unsigned buffer = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
    ssize_t got = cqe->res;
    if (got < 0) {
        errno = -cqe->res;
        got = -1;
    }
    /* What comes after the last byte wanted, before the clock, counts all the same. */
    const void *bytes = held ? state->bytes + buffer * state->size : state->bytes;
    if ((drain_wants(drain, i) || got > 0) &&
        drain_arrived(drain, i, bytes, state->size, got) == DRAIN_FAILED)
        status = -1;
    if (held)
        give_back(state, buffer);
    arm(state, drain, i);
    return status;
}

static int collect(struct state *state, struct drain *drain)
{
    struct io_uring_cqe *cqe;
    unsigned head, n = 0;
    int status = 0;
    io_uring_for_each_cqe(&state->ring, head, cqe)
    {
        if (take(state, drain, cqe) != 0)
            status = -1;
        n++;
    }
    io_uring_cq_advance(&state->ring, n);
    return status;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct drain drain;
    drain_start(&drain, task, tally, err);
    if (ring_wake(&state->ring, err) != 0)
        return -1;
    for (unsigned i = 0; i < task->n_fds; i++)
        arm(state, &drain, i);
    while (drain.left > 0 && drain.open > 0) {
        tally->calls++;
        int status = io_uring_submit_and_wait(&state->ring, 1);
        if (status < 0 && status != -EINTR && status != -EAGAIN && status != -EBUSY)
            return err_set(err, -status, "cannot wait for the io_uring");
        if (collect(state, &drain) != 0)
            return -1;
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    if (state->made)
        io_uring_queue_exit(&state->ring);
    free(state->buffers);
    free(state->armed);
    free(state->bytes);
}

/* Multishot receives came with Linux 6.0, after the opcode itself: only a ring of buffers and a
 * real receive tell. */
static int probe(struct err *err)
{
    struct params params;
    params_init(&params);
    params.value[KNOB_BLOCK_SIZE] = 64;
    uint64_t left = 1, fd_bytes = 0;
    int pair[2];
    struct sink sink = {CONSUME_NONE, NULL};
    static const _Atomic bool never = false;
    if (ring_probe(false, IORING_OP_RECV, "receive", err) != 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set(err, errno, "cannot make a pair of sockets");
    struct task task = {.params = &params,
                        .fds = pair,
                        .n_fds = 1,
                        .goal = 1,
                        .left = &left,
                        .fd_bytes = &fd_bytes,
                        .sinks = &sink,
                        .stop = &never};
    struct state state = {0};
    struct tally tally = {0};
    struct err why = {0};
    int status = setup(&state, &task, &why);
    if (status == 0 && write(pair[1], "x", 1) != 1)
        status = -1;
    if (status == 0)
        status = pass(&state, &task, &tally, &why);
    teardown(&state);
    close(pair[0]);
    close(pair[1]);
    if (status != 0)
        return err_set(err, 0, "no multishot receive here: %s", why.text);
    return 0;
}
#else
static int probe(struct err *err)
{
#ifdef HAVE_LIBURING
    return err_set(err, 0, "built with a liburing that is too old for it");
#else
    return ring_probe(false, 0, "receive", err);
#endif
}
#endif

const struct strategy strategy_stream_io_uring_multishot = {
    .name = "io_uring-multishot",
    .summary = "io_uring: one request that goes on receiving, into provided buffers",
    .family = FAMILY_STREAM,
    .groups = GROUP_ASYNC,
    .needs = NEED_SOCKET,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .probe = probe,
#ifdef USABLE
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
