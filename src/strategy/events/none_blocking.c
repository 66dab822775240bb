/* Blocking reads in turn, as a program without events would do them: it waits on one handle while
 * others have something. */
#include "config.h"

#include "strategy/events/serve.h"

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

const struct strategy strategy_events_none_blocking = {
    .name = "none-blocking",
    .summary = "no waiting call: blocking reads, one handle after the other",
    .family = FAMILY_EVENTS,
    .needs = NEED_ONE_THREAD,
    .times_calls = true,
    .pass = pass,
};
