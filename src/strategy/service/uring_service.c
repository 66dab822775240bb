#include "config.h"

#include "strategy/service/uring_service.h"

#ifdef HAVE_LIBURING
#include <poll.h>

int uring_service_setup(struct uring_service *state, const struct task *task, size_t size,
                        bool multishot, struct err *err)
{
    state->multishot = multishot;
    if (service_setup(&state->service, task, size, err) != 0 ||
        ring_make(&state->ring, false, URING_SERVICE_ENTRIES, err) != 0)
        return -1;
    state->made = true;
    return 0;
}

void uring_service_teardown(struct uring_service *state, void (*forget)(struct served *))
{
    if (state->made)
        io_uring_queue_exit(&state->ring);
    service_teardown(&state->service, forget);
}

struct io_uring_sqe *uring_service_sqe(struct uring_service *state)
{
    struct io_uring_sqe *sqe = ring_get_sqe(&state->ring, &state->service.tally->calls);
    if (sqe == NULL)
        err_set(state->service.err, EBUSY, "the io_uring takes no more requests");
    return sqe;
}

int uring_service_send(struct uring_service *state, struct served *served,
                       const unsigned char *bytes, size_t n, unsigned tag)
{
    struct io_uring_sqe *sqe = uring_service_sqe(state);
    if (sqe == NULL)
        return -1;
    io_uring_prep_send(sqe, served->fd, bytes, n, MSG_NOSIGNAL);
    io_uring_sqe_set_data64(sqe, (uintptr_t)served + tag);
    return 0;
}

/* Until it becomes readable. */
static int watch(struct uring_service *state, int fd, char *tag, bool *armed)
{
    if (*armed)
        return 0;
    struct io_uring_sqe *sqe = uring_service_sqe(state);
    if (sqe == NULL)
        return -1;
    io_uring_prep_poll_add(sqe, fd, POLLIN);
    io_uring_sqe_set_data(sqe, tag);
    *armed = true;
    return 0;
}

static int accept_next(struct uring_service *state)
{
    if (state->accepts || state->waits)
        return 0;
    int fd = state->service.task->fds[0];
    struct io_uring_sqe *sqe = uring_service_sqe(state);
    if (sqe == NULL)
        return -1;
#ifdef IORING_ACCEPT_MULTISHOT
    if (state->multishot)
        io_uring_prep_multishot_accept(sqe, fd, NULL, NULL, SOCK_CLOEXEC);
    else
#endif
        io_uring_prep_accept(sqe, fd, NULL, NULL, SOCK_CLOEXEC);
    io_uring_sqe_set_data(sqe, &state->accept_tag);
    state->accepts = true;
    return 0;
}

static int on_accepted(struct uring_service *state, const struct io_uring_cqe *cqe,
                       int (*on_connection)(struct uring_service *, struct served *))
{
    if (!(cqe->flags & IORING_CQE_F_MORE))
        state->accepts = false;
    /* Without a descriptor it fails at once, with nobody there; on some kernels also because the
     * socket does not block. */
    if (cqe->res < 0)
        return watch(state, state->service.task->fds[0], &state->wait_tag, &state->waits);
    struct served *served = service_adopt(&state->service, cqe->res);
    return served != NULL ? on_connection(state, served) : 0;
}

/* Somebody waits whom the ring did not accept. */
static int accept_by_hand(struct uring_service *state,
                          int (*on_connection)(struct uring_service *, struct served *))
{
    state->waits = false;
    for (bool again = true; again;) {
        struct served *served = service_accept(&state->service, 0, &again);
        if (served != NULL && on_connection(state, served) != 0)
            return -1;
    }
    return 0;
}

static int take(struct uring_service *state, const struct io_uring_cqe *cqe,
                int (*on_connection)(struct uring_service *, struct served *),
                int (*on_done)(struct uring_service *, struct served *,
                               const struct io_uring_cqe *))
{
    void *data = io_uring_cqe_get_data(cqe);
    if (data == &state->accept_tag)
        return on_accepted(state, cqe, on_connection);
    if (data == &state->wait_tag)
        return accept_by_hand(state, on_connection);
    if (data == &state->wake_tag)
        state->wakes = false;
    else if (data != &state->ignored_tag)
        return on_done(state, data, cqe);
    return 0;
}

int uring_service_pass(struct uring_service *state, const struct task *task, struct tally *tally,
                       struct err *err,
                       int (*on_connection)(struct uring_service *, struct served *),
                       int (*on_done)(struct uring_service *, struct served *,
                                      const struct io_uring_cqe *))
{
    service_begin(&state->service, task, tally, err);
    if (ring_wake(&state->ring, err) != 0)
        return -1;
    while (!service_is_over(&state->service)) {
        if (accept_next(state) != 0 ||
            (task->stop_fd >= 0 &&
             watch(state, task->stop_fd, &state->wake_tag, &state->wakes) != 0))
            return -1;
        tally->calls++;
        int entered = ring_enter(&state->ring), status = 0;
        if (entered < 0)
            return err_set(err, -entered, "cannot wait for the io_uring");
        struct io_uring_cqe *cqe;
        unsigned head, n = 0;
        io_uring_for_each_cqe(&state->ring, head, cqe)
        {
            status |= take(state, cqe, on_connection, on_done);
            n++;
        }
        io_uring_cq_advance(&state->ring, n);
        tally->counter[COUNTER_EVENTS] += n;
        if (status != 0)
            return -1;
    }
    return 0;
}
#endif
