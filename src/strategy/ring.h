/* Making an io_uring: the fastest kind that the kernel knows, and why there is none. */
#ifndef IOBENCH_STRATEGY_RING_H
#define IOBENCH_STRATEGY_RING_H

#include "base/err.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef HAVE_LIBURING
#include <liburing.h>

/* polled: a kernel thread looks for requests by itself. Free with io_uring_queue_exit(). */
int ring_make(struct io_uring *ring, bool polled, unsigned entries, struct err *err) MUST_CHECK;

/* Called by the thread that uses the ring, before the first request and as often as it likes: a
 * ring for one thread alone belongs to who enables it, which need not be who made it. */
int ring_wake(struct io_uring *ring, struct err *err) MUST_CHECK;

/* A place for a request; a full ring is handed over first, which is one more call. NULL: there is
 * none all the same. */
static inline struct io_uring_sqe *ring_get_sqe(struct io_uring *ring, uint64_t *calls)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    if (sqe != NULL)
        return sqe;
    ++*calls;
    io_uring_submit(ring);
    return io_uring_get_sqe(ring);
}

/* A call that did nothing this time (a signal, a ring that is busy) is made again in the next
 * round.
 */
static inline int ring_or_later(int status)
{
    return status == -EINTR || status == -EAGAIN || status == -EBUSY ? 0 : status;
}

/* Hands over what was prepared and waits for a completion. Below 0: minus an errno value. */
static inline int ring_enter(struct io_uring *ring)
{
    return ring_or_later(io_uring_submit_and_wait(ring, 1));
}
#endif

/* Can such a ring be made here, and do what opcode says? Fails with the likely cause; verb is for
 * the message: "read". */
int ring_probe(bool polled, int opcode, const char *verb, struct err *err) MUST_CHECK;

#endif
