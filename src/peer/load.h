/* The load generator: connections to a server, requests on them, and how long each was waited for.
 *
 * A closed loop sends a request when an earlier one is answered (as wrk does). An open loop (a
 * rate) has a moment for each request whatever the server does, and counts latency from that
 * moment: what a server that pauses does to its users is not hidden by a load that waits for it
 * ("coordinated omission", G. Tene, "How NOT to Measure Latency", 2013). */
#ifndef IOBENCH_PEER_LOAD_H
#define IOBENCH_PEER_LOAD_H

#include "base/params.h"
#include "base/rendezvous.h"
#include "measure/part.h"

#include <sys/socket.h>

/* Where the server is: addresses to be tried in turn. */
enum { MOST_ADDRESSES = 8 };
struct load_target {
    unsigned n;
    struct {
        struct sockaddr_storage address;
        socklen_t size;
    } at[MOST_ADDRESSES];
    char name[300]; /* for messages, and the Host of HTTP, port included (RFC 9110) */
};

/* The part's arg; constant but for what is made before each trial. */
struct load_work {
    struct params params;
    const struct load_target *target;
    uint64_t timeout_ns;        /* of a connection to be made, and of an answer */
    bool knows_body;            /* HTTP: the server is ours, and answers with a message */
    struct rendezvous *meeting; /* with the server, which is told the phases; NULL: it knows none */
    unsigned server_workers;    /* that are waited for before the clock starts */
    const int *wake_fd;         /* an eventfd: wakes them */
    int *listeners;             /* theirs, inherited: closed here */
    unsigned n_listeners;
};

/* A thread takes every n-th connection. A pass is a request on each connection, all of them
 * together: whoever is answered first sends first. With --requests a pass is that many on each. */
struct part load_part(const struct load_work *work);

/* Requests of a pass. */
uint64_t load_pass_requests(const struct params *params);

#endif
