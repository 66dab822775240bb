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

#ifdef HAVE_SYS_EPOLL_H
/* The loop over waits; flags go beside EPOLLIN, and tell at once what is there already. on_ready is
 * inlined. */
ALWAYS_INLINE int epoll_pass(const struct epoll_state *state, const struct task *task,
                             struct tally *tally, struct err *err, uint32_t flags,
                             int (*on_ready)(const struct epoll_state *, struct drain *, unsigned))
{
    struct epoll_event events[EPOLL_BATCH];
    struct drain drain;
    drain_start(&drain, task, tally, err);
    if (epoll_watch(state, &drain, flags) != 0)
        return -1;
    while (drain.left > 0 && drain.open > 0) {
        tally->counter[COUNTER_WAITS]++;
        int n = epoll_wait(state->fd, events, EPOLL_BATCH, -1);
        if (n < 0 && errno != EINTR)
            return err_set(err, errno, "cannot wait");
        for (int e = 0; e < n && drain.left > 0; e++)
            if (on_ready(state, &drain, events[e].data.u32) != 0)
                return -1;
    }
    epoll_forget_all(state, task);
    return 0;
}
#endif

#endif
