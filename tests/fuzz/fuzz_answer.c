/* Any bytes at all, in pieces of any length, as what a client of the HTTP server says: `make fuzz`.
 */
#include "config.h"

#include "strategy/service/answer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

/* Sends at most n bytes of what there is to be sent, each of them as it has to be. */
static size_t send_some(struct answers *answers, struct answer *answer, size_t n)
{
    const unsigned char *out;
    size_t sent = 0, most;
    while (sent < n && (most = answer_next(answers, answer, &out)) > 0) {
        size_t piece = most < n - sent ? most : n - sent;
        unsigned sum = 0;
        for (size_t i = 0; i < piece; i++) /* all of it can be read */
            sum += out[i];
        demand(piece == 0 || sum > 0);
        if (answer->owed > 0 && answer->at == 0 && piece >= 9)
            demand(memcmp(out, "HTTP/1.1 ", 9) == 0);
        answer_sent(answers, answer, piece);
        sent += piece;
    }
    return sent;
}

static void converse(struct answers *answers, const unsigned char *bytes, size_t size)
{
    struct answer answer;
    answer_open(&answer);
    for (size_t at = 0; at < size;) {
        size_t piece = (size_t)bytes[at] * bytes[at] + 1;
        piece = piece < size - at ? piece : size - at;
        uint64_t owed = answer.owed;
        bool last = answer.last;
        answer_take(answers, &answer, bytes + at, piece);
        at += piece;
        uint64_t more = answer.owed - owed;
        demand(answer.owed >= owed && more % answers->answer == 0); /* whole answers */
        demand(more / answers->answer <= piece);
        demand(!last || (answer.last && more == 0)); /* nothing after the last one */
        demand(answer.last || !answer.refused);
        demand(answer.kept == NULL); /* and no memory for any of it */
        if (bytes[at - 1] % 3 == 0)
            send_some(answers, &answer, (size_t)bytes[at - 1] * 50);
        if (!answer.last && bytes[at - 1] % 5 == 0)
            send_some(answers, &answer, SIZE_MAX);
    }
    send_some(answers, &answer, SIZE_MAX);
    demand(answer.owed == 0 && answer_is_over(&answer) == answer.last);
    answer_close(&answer);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    struct rendezvous meeting = {0};
    struct answers answers;
    struct params params = {{0}};
    struct err err = {0};
    params.value[KNOB_PROTOCOL] = PROTOCOL_HTTP;
    params.value[KNOB_MESSAGE_SIZE] = size > 0 ? bytes[0] : 0;
    demand(answers_init(&answers, &params, &meeting, &err) == 0);
    converse(&answers, bytes, size);
    demand(atomic_load(&meeting.bad_requests) <= 1); /* a connection */
    answers_free(&answers);
    return 0;
}
