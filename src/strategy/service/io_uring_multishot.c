/* io_uring with requests that go on by themselves: one accepts all connections, one a connection
 * receives into buffers that the kernel takes from a ring. Only sends are asked for one by one. */
#include "config.h"

#include "strategy/multishot.h"
#include "strategy/service/backlog.h"
#include "strategy/service/uring_service.h"

#ifdef HAVE_MULTISHOT

enum {
    MOST_WAITING = 64 * 1024, /* of what came while a send was on its way */
    SEND_TAG = 1              /* added to the address of a connection: the request is its send */
};

struct state {
    struct uring_service uring;
    struct buffer_ring buffers;
};

struct connection {
    struct served served;
    struct backlog backlog;
    size_t sending;            /* bytes; 0: there is no such request */
    bool receives, called_off; /* there is such a request; it is to end */
    bool ended, broken;        /* nothing more comes; because of an error */
};

static void forget(struct served *served)
{
    backlog_free(&((struct connection *)served)->backlog);
}

static int receive(struct uring_service *state, struct served *served)
{
    struct connection *c = (struct connection *)served;
    struct io_uring_sqe *sqe = uring_service_sqe(state);
    if (sqe == NULL)
        return -1;
    c->receives = true;
    c->called_off = false;
    io_uring_prep_recv_multishot(sqe, served->fd, NULL, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = BUFFER_GROUP;
    io_uring_sqe_set_data(sqe, served);
    return 0;
}

/* Requests may come no faster than their answers are taken. */
static int call_off(struct uring_service *state, struct connection *c)
{
    if (c->backlog.waiting.n < MOST_WAITING || !c->receives || c->called_off)
        return 0;
    struct io_uring_sqe *sqe = uring_service_sqe(state);
    if (sqe == NULL)
        return -1;
    c->called_off = true;
    io_uring_prep_cancel64(sqe, (uintptr_t)&c->served, 0);
    io_uring_sqe_set_data(sqe, &state->ignored_tag);
    return 0;
}

static int go_on(struct uring_service *state, struct connection *c)
{
    const struct answers *answers = &state->service.answers;
    struct served *served = &c->served;
    const unsigned char *bytes;
    if (c->sending > 0)
        return call_off(state, c);
    while (!c->broken && (c->sending = answer_next(answers, &served->answer, &bytes)) == 0 &&
           c->backlog.waiting.n > 0) {
        backlog_next(&c->backlog);
        answer_take(answers, &served->answer, c->backlog.now.at, c->backlog.now.n);
    }
    if (c->sending > 0)
        return uring_service_send(state, served, bytes, c->sending, SEND_TAG);
    c->ended |= c->broken || service_is_said(served);
    if (!c->ended)
        return c->receives ? 0 : receive(state, served);
    if (c->receives)
        return shutdown(served->fd, SHUT_RDWR), 0; /* which ends the request */
    forget(served);
    service_close(&state->service, served, c->broken);
    return 0;
}

static int on_done(struct uring_service *state, struct served *tagged,
                   const struct io_uring_cqe *cqe)
{
    bool sent = (uintptr_t)tagged & SEND_TAG;
    struct connection *c = (struct connection *)(void *)((unsigned char *)tagged - sent);
    struct buffer_ring *buffers = &((struct state *)state)->buffers;
    struct tally *tally = state->service.tally;
    size_t n = cqe->res > 0 ? (size_t)cqe->res : 0;
    if (sent) {
        tally->short_calls += n > 0 && n < c->sending;
        c->sending = 0;
        answer_sent(&state->service.answers, &c->served.answer, n);
    } else {
        tally->bytes += n;
        c->receives = cqe->flags & IORING_CQE_F_MORE;
        c->ended |= cqe->res == 0;
        tally->counter[COUNTER_NO_BUFFER] += cqe->res == -ENOBUFS;
    }
    if (cqe->flags & IORING_CQE_F_BUFFER) {
        unsigned buffer = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
        c->broken |= !backlog_add(&c->backlog, buffer_ring_at(buffers, buffer), n);
        buffer_ring_give_back(buffers, buffer);
    }
    if (cqe->res < 0 && cqe->res != -ENOBUFS && cqe->res != -ECANCELED && cqe->res != -EINTR)
        c->broken = true;
    return go_on(state, c);
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    if (uring_service_setup(&state->uring, task, sizeof(struct connection), true, err) != 0)
        return -1;
    return buffer_ring_make(&state->buffers, &state->uring.ring, ANSWER_BUFFER, err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    return uring_service_pass(opaque, task, tally, err, receive, on_done);
}

static void teardown(void *state)
{
    uring_service_teardown(state, forget);
    buffer_ring_free(&((struct state *)state)->buffers);
}
#endif

const struct strategy strategy_service_io_uring_multishot = {
    .name = "io_uring-multishot",
    .summary = "io_uring: requests that go on accepting and receiving, into provided buffers",
    .caveat =
        "What is said back is copied first, so that a slow reader keeps no buffer from others.",
    .family = FAMILY_SERVICE,
    .groups = GROUP_ASYNC,
    .probe = multishot_probe,
#ifdef HAVE_MULTISHOT
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
