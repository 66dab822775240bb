/* io_uring: a poll on every handle that goes on by itself. */
#include "config.h"

#include "strategy/events/uring_poll.h"

static int setup(void *state, const struct task *task, struct err *err)
{
    return uring_poll_setup(state, true, task, err);
}

const struct strategy strategy_events_io_uring_poll_multishot = {
    .name = "io_uring-poll-multishot",
    .summary = "io_uring: a poll on every handle that goes on by itself, edge by edge",
    .family = FAMILY_EVENTS,
    .groups = GROUP_EVENTS | GROUP_ASYNC,
    .needs = NEED_ONE_THREAD,
    .times_calls = true,
    .state_size = sizeof(struct uring_poll),
    .probe = uring_poll_probe,
    .setup = setup,
    .pass = uring_poll_pass,
    .teardown = uring_poll_teardown,
};
