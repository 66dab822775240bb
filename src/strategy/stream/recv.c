/* recv(2): what most programs do with a socket. */
#include "config.h"

#include "strategy/stream/drain.h"

static inline ssize_t receive(const struct task *task, int fd, unsigned char *buffer, size_t want)
{
    return recv(fd, buffer, want, task->datagrams ? MSG_TRUNC : 0);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return drain_blocking(receive, state, task, tally, err);
}

const struct strategy strategy_stream_recv = {
    .name = "recv",
    .summary = "recv(2), waiting inside the call",
    .family = FAMILY_STREAM,
    .groups = GROUP_BLOCKING,
    .needs = NEED_SOCKET | NEED_LONE,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct drain_buffer),
    .setup = drain_buffer_setup,
    .pass = pass,
    .teardown = drain_buffer_teardown,
};
