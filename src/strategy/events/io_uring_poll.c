/* io_uring: a one-shot poll on every handle. */
#include "config.h"

#include "strategy/events/uring_poll.h"

static int setup(void *state, const struct task *task, struct err *err)
{
    return uring_poll_setup(state, false, task, err);
}

const struct strategy strategy_events_io_uring_poll = {
    .name = "io_uring-poll",
    .summary = "io_uring: a one-shot poll on every handle, armed again after its read",
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
