/* What the serving strategies on libevent share. */
#ifndef IOBENCH_STRATEGY_SERVICE_LIBEVENT_SERVICE_H
#define IOBENCH_STRATEGY_SERVICE_LIBEVENT_SERVICE_H

#include "strategy/service/service.h"

#include <event2/event.h>

struct bufferevent;

struct libevent_service {
    struct service service;
    struct event_base *base;
    struct event *listens, *wakes;
    bool failed; /* a callback has; the error says how */
};

/* A base that stop_fd wakes, and that calls on_connections with the state when somebody waits to be
 * accepted; NULL: that is looked after elsewhere. size as in service_setup(). */
int libevent_service_setup(struct libevent_service *state, const struct task *task, size_t size,
                           event_callback_fn on_connections, struct err *err) MUST_CHECK;
int libevent_service_pass(void *state, const struct task *task, struct tally *tally,
                          struct err *err);
void libevent_service_teardown(struct libevent_service *state, void (*forget)(struct served *));

/* The next connection, NULL when there is none. */
struct served *libevent_service_accept(struct libevent_service *state);

/* libevent has no memory left. */
void libevent_service_fail(struct libevent_service *state);

/* From now on each read and each write of the library counts as a call. */
int libevent_service_count(struct libevent_service *state, struct bufferevent *events) MUST_CHECK;

#endif
