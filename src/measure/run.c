#include "config.h"

#include "measure/run.h"

#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

double sample_wall_ns_per_pass(const struct sample *sample)
{
    return (double)sample->wall_ns / (double)sample->passes;
}

double sample_wall_ns_per_byte(const struct sample *sample)
{
    return sample->bytes > 0 ? (double)sample->wall_ns / (double)sample->bytes : NAN;
}

double sample_cpu_ns_per_byte(const struct sample *sample)
{
    return sample->bytes > 0 && sample->cpu_ns != UNKNOWN
               ? (double)sample->cpu_ns / (double)sample->bytes
               : NAN;
}

uint64_t sample_requests(const struct sample *sample)
{
    return sample->counter[COUNTER_REQUESTS];
}

uint64_t sample_failures(const struct sample *sample)
{
    return counters_failed(sample->counter);
}

double sample_wall_ns_per_request(const struct sample *sample)
{
    uint64_t n = sample_requests(sample);
    return n > 0 ? (double)sample->wall_ns / (double)n : NAN;
}

double sample_cpu_ns_per_request(const struct sample *sample)
{
    uint64_t n = sample_requests(sample);
    return n > 0 && sample->cpu_ns != UNKNOWN ? (double)sample->cpu_ns / (double)n : NAN;
}

static bool moves_bytes(const struct run *run)
{
    for (size_t i = 0; i < run->samples.n; i++)
        if (sample_counts(&run->samples.items[i]) && run->samples.items[i].bytes == 0 &&
            !run->samples.items[i].has_peer) /* what was sent to it may be lost */
            return false;
    return true;
}

double (*run_cost(const struct run *run))(const struct sample *)
{
    if (run->by_requests)
        return run->by_cpu ? sample_cpu_ns_per_request : sample_wall_ns_per_request;
    if (run->by_cpu)
        return sample_cpu_ns_per_byte;
    return moves_bytes(run) ? sample_wall_ns_per_byte : sample_wall_ns_per_pass;
}

const char *run_cost_name(const struct run *run)
{
    if (run->by_requests)
        return run->by_cpu ? "cpu_ns_per_request" : "wall_ns_per_request";
    if (run->by_cpu)
        return "cpu_ns_per_byte";
    return moves_bytes(run) ? "wall_ns_per_byte" : "wall_ns_per_pass";
}

size_t run_values(const struct run *run, unsigned index, double (*value)(const struct sample *),
                  double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < run->samples.n; i++) {
        const struct sample *sample = &run->samples.items[i];
        if (sample->case_index != index || !sample_counts(sample))
            continue;
        double v = value(sample);
        if (!isnan(v))
            values[n++] = v;
    }
    return n;
}

unsigned run_count_trials(const struct run *run, unsigned index)
{
    unsigned n = 0;
    for (size_t i = 0; i < run->samples.n; i++)
        n += run->samples.items[i].case_index == index && sample_counts(&run->samples.items[i]);
    return n;
}

/* Samples lie in the order of the rounds. */
size_t run_pair_logs(const struct run *run, unsigned a, unsigned b, double *logs)
{
    size_t n = 0;
    double (*cost)(const struct sample *) = run_cost(run);
    uint32_t round = UINT32_MAX;
    double cost_a = NAN, cost_b = NAN;
    for (size_t i = 0; i < run->samples.n; i++) {
        const struct sample *sample = &run->samples.items[i];
        if (!sample_counts(sample))
            continue;
        if (sample->round != round) {
            round = sample->round;
            cost_a = cost_b = NAN;
        }
        if (sample->case_index == a)
            cost_a = cost(sample);
        else if (sample->case_index == b)
            cost_b = cost(sample);
        else
            continue;
        if (cost_a > 0 && cost_b > 0)
            logs[n++] = log(cost_a / cost_b);
    }
    return n;
}

int run_compare(const struct run *run, unsigned index, unsigned baseline, double confidence,
                struct ratio *ratio, struct err *err)
{
    double *room = malloc((2 * run->samples.n + 1) * sizeof *room);
    if (room == NULL)
        return err_set(err, errno, "cannot compare %zu samples", run->samples.n);
    size_t n = run_pair_logs(run, index, baseline, room);
    ratio_estimate(room, n, confidence, run->delta, room + run->samples.n, ratio);
    free(room);
    return 0;
}

static double median_cost(const struct run *run, unsigned index, double *work)
{
    size_t n = run_values(run, index, run_cost(run), work);
    if (n == 0)
        return NAN;
    sort_values(work, n);
    return quantile(work, n, 0.5);
}

static int find_fastest(const struct run *run, bool keeps_bytes, double *work)
{
    int fastest = -1;
    double least = INFINITY;
    for (unsigned i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        bool candidate = c->status == CASE_OK && c->keeps_bytes == keeps_bytes;
        double cost = candidate ? median_cost(run, i, work) : NAN;
        if (cost < least) {
            least = cost;
            fastest = (int)i;
        }
    }
    return fastest;
}

int run_baseline(const struct run *run)
{
    if (run->baseline >= 0 && (unsigned)run->baseline < run->n_cases)
        return run->cases[run->baseline].status == CASE_OK ? run->baseline : -1;
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    int fastest = -1;
    if (work != NULL)
        fastest = find_fastest(run, false, work);
    if (work != NULL && fastest < 0)
        fastest = find_fastest(run, true, work);
    free(work);
    return fastest;
}

double run_confidence(const struct run *run)
{
    size_t k = 0;
    for (unsigned i = 0; i < run->n_cases; i++)
        k += run->cases[i].status == CASE_OK;
    if (k < 2)
        return family_confidence(1);
    return family_confidence(run->baseline >= 0 ? k - 1 : k * (k - 1) / 2);
}

uint64_t sample_lost_bytes(const struct sample *s)
{
    uint64_t received = s->bytes + s->ramp_bytes + s->cut_bytes;
    if (!s->has_peer)
        return UNKNOWN;
    return s->peer.bytes > received ? s->peer.bytes - received : 0;
}

enum { IN_VAIN = 10, BUSY = 95 }; /* percent */

/* A load generator's busiest thread, what it spent on waiting for a moment left out: whoever has
 * only one that is busy all the time sends no more, while the server has time left. */
static int load_limited(const struct sample *s)
{
    const struct peer_sample *load = &s->peer;
    uint64_t busiest = load->workers == 1 ? load->running_ns + load->runnable_ns : 0;
    for (unsigned i = 0; i < load->workers && i < MOST_TOLD; i++)
        busiest = load->thread_cpu_ns[i] > busiest ? load->thread_cpu_ns[i] : busiest;
    uint64_t spun = load->counter[COUNTER_SPIN_NS] / load->workers;
    busiest -= spun < busiest ? spun : busiest;
    return (double)s->cpu_ns < (1 - IN_VAIN / 100.0) * (double)s->wall_ns &&
           (double)busiest >= BUSY / 100.0 * (double)load->wall_ns;
}

int sample_peer_limited(const struct sample *s)
{
    if (!s->has_peer || s->running_ns == UNKNOWN || s->peer.running_ns == UNKNOWN ||
        s->wall_ns == 0 || s->peer.wall_ns == 0)
        return -1;
    if (s->peer.counter[COUNTER_REQUESTS] > 0)
        return s->cpu_ns != UNKNOWN ? load_limited(s) : -1;
    double busy = (double)(s->running_ns + s->runnable_ns) / (double)s->wall_ns;
    double again = (double)s->counter[COUNTER_AGAIN];
    bool polled_in_vain = s->counter[COUNTER_WAITS] == 0 && s->calls != UNKNOWN && s->calls > 0 &&
                          again / (double)s->calls > IN_VAIN / 100.0;
    double peer_busy = (double)(s->peer.running_ns + s->peer.runnable_ns) / (double)s->peer.wall_ns;
    return (1 - busy > IN_VAIN / 100.0 || polled_in_vain) && peer_busy >= BUSY / 100.0;
}

int run_peer_limited(const struct run *run, unsigned index)
{
    size_t limited = 0, known = 0;
    for (size_t i = 0; i < run->samples.n; i++) {
        const struct sample *s = &run->samples.items[i];
        int answer = s->case_index == index && sample_counts(s) ? sample_peer_limited(s) : -1;
        known += answer >= 0;
        limited += answer > 0;
    }
    return known == 0 ? -1 : 2 * limited > known;
}

int run_add_histogram(struct histogram **histogram, struct err *err)
{
    void *room =
        mmap(NULL, sizeof **histogram, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return err_set(err, errno, "cannot keep the figures of calls");
    *histogram = room;
    return 0;
}

void run_case_end(struct run_case *c, enum case_status status, const char *code, const char *format,
                  ...)
{
    if (c->status != CASE_OK)
        return;
    c->status = status;
    c->code = code;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&c->reason, format, arguments) < 0)
        c->reason = NULL;
    va_end(arguments);
}

const char *case_status_name(enum case_status status)
{
    static const char *const names[] = {"ok", "skipped", "failed", "invalid"};
    return names[status];
}

static void free_histogram(struct histogram *histogram)
{
    if (histogram != NULL)
        munmap(histogram, sizeof *histogram);
}

void run_free(struct run *run)
{
    for (unsigned i = 0; i < run->n_cases; i++) {
        free(run->cases[i].id);
        free(run->cases[i].label);
        free(run->cases[i].mode);
        free(run->cases[i].reason);
        free(run->cases[i].intervals.items);
        free(run->cases[i].steps);
        for (int h = 0; h < HISTOGRAMS; h++)
            free_histogram(run->cases[i].histogram[h]);
    }
    free(run->cases);
    samples_free(&run->samples);
    notes_free(&run->warnings);
    notes_free(&run->errors);
    *run = (struct run){0};
}
