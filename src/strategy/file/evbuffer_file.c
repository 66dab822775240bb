/* libevent's file segment in an evbuffer: a mapping, when it is looked at rather than sent. */
#include "config.h"

#include "strategy/file/mapped.h"

#include <event2/buffer.h>

struct evbuffer_state {
    struct evbuffer *buffer;
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct evbuffer_state *state = opaque;
    (void)task;
    state->buffer = evbuffer_new();
    return state->buffer != NULL ? 0 : err_set(err, ENOMEM, "cannot make an evbuffer");
}

static void teardown(void *opaque)
{
    struct evbuffer_state *state = opaque;
    if (state->buffer != NULL)
        evbuffer_free(state->buffer);
}

/* Puts the task's slice of the file into the buffer. */
static int add_slice(struct evbuffer *buffer, int fd, const struct task *task, struct err *err)
{
    uint64_t length;
    if (file_slice_length(fd, task, &length, err) != 0)
        return -1;
    if (length == 0)
        return 0;
    errno = 0;
    struct evbuffer_file_segment *segment =
        evbuffer_file_segment_new(fd, (ev_off_t)task->offset, (ev_off_t)length, 0);
    int status = segment != NULL ? evbuffer_add_file_segment(buffer, segment, 0, -1) : -1;
    if (segment != NULL)
        evbuffer_file_segment_free(segment); /* the buffer holds on to it */
    return status == 0 ? 0 : err_set(err, errno, "cannot map '%s'", task->name);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct evbuffer *buffer = ((struct evbuffer_state *)opaque)->buffer;
    int fd = file_open(task, false, tally, err);
    if (fd < 0)
        return -1;
    tally->calls = UNKNOWN;
    int status = add_slice(buffer, fd, task, err);
    if (evbuffer_get_length(buffer) > 0) {
        struct evbuffer_iovec chunk;
        evbuffer_peek(buffer, -1, NULL, &chunk, 1);
        consume_mapped(chunk.iov_base, chunk.iov_len, task, tally);
        evbuffer_drain(buffer, chunk.iov_len);
    }
    file_close(fd, tally);
    return status;
}

const struct strategy strategy_evbuffer_file = {
    .name = "evbuffer-file",
    .summary = "evbuffer_add_file_segment() of libevent, a mapping inside",
    .caveat = "evbuffer-file dies on a file that is cut while it is read, and cannot read pipes "
              "or /proc.",
    .family = FAMILY_FILE,
    .groups = GROUP_LIBEVENT,
    .needs = NEED_SEEK | NEED_MAP | NEED_TOUCH,
    .state_size = sizeof(struct evbuffer_state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
