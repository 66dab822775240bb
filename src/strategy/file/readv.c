/* readv(2): a block scattered over four parts of the buffer. */
#include "config.h"

#include "strategy/file/access.h"

#include <sys/uio.h>

enum { PARTS = 4 };

static inline ssize_t read_scattered(int fd, unsigned char *buffer, size_t want, off_t at)
{
    (void)at;
    size_t part = want / PARTS;
    struct iovec parts[PARTS];
    for (size_t i = 0; i < PARTS; i++)
        parts[i] = (struct iovec){buffer + i * part, part};
    parts[PARTS - 1].iov_len = want - (PARTS - 1) * part;
    return readv(fd, parts, PARTS);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    int fd = file_open(task, true, tally, err);
    if (fd < 0)
        return -1;
    int status = read_blocks(read_scattered, fd, state, task, tally, err);
    file_close(fd, tally);
    return status;
}

const struct strategy strategy_readv = {
    .name = "readv",
    .summary = "readv(2): each block scattered over four parts",
    .family = FAMILY_FILE,
    .groups = GROUP_SYSCALL,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_ADVICE),
    .times_calls = true,
    .state_size = sizeof(struct block_state),
    .setup = block_setup,
    .pass = pass,
    .teardown = block_teardown,
};
