/* The thread of one connection, which blocks in its calls. */
#ifndef IOBENCH_STRATEGY_SERVICE_CONVERSE_H
#define IOBENCH_STRATEGY_SERVICE_CONVERSE_H

#include "strategy/service/service.h"

#include <pthread.h>

struct thread {
    struct served served;   /* listed by the worker */
    struct service service; /* its own view: buffer, tally, error */
    struct tally tally;
    struct err err;
    pthread_t id;
    enum phase counted; /* what it counted belongs to this phase */
    _Atomic bool done;
    _Atomic unsigned *all_done; /* how many are, and have not been joined */
};

/* What the thread does; opaque is a struct thread. */
void *thread_converse(void *opaque);

#endif
