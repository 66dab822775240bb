/* recv(2) with MSG_TRUNC, which on TCP throws the bytes away inside the kernel (tcp(7)). */
#include "config.h"

#include "strategy/stream/drain.h"

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    struct drain_buffer *buffer = state;
    struct drain drain;
    drain_start(&drain, task, tally, err);
    while (drain.left > 0 && drain.open > 0) {
        size_t want = drain_room(&drain, 0, buffer->size);
        uint64_t start = latency_start(tally);
        ssize_t got = recv(task->fds[0], NULL, want, MSG_TRUNC);
        latency_stop(tally, start);
        if (drain_result(&drain, 0, buffer->bytes, want, got) == DRAIN_FAILED)
            return -1;
    }
    return 0;
}

const struct strategy strategy_stream_recv_trunc = {
    .name = "recv-trunc",
    .summary =
        "recv(2) with MSG_TRUNC: the kernel throws the bytes away; a limit, no way to receive",
    .family = FAMILY_STREAM,
    .groups = GROUP_KERNEL,
    .needs = NEED_TCP | NEED_LONE,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .keeps_bytes = true,
    .state_size = sizeof(struct drain_buffer),
    .setup = drain_buffer_setup,
    .pass = pass,
    .teardown = drain_buffer_teardown,
};
