/* iobench recv beside a bare sender and receiver, beside iperf3, and beside itself. */
#include "config.h"

#include "bench.h"

#include "base/units.h"
#include "stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP_PAIRS = 100, IPERF_PAIRS = 12, EQUALS = 60 };

/* The same congestion control for all sides, and the two ends on processors of their own. */
#define CONGESTION "cubic"

struct drain_loop {
    const char *title, *transport;
    unsigned block;
    uint64_t bytes; /* of a trial */
};

static const struct drain_loop drain_loops[] = {
    {"recv 2 KiB, tcp", "tcp", 2048, 16 << 20},
    {"recv 128 KiB, tcp", "tcp", 128 * 1024, 64 << 20},
    {"recv 2 KiB, unix", "unix", 2048, 16 << 20},
    {"recv 128 KiB, unix", "unix", 128 * 1024, 64 << 20},
};

static double bare_rate(const struct paths *paths, const struct drain_loop *loop)
{
    char command[1024];
    double ns = NAN, bytes = NAN;
    snprintf(command, sizeof command, "'%s_stream' %s %u %u %llu %u " CONGESTION " 1 0",
             paths->bare, loop->transport, loop->block, loop->block,
             (unsigned long long)loop->bytes, 4u << 20);
    FILE *out = popen(command, "r");
    if (out == NULL || fscanf(out, "%lf %lf", &ns, &bytes) != 2)
        fprintf(stderr, "bench: '%s' gave no figures\n", command);
    if (out != NULL)
        pclose(out);
    return bytes / ns;
}

/* The ramp in time that is about as long as the bare one: both are up to speed. */
static double our_rate(const struct paths *paths, const struct drain_loop *loop,
                       const char *consume)
{
    char command[1024];
    snprintf(command, sizeof command,
             "'%s' recv --json --mode=recv --transport=%s --block-size=%u --send-size=%u "
             "--bytes=%llu --congestion=" CONGESTION
             " --consume=%s --place=apart --quick --warmup=0 --rounds=1 --trial-time=1ms "
             "--ramp=1ms 2>/dev/null",
             paths->iobench, loop->transport, loop->block, loop->block,
             (unsigned long long)loop->bytes, consume);
    json_t *document = run_json(command);
    double rate = last_trial(document, "bytes") / last_trial(document, "wall_ns");
    json_decref(document);
    return rate;
}

static bool bench_drain_loop(const struct paths *paths, const struct drain_loop *loop)
{
    double logs[LOOP_PAIRS], work[LOOP_PAIRS];
    size_t n = 0;
    for (unsigned i = 0; i < LOOP_PAIRS; i++) {
        double bare = i % 2 == 0 ? bare_rate(paths, loop) : NAN;
        double ours = our_rate(paths, loop, "touch");
        if (i % 2 != 0)
            bare = bare_rate(paths, loop);
        if (bare > 0 && ours > 0)
            logs[n++] = log(ours / bare);
    }
    struct ratio r;
    ratio_estimate(logs, n, 0.95, 0.01, work, &r);
    print_ratio(loop->title, &r, 0.98);
    return r.ratio >= 0.98;
}

/* What iperf3's receiver says of a second on loopback. */
static double iperf_rate(const char *length)
{
    char command[1024];
    snprintf(command, sizeof command,
             "iperf3 -s -1 -p 52999 -B 127.0.0.1 -A 0 >/dev/null 2>&1 & sleep 0.2; "
             "iperf3 -c 127.0.0.1 -p 52999 -A 1,0 -l %s -t 1 -C " CONGESTION " -J; wait",
             length);
    json_t *document = run_json(command);
    json_t *sum = json_object_get(json_object_get(document, "end"), "sum_received");
    double rate = json_number_value(json_object_get(sum, "bits_per_second")) / 8e9;
    json_decref(document);
    return rate;
}

static bool bench_iperf(const struct paths *paths, const char *length, unsigned block,
                        double target)
{
    char title[64];
    double logs[IPERF_PAIRS], work[IPERF_PAIRS], theirs[IPERF_PAIRS];
    struct drain_loop loop = {NULL, "tcp", block, block < 65536 ? 256 << 20 : UINT64_C(1) << 30};
    size_t n = 0;
    for (unsigned i = 0; i < IPERF_PAIRS; i++) {
        double iperf = i % 2 == 0 ? iperf_rate(length) : NAN;
        double ours = our_rate(paths, &loop, "none");
        if (i % 2 != 0)
            iperf = iperf_rate(length);
        if (iperf > 0 && ours > 0) {
            theirs[n] = iperf;
            logs[n++] = log(ours / iperf);
        }
    }
    struct ratio r;
    struct summary s;
    ratio_estimate(logs, n, 0.95, 0.01, work, &r);
    summarize(theirs, n, &s);
    snprintf(title, sizeof title, "recv / iperf3 -l %s (%.2f GB/s)", length, s.median);
    print_ratio(title, &r, target);
    return r.ratio >= target;
}

/* A case compared with itself. */
static bool compare_equal_drains(const struct paths *paths, const char *options, double *low,
                                 double *high, bool *same)
{
    char command[1024];
    snprintf(
        command, sizeof command,
        "'%s' recv --json --mode=recv,recv --baseline='recv#1' --quick --congestion=" CONGESTION
        " --place=apart %s 2>/dev/null",
        paths->iobench, options);
    json_t *document = run_json(command);
    json_t *c = json_array_get(json_object_get(document, "comparisons"), 0);
    *low = json_number_value(json_object_get(c, "ci_low"));
    *high = json_number_value(json_object_get(c, "ci_high"));
    const char *verdict = json_string_value(json_object_get(c, "verdict"));
    *same = verdict != NULL && strcmp(verdict, "same") == 0;
    json_decref(document);
    return *low > 0;
}

/* On one processor the two ends share its speed; on two, each has its own, which changes more. */
static bool bench_equal_drains(const struct paths *paths, const char *place, bool judged)
{
    static double halves[EQUALS];
    unsigned missed = 0, all_same = 0, n = 0;
    for (unsigned i = 0; i < EQUALS; i++) {
        double low, high;
        bool same;
        char options[64];
        snprintf(options, sizeof options, "--time-limit=5s --place=%s", place);
        if (!compare_equal_drains(paths, options, &low, &high, &same))
            continue;
        missed += low > 1 || high < 1;
        all_same += same;
        halves[n++] = log(high / low) / 2;
    }
    struct summary s;
    summarize(halves, n, &s);
    bool good = missed <= 7 && (!judged || s.median <= 0.01);
    printf("  equal drains, place=%s: %u of %u intervals miss 1 (at most 7), half-width median "
           "%.2f %% after at most 5 s%s, %u are 'same': %s\n",
           place, missed, n, 100 * s.median, judged ? " (goal 1 %)" : "", all_same,
           good ? "reached" : "MISSED");
    fflush(stdout);
    return good;
}

/* How narrow an interval of equal drains gets in a fixed time, by the lengths of trial and ramp:
 * the experiment behind the defaults. */
void bench_drain_times(const struct paths *paths)
{
    static const char *const times[][2] = {{"2ms", "2ms"},  {"5ms", "2ms"},  {"10ms", "2ms"},
                                           {"20ms", "2ms"}, {"50ms", "2ms"}, {"10ms", "100us"},
                                           {"10ms", "1ms"}, {"10ms", "5ms"}};
    enum { TIMES = sizeof times / sizeof times[0], REPEATS = 9 };
    static double halves[TIMES][REPEATS];
    for (int j = 0; j < REPEATS; j++) {
        for (int i = 0; i < TIMES; i++) {
            char options[128];
            double low, high;
            bool same;
            snprintf(options, sizeof options,
                     "--precision=0.0001 --time-limit=2s --place=apart --trial-time=%s --ramp=%s",
                     times[i][0], times[i][1]);
            halves[i][j] = compare_equal_drains(paths, options, &low, &high, &same)
                               ? log(high / low) / 2
                               : INFINITY;
        }
    }
    printf("  trial time    ramp   half-width   (medians of %d runs of 2 s)\n", REPEATS);
    for (int i = 0; i < TIMES; i++) {
        sort_values(halves[i], REPEATS);
        printf("  %10s  %6s     ±%.2f %%\n", times[i][0], times[i][1],
               100 * halves[i][REPEATS / 2]);
    }
}

bool bench_streams(const struct paths *paths)
{
    bool good = true;
    printf("recv, " CONGESTION ", the two ends on two processors ÷ a bare pair (95 %% interval)\n");
    for (size_t i = 0; i < sizeof drain_loops / sizeof drain_loops[0]; i++)
        if (is_wanted(paths, drain_loops[i].title))
            good &= bench_drain_loop(paths, &drain_loops[i]);
    if (is_wanted(paths, "iperf3") && is_installed("iperf3")) {
        good &= bench_iperf(paths, "2048", 2048, 2.0);
        good &= bench_iperf(paths, "128K", 128 * 1024, 1.2);
    }
    if (is_wanted(paths, "equal-drains")) {
        good &= bench_equal_drains(paths, "same", true);
        good &= bench_equal_drains(paths, "apart", false);
    }
    return good;
}
