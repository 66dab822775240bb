/* An event strategy as a part of a trial, and the handles between it and the writer. */
#ifndef IOBENCH_FAMILY_EVENTS_PART_H
#define IOBENCH_FAMILY_EVENTS_PART_H

#include "measure/part.h"
#include "peer/event_writer.h"
#include "strategy/strategy.h"

/* Messages of one pass. */
enum { EVENTS_PASS = 1000 };

/* The part's arg; what it points to is made before each trial. */
struct events_work {
    const struct strategy *strategy;
    struct params params;
    struct event_writer_work writer;
    bool stamps; /* the writer notes when it wrote, for --latency */
};

struct part events_part(const struct events_work *work);

/* Makes the handles and the memory between the two. arg is the work. */
struct link events_link(struct events_work *work);

int events_work_init(struct events_work *work, const struct strategy *strategy,
                     const struct params *params, uint64_t seed, struct err *err) MUST_CHECK;
void events_work_free(struct events_work *work);

#endif
