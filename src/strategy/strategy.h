/* A strategy is one way of doing a kind of work.
 *
 * How to add one: write a file like file/sysread.c that ends in a `const struct strategy`, add its
 * name to the list in registry.c and the file to Makefile.am. That is all: it is then listed,
 * documented by `iobench list`, measured, and put through the contract tests. A new knob is one row
 * in base/params.c. Rules for what a strategy may do:
 *   - pass() is the only timed call. It does the work once, from open to close, and holds no
 *     allocation, no function pointer per operation and no printing. It sees no clock, no options
 *     and no stdout, and starts no thread.
 *   - All the memory it needs is got and touched in setup().
 *   - Every call that it makes is counted in tally->calls, the one that meets the end included.
 */
#ifndef IOBENCH_STRATEGY_STRATEGY_H
#define IOBENCH_STRATEGY_STRATEGY_H

#include "base/err.h"
#include "base/exchange.h"
#include "base/params.h"
#include "base/rendezvous.h"
#include "base/tally.h"
#include "strategy/consume.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum family { FAMILY_FILE, FAMILY_STREAM, FAMILY_EVENTS, FAMILY_SERVICE };

/* Groups, for --mode. */
enum group {
    GROUP_SYSCALL = 1u << 0,
    GROUP_STDIO = 1u << 1,
    GROUP_MAPPED = 1u << 2,
    GROUP_ASYNC = 1u << 3,  /* several requests in flight */
    GROUP_KERNEL = 1u << 4, /* the bytes never leave the kernel */
    GROUP_LIBEVENT = 1u << 5,
    GROUP_BLOCKING = 1u << 6, /* waits inside the call that receives */
    GROUP_EVENTS = 1u << 7,   /* waits for readiness first */
    GROUP_CONTROL = 1u << 8,  /* not waiting, but what it takes to be told: for --ctl alone */
};

/* What a source must offer. */
enum need {
    NEED_SEEK = 1u << 0,    /* pread(2) and its kind: no pipe */
    NEED_MAP = 1u << 1,     /* mmap(2): no pipe, no /proc */
    NEED_END = 1u << 2,     /* holds a line in memory: no endless source */
    NEED_TOUCH = 1u << 3,   /* moves no byte that is not looked at: not with consume=none */
    NEED_REGULAR = 1u << 4, /* a regular file or block device */
    NEED_SOCKET = 1u << 5,  /* no pipe */
    NEED_STREAM = 1u << 6,  /* no datagrams */
    NEED_TCP = 1u << 7,
    NEED_DATAGRAMS = 1u << 8,
    NEED_ONE_THREAD = 1u << 10,
    NEED_THREADS = 1u << 11, /* more than one */
    NEED_BOOK = 1u << 12,    /* the writer's book of what it wrote: no more unread than it holds */
    NEED_HTTP = 1u << 13,    /* speaks nothing else */
    NEED_LONE = 1u << 9,     /* one connection a thread: it blocks on the one that it looks at */
};

/* What a family hands to a strategy; constant during one pass. */
struct task {
    const struct params *params;
    const char *name; /* for messages */
    const char *open_path;
    int fd;          /* >= 0: duplicate this instead of opening a path */
    uint64_t offset; /* this worker's slice: from here ... */
    uint64_t length; /* ... so many bytes, or to the end of the file when it is NO_LIMIT */
    uint64_t seed;   /* of a random pattern */
    struct sink sink;

    /* Streams: this worker's connections, and what is to be received from them in this pass. */
    const int *fds;
    unsigned n_fds;
    uint64_t goal;         /* bytes of all together; more may be taken only where left allows it */
    uint64_t *left;        /* of each connection; the strategy counts it down */
    const uint64_t *spare; /* of each, how much less will do when it ends early; or NULL */
    uint64_t *fd_bytes;    /* received from each so far; the strategy counts it up */
    struct sink *sinks;    /* one a connection */
    bool datagrams, pipes;
    /* Events: fds are the handles, goal the messages that all workers have
     * read together by the end of the pass, what came before it included. */
    struct exchange *exchange;
    /* Services: fds[0] is the listening socket of this worker, which does not
     * block. A pass serves until the meeting is in the phase `until`. */
    struct rendezvous *meeting;
    enum phase until;
    unsigned worker, workers;
    void *first; /* worker 0's state, for sharing */
    int stop_fd; /* becomes readable when a pass is over: wakes who waits; -1: nobody needs it */
    const _Atomic bool *stop; /* the other end sends no more than what is on its way */
};

#define NO_LIMIT UINT64_MAX

struct strategy {
    const char *name;
    const char *summary; /* one line: which calls, what for */
    const char *caveat;  /* a sentence on what to mind before choosing it; or NULL */
    enum family family;
    unsigned groups, needs;
    knob_set knobs;   /* KNOB_BIT()s beside those of the family */
    bool times_calls; /* knows --latency: see latency.h */
    bool keeps_bytes; /* they never reach user space (splice): no consume, nothing to verify */
    uint64_t least_trial_ns; /* its trials must be so long, 0: no such need */
    size_t state_size;       /* per worker; handed over zeroed, aligned for any type */

    /* Usable here? Fails with the reason. NULL: always. */
    int (*probe)(struct err *err);
    /* Can it read this file, with these parameters? Fails with the reason, naming what the file or
     * its file system asks for. May open the file. NULL: what needs says is enough. */
    int (*suits)(const struct task *task, struct err *err);
    /* NULL: nothing to set up, and then nothing to tear down. */
    int (*setup)(void *state, const struct task *task, struct err *err);
    int (*pass)(void *state, const struct task *task, struct tally *tally, struct err *err);
    /* Also after a failed setup. */
    void (*teardown)(void *state);
};

#endif
