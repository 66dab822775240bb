/* What a worker has done so far. It lies in memory shared with the parent, one per worker on cache
 * lines of its own, so that progress can be seen while a trial runs. Only its worker writes it. */
#ifndef IOBENCH_BASE_TALLY_H
#define IOBENCH_BASE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/* Stands for "not measured" wherever a count is a uint64_t; null in JSON. */
#define UNKNOWN UINT64_MAX

struct histogram;

/* What histograms may be kept of. */
enum histogram_of {
    OF_LATENCY,  /* time of single calls, or of requests from the moment meant for them, in ns */
    OF_SIZES,    /* what single calls brought: bytes or events */
    OF_SERVICE,  /* time of requests from when they were sent */
    OF_LATENESS, /* from the moment meant for a request until it was sent */
    HISTOGRAMS
};

/* What some strategies and peers count beside calls and bytes. One row in tally.c names each. */
enum counter {
    COUNTER_WAITS,           /* calls that only waited: poll, epoll_wait, ... */
    COUNTER_AGAIN,           /* calls that found nothing there (EAGAIN) */
    COUNTER_DATAGRAMS,       /* sent or received, the truncated ones included */
    COUNTER_TRUNCATED,       /* datagrams that were longer than the block */
    COUNTER_EMPTY,           /* datagrams without a byte */
    COUNTER_NO_BUFFER,       /* times that the kernel had no provided buffer left (ENOBUFS) */
    COUNTER_EVENTS,          /* that waits returned */
    COUNTER_EMPTY_WAITS,     /* waits that returned none */
    COUNTER_READS,           /* that brought something */
    COUNTER_MESSAGES,        /* written, or read: several may come by one read */
    COUNTER_SPURIOUS,        /* events with nothing behind them */
    COUNTER_FULL,            /* waits that returned as many events as they may */
    COUNTER_UNIQUE,          /* handles that were served at all */
    COUNTER_SYSTEM_SWITCHES, /* context switches of the whole system meanwhile */
    /* Of a server. */
    COUNTER_CONTROLS,     /* calls that only said what to wait for: epoll_ctl */
    COUNTER_ACCEPTS,      /* connections that were accepted, before the clock as well */
    COUNTER_MOST_OPEN,    /* that were open at once */
    COUNTER_REFUSED,      /* that there was no descriptor, memory or thread for */
    COUNTER_BROKEN,       /* that ended by an error */
    COUNTER_BAD_REQUESTS, /* requests that were answered with an HTTP error */
    /* Of a load generator. */
    COUNTER_REQUESTS,         /* answered, in time and rightly or not */
    COUNTER_ASKED,            /* connections that were to be made */
    COUNTER_ESTABLISHED,      /* that were made */
    COUNTER_RECONNECTIONS,    /* made again while the clock ran */
    COUNTER_LOST,             /* that could not be made again */
    COUNTER_CLOSED,           /* that the server closed while an answer was due */
    COUNTER_RESET,            /* the same by an error */
    COUNTER_TIMEOUTS,         /* requests that got no answer in time */
    COUNTER_WRONG,            /* connections that got other bytes than they had sent */
    COUNTER_MALFORMED,        /* that got no HTTP */
    COUNTER_STATUS_ERRORS,    /* answers with a status of 400 and above, or below 200 */
    COUNTER_IN_FLIGHT,        /* requests without an answer at the end */
    COUNTER_LATE,             /* sent more than a millisecond after their moment */
    COUNTER_SPIN_NS,          /* processor time spent on waiting for the moment of a request */
    COUNTER_LISTEN_OVERFLOWS, /* of the whole system: a listening socket had no room
                                 (ListenOverflows) */
    COUNTER_RETRANSMITS,      /* the same: segments sent again (RetransSegs) */
    COUNTERS
};

/* Who counts it. */
enum { COUNTED_BY_STREAMS = 1u << 0, COUNTED_BY_EVENTS = 1u << 1, COUNTED_BY_SERVICES = 1u << 2 };

/* Requests that failed, of whatever kind. */
uint64_t counters_failed(const uint64_t counter[]);

struct counter_info {
    const char *key; /* in the JSON */
    unsigned by;
    bool in_intervals; /* told for each interval as well */
};
extern const struct counter_info counter_info[COUNTERS];

/* What a socket of this end was set to, and what TCP knew at the end; UNKNOWN where there is no
 * such figure. All zero: no socket. */
struct socket_facts {
    bool known;
    uint64_t rcvbuf_bytes, sndbuf_bytes; /* as the kernel has them: twice what was asked for */
    uint64_t nodelay, rtt_ns, retransmits;
    uint64_t delivered;  /* segments that TCP knows to have arrived */
    uint64_t drops;      /* datagrams that found no room in the receive buffer */
    char congestion[16]; /* "" where there is none */
};

/* How evenly several connections were served. */
struct fairness {
    uint64_t connections, least_bytes, most_bytes;
    double sum, sum_of_squares; /* of the bytes of each */
};

/* How often which number was met: an errno value, an HTTP status. What finds no room counts as the
 * last one. */
enum { NUMBERS_COUNTED = 8 };
struct numbered {
    struct {
        int number;
        uint64_t n; /* 0: from here on none is used */
    } of[NUMBERS_COUNTED];
};

void numbered_add(struct numbered *counts, int number, uint64_t n);
void numbered_merge(struct numbered *counts, const struct numbered *other);

struct tally {
    _Alignas(128) uint64_t passes;
    uint64_t bytes;       /* delivered */
    uint64_t calls;       /* made by the strategy, end of file included; UNKNOWN: it makes none */
    uint64_t short_calls; /* that gave less than asked for, but something */
    uint64_t newlines;    /* counted under consume=lines */
    uint64_t sum;         /* what consume read from the bytes; keeps the compiler honest */
    uint64_t digest;      /* XXH3 (64 bits) of the whole work, under consume=digest */
    uint64_t open_ns, close_ns; /* only where phases is set */
    uint64_t counter[COUNTERS];
    struct socket_facts socket; /* of the first connection */
    struct fairness fairness;
    uint64_t ramp_bytes;            /* moved before the clock */
    uint64_t cut_bytes;             /* that came but did not fit: of truncated datagrams */
    uint64_t foreign_cpu_ns;        /* of ended children, but spent before the timed part */
    uint64_t tree_cpu_ns;           /* of other processes that did the work, in the timed part */
    uint64_t tree_rss_bytes;        /* the most memory that they held; 0: there are none */
    uint64_t thread_cpu_ns;         /* of this worker's thread, in the timed part */
    struct numbered connect_errors; /* errno values of connections that were not made */
    struct numbered statuses;       /* of HTTP answers that are no success */
    struct histogram *histogram[HISTOGRAMS]; /* NULL unless it was asked for */
    bool has_digest;
    bool lost_digest; /* of this worker's share there is none: something is missing */
    bool
        phases; /* set before the run by who wants open_ns and close_ns: they cost clock readings */
};

#endif
