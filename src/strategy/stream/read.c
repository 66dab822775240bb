/* read(2) from a socket or a pipe: no flags, and no word about a datagram that was cut. */
#include "config.h"

#include "strategy/stream/drain.h"

static inline ssize_t receive(const struct task *task, int fd, unsigned char *buffer, size_t want)
{
    (void)task;
    return read(fd, buffer, want);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return drain_blocking(receive, state, task, tally, err);
}

const struct strategy strategy_stream_read = {
    .name = "read",
    .summary = "read(2) from the descriptor, waiting inside the call",
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
