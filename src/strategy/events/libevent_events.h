/* What the event strategies on libevent share: one loop, whose back end is chosen by name. */
#ifndef IOBENCH_STRATEGY_EVENTS_LIBEVENT_EVENTS_H
#define IOBENCH_STRATEGY_EVENTS_LIBEVENT_EVENTS_H

#include "strategy/events/serve.h"

struct event_base;
struct libevent_watched;

struct libevent_events {
    struct event_base *base;
    struct libevent_watched *watched;
    unsigned n;
    struct serve serve; /* the pass that runs */
    unsigned in_batch;  /* callbacks since the wait */
    bool failed;
};

/* method: "epoll", "poll", "select"; NULL: what libevent prefers. */
int libevent_events_setup(struct libevent_events *state, const struct task *task,
                          const char *method, struct err *err);
int libevent_events_pass(void *state, const struct task *task, struct tally *tally,
                         struct err *err);
void libevent_events_teardown(void *state);

#endif
