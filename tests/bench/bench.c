/* make bench: iobench's own figures, each beside its reference in the same run.
 *
 *     bench IOBENCH BARE DIRECTORY [COMPARISONS [ONLY]]
 *
 * ONLY is a word of a figure's title (getc, fio, equal-cases), or trial-times, drain-times or
 * echo-times. Pairs of runs alternate: the same work by a bare loop and by iobench, which goes first
 * changing each time. The ratio is that of throughputs, 1 when iobench adds nothing to the loop. Then
 * equal cases are compared with each other, to see how often and by how much they seem to differ. */
#include "config.h"

#include "bench.h"

#include "base/clock.h"
#include "stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PAIRS = 200, MOST_COMPARISONS = 2000 };

struct loop {
    const char *title;
    const char *bare, *options; /* of iobench */
    unsigned block;             /* 0: the loop has none */
    unsigned pairs;
    double target;
};

static const struct loop loops[] = {
    {"sysread 128 KiB, no look", "read", "--mode=sysread --consume=none", 128 * 1024, 100, 0.99},
    {"sysread 8 KiB, no look", "read", "--mode=sysread --consume=none", 8 * 1024, 100, 0.98},
    {"sysread 512 B, no look", "read", "--mode=sysread --consume=none", 512, 80, 0.97},
    {"fread 8 KiB, no look", "fread", "--mode=fread --consume=none", 8 * 1024, 60, 0.98},
    {"getc", "getc", "--mode=getc", 0, 16, 0.98},
    {"getc-unlocked", "getc-unlocked", "--mode=getc-unlocked", 0, 30, 0.98},
    {"mmap, touch", "mmap", "--mode=mmap --consume=touch", 0, 60, 0.98},
    {"io_uring 4 KiB, depth 32", "io_uring", "--mode=io_uring --depth=32 --consume=none", 4096, 40,
     0.97},
};

static double bare_ns_per_byte(const struct paths *paths, const struct loop *loop, unsigned passes)
{
    char command[2048];
    snprintf(command, sizeof command, "'%s' %s '%s' %u %u", paths->bare, loop->bare, paths->large,
             loop->block > 0 ? loop->block : 4096, passes);
    double ns = NAN, bytes = NAN;
    FILE *out = popen(command, "r");
    if (out == NULL || fscanf(out, "%lf %lf", &ns, &bytes) != 2)
        fprintf(stderr, "bench: '%s' gave no figures\n", command);
    if (out != NULL)
        pclose(out);
    return ns / bytes;
}

static double iobench_ns_per_byte(const struct paths *paths, const struct loop *loop,
                                  double *passes)
{
    char options[512], block[64] = "";
    if (loop->block > 0)
        snprintf(block, sizeof block, "--block-size=%u", loop->block);
    snprintf(options, sizeof options, "%s %s --quick --warmup=0 --rounds=1 --trial-time=60ms",
             loop->options, block);
    json_t *document = run_read(paths, options, paths->large);
    double ns = last_trial(document, "wall_ns"), bytes = last_trial(document, "bytes");
    *passes = last_trial(document, "passes");
    json_decref(document);
    return bytes > 0 ? ns / bytes : NAN;
}

static bool bench_loop(const struct paths *paths, const struct loop *loop)
{
    double logs[MOST_PAIRS], work[MOST_PAIRS];
    double passes = 1;
    iobench_ns_per_byte(paths, loop, &passes); /* warm, and to learn the length */
    size_t n = 0;
    for (unsigned i = 0; i < loop->pairs; i++) {
        double ours, bare, used = passes;
        if (i % 2 == 0)
            bare = bare_ns_per_byte(paths, loop, (unsigned)passes);
        ours = iobench_ns_per_byte(paths, loop, &used);
        if (i % 2 != 0)
            bare = bare_ns_per_byte(paths, loop, (unsigned)used);
        if (ours > 0 && bare > 0)
            logs[n++] = log(bare / ours);
    }
    struct ratio r;
    ratio_estimate(logs, n, 0.95, 0.01, work, &r);
    print_ratio(loop->title, &r, loop->target);
    return r.ratio >= loop->target;
}

/* One comparison of a case with itself. */
static bool compare_equals(const struct paths *paths, const char *options, struct ratio *r,
                           bool *same)
{
    char all[512];
    snprintf(all, sizeof all, "--mode=sysread,sysread --quick %s", options);
    json_t *document = run_read(paths, all, paths->small);
    json_t *c = json_array_get(json_object_get(document, "comparisons"), 0);
    r->ratio = json_number_value(json_object_get(c, "ratio"));
    r->low = json_number_value(json_object_get(c, "ci_low"));
    r->high = json_number_value(json_object_get(c, "ci_high"));
    r->n = (size_t)json_integer_value(json_object_get(c, "rounds"));
    const char *verdict = json_string_value(json_object_get(c, "verdict"));
    *same = verdict != NULL && strcmp(verdict, "same") == 0;
    json_decref(document);
    return r->ratio > 0 && r->low > 0;
}

/* The id of the first is the baseline by name, so that nothing is picked from the data. */
#define EQUALS "--baseline='sysread#1' "

static bool bench_equals_once(const struct paths *paths)
{
    struct ratio r;
    bool same;
    if (!compare_equals(paths, EQUALS "--time-limit=4s", &r, &same))
        return false;
    double half = ratio_half_width(&r);
    printf("  equal cases, at most 4 s:    ratio %.4f (%.4f .. %.4f), %zu rounds, ±%.2f %% (goal "
           "±1 %%): %s\n",
           r.ratio, r.low, r.high, r.n, 100 * half, half <= 0.01 ? "reached" : "MISSED");
    fflush(stdout);
    return half <= 0.01;
}

static bool bench_equals(const struct paths *paths, unsigned comparisons)
{
    static double halves[MOST_COMPARISONS];
    unsigned missed = 0, same_count = 0, done = 0;
    uint64_t began = clock_now_ns();
    for (unsigned i = 0; i < comparisons; i++) {
        struct ratio r;
        bool same;
        if (!compare_equals(paths, EQUALS "--time-limit=10s", &r, &same))
            continue;
        missed += r.low > 1 || r.high < 1;
        same_count += same;
        halves[done++] = ratio_half_width(&r);
    }
    struct summary s;
    summarize(halves, done, &s);
    double most = floor(0.07 * done + 1e-9);
    bool good = missed <= most && same_count >= 0.95 * done;
    printf("  equal cases, %u comparisons: %u intervals miss 1 (nominal %.0f, at most %.0f), %.1f "
           "%% are 'same' (at least 95), half-width median %.2f %%, in %.0f s: %s\n",
           done, missed, 0.05 * done, most, 100.0 * same_count / done, 100 * s.median,
           (double)(clock_now_ns() - began) / 1e9, good ? "reached" : "MISSED");
    fflush(stdout);
    return good;
}

/* How narrow an interval of equal cases gets in a fixed time, by the length of a trial: the
 * experiment behind the default. */
static void bench_trial_times(const struct paths *paths)
{
    static const char *const times[] = {"1ms", "2ms", "5ms", "10ms", "20ms", "50ms", "100ms"};
    enum { TIMES = sizeof times / sizeof times[0], REPEATS = 15 };
    static double halves[TIMES][REPEATS], errors[TIMES][REPEATS];
    for (int j = 0; j < REPEATS; j++) {
        for (int i = 0; i < TIMES; i++) {
            char options[128];
            struct ratio r;
            bool same;
            snprintf(options, sizeof options,
                     EQUALS "--precision=0.0001 --time-limit=2s "
                            "--trial-time=%s",
                     times[i]);
            bool known = compare_equals(paths, options, &r, &same);
            halves[i][j] = known ? ratio_half_width(&r) : INFINITY;
            errors[i][j] = known ? fabs(log(r.ratio)) : INFINITY;
        }
    }
    printf("  trial time   half-width   error of the ratio   (medians of %d runs of 2 s)\n",
           REPEATS);
    for (int i = 0; i < TIMES; i++) {
        sort_values(halves[i], REPEATS);
        sort_values(errors[i], REPEATS);
        printf("  %10s     ±%.2f %%               %.2f %%\n", times[i],
               100 * halves[i][REPEATS / 2], 100 * errors[i][REPEATS / 2]);
    }
    fflush(stdout);
}

/* Is this part among those asked for? Everything is, unless a word of its title was given. */
bool is_wanted(const struct paths *paths, const char *title)
{
    return paths->only == NULL || strstr(title, paths->only) != NULL;
}

static bool bench_loops(const struct paths *paths)
{
    bool good = true;
    printf("throughput ÷ that of a bare loop, cached file of 256 MiB (95 %% interval)\n");
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (is_wanted(paths, loops[i].title))
            good &= bench_loop(paths, &loops[i]);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 6) {
        fprintf(stderr, "usage: bench IOBENCH BARE DIRECTORY [COMPARISONS [ONLY]]\n");
        return 2;
    }
    struct paths paths = {.iobench = argv[1], .bare = argv[2], .directory = argv[3]};
    unsigned comparisons = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 400;
    if (comparisons > MOST_COMPARISONS)
        comparisons = MOST_COMPARISONS;
    if (argc > 5 && argv[5][0] != '\0')
        paths.only = argv[5];
    snprintf(paths.large, sizeof paths.large, "%s/iobench-bench-large", argv[3]);
    snprintf(paths.small, sizeof paths.small, "%s/iobench-bench-small", argv[3]);
    if (make_file(paths.large, UINT64_C(256) << 20) != 0 ||
        make_file(paths.small, UINT64_C(16) << 20) != 0)
        return 3;
    bool good = bench_loops(&paths);
    good &= bench_peers(&paths);
    good &= bench_streams(&paths);
    good &= bench_events(&paths);
    good &= bench_services(&paths);
    good &= bench_echoes(&paths);
    if (is_wanted(&paths, "equal-cases")) {
        printf("a case compared with itself, cached file of 16 MiB\n");
        good &= bench_equals_once(&paths);
        if (comparisons > 0)
            good &= bench_equals(&paths, comparisons);
    }
    if (paths.only != NULL && strcmp(paths.only, "trial-times") == 0)
        bench_trial_times(&paths);
    if (paths.only != NULL && strcmp(paths.only, "drain-times") == 0)
        bench_drain_times(&paths);
    if (paths.only != NULL && strcmp(paths.only, "echo-times") == 0)
        bench_echo_times(&paths);
    unlink(paths.large);
    unlink(paths.small);
    return good ? 0 : 1;
}
