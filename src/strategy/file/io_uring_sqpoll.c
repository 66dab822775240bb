/* io_uring(7) with IORING_SETUP_SQPOLL: a kernel thread takes the requests, with no system call. */
#include "config.h"

#include "strategy/file/uring.h"

static int probe(struct err *err)
{
    return uring_probe(URING_SQPOLL, err);
}

static int setup(void *state, const struct task *task, struct err *err)
{
    return uring_setup(state, URING_SQPOLL, task, err);
}

const struct strategy strategy_io_uring_sqpoll = {
    .name = "io_uring-sqpoll",
    .summary = "io_uring(7), a kernel thread polls for requests",
    .caveat = "io_uring-sqpoll keeps a second processor busy, and io_uring is often forbidden in "
              "containers.",
    .family = FAMILY_FILE,
    .groups = GROUP_ASYNC,
    .needs = NEED_SEEK,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_DEPTH) | KNOB_BIT(KNOB_ADVICE) |
             KNOB_BIT(KNOB_PATTERN),
    .least_trial_ns = 50000000,
    .state_size = sizeof(struct uring),
    .probe = probe,
    .suits = queue_fits,
    .setup = setup,
    .pass = uring_pass,
    .teardown = uring_teardown,
};
