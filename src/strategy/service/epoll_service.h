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
    int fd;
    char listens, wakes; /* their addresses stand for the listening socket and stop_fd */
    struct epoll_event events[EPOLL_SERVICE_BATCH];
};

/* An instance with the listening socket and stop_fd; edge: EPOLLET for the former. */
int epoll_service_setup(struct epoll_service *state, const struct task *task, size_t size,
                        bool edge, struct err *err) MUST_CHECK;

int epoll_service_watch(struct epoll_service *state, struct served *served, int operation,
                        uint32_t events);

/* Waits once. How many events came; -1 on failure. */
int epoll_service_wait(struct epoll_service *state);
#endif

int epoll_service_probe(struct err *err);

#endif
