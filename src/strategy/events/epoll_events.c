#include "config.h"

#include "strategy/events/epoll_events.h"

#include <stdlib.h>

int epoll_events_probe(struct err *err)
{
#ifdef HAVE_SYS_EPOLL_H
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this system has no epoll");
#endif
}

#ifdef HAVE_SYS_EPOLL_H
static int watch(const struct epoll_events *state, int fd, uint32_t events, uint32_t handle,
                 struct err *err)
{
    struct epoll_event event = {.events = events, .data.u32 = handle};
    if (epoll_ctl(state->fd, EPOLL_CTL_ADD, fd, &event) == 0)
        return 0;
    return err_set(err, errno, "cannot watch handle %u", handle + 1);
}

/* With an instance each, a worker has its own handles; with EPOLLEXCLUSIVE it watches all. */
static bool is_mine(const struct task *task, uint32_t flags, unsigned handle)
{
    bool each = task->params->value[KNOB_SHARE] == SHARE_EACH;
#ifdef EPOLLEXCLUSIVE
    if (flags & EPOLLEXCLUSIVE)
        return true;
#else
    (void)flags;
#endif
    return !each || handle % task->workers == task->worker;
}

static bool shares(const struct task *task, uint32_t flags)
{
#ifdef EPOLLEXCLUSIVE
    if (flags & EPOLLEXCLUSIVE)
        return false;
#else
    (void)flags;
#endif
    return task->worker > 0 && task->params->value[KNOB_SHARE] == SHARE_ONE;
}

int epoll_events_setup(struct epoll_events *state, const struct task *task, uint32_t flags,
                       struct err *err)
{
    state->most = (unsigned)task->params->value[KNOB_MAX_EVENTS];
    state->events = calloc(state->most, sizeof *state->events);
    if (state->events == NULL)
        return err_set(err, errno, "cannot take %u events at a time", state->most);
    if (shares(task, flags)) {
        state->fd = ((const struct epoll_events *)task->first)->fd;
        return 0;
    }
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "cannot make an epoll instance");
    state->fd = fd;
    state->own = true;
    for (unsigned i = 0; i < task->n_fds; i++)
        if (is_mine(task, flags, i) && watch(state, task->fds[i], EPOLLIN | flags, i, err) != 0)
            return -1;
    if (task->stop_fd >= 0 && watch(state, task->stop_fd, EPOLLIN, EPOLL_WAKES, err) != 0)
        return -1;
    return serve_unblock(task, err);
}

void epoll_events_teardown(void *opaque)
{
    struct epoll_events *state = opaque;
    if (state->own)
        close(state->fd);
    free(state->events);
}

int epoll_events_wait(struct epoll_events *state, struct serve *serve)
{
    int n = epoll_wait(state->fd, state->events, (int)state->most, -1);
    if (n < 0 && errno != EINTR)
        return err_set(serve->err, errno, "cannot wait");
    serve_waited(serve, n, state->most);
    return n < 0 ? 0 : n;
}
#endif
