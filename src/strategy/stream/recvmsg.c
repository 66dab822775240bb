/* recvmsg(2): the call that can also tell where a datagram came from. */
#include "config.h"

#include "strategy/stream/drain.h"

#include <sys/uio.h>

static inline ssize_t receive(const struct task *task, int fd, unsigned char *buffer, size_t want)
{
    struct iovec piece = {buffer, want};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    return recvmsg(fd, &message, task->datagrams ? MSG_TRUNC : 0);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return drain_blocking(receive, state, task, tally, err);
}

const struct strategy strategy_stream_recvmsg = {
    .name = "recvmsg",
    .summary = "recvmsg(2) into one buffer",
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
