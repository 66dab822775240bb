/* A server of one strategy in a process of its own, and clients that look at every byte: what the
 * tests of the serving strategies stand on. */
#ifndef IOBENCH_TESTS_SERVICE_WORLD_H
#define IOBENCH_TESTS_SERVICE_WORLD_H

#include "../unit/check.h"

#include "base/rendezvous.h"
#include "strategy/registry.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MOST_WORKERS = 2, PASSES = 2 };

/* What the server's process and the test share. */
struct blackboard {
    struct rendezvous meeting;
    struct tally tally[PASSES][MOST_WORKERS];
    struct err err[MOST_WORKERS];
    _Atomic bool up;
    _Atomic int leaked; /* descriptors that are open after the teardown, and were not before */
};

struct server {
    const struct strategy *strategy;
    struct params params;
    unsigned workers, most_fds; /* 0: as many as there may be */
    struct blackboard *board;
    int listeners[MOST_WORKERS], stop_fd;
    struct sockaddr_in address;
    pid_t pid;
    bool timed;         /* the second pass runs */
    struct tally tally; /* of the second pass and all workers, after the end: bytes and calls */
};

/* What is being looked at, for messages, also when the time is up. */
extern char doing[200];
void note(const struct server *server, const char *what);

/* Has a pattern that is nowhere the same. */
enum { CONTENT = 33 << 20 };
extern unsigned char *content;
void make_content(void);

/* The i-th strategy that can serve this protocol here; NULL behind the last one. */
const struct strategy *usable(size_t *i, enum protocol protocol);

/* With the parameters in it, its strategy and the workers. */
void start_server(struct server *server);
void begin_timed(struct server *server);
/* To the end of the second pass: no failure, nothing left open. */
void stop_server(struct server *server);

int connect_to(const struct server *server, int rcvbuf);

/* One connection that sends n bytes in pieces, and gets them back. */
struct chat {
    int fd;
    const unsigned char *bytes;
    size_t n, piece; /* 0: as much as goes */
    size_t bite;     /* of one receive, with pauses; 0: as much as comes */
    size_t sent, got;
};
/* All of them at once, reading while they write; closes them. */
void talk(struct chat *chats, unsigned n);

#endif
