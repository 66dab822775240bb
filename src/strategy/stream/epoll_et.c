/* epoll(7), edge-triggered: each event means reading until nothing is left. */
#include "config.h"

#include "strategy/stream/epoll.h"

#ifdef HAVE_SYS_EPOLL_H
/* Until the connection has no more now; DRAIN_LAST when it never will. */
static int exhaust(const struct epoll_state *state, struct drain *drain, unsigned i)
{
    enum drain_event event = DRAIN_BYTES;
    while (event == DRAIN_BYTES && drain->left > 0)
        event = drain_once(drain, &state->buffer, i);
    if (event == DRAIN_LAST)
        epoll_forget(state, drain->task, i);
    return event == DRAIN_FAILED ? -1 : 0;
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return epoll_pass(state, task, tally, err, EPOLLET, exhaust);
}
#endif

const struct strategy strategy_stream_epoll_et = {
    .name = "epoll-et",
    .summary = "epoll_wait(2), edge-triggered: each event means reading until EAGAIN",
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
