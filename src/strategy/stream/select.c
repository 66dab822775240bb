/* select(2): as poll, for descriptors whose number is below FD_SETSIZE. */
#include "config.h"

#include "strategy/stream/drain.h"

#include <sys/select.h>

static int setup(void *state, const struct task *task, struct err *err)
{
    for (unsigned i = 0; i < task->n_fds; i++)
        if (task->fds[i] >= FD_SETSIZE)
            return err_set(err, 0,
                           "select takes descriptors below %d, and connection %u has number %d",
                           FD_SETSIZE, i + 1, task->fds[i]);
    return drain_unblock(task, err) == 0 ? drain_buffer_setup(state, task, err) : -1;
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    struct drain drain;
    fd_set wanted;
    int highest = -1;
    drain_start(&drain, task, tally, err);
    FD_ZERO(&wanted);
    for (unsigned i = 0; i < task->n_fds; i++) {
        if (!drain_wants(&drain, i))
            continue;
        FD_SET(task->fds[i], &wanted);
        highest = task->fds[i] > highest ? task->fds[i] : highest;
    }
    while (drain.left > 0 && drain.open > 0) {
        fd_set ready = wanted;
        tally->counter[COUNTER_WAITS]++;
        int n = select(highest + 1, &ready, NULL, NULL, NULL);
        if (n < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        for (unsigned i = 0; n > 0 && i < task->n_fds && drain.left > 0; i++) {
            if (!FD_ISSET(task->fds[i], &ready))
                continue;
            n--;
            enum drain_event event = drain_once(&drain, state, i);
            if (event == DRAIN_FAILED)
                return -1;
            if (event == DRAIN_LAST)
                FD_CLR(task->fds[i], &wanted);
        }
    }
    return 0;
}

const struct strategy strategy_stream_select = {
    .name = "select",
    .summary = "select(2), then one call on each connection that is ready; descriptors below 1024",
    .family = FAMILY_STREAM,
    .groups = GROUP_EVENTS,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct drain_buffer),
    .setup = setup,
    .pass = pass,
    .teardown = drain_buffer_teardown,
};
