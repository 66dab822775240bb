/* What stands around a stream: addresses, what a sender sends, and trials with another end. */
#include "config.h"

#include "check.h"
#include "parts.h"

#include "family/address.h"
#include "measure/trial.h"
#include "peer/sender.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#define PATIENCE (60 * NS_PER_S)
enum { MANY = 100 };

/* --- addresses */

static void an_address_is_read_as_it_is_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool listening;
        const char *host, *port, *path;
    } rows[] = {
        {"127.0.0.1:2931", false, "127.0.0.1", "2931", NULL},
        {"a.name:1", false, "a.name", "1", NULL},
        {"a.name:65535", false, "a.name", "65535", NULL},
        {"[::1]:80", false, "::1", "80", NULL},
        {"[fe80::1%lo]:80", false, "fe80::1%lo", "80", NULL},
        {":2931", true, "", "2931", NULL},
        {"0.0.0.0:2931", true, "0.0.0.0", "2931", NULL},
        {"unix:/run/x", false, "", "", "/run/x"},
        {"unix:relative:1", true, "", "", "relative:1"},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct address a;
        struct err err = {0};
        CHECK_OK(rows[i].text, address_parse(rows[i].text, rows[i].listening, &a, &err), err);
        CHECK_TEXT(rows[i].text, a.text, rows[i].text);
        CHECK_TEXT(rows[i].text, a.host, rows[i].host);
        CHECK_TEXT(rows[i].text, a.port, rows[i].port);
        if (rows[i].path == NULL)
            CHECK_TRUE(rows[i].text, a.path == NULL);
        else
            CHECK_TEXT(rows[i].text, a.path, rows[i].path);
    }
}

static void what_is_no_address_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const char port[] = "a port is a number from 1 to 65535";
    static const char brackets[] = "an IPv6 address stands in brackets";
    static const char host[] = "the host is missing or too long";
    static const struct {
        const char *text;
        bool listening;
        const char *message;
    } rows[] = {
        {"", false, "HOST:PORT, [IPv6]:PORT or unix:PATH"},
        {"localhost", false, "HOST:PORT, [IPv6]:PORT or unix:PATH"},
        {"2931", true, "HOST:PORT, [IPv6]:PORT or unix:PATH"},
        {"localhost:", false, port},
        {"localhost:0", false, port},
        {"localhost:00000", false, port},
        {"localhost:65536", false, port},
        {"localhost:99999999999", false, port},
        {"localhost:-1", false, port},
        {"localhost:+80", false, port},
        {"localhost: 80", false, port},
        {"localhost:80x", false, port},
        {"localhost:http", false, port},
        {":0", true, port},
        {"::1:80", false, brackets},
        {"::1", false, brackets},
        {"[::1]", false, brackets},
        {"::", true, brackets},
        {":80", false, host},
        {"[]:80", false, host},
        {"unix:", false, "the path is missing"},
        {"unix:", true, "the path is missing"},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct address a;
        struct err err = {0};
        CHECK_INT(rows[i].text, address_parse(rows[i].text, rows[i].listening, &a, &err), -1);
        CHECK_HAS(rows[i].text, err.text, rows[i].message);
    }
}

static void a_text_of_any_length_is_read_or_refused(void **state)
{
    (void)state;
    char text[600];
    size_t longest = sizeof((struct sockaddr_un *)NULL)->sun_path - 1;
    for (size_t n = 1; n < 500; n++) {
        struct address a;
        struct err err = {0};
        snprintf(text, sizeof text, "unix:%0*d", (int)n, 0);
        CHECK_INT(text, address_parse(text, false, &a, &err), n <= longest ? 0 : -1);
        CHECK_TRUE(text, n <= longest || strstr(err.text, "too long") != NULL);
        err = (struct err){0};
        snprintf(text, sizeof text, "%0*d:1", (int)n, 0);
        CHECK_INT(text, address_parse(text, false, &a, &err), n < sizeof a.host ? 0 : -1);
        CHECK_TRUE(text, n < sizeof a.host || strstr(err.text, "too long") != NULL);
    }
}

/* A directory of its own, and an address in it. */
struct folder {
    char directory[40], path[60], text[80];
    struct address address;
    struct err err;
};

static int make_folder(void **state)
{
    struct folder *p = calloc(1, sizeof *p);
    *state = p;
    strcpy(p->directory, "/tmp/iobench-stream-XXXXXX");
    if (mkdtemp(p->directory) == NULL)
        return -1;
    snprintf(p->path, sizeof p->path, "%s/socket", p->directory);
    snprintf(p->text, sizeof p->text, "unix:%s", p->path);
    return address_parse(p->text, true, &p->address, &p->err);
}

static int remove_folder(void **state)
{
    struct folder *p = *state;
    unlink(p->path);
    rmdir(p->directory);
    free(p);
    return 0;
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

static void check_refusal(struct folder *p)
{
    CHECK_INT("listen", address_listen(&p->address, NULL, NULL, &p->err), -1);
    CHECK_INT(p->err.text, p->err.number, EADDRINUSE);
    CHECK_HAS("message", p->err.text, p->text);
}

static void a_file_in_the_way_of_a_socket_is_kept(void **state)
{
    struct folder *p = *state;
    int fd = open(p->path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK_INT("write", write(fd, "precious", 8), 8);
    close(fd);
    check_refusal(p);
    struct stat st;
    CHECK_INT("stat", lstat(p->path, &st), 0);
    CHECK_TRUE("the file", S_ISREG(st.st_mode) && st.st_size == 8);
}

static void a_link_in_the_way_of_a_socket_is_kept(void **state)
{
    struct folder *p = *state;
    CHECK_INT("symlink", symlink("nowhere", p->path), 0);
    check_refusal(p);
    struct stat st;
    CHECK_INT("stat", lstat(p->path, &st), 0);
    CHECK_TRUE("the link", S_ISLNK(st.st_mode));
}

static void a_socket_that_somebody_listens_on_is_kept(void **state)
{
    struct folder *p = *state;
    int first = address_listen(&p->address, NULL, NULL, &p->err);
    CHECK_TRUE(p->err.text, first >= 0);
    check_refusal(p);
    p->err = (struct err){0};
    int fd = address_connect(&p->address, PATIENCE, NULL, NULL, &p->err);
    CHECK_TRUE(p->err.text, fd >= 0);
    close(fd);
    close(first);
}

static void a_dead_socket_is_replaced(void **state)
{
    struct folder *p = *state;
    int fd = address_listen(&p->address, NULL, NULL, &p->err);
    CHECK_TRUE(p->err.text, fd >= 0);
    close(fd); /* its name stays */
    CHECK_INT("connect", address_connect(&p->address, PATIENCE, NULL, NULL, &p->err), -1);
    CHECK_INT(p->err.text, p->err.number, ECONNREFUSED);
    p->err = (struct err){0};
    fd = address_listen(&p->address, NULL, NULL, &p->err);
    CHECK_TRUE(p->err.text, fd >= 0);
    int client = address_connect(&p->address, PATIENCE, NULL, NULL, &p->err);
    CHECK_TRUE(p->err.text, client >= 0);
    close(client);
    close(fd);
}

static void a_path_that_is_not_there_is_named(void **state)
{
    struct folder *p = *state;
    CHECK_INT("connect", address_connect(&p->address, PATIENCE, NULL, NULL, &p->err), -1);
    CHECK_INT(p->err.text, p->err.number, ENOENT);
    CHECK_HAS("message", p->err.text, p->text);
}

/* A port of 127.0.0.1: bound, so that nobody else gets it, and listening when asked. */
static int take_port(int backlog, char text[40], const char *host)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof in;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT("bind", bind(fd, (struct sockaddr *)&in, sizeof in), 0);
    if (backlog >= 0)
        CHECK_INT("listen", listen(fd, backlog), 0);
    getsockname(fd, (struct sockaddr *)&in, &size);
    snprintf(text, 40, "%s:%u", host, ntohs(in.sin_port));
    return fd;
}

static int connect_to(const char *text, uint64_t timeout_ns, struct err *err)
{
    struct address a;
    *err = (struct err){0};
    CHECK_OK(text, address_parse(text, false, &a, err), *err);
    return address_connect(&a, timeout_ns, NULL, NULL, err);
}

static void a_closed_port_refuses_and_is_not_waited_for(void **state)
{
    (void)state;
    char text[40];
    struct err err;
    int fd = take_port(-1, text, "127.0.0.1");
    CHECK_INT(text, connect_to(text, PATIENCE, &err), -1);
    CHECK_INT(err.text, err.number, ECONNREFUSED);
    CHECK_HAS("message", err.text, text);
    close(fd);
}

static void a_host_that_does_not_answer_is_given_up(void **state)
{
    (void)state;
    char text[40];
    struct err err = {0};
    int server = take_port(0, text, "127.0.0.1"), fds[8], n = 0;
    while (n < 8 && (fds[n] = connect_to(text, 50 * NS_PER_MS, &err)) >= 0)
        n++; /* nobody accepts: its queue is full soon, and from then on it is silent */
    for (int i = 0; i < n; i++)
        close(fds[i]);
    close(server);
    if (n == 8)
        skip();
    CHECK_INT(err.text, err.number, ETIMEDOUT);
}

static void every_address_of_a_name_is_tried(void **state)
{
    (void)state;
    char text[40];
    struct err err;
    int server = take_port(1, text, "localhost"); /* ::1 may come first, where nobody listens */
    int fd = connect_to(text, PATIENCE, &err);
    CHECK_TRUE(err.text, fd >= 0);
    CHECK_TRUE("it blocks", (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
    CHECK_TRUE("no child of ours gets it", (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    close(fd);
    close(server);
}

static void a_listener_without_a_host_is_on_loopback(void **state)
{
    (void)state;
    char text[40];
    struct address a;
    struct err err = {0};
    struct sockaddr_in in;
    socklen_t size = sizeof in;
    close(take_port(-1, text, ""));
    CHECK_OK(text, address_parse(text, true, &a, &err), err);
    int fd = address_listen(&a, NULL, NULL, &err);
    CHECK_TRUE(err.text, fd >= 0);
    getsockname(fd, (struct sockaddr *)&in, &size);
    CHECK_INT("address", ntohl(in.sin_addr.s_addr), INADDR_LOOPBACK);
    CHECK_INT("a second one", address_listen(&a, NULL, NULL, &err), -1);
    CHECK_INT(err.text, err.number, EADDRINUSE);
    close(fd);
}

static int configure_badly(int fd, const void *arg, struct err *err)
{
    CHECK_TRUE("socket", fd >= 0);
    return err_set(err, 0, "no %s", (const char *)arg);
}

static void a_socket_that_cannot_be_configured_is_not_connected(void **state)
{
    (void)state;
    char text[40];
    struct address a;
    struct err err = {0};
    int server = take_port(1, text, "127.0.0.1");
    CHECK_OK(text, address_parse(text, false, &a, &err), err);
    CHECK_INT(text, address_connect(&a, PATIENCE, configure_badly, "buffer", &err), -1);
    CHECK_TEXT("message", err.text, "no buffer");
    close(server);
}

/* --- what a sender sends */

static void the_shares_of_the_connections_add_up_to_the_total(void **state)
{
    (void)state;
    static const uint64_t totals[] = {0, 1, 2, 99, 1000, 1003, 1 << 20, 1000003, UINT64_C(1) << 40};
    static const enum transport transports[] = {TRANSPORT_TCP, TRANSPORT_PIPE, TRANSPORT_UDP,
                                                TRANSPORT_UNIX_DGRAM};
    static const size_t sizes[] = {1, 7, 1000, 1472, 65507};
    for (size_t t = 0; t < ROWS_OF(transports); t++)
        for (size_t s = 0; s < ROWS_OF(sizes); s++)
            for (unsigned n = 1; n <= MANY; n += n < 8 ? 1 : 23)
                for (size_t k = 0; k < ROWS_OF(totals); k++) {
                    struct ends ends = {.n = n, .transport = transports[t]};
                    struct sender_work work = {.ends = &ends, .send_size = sizes[s]};
                    uint64_t sum = 0, least = UINT64_MAX, most = 0;
                    for (unsigned i = 0; i < n; i++) {
                        uint64_t share = sender_share(&work, totals[k], i);
                        sum += share;
                        least = share < least ? share : least;
                        most = share > most ? share : most;
                    }
                    CHECK_COUNT("sum", sum, ==, totals[k]);
                    uint64_t piece = transport_has_datagrams(transports[t]) ? sizes[s] : 1;
                    CHECK_COUNT("the largest and the smallest", most - least, <=, piece);
                }
}

static void shares_of_datagrams_are_whole_but_for_one(void **state)
{
    (void)state;
    struct ends ends = {.n = 5, .transport = TRANSPORT_UDP};
    struct sender_work work = {.ends = &ends, .send_size = 1000};
    for (uint64_t total = 1; total < 30000; total += 777) {
        unsigned broken = 0;
        for (unsigned i = 0; i < ends.n; i++)
            broken += sender_share(&work, total, i) % 1000 != 0;
        CHECK_COUNT("broken ones", broken, ==, total % 1000 != 0);
    }
}

static void an_endless_total_is_endless_on_every_connection(void **state)
{
    (void)state;
    struct ends ends = {.n = 3, .transport = TRANSPORT_TCP};
    struct sender_work work = {.ends = &ends, .send_size = 1000};
    for (unsigned i = 0; i < ends.n; i++)
        CHECK_COUNT("share", sender_share(&work, UNKNOWN, i), ==, UNKNOWN);
}

static void a_ramp_is_whole_datagrams_and_at_least_what_was_asked_for(void **state)
{
    (void)state;
    struct ends ends = {.n = 1, .transport = TRANSPORT_UDP};
    struct sender_work work = {.ends = &ends, .send_size = 1472, .pass_bytes = 100000};
    static const double ramps[] = {0.001, 0.5, 1, 3.3, 1000};
    CHECK_COUNT("no ramp", sender_ramp_bytes(&work, 0), ==, 0);
    CHECK_COUNT("no number", sender_ramp_bytes(&work, NAN), ==, 0);
    for (size_t i = 0; i < ROWS_OF(ramps); i++) {
        uint64_t bytes = sender_ramp_bytes(&work, ramps[i]);
        CHECK_COUNT("rest", bytes % 1472, ==, 0);
        CHECK_REAL("bytes", (double)bytes, >=, ramps[i] * 100000);
        CHECK_REAL("bytes", (double)bytes, <, ramps[i] * 100000 + 1472);
    }
    work.pass_bytes = UNKNOWN;
    CHECK_COUNT("without an end", sender_ramp_bytes(&work, 1), ==, 0);
}

static void what_is_sent_repeats_with_its_period_and_has_lines(void **state)
{
    (void)state;
    enum { N = 3 * SENDER_PERIOD + 100 };
    unsigned char *bytes = malloc(N), *few = malloc(1000);
    unsigned seen[256] = {0}, kinds = 0, newlines = 0;
    sender_fill(bytes, N);
    sender_fill(few, 1000);
    CHECK_INT("a beginning", memcmp(bytes, few, 1000), 0);
    CHECK_INT("period", memcmp(bytes, bytes + SENDER_PERIOD, N - SENDER_PERIOD), 0);
    for (size_t i = 0; i < SENDER_PERIOD; i++) {
        newlines += bytes[i] == '\n';
        kinds += seen[bytes[i]]++ == 0;
    }
    CHECK_COUNT("newlines", newlines, ==, SENDER_PERIOD / 64);
    CHECK_COUNT("different bytes", kinds, >, 90);
    CHECK_TRUE("no shorter period", memcmp(bytes, bytes + SENDER_PERIOD / 2, 4096) != 0);
    free(bytes);
    free(few);
}

/* --- trials with another end */

enum { PASS = 1000 };

/* A pipe from the peer to the subject. */
struct rope {
    int ends[2];
    struct board *board;
    unsigned opened, closed;
    uint64_t sends;       /* the peer: so many bytes, then its end */
    bool bad_ramp, hangs; /* the subject fails in its ramp; the peer stays when it has sent */
};

static int open_rope(void *arg, struct err *err)
{
    struct rope *rope = arg;
    rope->opened++;
    return pipe2(rope->ends, O_CLOEXEC) == 0 ? 0 : err_set(err, errno, "cannot make a pipe");
}

static int open_badly(void *arg, struct err *err)
{
    struct rope *rope = arg;
    rope->opened++;
    rope->ends[0] = rope->ends[1] = -1;
    return err_set(err, EMFILE, "cannot make a pipe");
}

static void close_rope(void *arg)
{
    struct rope *rope = arg;
    rope->closed++;
    close(rope->ends[0]);
    close(rope->ends[1]);
}

static int setup_subject(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    const struct rope *rope = arg;
    (void)state, (void)seat, (void)err;
    close(rope->ends[1]);
    return 0;
}

static int setup_peer(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    const struct rope *rope = arg;
    (void)state, (void)seat, (void)err;
    close(rope->ends[0]);
    return 0;
}

static int setup_badly(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    (void)state, (void)arg, (void)seat;
    return err_set(err, ENOMEM, "cannot get a buffer");
}

static int setup_dying(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)err;
    die(SIGKILL);
    return 0;
}

static int take(const struct rope *rope, uint64_t n, struct tally *tally, struct err *err)
{
    char buffer[PASS];
    for (uint64_t got = 0; got < n;) {
        uint64_t want = n - got < sizeof buffer ? n - got : sizeof buffer;
        ssize_t r = read(rope->ends[0], buffer, (size_t)want);
        if (r <= 0)
            return err_set(err, 0, "got too few bytes");
        got += (uint64_t)r;
        tally->bytes += (uint64_t)r;
        tally->calls++;
    }
    return 0;
}

static int ramp_subject(void *state, const void *arg, const struct seat *seat, struct tally *tally,
                        struct err *err)
{
    const struct rope *rope = arg;
    (void)state;
    if (rope->bad_ramp)
        return err_set(err, 0, "the ramp is too steep");
    tally->cut_bytes += 5;
    return take(rope, (uint64_t)(seat->ramp * PASS), tally, err);
}

static int run_subject(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                       struct tally *tally, struct err *err)
{
    const struct rope *rope = arg;
    (void)state, (void)seat;
    if (take(rope, passes * PASS, tally, err) != 0)
        return -1;
    tally->passes = passes;
    return 0;
}

static int run_subject_badly(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                             struct tally *tally, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)passes, (void)tally;
    return err_set(err, EIO, "cannot receive");
}

/* A kilobyte at a time; SIGPIPE is ignored in every child. */
static int run_peer(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                    struct tally *tally, struct err *err)
{
    const struct rope *rope = arg;
    static const char bytes[PASS];
    (void)state, (void)err;
    while (tally->bytes < rope->sends && !atomic_load(seat->stop)) {
        uint64_t want = rope->sends - tally->bytes;
        ssize_t put = write(rope->ends[1], bytes, want < PASS ? (size_t)want : PASS);
        if (put < 0)
            return 0;
        tally->bytes += (uint64_t)put;
        tally->calls++;
        tally->counter[COUNTER_WAITS] += 2;
    }
    tally->passes = passes;
    if (rope->hangs)
        hang();
    return 0;
}

static int run_peer_badly(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                          struct tally *tally, struct err *err)
{
    run_peer(state, arg, seat, passes, tally, err);
    return err_set(err, ENETDOWN, "cannot send");
}

static int run_peer_dying(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                          struct tally *tally, struct err *err)
{
    run_peer(state, arg, seat, passes, tally, err);
    die(SIGKILL);
    return 0;
}

static void note_peer(void *state, const void *arg, struct tally *tally)
{
    (void)state, (void)arg;
    tally->socket.retransmits = 17;
}

/* Three passes after a ramp of two. */
struct pair {
    struct rope rope;
    struct part subject, peer;
    struct link link;
    struct trial trial;
    struct sample sample;
    struct err err;
};

static int set_up_pair(void **state)
{
    struct pair *p = calloc(1, sizeof *p);
    *state = p;
    if (p == NULL)
        return -1;
    p->rope.sends = 5 * PASS;
    p->subject = (struct part){.name = "subject",
                               .arg = &p->rope,
                               .setup = setup_subject,
                               .ramp = ramp_subject,
                               .run = run_subject};
    p->peer = (struct part){
        .name = "peer", .arg = &p->rope, .setup = setup_peer, .run = run_peer, .note = note_peer};
    p->link = (struct link){.arg = &p->rope, .open = open_rope, .close = close_rope};
    p->trial = (struct trial){.subject = &p->subject,
                              .peer = &p->peer,
                              .link = &p->link,
                              .ramp = 2,
                              .workers = 1,
                              .passes = 3,
                              .timeout_ns = PATIENCE,
                              .interrupted = &interrupted_by};
    return catch_interrupts();
}

static int tear_down_pair(void **state)
{
    release_interrupts();
    free(*state);
    return 0;
}

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_pair, tear_down_pair)

static void run_pair(struct pair *p, enum trial_end wanted)
{
    static const char *const names[] = {"done", "failed", "timed out", "interrupted"};
    enum trial_end end = trial_run(&p->trial, &p->sample, &p->err);
    if (end != wanted)
        fail_msg("%s instead of %s: %s", names[end], names[wanted], p->err.text);
    CHECK_INT("waitpid", waitpid(-1, NULL, WNOHANG), -1);
    CHECK_INT("waitpid", errno, ECHILD);
    CHECK_COUNT("links opened", p->rope.opened, ==, 1);
    CHECK_COUNT("links closed", p->rope.closed, ==, 1);
    CHECK_INT("the parent's copy", fcntl(p->rope.ends[0], F_GETFD), -1);
    CHECK_INT("the parent's copy", fcntl(p->rope.ends[1], F_GETFD), -1);
}

static void both_ends_of_a_trial_are_counted_and_the_ramp_apart(void **state)
{
    struct pair *p = *state;
    run_pair(p, TRIAL_DONE);
    CHECK_COUNT("passes", p->sample.passes, ==, 3);
    CHECK_COUNT("bytes", p->sample.bytes, ==, 3 * PASS);
    CHECK_COUNT("ramp_bytes", p->sample.ramp_bytes, ==, 2 * PASS + 5);
    CHECK_COUNT("cut_bytes of the timed part", p->sample.cut_bytes, ==, 0);
    CHECK_COUNT("calls", p->sample.calls, >=, 3);
    CHECK_TRUE("peer", p->sample.has_peer);
    CHECK_COUNT("bytes of the peer", p->sample.peer.bytes, ==, 5 * PASS);
    CHECK_COUNT("calls of the peer", p->sample.peer.calls, ==, 5);
    CHECK_COUNT("waits of the peer", p->sample.peer.counter[COUNTER_WAITS], ==, 10);
    CHECK_COUNT("socket of the peer", p->sample.peer.socket.retransmits, ==, 17);
    CHECK_COUNT("wall_ns of the peer", p->sample.peer.wall_ns, >, 0);
}

static void a_trial_without_a_ramp_counts_from_the_first_byte(void **state)
{
    struct pair *p = *state;
    p->trial.ramp = 0;
    p->subject.ramp = NULL;
    p->rope.sends = 3 * PASS;
    run_pair(p, TRIAL_DONE);
    CHECK_COUNT("bytes", p->sample.bytes, ==, 3 * PASS);
    CHECK_COUNT("ramp_bytes", p->sample.ramp_bytes, ==, 0);
}

static void a_trial_without_another_end_has_no_peer(void **state)
{
    struct pair *p = *state;
    int ends[2];
    p->trial.peer = NULL;
    p->trial.link = NULL;
    p->subject.setup = NULL;
    CHECK_INT("pipe", pipe(ends), 0);
    p->rope.ends[0] = ends[0];
    static const char bytes[5 * PASS];
    CHECK_INT("write", write(ends[1], bytes, sizeof bytes), (int)sizeof bytes);
    enum trial_end end = trial_run(&p->trial, &p->sample, &p->err);
    CHECK_INT(p->err.text, end, TRIAL_DONE);
    CHECK_TRUE("peer", !p->sample.has_peer);
    CHECK_COUNT("ramp_bytes", p->sample.ramp_bytes, ==, 2 * PASS + 5);
    close(ends[0]);
    close(ends[1]);
}

static void a_peer_that_fails_is_named_before_what_the_subject_suffered(void **state)
{
    struct pair *p = *state;
    p->rope.sends = 4 * PASS;
    p->peer.run = run_peer_badly;
    run_pair(p, TRIAL_FAILED);
    CHECK_TEXT("message", p->err.text, "cannot send: Network is down (got too few bytes)");
    CHECK_INT("number", p->err.number, ENETDOWN);
    CHECK_COUNT("bytes of the peer", p->sample.peer.bytes, ==, 4 * PASS);
}

static void a_peer_that_is_killed_is_named(void **state)
{
    struct pair *p = *state;
    p->rope.sends = 4 * PASS;
    p->peer.run = run_peer_dying;
    run_pair(p, TRIAL_FAILED);
    CHECK_HAS("message", p->err.text, "the other end was ended by SIGKILL");
    CHECK_HAS("message", p->err.text, "got too few bytes");
}

static void a_peer_that_cannot_be_set_up_fails_the_trial(void **state)
{
    struct pair *p = *state;
    p->peer.setup = setup_badly;
    run_pair(p, TRIAL_FAILED);
    CHECK_HAS("message", p->err.text, "cannot get a buffer: Cannot allocate memory");
}

static void a_peer_that_is_killed_before_the_start_is_named(void **state)
{
    struct pair *p = *state;
    p->peer.setup = setup_dying;
    run_pair(p, TRIAL_FAILED);
    CHECK_HAS("message", p->err.text, "the other end");
}

static void a_subject_that_fails_ends_the_peer(void **state)
{
    struct pair *p = *state;
    p->rope.sends = UINT64_MAX;
    p->subject.run = run_subject_badly;
    run_pair(p, TRIAL_FAILED);
    CHECK_HAS("message", p->err.text, "cannot receive: Input/output error");
    CHECK_COUNT("bytes of the peer", p->sample.peer.bytes, >=, 2 * PASS);
}

static void a_subject_that_fails_in_its_ramp_fails_the_trial(void **state)
{
    struct pair *p = *state;
    p->rope.bad_ramp = true;
    run_pair(p, TRIAL_FAILED);
    CHECK_HAS("message", p->err.text, "the ramp is too steep");
    CHECK_COUNT("bytes", p->sample.bytes, ==, 0);
}

static void a_subject_that_cannot_be_set_up_ends_the_peer(void **state)
{
    struct pair *p = *state;
    p->subject.setup = setup_badly;
    run_pair(p, TRIAL_FAILED);
    CHECK_HAS("message", p->err.text, "cannot get a buffer: Cannot allocate memory");
}

static void a_peer_that_does_not_end_is_ended_and_fails_the_trial(void **state)
{
    struct pair *p = *state;
    p->rope.hangs = true;
    run_pair(p, TRIAL_FAILED);
    CHECK_HAS("message", p->err.text, "the other end still waited");
    CHECK_COUNT("bytes", p->sample.bytes, ==, 3 * PASS);
}

static void a_trial_that_takes_too_long_ends_both_ends(void **state)
{
    struct pair *p = *state;
    p->rope.hangs = true; /* four passes, then silence */
    p->rope.sends = 4 * PASS;
    p->trial.timeout_ns = 200 * NS_PER_MS;
    run_pair(p, TRIAL_TIMED_OUT);
    CHECK_COUNT("bytes until then", p->sample.bytes, ==, 2 * PASS);
    CHECK_COUNT("bytes of the peer", p->sample.peer.bytes, ==, 4 * PASS);
}

static void an_interrupt_ends_both_ends(void **state)
{
    struct pair *p = *state;
    p->subject.run = run_interrupting;
    struct script script = {.board = new_board(), .bytes = PASS};
    p->subject.arg = &script;
    p->subject.setup = NULL;
    p->subject.ramp = NULL;
    p->rope.hangs = true;
    run_pair(p, TRIAL_INTERRUPTED);
    free_board(script.board);
}

static void ends_that_cannot_be_joined_start_no_process(void **state)
{
    struct pair *p = *state;
    p->link.open = open_badly;
    run_pair(p, TRIAL_FAILED);
    CHECK_INT(p->err.text, p->err.number, EMFILE);
    CHECK_COUNT("bytes", p->sample.bytes + p->sample.peer.bytes, ==, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_read_as_it_is_written),
        cmocka_unit_test(what_is_no_address_is_refused_with_the_reason),
        cmocka_unit_test(a_text_of_any_length_is_read_or_refused),
        FOLDER_TEST(a_file_in_the_way_of_a_socket_is_kept),
        FOLDER_TEST(a_link_in_the_way_of_a_socket_is_kept),
        FOLDER_TEST(a_socket_that_somebody_listens_on_is_kept),
        FOLDER_TEST(a_dead_socket_is_replaced),
        FOLDER_TEST(a_path_that_is_not_there_is_named),
        cmocka_unit_test(a_closed_port_refuses_and_is_not_waited_for),
        cmocka_unit_test(a_host_that_does_not_answer_is_given_up),
        cmocka_unit_test(every_address_of_a_name_is_tried),
        cmocka_unit_test(a_listener_without_a_host_is_on_loopback),
        cmocka_unit_test(a_socket_that_cannot_be_configured_is_not_connected),
        cmocka_unit_test(the_shares_of_the_connections_add_up_to_the_total),
        cmocka_unit_test(shares_of_datagrams_are_whole_but_for_one),
        cmocka_unit_test(an_endless_total_is_endless_on_every_connection),
        cmocka_unit_test(a_ramp_is_whole_datagrams_and_at_least_what_was_asked_for),
        cmocka_unit_test(what_is_sent_repeats_with_its_period_and_has_lines),
        PAIR_TEST(both_ends_of_a_trial_are_counted_and_the_ramp_apart),
        PAIR_TEST(a_trial_without_a_ramp_counts_from_the_first_byte),
        PAIR_TEST(a_trial_without_another_end_has_no_peer),
        PAIR_TEST(a_peer_that_fails_is_named_before_what_the_subject_suffered),
        PAIR_TEST(a_peer_that_is_killed_is_named),
        PAIR_TEST(a_peer_that_cannot_be_set_up_fails_the_trial),
        PAIR_TEST(a_peer_that_is_killed_before_the_start_is_named),
        PAIR_TEST(a_subject_that_fails_ends_the_peer),
        PAIR_TEST(a_subject_that_fails_in_its_ramp_fails_the_trial),
        PAIR_TEST(a_subject_that_cannot_be_set_up_ends_the_peer),
        PAIR_TEST(a_peer_that_does_not_end_is_ended_and_fails_the_trial),
        PAIR_TEST(a_trial_that_takes_too_long_ends_both_ends),
        PAIR_TEST(an_interrupt_ends_both_ends),
        PAIR_TEST(ends_that_cannot_be_joined_start_no_process),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
