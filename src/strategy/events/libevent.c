/* libevent over the back end that it prefers. */
#include "config.h"

#include "strategy/events/libevent_events.h"

static int setup(void *state, const struct task *task, struct err *err)
{
    return libevent_events_setup(state, task, NULL, err);
}

const struct strategy strategy_events_libevent = {
    .name = "libevent",
    .summary = "libevent with the back end that it prefers (epoll on Linux)",
    .family = FAMILY_EVENTS,
    .groups = GROUP_EVENTS,
    .needs = NEED_ONE_THREAD,
    .times_calls = true,
    .state_size = sizeof(struct libevent_events),
    .setup = setup,
    .pass = libevent_events_pass,
    .teardown = libevent_events_teardown,
};
