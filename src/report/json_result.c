/* The results of a run as JSON. */
#include "config.h"

#include "report/json_result.h"
#include "report/metric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

json_t *json_knob(enum knob knob, uint64_t value)
{
    char text[PARAM_TEXT];
    if (value == PARAM_NONE)
        return json_null();
    if (knob_info[knob].kind == KNOB_KIND_CHOICE || knob_info[knob].kind == KNOB_KIND_PATTERN)
        return json_string(params_text(knob, value, text));
    return json_count(value);
}

static json_t *make_params(struct json_document *d, const struct run_case *c)
{
    json_t *o = json_object();
    for (int k = 0; k < KNOBS; k++)
        if (c->knobs & KNOB_BIT(k))
            json_put(d, o, knob_info[k].key, json_knob((enum knob)k, c->params.value[k]));
    return o;
}

static json_t *make_trials(struct json_document *d, const struct run *run, unsigned index,
                           unsigned counted)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->samples.n; i++)
        if (run->samples.items[i].case_index == index)
            json_append(d, array,
                        json_trial(d, &run->cases[index], &run->samples.items[i], counted));
    return array;
}

static json_t *make_profile(struct json_document *d, const struct run_case *c)
{
    if (!c->has_profile)
        return json_null();
    const struct sample *s = &c->profile;
    json_t *o = json_object();
    json_put(d, o, "passes", json_count(s->passes));
    json_put(d, o, "wall_ns", json_count(s->wall_ns));
    json_put(d, o, "user_ns", json_count(s->user_ns));
    json_put(d, o, "system_ns", json_count(s->system_ns));
    json_put(d, o, "open_ns", json_count(s->open_ns));
    json_put(d, o, "close_ns", json_count(s->close_ns));
    return o;
}

static json_t *make_summary(struct json_document *d, const struct run *run, unsigned index,
                            double *work)
{
    json_t *o = json_object();
    for (int m = 0; m < METRICS; m++) {
        struct summary s;
        metric_summary(run, index, (enum metric_id)m, work, &s);
        json_t *stat = json_object();
        json_put(d, stat, "n", json_count(s.n));
        json_put(d, stat, "median", json_number(s.median));
        json_put(d, stat, "p10", json_number(s.p10));
        json_put(d, stat, "p90", json_number(s.p90));
        json_put(d, stat, "min", json_number(s.min));
        json_put(d, stat, "max", json_number(s.max));
        json_put(d, stat, "mean", json_number(s.mean));
        json_put(d, stat, "stddev", json_number(s.stddev));
        json_put(d, stat, "mad", json_number(s.mad));
        json_put(d, o, metrics[m].key, stat);
    }
    return o;
}

static json_t *make_symbols(struct json_document *d, const struct run_case *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->n_symbols; i++) {
        json_t *o = json_object();
        json_put(d, o, "symbol", json_text(c->symbols[i].name));
        json_put(d, o, "share_ratio", json_number(c->symbols[i].share));
        json_append(d, array, o);
    }
    return array;
}

/* Of times alone: what bytes or events came to is told by counts. */
static void put_moments(struct json_document *d, json_t *o, const struct histogram *h)
{
    struct moments m;
    histogram_moments(h, &m);
    json_put(d, o, "mean_ns", json_number(m.mean));
    json_put(d, o, "stddev_ns", json_number(m.stddev));
    json_put(d, o, "within_stddev_ratio", json_number(m.within_ratio));
    json_put(d, o, "p75_ns", json_count(histogram_quantile(h, 0.75)));
    json_put(d, o, "p9999_ns", json_count(histogram_quantile(h, 0.9999)));
}

static json_t *make_buckets(struct json_document *d, const struct histogram *h)
{
    json_t *buckets = json_array();
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (h->bucket[i] == 0)
            continue;
        json_t *bucket = json_array();
        json_append(d, bucket, json_count(histogram_lowest(i)));
        json_append(d, bucket, json_count(h->bucket[i]));
        json_append(d, buckets, bucket);
    }
    return buckets;
}

/* The keys end in the unit: p50_ns, or p50_bytes. */
static json_t *make_histogram(struct json_document *d, const struct histogram *h, const char *unit)
{
    static const struct {
        const char *key;
        double share;
    } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
    if (h == NULL)
        return json_null();
    json_t *o = json_object();
    json_put(d, o, "calls", json_count(h->count));
    json_put(d, o, "overflow", json_count(h->overflow));
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_%s", quantiles[i].key, unit);
        json_put(d, o, key, json_count(histogram_quantile(h, quantiles[i].share)));
    }
    if (strcmp(unit, "ns") == 0)
        put_moments(d, o, h);
    json_put(d, o, "buckets", make_buckets(d, h));
    return o;
}

static json_t *make_intervals(struct json_document *d, const struct intervals *intervals,
                              unsigned counted)
{
    json_t *array = json_array();
    for (size_t i = 0; i < intervals->n; i++) {
        json_t *o = json_object();
        json_put(d, o, "start_ns", json_count(intervals->items[i].start_ns));
        json_put(d, o, "wall_ns", json_count(intervals->items[i].wall_ns));
        json_put(d, o, "bytes", json_count(intervals->items[i].bytes));
        if (counted == COUNTED_BY_EVENTS)
            json_put(d, o, "system_switches", json_count(intervals->items[i].system_switches));
        for (int k = 0; k < COUNTERS && counted == COUNTED_BY_EVENTS; k++)
            if (counter_info[k].in_intervals && counter_info[k].by & counted)
                json_put(d, o, counter_info[k].key, json_count(intervals->items[i].counter[k]));
        if (counted == COUNTED_BY_SERVICES)
            json_put(d, o, "requests", json_count(intervals->items[i].counter[COUNTER_REQUESTS]));
        json_append(d, array, o);
    }
    return array;
}

static json_t *make_result(struct json_document *d, const struct run *run, unsigned index,
                           unsigned counted, double *work)
{
    const struct run_case *c = &run->cases[index];
    char digest[32];
    snprintf(digest, sizeof digest, "xxh3:%016" PRIx64, c->digest);
    json_t *o = json_object();
    json_put(d, o, "id", json_text(c->id));
    json_put(d, o, "mode", json_text(c->mode));
    json_put(d, o, "kind", json_string(c->kind == CASE_EXEC ? "exec" : "strategy"));
    json_put(d, o, "params", make_params(d, c));
    json_put(d, o, "status", json_string(case_status_name(c->status)));
    json_put(d, o, "reason", json_text(c->reason));
    json_put(d, o, "verified",
             c->verified == VERIFIED_UNKNOWN ? json_null()
                                             : json_boolean(c->verified == VERIFIED_YES));
    json_put(d, o, "digest", c->has_digest ? json_string(digest) : json_null());
    if (counted != 0) {
        int limited = run_peer_limited(run, index);
        json_put(d, o, "peer_limited", limited < 0 ? json_null() : json_boolean(limited));
        if (counted == COUNTED_BY_EVENTS)
            json_put(d, o, "wait_events", make_histogram(d, c->histogram[OF_SIZES], "events"));
        else if (counted == COUNTED_BY_STREAMS)
            json_put(d, o, "call_bytes", make_histogram(d, c->histogram[OF_SIZES], "bytes"));
    }
    json_put(d, o, "trials", make_trials(d, run, index, counted));
    json_put(d, o, "intervals", make_intervals(d, &c->intervals, counted));
    json_put(d, o, "profile", make_profile(d, c));
    json_put(d, o, "symbols", make_symbols(d, c));
    json_put(d, o, "latency", make_histogram(d, c->histogram[OF_LATENCY], "ns"));
    if (counted == COUNTED_BY_SERVICES) {
        json_put(d, o, "service_latency", make_histogram(d, c->histogram[OF_SERVICE], "ns"));
        json_put(d, o, "send_lateness", make_histogram(d, c->histogram[OF_LATENESS], "ns"));
        json_put(d, o, "rate_search", json_rate_search(d, c));
    }
    json_put(d, o, "summary", make_summary(d, run, index, work));
    return o;
}

json_t *json_results(struct json_document *d, const struct run *run, unsigned counted)
{
    json_t *array = json_array();
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    if (work == NULL)
        d->broken = true;
    for (unsigned i = 0; work != NULL && i < run->n_cases; i++)
        json_append(d, array, make_result(d, run, i, counted, work));
    free(work);
    return array;
}
