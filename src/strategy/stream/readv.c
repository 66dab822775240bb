/* readv(2): a header and a body in one call, here two halves of the block. */
#include "config.h"

#include "strategy/stream/drain.h"

#include <sys/uio.h>

static inline ssize_t receive(const struct task *task, int fd, unsigned char *buffer, size_t want)
{
    (void)task;
    size_t half = (want + 1) / 2;
    struct iovec pieces[] = {{buffer, half}, {buffer + half, want - half}};
    return readv(fd, pieces, want > 1 ? 2 : 1);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return drain_blocking(receive, state, task, tally, err);
}

const struct strategy strategy_stream_readv = {
    .name = "readv",
    .summary = "readv(2) into two halves of the block",
    .family = FAMILY_STREAM,
    .groups = GROUP_BLOCKING,
    .needs = NEED_STREAM | NEED_LONE,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct drain_buffer),
    .setup = drain_buffer_setup,
    .pass = pass,
    .teardown = drain_buffer_teardown,
};
