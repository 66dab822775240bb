/* io_uring(7) with registered buffers and a registered file: the kernel looks neither up again. */
#include "config.h"

#include "strategy/file/uring.h"

#define LARGEST_BUFFER (UINT64_C(1) << 30)

static int probe(struct err *err)
{
    return uring_probe(URING_FIXED, err);
}

static int suits(const struct task *task, struct err *err)
{
    uint64_t block = task->params->value[KNOB_BLOCK_SIZE];
    if (block > LARGEST_BUFFER)
        return err_set(err, 0, "io_uring registers no buffer larger than 1 GiB");
    return queue_fits(task, err);
}

static int setup(void *state, const struct task *task, struct err *err)
{
    return uring_setup(state, URING_FIXED, task, err);
}

const struct strategy strategy_io_uring_fixed = {
    .name = "io_uring-fixed",
    .summary = "io_uring(7) with registered buffers and file",
    .caveat = "io_uring-fixed locks its buffers in memory, and io_uring is often forbidden in containers.",
    .family = FAMILY_FILE,
    .groups = GROUP_ASYNC,
    .needs = NEED_SEEK,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_DEPTH) | KNOB_BIT(KNOB_ADVICE) |
             KNOB_BIT(KNOB_PATTERN),
    .state_size = sizeof(struct uring),
    .probe = probe,
    .suits = suits,
    .setup = setup,
    .pass = uring_pass,
    .teardown = uring_teardown,
};
