#include "config.h"

#include "report/service_facts.h"

#include "base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

static void add_known(uint64_t *sum, uint64_t value)
{
    *sum = *sum == UNKNOWN || value == UNKNOWN ? UNKNOWN : *sum + value;
}

static void keep_largest(uint64_t *most, uint64_t value)
{
    if (value != UNKNOWN && value > *most)
        *most = value;
}

static void add_sample(struct service_facts *facts, const struct sample *s)
{
    for (int k = 0; k < COUNTERS; k++)
        if (k == COUNTER_MOST_OPEN)
            keep_largest(&facts->counter[k], s->counter[k]);
        else
            facts->counter[k] += s->counter[k];
    facts->bytes += s->bytes;
    facts->wall_ns += s->wall_ns;
    add_known(&facts->cpu_ns, s->cpu_ns);
    if (s->has_peer)
        add_known(&facts->peer_cpu_ns, s->peer.cpu_ns);
    for (unsigned i = 0; i < MOST_TOLD; i++) {
        facts->thread_bytes[i] += s->thread_bytes[i];
        facts->thread_cpu_ns[i] += s->thread_cpu_ns[i];
        facts->peer_thread_cpu_ns[i] += s->peer.thread_cpu_ns[i];
    }
    keep_largest(&facts->peak_rss_bytes, s->peak_rss_bytes);
    keep_largest(&facts->peak_rss_anon_bytes, s->peak_rss_anon_bytes);
    numbered_merge(&facts->connect_errors,
                   s->has_peer ? &s->peer.connect_errors : &s->connect_errors);
    if (s->has_peer)
        numbered_merge(&facts->refused, &s->connect_errors);
    numbered_merge(&facts->statuses, s->has_peer ? &s->peer.statuses : &s->statuses);
    facts->workers = s->workers;
    facts->peer_workers = s->has_peer ? s->peer.workers : 0;
    facts->trials++;
}

void service_facts(const struct run *run, unsigned index, struct service_facts *facts)
{
    *facts = (struct service_facts){0};
    for (size_t i = 0; i < run->samples.n; i++) {
        const struct sample *s = &run->samples.items[i];
        if (s->case_index == index && !s->warmup)
            add_sample(facts, s);
    }
}

static const struct {
    enum counter counter;
    const char *name;
} failures[] = {{COUNTER_CLOSED, "closed early"},
                {COUNTER_RESET, "reset"},
                {COUNTER_TIMEOUTS, "timed out"},
                {COUNTER_WRONG, "answered with other bytes"},
                {COUNTER_MALFORMED, "malformed"}};
enum { FAILURES = sizeof failures / sizeof failures[0] };

uint64_t service_failed(const struct service_facts *facts)
{
    return counters_failed(facts->counter);
}

void service_print_failed(const struct service_facts *facts, FILE *out)
{
    const char *separator = "";
    for (size_t i = 0; i < FAILURES; i++) {
        uint64_t n = facts->counter[failures[i].counter];
        if (n == 0)
            continue;
        fprintf(out, "%s%" PRIu64 " %s", separator, n, failures[i].name);
        separator = ", ";
    }
    if (facts->counter[COUNTER_STATUS_ERRORS] == 0)
        return;
    for (unsigned i = 0; i < NUMBERS_COUNTED && facts->statuses.of[i].n > 0; i++) {
        fprintf(out, "%s%" PRIu64 " HTTP %d", separator, facts->statuses.of[i].n,
                facts->statuses.of[i].number);
        separator = ", ";
    }
}

void service_print_errors(const struct numbered *errors, FILE *out)
{
    for (unsigned i = 0; i < NUMBERS_COUNTED && errors->of[i].n > 0; i++) {
        fprintf(out, "%s%" PRIu64 " %s", i > 0 ? ", " : "", errors->of[i].n,
                err_name(errors->of[i].number));
        if (errors->of[i].number == EADDRNOTAVAIL)
            fputs(" (the ephemeral ports are used up)", out);
    }
}

static uint64_t count_between(const struct histogram *h, double from_ms, double to_ms)
{
    uint64_t n = 0;
    size_t last = histogram_index((uint64_t)(to_ms * 1e6));
    for (size_t i = histogram_index((uint64_t)(from_ms * 1e6)); i < last; i++)
        n += h->bucket[i];
    return n;
}

/* A delayed acknowledgement comes after 40 ms on Linux (TCP_DELACK_MIN). */
double service_nagle_share(const struct histogram *h)
{
    if (h == NULL || h->count == 0)
        return 0;
    uint64_t there = count_between(h, 38, 46);
    uint64_t beside = count_between(h, 30, 38) + count_between(h, 46, 54);
    double share = (double)there / (double)h->count;
    return share > 0.1 && there > 2 * beside ? share : 0;
}

double service_busiest(const uint64_t thread_cpu_ns[MOST_TOLD], unsigned workers, uint64_t wall_ns)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < workers && i < MOST_TOLD; i++)
        if (thread_cpu_ns[i] > most)
            most = thread_cpu_ns[i];
    return wall_ns > 0 && most > 0 ? (double)most / (double)wall_ns : (double)NAN;
}
