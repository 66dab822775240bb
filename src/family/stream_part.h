/* A stream strategy as a part of a trial. */
#ifndef IOBENCH_FAMILY_STREAM_PART_H
#define IOBENCH_FAMILY_STREAM_PART_H

#include "family/address.h"
#include "measure/part.h"
#include "peer/sender.h"
#include "strategy/strategy.h"

/* Where the bytes come from. */
struct stream_origin {
    const struct address *connect, *listen; /* both NULL: a sender of our own */
    int listener;                           /* of listen; -1: none */
    uint64_t timeout_ns;
};

/* The part's arg; constant but for the descriptors of the sender's ends. */
struct stream_work {
    const struct strategy *strategy;
    struct params params;
    const struct sender_work *sender; /* the other end, or what it would be */
    const struct stream_origin *origin;
};

struct part stream_part(const struct stream_work *work);

/* A sender whose receiver is out there: work->sender with the meeting filled in, which is kept. */
struct part stream_send_part(struct sender_work *sender, const struct stream_work *work);

/* Digests what a sender sends, without a sender: what verification compares with. */
struct part stream_reference_part(const struct stream_work *work);

/* Is the other end somebody else's? */
bool stream_is_external(const struct stream_origin *origin);

#endif
