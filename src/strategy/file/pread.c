/* pread(2): the position travels with each call, so that threads can share a descriptor. */
#include "config.h"

#include "strategy/file/access.h"

#include <unistd.h>

static inline ssize_t read_at(int fd, unsigned char *buffer, size_t want, off_t at)
{
    return pread(fd, buffer, want, at);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    int fd = file_open(task, false, tally, err);
    if (fd < 0)
        return -1;
    int status = read_blocks(read_at, fd, state, task, tally, err);
    file_close(fd, tally);
    return status;
}

const struct strategy strategy_pread = {
    .name = "pread",
    .summary = "pread(2): the position travels with each call",
    .family = FAMILY_FILE,
    .groups = GROUP_SYSCALL,
    .needs = NEED_SEEK,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_ADVICE) | KNOB_BIT(KNOB_PATTERN),
    .times_calls = true,
    .state_size = sizeof(struct block_state),
    .setup = block_setup,
    .pass = pass,
    .teardown = block_teardown,
};
