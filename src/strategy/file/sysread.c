/* read(2) into one buffer: what cat and dd do. */
#include "config.h"

#include "strategy/file/access.h"

#include <unistd.h>

static inline ssize_t read_next(int fd, unsigned char *buffer, size_t want, off_t at)
{
    (void)at;
    return read(fd, buffer, want);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    int fd = file_open(task, true, tally, err);
    if (fd < 0)
        return -1;
    int status = read_blocks(read_next, fd, state, task, tally, err);
    file_close(fd, tally);
    return status;
}

const struct strategy strategy_sysread = {
    .name = "sysread",
    .summary = "read(2) into one buffer, as cat and dd do",
    .family = FAMILY_FILE,
    .groups = GROUP_SYSCALL,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_ADVICE),
    .times_calls = true,
    .state_size = sizeof(struct block_state),
    .setup = block_setup,
    .pass = pass,
    .teardown = block_teardown,
};
