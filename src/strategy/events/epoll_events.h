/* What the event strategies on epoll(7) share. */
#ifndef IOBENCH_STRATEGY_EVENTS_EPOLL_EVENTS_H
#define IOBENCH_STRATEGY_EVENTS_EPOLL_EVENTS_H

#include "strategy/events/serve.h"

#include <stdbool.h>

#ifdef HAVE_SYS_EPOLL_H
#include <sys/epoll.h>

struct epoll_events {
    int fd; /* 0: not made; the first worker's, where it is shared */
    bool own;
    struct epoll_event *events;
    unsigned most; /* of one wait */
};

/* Makes an instance with this worker's handles, or joins that of the first worker. flags go beside
 * EPOLLIN. */
int epoll_events_setup(struct epoll_events *state, const struct task *task, uint32_t flags,
                       struct err *err);
void epoll_events_teardown(void *state);

/* Waits once. How many events came; -1 on failure. */
int epoll_events_wait(struct epoll_events *state, struct serve *serve);

/* The data of the event that only wakes. */
#define EPOLL_WAKES UINT32_MAX

/* The loop of them all; on_event is inlined. */
static inline __attribute__((always_inline)) int
epoll_events_pass(struct epoll_events *state, const struct task *task, struct tally *tally,
                  struct err *err,
                  int (*on_event)(struct epoll_events *, struct serve *, unsigned handle))
{
    struct serve serve;
    serve_start(&serve, task, tally, err);
    while (!serve_is_done(&serve)) {
        int n = epoll_events_wait(state, &serve);
        if (n < 0)
            return -1;
        for (int e = 0; e < n; e++) {
            uint32_t handle = state->events[e].data.u32;
            if (handle != EPOLL_WAKES && on_event(state, &serve, handle) != 0)
                return -1;
        }
    }
    return 0;
}
#endif

int epoll_events_probe(struct err *err);

#endif
