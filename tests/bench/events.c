/* iobench epoll beside a bare loop, beside perf bench epoll wait, and beside itself. */
#include "config.h"

#include "bench.h"

#include "stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP_PAIRS = 100, PERF_PAIRS = 10, EQUALS = 20, MESSAGES = 100000, RAMP = 20000 };

struct wait_loop {
    const char *title, *kind;
    unsigned outstanding;
};

static const struct wait_loop wait_loops[] = {
    {"epoll, 64 eventfds, no limit", "eventfd", 0},
    {"epoll, 64 eventfds, 1 unread", "eventfd", 1},
    {"epoll, 64 pipes, 1 unread", "pipe", 1},
};

static double bare_rate(const struct paths *paths, const struct wait_loop *loop)
{
    char command[1024];
    double ns = NAN, n = NAN;
    snprintf(command, sizeof command, "'%s_events' %s 64 %u %d %d", paths->bare, loop->kind,
             loop->outstanding, MESSAGES, RAMP);
    FILE *out = popen(command, "r");
    if (out == NULL || fscanf(out, "%lf %lf", &ns, &n) != 2)
        fprintf(stderr, "bench: '%s' gave no figures\n", command);
    if (out != NULL)
        pclose(out);
    return n / ns;
}

static double our_rate(const struct paths *paths, const struct wait_loop *loop)
{
    char command[1024];
    snprintf(command, sizeof command,
             "'%s' epoll --json --mode=epoll -n 64 --kind=%s --outstanding=%u --max-events=64 "
             "--place=apart --quick --warmup=0 --rounds=1 --trial-time=60ms --ramp=10ms "
             "2>/dev/null",
             paths->iobench, loop->kind, loop->outstanding);
    json_t *document = run_json(command);
    double rate = last_trial(document, "messages") / last_trial(document, "wall_ns");
    json_decref(document);
    return rate;
}

static bool bench_wait_loop(const struct paths *paths, const struct wait_loop *loop)
{
    double logs[LOOP_PAIRS], work[LOOP_PAIRS];
    size_t n = 0;
    for (unsigned i = 0; i < LOOP_PAIRS; i++) {
        double bare = i % 2 == 0 ? bare_rate(paths, loop) : NAN;
        double ours = our_rate(paths, loop);
        if (i % 2 != 0)
            bare = bare_rate(paths, loop);
        if (bare > 0 && ours > 0)
            logs[n++] = log(ours / bare);
    }
    struct ratio r;
    ratio_estimate(logs, n, 0.95, 0.01, work, &r);
    print_ratio(loop->title, &r, 0.97);
    return r.ratio >= 0.97;
}

/* Operations per second, from "Averaged N operations/sec". */
static double perf_rate(void)
{
    double rate = NAN;
    char line[256];
    FILE *out = popen("perf bench epoll wait -t 1 -f 64 -r 1 2>/dev/null", "r");
    while (out != NULL && fgets(line, sizeof line, out) != NULL) {
        const char *at = strstr(line, "Averaged");
        if (at != NULL)
            rate = strtod(at + strlen("Averaged"), NULL) / 1e9;
    }
    if (out != NULL)
        pclose(out);
    return rate;
}

static bool bench_perf(const struct paths *paths)
{
    double logs[PERF_PAIRS], work[PERF_PAIRS];
    size_t n = 0;
    for (unsigned i = 0; i < PERF_PAIRS; i++) {
        double perf = i % 2 == 0 ? perf_rate() : NAN;
        double ours = our_rate(paths, &wait_loops[0]);
        if (i % 2 != 0)
            perf = perf_rate();
        if (perf > 0 && ours > 0)
            logs[n++] = log(ours / perf);
    }
    struct ratio r;
    ratio_estimate(logs, n, 0.95, 0.01, work, &r);
    print_ratio("epoll / perf bench epoll wait", &r, 1.5);
    return r.ratio >= 1.5;
}

static bool bench_equal_waits(const struct paths *paths)
{
    static double halves[EQUALS];
    unsigned missed = 0, n = 0;
    char command[1024];
    snprintf(command, sizeof command,
             "'%s' epoll --json --mode=epoll,epoll --baseline='epoll#1' --quick --time-limit=10s "
             "--place=apart 2>/dev/null",
             paths->iobench);
    for (unsigned i = 0; i < EQUALS; i++) {
        json_t *document = run_json(command);
        json_t *c = json_array_get(json_object_get(document, "comparisons"), 0);
        double low = json_number_value(json_object_get(c, "ci_low"));
        double high = json_number_value(json_object_get(c, "ci_high"));
        if (low > 0) {
            missed += low > 1 || high < 1;
            halves[n++] = log(high / low) / 2;
        }
        json_decref(document);
    }
    struct summary s;
    summarize(halves, n, &s);
    printf("  equal waits, at most 10 s:   %u of %u intervals miss 1, half-width median %.2f %% "
           "(goal 2 %%): %s\n",
           missed, n, 100 * s.median, s.median <= 0.02 ? "reached" : "MISSED");
    fflush(stdout);
    return s.median <= 0.02;
}

bool bench_events(const struct paths *paths)
{
    bool good = true;
    printf("epoll, the two ends on two processors ÷ a bare loop (95 %% interval)\n");
    for (size_t i = 0; i < sizeof wait_loops / sizeof wait_loops[0]; i++)
        if (is_wanted(paths, wait_loops[i].title))
            good &= bench_wait_loop(paths, &wait_loops[i]);
    if (is_wanted(paths, "perf bench epoll") && is_installed("perf"))
        good &= bench_perf(paths);
    if (is_wanted(paths, "equal-waits"))
        good &= bench_equal_waits(paths);
    return good;
}
