/* Every registered way of serving connections, looked at from outside, byte by byte: what is said
 * back, what hostile clients get, and what is left of the server's memory, descriptors and time. A
 * new strategy is tested by being registered. */
#include "config.h"

#include "service_world.h"

#include <errno.h>
#include <http_parser.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 240 };

static void time_is_up(int signal_number)
{
    (void)signal_number;
    static const char text[] = "Bail out! no end in time: ";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0 ||
        write(STDOUT_FILENO, doing, strlen(doing)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
        _exit(2);
    _exit(1);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static struct server server_of(const struct strategy *strategy, enum protocol protocol)
{
    struct server server = {.strategy = strategy, .workers = 1};
    params_init(&server.params);
    server.params.value[KNOB_PROTOCOL] = protocol;
    server.params.value[KNOB_MESSAGE_SIZE] = 100;
    server.params.value[KNOB_THREADS] = 1;
    return server;
}

static bool has_knob(const struct strategy *strategy, enum knob knob)
{
    return (strategy->knobs & KNOB_BIT(knob)) != 0;
}

/* --- raw bytes */

static const size_t sizes[] = {1, 2, 63, 4095, 4096, 4097, 65536, (1 << 20) + 1};

static void echo_one(struct server *server, size_t size, size_t piece, size_t bite)
{
    char what[80];
    snprintf(what, sizeof what, "%zu bytes in pieces of %zu, read by %zu", size, piece, bite);
    note(server, what);
    struct chat chat = {
        connect_to(server, bite > 0 ? 4096 : 0), content + size % 1000, size, piece, bite, 0, 0};
    talk(&chat, 1);
}

static void echo_several(struct server *server)
{
    struct chat chats[7];
    note(server, "seven connections at once");
    for (unsigned i = 0; i < ROWS_OF(chats); i++)
        chats[i] = (struct chat){
            connect_to(server, 0), content + i * 100000, 10000 * i + 1, i * 1000, 0, 0, 0};
    talk(chats, ROWS_OF(chats));
}

static void echo_all(struct server *server)
{
    for (size_t i = 0; i < ROWS_OF(sizes); i++) {
        echo_one(server, sizes[i], 0, 0);
        echo_one(server, sizes[i], sizes[i] / 7 + 1, 0);
    }
    echo_one(server, 63, 1, 0);
    echo_one(server, 300000, 0, 1500);
    echo_several(server);
}

static void every_byte_comes_back(void **unused)
{
    (void)unused;
    const struct strategy *strategy;
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_RAW)) != NULL;) {
        unsigned ways = has_knob(strategy, KNOB_IO) ? IO_READV_WRITEV + 1 : 1;
        for (unsigned io = 0; io < ways; io++) {
            struct server server = server_of(strategy, PROTOCOL_RAW);
            server.params.value[KNOB_IO] = io;
            start_server(&server);
            echo_all(&server);
            if (io == 0)
                echo_one(&server, 32 << 20, 0, 0);
            stop_server(&server);
        }
    }
}

static void wait_for(const _Atomic uint64_t *count, uint64_t wanted)
{
    for (unsigned ms = 0; atomic_load(count) < wanted && ms < 5000; ms++)
        pause_ms(1);
    CHECK_COUNT(doing, atomic_load(count), ==, wanted);
}

static void only_timed_calls_count(void **unused)
{
    (void)unused;
    const struct strategy *strategy;
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_RAW)) != NULL;) {
        struct server server = server_of(strategy, PROTOCOL_RAW);
        start_server(&server);
        note(&server, "a connection that lives on from the first pass to the second");
        int fd = connect_to(&server, 0);
        struct chat before = {dup(fd), content, 1000, 0, 0, 0, 0};
        struct chat after = {fd, content, 500, 0, 0, 0, 0};
        talk(&before, 1);
        begin_timed(&server);
        talk(&after, 1);
        stop_server(&server);
        const struct tally *tally = &server.tally;
        CHECK_COUNT(doing, tally->bytes, ==, 500);
        CHECK_COUNT(doing, tally->calls, >=, 2);
    }
}

/* --- HTTP */

/* What a client was answered. */
struct replies {
    char statuses[64]; /* "200 400": of the first ones */
    unsigned n;
    size_t body; /* of the last one */
    bool wrong, closed, heads;
    http_parser parser;
};

static int on_head(http_parser *parser)
{
    struct replies *replies = parser->data;
    replies->body = 0;
    return replies->heads; /* 1: no body follows */
}

static int on_body(http_parser *parser, const char *at, size_t n)
{
    struct replies *replies = parser->data;
    replies->body += n;
    for (size_t i = 0; parser->status_code == 200 && i < n; i++)
        replies->wrong |= at[i] != 'x';
    return 0;
}

static int on_reply(http_parser *parser)
{
    struct replies *replies = parser->data;
    size_t used = strlen(replies->statuses);
    if (used + 5 < sizeof replies->statuses)
        sprintf(replies->statuses + used, "%s%u", used > 0 ? " " : "",
                (unsigned)parser->status_code % 1000);
    replies->n++;
    return 0;
}

/* Reads until so many replies have come, or the end: nothing comes for a while, or it is closed. */
static void read_replies(int fd, struct replies *replies, unsigned wanted, int patience_ms)
{
    static const http_parser_settings settings = {
        .on_headers_complete = on_head, .on_body = on_body, .on_message_complete = on_reply};
    static char buffer[64 * 1024];
    replies->parser.data = replies;
    while (!replies->closed && replies->n < wanted) {
        struct pollfd wait = {fd, POLLIN, 0};
        if (poll(&wait, 1, patience_ms) <= 0)
            break;
        ssize_t got = recv(fd, buffer, sizeof buffer, 0);
        replies->closed = got <= 0;
        size_t n = got > 0 ? (size_t)got : 0;
        replies->wrong |= http_parser_execute(&replies->parser, &settings, buffer, n) != n;
    }
}

static void begin_replies(struct replies *replies, bool heads)
{
    *replies = (struct replies){.heads = heads};
    http_parser_init(&replies->parser, HTTP_RESPONSE);
}

/* In pieces; until the other end refuses. */
static void say(int fd, const char *text, size_t n, size_t piece)
{
    for (size_t at = 0; at < n;) {
        size_t left = n - at;
        ssize_t put = send(fd, text + at, left < piece ? left : piece, MSG_NOSIGNAL);
        if (put <= 0)
            return;
        at += (size_t)put;
    }
}

#define GET "GET / HTTP/1.1\r\nHost: here\r\n"
#define EMPTY "\r\n"
#define POST_CHUNKED "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"

static const struct exchange_row {
    const char *what, *request, *statuses, *of_evhttp;
    bool closes, head;
} exchanges[] = {
    {"a request", GET EMPTY, "200", NULL, false, false},
    {"three requests in one piece", GET EMPTY GET EMPTY GET EMPTY, "200 200 200", NULL, false,
     false},
    {"HEAD", "HEAD / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n", "200", NULL, true, true},
    {"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "200", NULL, true, false},
    {"HTTP/1.0 that stays", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "200", NULL, false,
     false},
    {"a last request", GET "Connection: close\r\n\r\n", "200", NULL, true, false},
    {"one and a last request", GET EMPTY GET "Connection: close\r\n\r\n", "200 200", NULL, true,
     false},
    {"a body", "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nhello" GET EMPTY,
     "200 200", NULL, false, false},
    {"a chunked body", POST_CHUNKED "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n" GET EMPTY, "200 200",
     NULL, false, false},
    {"a chunk with an extension", POST_CHUNKED "5;a=b\r\nhello\r\n0\r\n\r\n" GET EMPTY, "200 200",
     "413", false, false},
    {"an offer of another protocol",
     GET "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" GET EMPTY, "200 200", NULL, false,
     false},
    {"no HTTP at all", "hello, who is there?\r\n\r\n", "400", NULL, true, false},
    {"a request and then none", GET EMPTY "\x01\x02\x03\r\n\r\n", "200 400", NULL, true, false},
};

/* What is asked for, and is it closed at the end? */
static void check_exchange(struct server *server, const struct exchange_row *row, size_t piece,
                           bool half_closes)
{
    char what[160];
    bool evhttp = server->strategy->needs & NEED_HTTP;
    snprintf(what, sizeof what, "%s in pieces of %zu%s", row->what, piece,
             half_closes ? ", and closed for writing" : "");
    note(server, what);
    const char *wanted = evhttp && row->of_evhttp != NULL ? row->of_evhttp : row->statuses;
    if (evhttp && half_closes && strlen(wanted) > 3)
        return; /* it answers one request at least, and perhaps no more once it has seen the end */
    struct replies replies;
    begin_replies(&replies, row->head);
    int fd = connect_to(server, 0);
    say(fd, row->request, strlen(row->request), piece);
    if (half_closes)
        shutdown(fd, SHUT_WR);
    read_replies(fd, &replies, (unsigned)(strlen(wanted) + 1) / 4, 5000);
    CHECK_TEXT(doing, replies.statuses, wanted);
    CHECK_TRUE(doing, !replies.wrong);
    if (strcmp(wanted + strlen(wanted) - 3, "200") == 0 && !row->head && !row->closes)
        CHECK_COUNT(doing, replies.body, ==, server->params.value[KNOB_MESSAGE_SIZE]);
    if (row->closes || half_closes)
        read_replies(fd, &replies, UINT32_MAX, 5000);
    CHECK_INT(doing, replies.closed, row->closes || half_closes);
    close(fd);
}

static void http_is_answered(void **unused)
{
    (void)unused;
    const struct strategy *strategy;
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_HTTP)) != NULL;) {
        struct server server = server_of(strategy, PROTOCOL_HTTP);
        start_server(&server);
        for (size_t k = 0; k < ROWS_OF(exchanges); k++) {
            check_exchange(&server, &exchanges[k], 1 << 20, false);
            check_exchange(&server, &exchanges[k], 1, false);
            check_exchange(&server, &exchanges[k], 1 << 20, true);
        }
        stop_server(&server);
    }
}

/* --- hostile clients */

static void check_get(struct server *server)
{
    static const struct exchange_row get = {"a request", GET EMPTY, "200", NULL, false, false};
    check_exchange(server, &get, 1 << 20, false);
}

static void check_refusal(struct server *server, const char *what, const char *text, size_t n)
{
    note(server, what);
    struct replies replies;
    begin_replies(&replies, false);
    int fd = connect_to(server, 0);
    say(fd, text, n, 1000);
    read_replies(fd, &replies, UINT32_MAX, 5000);
    bool evhttp = server->strategy->needs & NEED_HTTP;
    CHECK_TEXT(doing, replies.statuses, evhttp ? "400" : "431");
    CHECK_TRUE(doing, replies.closed);
    close(fd);
}

static void large_headers_are_refused(void **unused)
{
    (void)unused;
    const struct strategy *strategy;
    static char text[200 * 1024];
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_HTTP)) != NULL;) {
        struct server server = server_of(strategy, PROTOCOL_HTTP);
        start_server(&server);
        memset(text, 'a', sizeof text);
        memcpy(text, GET "A: ", sizeof GET "A: " - 1);
        check_refusal(&server, "a long header", text, 20000);
        for (size_t at = sizeof GET - 1; at + 6 < sizeof text; at += 6)
            memcpy(text + at, "A: b\r\n", 6);
        check_refusal(&server, "many headers", text, sizeof text - 10);
        memset(text, 'a', sizeof text);
        memcpy(text, "GET /", 5);
        check_refusal(&server, "a long address", text, 20000);
        check_get(&server);
        if (!(strategy->needs & NEED_HTTP))
            CHECK_COUNT(doing, atomic_load(&server.board->meeting.bad_requests), ==, 3);
        stop_server(&server);
    }
}

static void a_hundred_requests_in_one_piece_are_answered(void **unused)
{
    (void)unused;
    const struct strategy *strategy;
    static char text[100 * (sizeof GET EMPTY - 1)];
    for (size_t k = 0; k < 100; k++)
        memcpy(text + k * (sizeof GET EMPTY - 1), GET EMPTY, sizeof GET EMPTY - 1);
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_HTTP)) != NULL;) {
        static const uint64_t bodies[] = {0, 100, 100000};
        for (size_t b = 0; b < ROWS_OF(bodies); b++) {
            struct server server = server_of(strategy, PROTOCOL_HTTP);
            server.params.value[KNOB_MESSAGE_SIZE] = bodies[b];
            start_server(&server);
            note(&server, "a hundred requests");
            struct replies replies;
            begin_replies(&replies, false);
            int fd = connect_to(&server, 0);
            say(fd, text, sizeof text, sizeof text);
            read_replies(fd, &replies, 100, 5000);
            CHECK_COUNT(doing, replies.n, ==, 100);
            CHECK_COUNT(doing, replies.body, ==, bodies[b]);
            CHECK_TRUE(doing, !replies.wrong && !replies.closed);
            close(fd);
            stop_server(&server);
        }
    }
}

/* Who connects and is silent, goes at once, or goes with answers on their way, hurts nobody. */
static void silence_and_sudden_ends_hurt_nobody(void **unused)
{
    (void)unused;
    const struct strategy *strategy;
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_HTTP)) != NULL;) {
        struct server server = server_of(strategy, PROTOCOL_HTTP);
        server.params.value[KNOB_MESSAGE_SIZE] = 1 << 20;
        int silent[5];
        start_server(&server);
        note(&server, "silent connections");
        for (size_t k = 0; k < ROWS_OF(silent); k++)
            silent[k] = connect_to(&server, 0);
        send(silent[1], "GET", 3, MSG_NOSIGNAL);
        for (size_t k = 0; k < 20; k++)
            close(connect_to(&server, 0));
        for (size_t k = 0; k < 20; k++) {
            struct linger reset = {1, 0};
            int fd = connect_to(&server, 0);
            say(fd, GET EMPTY GET EMPTY, 2 * (sizeof GET EMPTY - 1), 1 << 20);
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
            pause_ms((long)k % 3);
            close(fd);
        }
        struct replies replies;
        begin_replies(&replies, false);
        int fd = connect_to(&server, 0);
        say(fd, GET EMPTY, sizeof GET EMPTY - 1, 1 << 20);
        read_replies(fd, &replies, 1, 5000);
        CHECK_COUNT(doing, replies.body, ==, 1 << 20);
        wait_for(&server.board->meeting.accepted, 46);
        close(fd);
        for (size_t k = 0; k < ROWS_OF(silent); k++)
            close(silent[k]);
        stop_server(&server);
    }
}

/* All three-way handshakes are through before the server looks, perhaps: one edge for all. */
static void connections_that_come_at_once_are_all_accepted(void **unused)
{
    (void)unused;
    enum { MANY = 300 };
    const struct strategy *strategy;
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_HTTP)) != NULL;) {
        struct server server = server_of(strategy, PROTOCOL_HTTP);
        int fds[MANY];
        start_server(&server);
        note(&server, "300 connections at once");
        kill(server.pid, SIGSTOP);
        for (size_t k = 0; k < MANY; k++)
            fds[k] = connect_to(&server, 0);
        kill(server.pid, SIGCONT);
        wait_for(&server.board->meeting.accepted, MANY);
        CHECK_COUNT(doing, atomic_load(&server.board->meeting.most_open), ==, MANY);
        for (size_t k = 0; k < MANY; k++)
            say(fds[k], GET EMPTY, sizeof GET EMPTY - 1, 1 << 20);
        for (size_t k = 0; k < MANY; k++) {
            struct replies replies;
            begin_replies(&replies, false);
            read_replies(fds[k], &replies, 1, 5000);
            CHECK_COUNT(doing, replies.n, ==, 1);
            close(fds[k]);
        }
        stop_server(&server);
    }
}

static uint64_t cpu_ticks(pid_t pid)
{
    char path[64], text[512];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *in = fopen(path, "r");
    CHECK_TRUE(doing, in != NULL && fgets(text, sizeof text, in) != NULL);
    fclose(in);
    sscanf(strrchr(text, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
           &system);
    return user + system;
}

static void who_finds_no_descriptor_is_turned_away(void **unused)
{
    (void)unused;
    enum { MANY = 200 };
    const struct strategy *strategy;
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_HTTP)) != NULL;) {
        struct server server = server_of(strategy, PROTOCOL_HTTP);
        int fds[MANY];
        server.most_fds = 64;
        start_server(&server);
        note(&server, "more connections than descriptors");
        for (size_t k = 0; k < MANY; k++)
            fds[k] = connect_to(&server, 0);
        struct rendezvous *meeting = &server.board->meeting;
        for (unsigned ms = 0; ms < 5000; ms++) {
            if (atomic_load(&meeting->accepted) + atomic_load(&meeting->refused) >= MANY)
                break;
            pause_ms(1);
        }
        CHECK_COUNT(doing, atomic_load(&meeting->accepted) + atomic_load(&meeting->refused), ==,
                    MANY);
        CHECK_COUNT(doing, atomic_load(&meeting->accepted), >=, 40);
        CHECK_INT(doing, atomic_load(&meeting->refused_errno), EMFILE);
        uint64_t most = (uint64_t)sysconf(_SC_CLK_TCK) / 10, used = most;
        for (unsigned k = 0; k < 4 && used >= most; k++) { /* once it is through with them */
            uint64_t before = cpu_ticks(server.pid);
            pause_ms(500);
            used = cpu_ticks(server.pid) - before;
        }
        CHECK_COUNT(doing, used, <, most);
        for (size_t k = 0; k < MANY; k++)
            close(fds[k]);
        for (unsigned ms = 0; ms < 2000 && atomic_load(&meeting->open) > 0; ms++)
            pause_ms(1);
        check_get(&server);
        stop_server(&server);
    }
}

static uint64_t resident_kib(pid_t pid)
{
    char path[64], line[256];
    unsigned long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        sscanf(line, "VmRSS: %lu", &kib);
    if (in != NULL)
        fclose(in);
    return kib;
}

/* Sends what goes, and reads nothing. */
static void flood(int fd, const char *text, size_t n)
{
    for (unsigned idle = 0; idle < 3;) {
        ssize_t put = send(fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        idle = put > 0 ? 0 : idle + 1;
        if (put <= 0)
            pause_ms(1);
    }
}

/* AddressSanitizer holds freed memory back for a while. */
#ifdef __SANITIZE_ADDRESS__
#define KEEPS_WHAT_IS_FREED true
#else
#define KEEPS_WHAT_IS_FREED false
#endif

static void who_reads_nothing_takes_no_memory(void **unused)
{
    (void)unused;
    enum { MANY = 50 };
    const struct strategy *strategy;
    enum { REQUESTS = 2000 };
    static char text[REQUESTS * (sizeof GET EMPTY - 1)];
    for (size_t k = 0; k < REQUESTS; k++)
        memcpy(text + k * (sizeof GET EMPTY - 1), GET EMPTY, sizeof GET EMPTY - 1);
    for (int protocol = PROTOCOL_RAW; protocol <= PROTOCOL_HTTP; protocol++)
        for (size_t i = 0; (strategy = usable(&i, (enum protocol)protocol)) != NULL;) {
            struct server server = server_of(strategy, (enum protocol)protocol);
            int fds[MANY];
            server.params.value[KNOB_MESSAGE_SIZE] = 64 * 1024;
            start_server(&server);
            note(&server, "fifty that do not read");
            uint64_t before = resident_kib(server.pid);
            for (size_t k = 0; k < MANY; k++)
                fds[k] = connect_to(&server, 0);
            for (size_t k = 0; k < MANY; k++)
                flood(fds[k], text, sizeof text);
            if (!KEEPS_WHAT_IS_FREED)
                CHECK_COUNT(doing, resident_kib(server.pid), <, before + 64 * 1024);
            begin_timed(&server); /* also with all of them blocked */
            if (protocol == PROTOCOL_HTTP)
                check_get(&server);
            else
                echo_one(&server, 5000, 0, 0);
            for (size_t k = 0; k < MANY; k++)
                close(fds[k]);
            stop_server(&server);
        }
}

/* --- several workers */

static void several_workers_serve_all(struct server *server)
{
    struct chat chats[40];
    uint64_t bytes = 0;
    start_server(server);
    begin_timed(server);
    note(server, "forty connections");
    for (unsigned i = 0; i < ROWS_OF(chats); i++) {
        chats[i] = (struct chat){connect_to(server, 0), content + i * 1000, 5000 + i, 0, 0, 0, 0};
        bytes += chats[i].n;
    }
    talk(chats, ROWS_OF(chats));
    CHECK_COUNT(doing, atomic_load(&server->board->meeting.accepted), ==, ROWS_OF(chats));
    stop_server(server);
    CHECK_COUNT(doing, server->tally.bytes, ==, bytes);
}

static void workers_share_the_connections(void **unused)
{
    (void)unused;
    const struct strategy *strategy;
    for (size_t i = 0; (strategy = usable(&i, PROTOCOL_RAW)) != NULL;)
        for (uint64_t way = ACCEPT_SHARED; way <= ACCEPT_REUSEPORT; way++) {
            struct server server = server_of(strategy, PROTOCOL_RAW);
            if (strategy->needs & NEED_ONE_THREAD)
                continue;
            server.workers = 2;
            server.params.value[KNOB_THREADS] = 2;
            server.params.value[KNOB_ACCEPT] = way;
            several_workers_serve_all(&server);
        }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, time_is_up);
    alarm(PATIENCE_S);
    make_content();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(only_timed_calls_count),
        cmocka_unit_test(http_is_answered),
        cmocka_unit_test(large_headers_are_refused),
        cmocka_unit_test(a_hundred_requests_in_one_piece_are_answered),
        cmocka_unit_test(silence_and_sudden_ends_hurt_nobody),
        cmocka_unit_test(connections_that_come_at_once_are_all_accepted),
        cmocka_unit_test(who_finds_no_descriptor_is_turned_away),
        cmocka_unit_test(who_reads_nothing_takes_no_memory),
        cmocka_unit_test(workers_share_the_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
