/* epoll(7) with EPOLLONESHOT: one thread at a time has a handle. */
#include "config.h"

#include "strategy/events/epoll_events.h"

#ifdef HAVE_SYS_EPOLL_H
static int setup(void *state, const struct task *task, struct err *err)
{
    return epoll_events_setup(state, task, EPOLLONESHOT, err);
}

/* Reads, then asks for the next event of the handle. */
static inline int on_event(struct epoll_events *state, struct serve *serve, unsigned handle)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = handle};
    if (serve_event(serve, handle) != 0)
        return -1;
    serve->tally->calls++;
    if (epoll_ctl(state->fd, EPOLL_CTL_MOD, serve->task->fds[handle], &event) == 0)
        return 0;
    return err_set(serve->err, errno, "cannot watch handle %u again", handle + 1);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_events_pass(state, task, tally, err, on_event);
}
#endif

const struct strategy strategy_events_epoll_oneshot = {
    .name = "epoll-oneshot",
    .summary = "epoll_wait(2) with EPOLLONESHOT: each handle is armed again after its read",
    .family = FAMILY_EVENTS,
    .groups = GROUP_EVENTS,
    .knobs = KNOB_BIT(KNOB_MAX_EVENTS) | KNOB_BIT(KNOB_SHARE),
    .times_calls = true,
    .probe = epoll_events_probe,
#ifdef HAVE_SYS_EPOLL_H
    .state_size = sizeof(struct epoll_events),
    .setup = setup,
    .pass = pass,
    .teardown = epoll_events_teardown,
#endif
};
