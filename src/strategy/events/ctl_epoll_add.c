/* What it costs to add a handle to an epoll instance, and to remove it. */
#include "config.h"

#include "strategy/events/ctl_epoll.h"

#ifdef HAVE_SYS_EPOLL_H
static int setup(void *state, const struct task *task, struct err *err)
{
    (void)task;
    return ctl_epoll_setup(state, err);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve))
        for (unsigned i = 0; i < task->n_fds && !serve_is_done(&serve); i++)
            if (ctl_epoll_do(state, &serve, EPOLL_CTL_ADD, i) != 0 ||
                ctl_epoll_do(state, &serve, EPOLL_CTL_DEL, i) != 0)
                return -1;
    return 0;
}
#endif

const struct strategy strategy_events_ctl_epoll_add = {
    .name = "ctl-epoll-add",
    .summary = "epoll_ctl(2): add a handle and remove it again; both count",
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
