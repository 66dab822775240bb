/* What the two that measure epoll_ctl(2) share: an instance, and an operation on it that counts. */
#ifndef IOBENCH_STRATEGY_EVENTS_CTL_EPOLL_H
#define IOBENCH_STRATEGY_EVENTS_CTL_EPOLL_H

#include "strategy/events/epoll_events.h"

#ifdef HAVE_SYS_EPOLL_H
struct ctl_epoll {
    int fd; /* 0: not made */
};

static inline int ctl_epoll_setup(struct ctl_epoll *state, struct err *err)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "cannot make an epoll instance");
    state->fd = fd;
    return 0;
}

static inline int ctl_epoll_do(const struct ctl_epoll *state, struct serve *serve, int what,
                               unsigned i)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    serve->tally->calls++;
    if (epoll_ctl(state->fd, what, serve->task->fds[i], &event) != 0)
        return err_set(serve->err, errno, "cannot watch handle %u", i + 1);
    serve_counted(serve);
    return 0;
}

static inline void ctl_epoll_teardown(void *opaque)
{
    struct ctl_epoll *state = opaque;
    if (state->fd > 0)
        close(state->fd);
}
#endif

#endif
