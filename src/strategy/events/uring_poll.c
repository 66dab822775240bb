#include "config.h"

#include "strategy/events/uring_poll.h"

#include <stdlib.h>

#ifdef HAVE_LIBURING
#include <poll.h>

int uring_poll_probe(struct err *err)
{
    return ring_probe(false, IORING_OP_POLL_ADD, "wait for events", err);
}

int uring_poll_setup(struct uring_poll *state, bool multishot, const struct task *task,
                     struct err *err)
{
    state->multishot = multishot;
    state->armed = calloc(task->n_fds, sizeof *state->armed);
    if (state->armed == NULL)
        return err_set(err, errno, "cannot watch %u handles", task->n_fds);
    if (ring_make(&state->ring, false, task->n_fds < 4096 ? task->n_fds : 4096, err) != 0)
        return -1;
    state->made = true;
    return serve_unblock(task, err);
}

static int arm(struct uring_poll *state, struct serve *serve, unsigned i)
{
    struct io_uring_sqe *sqe = ring_get_sqe(&state->ring, &serve->tally->calls);
    if (sqe == NULL)
        return err_set(serve->err, EBUSY, "cannot watch handle %u", i + 1);
    if (state->multishot)
        io_uring_prep_poll_multishot(sqe, serve->task->fds[i], POLLIN);
    else
        io_uring_prep_poll_add(sqe, serve->task->fds[i], POLLIN);
    io_uring_sqe_set_data64(sqe, i);
    state->armed[i] = true;
    return 0;
}

/* A multishot poll tells of edges, as epoll does with EPOLLET: read until nothing is left. */
static int take(struct uring_poll *state, struct serve *serve, const struct io_uring_cqe *cqe)
{
    unsigned i = (unsigned)cqe->user_data;
    if (cqe->res < 0)
        return err_set(serve->err, -cqe->res, "cannot watch handle %u", i + 1);
    if (!(cqe->flags & IORING_CQE_F_MORE))
        state->armed[i] = false;
    if ((state->multishot ? serve_edge(serve, i) : serve_event(serve, i)) != 0)
        return -1;
    return state->armed[i] ? 0 : arm(state, serve, i);
}

static int collect(struct uring_poll *state, struct serve *serve)
{
    struct io_uring_cqe *cqe;
    unsigned head, n = 0;
    int status = 0;
    io_uring_for_each_cqe(&state->ring, head, cqe)
    {
        n++;
        if (take(state, serve, cqe) != 0)
            status = -1;
    }
    io_uring_cq_advance(&state->ring, n);
    serve_waited(serve, (int)n, UINT32_MAX);
    return status;
}

int uring_poll_pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct uring_poll *state = opaque;
    struct serve serve;
    serve_start(&serve, task, tally, err);
    if (ring_wake(&state->ring, err) != 0)
        return -1;
    for (unsigned i = 0; i < task->n_fds; i++)
        if (!state->armed[i] && arm(state, &serve, i) != 0)
            return -1;
    while (!serve_is_done(&serve)) {
        int status = ring_enter(&state->ring);
        if (status < 0)
            return err_set(err, -status, "cannot wait for the io_uring");
        if (collect(state, &serve) != 0)
            return -1;
    }
    return 0;
}

void uring_poll_teardown(void *opaque)
{
    struct uring_poll *state = opaque;
    if (state->made)
        io_uring_queue_exit(&state->ring);
    free(state->armed);
}
#else
int uring_poll_probe(struct err *err)
{
    return ring_probe(false, 0, "wait for events", err);
}

int uring_poll_setup(struct uring_poll *state, bool multishot, const struct task *task,
                     struct err *err)
{
    (void)state, (void)multishot, (void)task;
    return uring_poll_probe(err);
}

int uring_poll_pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    (void)state, (void)task, (void)tally;
    return uring_poll_probe(err);
}

void uring_poll_teardown(void *state)
{
    (void)state;
}
#endif
