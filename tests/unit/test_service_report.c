/* What is said about serving, of a run made by hand: two servers under one load. */
#include "config.h"

#include "check.h"

#include "base/clock.h"
#include "report/report.h"
#include "report/service_facts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct served_run {
    struct run run;
    struct host host;
    struct source source;
    struct settings settings;
    struct report report;
};

enum { EPOLL, THREAD, SERVERS, ROUNDS = 8, REQUESTS = 1000 };

/* A second in which both ends are busy for the given shares of it. */
static int add_sample(struct run *run, uint32_t index, uint32_t round, uint64_t wall_ns)
{
    struct err err = {0};
    struct sample s = {.case_index = index,
                       .round = round,
                       .warmup = round == 0,
                       .complete = true,
                       .cpu = 0,
                       .passes = 1,
                       .bytes = 64 * REQUESTS,
                       .wall_ns = wall_ns,
                       .cpu_ns = wall_ns / 100 * 96,
                       .peak_rss_bytes = 2 << 20,
                       .peak_rss_anon_bytes = 1 << 20,
                       .workers = 1,
                       .has_peer = true};
    s.thread_cpu_ns[0] = s.cpu_ns;
    s.thread_bytes[0] = s.bytes;
    s.counter[COUNTER_REQUESTS] = REQUESTS;
    s.counter[COUNTER_ASKED] = s.counter[COUNTER_ESTABLISHED] = s.counter[COUNTER_MOST_OPEN] = 64;
    s.peer = (struct peer_sample){.wall_ns = wall_ns, .cpu_ns = wall_ns / 2, .workers = 1, .cpu = 1};
    s.peer.thread_cpu_ns[0] = s.peer.cpu_ns;
    return samples_add(&run->samples, &s, &err);
}

static int set_up_case(struct run *run, unsigned index, const char *id, const char *mode)
{
    struct err err = {0};
    struct run_case *c = &run->cases[index];
    *c = (struct run_case){
        .id = strdup(id), .label = strdup(mode), .mode = strdup(mode), .workers = 1};
    params_init(&c->params);
    return run_add_histogram(&c->histogram[OF_LATENCY], &err);
}

static int make_run(void **state)
{
    static const uint64_t connections[] = {64}, size[] = {64}, raw[] = {PROTOCOL_RAW},
                          tcp[] = {TRANSPORT_TCP};
    static const char *const modes[] = {"all"};
    static char command[] = "echo";
    static char *const argv[] = {command, NULL};
    struct served_run *b = calloc(1, sizeof *b);
    *state = b;
    if (b == NULL || (b->run.cases = calloc(SERVERS, sizeof *b->run.cases)) == NULL)
        return -1;
    b->run.n_cases = SERVERS;
    b->run.baseline = -1;
    b->run.delta = 0.01;
    b->run.by_requests = true;
    b->run.rounds = ROUNDS;
    b->run.rounds_ns = NS_PER_S;
    int status = set_up_case(&b->run, EPOLL, "echo/epoll", "epoll");
    status |= set_up_case(&b->run, THREAD, "echo/thread", "thread");
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        status |= add_sample(&b->run, EPOLL, round, 10 * NS_PER_MS);
        status |= add_sample(&b->run, THREAD, round, 20 * NS_PER_MS);
    }
    b->host = (struct host){.kernel = "6.1", .usable_cpus = 2, .load_1m = NAN, .steal_ratio = NAN};
    b->settings = (struct settings){
        .modes = modes, .n_modes = 1, .is_service = true, .max_slowdown = NAN, .precision = 0.005};
    const struct {
        enum knob knob;
        const uint64_t *values;
    } knobs[] = {{KNOB_CONNECTIONS, connections},
                 {KNOB_MESSAGE_SIZE, size},
                 {KNOB_PROTOCOL, raw},
                 {KNOB_TRANSPORT, tcp}};
    for (size_t i = 0; i < ROWS_OF(knobs); i++) {
        b->settings.knob_values[knobs[i].knob] = knobs[i].values;
        b->settings.n_knob_values[knobs[i].knob] = 1;
    }
    b->report = (struct report){.version = "1.0",
                                .command = "echo",
                                .argc = 1,
                                .argv = argv,
                                .settings = &b->settings,
                                .host = &b->host,
                                .source = &b->source,
                                .run = &b->run};
    return status;
}

static int free_run(void **state)
{
    struct served_run *b = *state;
    run_free(&b->run);
    free(b);
    return 0;
}

#define SERVED_TEST(name) cmocka_unit_test_setup_teardown(name, make_run, free_run)

static char *text_of(const struct served_run *b)
{
    const struct text_style style = {0};
    struct err err = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    CHECK_OK("report", report_text(&b->report, &style, out, &err), err);
    fclose(out);
    return text;
}

/* The last trial of the case, to be spoilt. */
static struct sample *last_sample(struct served_run *b, unsigned index)
{
    struct sample *last = NULL;
    for (size_t i = 0; i < b->run.samples.n; i++)
        if (b->run.samples.items[i].case_index == index)
            last = &b->run.samples.items[i];
    return last;
}

static void check_says(const struct served_run *b, const char *sentence)
{
    char *text = text_of(b);
    CHECK_HAS("report", text, sentence);
    free(text);
}

static void the_table_has_requests_and_what_they_cost_at_both_ends(void **state)
{
    const struct served_run *b = *state;
    char *text = text_of(b);
    CHECK_HAS("report", text, "64 connections over tcp on this machine, 64 B raw, a load of our own");
    CHECK_HAS("report", text, "requests/s");
    CHECK_HAS("report", text, "100 k"); /* 1000 in 10 ms */
    CHECK_HAS("report", text, "9.60 us"); /* 96 % of 10 us */
    CHECK_HAS("report", text, "5.00 us");
    CHECK_HAS("report", text, "epoll is the fastest here, 2 times (2 .. 2) ahead of thread.");
    CHECK_HAS_NOT("report", text, "sender");
    CHECK_HAS_NOT("report", text, "nan");
    free(text);
}

static void who_was_the_limit_is_told_by_the_busiest_threads(void **state)
{
    struct served_run *b = *state;
    check_says(b, "epoll: processor time of the server 96 %, of the load 50 %: the server was the "
                  "limit.");
    for (size_t i = 0; i < b->run.samples.n; i++) {
        struct sample *s = &b->run.samples.items[i];
        s->thread_cpu_ns[0] = s->wall_ns / 2;
        s->peer.thread_cpu_ns[0] = s->wall_ns;
    }
    check_says(b, "of the server 50 %, of the load 100 %: the load was the limit.");
}

static void failures_are_told_by_kind_and_by_status(void **state)
{
    struct served_run *b = *state;
    struct sample *s = last_sample(b, THREAD);
    s->counter[COUNTER_CLOSED] = 3;
    s->counter[COUNTER_TIMEOUTS] = 1;
    s->counter[COUNTER_STATUS_ERRORS] = 7;
    s->counter[COUNTER_IN_FLIGHT] = 5;
    numbered_add(&s->peer.statuses, 503, 7);
    check_says(b, "these failed: 3 closed early, 1 timed out, 7 HTTP 503.");
    check_says(b, "Under way when trials ended, and in no figure: 5 requests.");
    struct service_facts facts;
    service_facts(&b->run, THREAD, &facts);
    CHECK_COUNT("failed", service_failed(&facts), ==, 11);
    service_facts(&b->run, EPOLL, &facts);
    CHECK_COUNT("failed", service_failed(&facts), ==, 0);
}

static void failures_of_the_warm_up_do_not_count(void **state)
{
    struct served_run *b = *state;
    struct service_facts facts;
    b->run.samples.items[0].counter[COUNTER_RESET] = 9;
    service_facts(&b->run, b->run.samples.items[0].case_index, &facts);
    CHECK_COUNT("failed", service_failed(&facts), ==, 0);
    CHECK_COUNT("trials", facts.trials, ==, ROUNDS);
}

static void connections_that_were_not_made_have_their_reasons(void **state)
{
    struct served_run *b = *state;
    struct sample *s = last_sample(b, EPOLL);
    s->counter[COUNTER_ESTABLISHED] -= 6;
    numbered_add(&s->peer.connect_errors, EADDRNOTAVAIL, 4);
    numbered_add(&s->peer.connect_errors, ECONNREFUSED, 2);
    check_says(b, "epoll: connections asked for: 512, made: 506; not made: 4 EADDRNOTAVAIL (the "
                  "ephemeral ports are used up), 2 ECONNREFUSED.");
}

static void what_tcp_had_to_do_is_told_only_when_it_had_to(void **state)
{
    struct served_run *b = *state;
    char *text = text_of(b);
    CHECK_HAS_NOT("report", text, "ListenOverflows");
    CHECK_HAS_NOT("report", text, "segments again");
    free(text);
    last_sample(b, EPOLL)->counter[COUNTER_LISTEN_OVERFLOWS] = 2;
    last_sample(b, THREAD)->counter[COUNTER_RETRANSMITS] = 12;
    check_says(b, "was full 2 times meanwhile, on the whole system (ListenOverflows).");
    check_says(b, "TCP sent 12 segments again meanwhile");
}

static void delayed_acknowledgements_have_a_mode_at_forty_milliseconds(void **state)
{
    struct served_run *b = *state;
    struct histogram *h = b->run.cases[EPOLL].histogram[OF_LATENCY];
    for (int i = 0; i < 80; i++)
        histogram_record(h, 100 * 1000);
    CHECK_REAL("share", service_nagle_share(h), ==, 0.0);
    for (int i = 0; i < 20; i++)
        histogram_record(h, 41 * NS_PER_MS + (uint64_t)i * 10000);
    CHECK_NEAR("share", service_nagle_share(h), 0.2, 1e-9);
    check_says(b, "epoll: 20 % of its answers took 38 to 46 ms: Nagle's algorithm waited for a "
                  "delayed acknowledgement (see --nodelay).");
    /* a server that is just slow is none */
    for (int i = 0; i < 30; i++)
        histogram_record(h, (30 + (uint64_t)i) * NS_PER_MS);
    CHECK_REAL("share", service_nagle_share(h), ==, 0.0);
}

static void unequal_shares_of_threads_are_told(void **state)
{
    struct served_run *b = *state;
    for (size_t i = 0; i < b->run.samples.n; i++) {
        struct sample *s = &b->run.samples.items[i];
        s->workers = 2;
        s->thread_bytes[0] = 30;
        s->thread_bytes[1] = 20;
    }
    char *text = text_of(b);
    CHECK_HAS_NOT("report", text, "unequal");
    free(text);
    for (size_t i = 0; i < b->run.samples.n; i++)
        b->run.samples.items[i].thread_bytes[1] = 10;
    check_says(b, "epoll: its 2 threads got unequal shares of the bytes, from 25 % to 75 %.");
}

static void a_load_alone_has_lines_instead_of_a_table(void **state)
{
    struct served_run *b = *state;
    struct histogram *h = b->run.cases[EPOLL].histogram[OF_LATENCY];
    b->settings.connect = "localhost:80";
    for (size_t i = 0; i < b->run.samples.n; i++)
        b->run.samples.items[i].has_peer = false;
    for (int i = 0; i < 1000; i++)
        histogram_record(h, 1000);
    b->run.n_cases = 1;
    char *text = text_of(b);
    b->run.n_cases = SERVERS;
    CHECK_HAS("report", text, "  requests/s    100 k\n");
    CHECK_HAS("report", text, "  requests      8000 in 80.0 ms, ");
    CHECK_HAS("report", text, "mean 1.00 us, stdev 0.00 ns, max 1.00 us, 100.0 % within one stdev");
    CHECK_HAS("report", text, "    p99         1.00 us\n");
    CHECK_HAS("report", text, "    p99.9       too few requests\n");
    CHECK_HAS("report", text, "  connections   512 asked for, 512 made\n");
    CHECK_HAS_NOT("report", text, "mode");
    free(text);
}

static void a_search_tells_the_rate_that_it_found(void **state)
{
    struct served_run *b = *state;
    static struct rate_step steps[3];
    b->settings.find_rate = "p99:5ms";
    b->run.cases[EPOLL].steps = steps;
    b->run.cases[EPOLL].n_steps = 3;
    b->run.cases[EPOLL].found_rate = 12000;
    char *text = text_of(b);
    b->run.cases[EPOLL].steps = NULL;
    b->run.cases[EPOLL].n_steps = 0;
    CHECK_HAS("report", text, "epoll keeps p99:5ms up to 12,000 requests a second (3 rates tried).");
    free(text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        SERVED_TEST(the_table_has_requests_and_what_they_cost_at_both_ends),
        SERVED_TEST(who_was_the_limit_is_told_by_the_busiest_threads),
        SERVED_TEST(failures_are_told_by_kind_and_by_status),
        SERVED_TEST(failures_of_the_warm_up_do_not_count),
        SERVED_TEST(connections_that_were_not_made_have_their_reasons),
        SERVED_TEST(what_tcp_had_to_do_is_told_only_when_it_had_to),
        SERVED_TEST(delayed_acknowledgements_have_a_mode_at_forty_milliseconds),
        SERVED_TEST(unequal_shares_of_threads_are_told),
        SERVED_TEST(a_load_alone_has_lines_instead_of_a_table),
        SERVED_TEST(a_search_tells_the_rate_that_it_found),
    };
    return cmocka_run_group_tests_name("report of services", tests, NULL, NULL);
}
