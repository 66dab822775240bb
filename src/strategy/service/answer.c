#include "config.h"

#include "strategy/service/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many bytes of answers are sent by one call, if so many are owed. */
enum { BLOCK = 16 * 1024 };

static void write_head(char head[192], size_t body, const char *connection)
{
    snprintf(head, 192,
             "HTTP/1.1 200 OK\r\nServer: iobench\r\nContent-Type: text/plain\r\n"
             "Content-Length: %zu\r\nConnection: %s\r\n\r\n",
             body, connection);
}

int answers_init(struct answers *answers, const struct params *params, struct rendezvous *meeting,
                 struct err *err)
{
    size_t body = (size_t)params->value[KNOB_MESSAGE_SIZE];
    *answers = (struct answers){.protocol = (enum protocol)params->value[KNOB_PROTOCOL],
                                .meeting = meeting};
    if (answers->protocol == PROTOCOL_RAW)
        return 0;
    char head[sizeof answers->farewell];
    write_head(head, body, "keep-alive");
    write_head(answers->farewell, body, "close");
    answers->head = strlen(head);
    answers->answer = answers->head + body;
    http_parser_set_max_header_size(LONGEST_HEADER); /* of the whole process: nobody else parses */
    answers->repeats = answers->answer < BLOCK ? BLOCK / answers->answer : 1;
    answers->block = malloc(answers->repeats * answers->answer);
    if (answers->block == NULL)
        return err_set(err, errno, "cannot hold answers of %zu bytes", answers->answer);
    memcpy(answers->block, head, answers->head);
    memset(answers->block + answers->head, 'x', body);
    for (size_t i = 1; i < answers->repeats; i++)
        memcpy(answers->block + i * answers->answer, answers->block, answers->answer);
    return 0;
}

void answers_free(struct answers *answers)
{
    free(answers->block);
}

void answer_open(struct answer *answer)
{
    *answer = (struct answer){0};
    http_parser_init(&answer->parser, HTTP_REQUEST);
}

void answer_close(struct answer *answer)
{
    free(answer->kept);
    answer->kept = NULL;
}

/* The last answer of a connection. */
static void end_with(struct answer *answer, const char *head, size_t body)
{
    answer->last = true;
    answer->last_head = head;
    answer->last_left = strlen(head);
    answer->last_body_left = body;
}

/* What is said to who asks wrongly. */
#define ERROR_ANSWER(status) "HTTP/1.1 " status "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

static void refuse_with(struct answer *answer, const char *head)
{
    end_with(answer, head, 0);
    answer->refused = true;
}

/* Where the parser calls back to. */
struct parse {
    const struct answers *answers;
    struct answer *answer;
};

/* Who offers another protocol gets this one (RFC 9110, 7.8). */
static int on_headers(http_parser *parser)
{
    if (parser->method != HTTP_CONNECT)
        parser->upgrade = 0;
    return 0;
}

/* A request is complete. Not 0: no other one is listened to. */
static int on_complete(http_parser *parser)
{
    const struct parse *parse = parser->data;
    const struct answers *answers = parse->answers;
    struct answer *answer = parse->answer;
    if (parser->method == HTTP_CONNECT)
        refuse_with(answer, ERROR_ANSWER("501 Not Implemented"));
    else if (parser->method == HTTP_HEAD)
        end_with(answer, answers->farewell, 0);
    else if (!http_should_keep_alive(parser))
        end_with(answer, answers->farewell, answers->answer - answers->head);
    else
        answer->owed += answers->answer;
    return answer->last;
}

static void take_requests(const struct answers *answers, struct answer *answer,
                          const unsigned char *bytes, size_t n)
{
    static const http_parser_settings settings = {.on_headers_complete = on_headers,
                                                  .on_message_complete = on_complete};
    struct parse parse = {answers, answer};
    answer->parser.data = &parse;
    size_t taken = http_parser_execute(&answer->parser, &settings, (const char *)bytes, n);
    answer->parser.data = NULL;
    enum http_errno error = HTTP_PARSER_ERRNO(&answer->parser);
    if (!answer->last && error == HPE_HEADER_OVERFLOW)
        refuse_with(answer, ERROR_ANSWER("431 Request Header Fields Too Large"));
    else if (!answer->last && (error != HPE_OK || taken < n))
        refuse_with(answer, ERROR_ANSWER("400 Bad Request"));
    if (answer->refused)
        atomic_fetch_add(&answers->meeting->bad_requests, 1);
}

void answer_take(const struct answers *answers, struct answer *answer, const unsigned char *bytes,
                 size_t n)
{
    if (answers->protocol == PROTOCOL_RAW) {
        answer->raw = bytes;
        answer->raw_left = n;
    } else if (!answer->last) {
        take_requests(answers, answer, bytes, n);
    } else {
        answer->ignored += n;
    }
}

size_t answer_next(const struct answers *answers, const struct answer *answer,
                   const unsigned char **bytes)
{
    if (answers->protocol == PROTOCOL_RAW) {
        *bytes = answer->raw;
        return answer->raw_left;
    }
    if (answer->owed > 0) {
        size_t most = answers->repeats * answers->answer - answer->at;
        *bytes = answers->block + answer->at;
        return answer->owed < most ? (size_t)answer->owed : most;
    }
    if (answer->last_left > 0) {
        *bytes = (const unsigned char *)answer->last_head + strlen(answer->last_head) -
                 answer->last_left;
        return answer->last_left;
    }
    *bytes = answers->block + answers->answer - answer->last_body_left;
    return answer->last_body_left;
}

void answer_sent(struct answers *answers, struct answer *answer, size_t n)
{
    if (answers->protocol == PROTOCOL_RAW) {
        answer->raw += n;
        answer->raw_left -= n;
    } else if (answer->owed > 0) {
        answer->owed -= n;
        answer->at = (answer->at + n) % answers->answer;
    } else if (answer->last_left > 0) {
        answer->last_left -= n;
    } else {
        answer->last_body_left -= n;
    }
}

int answer_keep(struct answer *answer, struct err *err)
{
    bool own = answer->kept != NULL && answer->raw >= answer->kept &&
               answer->raw < answer->kept + ANSWER_BUFFER;
    if (answer->raw_left == 0 || own)
        return 0;
    if (answer->kept == NULL)
        answer->kept = malloc(ANSWER_BUFFER);
    if (answer->kept == NULL)
        return err_set(err, errno, "cannot keep what a connection does not take");
    memcpy(answer->kept, answer->raw, answer->raw_left);
    answer->raw = answer->kept;
    return 0;
}
