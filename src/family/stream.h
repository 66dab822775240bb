/* The family of draining sockets: from a request to cases. */
#ifndef IOBENCH_FAMILY_STREAM_H
#define IOBENCH_FAMILY_STREAM_H

#include "family/request.h"
#include "measure/run.h"

/* The knobs that every stream strategy has. */
#define STREAM_KNOBS                                                                 \
    (KNOB_BIT(KNOB_BYTES) | KNOB_BIT(KNOB_CONGESTION) | KNOB_BIT(KNOB_CONNECTIONS) | \
     KNOB_BIT(KNOB_CONSUME) | KNOB_BIT(KNOB_NODELAY) | KNOB_BIT(KNOB_PLACE) |        \
     KNOB_BIT(KNOB_RCVBUF) | KNOB_BIT(KNOB_SEND_SIZE) | KNOB_BIT(KNOB_SNDBUF) |      \
     KNOB_BIT(KNOB_THREADS) | KNOB_BIT(KNOB_TRANSPORT))

struct stream_plan;

/* Checks the request as far as that needs no socket. */
int stream_check_request(const struct request *request, struct err *err) MUST_CHECK;

/* Adds the cases to the run, as file_plan_cases does. */
struct stream_plan *stream_plan_cases(const struct request *request, struct run *run,
                                      struct err *err);

/* Listens where the request says so: before the first trial. */
int stream_plan_listen(struct stream_plan *plan, struct err *err) MUST_CHECK;

void stream_plan_free(struct stream_plan *plan);

#endif
