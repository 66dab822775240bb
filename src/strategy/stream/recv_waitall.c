/* recv(2) with MSG_WAITALL: fewer calls, each as full as it can be. */
#include "config.h"

#include "strategy/stream/drain.h"

static inline ssize_t receive(const struct task *task, int fd, unsigned char *buffer, size_t want)
{
    (void)task;
    return recv(fd, buffer, want, MSG_WAITALL);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return drain_blocking(receive, state, task, tally, err);
}

const struct strategy strategy_stream_recv_waitall = {
    .name = "recv-waitall",
    .summary = "recv(2) with MSG_WAITALL: returns when the block is full",
    .family = FAMILY_STREAM,
    .groups = GROUP_BLOCKING,
    .needs = NEED_SOCKET | NEED_STREAM | NEED_LONE,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct drain_buffer),
    .setup = drain_buffer_setup,
    .pass = pass,
    .teardown = drain_buffer_teardown,
};
