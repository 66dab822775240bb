/* The family of serving many connections: from a request to cases. */
#ifndef IOBENCH_FAMILY_SERVICE_H
#define IOBENCH_FAMILY_SERVICE_H

#include "family/request.h"
#include "measure/run.h"

/* The knobs of a load, of a server, and those that both ends together have. */
#define LOAD_KNOBS                                                                              \
    (KNOB_BIT(KNOB_CLIENT_THREADS) | KNOB_BIT(KNOB_CONNECT_RATE) | KNOB_BIT(KNOB_CONNECTIONS) | \
     KNOB_BIT(KNOB_MESSAGE_SIZE) | KNOB_BIT(KNOB_NODELAY_AT) | KNOB_BIT(KNOB_PIPELINE) |        \
     KNOB_BIT(KNOB_PROTOCOL) | KNOB_BIT(KNOB_RATE) | KNOB_BIT(KNOB_REQUESTS) |                  \
     KNOB_BIT(KNOB_SPLIT) | KNOB_BIT(KNOB_THINK))
#define SERVER_KNOBS                                                                   \
    (KNOB_BIT(KNOB_ACCEPT) | KNOB_BIT(KNOB_MESSAGE_SIZE) | KNOB_BIT(KNOB_NODELAY_AT) | \
     KNOB_BIT(KNOB_PROTOCOL) | KNOB_BIT(KNOB_THREADS))
#define SERVICE_KNOBS (LOAD_KNOBS | SERVER_KNOBS | KNOB_BIT(KNOB_PLACE) | KNOB_BIT(KNOB_TRANSPORT))

struct service_plan;

/* Checks the request as far as that needs no socket. */
int service_check_request(const struct request *request, struct err *err) MUST_CHECK;

/* Adds the cases to the run, as file_plan_cases does. */
struct service_plan *service_plan_cases(const struct request *request, struct run *run,
                                        struct err *err);

/* Looks up where to connect to, or listens where the request says so: before the first trial. */
int service_plan_begin(struct service_plan *plan, struct err *err) MUST_CHECK;

void service_plan_free(struct service_plan *plan);

#endif
