/* epoll(7), level-triggered: one call on each connection that is ready. */
#include "config.h"

#include "strategy/stream/epoll.h"

#ifdef HAVE_SYS_EPOLL_H
static int serve(const struct epoll_state *state, struct drain *drain, unsigned i)
{
    enum drain_event event = drain_once(drain, &state->buffer, i);
    if (event == DRAIN_LAST)
        epoll_forget(state, drain->task, i);
    return event == DRAIN_FAILED ? -1 : 0;
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_pass(state, task, tally, err, 0, serve);
}
#endif

const struct strategy strategy_stream_epoll = {
    .name = "epoll",
    .summary = "epoll_wait(2), level-triggered, then one call on each connection that is ready",
    .family = FAMILY_STREAM,
    .groups = GROUP_EVENTS,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct epoll_state),
    .probe = epoll_probe,
    .setup = epoll_setup,
#ifdef HAVE_SYS_EPOLL_H
    .pass = pass,
#endif
    .teardown = epoll_teardown,
};
