/* What a connection of a server has been asked and has yet to say: the protocol, without any input
 * or output. Raw bytes are said back; an HTTP request gets one and the same answer. */
#ifndef IOBENCH_STRATEGY_SERVICE_ANSWER_H
#define IOBENCH_STRATEGY_SERVICE_ANSWER_H

#include "base/err.h"
#include "base/params.h"
#include "base/rendezvous.h"

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of one receive. Nobody holds more of a connection than that: who does not take his answers
 * is not asked for more requests. */
enum { ANSWER_BUFFER = 16 * 1024 };
/* Of a request's line and headers together; more gets 431 (RFC 6585). */
enum { LONGEST_HEADER = 8 * 1024 };
/* Who asked wrongly may not have read the answer yet, and would lose it if the connection were
 * closed while bytes of his arrive: so many more of them are taken and thrown away. */
enum { MOST_IGNORED = 256 * 1024 };
/* Of the body of an HTTP answer. */
#define LARGEST_BODY (UINT64_C(16) << 20)

/* The same for all connections of a worker. */
struct answers {
    enum protocol protocol;
    unsigned char *block;   /* HTTP: the answer, several times */
    size_t answer, repeats; /* its length, and how often it stands there */
    size_t head;            /* of the answer: the body is behind it */
    char farewell[192];     /* the head of an answer that is the last one */
    struct rendezvous *meeting;
};

/* Of one connection. All zero but for what answer_open() sets. */
struct answer {
    const unsigned char *raw; /* what is to be said back; the bytes are the caller's, or kept */
    size_t raw_left;
    unsigned char *kept;
    http_parser parser;
    uint64_t owed;         /* bytes of whole answers, the begun one included */
    size_t at;             /* where in the answer the next byte stands */
    const char *last_head; /* one more answer behind the owed ones, and then the end; or NULL */
    size_t last_left;
    size_t last_body_left;
    size_t ignored; /* bytes that came after it */
    bool last;      /* no request is listened to any more */
    bool refused;   /* because the last one was wrong */
};

/* Makes the answer for messages of this size; free with answers_free() in every case. */
int answers_init(struct answers *answers, const struct params *params, struct rendezvous *meeting,
                 struct err *err) MUST_CHECK;
void answers_free(struct answers *answers);

void answer_open(struct answer *answer);
void answer_close(struct answer *answer);

/* Takes what was received, not before all of what came before is sent: raw bytes stay where they
 * are until they are sent, too, or kept. */
void answer_take(const struct answers *answers, struct answer *answer, const unsigned char *bytes,
                 size_t n);

/* The next bytes to send, until there are none: 0. */
size_t answer_next(const struct answers *answers, const struct answer *answer,
                   const unsigned char **bytes);

/* So many of them are sent. */
void answer_sent(struct answers *answers, struct answer *answer, size_t n);

/* The caller wants its buffer back: what is left of it is copied. */
int answer_keep(struct answer *answer, struct err *err) MUST_CHECK;

/* Nothing is left to be sent, and nothing will be. */
static inline bool answer_is_over(const struct answer *answer)
{
    return answer->last && answer->owed == 0 && answer->last_left == 0 &&
           answer->last_body_left == 0;
}

/* The same, but the other end is to be waited for until it closes: see MOST_IGNORED. */
static inline bool answer_lingers(const struct answer *answer)
{
    return answer->refused && answer->ignored < MOST_IGNORED;
}

#endif
