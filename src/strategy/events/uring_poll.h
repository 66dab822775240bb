/* What the event strategies on io_uring share: a poll request on every handle. */
#ifndef IOBENCH_STRATEGY_EVENTS_URING_POLL_H
#define IOBENCH_STRATEGY_EVENTS_URING_POLL_H

#include "strategy/events/serve.h"
#include "strategy/ring.h"

#include <stdbool.h>

struct uring_poll {
#ifdef HAVE_LIBURING
    struct io_uring ring;
#endif
    bool made, multishot;
    bool *armed;
};

int uring_poll_probe(struct err *err);
int uring_poll_setup(struct uring_poll *state, bool multishot, const struct task *task,
                     struct err *err);
int uring_poll_pass(void *state, const struct task *task, struct tally *tally, struct err *err);
void uring_poll_teardown(void *state);

#endif
