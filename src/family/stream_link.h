/* Connections between the two ends of a trial: both are made in the parent. */
#ifndef IOBENCH_FAMILY_STREAM_LINK_H
#define IOBENCH_FAMILY_STREAM_LINK_H

#include "base/err.h"
#include "base/params.h"
#include "measure/part.h"
#include "peer/ends.h"

/* arg of the link. */
struct stream_link {
    struct ends ends;
    struct params params; /* transport, connections and socket options */
};

/* Room for the descriptors. Free with stream_link_free(). */
int stream_link_init(struct stream_link *link, const struct params *params,
                     struct err *err) MUST_CHECK;
void stream_link_free(struct stream_link *link);

/* Makes the connections before each trial; the parent's copies are closed once both ends run. */
struct link stream_link_own(struct stream_link *link);

/* A socket's options as the case asks for them: those that a receiver needs before it is connected,
 * or those of a sender. */
int stream_set_receiver(int fd, const struct params *params, struct err *err) MUST_CHECK;
int stream_set_sender(int fd, const struct params *params, struct err *err) MUST_CHECK;

#endif
