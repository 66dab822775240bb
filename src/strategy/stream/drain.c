#include "config.h"

#include "strategy/stream/drain.h"

#include "base/buffer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

/* No end is known: until the connection is closed. */
#define UNTIL_CLOSED UINT64_MAX

void drain_start(struct drain *drain, const struct task *task, struct tally *tally, struct err *err)
{
    *drain = (struct drain){.task = task, .tally = tally, .err = err, .left = task->goal};
    for (unsigned i = 0; i < task->n_fds; i++)
        drain->open += task->left[i] > 0;
}

static enum drain_event close_down(struct drain *drain, unsigned i)
{
    drain->open -= drain->task->left[i] > 0;
    drain->task->left[i] = 0;
    return DRAIN_LAST;
}

enum drain_event drain_end(struct drain *drain, unsigned i, ssize_t got)
{
    const struct task *task = drain->task;
    uint64_t left = task->left[i], received = task->fd_bytes[i];
    bool stopped = atomic_load_explicit(task->stop, memory_order_relaxed);
    if (got < 0 && errno == EINTR)
        return DRAIN_BYTES; /* an edge is told once: whoever relies on it must look again */
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        drain->tally->counter[COUNTER_AGAIN]++;
        return DRAIN_NOTHING;
    }
    if (got < 0) {
        err_set(drain->err, errno, "connection %u broke after %" PRIu64 " bytes", i + 1, received);
        return DRAIN_FAILED;
    }
    if (task->datagrams && !stopped) {
        drain->tally->counter[COUNTER_EMPTY]++;
        return DRAIN_BYTES;
    }
    bool enough = task->spare != NULL && left <= task->spare[i];
    if (task->datagrams || enough || left >= UNTIL_CLOSED - received)
        return close_down(drain, i);
    err_set(drain->err, 0, "got %" PRIu64 " of %" PRIu64 " bytes, then the connection ended",
            received, received + left);
    return DRAIN_FAILED;
}

int drain_buffer_setup(void *opaque, const struct task *task, struct err *err)
{
    struct drain_buffer *buffer = opaque;
    buffer->size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    buffer->bytes = buffer_make(1, buffer->size, err);
    return buffer->bytes != NULL ? 0 : -1;
}

void drain_buffer_teardown(void *opaque)
{
    struct drain_buffer *buffer = opaque;
    free(buffer->bytes);
}

int drain_unblock(const struct task *task, struct err *err)
{
    for (unsigned i = 0; i < task->n_fds; i++) {
        int flags = fcntl(task->fds[i], F_GETFL);
        if (flags < 0 || fcntl(task->fds[i], F_SETFL, flags | O_NONBLOCK) != 0)
            return err_set(err, errno, "cannot make connection %u non-blocking", i + 1);
    }
    return 0;
}
