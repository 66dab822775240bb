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

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct epoll_state *state = opaque;
    struct epoll_event events[EPOLL_BATCH];
    struct drain drain;
    drain_start(&drain, task, tally, err);
    if (epoll_watch(state, &drain, EPOLLET) != 0) /* tells at once what is there already */
        return -1;
    while (drain.left > 0 && drain.open > 0) {
        tally->counter[COUNTER_WAITS]++;
        int n = epoll_wait(state->fd, events, EPOLL_BATCH, -1);
        if (n < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        for (int e = 0; e < n && drain.left > 0; e++)
            if (exhaust(state, &drain, events[e].data.u32) != 0)
                return -1;
    }
    epoll_forget_all(state, task);
    return 0;
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
