/* iobench beside the tools that its users know, each run as its users run it. */
#include "config.h"

#include "bench.h"

#include "base/units.h"
#include "stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIRS = 20, HYPERFINE_PAIRS = 12 };

static double fio_bytes_per_s(const char *path, const char *engine, const char *block)
{
    char command[1024];
    snprintf(command, sizeof command,
             "fio --name=bench --filename='%s' --rw=read --bs=%s --ioengine=%s --iodepth=%d "
             "--invalidate=0 --readonly --output-format=json 2>/dev/null",
             path, block, engine, strcmp(engine, "io_uring") == 0 ? 32 : 1);
    json_t *document = run_json(command);
    json_t *job = json_array_get(json_object_get(document, "jobs"), 0);
    double rate = json_number_value(json_object_get(json_object_get(job, "read"), "bw_bytes"));
    json_decref(document);
    return rate;
}

static double our_bytes_per_s(const struct paths *paths, const char *path, const char *options)
{
    char all[512];
    snprintf(all, sizeof all, "%s --quick --warmup=0 --rounds=1 --trial-time=60ms", options);
    json_t *document = run_read(paths, all, path);
    double ns = last_trial(document, "wall_ns"), bytes = last_trial(document, "bytes");
    json_decref(document);
    return ns > 0 ? bytes / ns * 1e9 : NAN;
}

static const char *const blocks[] = {"4k", "16k", "64k", "128k", "256k", "1m"};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

/* The best of fio's engines and block sizes, from one look at each. */
static double best_of_fio(const char *path, const char **engine, const char **block)
{
    static const char *const engines[] = {"psync", "mmap", "io_uring"};
    double best = 0;
    for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        for (size_t b = 0; b < BLOCKS; b++) {
            double rate = fio_bytes_per_s(path, engines[e], blocks[b]);
            if (rate > best) {
                best = rate;
                *engine = engines[e];
                *block = blocks[b];
            }
        }
    }
    return best;
}

/* The best of our strategies that deliver every byte, and block sizes; options holds 128 bytes.
 * Those that copy do not look at the bytes, as fio does not; a mapping has to be touched. */
static double best_of_ours(const struct paths *paths, const char *path, char *options)
{
    static const struct {
        const char *mode;
        bool maps;
    } modes[] = {{"sysread", false},  {"pread", false}, {"fread", false},
                 {"io_uring", false}, {"mmap", true},   {"mmap-populate", true}};
    double best = 0;
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
        for (size_t b = 0; b < (modes[m].maps ? 1 : BLOCKS); b++) {
            char tried[128];
            if (modes[m].maps)
                snprintf(tried, sizeof tried, "--mode=%s --consume=touch", modes[m].mode);
            else
                snprintf(tried, sizeof tried, "--mode=%s --consume=none --block-size=%s",
                         modes[m].mode, blocks[b]);
            double rate = our_bytes_per_s(paths, path, tried);
            if (rate > best) {
                best = rate;
                strcpy(options, tried);
            }
        }
    }
    return best;
}

static bool compare_with_fio(const struct paths *paths, const char *path, const char *title,
                             const char *options, const char *engine, const char *block,
                             double target)
{
    double logs[PAIRS], work[PAIRS];
    size_t n = 0;
    for (int i = 0; i < PAIRS; i++) {
        double fio = NAN, ours = NAN;
        if (i % 2 == 0)
            fio = fio_bytes_per_s(path, engine, block);
        ours = our_bytes_per_s(paths, path, options);
        if (i % 2 != 0)
            fio = fio_bytes_per_s(path, engine, block);
        if (fio > 0 && ours > 0)
            logs[n++] = log(ours / fio);
    }
    struct ratio r;
    ratio_estimate(logs, n, 0.95, 0.01, work, &r);
    print_ratio(title, &r, target);
    return r.ratio >= target;
}

static bool bench_fio(const struct paths *paths)
{
    char path[600], options[128] = "", rate[UNITS_TEXT];
    const char *engine = "psync", *block = "128k";
    snprintf(path, sizeof path, "%s/iobench-bench-huge", paths->directory);
    if (make_file(path, UINT64_C(1) << 30) != 0)
        return false;
    double fio = best_of_fio(path, &engine, &block);
    printf("  fio is best with %s at %s (%s), ", engine, block, units_rate(rate, fio));
    double ours = best_of_ours(paths, path, options);
    printf("iobench with %s (%s)\n", options, units_rate(rate, ours));
    bool good =
        compare_with_fio(paths, path, "our best / fio's best", options, engine, block, 1.10);
    good &= compare_with_fio(paths, path, "sysread 4 KiB / fio psync",
                             "--mode=sysread --consume=none --block-size=4k", "psync", "4k", 1.5);
    unlink(path);
    return good;
}

static double hyperfine_median_ns(const struct paths *paths)
{
    char command[1400];
    snprintf(command, sizeof command,
             "hyperfine --style none --warmup 2 --runs 15 --export-json /dev/stdout 'cat %s' "
             "2>/dev/null",
             paths->large);
    json_t *document = run_json(command);
    json_t *result = json_array_get(json_object_get(document, "results"), 0);
    double seconds = json_number_value(json_object_get(result, "median"));
    json_decref(document);
    return seconds * 1e9;
}

static double our_median_ns(const struct paths *paths)
{
    json_t *document =
        run_read(paths, "--mode=sysread --exec='cat=cat {}' --quick --rounds=15", paths->large);
    json_t *result = json_array_get(json_object_get(document, "results"), 1);
    json_t *stat = json_object_get(json_object_get(result, "summary"), "wall_ns_per_pass");
    double ns = json_number_value(json_object_get(stat, "median"));
    json_decref(document);
    return ns;
}

/* The same command by both: the medians should be the same. */
static bool bench_hyperfine(const struct paths *paths)
{
    double logs[HYPERFINE_PAIRS], work[HYPERFINE_PAIRS];
    size_t n = 0;
    for (int i = 0; i < HYPERFINE_PAIRS; i++) {
        double theirs = NAN, ours = NAN;
        if (i % 2 == 0)
            theirs = hyperfine_median_ns(paths);
        ours = our_median_ns(paths);
        if (i % 2 != 0)
            theirs = hyperfine_median_ns(paths);
        if (theirs > 0 && ours > 0)
            logs[n++] = log(ours / theirs);
    }
    struct ratio r;
    ratio_estimate(logs, n, 0.95, 0.02, work, &r);
    bool good = fabs(r.ratio - 1) <= 0.02;
    printf("  elapsed of cat / hyperfine's   %.4f  (%.4f .. %.4f)  %3zu pairs, within 2 %%: %s\n",
           r.ratio, r.low, r.high, r.n, good ? "reached" : "MISSED");
    return good;
}

bool bench_peers(const struct paths *paths)
{
    bool good = true;
    printf("beside other tools, cached file of 1 GiB (fio) and of 256 MiB (hyperfine)\n");
    if (is_wanted(paths, "fio") && is_installed("fio"))
        good &= bench_fio(paths);
    if (is_wanted(paths, "hyperfine") && is_installed("hyperfine"))
        good &= bench_hyperfine(paths);
    fflush(stdout);
    return good;
}
