/* select(2): as poll, for descriptors whose number is below FD_SETSIZE. */
#include "config.h"

#include "strategy/events/serve.h"

#include <sys/select.h>

static int setup(void *state, const struct task *task, struct err *err)
{
    (void)state;
    return serve_fits_select(task, err) == 0 ? serve_unblock(task, err) : -1;
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    (void)state;
    struct serve serve;
    fd_set all;
    int highest = -1;
    serve_start(&serve, task, tally, err);
    FD_ZERO(&all);
    for (unsigned i = 0; i < task->n_fds; i++) {
        FD_SET(task->fds[i], &all);
        highest = task->fds[i] > highest ? task->fds[i] : highest;
    }
    while (!serve_is_done(&serve)) {
        fd_set ready = all;
        int n = select(highest + 1, &ready, NULL, NULL, NULL);
        if (n < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        serve_waited(&serve, n, UINT32_MAX);
        for (unsigned i = 0; n > 0 && i < task->n_fds; i++) {
            if (!FD_ISSET(task->fds[i], &ready))
                continue;
            n--;
            if (serve_event(&serve, i) != 0)
                return -1;
        }
    }
    return 0;
}

const struct strategy strategy_events_select = {
    .name = "select",
    .summary = "select(2): descriptors below 1024 only",
    .family = FAMILY_EVENTS,
    .groups = GROUP_EVENTS,
    .needs = NEED_ONE_THREAD,
    .times_calls = true,
    .setup = setup,
    .pass = pass,
};
