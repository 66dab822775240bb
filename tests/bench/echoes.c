/* iobench echo by itself: moments that are kept, many connections, and equal servers. */
#include "config.h"

#include "bench.h"
#include "outside.h"

#include "stats/summary.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPEN_RUNS = 10, STOPPED_RUNS = 3, HELD = 9000, EQUALS = 20 };
/* A request that waited for so long did so for a server that stood still, not for a busy machine.
 */
#define LATE_NS 20e6

static double of_result(const json_t *document, const char *group, const char *key)
{
    json_t *result = json_array_get(json_object_get(document, "results"), 0);
    return json_number_value(json_object_get(json_object_get(result, group), key));
}

/* How late requests leave whose moments are 50 us apart. */
static bool bench_open_loop(const struct paths *paths)
{
    double late[OPEN_RUNS], rates[OPEN_RUNS];
    size_t n = 0;
    char command[1024];
    snprintf(command, sizeof command,
             "'%s' echo --mode=epoll -c 64 --rate=20000 --duration=2s --place=apart --json -q "
             "2>/dev/null",
             paths->iobench);
    for (unsigned i = 0; i < OPEN_RUNS; i++) {
        json_t *document = run_json(command);
        double ns = of_result(document, "send_lateness", "p99_ns");
        double wall_s = last_trial(document, "wall_ns") / 1e9;
        if (ns > 0 && wall_s > 0) {
            rates[n] = of_result(document, "latency", "calls") / wall_s;
            late[n++] = ns;
        }
        json_decref(document);
    }
    struct summary s, rate;
    summarize(late, n, &s);
    summarize(rates, n, &rate);
    bool good = s.median <= 100e3;
    printf("  open loop, 20,000/s: p99 send lateness %.1f us (%.1f .. %.1f), %zu runs, %.0f "
           "requests/s, target 100 us: %s\n",
           s.median / 1e3, s.min / 1e3, s.max / 1e3, n, rate.median, good ? "reached" : "MISSED");
    return good;
}

/* Of the first result: how many requests took LATE_NS and longer, and what 99 % of them took at
 * most. The document has no p99 of so few. */
static double late_requests(const json_t *document, double *p99_ns)
{
    json_t *result = json_array_get(json_object_get(document, "results"), 0);
    json_t *latency = json_object_get(result, "latency");
    json_t *buckets = json_object_get(latency, "buckets");
    double most = 0.99 * json_number_value(json_object_get(latency, "calls"));
    double n = 0, seen = 0;
    *p99_ns = 0;
    for (size_t i = 0; i < json_array_size(buckets); i++) {
        const json_t *bucket = json_array_get(buckets, i);
        double ns = json_number_value(json_array_get(bucket, 0));
        double count = json_number_value(json_array_get(bucket, 1));
        n += ns >= LATE_NS ? count : 0;
        *p99_ns = seen < most ? ns : *p99_ns;
        seen += count;
    }
    return n;
}

/* A load of 5 s; the server stands still for the third of them. */
static json_t *run_stopped(const struct paths *paths, unsigned port, pid_t server)
{
    char command[1024];
    snprintf(command, sizeof command,
             "'%s' echo --connect=127.0.0.1:%u -c 10 --rate=100 --duration=5s --json -q "
             "2>/dev/null",
             paths->iobench, port);
    FILE *out = popen(command, "r");
    if (out == NULL)
        return NULL;
    sleep(2);
    outside_signal(server, SIGSTOP);
    sleep(1);
    outside_signal(server, SIGCONT);
    json_t *document = json_loadf(out, 0, NULL);
    pclose(out);
    return document;
}

/* "Coordinated omission": what a server that stands still does to its users is all counted. */
static bool bench_stopped(const struct paths *paths)
{
    double late[STOPPED_RUNS], p99[STOPPED_RUNS];
    size_t n = 0;
    char command[1024];
    unsigned port = outside_port();
    snprintf(command, sizeof command, "exec '%s' echo --listen=127.0.0.1:%u --mode=epoll -q",
             paths->iobench, port);
    pid_t server = outside_start(command, port);
    for (unsigned i = 0; server > 0 && i < STOPPED_RUNS; i++) {
        json_t *document = run_stopped(paths, port, server);
        late[n] = late_requests(document, &p99[n]);
        n += p99[n] > 0;
        json_decref(document);
    }
    if (server > 0)
        outside_stop(server);
    struct summary s, of_p99;
    summarize(late, n, &s);
    summarize(p99, n, &of_p99);
    bool good = n > 0 && s.min >= 90 && s.max <= 120 && of_p99.min >= 0.8e9;
    printf("  server stopped for 1 s, 100/s: %.0f requests late (%.0f .. %.0f; about 100), "
           "p99 "
           "%.2f s (at least 0.8), %zu runs: %s\n",
           s.median, s.min, s.max, of_p99.min / 1e9, n, good ? "reached" : "MISSED");
    return good;
}

/* Very many connections, and what each takes of the server. */
static bool bench_held(const struct paths *paths)
{
    char command[1024];
    unsigned good = 0, n = 0;
    snprintf(command, sizeof command,
             "'%s' echo --mode=all --protocol=http -c %d --quick --warmup=0 --rounds=1 --json -q "
             "2>/dev/null",
             paths->iobench, HELD);
    json_t *document = run_json(command);
    const json_t *results = json_object_get(document, "results");
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_t *result = json_array_get(results, i);
        json_t *trials = json_object_get(result, "trials"), *trial = json_array_get(trials, 0);
        json_t *latency = json_object_get(result, "latency");
        double served = json_number_value(json_object_get(latency, "calls"));
        double bytes = json_number_value(json_object_get(trial, "peak_rss_anon_bytes"));
        double wall_s = json_number_value(json_object_get(trial, "wall_ns")) / 1e9;
        double there = json_number_value(
            json_object_get(json_object_get(trial, "peer"), "connections_established"));
        bool held = there >= HELD && served >= HELD;
        printf("  %d connections, %-18s %7.0f B of the server for each, %.0f requests/s: %s\n",
               HELD, json_string_value(json_object_get(result, "mode")), bytes / HELD,
               served / wall_s, held ? "reached" : "MISSED");
        good += held;
        n++;
    }
    json_decref(document);
    return n > 0 && good == n;
}

/* A server compared with itself. */
static bool compare_equal_echoes(const struct paths *paths, const char *options, double *low,
                                 double *high)
{
    char command[1024];
    snprintf(command, sizeof command,
             "'%s' echo --json --mode=epoll,epoll --baseline='epoll#1' --quick %s 2>/dev/null",
             paths->iobench, options);
    json_t *document = run_json(command);
    json_t *c = json_array_get(json_object_get(document, "comparisons"), 0);
    *low = json_number_value(json_object_get(c, "ci_low"));
    *high = json_number_value(json_object_get(c, "ci_high"));
    json_decref(document);
    return *low > 0;
}

/* On one processor the two ends share its speed; elsewhere the scheduler's choices are measured
 * with them, and the interval is shown alone. */
static bool bench_equal_echoes(const struct paths *paths, const char *place, bool judged)
{
    static double halves[EQUALS];
    unsigned missed = 0, n = 0;
    for (unsigned i = 0; i < EQUALS; i++) {
        double low, high;
        char options[64];
        snprintf(options, sizeof options, "--time-limit=20s --place=%s", place);
        if (!compare_equal_echoes(paths, options, &low, &high))
            continue;
        missed += low > 1 || high < 1;
        halves[n++] = log(high / low) / 2;
    }
    struct summary s;
    summarize(halves, n, &s);
    bool good = missed <= 3 && n > 0 && (!judged || s.median <= 0.02);
    printf(
        "  equal-echoes, place=%s: %u of %u intervals miss 1 (at most 3), half-width median %.2f "
        "%% after at most 20 s%s: %s\n",
        place, missed, n, 100 * s.median, judged ? " (goal 2 %)" : "", good ? "reached" : "MISSED");
    fflush(stdout);
    return good;
}

/* How narrow an interval of equal servers gets in a fixed time, by the lengths of trial and ramp
 * and by where the ends are: the experiment behind the defaults. */
void bench_echo_times(const struct paths *paths)
{
    static const char *const times[][3] = {
        {"5ms", "2ms", "same"},   {"10ms", "2ms", "same"},  {"20ms", "2ms", "same"},
        {"50ms", "2ms", "same"},  {"100ms", "2ms", "same"}, {"20ms", "10ms", "same"},
        {"50ms", "10ms", "same"}, {"50ms", "20ms", "same"}, {"100ms", "10ms", "same"},
        {"10ms", "2ms", "apart"}, {"20ms", "2ms", "apart"}, {"50ms", "10ms", "apart"},
        {"10ms", "2ms", "any"},   {"20ms", "2ms", "any"},   {"50ms", "10ms", "any"}};
    enum { TIMES = sizeof times / sizeof times[0], REPEATS = 9 };
    static double halves[TIMES][REPEATS];
    for (int j = 0; j < REPEATS; j++) {
        for (int i = 0; i < TIMES; i++) {
            char options[128];
            double low, high;
            snprintf(options, sizeof options,
                     "--precision=0.0001 --time-limit=2s --trial-time=%s --ramp=%s --place=%s",
                     times[i][0], times[i][1], times[i][2]);
            halves[i][j] =
                compare_equal_echoes(paths, options, &low, &high) ? log(high / low) / 2 : INFINITY;
        }
    }
    printf("  trial time    ramp  place   half-width   (medians of %d runs of 2 s)\n", REPEATS);
    for (int i = 0; i < TIMES; i++) {
        sort_values(halves[i], REPEATS);
        printf("  %10s  %6s  %5s     ±%.2f %%\n", times[i][0], times[i][1], times[i][2],
               100 * halves[i][REPEATS / 2]);
        fflush(stdout);
    }
}

bool bench_echoes(const struct paths *paths)
{
    bool good = true;
    printf("echo by itself\n");
    if (is_wanted(paths, "open loop"))
        good &= bench_open_loop(paths);
    if (is_wanted(paths, "server stopped"))
        good &= bench_stopped(paths);
    if (is_wanted(paths, "connections held"))
        good &= bench_held(paths);
    if (is_wanted(paths, "equal-echoes")) {
        good &= bench_equal_echoes(paths, "same", true);
        good &= bench_equal_echoes(paths, "any", false);
    }
    fflush(stdout);
    return good;
}
