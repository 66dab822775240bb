/* epoll(7) with EPOLLEXCLUSIVE: every thread watches all handles, and not all are woken. */
#include "config.h"

#include "strategy/events/epoll_events.h"

#if defined HAVE_SYS_EPOLL_H && defined EPOLLEXCLUSIVE
static int setup(void *state, const struct task *task, struct err *err)
{
    return epoll_events_setup(state, task, EPOLLEXCLUSIVE, err);
}

static inline int on_event(struct epoll_events *state, struct serve *serve, unsigned handle)
{
    (void)state;
    return serve_event(serve, handle);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_events_pass(state, task, tally, err, on_event);
}

#define USABLE 1
#endif

static int probe(struct err *err)
{
#ifdef USABLE
    return epoll_events_probe(err);
#else
    return err_set(err, 0, "this system has no such epoll");
#endif
}

const struct strategy strategy_events_epoll_exclusive = {
    .name = "epoll-exclusive",
    .summary = "an epoll instance a thread over all handles, with EPOLLEXCLUSIVE: one is woken",
    .family = FAMILY_EVENTS,
    .groups = GROUP_EVENTS,
    .needs = NEED_THREADS,
    .knobs = KNOB_BIT(KNOB_MAX_EVENTS),
    .times_calls = true,
    .probe = probe,
#ifdef USABLE
    .state_size = sizeof(struct epoll_events),
    .setup = setup,
    .pass = pass,
    .teardown = epoll_events_teardown,
#endif
};
