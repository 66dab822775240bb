/* Making an io_uring: the fastest kind that the kernel knows, and why there is none. */
#ifndef IOBENCH_STRATEGY_RING_H
#define IOBENCH_STRATEGY_RING_H

#include "base/err.h"

#include <stdbool.h>

#ifdef HAVE_LIBURING
#include <liburing.h>

/* polled: a kernel thread looks for requests by itself. Free with io_uring_queue_exit(). */
int ring_make(struct io_uring *ring, bool polled, unsigned entries, struct err *err) MUST_CHECK;

/* Called by the thread that uses the ring, before the first request and as often as it likes: a
 * ring for one thread alone belongs to who enables it, which need not be who made it. */
int ring_wake(struct io_uring *ring, struct err *err) MUST_CHECK;
#endif

/* Can such a ring be made here, and do what opcode says? Fails with the likely cause; verb is for
 * the message: "read". */
int ring_probe(bool polled, int opcode, const char *verb, struct err *err) MUST_CHECK;

#endif
