/* The family of waiting on many descriptors: from a request to cases. */
#ifndef IOBENCH_FAMILY_EVENTS_H
#define IOBENCH_FAMILY_EVENTS_H

#include "family/request.h"
#include "measure/run.h"

/* The knobs that every event strategy has. */
#define EVENTS_KNOBS                                                                               \
    (KNOB_BIT(KNOB_ACTIVE) | KNOB_BIT(KNOB_HANDLES) | KNOB_BIT(KNOB_KIND) | KNOB_BIT(KNOB_ORDER) | \
     KNOB_BIT(KNOB_OUTSTANDING) | KNOB_BIT(KNOB_PLACE) | KNOB_BIT(KNOB_RATE) |                     \
     KNOB_BIT(KNOB_THREADS) | KNOB_BIT(KNOB_WRITERS))

struct events_plan;

/* Checks the request as far as that needs no descriptor. */
int events_check_request(const struct request *request, struct err *err) MUST_CHECK;

/* Adds the cases to the run, as file_plan_cases does. */
struct events_plan *events_plan_cases(const struct request *request, struct run *run,
                                      struct err *err);

void events_plan_free(struct events_plan *plan);

#endif
