/* epoll(7), edge-triggered: what is left unread is not told again. */
#include "config.h"

#include "strategy/events/epoll_events.h"

#ifdef HAVE_SYS_EPOLL_H
static int setup(void *state, const struct task *task, struct err *err)
{
    return epoll_events_setup(state, task, EPOLLET, err);
}

static inline int on_event(struct epoll_events *state, struct serve *serve, unsigned handle)
{
    (void)state;
    return serve_edge(serve, handle);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_events_pass(state, task, tally, err, on_event);
}
#endif

const struct strategy strategy_events_epoll_et = {
    .name = "epoll-et",
    .summary = "epoll_wait(2), edge-triggered: each event means reading until EAGAIN",
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
