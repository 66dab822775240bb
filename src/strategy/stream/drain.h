/* What the stream strategies share: the account of what is still to come, and the loop of the calls
 * that block. */
#ifndef IOBENCH_STRATEGY_STREAM_DRAIN_H
#define IOBENCH_STRATEGY_STREAM_DRAIN_H

#include "strategy/latency.h"
#include "strategy/strategy.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* One pass. left counts down to 0; open counts the connections from which more is to come. */
struct drain {
    const struct task *task;
    struct tally *tally;
    struct err *err;
    uint64_t left;
    unsigned open;
};

/* What a call that received came to. */
enum drain_event {
    DRAIN_FAILED = -1,
    DRAIN_NOTHING, /* nothing there now (EAGAIN) */
    DRAIN_BYTES,   /* something came, if only an empty datagram: there may be more */
    DRAIN_LAST,    /* something came, or the end: no more is to come from this connection */
};

void drain_start(struct drain *drain, const struct task *task, struct tally *tally,
                 struct err *err);

/* The end of a connection, by what the last call said: the end of a stream, or an error. */
enum drain_event drain_end(struct drain *drain, unsigned i, ssize_t got);

/* Is more to come from connection i? */
static inline bool drain_wants(const struct drain *drain, unsigned i)
{
    return drain->task->left[i] > 0;
}

/* How much of size to ask connection i for. A datagram comes whole or is cut. */
static inline size_t drain_room(const struct drain *drain, unsigned i, size_t size)
{
    uint64_t left = drain->task->left[i];
    return drain->task->datagrams || left >= size ? size : (size_t)left;
}

/* n bytes have come from connection i, of which held lie at bytes: more than was wanted, perhaps,
 * where a call can bring more. */
static inline enum drain_event drain_took(struct drain *drain, unsigned i, const void *bytes,
                                          size_t held, size_t n)
{
    const struct task *task = drain->task;
    uint64_t left = task->left[i], wanted = n < left ? n : left;
    consume(&task->sinks[i], drain->tally, bytes, held);
    if (drain->tally->histogram[OF_SIZES] != NULL)
        histogram_record(drain->tally->histogram[OF_SIZES], n);
    task->fd_bytes[i] += n;
    task->left[i] = left - wanted;
    drain->left -= wanted < drain->left ? wanted : drain->left;
    if (n < left)
        return DRAIN_BYTES;
    drain->open -= left > 0;
    return DRAIN_LAST;
}

/* What connection i was asked for, want bytes at bytes, has come; or errno says why not. */
static inline enum drain_event drain_arrived(struct drain *drain, unsigned i, const void *bytes,
                                             size_t want, ssize_t got)
{
    struct tally *tally = drain->tally;
    if (got <= 0)
        return drain_end(drain, i, got);
    size_t n = (size_t)got, held = n < want ? n : want;
    if (drain->task->datagrams) {
        tally->counter[COUNTER_DATAGRAMS]++;
        tally->counter[COUNTER_TRUNCATED] += n > want;
        tally->cut_bytes += n - held;
    } else {
        tally->short_calls += n < want;
    }
    return drain_took(drain, i, bytes, held, n);
}

/* The same as the result of one call. */
static inline enum drain_event drain_result(struct drain *drain, unsigned i, const void *bytes,
                                            size_t want, ssize_t got)
{
    drain->tally->calls++;
    return drain_arrived(drain, i, bytes, want, got);
}

/* recv(2), with flags beside those that the transport needs; read(2) where it is a pipe. The length
 * of a datagram is its real one. */
static inline ssize_t drain_recv(const struct task *task, int fd, void *buffer, size_t want,
                                 int flags)
{
    if (task->pipes)
        return read(fd, buffer, want);
    return recv(fd, buffer, want, flags | (task->datagrams ? MSG_TRUNC : 0));
}

/* The buffer of the strategies that have one. */
struct drain_buffer {
    unsigned char *bytes;
    size_t size;
};
int drain_buffer_setup(void *buffer, const struct task *task, struct err *err);
void drain_buffer_teardown(void *buffer);

/* Makes the worker's connections non-blocking. */
int drain_unblock(const struct task *task, struct err *err);

/* A receive into want bytes of a buffer; a static function of the caller's, inlined into the loops
 * below: there is no call through a pointer. */
typedef ssize_t drain_receive(const struct task *task, int fd, unsigned char *bytes, size_t want);

/* The loop of a stream whose calls are not looked at one by one: nothing stands between two of them
 * but the counting, and that in registers. */
ALWAYS_INLINE int drain_plainly(drain_receive *receive, const struct drain_buffer *buffer,
                                struct drain *drain)
{
    const struct task *task = drain->task;
    struct tally *tally = drain->tally;
    uint64_t left = task->left[0], took = 0, goal = task->goal;
    size_t size = buffer->size;
    while (left > 0 && took < goal) {
        size_t want = left < size ? (size_t)left : size;
        ssize_t got = receive(task, task->fds[0], buffer->bytes, want);
        tally->calls++;
        if (got <= 0) {
            uint64_t before = task->fd_bytes[0];
            task->left[0] = left;
            task->fd_bytes[0] = before + took;
            enum drain_event event = drain_end(drain, 0, got);
            if (event == DRAIN_FAILED || event == DRAIN_LAST)
                return event == DRAIN_FAILED ? -1 : 0;
            task->fd_bytes[0] = before;
            continue;
        }
        tally->short_calls += (size_t)got < want;
        consume(&task->sinks[0], tally, buffer->bytes, (size_t)got);
        left -= (size_t)got;
        took += (size_t)got;
    }
    task->left[0] = left;
    task->fd_bytes[0] += took;
    return 0;
}

/* The loop of every call that blocks on one connection. */
ALWAYS_INLINE int drain_blocking(drain_receive *receive, const struct drain_buffer *buffer,
                                 const struct task *task, struct tally *tally, struct err *err)
{
    struct drain drain;
    drain_start(&drain, task, tally, err);
    if (!task->datagrams && tally->histogram[OF_LATENCY] == NULL && tally->histogram[OF_SIZES] == NULL && drain.open > 0)
        return drain_plainly(receive, buffer, &drain);
    while (drain.left > 0 && drain.open > 0) {
        size_t want = drain_room(&drain, 0, buffer->size);
        uint64_t start = latency_start(tally);
        ssize_t got = receive(task, task->fds[0], buffer->bytes, want);
        latency_stop(tally, start);
        if (drain_result(&drain, 0, buffer->bytes, want, got) == DRAIN_FAILED)
            return -1;
    }
    return 0;
}

/* What every strategy that drains several connections does with one that is ready: one call. */
static inline enum drain_event drain_once(struct drain *drain, const struct drain_buffer *buffer,
                                          unsigned i)
{
    size_t want = drain_room(drain, i, buffer->size);
    uint64_t start = latency_start(drain->tally);
    ssize_t got = drain_recv(drain->task, drain->task->fds[i], buffer->bytes, want, 0);
    latency_stop(drain->tally, start);
    return drain_result(drain, i, buffer->bytes, want, got);
}

#endif
