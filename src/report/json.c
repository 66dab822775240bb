/* The JSON report, schema_version 1: see iobench-1.schema.json. */
#include "config.h"

#include "report/json_value.h"
#include "report/metric.h"
#include "report/model.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Puts a new reference into an object. A value that could not be made leaves a mark on the document
 * that json_report finds: the document must be complete or not be. */
struct document {
    bool broken;
};

static void put(struct document *d, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        d->broken = true;
}

static void append(struct document *d, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        d->broken = true;
}

static json_t *make_texts(struct document *d, const char *const *texts, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        append(d, array, json_text(texts[i]));
    return array;
}

static json_t *make_time(time_t at)
{
    char text[32];
    struct tm parts;
    gmtime_r(&at, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return json_string(text);
}

static json_t *make_labels(struct document *d, const struct settings *s)
{
    json_t *object = json_object();
    for (size_t i = 0; i < s->n_labels; i++)
        put(d, object, s->labels[i].key, json_text(s->labels[i].value));
    return object;
}

static json_t *make_host(struct document *d, const struct host *h)
{
    json_t *o = json_object();
    put(d, o, "kernel", json_text_or_null(h->kernel));
    put(d, o, "machine", json_text_or_null(h->machine));
    put(d, o, "cpu_model", json_text_or_null(h->cpu_model));
    put(d, o, "usable_cpus", json_count(h->usable_cpus));
    put(d, o, "memory_bytes", json_count(h->memory_bytes));
    put(d, o, "page_size_bytes", json_count(h->page_size_bytes));
    put(d, o, "libc", json_text_or_null(h->libc));
    put(d, o, "governor", json_text_or_null(h->governor));
    put(d, o, "mitigations", json_text_or_null(h->mitigations));
    put(d, o, "load_1m", json_number(h->load_1m));
    put(d, o, "steal_ratio", json_number(h->steal_ratio));
    put(d, o, "clock_read_ns", json_number(h->clock_read_ns));
    return o;
}

static json_t *make_knob(enum knob knob, uint64_t value)
{
    char text[PARAM_TEXT];
    if (value == PARAM_NONE)
        return json_null();
    if (knob_info[knob].kind == KNOB_KIND_CHOICE || knob_info[knob].kind == KNOB_KIND_PATTERN)
        return json_string(params_text(knob, value, text));
    return json_count(value);
}

static json_t *make_knob_list(struct document *d, const struct settings *s, enum knob knob)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->n_knob_values[knob]; i++)
        append(d, array, make_knob(knob, s->knob_values[knob][i]));
    return array;
}

static json_t *make_cpus(struct document *d, const struct cpus *cpus)
{
    if (cpus == NULL)
        return json_null();
    json_t *array = json_array();
    for (unsigned i = 0; i < cpus->n; i++)
        append(d, array, json_integer(cpus->id[i]));
    return array;
}

static json_t *make_options(struct document *d, const struct settings *s)
{
    json_t *o = json_object();
    put(d, o, "mode", make_texts(d, s->modes, s->n_modes));
    for (int k = 0; k < KNOBS; k++)
        if (s->knobs & KNOB_BIT(k))
            put(d, o, knob_info[k].key, make_knob_list(d, s, (enum knob)k));
    put(d, o, "rounds", json_nonzero(s->rounds));
    put(d, o, "precision_ratio", json_number(s->precision));
    put(d, o, "time_limit_ns", json_nonzero(s->time_limit_ns));
    put(d, o, "duration_ns", json_nonzero(s->duration_ns));
    put(d, o, "trial_time_ns", json_count(s->trial_time_ns));
    put(d, o, "timeout_ns", json_count(s->timeout_ns));
    put(d, o, "interval_ns", json_nonzero(s->interval_ns));
    put(d, o, "warmup", json_count(s->warmup));
    put(d, o, "quick", json_boolean(s->quick));
    put(d, o, "strict", json_boolean(s->strict));
    put(d, o, "prepare", json_text(s->prepare));
    put(d, o, "baseline", json_text(s->baseline));
    put(d, o, "profile", json_text(s->profile));
    put(d, o, "max_slowdown_ratio", json_number(s->max_slowdown));
    put(d, o, "seed", json_count(s->seed));
    put(d, o, "cpu", make_cpus(d, s->cpus));
    put(d, o, "exec", make_texts(d, s->execs, s->n_execs));
    put(d, o, "exec_verify", make_texts(d, s->exec_verify, s->n_exec_verify));
    put(d, o, "latency", json_boolean(s->latency));
    if (s->is_stream) {
        put(d, o, "connect", json_text(s->connect));
        put(d, o, "listen", json_text(s->listen));
        put(d, o, "send", json_boolean(s->sends));
        put(d, o, "ramp_ns", json_count(s->ramp_ns));
        put(d, o, "peer_cpu", make_cpus(d, s->peer_cpus));
    }
    put(d, o, "exec_output",
        s->exec_output != NULL ? json_text(s->exec_output) : json_string("inherit"));
    return o;
}

static json_t *make_source(struct document *d, const struct settings *settings,
                           const struct source *source)
{
    json_t *o = json_object(), *files = json_array();
    if (settings->is_stream) {
        put(d, o, "connect", json_text(settings->connect));
        put(d, o, "listen", json_text(settings->listen));
        json_decref(files);
        return o;
    }
    put(d, o, "made", json_boolean(source->made));
    for (size_t i = 0; i < source->n; i++) {
        const struct source_file *file = &source->files[i];
        json_t *f = json_object();
        put(d, f, "path", json_text(file->path));
        put(d, f, "size_bytes", json_count(file->stated_bytes));
        put(d, f, "filesystem", json_text(file->filesystem));
        put(d, f, "resident_ratio", json_number(file->resident_ratio));
        put(d, f, "resident_after_ratio", json_number(file->resident_ratio_after));
        append(d, files, f);
    }
    put(d, o, "files", files);
    return o;
}

static json_t *make_params(struct document *d, const struct run_case *c)
{
    json_t *o = json_object();
    for (int k = 0; k < KNOBS; k++)
        if (c->knobs & KNOB_BIT(k))
            put(d, o, knob_info[k].key, make_knob((enum knob)k, c->params.value[k]));
    return o;
}

static json_t *make_socket(struct document *d, const struct socket_facts *facts)
{
    if (!facts->known)
        return json_null();
    json_t *o = json_object();
    put(d, o, "rcvbuf_bytes", json_count(facts->rcvbuf_bytes));
    put(d, o, "sndbuf_bytes", json_count(facts->sndbuf_bytes));
    put(d, o, "nodelay", facts->nodelay == UNKNOWN ? json_null() : json_boolean(facts->nodelay));
    put(d, o, "congestion", json_text(facts->congestion[0] != '\0' ? facts->congestion : NULL));
    put(d, o, "rtt_ns", json_count(facts->rtt_ns));
    put(d, o, "retransmits", json_count(facts->retransmits));
    put(d, o, "delivered", json_count(facts->delivered));
    put(d, o, "drops", json_count(facts->drops));
    return o;
}

static void put_counters(struct document *d, json_t *o, const uint64_t counter[COUNTERS])
{
    for (int k = 0; k < COUNTERS; k++)
        put(d, o, counter_names[k], json_count(counter[k]));
}

static json_t *make_peer(struct document *d, const struct sample *s)
{
    if (!s->has_peer)
        return json_null();
    const struct peer_sample *p = &s->peer;
    json_t *o = json_object();
    put(d, o, "bytes", json_count(p->bytes));
    put(d, o, "calls", json_count(p->calls));
    put(d, o, "short_calls", json_count(p->short_calls));
    put(d, o, "wall_ns", json_count(p->wall_ns));
    put(d, o, "cpu_ns", json_count(p->cpu_ns));
    put(d, o, "running_ns", json_count(p->running_ns));
    put(d, o, "runnable_ns", json_count(p->runnable_ns));
    put(d, o, "voluntary_switches", json_count(p->voluntary_switches));
    put(d, o, "involuntary_switches", json_count(p->involuntary_switches));
    put(d, o, "cpu", p->cpu >= 0 ? json_integer(p->cpu) : json_null());
    put_counters(d, o, p->counter);
    put(d, o, "socket", make_socket(d, &p->socket));
    return o;
}

/* Jain's index: 1 when all got the same, 1/n when one got all (Jain, Chiu, Hawe, DEC-TR-301, 1984).
 */
static json_t *make_fairness(struct document *d, const struct fairness *f)
{
    if (f->connections == 0)
        return json_null();
    json_t *o = json_object();
    put(d, o, "n", json_count(f->connections));
    put(d, o, "min_bytes", json_count(f->least_bytes));
    put(d, o, "max_bytes", json_count(f->most_bytes));
    put(d, o, "fairness_ratio",
        json_number(f->sum * f->sum / ((double)f->connections * f->sum_of_squares)));
    return o;
}

/* What only streams have. */
static void put_stream(struct document *d, json_t *o, const struct sample *s)
{
    int limited = sample_peer_limited(s);
    put(d, o, "ramp_bytes", json_count(s->ramp_bytes));
    put(d, o, "cut_bytes", json_count(s->cut_bytes));
    put(d, o, "lost_bytes", json_count(sample_lost_bytes(s)));
    put(d, o, "running_ns", json_count(s->running_ns));
    put(d, o, "runnable_ns", json_count(s->runnable_ns));
    put(d, o, "peer_limited", limited < 0 ? json_null() : json_boolean(limited));
    put_counters(d, o, s->counter);
    put(d, o, "connections", make_fairness(d, &s->fairness));
    put(d, o, "socket", make_socket(d, &s->socket));
}

static json_t *make_trial(struct document *d, const struct run_case *c, const struct sample *s,
                          bool is_stream)
{
    json_t *o = json_object();
    bool lines = c->kind == CASE_STRATEGY && c->params.value[KNOB_CONSUME] == CONSUME_LINES;
    put(d, o, "round", json_integer(s->round));
    put(d, o, "position", json_integer(s->position));
    put(d, o, "warmup", json_boolean(s->warmup));
    put(d, o, "complete", json_boolean(s->complete));
    put(d, o, "passes", json_count(s->passes));
    put(d, o, "bytes", json_count(s->bytes));
    put(d, o, "calls", json_count(s->calls));
    put(d, o, "short_calls", json_count(s->short_calls));
    put(d, o, "newlines", lines ? json_count(s->newlines) : json_null());
    put(d, o, "wall_ns", json_count(s->wall_ns));
    put(d, o, "cpu_ns", json_count(s->cpu_ns));
    put(d, o, "setup_ns", json_count(s->setup_ns));
    put(d, o, "cache_drop_ns",
        c->params.value[KNOB_CACHE] == CACHE_COLD ? json_count(s->prepare_ns) : json_null());
    put(d, o, "peak_rss_bytes", json_count(s->peak_rss_bytes));
    put(d, o, "peak_rss_anon_bytes", json_count(s->peak_rss_anon_bytes));
    put(d, o, "cpu", s->cpu >= 0 ? json_integer(s->cpu) : json_null());
    put(d, o, "minor_faults", json_count(s->minor_faults));
    put(d, o, "major_faults", json_count(s->major_faults));
    put(d, o, "voluntary_switches", json_count(s->voluntary_switches));
    put(d, o, "involuntary_switches", json_count(s->involuntary_switches));
    put(d, o, "block_inputs", json_count(s->block_inputs));
    put(d, o, "storage_read_bytes", json_count(s->storage_read_bytes));
    put(d, o, "peer", make_peer(d, s));
    if (is_stream)
        put_stream(d, o, s);
    return o;
}

static json_t *make_trials(struct document *d, const struct run *run, unsigned index,
                           bool is_stream)
{
    json_t *array = json_array();
    for (size_t i = 0; i < run->samples.n; i++)
        if (run->samples.items[i].case_index == index)
            append(d, array, make_trial(d, &run->cases[index], &run->samples.items[i], is_stream));
    return array;
}

static json_t *make_profile(struct document *d, const struct run_case *c)
{
    if (!c->has_profile)
        return json_null();
    const struct sample *s = &c->profile;
    json_t *o = json_object();
    put(d, o, "passes", json_count(s->passes));
    put(d, o, "wall_ns", json_count(s->wall_ns));
    put(d, o, "user_ns", json_count(s->user_ns));
    put(d, o, "system_ns", json_count(s->system_ns));
    put(d, o, "open_ns", json_count(s->open_ns));
    put(d, o, "close_ns", json_count(s->close_ns));
    return o;
}

static json_t *make_summary(struct document *d, const struct run *run, unsigned index, double *work)
{
    json_t *o = json_object();
    for (int m = 0; m < METRICS; m++) {
        struct summary s;
        metric_summary(run, index, (enum metric_id)m, work, &s);
        json_t *stat = json_object();
        put(d, stat, "n", json_count(s.n));
        put(d, stat, "median", json_number(s.median));
        put(d, stat, "p10", json_number(s.p10));
        put(d, stat, "p90", json_number(s.p90));
        put(d, stat, "min", json_number(s.min));
        put(d, stat, "max", json_number(s.max));
        put(d, stat, "mean", json_number(s.mean));
        put(d, stat, "stddev", json_number(s.stddev));
        put(d, stat, "mad", json_number(s.mad));
        put(d, o, metrics[m].key, stat);
    }
    return o;
}

static json_t *make_symbols(struct document *d, const struct run_case *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->n_symbols; i++) {
        json_t *o = json_object();
        put(d, o, "symbol", json_text(c->symbols[i].name));
        put(d, o, "share_ratio", json_number(c->symbols[i].share));
        append(d, array, o);
    }
    return array;
}

static json_t *make_buckets(struct document *d, const struct histogram *h)
{
    json_t *buckets = json_array();
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (h->bucket[i] == 0)
            continue;
        json_t *bucket = json_array();
        append(d, bucket, json_count(histogram_lowest(i)));
        append(d, bucket, json_count(h->bucket[i]));
        append(d, buckets, bucket);
    }
    return buckets;
}

/* The keys end in the unit: p50_ns, or p50_bytes. */
static json_t *make_histogram(struct document *d, const struct histogram *h, const char *unit)
{
    static const struct {
        const char *key;
        double share;
    } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};
    if (h == NULL)
        return json_null();
    json_t *o = json_object();
    put(d, o, "calls", json_count(h->count));
    put(d, o, "overflow", json_count(h->overflow));
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_%s", quantiles[i].key, unit);
        put(d, o, key, json_count(histogram_quantile(h, quantiles[i].share)));
    }
    put(d, o, "buckets", make_buckets(d, h));
    return o;
}

static json_t *make_intervals(struct document *d, const struct intervals *intervals)
{
    json_t *array = json_array();
    for (size_t i = 0; i < intervals->n; i++) {
        json_t *o = json_object();
        put(d, o, "start_ns", json_count(intervals->items[i].start_ns));
        put(d, o, "wall_ns", json_count(intervals->items[i].wall_ns));
        put(d, o, "bytes", json_count(intervals->items[i].bytes));
        append(d, array, o);
    }
    return array;
}

static json_t *make_result(struct document *d, const struct run *run, unsigned index,
                           bool is_stream, double *work)
{
    const struct run_case *c = &run->cases[index];
    char digest[32];
    snprintf(digest, sizeof digest, "xxh3:%016" PRIx64, c->digest);
    json_t *o = json_object();
    put(d, o, "id", json_text(c->id));
    put(d, o, "mode", json_text(c->mode));
    put(d, o, "kind", json_string(c->kind == CASE_EXEC ? "exec" : "strategy"));
    put(d, o, "params", make_params(d, c));
    put(d, o, "status", json_string(case_status_name(c->status)));
    put(d, o, "reason", json_text(c->reason));
    put(d, o, "verified",
        c->verified == VERIFIED_UNKNOWN ? json_null() : json_boolean(c->verified == VERIFIED_YES));
    put(d, o, "digest", c->has_digest ? json_string(digest) : json_null());
    if (is_stream) {
        int limited = run_peer_limited(run, index);
        put(d, o, "peer_limited", limited < 0 ? json_null() : json_boolean(limited));
        put(d, o, "call_bytes", make_histogram(d, c->sizes, "bytes"));
    }
    put(d, o, "trials", make_trials(d, run, index, is_stream));
    put(d, o, "intervals", make_intervals(d, &c->intervals));
    put(d, o, "profile", make_profile(d, c));
    put(d, o, "symbols", make_symbols(d, c));
    put(d, o, "latency", make_histogram(d, c->latency, "ns"));
    put(d, o, "summary", make_summary(d, run, index, work));
    return o;
}

static json_t *make_results(struct document *d, const struct run *run, bool is_stream)
{
    json_t *array = json_array();
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    if (work == NULL)
        d->broken = true;
    for (unsigned i = 0; work != NULL && i < run->n_cases; i++)
        append(d, array, make_result(d, run, i, is_stream, work));
    free(work);
    return array;
}

static json_t *make_comparison(struct document *d, const struct run *run, unsigned index,
                               unsigned baseline, const struct ratio *ratio)
{
    json_t *o = json_object();
    put(d, o, "id", json_text(run->cases[index].id));
    put(d, o, "baseline", json_text(run->cases[baseline].id));
    put(d, o, "metric", json_string(run_cost_name(run)));
    put(d, o, "ratio", json_number(ratio->ratio));
    put(d, o, "ci_low", json_number(ratio->low));
    put(d, o, "ci_high", json_number(ratio->high));
    put(d, o, "confidence", json_number(ratio->confidence));
    put(d, o, "rounds", json_count(ratio->n));
    put(d, o, "drifts", json_boolean(ratio->drifts));
    put(d, o, "verdict", json_string(verdict_name(ratio->verdict)));
    return o;
}

static json_t *make_comparisons(struct document *d, const struct run *run)
{
    json_t *array = json_array();
    int baseline = run_baseline(run);
    for (unsigned i = 0; baseline >= 0 && i < run->n_cases; i++) {
        struct ratio ratio;
        struct err err = {0};
        if ((int)i == baseline || run->cases[i].status != CASE_OK)
            continue;
        if (run_compare(run, i, (unsigned)baseline, run_confidence(run), &ratio, &err) != 0)
            d->broken = true;
        else if (ratio.n > 0)
            append(d, array, make_comparison(d, run, i, (unsigned)baseline, &ratio));
    }
    return array;
}

/* A list, one entry a mode; null where there was nothing to model. */
static json_t *make_model(struct document *d, const struct run *run)
{
    if (!model_wanted(run))
        return json_null();
    json_t *array = json_array();
    struct model *models = calloc(run->n_cases + 1, sizeof *models);
    double *work = malloc((run->samples.n + 1) * sizeof *work);
    d->broken |= models == NULL || work == NULL;
    size_t n = models != NULL && work != NULL ? model_fit(run, models, work) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct model *m = &models[i];
        json_t *o = json_object();
        put(d, o, "mode", json_text(m->mode));
        put(d, o, "points", json_count(m->n));
        put(d, o, "good", json_boolean(m->good));
        put(d, o, "relative_error_ratio",
            m->fit.solved ? json_number(m->fit.relative_error) : json_null());
        static const char *const keys[FIT_TERMS][2] = {{"file_ns", "file_error_ns"},
                                                       {"call_ns", "call_error_ns"},
                                                       {"byte_ns", "byte_error_ns"}};
        for (int t = 0; t < FIT_TERMS; t++) {
            put(d, o, keys[t][0], m->good ? json_number(m->fit.coefficient[t]) : json_null());
            put(d, o, keys[t][1], m->good ? json_number(m->fit.error[t]) : json_null());
        }
        append(d, array, o);
    }
    free(models);
    free(work);
    return array;
}

static json_t *make_notes(struct document *d, const struct notes *notes, bool with_path)
{
    json_t *array = json_array();
    for (size_t i = 0; i < notes->n; i++) {
        json_t *o = json_object();
        put(d, o, "code", json_text(notes->items[i].code));
        put(d, o, "message", json_text(notes->items[i].message));
        if (with_path)
            put(d, o, "path", json_text(notes->items[i].path));
        append(d, array, o);
    }
    return array;
}

static json_t *make_document(struct document *d, const struct report *r)
{
    json_t *o = json_object();
    put(d, o, "schema_version", json_integer(1));
    put(d, o, "iobench_version", json_text(r->version));
    put(d, o, "command", json_text(r->command));
    put(d, o, "argv", make_texts(d, (const char *const *)r->argv, (size_t)r->argc));
    put(d, o, "started_at", make_time(r->started_at));
    put(d, o, "elapsed_ns", json_count(r->elapsed_ns));
    put(d, o, "interrupted", json_boolean(r->run->signal_number != 0));
    put(d, o, "seed", json_count(r->settings->seed));
    put(d, o, "labels", make_labels(d, r->settings));
    put(d, o, "host", make_host(d, r->host));
    put(d, o, "options", make_options(d, r->settings));
    put(d, o, "source", make_source(d, r->settings, r->source));
    put(d, o, "results", make_results(d, r->run, r->settings->is_stream));
    put(d, o, "comparisons", make_comparisons(d, r->run));
    put(d, o, "model", make_model(d, r->run));
    put(d, o, "warnings", make_notes(d, &r->run->warnings, false));
    put(d, o, "errors", make_notes(d, &r->run->errors, true));
    return o;
}

static int write_to_stream(const char *text, size_t size, void *out)
{
    return fwrite(text, 1, size, out) == size ? 0 : -1;
}

int report_json(const struct report *report, FILE *out, struct err *err)
{
    struct document d = {false};
    json_t *document = make_document(&d, report);
    int status = 0;
    if (document == NULL || d.broken)
        status = err_set(err, ENOMEM, "cannot build the JSON document");
    else if (json_dump_callback(document, write_to_stream, out,
                                JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15)) == 0)
        fputc('\n', out);
    else if (!ferror(out))
        status = err_set(err, ENOMEM, "cannot write the JSON document");
    json_decref(document);
    return status;
}
