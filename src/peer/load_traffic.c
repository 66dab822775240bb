#include "config.h"

#include "base/clock.h"
#include "peer/load_state.h"

#include <errno.h>
#include <string.h>

void load_begin(struct load *load, struct connection *c, uint64_t n, uint64_t intended_ns)
{
    for (uint64_t i = 0; i < n; i++) {
        c->stamps[c->began % load->pipeline] = (struct stamp){intended_ns, load->now};
        c->began++;
    }
    c->unsent += n * load->message;
    c->quota -= n;
    load->left -= n;
    load->under_way += n;
    if (intended_ns == load->now && load->gap_ns == 0) /* no moment was meant for it */
        return;
    uint64_t late = load->now > intended_ns ? load->now - intended_ns : 0;
    if (load->tally->histogram[OF_LATENESS] != NULL)
        histogram_record(load->tally->histogram[OF_LATENESS], late);
    load->tally->counter[COUNTER_LATE] += late > NS_PER_MS;
}

/* Bytes of the next send: to the end of a piece, where requests are split. */
static size_t next_send(const struct load *load, const struct connection *c, size_t at)
{
    uint64_t n = c->unsent;
    if (load->piece < load->message) {
        uint64_t left = c->unsent % load->message; /* of this request; 0: it has not begun */
        uint64_t done = left > 0 ? load->message - left : 0;
        uint64_t piece_end = (done / load->piece + 1) * load->piece;
        n = (piece_end < load->message ? piece_end : load->message) - done;
    }
    if (n > load->room - at)
        n = load->room - at;
    return n < LOAD_BUFFER ? (size_t)n : LOAD_BUFFER;
}

void load_flush(struct load *load, struct connection *c)
{
    bool was_blocked = c->blocked;
    c->blocked = false;
    while (c->unsent > 0) {
        size_t at = (size_t)(c->out % load->period);
        size_t n = next_send(load, c, at);
        ssize_t put = send(c->fd, load->block + at, n, MSG_NOSIGNAL);
        load->tally->calls++;
        if (put >= 0) {
            load->tally->short_calls += (size_t)put < n;
            c->out += (uint64_t)put;
            c->unsent -= (uint64_t)put;
        } else if (errno == EAGAIN) {
            load->tally->counter[COUNTER_AGAIN]++;
            c->blocked = true;
            break;
        } else if (errno != EINTR) {
            load_fail(load, c, COUNTER_RESET);
            return;
        }
    }
    if (c->blocked != was_blocked)
        load_watch(load, c);
}

static void answered(struct load *load, struct connection *c)
{
    const struct stamp *stamp = &c->stamps[c->answered % load->pipeline];
    struct tally *tally = load->tally;
    c->answered++;
    c->proved = true;
    load->under_way--;
    tally->counter[COUNTER_REQUESTS]++;
    if (tally->histogram[OF_LATENCY] != NULL)
        histogram_record(tally->histogram[OF_LATENCY], load->now - stamp->intended_ns);
    if (tally->histogram[OF_SERVICE] != NULL)
        histogram_record(tally->histogram[OF_SERVICE], load->now - stamp->sent_ns);
}

void load_fail(struct load *load, struct connection *c, enum counter counter)
{
    uint64_t n = c->began - c->answered;
    load->tally->counter[counter] +=
        counter == COUNTER_WRONG || counter == COUNTER_MALFORMED ? 1 : n;
    for (; c->answered < c->began; c->answered++) {
        uint64_t since = c->stamps[c->answered % load->pipeline].intended_ns;
        if (counter == COUNTER_TIMEOUTS && load->tally->histogram[OF_LATENCY] != NULL)
            histogram_record(load->tally->histogram[OF_LATENCY], load->now - since);
    }
    load->under_way -= n;
    load_reconnect(load, c, n == 0);
}

/* The same bytes as were sent, and not more of them. False: the connection was given up. */
static bool take_raw(struct load *load, struct connection *c, size_t n)
{
    const unsigned char *bytes = load->buffer;
    bool wrong = c->in + n > c->out;
    c->in_message += n;
    while (n > 0 && !wrong) {
        size_t at = (size_t)(c->in % load->period);
        size_t piece = n < load->room - at ? n : load->room - at;
        wrong = memcmp(bytes, load->block + at, piece) != 0;
        bytes += piece;
        n -= piece;
        c->in += piece;
    }
    if (wrong) {
        load_fail(load, c, COUNTER_WRONG);
        return false;
    }
    for (; c->in_message >= load->message; c->in_message -= load->message)
        answered(load, c);
    return true;
}

/* Where the parser calls back to. */
struct parse {
    struct load *load;
    struct connection *c;
};

static int on_body(http_parser *parser, const char *at, size_t n)
{
    const struct parse *parse = parser->data;
    (void)at;
    parse->c->body += n;
    return 0;
}

/* Stops behind each answer: what follows is another one. */
static int on_complete(http_parser *parser)
{
    const struct parse *parse = parser->data;
    struct load *load = parse->load;
    struct connection *c = parse->c;
    if (parser->status_code < 200 && parser->status_code != 101)
        return 0; /* the answer itself is to follow */
    if (parser->status_code < 200 || parser->status_code >= 400) {
        load->tally->counter[COUNTER_STATUS_ERRORS]++;
        numbered_add(&load->statuses, parser->status_code, 1);
    } else if (load->work->knows_body && c->body != load->work->params.value[KNOB_MESSAGE_SIZE]) {
        load->tally->counter[COUNTER_WRONG]++;
        load->odd = true;
    }
    c->body = 0;
    c->ends = !http_should_keep_alive(parser);
    answered(load, c);
    http_parser_pause(parser, 1);
    return 0;
}

/* Parses one answer or a piece of it. Returns the bytes of it; 0: it is no HTTP. */
static size_t parse_answer(struct load *load, struct connection *c, const unsigned char *bytes,
                           size_t n)
{
    static const http_parser_settings settings = {.on_body = on_body,
                                                  .on_message_complete = on_complete};
    struct parse parse = {load, c};
    uint64_t before = c->answered;
    c->parser.data = &parse;
    size_t taken = http_parser_execute(&c->parser, &settings, (const char *)bytes, n);
    c->parser.data = NULL;
    if (c->answered > before) {
        bool whole = c->in_message == 0 && c->parser.status_code < 300 && !c->ends && !load->odd;
        http_parser_pause(&c->parser, 0);
        c->in_message = 0;
        load->n_remembered = 0;
        if (whole && taken <= LOAD_REMEMBERED) {
            memcpy(load->remembered, bytes, taken);
            load->n_remembered = taken;
        }
        return taken;
    }
    c->in_message += taken;
    return HTTP_PARSER_ERRNO(&c->parser) == HPE_OK ? taken : 0;
}

/* An answer with the very bytes of the one before says the same: it need not be parsed again. */
static bool take_http(struct load *load, struct connection *c, size_t n)
{
    for (const unsigned char *bytes = load->buffer; n > 0 && !c->ends;) {
        size_t taken = load->n_remembered;
        if (c->answered == c->began) {
            load_fail(load, c, COUNTER_MALFORMED); /* nobody asked */
            return false;
        }
        if (c->in_message == 0 && taken > 0 && n >= taken &&
            memcmp(bytes, load->remembered, taken) == 0)
            answered(load, c);
        else
            taken = parse_answer(load, c, bytes, n);
        if (taken == 0) {
            load_fail(load, c, COUNTER_MALFORMED);
            return false;
        }
        bytes += taken;
        n -= taken;
    }
    if (c->ends) /* it says so itself: what else is under way is lost */
        load_fail(load, c, COUNTER_CLOSED);
    return !c->ends;
}

/* An answer without a length ends with the connection. */
static void ended(struct load *load, struct connection *c)
{
    if (load->http && c->in_message > 0)
        parse_answer(load, c, NULL, 0);
    load_fail(load, c, COUNTER_CLOSED);
}

void load_receive(struct load *load, struct connection *c)
{
    ssize_t got = recv(c->fd, load->buffer, LOAD_BUFFER, 0);
    load->tally->calls++;
    load->now = clock_now_ns();
    if (got > 0) {
        load->tally->bytes += (uint64_t)got;
        bool goes_on =
            load->http ? take_http(load, c, (size_t)got) : take_raw(load, c, (size_t)got);
        if (goes_on)
            load_refill(load, c);
    } else if (got == 0) {
        ended(load, c);
    } else if (errno == EAGAIN) {
        load->tally->counter[COUNTER_AGAIN]++;
    } else if (errno != EINTR) {
        load_fail(load, c, COUNTER_RESET);
    }
}
