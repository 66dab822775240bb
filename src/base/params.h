/* The knobs of a case and their values. One row in params.c makes a knob: from it come the command
 * line option, sweeps, ids, the JSON of a case and the columns of a report. */
#ifndef IOBENCH_BASE_PARAMS_H
#define IOBENCH_BASE_PARAMS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum knob { /* in alphabetical order of their keys, which is the order inside ids */
            KNOB_ACCEPT,
            KNOB_ACTIVE,
            KNOB_ADVICE,
            KNOB_BLOCK_SIZE,
            KNOB_BYTES,
            KNOB_CACHE,
            KNOB_CLIENT_THREADS,
            KNOB_CONGESTION,
            KNOB_CONNECT_RATE,
            KNOB_CONNECTIONS,
            KNOB_CONSUME,
            KNOB_DEPTH,
            KNOB_HANDLES,
            KNOB_IO,
            KNOB_KIND,
            KNOB_MAX_EVENTS,
            KNOB_MESSAGE_SIZE,
            KNOB_NODELAY,
            KNOB_NODELAY_AT,
            KNOB_OFFSET,
            KNOB_ORDER,
            KNOB_OUTSTANDING,
            KNOB_PATTERN,
            KNOB_PIPELINE,
            KNOB_PLACE,
            KNOB_PROTOCOL,
            KNOB_RATE,
            KNOB_RCVBUF,
            KNOB_REQUESTS,
            KNOB_SEND_SIZE,
            KNOB_SHARE,
            KNOB_SIZE,
            KNOB_SNDBUF,
            KNOB_SPLIT,
            KNOB_STDIO_BUFFER,
            KNOB_THINK,
            KNOB_THREADS,
            KNOB_TRANSPORT,
            KNOB_WRITERS,
            KNOBS
};

/* A set of knobs. */
typedef uint64_t knob_set;
#define KNOB_BIT(knob) (UINT64_C(1) << (knob))

/* No value: the knob is at rest (no byte limit, say). null in JSON. */
#define PARAM_NONE UINT64_MAX

struct params {
    uint64_t value[KNOBS]; /* sizes in bytes, choices as an index */
};

/* Values of KNOB_CONSUME. The first four can be chosen; digest is for verification. */
enum consume { CONSUME_NONE, CONSUME_TOUCH, CONSUME_SUM, CONSUME_LINES, CONSUME_DIGEST };

/* Values of KNOB_ADVICE, as posix_fadvise(2) knows them. */
enum advice { ADVICE_NORMAL, ADVICE_SEQUENTIAL, ADVICE_RANDOM, ADVICE_WILLNEED, ADVICE_NOREUSE };

/* Values of KNOB_CACHE. */
enum cache { CACHE_WARM, CACHE_COLD, CACHE_AS_IS };

/* Values of KNOB_PATTERN; every other value is a stride in bytes. */
enum pattern { PATTERN_SEQUENTIAL, PATTERN_REVERSE, PATTERN_RANDOM, PATTERN_LEAST_STRIDE = 512 };

/* Values of KNOB_TRANSPORT. */
enum transport {
    TRANSPORT_TCP,
    TRANSPORT_TCP6,
    TRANSPORT_UNIX,
    TRANSPORT_UNIX_DGRAM,
    TRANSPORT_UDP,
    TRANSPORT_PIPE,
    TRANSPORT_SOCKETPAIR
};

/* Values of KNOB_KIND: what the handles are. */
enum handle_kind { HANDLE_PIPE, HANDLE_UNIX, HANDLE_INET, HANDLE_EVENTFD };

/* Values of KNOB_ORDER: in which handles are written to. */
enum handle_order { ORDER_RANDOM, ORDER_CYCLIC };

/* Values of KNOB_SHARE: one set of handles for all threads, or one each. */
enum handle_share { SHARE_ONE, SHARE_EACH };

/* Values of KNOB_PLACE: where the two ends of a trial run. */
enum place { PLACE_ANY, PLACE_SAME, PLACE_APART };

/* Values of KNOB_CONGESTION; its choices are the names that the kernel knows them by. */
enum congestion { CONGESTION_SYSTEM };

/* Values of KNOB_ACCEPT: one listening socket for all threads, or one each (SO_REUSEPORT). */
enum accept_how { ACCEPT_SHARED, ACCEPT_REUSEPORT };

/* Values of KNOB_IO: the two calls that move the bytes of a connection. */
enum io_calls { IO_READ_WRITE, IO_RECV_SEND, IO_RECVMSG_SENDMSG, IO_READV_WRITEV };

/* Values of KNOB_PROTOCOL. */
enum protocol { PROTOCOL_RAW, PROTOCOL_HTTP };

/* Values of KNOB_NODELAY_AT: the ends that set TCP_NODELAY. */
enum nodelay_at { NODELAY_BOTH, NODELAY_CLIENT, NODELAY_SERVER, NODELAY_NONE };

enum knob_kind {
    KNOB_KIND_SIZE,
    KNOB_KIND_COUNT,
    KNOB_KIND_TIME, /* in ns */
    KNOB_KIND_CHOICE,
    KNOB_KIND_PATTERN
};

struct knob_info {
    const char *key;      /* in JSON and ids */
    const char *option;   /* long option */
    const char *letters;  /* short option, or NULL */
    const char *datatype; /* shown by --help */
    const char *help;
    const char *column; /* heading in a text report */
    enum knob_kind kind;
    const char *const *choices; /* NULL-terminated, for KNOB_KIND_CHOICE */
    uint64_t initial, least, most;
    unsigned sweeps; /* 1: takes a list, each value a case of its own */
};

extern const struct knob_info knob_info[KNOBS];

void params_init(struct params *params);

/* Reads one value (no list) for knob; the message names the option. */
int params_parse(enum knob knob, const char *text, uint64_t *value, struct err *err) MUST_CHECK;

/* The value as it stands in an id: "131072", "touch", "none". Returns text. */
enum { PARAM_TEXT = 32 };
char *params_text(enum knob knob, uint64_t value, char text[PARAM_TEXT]);

#endif
