/* The descriptors that join a receiver and a sender: made in the parent, inherited by both. */
#ifndef IOBENCH_PEER_ENDS_H
#define IOBENCH_PEER_ENDS_H

#include "base/params.h"
#include "base/tally.h"

#include <stdbool.h>
#include <stdint.h>

struct ends {
    unsigned n;
    int *receive, *send; /* n of each; -1: none */
    enum transport transport;
};

static inline bool transport_has_datagrams(enum transport t)
{
    return t == TRANSPORT_UDP || t == TRANSPORT_UNIX_DGRAM;
}

static inline bool transport_is_tcp(enum transport t)
{
    return t == TRANSPORT_TCP || t == TRANSPORT_TCP6;
}

/* Closes what is open of n descriptors and marks them so. */
void ends_close(int *fds, unsigned n);

/* What the socket is set to, and what TCP knows of its connection. */
void ends_describe(int fd, struct socket_facts *facts);

#endif
