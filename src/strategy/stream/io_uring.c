/* io_uring: a receive under way on every connection, all asked for and collected by one call. */
#include "config.h"

#include "base/buffer.h"
#include "strategy/ring.h"
#include "strategy/stream/drain.h"

#include <stdlib.h>
#include <string.h>

static int probe(struct err *err)
{
#ifdef HAVE_LIBURING
    return ring_probe(false, IORING_OP_RECV, "receive", err);
#else
    return ring_probe(false, 0, "receive", err);
#endif
}

#ifdef HAVE_LIBURING
struct request {
    unsigned char *bytes;
    size_t want; /* 0: none is under way */
};

struct state {
    struct io_uring ring;
    bool made;
    unsigned char *bytes;
    size_t size;
    struct request *requests; /* one a connection */
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    state->requests = calloc(task->n_fds, sizeof *state->requests);
    if (state->requests == NULL)
        return err_set(err, errno, "cannot get room for %u requests", task->n_fds);
    state->bytes = buffer_make(task->n_fds, state->size, err);
    if (state->bytes == NULL)
        return -1;
    for (unsigned i = 0; i < task->n_fds; i++)
        state->requests[i].bytes = state->bytes + i * state->size;
    if (ring_make(&state->ring, false, task->n_fds < 4096 ? task->n_fds : 4096, err) != 0)
        return -1;
    state->made = true;
    return 0;
}

static void ask(struct state *state, const struct drain *drain, unsigned i)
{
    const struct task *task = drain->task;
    struct request *r = &state->requests[i];
    if (r->want > 0 || !drain_wants(drain, i))
        return;
    struct io_uring_sqe *sqe = ring_get_sqe(&state->ring, &drain->tally->calls);
    if (sqe == NULL)
        return;
    r->want = drain_room(drain, i, state->size);
    if (task->pipes)
        io_uring_prep_read(sqe, task->fds[i], r->bytes, (unsigned)r->want, 0);
    else
        io_uring_prep_recv(sqe, task->fds[i], r->bytes, r->want, task->datagrams ? MSG_TRUNC : 0);
    io_uring_sqe_set_data64(sqe, i);
}

static int collect(struct state *state, struct drain *drain)
{
    struct io_uring_cqe *cqe;
    unsigned head, n = 0;
    int status = 0;
    io_uring_for_each_cqe(&state->ring, head, cqe)
    {
        unsigned i = (unsigned)cqe->user_data;
        struct request *r = &state->requests[i];
        ssize_t got = cqe->res;
        if (got < 0) {
            errno = -cqe->res;
            got = -1;
        }
        enum drain_event event = drain_arrived(drain, i, r->bytes, r->want, got);
        r->want = 0;
        n++;
        if (event == DRAIN_FAILED)
            status = -1;
        else
            ask(state, drain, i);
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
        ask(state, &drain, i);
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
    free(state->requests);
    free(state->bytes);
}
#endif

const struct strategy strategy_stream_io_uring = {
    .name = "io_uring",
    .summary = "io_uring: a receive under way on every connection",
    .family = FAMILY_STREAM,
    .groups = GROUP_ASYNC,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .probe = probe,
#ifdef HAVE_LIBURING
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
