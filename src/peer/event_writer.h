/* The process that writes to the handles others wait on. It never sleeps: who waits must not wait
 * for it. */
#ifndef IOBENCH_PEER_EVENT_WRITER_H
#define IOBENCH_PEER_EVENT_WRITER_H

#include "base/exchange.h"
#include "base/params.h"
#include "measure/part.h"

/* The part's arg; the descriptors and the exchange are there once it runs. */
struct event_writer_work {
    const struct params *params;
    unsigned n;
    int *read_fds, *write_fds; /* inherited; the same for an eventfd */
    struct exchange *exchange;
    uint64_t seed;
};

/* Each of its workers writes to every n-th handle. */
struct part event_writer_part(const struct event_writer_work *work);

#endif
