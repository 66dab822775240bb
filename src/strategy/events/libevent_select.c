/* libevent over select(2). It would give it as large a set as it needs, but where it was built with
 * checks (_FORTIFY_SOURCE) the C library ends the program at the first high descriptor. */
#include "config.h"

#include "strategy/events/libevent_events.h"

static int setup(void *state, const struct task *task, struct err *err)
{
    return serve_fits_select(task, err) == 0 ? libevent_events_setup(state, task, "select", err)
                                             : -1;
}

const struct strategy strategy_events_libevent_select = {
    .name = "libevent-select",
    .summary = "libevent over its select back end: descriptors below 1024 only",
    .family = FAMILY_EVENTS,
    .groups = GROUP_EVENTS,
    .needs = NEED_ONE_THREAD,
    .times_calls = true,
    .state_size = sizeof(struct libevent_events),
    .setup = setup,
    .pass = libevent_events_pass,
    .teardown = libevent_events_teardown,
};
