/* What it costs to change what an epoll instance watches, as re-arming a one-shot does. */
#include "config.h"

#include "strategy/events/ctl_epoll.h"

#ifdef HAVE_SYS_EPOLL_H
static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct ctl_epoll *state = opaque;
    if (ctl_epoll_setup(state, err) != 0)
        return -1;
    for (unsigned i = 0; i < task->n_fds; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        if (epoll_ctl(state->fd, EPOLL_CTL_ADD, task->fds[i], &event) != 0)
            return err_set(err, errno, "cannot watch handle %u", i + 1);
    }
    return 0;
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve))
        for (unsigned i = 0; i < task->n_fds && !serve_is_done(&serve); i++)
            if (ctl_epoll_do(state, &serve, EPOLL_CTL_MOD, i) != 0)
                return -1;
    return 0;
}
#endif

const struct strategy strategy_events_ctl_epoll_mod = {
    .name = "ctl-epoll-mod",
    .summary = "epoll_ctl(2): change a handle that is watched, as re-arming a one-shot does",
    .family = FAMILY_EVENTS,
    .groups = GROUP_CONTROL,
    .needs = NEED_ONE_THREAD,
    .probe = epoll_events_probe,
#ifdef HAVE_SYS_EPOLL_H
    .state_size = sizeof(struct ctl_epoll),
    .setup = setup,
    .pass = pass,
    .teardown = ctl_epoll_teardown,
#endif
};
