/* What the event strategies share: reading a handle, and the account of what was read. */
#ifndef IOBENCH_STRATEGY_EVENTS_SERVE_H
#define IOBENCH_STRATEGY_EVENTS_SERVE_H

#include "strategy/latency.h"
#include "strategy/strategy.h"

#include <errno.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 8, MOST_MESSAGES = 128 /* of one read */ };

/* One pass of one worker. */
struct serve {
    const struct task *task;
    struct tally *tally;
    struct err *err;
    bool eventfds;
};

enum served {
    SERVED_FAILED = -1,
    SERVED_NOTHING, /* nothing was there */
    SERVED_SOME,
};

void serve_start(struct serve *serve, const struct task *task, struct tally *tally,
                 struct err *err);

/* Has everybody together read enough, or is the time over? */
static inline bool serve_is_done(const struct serve *serve)
{
    const struct task *task = serve->task;
    return atomic_load_explicit(&task->exchange->read, memory_order_relaxed) >= task->goal ||
           atomic_load_explicit(task->stop, memory_order_relaxed);
}

/* The messages in what one read brought: an eventfd counts them in its value (eventfd(2)). */
static inline uint64_t serve_count(const struct serve *serve, const uint64_t *message, ssize_t got)
{
    return serve->eventfds ? message[0] : (uint64_t)got / MESSAGE_BYTES;
}

/* Wakes the other threads: enough was read. */
void serve_wake(const struct serve *serve);

/* n messages of handle i were read. */
static inline void serve_took(struct serve *serve, unsigned i, uint64_t n)
{
    const struct task *task = serve->task;
    struct exchange *exchange = task->exchange;
    struct exchange_handle *handle = &exchange->handle[i];
    struct tally *tally = serve->tally;
    bool alone = task->workers == 1;
    if (tally->histogram[OF_LATENCY] != NULL)
        latency_stop(tally, atomic_load_explicit(&handle->stamp_ns, memory_order_relaxed));
    tally->counter[COUNTER_READS]++;
    tally->counter[COUNTER_MESSAGES] += n;
    tally->bytes += n * MESSAGE_BYTES;
    exchange_add(&handle->served, n, alone);
    atomic_fetch_sub_explicit(&handle->unread, (uint32_t)n, memory_order_release);
    uint64_t before = exchange_add(&exchange->read, n, alone);
    if (!alone && before < task->goal && before + n >= task->goal)
        serve_wake(serve);
}

/* An operation that is no read counts as a message, so that what it costs stands where theirs does.
 */
static inline void serve_counted(struct serve *serve)
{
    serve->tally->counter[COUNTER_MESSAGES]++;
    serve->tally->bytes += MESSAGE_BYTES;
    exchange_add(&serve->task->exchange->read, 1, serve->task->workers == 1);
}

/* One read of handle i. */
static inline enum served serve_read(struct serve *serve, unsigned i)
{
    uint64_t messages[MOST_MESSAGES];
    ssize_t got =
        read(serve->task->fds[i], messages, serve->eventfds ? sizeof messages[0] : sizeof messages);
    serve->tally->calls++;
    if (got >= MESSAGE_BYTES) {
        serve_took(serve, i, serve_count(serve, messages, got));
        return SERVED_SOME;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        serve->tally->counter[COUNTER_AGAIN]++;
        return SERVED_NOTHING;
    }
    err_set(serve->err, got < 0 ? errno : 0, "handle %u broke", i + 1);
    return SERVED_FAILED;
}

/* What an event of handle i asks for. */
static inline int serve_event(struct serve *serve, unsigned i)
{
    enum served served = serve_read(serve, i);
    serve->tally->counter[COUNTER_SPURIOUS] += served == SERVED_NOTHING;
    return served == SERVED_FAILED ? -1 : 0;
}

/* The same until nothing is left, as an edge asks for. */
static inline int serve_edge(struct serve *serve, unsigned i)
{
    enum served served = serve_read(serve, i);
    serve->tally->counter[COUNTER_SPURIOUS] += served == SERVED_NOTHING;
    while (served == SERVED_SOME)
        served = serve_read(serve, i);
    return served == SERVED_FAILED ? -1 : 0;
}

/* A wait that may return most events has returned n. */
static inline void serve_waited(struct serve *serve, int n, unsigned most)
{
    struct tally *tally = serve->tally;
    tally->counter[COUNTER_WAITS]++;
    if (n <= 0) {
        tally->counter[COUNTER_EMPTY_WAITS]++;
        return;
    }
    tally->counter[COUNTER_EVENTS] += (unsigned)n;
    tally->counter[COUNTER_FULL] += (unsigned)n >= most;
    if (tally->histogram[OF_SIZES] != NULL)
        histogram_record(tally->histogram[OF_SIZES], (uint64_t)n);
}

/* Makes the handles of the task non-blocking. */
int serve_unblock(const struct task *task, struct err *err);

/* Does select(2) take the handles of the task, by their numbers? */
int serve_fits_select(const struct task *task, struct err *err);

#endif
