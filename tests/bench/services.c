/* iobench echo beside the tools that its users know: wrk on the same nginx, and sockperf. */
#include "config.h"

#include "bench.h"
#include "outside.h"

#include "stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOAD_PAIRS = 12, TRIP_PAIRS = 20, MOST_STRATEGIES = 32, TEXT = 1 << 20 };

/* What a load generator did, and what that took it. */
struct load_run {
    double requests, wall_s, cpu_s;
};

static struct load_run run_wrk(unsigned port, char *text)
{
    char command[256];
    struct load_run run = {(double)NAN, (double)NAN, (double)NAN};
    snprintf(command, sizeof command, "exec wrk -c 400 -t 2 -d 2s http://127.0.0.1:%u/", port);
    run.cpu_s = outside_cpu_s(command, text, TEXT);
    const char *requests = strstr(text, " requests in "), *per_s = strstr(text, "Requests/sec:");
    if (requests == NULL || per_s == NULL)
        return run;
    while (requests > text && requests[-1] != '\n')
        requests--;
    run.requests = strtod(requests, NULL);
    run.wall_s = run.requests / strtod(per_s + strlen("Requests/sec:"), NULL);
    return run;
}

static struct load_run run_ours(const struct paths *paths, unsigned port, char *text)
{
    char command[1024];
    snprintf(command, sizeof command,
             "exec '%s' echo --connect=127.0.0.1:%u --protocol=http -c 400 --client-threads=2 "
             "--duration=2s --json -q",
             paths->iobench, port);
    double cpu_s = outside_cpu_s(command, text, TEXT);
    json_t *document = json_loads(text, 0, NULL);
    json_t *result = json_array_get(json_object_get(document, "results"), 0);
    struct load_run run = {
        json_number_value(json_object_get(json_object_get(result, "latency"), "calls")),
        last_trial(document, "wall_ns") / 1e9, cpu_s};
    json_decref(document);
    return run;
}

/* nginx with one worker that answers from memory, in a directory of its own. */
static pid_t start_nginx(const struct paths *paths, unsigned port)
{
    char name[700], command[2048];
    snprintf(name, sizeof name, "%s/iobench-bench-nginx", paths->directory);
    mkdir(name, 0755);
    snprintf(name, sizeof name, "%s/iobench-bench-nginx/conf", paths->directory);
    FILE *conf = fopen(name, "w");
    if (conf == NULL)
        return -1;
    fprintf(conf,
            "daemon off; worker_processes 1; pid pid; error_log error.log;\n"
            "events { worker_connections 4096; }\n"
            "http {\n"
            "  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s;\n"
            "  client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;\n"
            "  uwsgi_temp_path t4; scgi_temp_path t5;\n"
            "  server { listen 127.0.0.1:%u backlog=1024; location / { return 200 \"hello\\n\"; } "
            "}\n}\n",
            port);
    if (fclose(conf) != 0)
        return -1;
    snprintf(command, sizeof command, "exec nginx -p '%s/iobench-bench-nginx' -c conf -e error.log",
             paths->directory);
    return outside_start(command, port);
}

static void stop_nginx(const struct paths *paths, pid_t nginx)
{
    char command[700];
    outside_stop(nginx);
    snprintf(command, sizeof command, "rm -rf '%s/iobench-bench-nginx'", paths->directory);
    if (system(command) != 0)
        fprintf(stderr, "bench: '%s' failed\n", command);
}

static bool bench_wrk(const struct paths *paths)
{
    static double rates[LOAD_PAIRS], costs[LOAD_PAIRS], theirs[LOAD_PAIRS], work[LOAD_PAIRS];
    unsigned port = outside_port();
    pid_t nginx = start_nginx(paths, port);
    char *text = malloc(TEXT);
    size_t n = 0;
    for (unsigned i = 0; nginx > 0 && text != NULL && i < LOAD_PAIRS; i++) {
        struct load_run wrk = {0};
        if (i % 2 == 0)
            wrk = run_wrk(port, text);
        struct load_run ours = run_ours(paths, port, text);
        if (i % 2 != 0)
            wrk = run_wrk(port, text);
        if (!(wrk.cpu_s > 0 && ours.cpu_s > 0 && wrk.requests > 0 && ours.requests > 0))
            continue;
        theirs[n] = wrk.requests / wrk.wall_s;
        rates[n] = log(ours.requests / ours.wall_s / theirs[n]);
        costs[n++] = log(ours.cpu_s / ours.requests / (wrk.cpu_s / wrk.requests));
    }
    free(text);
    if (nginx > 0)
        stop_nginx(paths, nginx);
    struct ratio rate, cost;
    struct summary s;
    ratio_estimate(rates, n, 0.95, 0.01, work, &rate);
    ratio_estimate(costs, n, 0.95, 0.01, work, &cost);
    summarize(theirs, n, &s);
    printf("  wrk -c 400 -t 2 on nginx: %.0f requests/s (%.0f .. %.0f)\n", s.median, s.min, s.max);
    print_ratio("requests/s / wrk's", &rate, 1.0);
    print_cost("CPU a request / wrk's", &cost, 1.0);
    return rate.ratio >= 1.0 && cost.ratio <= 1.0;
}

/* Where the two ends are: on one processor, or on two. */
struct placement {
    const char *place;
    unsigned client; /* the processor of sockperf's; its server is on 0 */
};

/* The median round trip of sockperf, which prints half of it, in ns. */
static double sockperf_trip_ns(unsigned port, unsigned cpu)
{
    char command[256], line[256];
    double us = (double)NAN;
    snprintf(command, sizeof command,
             "taskset -c %u sockperf ping-pong --tcp -i 127.0.0.1 -p %u -m 64 -t 1 2>&1", cpu,
             port);
    FILE *out = popen(command, "r");
    while (out != NULL && fgets(line, sizeof line, out) != NULL) {
        const char *at = strstr(line, "percentile 50.000 =");
        if (at != NULL)
            us = strtod(at + strlen("percentile 50.000 ="), NULL);
    }
    if (out != NULL)
        pclose(out);
    return 2 * us * 1e3;
}

/* Ours, of every strategy that echoes. */
static json_t *our_trips(const struct paths *paths, const char *place)
{
    char command[1024];
    snprintf(command, sizeof command,
             "'%s' echo --mode=all --protocol=raw -c 1 --message-size=64 --place=%s "
             "--duration=300ms --json -q 2>/dev/null",
             paths->iobench, place);
    return run_json(command);
}

struct trips {
    char mode[32];
    double logs[TRIP_PAIRS];
    size_t n;
};

static void add_trips(struct trips *trips, const json_t *document, double theirs)
{
    const json_t *results = json_object_get(document, "results");
    for (size_t i = 0; i < json_array_size(results) && i < MOST_STRATEGIES; i++) {
        const json_t *result = json_array_get(results, i);
        const char *mode = json_string_value(json_object_get(result, "mode"));
        double ns =
            json_number_value(json_object_get(json_object_get(result, "latency"), "p50_ns"));
        if (mode != NULL)
            snprintf(trips[i].mode, sizeof trips[i].mode, "%s", mode);
        if (ns > 0 && theirs > 0)
            trips[i].logs[trips[i].n++] = log(ns / theirs);
    }
}

static bool print_trips(struct trips *trips, const char *place)
{
    double work[TRIP_PAIRS], best = INFINITY;
    for (size_t i = 0; i < MOST_STRATEGIES; i++) {
        struct ratio r;
        if (trips[i].n == 0)
            continue;
        ratio_estimate(trips[i].logs, trips[i].n, 0.95, 0.01, work, &r);
        printf("    %-26s %.4f  (%.4f .. %.4f)  %3zu pairs\n", trips[i].mode, r.ratio, r.low,
               r.high, r.n);
        best = r.ratio < best ? r.ratio : best;
    }
    printf("  the best of them, place=%-5s  %.4f, target at most 1.05: %s\n", place, best,
           best <= 1.05 ? "reached" : "MISSED");
    fflush(stdout);
    return best <= 1.05;
}

static bool bench_trips(const struct paths *paths, const struct placement *at, unsigned port)
{
    static const struct trips none;
    static struct trips trips[MOST_STRATEGIES];
    double theirs[TRIP_PAIRS];
    size_t n = 0;
    for (size_t i = 0; i < MOST_STRATEGIES; i++)
        trips[i] = none;
    for (unsigned i = 0; i < TRIP_PAIRS; i++) {
        double ns = i % 2 == 0 ? sockperf_trip_ns(port, at->client) : (double)NAN;
        json_t *document = our_trips(paths, at->place);
        if (i % 2 != 0)
            ns = sockperf_trip_ns(port, at->client);
        add_trips(trips, document, ns);
        json_decref(document);
        if (ns > 0)
            theirs[n++] = ns;
    }
    struct summary s;
    summarize(theirs, n, &s);
    printf("  p50 round trip / sockperf's (%.1f us), place=%s, one connection, 64 B:\n",
           s.median / 1e3, at->place);
    return print_trips(trips, at->place);
}

static bool bench_sockperf(const struct paths *paths)
{
    static const struct placement placements[] = {{"same", 0}, {"apart", 1}};
    char command[256];
    bool good = true;
    unsigned port = outside_port();
    snprintf(command, sizeof command, "exec taskset -c 0 sockperf server --tcp -i 127.0.0.1 -p %u",
             port);
    pid_t server = outside_start(command, port);
    if (server < 0)
        return false;
    for (size_t i = 0; i < sizeof placements / sizeof placements[0]; i++)
        good &= bench_trips(paths, &placements[i], port);
    outside_stop(server);
    return good;
}

bool bench_services(const struct paths *paths)
{
    bool good = true;
    printf("echo beside wrk and sockperf (95 %% interval)\n");
    if (is_wanted(paths, "wrk") && is_installed("wrk") && is_installed("nginx"))
        good &= bench_wrk(paths);
    if (is_wanted(paths, "sockperf") && is_installed("sockperf") && is_installed("taskset"))
        good &= bench_sockperf(paths);
    fflush(stdout);
    return good;
}
