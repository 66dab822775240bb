/* io_uring: each connection has one request on its way, to receive or to send, and those of all
 * connections are handed over together. */
#include "config.h"

#include "strategy/service/uring_service.h"

#include <stdlib.h>

static int probe(struct err *err)
{
#ifdef HAVE_LIBURING
    return ring_probe(false, IORING_OP_ACCEPT, "accept", err);
#else
    return ring_probe(false, 0, "accept", err);
#endif
}

#ifdef HAVE_LIBURING
struct connection {
    struct served served;
    size_t sending; /* bytes; 0: it is receiving */
    unsigned char buffer[ANSWER_BUFFER];
};

static int receive(struct uring_service *state, struct served *served)
{
    struct connection *c = (struct connection *)served;
    struct io_uring_sqe *sqe = uring_service_sqe(state);
    if (sqe == NULL)
        return -1;
    c->sending = 0;
    io_uring_prep_recv(sqe, served->fd, c->buffer, sizeof c->buffer, 0);
    io_uring_sqe_set_data(sqe, served);
    return 0;
}

/* The next request: to send what is owed, or to receive. */
static int go_on(struct uring_service *state, struct served *served)
{
    struct connection *c = (struct connection *)served;
    const unsigned char *bytes;
    size_t n = answer_next(&state->service.answers, &served->answer, &bytes);
    if (n == 0 && service_is_said(served)) {
        service_close(&state->service, served, false);
        return 0;
    }
    if (n == 0)
        return receive(state, served);
    c->sending = n;
    return uring_service_send(state, served, bytes, n, 0);
}

static int on_done(struct uring_service *state, struct served *served,
                   const struct io_uring_cqe *cqe)
{
    struct connection *c = (struct connection *)served;
    struct service *service = &state->service;
    bool received = c->sending == 0;
    if (cqe->res == -EINTR || cqe->res == -EAGAIN)
        return go_on(state, served);
    if (cqe->res < 0 || (received && cqe->res == 0)) {
        service_close(service, served, cqe->res < 0);
        return 0;
    }
    size_t n = (size_t)cqe->res;
    if (received) {
        service->tally->bytes += n;
        answer_take(&service->answers, &served->answer, c->buffer, n);
    } else {
        service->tally->short_calls += n < c->sending;
        answer_sent(&service->answers, &served->answer, n);
    }
    return go_on(state, served);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    return uring_service_setup(opaque, task, sizeof(struct connection), false, err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    return uring_service_pass(opaque, task, tally, err, receive, on_done);
}

static void teardown(void *opaque)
{
    uring_service_teardown(opaque, NULL);
}
#endif

const struct strategy strategy_service_io_uring = {
    .name = "io_uring",
    .summary = "io_uring: one request at a time a connection, all of them handed over together",
    .caveat = "Each connection has a buffer of 16 KiB, of which it holds what was written.",
    .family = FAMILY_SERVICE,
    .groups = GROUP_ASYNC,
    .probe = probe,
#ifdef HAVE_LIBURING
    .state_size = sizeof(struct uring_service),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
