/* poll(2): the whole list goes to the kernel each time. */
#include "config.h"

#include "strategy/events/serve.h"

#include <poll.h>
#include <stdlib.h>

struct state {
    struct pollfd *watched;
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->watched = calloc(task->n_fds, sizeof *state->watched);
    if (state->watched == NULL)
        return err_set(err, errno, "cannot watch %u handles", task->n_fds);
    for (unsigned i = 0; i < task->n_fds; i++)
        state->watched[i] = (struct pollfd){task->fds[i], POLLIN, 0};
    return serve_unblock(task, err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve)) {
        int n = poll(state->watched, task->n_fds, -1);
        if (n < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        serve_waited(&serve, n, UINT32_MAX);
        for (unsigned i = 0; n > 0 && i < task->n_fds; i++) {
            if (state->watched[i].revents == 0)
                continue;
            n--;
            if (serve_event(&serve, i) != 0)
                return -1;
        }
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    free(state->watched);
}

const struct strategy strategy_events_poll = {
    .name = "poll",
    .summary = "poll(2): the whole list goes to the kernel each time",
    .family = FAMILY_EVENTS,
    .groups = GROUP_EVENTS,
    .needs = NEED_ONE_THREAD,
    .times_calls = true,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
