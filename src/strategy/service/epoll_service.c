#include "config.h"

#include "strategy/service/epoll_service.h"

#ifdef HAVE_SYS_EPOLL_H
static int add(int epoll, int fd, uint32_t events, void *data)
{
    struct epoll_event event = {.events = events, .data.ptr = data};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int epoll_service_setup(struct epoll_service *state, const struct task *task, size_t size,
                        uint32_t edge, struct err *err)
{
    if (service_setup(&state->service, task, size, err) != 0)
        return -1;
    /* One of several threads that share a socket is enough for a connection (epoll_ctl(2)). */
    bool shared = task->workers > 1 && task->params->value[KNOB_ACCEPT] == ACCEPT_SHARED;
    state->listening = EPOLLIN | edge | (shared ? EPOLLEXCLUSIVE : 0);
    state->fd = epoll_create1(EPOLL_CLOEXEC);
    if (state->fd < 0 || add(state->fd, task->fds[0], state->listening, &state->listens) != 0 ||
        (task->stop_fd >= 0 && add(state->fd, task->stop_fd, EPOLLIN, &state->wakes) != 0))
        return err_set(err, errno, "cannot watch the listening socket");
    return 0;
}

void epoll_service_teardown(struct epoll_service *state, void (*forget)(struct served *))
{
    service_teardown(&state->service, forget);
    if (state->fd > 0)
        close(state->fd);
}

/* Who still waits is to be told of again, which an edge is not; an exclusive watch cannot be
 * modified. */
static int listen_anew(struct epoll_service *state)
{
    int fd = state->service.task->fds[0];
    state->service.tally->counter[COUNTER_CONTROLS] += 2;
    if (epoll_ctl(state->fd, EPOLL_CTL_DEL, fd, NULL) == 0 &&
        add(state->fd, fd, state->listening, &state->listens) == 0)
        return 0;
    return err_set(state->service.err, errno, "cannot watch the listening socket");
}

int epoll_service_accept(struct epoll_service *state, uint32_t events)
{
    bool again = true;
    while (again) {
        errno = 0;
        struct served *served = service_accept(&state->service, SOCK_NONBLOCK, &again);
        if (served != NULL && epoll_service_watch(state, served, EPOLL_CTL_ADD, events) != 0)
            return -1;
    }
    return state->listening & EPOLLET && errno != EAGAIN ? listen_anew(state) : 0;
}

int epoll_service_watch(struct epoll_service *state, struct served *served, int operation,
                        uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = served};
    state->service.tally->counter[COUNTER_CONTROLS]++;
    if (epoll_ctl(state->fd, operation, served->fd, &event) == 0)
        return 0;
    return err_set(state->service.err, errno, "cannot watch a connection");
}

int epoll_service_wait(struct epoll_service *state)
{
    struct service *service = &state->service;
    int n = epoll_wait(state->fd, state->events, EPOLL_SERVICE_BATCH, -1);
    service->tally->counter[COUNTER_WAITS]++;
    if (n < 0 && errno != EINTR)
        return err_set(service->err, errno, "cannot wait");
    service->tally->counter[COUNTER_EVENTS] += n > 0 ? (unsigned)n : 0;
    return n > 0 ? n : 0;
}
#endif

int epoll_service_probe(struct err *err)
{
#ifdef HAVE_SYS_EPOLL_H
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this system has no epoll");
#endif
}
