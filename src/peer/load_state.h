/* The inside of the load generator. */
#ifndef IOBENCH_PEER_LOAD_STATE_H
#define IOBENCH_PEER_LOAD_STATE_H

#include "base/histogram.h"
#include "measure/usage.h"
#include "peer/load.h"

#include <http_parser.h>

enum {
    LOAD_BUFFER = 64 * 1024,     /* of one receive, and of one send at most */
    LOAD_REMEMBERED = 16 * 1024, /* an answer that may come again */
    LOAD_LOOK_MS = 100,          /* how often a stop and timeouts are looked for */
    LOAD_MOMENTS = 1024          /* so many may begin before answers are looked for */
};

enum connection_state { CONNECTION_CLOSED, CONNECTION_MEETS, CONNECTION_READY };

struct stamp {
    uint64_t intended_ns, sent_ns;
};

struct connection {
    int fd;
    unsigned index; /* among the connections of all threads */
    enum connection_state state;
    bool watched;             /* epoll knows it */
    bool blocked;             /* watched for room to send */
    bool ends;                /* the server closes after the answer under way */
    bool pauses;              /* stands in the queue of those that think */
    bool proved;              /* has got an answer since it was made */
    uint64_t began, answered; /* requests so far; what lies between them is under way */
    uint64_t base;            /* those that had begun when the clock started */
    uint64_t due;             /* open loop: requests whose moment has come since then */
    uint64_t quota;           /* requests that it may still begin */
    uint64_t unsent;          /* bytes of begun requests */
    uint64_t out, in;         /* positions in its streams */
    uint64_t in_message;      /* bytes of the answer under way */
    uint64_t meets_until_ns;
    struct stamp *stamps; /* of the requests under way: as many as the pipeline is deep */
    http_parser parser;
    uint64_t body;
};

/* One thread. */
struct load {
    const struct load_work *work;
    const struct seat *seat;
    struct tally *tally;
    struct err *err;
    struct connection *connections;
    unsigned n, alive; /* those with a socket, made or being made */
    struct stamp *stamps;
    unsigned pipeline;
    uint64_t message, piece; /* bytes of a request; of one send at most */
    unsigned char *block;    /* what every stream of requests repeats ... */
    size_t period, room;     /* ... with this period; bytes in the block */
    unsigned char *buffer;
    unsigned char *remembered; /* the last answer that came in one piece, for it may come again */
    size_t n_remembered;
    bool odd; /* an answer was not the one that is known */
    bool http;
    int epoll;
    uint64_t left;      /* requests that may still begin */
    bool each;          /* every connection has a quota of its own */
    bool connects;      /* all of them, for the first time */
    bool ramps;         /* before the clock: connections are kept for what comes */
    uint64_t under_way; /* begun and not answered */
    uint64_t now;       /* the last reading of the clock */
    unsigned at_address;
    bool lone; /* one connection that may block */
    /* open loop */
    double gap_ns; /* between two requests of all threads; 0: closed */
    uint64_t started_ns, due_round, issued, to_issue;
    unsigned due_at;
    uint64_t spun_until; /* spinning is accounted for up to here; 0: not spinning */
    /* think */
    struct pause {
        uint64_t until_ns;
        unsigned at;
    } * pauses; /* of connections; a queue, with room for all: they are of the same length */
    size_t pauses_first, pauses_n;
    bool thinks;
    uint64_t looked_ns;
    struct tcp_counts tcp; /* before anything was sent */
    int error;             /* the last reason for a connection that was not made */
    uint64_t asked, established;
    struct numbered connect_errors, statuses;
    uint64_t early[COUNTERS]; /* what failed before the clock */
    /* of the first thread: */
    _Atomic unsigned all_arrived;
    _Atomic uint64_t all_established, start_ns;
};

/* load_connect.c: makes all connections, and again those that were lost. */
int load_connect_all(struct load *load) MUST_CHECK;
/* in_vain: nothing was asked on it. */
void load_reconnect(struct load *load, struct connection *c, bool in_vain);
/* A connection that is being made can be written to: it is there, or is not. */
void load_met(struct load *load, struct connection *c);
void load_watch(struct load *load, struct connection *c);

/* load_traffic.c */
void load_begin(struct load *load, struct connection *c, uint64_t n, uint64_t intended_ns);
void load_flush(struct load *load, struct connection *c);
void load_receive(struct load *load, struct connection *c);
/* Gives up what is under way: counted as counter, and at its age in the latency where told. */
void load_fail(struct load *load, struct connection *c, enum counter counter);

/* load_pace.c: what begins when. */
void load_refill(struct load *load, struct connection *c);
/* Begins all that is due, and says how long to wait at most: ms, 0 for not at all. */
int load_begin_due(struct load *load);
/* What was neither answered nor failed. */
uint64_t load_in_flight(const struct load *load);
bool load_is_done(const struct load *load);

#endif
