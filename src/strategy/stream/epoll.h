/* What the strategies on epoll(7) share: an instance, and the connections that it watches. */
#ifndef IOBENCH_STRATEGY_STREAM_EPOLL_H
#define IOBENCH_STRATEGY_STREAM_EPOLL_H

#include "strategy/stream/drain.h"

#ifdef HAVE_SYS_EPOLL_H
#include <sys/epoll.h>
#endif

enum { EPOLL_BATCH = 64 }; /* events taken by one wait */

struct epoll_state {
    struct drain_buffer buffer;
    int fd; /* 0: not made */
};

int epoll_probe(struct err *err);
int epoll_setup(void *state, const struct task *task, struct err *err);
void epoll_teardown(void *state);

/* Watches the connections that more is to come from, for events beside EPOLLIN; and lets go of one,
 * or of what is left of them. */
int epoll_watch(const struct epoll_state *state, const struct drain *drain, uint32_t events);
void epoll_forget(const struct epoll_state *state, const struct task *task, unsigned i);
void epoll_forget_all(const struct epoll_state *state, const struct task *task);

#endif
