/* preadv2(2): pread with a list of buffers and flags, here one buffer and none. */
#include "config.h"

#include "strategy/file/access.h"

#include <sys/uio.h>

static inline ssize_t read_at(int fd, unsigned char *buffer, size_t want, off_t at)
{
#ifdef RWF_NOWAIT
    struct iovec part = {buffer, want};
    return preadv2(fd, &part, 1, at, 0);
#else
    (void)fd, (void)buffer, (void)want, (void)at;
    errno = ENOSYS;
    return -1;
#endif
}

static int probe(struct err *err)
{
#ifdef RWF_NOWAIT
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this C library has no preadv2");
#endif
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

const struct strategy strategy_preadv2 = {
    .name = "preadv2",
    .summary = "preadv2(2): pread with one buffer in a list, no flags",
    .family = FAMILY_FILE,
    .groups = GROUP_SYSCALL,
    .needs = NEED_SEEK,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_ADVICE) | KNOB_BIT(KNOB_PATTERN),
    .times_calls = true,
    .state_size = sizeof(struct block_state),
    .probe = probe,
    .setup = block_setup,
    .pass = pass,
    .teardown = block_teardown,
};
