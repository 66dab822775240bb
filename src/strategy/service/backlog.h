/* What came from a connection while what came before was still being answered. */
#ifndef IOBENCH_STRATEGY_SERVICE_BACKLOG_H
#define IOBENCH_STRATEGY_SERVICE_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. Free with backlog_free(). */
struct backlog {
    struct backlog_bytes {
        unsigned char *at;
        size_t n, room;
    } now, waiting;
};

/* Copies n bytes; false: no memory. */
bool backlog_add(struct backlog *backlog, const unsigned char *bytes, size_t n);
/* All that waits becomes what is answered now, and stays where it is until the next call. */
void backlog_next(struct backlog *backlog);
void backlog_free(struct backlog *backlog);

#endif
