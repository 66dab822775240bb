/* Non-blocking reads of all handles: most of them in vain. */
#include "config.h"

#include "strategy/events/serve.h"

static int setup(void *state, const struct task *task, struct err *err)
{
    (void)state;
    return serve_unblock(task, err);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    (void)state;
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve))
        for (unsigned i = 0; i < task->n_fds && !serve_is_done(&serve); i++)
            if (serve_read(&serve, i) == SERVED_FAILED)
                return -1;
    return 0;
}

const struct strategy strategy_events_none_scan = {
    .name = "none-scan",
    .summary = "no waiting call: non-blocking reads of all handles, again and again",
    .family = FAMILY_EVENTS,
    .needs = NEED_ONE_THREAD,
    .times_calls = true,
    .setup = setup,
    .pass = pass,
};
