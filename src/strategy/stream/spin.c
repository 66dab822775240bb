/* Non-blocking calls without end: the processor looks again and again. */
#include "config.h"

#include "strategy/stream/drain.h"

static int setup(void *state, const struct task *task, struct err *err)
{
    return drain_unblock(task, err) == 0 ? drain_buffer_setup(state, task, err) : -1;
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    struct drain drain;
    drain_start(&drain, task, tally, err);
    while (drain.left > 0 && drain.open > 0)
        for (unsigned i = 0; i < task->n_fds && drain.left > 0; i++)
            if (drain_wants(&drain, i) && drain_once(&drain, state, i) == DRAIN_FAILED)
                return -1;
    return 0;
}

const struct strategy strategy_stream_spin = {
    .name = "spin",
    .summary = "non-blocking calls, again and again, without waiting",
    .caveat = "spin uses up a whole processor, also while nothing comes.",
    .family = FAMILY_STREAM,
    .groups = GROUP_EVENTS,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct drain_buffer),
    .setup = setup,
    .pass = pass,
    .teardown = drain_buffer_teardown,
};
