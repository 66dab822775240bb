/* What the parts of make bench share. */
#ifndef IOBENCH_BENCH_H
#define IOBENCH_BENCH_H

#include "stats/ratio.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct paths {
    const char *iobench, *bare, *directory;
    const char *only;            /* a word of a title, or NULL: all figures */
    char large[512], small[512]; /* cached files of 256 MiB and of 16 MiB */
};

/* Is the figure of this title asked for? */
bool is_wanted(const struct paths *paths, const char *title);

/* Runs a command and reads its output as JSON; NULL, after saying so, when there is none. */
json_t *run_json(const char *command);

/* iobench read --json OPTIONS PATH. */
json_t *run_read(const struct paths *paths, const char *options, const char *path);

/* A number of the last trial of the first case. */
double last_trial(const json_t *document, const char *key);

void print_ratio(const char *title, const struct ratio *r, double target);
/* The same of what is to be low: the target is the most it may be. */
void print_cost(const char *title, const struct ratio *r, double target);

/* A file of text of our own, in the page cache. 0, or -1 after saying so. */
int make_file(const char *path, uint64_t size);

/* Says so when it is not. */
bool is_installed(const char *tool);

/* iobench recv beside a bare pair, iperf3 and itself. False when a target was missed. */
bool bench_streams(const struct paths *paths);
/* iobench epoll beside a bare loop, perf bench and itself. */
bool bench_events(const struct paths *paths);
/* The table behind its default trial and ramp. */
void bench_drain_times(const struct paths *paths);
/* iobench echo beside wrk and sockperf, and by itself. */
bool bench_services(const struct paths *paths);
bool bench_echoes(const struct paths *paths);
void bench_echo_times(const struct paths *paths);

/* iobench beside fio and hyperfine, where they are installed. False when a target was missed. */
bool bench_peers(const struct paths *paths);

#endif
