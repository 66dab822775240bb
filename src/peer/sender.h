/* The sending end of streams and datagrams. It sends a block that repeats, so that the bytes are
 * not its cost and can be known to the other end. */
#ifndef IOBENCH_PEER_SENDER_H
#define IOBENCH_PEER_SENDER_H

#include "measure/part.h"
#include "peer/ends.h"

#include <stddef.h>

/* The part's arg; constant but for the descriptors, which are there once it runs. */
struct sender_work {
    struct ends *ends;
    int listener; /* >= 0: accept one connection there and send to that */
    /* Before the clock, instead of what was inherited: connects ends->send; or NULL. */
    int (*meet)(const void *arg, struct ends *ends, struct err *err);
    const void *meet_arg;
    uint64_t pass_bytes; /* of all connections together; UNKNOWN: until stopped */
    size_t send_size;    /* of one send, or of a datagram */
};

struct part sender_part(const struct sender_work *work);

/* Both ends agree on these. Bytes on top of the passes that a ramp makes: whole datagrams. */
uint64_t sender_ramp_bytes(const struct sender_work *work, double ramp);
/* What connection i of n gets of a total; whole datagrams but for the last. */
uint64_t sender_share(const struct sender_work *work, uint64_t total, unsigned i);

/* The block that every connection's stream repeats, from its first byte on: small beside the
 * caches, and no power of two, so that a piece out of its place is not the piece that belongs
 * there. */
enum { SENDER_PERIOD = 63 * 64 };
void sender_fill(unsigned char *bytes, size_t n);

#endif
