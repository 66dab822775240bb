/* One trial as JSON: the subject, its other end, and their sockets. */
#include "config.h"

#include "report/json_result.h"

#include "base/err.h"

#include <stdio.h>

static json_t *make_socket(struct json_document *d, const struct socket_facts *facts)
{
    if (!facts->known)
        return json_null();
    json_t *o = json_object();
    json_put(d, o, "rcvbuf_bytes", json_count(facts->rcvbuf_bytes));
    json_put(d, o, "sndbuf_bytes", json_count(facts->sndbuf_bytes));
    json_put(d, o, "nodelay",
             facts->nodelay == UNKNOWN ? json_null() : json_boolean(facts->nodelay));
    json_put(d, o, "congestion",
             json_text(facts->congestion[0] != '\0' ? facts->congestion : NULL));
    json_put(d, o, "rtt_ns", json_count(facts->rtt_ns));
    json_put(d, o, "retransmits", json_count(facts->retransmits));
    json_put(d, o, "delivered", json_count(facts->delivered));
    json_put(d, o, "drops", json_count(facts->drops));
    return o;
}

static void put_counters(struct json_document *d, json_t *o, const uint64_t counter[COUNTERS],
                         unsigned counted)
{
    for (int k = 0; k < COUNTERS; k++)
        if (counter_info[k].by & counted)
            json_put(d, o, counter_info[k].key, json_count(counter[k]));
}

static json_t *make_figures(struct json_document *d, const uint64_t figures[MOST_TOLD],
                            unsigned workers)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < workers && i < MOST_TOLD; i++)
        json_append(d, array, json_count(figures[i]));
    return array;
}

/* {"ECONNREFUSED": 3}, or {"404": 2} where the numbers are their own names. */
static json_t *make_numbered(struct json_document *d, const struct numbered *counts, bool errnos)
{
    json_t *o = json_object();
    for (unsigned i = 0; i < NUMBERS_COUNTED && counts->of[i].n > 0; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", counts->of[i].number);
        json_put(d, o, errnos ? err_name(counts->of[i].number) : number,
                 json_count(counts->of[i].n));
    }
    return o;
}

static json_t *make_peer(struct json_document *d, const struct sample *s, unsigned counted)
{
    if (!s->has_peer)
        return json_null();
    const struct peer_sample *p = &s->peer;
    json_t *o = json_object();
    json_put(d, o, "bytes", json_count(p->bytes));
    json_put(d, o, "calls", json_count(p->calls));
    json_put(d, o, "short_calls", json_count(p->short_calls));
    json_put(d, o, "wall_ns", json_count(p->wall_ns));
    json_put(d, o, "cpu_ns", json_count(p->cpu_ns));
    json_put(d, o, "running_ns", json_count(p->running_ns));
    json_put(d, o, "runnable_ns", json_count(p->runnable_ns));
    json_put(d, o, "voluntary_switches", json_count(p->voluntary_switches));
    json_put(d, o, "involuntary_switches", json_count(p->involuntary_switches));
    json_put(d, o, "cpu", p->cpu >= 0 ? json_integer(p->cpu) : json_null());
    put_counters(d, o, p->counter, counted);
    if (counted == COUNTED_BY_SERVICES) {
        json_put(d, o, "peak_rss_bytes", json_count(p->peak_rss_bytes));
        json_put(d, o, "thread_cpu_ns", make_figures(d, p->thread_cpu_ns, p->workers));
        json_put(d, o, "connect_errors", make_numbered(d, &p->connect_errors, true));
        json_put(d, o, "statuses", make_numbered(d, &p->statuses, false));
    }
    json_put(d, o, "socket", make_socket(d, &p->socket));
    return o;
}

/* Jain's index: 1 when all got the same, 1/n when one got all (Jain, Chiu, Hawe, DEC-TR-301, 1984).
 */
static json_t *make_fairness(struct json_document *d, const struct fairness *f)
{
    if (f->connections == 0)
        return json_null();
    json_t *o = json_object();
    json_put(d, o, "n", json_count(f->connections));
    json_put(d, o, "min_bytes", json_count(f->least_bytes));
    json_put(d, o, "max_bytes", json_count(f->most_bytes));
    json_put(d, o, "fairness_ratio",
             json_number(f->sum * f->sum / ((double)f->connections * f->sum_of_squares)));
    return o;
}

static void put_service(struct json_document *d, json_t *o, const struct sample *s)
{
    json_put(d, o, "thread_cpu_ns", make_figures(d, s->thread_cpu_ns, s->workers));
    json_put(d, o, "bytes_by_thread", make_figures(d, s->thread_bytes, s->workers));
    json_put(d, o, "connect_errors", make_numbered(d, &s->connect_errors, true));
    json_put(d, o, "statuses", make_numbered(d, &s->statuses, false));
}

/* What only trials with another end have. */
static void put_two_ends(struct json_document *d, json_t *o, const struct sample *s,
                         unsigned counted)
{
    int limited = sample_peer_limited(s);
    json_put(d, o, "ramp_bytes", json_count(s->ramp_bytes));
    json_put(d, o, "cut_bytes", json_count(s->cut_bytes));
    json_put(d, o, "lost_bytes", json_count(sample_lost_bytes(s)));
    json_put(d, o, "running_ns", json_count(s->running_ns));
    json_put(d, o, "runnable_ns", json_count(s->runnable_ns));
    json_put(d, o, "peer_limited", limited < 0 ? json_null() : json_boolean(limited));
    put_counters(d, o, s->counter, counted);
    if (counted == COUNTED_BY_EVENTS)
        json_put(d, o, "spurious_by_thread", make_figures(d, s->spurious, s->workers));
    if (counted != COUNTED_BY_SERVICES)
        json_put(d, o, counted == COUNTED_BY_EVENTS ? "handles" : "connections",
                 make_fairness(d, &s->fairness));
    else
        put_service(d, o, s);
    json_put(d, o, "socket", make_socket(d, &s->socket));
}

json_t *json_trial(struct json_document *d, const struct run_case *c, const struct sample *s,
                   unsigned counted)
{
    json_t *o = json_object();
    bool lines = c->kind == CASE_STRATEGY && c->params.value[KNOB_CONSUME] == CONSUME_LINES;
    json_put(d, o, "round", json_integer(s->round));
    json_put(d, o, "position", json_integer(s->position));
    json_put(d, o, "warmup", json_boolean(s->warmup));
    json_put(d, o, "complete", json_boolean(s->complete));
    json_put(d, o, "passes", json_count(s->passes));
    json_put(d, o, "bytes", json_count(s->bytes));
    json_put(d, o, "calls", json_count(s->calls));
    json_put(d, o, "short_calls", json_count(s->short_calls));
    json_put(d, o, "newlines", lines ? json_count(s->newlines) : json_null());
    json_put(d, o, "wall_ns", json_count(s->wall_ns));
    json_put(d, o, "cpu_ns", json_count(s->cpu_ns));
    json_put(d, o, "setup_ns", json_count(s->setup_ns));
    json_put(d, o, "cache_drop_ns",
             c->params.value[KNOB_CACHE] == CACHE_COLD ? json_count(s->prepare_ns) : json_null());
    json_put(d, o, "peak_rss_bytes", json_count(s->peak_rss_bytes));
    json_put(d, o, "peak_rss_anon_bytes", json_count(s->peak_rss_anon_bytes));
    json_put(d, o, "cpu", s->cpu >= 0 ? json_integer(s->cpu) : json_null());
    json_put(d, o, "minor_faults", json_count(s->minor_faults));
    json_put(d, o, "major_faults", json_count(s->major_faults));
    json_put(d, o, "voluntary_switches", json_count(s->voluntary_switches));
    json_put(d, o, "involuntary_switches", json_count(s->involuntary_switches));
    json_put(d, o, "block_inputs", json_count(s->block_inputs));
    json_put(d, o, "storage_read_bytes", json_count(s->storage_read_bytes));
    json_put(d, o, "peer", make_peer(d, s, counted));
    if (counted != 0)
        put_two_ends(d, o, s, counted);
    return o;
}
