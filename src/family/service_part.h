/* A server as a part of a trial: a strategy, or the user's own. And the meeting of both ends. */
#ifndef IOBENCH_FAMILY_SERVICE_PART_H
#define IOBENCH_FAMILY_SERVICE_PART_H

#include "family/address.h"
#include "family/exec.h"
#include "measure/part.h"
#include "peer/load.h"
#include "strategy/strategy.h"

enum { MOST_LISTENERS = 1024 };

/* What both ends of a trial meet at. The descriptors are made before each trial, or once for all
 * where the address is the user's. */
struct service_meeting {
    struct params params;
    const struct address *listen; /* the user's; NULL: any port of loopback */
    struct rendezvous *shared;
    int wake_fd;
    int *listeners;
    unsigned n_listeners;
    struct load_target target;
};

int service_meeting_init(struct service_meeting *meeting, const struct params *params,
                         struct err *err) MUST_CHECK;
void service_meeting_free(struct service_meeting *meeting);

/* Listens where the user says, for all trials: 0, or -1. */
int service_meeting_listen(struct service_meeting *meeting, struct err *err) MUST_CHECK;

/* Listens before each trial, for both ends. */
struct link service_link(struct service_meeting *meeting);
/* For a server whose clients are out there: they come until it is told to stop. */
struct link service_link_alone(struct service_meeting *meeting);
/* For the user's own server, which listens itself. */
struct link service_link_exec(struct service_meeting *meeting);

/* The part's arg. */
struct service_work {
    const struct strategy *strategy;
    struct params params;
    struct service_meeting *meeting;
    bool alone; /* no load of ours */
};

struct part service_part(const struct service_work *work);

/* The user's own server: started, waited for until it accepts, and stopped. */
struct service_exec_work {
    struct exec_work exec;
    struct service_meeting *meeting;
    uint64_t timeout_ns; /* to begin, and to end */
};

struct part service_exec_part(const struct service_exec_work *work);

#endif
