/* io_uring(7) with registered buffers and a registered file: the kernel looks neither up again. */
#include "config.h"

#include "strategy/file/uring.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

static int probe(struct err *err)
{
    return uring_probe(URING_FIXED, err);
}

static int suits(const struct task *task, struct err *err)
{
    const uint64_t *value = task->params->value;
    uint64_t bytes = value[KNOB_BLOCK_SIZE] * value[KNOB_DEPTH] * value[KNOB_THREADS];
    struct rlimit lockable;
    if (value[KNOB_BLOCK_SIZE] > URING_LARGEST_BUFFER)
        return err_set(err, 0, "io_uring registers no buffer larger than 1 GiB");
    if (geteuid() != 0 && getrlimit(RLIMIT_MEMLOCK, &lockable) == 0 && bytes > lockable.rlim_cur)
        return err_set(err, 0,
                       "io_uring-fixed would lock %" PRIu64 " bytes of buffers in memory, more "
                       "than 'ulimit -l' allows",
                       bytes);
    return queue_fits(task, err);
}

static int setup(void *state, const struct task *task, struct err *err)
{
    return uring_setup(state, URING_FIXED, task, err);
}

const struct strategy strategy_io_uring_fixed = {
    .name = "io_uring-fixed",
    .summary = "io_uring(7) with registered buffers and file",
    .caveat = "io_uring-fixed locks its buffers in memory, and io_uring is often forbidden in "
              "containers.",
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
