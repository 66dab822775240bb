/* poll(2), then one call on each connection that is ready. */
#include "config.h"

#include "strategy/stream/drain.h"

#include <poll.h>
#include <stdlib.h>

struct state {
    struct drain_buffer buffer;
    struct pollfd *watched;
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->watched = calloc(task->n_fds, sizeof *state->watched);
    if (state->watched == NULL)
        return err_set(err, errno, "cannot watch %u connections", task->n_fds);
    return drain_unblock(task, err) == 0 ? drain_buffer_setup(&state->buffer, task, err) : -1;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct drain drain;
    drain_start(&drain, task, tally, err);
    for (unsigned i = 0; i < task->n_fds; i++) /* poll passes over negative ones */
        state->watched[i] = (struct pollfd){drain_wants(&drain, i) ? task->fds[i] : -1, POLLIN, 0};
    while (drain.left > 0 && drain.open > 0) {
        tally->counter[COUNTER_WAITS]++;
        int ready = poll(state->watched, task->n_fds, -1);
        if (ready < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        for (unsigned i = 0; ready > 0 && i < task->n_fds && drain.left > 0; i++) {
            if (state->watched[i].fd < 0 || state->watched[i].revents == 0)
                continue;
            ready--;
            enum drain_event event = drain_once(&drain, &state->buffer, i);
            if (event == DRAIN_FAILED)
                return -1;
            if (event == DRAIN_LAST)
                state->watched[i].fd = -1;
        }
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    drain_buffer_teardown(&state->buffer);
    free(state->watched);
}

const struct strategy strategy_stream_poll = {
    .name = "poll",
    .summary = "poll(2), then one call on each connection that is ready",
    .family = FAMILY_STREAM,
    .groups = GROUP_EVENTS,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
