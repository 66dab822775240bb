/* libevent's evbuffer_read(): what a program built on bufferevents does with its input. */
#include "config.h"

#include "strategy/file/access.h"

#include <event2/buffer.h>
#include <limits.h>

enum { CHUNKS = 8 };

struct evbuffer_state {
    struct evbuffer *buffer;
    size_t block;
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct evbuffer_state *state = opaque;
    uint64_t block = task->params->value[KNOB_BLOCK_SIZE];
    state->block = block < INT_MAX ? (size_t)block : INT_MAX;
    state->buffer = evbuffer_new();
    return state->buffer != NULL ? 0 : err_set(err, ENOMEM, "cannot make an evbuffer");
}

static void teardown(void *opaque)
{
    struct evbuffer_state *state = opaque;
    if (state->buffer != NULL)
        evbuffer_free(state->buffer);
}

static inline void consume_chunks(struct evbuffer *buffer, const struct task *task,
                                  struct tally *tally)
{
    while (evbuffer_get_length(buffer) > 0) {
        struct evbuffer_iovec chunks[CHUNKS];
        int n = evbuffer_peek(buffer, -1, NULL, chunks, CHUNKS);
        size_t seen = 0;
        for (int i = 0; i < n && i < CHUNKS; i++) {
            consume(&task->sink, tally, chunks[i].iov_base, chunks[i].iov_len);
            seen += chunks[i].iov_len;
        }
        evbuffer_drain(buffer, seen);
    }
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    const struct evbuffer_state *state = opaque;
    int fd = file_open(task, true, tally, err);
    if (fd < 0)
        return -1;
    int status = 0;
    for (uint64_t left = task->length; left > 0;) {
        int want = (int)(left < state->block ? left : state->block);
        uint64_t start = latency_start(tally);
        int got = evbuffer_read(state->buffer, fd, want);
        latency_stop(tally, start);
        tally->calls++;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = file_read_error(task, err);
        if (got <= 0)
            break;
        tally->short_calls += got < want;
        left -= (uint64_t)got;
        consume_chunks(state->buffer, task, tally);
    }
    file_close(fd, tally);
    return status;
}

const struct strategy strategy_evbuffer = {
    .name = "evbuffer",
    .summary = "evbuffer_read() of libevent, drained chunk by chunk",
    .caveat = "evbuffer_read in libevent 2.1 takes 4 KiB a call at most, whatever the block size.",
    .family = FAMILY_FILE,
    .groups = GROUP_LIBEVENT,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_ADVICE),
    .times_calls = true,
    .state_size = sizeof(struct evbuffer_state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
