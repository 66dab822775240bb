/* io_uring(7): depth reads in flight, handed over and collected in batches. */
#include "config.h"

#include "strategy/file/uring.h"

static int probe(struct err *err)
{
    return uring_probe(URING_PLAIN, err);
}

static int setup(void *state, const struct task *task, struct err *err)
{
    return uring_setup(state, URING_PLAIN, task, err);
}

const struct strategy strategy_io_uring = {
    .name = "io_uring",
    .summary = "io_uring(7): --depth reads in flight, in batches",
    .caveat = "io_uring is often forbidden in containers.",
    .family = FAMILY_FILE,
    .groups = GROUP_ASYNC,
    .needs = NEED_SEEK,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_DEPTH) | KNOB_BIT(KNOB_ADVICE) |
             KNOB_BIT(KNOB_PATTERN),
    .state_size = sizeof(struct uring),
    .probe = probe,
    .suits = queue_fits,
    .setup = setup,
    .pass = uring_pass,
    .teardown = uring_teardown,
};
