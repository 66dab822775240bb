/* What the serving strategies on epoll(7) share. */
#ifndef IOBENCH_STRATEGY_SERVICE_EPOLL_SERVICE_H
#define IOBENCH_STRATEGY_SERVICE_EPOLL_SERVICE_H

#include "strategy/service/service.h"

#ifdef HAVE_SYS_EPOLL_H
#include <sys/epoll.h>

enum { EPOLL_SERVICE_BATCH = 256 };

/* What the data of an event points to, beside connections. */
struct epoll_service {
    struct service service;
    int fd;              /* 0: not made */
    uint32_t listening;  /* the events that the listening socket is watched for */
    char listens, wakes; /* their addresses stand for the listening socket and stop_fd */
    struct epoll_event events[EPOLL_SERVICE_BATCH];
};

/* An instance with the listening socket and stop_fd; edge: EPOLLET for the former, or 0. */
int epoll_service_setup(struct epoll_service *state, const struct task *task, size_t size,
                        uint32_t edge, struct err *err) MUST_CHECK;
void epoll_service_teardown(struct epoll_service *state, void (*forget)(struct served *));

int epoll_service_watch(struct epoll_service *state, struct served *served, int operation,
                        uint32_t events) MUST_CHECK;

/* Accepts until nobody is there; the connections are watched for these events. */
int epoll_service_accept(struct epoll_service *state, uint32_t events) MUST_CHECK;

/* Waits once. How many events came; -1 on failure. */
int epoll_service_wait(struct epoll_service *state);

/* The loop of them all; on_event is inlined. It may close its connection: epoll forgets that by
 * itself, and tells of each once a wait. */
static inline __attribute__((always_inline)) int
epoll_service_pass(struct epoll_service *state, const struct task *task, struct tally *tally,
                   struct err *err, uint32_t events,
                   int (*on_event)(struct epoll_service *, struct served *))
{
    service_begin(&state->service, task, tally, err);
    while (!service_is_over(&state->service)) {
        int n = epoll_service_wait(state);
        if (n < 0)
            return -1;
        for (int e = 0; e < n; e++) {
            void *what = state->events[e].data.ptr;
            if (what == &state->wakes)
                continue;
            if ((what == &state->listens ? epoll_service_accept(state, events)
                                         : on_event(state, what)) != 0)
                return -1;
        }
    }
    return 0;
}
#endif

int epoll_service_probe(struct err *err);

#endif
