/* Every registered way of draining a socket, over every transport that it supports, against senders
 * that dribble, burst and split, that end too early, break off or send odd datagrams. A new
 * strategy is tested by being registered. */
#include "config.h"

#include "../unit/check.h"

#include "base/rng.h"
#include "family/stream_link.h"
#include "measure/child.h"
#include "strategy/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, MOST = 5, LARGEST = 5 * BLOCK + 1234, APART = 1000, PATIENCE_S = 60 };

static unsigned char content[LARGEST + MOST * APART];

/* What is being looked at, for messages, also when the time is up. */
static char doing[200];

static void note(const struct strategy *strategy, enum transport transport, const char *what)
{
    snprintf(doing, sizeof doing, "%s over %s, %s", strategy->name,
             knob_info[KNOB_TRANSPORT].choices[transport], what);
    alarm(PATIENCE_S); /* for each of them: how fast all are is the machine's affair */
}

static void time_is_up(int signal_number)
{
    (void)signal_number;
    static const char text[] = "Bail out! no end in time: ";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0 ||
        write(STDOUT_FILENO, doing, strlen(doing)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
        _exit(2);
    _exit(1);
}

static void pause_us(long us)
{
    nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

static bool is_stream(enum transport t)
{
    return !transport_has_datagrams(t);
}

/* The bytes of connection i: others than those of its neighbours. */
static const unsigned char *bytes_of(unsigned i)
{
    return content + (size_t)i * APART;
}

/* --- the sender */

enum manner { BURST, DRIBBLE, SPLIT, MANNERS };

static const char *const manner_names[MANNERS] = {"in a burst", "dribbling", "split oddly"};

/* No piece is longer than a block: it may be a datagram. */
static size_t piece_size(enum manner manner, unsigned turn)
{
    static const size_t pieces[MANNERS][5] = {
        [BURST] = {BLOCK, BLOCK, BLOCK, BLOCK, BLOCK},
        [DRIBBLE] = {1, 7, 100, 1000, BLOCK},
        [SPLIT] = {BLOCK - 1, 2, BLOCK, 3, 777},
    };
    return pieces[manner][turn % 5];
}

static void put(int fd, const void *bytes, size_t n)
{
    const char *from = bytes;
    do {
        ssize_t written = write(fd, from, n);
        if (written < 0)
            _exit(1);
        from += written;
        n -= (size_t)written;
    } while (n > 0);
}

/* n bytes on each connection, a piece on one after the other. */
static void send_all(const struct ends *ends, enum manner manner, size_t n)
{
    size_t sent = 0;
    for (unsigned turn = 0; sent < n; turn++) {
        size_t size = piece_size(manner, turn);
        size = n - sent < size ? n - sent : size;
        for (unsigned i = 0; i < ends->n; i++)
            put(ends->send[i], bytes_of(i) + sent, size);
        sent += size;
        if (manner == DRIBBLE && turn < 6)
            pause_us(200);
    }
}

/* --- the receiver */

struct scene {
    const struct strategy *strategy;
    struct stream_link link;
    struct params params;
    struct task task;
    struct sink sinks[MOST];
    uint64_t left[MOST], fd_bytes[MOST];
    _Atomic bool over; /* the sender has sent all that it will */
    void *state;
    struct tally tally;
    struct err err;
    pid_t sender; /* 0: none */
};

static bool can_do(const struct strategy *strategy, enum transport transport, unsigned n)
{
    struct err why = {0};
    unsigned needs = strategy->needs;
    if (strategy->family != FAMILY_STREAM || (n > 1 && needs & NEED_LONE) ||
        (needs & NEED_SOCKET && transport == TRANSPORT_PIPE) ||
        (needs & NEED_TCP && !transport_is_tcp(transport)) ||
        (needs & NEED_STREAM && !is_stream(transport)) ||
        (needs & NEED_DATAGRAMS && is_stream(transport)))
        return false;
    return strategy->probe == NULL || strategy->probe(&why) == 0;
}

/* n connections; false where the transport is not to be had here. */
static bool open_scene(struct scene *s, const struct strategy *strategy, enum transport transport,
                       unsigned n)
{
    *s = (struct scene){.strategy = strategy};
    params_init(&s->params);
    s->params.value[KNOB_BLOCK_SIZE] = BLOCK;
    s->params.value[KNOB_TRANSPORT] = transport;
    s->params.value[KNOB_CONNECTIONS] = n;
    CHECK_OK(doing, stream_link_init(&s->link, &s->params, &s->err), s->err);
    struct link link = stream_link_own(&s->link);
    if (link.open(link.arg, &s->err) == 0)
        return true;
    if (transport != TRANSPORT_TCP6)
        fail_msg("%s: %s", doing, s->err.text);
    stream_link_free(&s->link);
    return false;
}

/* In a process of its own, from here on. True in that process, which must end with _exit. */
static bool fork_sender(struct scene *s)
{
    s->sender = fork();
    CHECK_TRUE("fork", s->sender >= 0);
    if (s->sender == 0) {
        child_die_with_parent();
        ends_close(s->link.ends.receive, s->link.ends.n);
        return true;
    }
    ends_close(s->link.ends.send, s->link.ends.n);
    return false;
}

static void set_up(struct scene *s)
{
    const struct ends *ends = &s->link.ends;
    s->task = (struct task){.params = &s->params,
                            .name = "the connection",
                            .fd = -1,
                            .fds = ends->receive,
                            .n_fds = ends->n,
                            .left = s->left,
                            .fd_bytes = s->fd_bytes,
                            .sinks = s->sinks,
                            .datagrams = !is_stream(ends->transport),
                            .pipes = ends->transport == TRANSPORT_PIPE,
                            .stop = &s->over};
    for (unsigned i = 0; i < ends->n; i++) {
        s->sinks[i].how = s->strategy->keeps_bytes ? CONSUME_NONE : CONSUME_DIGEST;
        s->sinks[i].hash = XXH3_createState();
        XXH3_64bits_reset(s->sinks[i].hash);
    }
    s->state = calloc(1, s->strategy->state_size + 1);
    if (s->strategy->setup != NULL)
        CHECK_OK(doing, s->strategy->setup(s->state, &s->task, &s->err), s->err);
}

/* Until each connection has brought n bytes since the beginning. */
static int receive(struct scene *s, uint64_t n)
{
    s->task.goal = 0;
    for (unsigned i = 0; i < s->task.n_fds; i++) {
        s->left[i] = n > s->fd_bytes[i] ? n - s->fd_bytes[i] : 0;
        s->task.goal += s->left[i];
    }
    if (s->task.goal == 0)
        return 0;
    return s->strategy->pass(s->state, &s->task, &s->tally, &s->err);
}

static void close_scene(struct scene *s)
{
    if (s->strategy->teardown != NULL)
        s->strategy->teardown(s->state);
    free(s->state);
    for (unsigned i = 0; i < s->task.n_fds; i++) {
        struct linger linger = {1, 0}; /* a reset: no port is left waiting */
        if (transport_is_tcp(s->link.ends.transport))
            setsockopt(s->task.fds[i], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
        XXH3_freeState(s->sinks[i].hash);
    }
    ends_close(s->link.ends.receive, s->link.ends.n);
    ends_close(s->link.ends.send, s->link.ends.n);
    if (s->sender > 0)
        waitpid(s->sender, NULL, 0);
    stream_link_free(&s->link);
}

/* Every connection has brought its n bytes, all of them and in their order. */
static void check_delivery(const struct scene *s, uint64_t n)
{
    CHECK_COUNT(doing, s->tally.bytes, ==, n * s->task.n_fds);
    CHECK_COUNT(doing, s->tally.cut_bytes, ==, 0);
    CHECK_TRUE(doing, s->tally.calls > 0 && s->tally.calls != UNKNOWN);
    for (unsigned i = 0; i < s->task.n_fds; i++) {
        CHECK_COUNT(doing, s->left[i], ==, 0);
        CHECK_COUNT(doing, s->fd_bytes[i], ==, n);
        if (!s->strategy->keeps_bytes)
            CHECK_COUNT(doing, XXH3_64bits_digest(s->sinks[i].hash), ==,
                        XXH3_64bits(bytes_of(i), (size_t)n));
    }
}

/* --- all bytes */

static void deliver(const struct strategy *strategy, enum transport transport, enum manner manner,
                    unsigned connections, size_t n)
{
    struct scene s;
    note(strategy, transport, manner_names[manner]);
    snprintf(doing + strlen(doing), sizeof doing - strlen(doing), ", %u times %zu bytes",
             connections, n);
    if (!open_scene(&s, strategy, transport, connections))
        return;
    if (manner == BURST) { /* it lies there before anyone looks */
        send_all(&s.link.ends, manner, n);
    } else if (fork_sender(&s)) {
        send_all(&s.link.ends, manner, n);
        _exit(0);
    }
    set_up(&s);
    CHECK_OK(doing, receive(&s, n), s.err);
    check_delivery(&s, n);
    close_scene(&s);
}

static void deliver_all(unsigned connections, const size_t *sizes, size_t n_sizes)
{
    for (size_t i = 0; i < strategy_count(); i++)
        for (unsigned t = TRANSPORT_TCP; t <= TRANSPORT_SOCKETPAIR; t++)
            for (size_t k = 0; can_do(strategy_at(i), t, connections) && k < n_sizes; k++)
                for (unsigned m = 0; m < MANNERS; m++)
                    deliver(strategy_at(i), t, m, connections, sizes[k]);
}

static void every_strategy_delivers_every_byte_of_one_connection(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, LARGEST};
    deliver_all(1, sizes, ROWS_OF(sizes));
}

static void every_strategy_delivers_every_byte_of_five_connections(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, BLOCK + 1, LARGEST};
    deliver_all(5, sizes, ROWS_OF(sizes));
}

/* As the ramp and the timed part of a trial are. A strategy may take more than the first asks for:
 * it is on the account of the second. */
static void a_second_pass_goes_on_where_the_first_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned t = TRANSPORT_TCP; t <= TRANSPORT_SOCKETPAIR; t++) {
            unsigned connections = strategy_at(i)->needs & NEED_LONE ? 1 : 3;
            struct scene s;
            note(strategy_at(i), t, "in two passes");
            if (!can_do(strategy_at(i), t, connections) ||
                !open_scene(&s, strategy_at(i), t, connections))
                continue;
            if (fork_sender(&s)) {
                send_all(&s.link.ends, SPLIT, LARGEST);
                _exit(0);
            }
            set_up(&s);
            CHECK_OK(doing, receive(&s, BLOCK + 100), s.err);
            for (unsigned c = 0; c < connections; c++)
                CHECK_COUNT(doing, s.left[c], ==, 0);
            CHECK_OK(doing, receive(&s, LARGEST), s.err);
            check_delivery(&s, LARGEST);
            close_scene(&s);
        }
    }
}

static void a_connection_that_brings_too_much_does_not_end_the_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        struct scene s;
        note(strategy_at(i), TRANSPORT_SOCKETPAIR, "much on one and little on the other");
        if (!can_do(strategy_at(i), TRANSPORT_SOCKETPAIR, 2) ||
            !open_scene(&s, strategy_at(i), TRANSPORT_SOCKETPAIR, 2))
            continue;
        if (fork_sender(&s)) {
            put(s.link.ends.send[0], bytes_of(0), 1000);
            pause_us(2000);
            put(s.link.ends.send[1], bytes_of(1), 100);
            _exit(0);
        }
        set_up(&s);
        CHECK_OK(doing, receive(&s, 100), s.err);
        CHECK_COUNT(doing, s.left[1], ==, 0);
        CHECK_COUNT(doing, s.fd_bytes[1], ==, 100);
        CHECK_COUNT(doing, s.tally.bytes, ==, s.fd_bytes[0] + s.fd_bytes[1]);
        close_scene(&s);
    }
}

static void what_lies_there_is_taken_block_by_block(void **state)
{
    (void)state;
    static const char *const names[] = {"recv", "read", "readv", "recvmsg", "recv-waitall"};
    for (size_t i = 0; i < ROWS_OF(names); i++) {
        struct scene s;
        const struct strategy *strategy = strategy_find(FAMILY_STREAM, names[i]);
        note(strategy, TRANSPORT_SOCKETPAIR, "all there");
        assert_true(open_scene(&s, strategy, TRANSPORT_SOCKETPAIR, 1));
        put(s.link.ends.send[0], bytes_of(0), 4 * BLOCK + 1);
        set_up(&s);
        CHECK_OK(doing, receive(&s, 4 * BLOCK + 1), s.err);
        CHECK_COUNT(doing, s.tally.calls, ==, 5);
        CHECK_COUNT(doing, s.tally.short_calls, ==, 0);
        close_scene(&s);
    }
}

static void a_stream_without_a_known_end_is_taken_until_it_is_closed(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned t = TRANSPORT_TCP; t <= TRANSPORT_SOCKETPAIR; t++) {
            struct scene s;
            note(strategy_at(i), t, "until closed");
            if (!is_stream(t) || !can_do(strategy_at(i), t, 1) ||
                !open_scene(&s, strategy_at(i), t, 1))
                continue;
            if (fork_sender(&s)) {
                send_all(&s.link.ends, SPLIT, LARGEST);
                _exit(0);
            }
            set_up(&s);
            s.task.goal = s.left[0] = UNKNOWN;
            CHECK_OK(doing, strategy_at(i)->pass(s.state, &s.task, &s.tally, &s.err), s.err);
            check_delivery(&s, LARGEST);
            close_scene(&s);
        }
    }
}

/* --- ends that come too early */

static void an_end_before_the_goal_says_how_far_it_came(void **state)
{
    (void)state;
    static const struct {
        size_t sent;
        const char *message;
    } rows[] = {{0, "got 0 of 10000 bytes"}, {5000, "got 5000 of 10000 bytes"}};
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned t = TRANSPORT_TCP; t <= TRANSPORT_SOCKETPAIR; t++) {
            for (size_t r = 0; r < ROWS_OF(rows); r++) {
                struct scene s;
                note(strategy_at(i), t, rows[r].message);
                if (!is_stream(t) || !can_do(strategy_at(i), t, 1) ||
                    !open_scene(&s, strategy_at(i), t, 1))
                    continue;
                if (fork_sender(&s)) {
                    send_all(&s.link.ends, DRIBBLE, rows[r].sent);
                    _exit(0);
                }
                set_up(&s);
                CHECK_INT(doing, receive(&s, 10000), -1);
                CHECK_HAS(doing, s.err.text, rows[r].message);
                CHECK_COUNT(doing, s.tally.bytes, ==, rows[r].sent);
                close_scene(&s);
            }
        }
    }
}

static void an_early_end_among_several_connections_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        struct scene s;
        note(strategy_at(i), TRANSPORT_UNIX, "one ends early");
        if (!can_do(strategy_at(i), TRANSPORT_UNIX, 3) ||
            !open_scene(&s, strategy_at(i), TRANSPORT_UNIX, 3))
            continue;
        if (fork_sender(&s)) { /* the first two stay open for as long as the receiver */
            char byte;
            send_all(&s.link.ends, SPLIT, 5000);
            close(s.link.ends.send[2]);
            _exit(read(s.link.ends.send[0], &byte, 1) < 0);
        }
        set_up(&s);
        CHECK_INT(doing, receive(&s, 10000), -1);
        CHECK_HAS(doing, s.err.text, "got 5000 of 10000 bytes");
        close_scene(&s);
    }
}

static void a_reset_connection_is_an_error_and_not_the_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        struct scene s;
        note(strategy_at(i), TRANSPORT_TCP, "reset midway");
        if (!can_do(strategy_at(i), TRANSPORT_TCP, 1) ||
            !open_scene(&s, strategy_at(i), TRANSPORT_TCP, 1))
            continue;
        if (fork_sender(&s)) {
            struct linger linger = {1, 0};
            send_all(&s.link.ends, BURST, 5000);
            pause_us(2000);
            setsockopt(s.link.ends.send[0], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
            _exit(0);
        }
        set_up(&s);
        CHECK_INT(doing, receive(&s, 10000), -1);
        CHECK_INT(doing, s.err.number, ECONNRESET);
        CHECK_HAS(doing, s.err.text, "connection 1 broke after 5000 bytes");
        close_scene(&s);
    }
}

static void a_killed_sender_ends_the_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        struct scene s;
        note(strategy_at(i), TRANSPORT_TCP, "sender killed");
        if (!can_do(strategy_at(i), TRANSPORT_TCP, 1) ||
            !open_scene(&s, strategy_at(i), TRANSPORT_TCP, 1))
            continue;
        if (fork_sender(&s)) {
            send_all(&s.link.ends, SPLIT, 5000);
            kill(getpid(), SIGKILL);
        }
        set_up(&s);
        CHECK_INT(doing, receive(&s, 10000), -1);
        CHECK_COUNT(doing, s.tally.bytes, ==, 5000);
        close_scene(&s);
    }
}

/* --- datagrams */

/* For every strategy and transport that has datagrams: the next scene, opened; false at the end. */
static bool next_datagram_scene(struct scene *s, unsigned *turn, const char *what)
{
    static const enum transport transports[] = {TRANSPORT_UNIX_DGRAM, TRANSPORT_UDP};
    while (*turn < 2 * strategy_count()) {
        const struct strategy *strategy = strategy_at(*turn / 2);
        enum transport transport = transports[*turn % 2];
        (*turn)++;
        if (!can_do(strategy, transport, 1))
            continue;
        note(strategy, transport, what);
        return open_scene(s, strategy, transport, 1);
    }
    return false;
}

static void send_datagram(const struct scene *s, size_t offset, size_t n)
{
    CHECK_INT(doing, send(s->link.ends.send[0], content + offset, n, 0), (ssize_t)n);
}

static void an_empty_datagram_is_not_the_end(void **state)
{
    (void)state;
    struct scene s;
    for (unsigned turn = 0; next_datagram_scene(&s, &turn, "empty datagrams");) {
        send_datagram(&s, 0, 0);
        send_datagram(&s, 0, 8);
        send_datagram(&s, 0, 0);
        send_datagram(&s, 8, 8);
        set_up(&s);
        CHECK_OK(doing, receive(&s, 16), s.err);
        check_delivery(&s, 16);
        CHECK_COUNT(doing, s.tally.counter[COUNTER_EMPTY], ==, 2);
        CHECK_COUNT(doing, s.tally.counter[COUNTER_DATAGRAMS], ==, 2);
        close_scene(&s);
    }
}

static void an_empty_datagram_is_the_end_once_the_sender_is_done(void **state)
{
    (void)state;
    struct scene s;
    for (unsigned turn = 0; next_datagram_scene(&s, &turn, "the rest was lost");) {
        send_datagram(&s, 0, 8);
        send_datagram(&s, 0, 0);
        atomic_store(&s.over, true);
        set_up(&s);
        CHECK_OK(doing, receive(&s, 100), s.err);
        CHECK_COUNT(doing, s.tally.bytes, ==, 8);
        CHECK_COUNT(doing, s.left[0], ==, 0);
        CHECK_COUNT(doing, s.fd_bytes[0], ==, 8);
        close_scene(&s);
    }
}

static void a_datagram_longer_than_the_block_is_cut_and_counted(void **state)
{
    (void)state;
    struct scene s;
    for (unsigned turn = 0; next_datagram_scene(&s, &turn, "a long datagram");) {
        send_datagram(&s, 0, BLOCK + 904);
        send_datagram(&s, BLOCK, 100);
        set_up(&s);
        CHECK_OK(doing, receive(&s, BLOCK + 904 + 100), s.err);
        CHECK_COUNT(doing, s.tally.bytes, ==, BLOCK + 100);
        CHECK_COUNT(doing, s.tally.cut_bytes, ==, 904);
        CHECK_COUNT(doing, s.fd_bytes[0], ==, BLOCK + 904 + 100);
        CHECK_COUNT(doing, s.left[0], ==, 0);
        CHECK_COUNT(doing, s.tally.counter[COUNTER_TRUNCATED], ==, 1);
        CHECK_COUNT(doing, s.tally.counter[COUNTER_DATAGRAMS], ==, 2);
        CHECK_COUNT(doing, XXH3_64bits_digest(s.sinks[0].hash), ==,
                    XXH3_64bits(content, BLOCK + 100));
        close_scene(&s);
    }
}

static void fill_content(void)
{
    struct rng rng;
    rng_init(&rng, 1);
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (unsigned char)rng_below(&rng, 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_delivers_every_byte_of_one_connection),
        cmocka_unit_test(every_strategy_delivers_every_byte_of_five_connections),
        cmocka_unit_test(a_second_pass_goes_on_where_the_first_ended),
        cmocka_unit_test(a_connection_that_brings_too_much_does_not_end_the_others),
        cmocka_unit_test(what_lies_there_is_taken_block_by_block),
        cmocka_unit_test(a_stream_without_a_known_end_is_taken_until_it_is_closed),
        cmocka_unit_test(an_end_before_the_goal_says_how_far_it_came),
        cmocka_unit_test(an_early_end_among_several_connections_is_told),
        cmocka_unit_test(a_reset_connection_is_an_error_and_not_the_end),
        cmocka_unit_test(a_killed_sender_ends_the_pass),
        cmocka_unit_test(an_empty_datagram_is_not_the_end),
        cmocka_unit_test(an_empty_datagram_is_the_end_once_the_sender_is_done),
        cmocka_unit_test(a_datagram_longer_than_the_block_is_cut_and_counted),
    };
    fill_content();
    signal(SIGALRM, time_is_up);
    alarm(PATIENCE_S);
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
