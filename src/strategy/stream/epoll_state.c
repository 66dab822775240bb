#include "config.h"

#include "strategy/stream/epoll.h"

int epoll_probe(struct err *err)
{
#ifdef HAVE_SYS_EPOLL_H
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this system has no epoll");
#endif
}

#ifdef HAVE_SYS_EPOLL_H
int epoll_setup(void *opaque, const struct task *task, struct err *err)
{
    struct epoll_state *state = opaque;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "cannot make an epoll instance");
    state->fd = fd;
    return drain_unblock(task, err) == 0 ? drain_buffer_setup(&state->buffer, task, err) : -1;
}

void epoll_teardown(void *opaque)
{
    struct epoll_state *state = opaque;
    if (state->fd > 0)
        close(state->fd);
    drain_buffer_teardown(&state->buffer);
}

int epoll_watch(const struct epoll_state *state, const struct drain *drain, uint32_t events)
{
    for (unsigned i = 0; i < drain->task->n_fds; i++) {
        struct epoll_event event = {.events = EPOLLIN | events, .data.u32 = i};
        if (drain_wants(drain, i) &&
            epoll_ctl(state->fd, EPOLL_CTL_ADD, drain->task->fds[i], &event) != 0)
            return err_set(drain->err, errno, "cannot watch connection %u", i + 1);
    }
    return 0;
}

void epoll_forget(const struct epoll_state *state, const struct task *task, unsigned i)
{
    epoll_ctl(state->fd, EPOLL_CTL_DEL, task->fds[i], NULL);
}

void epoll_forget_all(const struct epoll_state *state, const struct task *task)
{
    for (unsigned i = 0; i < task->n_fds; i++)
        if (task->left[i] > 0)
            epoll_forget(state, task, i);
}
#else
int epoll_setup(void *state, const struct task *task, struct err *err)
{
    (void)state, (void)task;
    return epoll_probe(err);
}

void epoll_teardown(void *state)
{
    (void)state;
}
#endif
