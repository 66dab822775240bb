/* What it costs to add a handle to an epoll instance, and to remove it. */
#include "config.h"

#include "strategy/events/serve.h"

#ifdef HAVE_SYS_EPOLL_H
#include <sys/epoll.h>

struct state {
    int fd; /* 0: not made */
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "cannot make an epoll instance");
    state->fd = fd;
    (void)task;
    return 0;
}

static int control(const struct state *state, struct serve *serve, int what, unsigned i)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    serve->tally->calls++;
    if (epoll_ctl(state->fd, what, serve->task->fds[i], &event) != 0)
        return err_set(serve->err, errno, "cannot watch handle %u", i + 1);
    serve_counted(serve);
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve))
        for (unsigned i = 0; i < task->n_fds && !serve_is_done(&serve); i++)
            if (control(opaque, &serve, EPOLL_CTL_ADD, i) != 0 ||
                control(opaque, &serve, EPOLL_CTL_DEL, i) != 0)
                return -1;
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    if (state->fd > 0)
        close(state->fd);
}
#endif

static int probe(struct err *err)
{
#ifdef HAVE_SYS_EPOLL_H
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this system has no epoll");
#endif
}

const struct strategy strategy_events_ctl_epoll_add = {
    .name = "ctl-epoll-add",
    .summary = "epoll_ctl(2): add a handle and remove it again; both count",
    .family = FAMILY_EVENTS,
    .groups = GROUP_CONTROL,
    .needs = NEED_ONE_THREAD,
    .probe = probe,
#ifdef HAVE_SYS_EPOLL_H
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
