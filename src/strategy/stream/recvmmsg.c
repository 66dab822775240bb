/* recvmmsg(2): as many datagrams as are there, in one call. */
#include "config.h"

#include "base/buffer.h"
#include "strategy/stream/drain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { MESSAGES = 64 };

struct state {
    unsigned char *bytes;
    size_t size;
    struct iovec pieces[MESSAGES];
    struct mmsghdr messages[MESSAGES];
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    state->bytes = buffer_make(MESSAGES, state->size, err);
    if (state->bytes == NULL)
        return -1;
    for (unsigned i = 0; i < MESSAGES; i++) {
        state->pieces[i] = (struct iovec){state->bytes + i * state->size, state->size};
        state->messages[i].msg_hdr = (struct msghdr){.msg_iov = &state->pieces[i], .msg_iovlen = 1};
    }
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct drain drain;
    drain_start(&drain, task, tally, err);
    while (drain.left > 0 && drain.open > 0) {
        uint64_t start = latency_start(tally);
        int got =
            recvmmsg(task->fds[0], state->messages, MESSAGES, MSG_WAITFORONE | MSG_TRUNC, NULL);
        latency_stop(tally, start);
        tally->calls++;
        if (got <= 0 && drain_arrived(&drain, 0, NULL, state->size, got) == DRAIN_FAILED)
            return -1;
        for (int i = 0; i < got; i++)
            if (drain_arrived(&drain, 0, state->pieces[i].iov_base, state->size,
                              (ssize_t)state->messages[i].msg_len) == DRAIN_FAILED)
                return -1;
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    free(state->bytes);
}

const struct strategy strategy_stream_recvmmsg = {
    .name = "recvmmsg",
    .summary = "recvmmsg(2): up to 64 datagrams in one call",
    .family = FAMILY_STREAM,
    .groups = GROUP_BLOCKING,
    .needs = NEED_DATAGRAMS | NEED_LONE,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
