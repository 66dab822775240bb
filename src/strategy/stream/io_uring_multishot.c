/* io_uring with multishot receives: asked for once, a connection goes on giving, into buffers that
 * the kernel takes from a ring and we give back. */
#include "config.h"

#include "strategy/multishot.h"
#include "strategy/stream/drain.h"

#include <stdlib.h>

#ifdef HAVE_MULTISHOT
struct state {
    struct io_uring ring;
    bool made;
    struct buffer_ring buffers;
    bool *armed; /* one a connection */
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->armed = calloc(task->n_fds, sizeof *state->armed);
    if (state->armed == NULL)
        return err_set(err, errno, "cannot watch %u connections", task->n_fds);
    unsigned entries = task->n_fds < 64 ? 64 : task->n_fds < 4096 ? task->n_fds : 4096;
    if (ring_make(&state->ring, false, entries, err) != 0)
        return -1;
    state->made = true;
    return buffer_ring_make(&state->buffers, &state->ring,
                            (size_t)task->params->value[KNOB_BLOCK_SIZE], err);
}

static void arm(struct state *state, const struct drain *drain, unsigned i)
{
    if (state->armed[i] || !drain_wants(drain, i))
        return;
    struct io_uring_sqe *sqe = ring_get_sqe(&state->ring, &drain->tally->calls);
    if (sqe == NULL)
        return;
    io_uring_prep_recv_multishot(sqe, drain->task->fds[i], NULL, 0,
                                 drain->task->datagrams ? MSG_TRUNC : 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = BUFFER_GROUP;
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
    const void *bytes = buffer_ring_at(&state->buffers, held ? buffer : 0);
    if ((drain_wants(drain, i) || got > 0) &&
        drain_arrived(drain, i, bytes, state->buffers.size, got) == DRAIN_FAILED)
        status = -1;
    if (held)
        buffer_ring_give_back(&state->buffers, buffer);
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
        int status = ring_enter(&state->ring);
        if (status < 0)
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
    buffer_ring_free(&state->buffers);
    free(state->armed);
}

#endif

const struct strategy strategy_stream_io_uring_multishot = {
    .name = "io_uring-multishot",
    .summary = "io_uring: one request that goes on receiving, into provided buffers",
    .family = FAMILY_STREAM,
    .groups = GROUP_ASYNC,
    .needs = NEED_SOCKET,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .probe = multishot_probe,
#ifdef HAVE_MULTISHOT
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
