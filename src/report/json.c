/* The JSON report, schema_version 1: see iobench-1.schema.json. */
#include "config.h"

#include "report/json_facts.h"
#include "report/json_result.h"
#include "report/json_value.h"
#include "report/metric.h"
#include "report/model.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *make_texts(struct json_document *d, const char *const *texts, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_append(d, array, json_text(texts[i]));
    return array;
}

static json_t *make_labels(struct json_document *d, const struct settings *s)
{
    json_t *object = json_object();
    for (size_t i = 0; i < s->n_labels; i++)
        json_put(d, object, s->labels[i].key, json_text(s->labels[i].value));
    return object;
}

static json_t *make_knob_list(struct json_document *d, const struct settings *s, enum knob knob)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->n_knob_values[knob]; i++)
        json_append(d, array, json_knob(knob, s->knob_values[knob][i]));
    return array;
}

static json_t *make_cpus(struct json_document *d, const struct cpus *cpus)
{
    if (cpus == NULL)
        return json_null();
    json_t *array = json_array();
    for (unsigned i = 0; i < cpus->n; i++)
        json_append(d, array, json_integer(cpus->id[i]));
    return array;
}

static json_t *make_options(struct json_document *d, const struct settings *s)
{
    json_t *o = json_object();
    json_put(d, o, "mode", make_texts(d, s->modes, s->n_modes));
    for (int k = 0; k < KNOBS; k++)
        if (s->knobs & KNOB_BIT(k))
            json_put(d, o, knob_info[k].key, make_knob_list(d, s, (enum knob)k));
    json_put(d, o, "rounds", json_nonzero(s->rounds));
    json_put(d, o, "precision_ratio", json_number(s->precision));
    json_put(d, o, "time_limit_ns", json_nonzero(s->time_limit_ns));
    json_put(d, o, "duration_ns", json_nonzero(s->duration_ns));
    json_put(d, o, "trial_time_ns", json_count(s->trial_time_ns));
    json_put(d, o, "timeout_ns", json_count(s->timeout_ns));
    json_put(d, o, "interval_ns", json_nonzero(s->interval_ns));
    json_put(d, o, "warmup", json_count(s->warmup));
    json_put(d, o, "quick", json_boolean(s->quick));
    json_put(d, o, "strict", json_boolean(s->strict));
    json_put(d, o, "prepare", json_text(s->prepare));
    json_put(d, o, "baseline", json_text(s->baseline));
    json_put(d, o, "profile", json_text(s->profile));
    json_put(d, o, "max_slowdown_ratio", json_number(s->max_slowdown));
    json_put(d, o, "seed", json_count(s->seed));
    json_put(d, o, "cpu", make_cpus(d, s->cpus));
    json_put(d, o, "exec", make_texts(d, s->execs, s->n_execs));
    json_put(d, o, "exec_verify", make_texts(d, s->exec_verify, s->n_exec_verify));
    json_put(d, o, "latency", json_boolean(s->latency));
    if (s->is_stream) {
        json_put(d, o, "connect", json_text(s->connect));
        json_put(d, o, "listen", json_text(s->listen));
        json_put(d, o, "send", json_boolean(s->sends));
    }
    if (s->is_service) {
        json_put(d, o, "connect", json_text(s->connect));
        json_put(d, o, "listen", json_text(s->listen));
        json_put(d, o, "find_rate", json_text(s->find_rate));
    }
    if (s->is_stream || s->is_events || s->is_service) {
        json_put(d, o, "ramp_ns", json_count(s->ramp_ns));
        json_put(d, o, "peer_cpu", make_cpus(d, s->peer_cpus));
    }
    json_put(d, o, "exec_output",
             s->exec_output != NULL ? json_text(s->exec_output) : json_string("inherit"));
    return o;
}

static json_t *make_source(struct json_document *d, const struct settings *settings,
                           const struct source *source)
{
    json_t *o = json_object(), *files = json_array();
    if (settings->is_events) {
        json_decref(files);
        return o;
    }
    if (settings->is_stream || settings->is_service) {
        json_put(d, o, "connect", json_text(settings->connect));
        json_put(d, o, "listen", json_text(settings->listen));
        json_decref(files);
        return o;
    }
    json_put(d, o, "made", json_boolean(source->made));
    for (size_t i = 0; i < source->n; i++) {
        const struct source_file *file = &source->files[i];
        json_t *f = json_object();
        json_put(d, f, "path", json_text(file->path));
        json_put(d, f, "size_bytes", json_count(file->stated_bytes));
        json_put(d, f, "filesystem", json_text(file->filesystem));
        json_put(d, f, "resident_ratio", json_number(file->resident_ratio));
        json_put(d, f, "resident_after_ratio", json_number(file->resident_ratio_after));
        json_append(d, files, f);
    }
    json_put(d, o, "files", files);
    return o;
}

static json_t *make_comparison(struct json_document *d, const struct run *run, unsigned index,
                               unsigned baseline, const struct ratio *ratio)
{
    json_t *o = json_object();
    json_put(d, o, "id", json_text(run->cases[index].id));
    json_put(d, o, "baseline", json_text(run->cases[baseline].id));
    json_put(d, o, "metric", json_string(run_cost_name(run)));
    json_put(d, o, "ratio", json_number(ratio->ratio));
    json_put(d, o, "ci_low", json_number(ratio->low));
    json_put(d, o, "ci_high", json_number(ratio->high));
    json_put(d, o, "confidence", json_number(ratio->confidence));
    json_put(d, o, "rounds", json_count(ratio->n));
    json_put(d, o, "drifts", json_boolean(ratio->drifts));
    json_put(d, o, "verdict", json_string(verdict_name(ratio->verdict)));
    return o;
}

static json_t *make_comparisons(struct json_document *d, const struct run *run)
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
            json_append(d, array, make_comparison(d, run, i, (unsigned)baseline, &ratio));
    }
    return array;
}

/* A list, one entry a mode; null where there was nothing to model. */
static json_t *make_model(struct json_document *d, const struct run *run)
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
        json_put(d, o, "mode", json_text(m->mode));
        json_put(d, o, "points", json_count(m->n));
        json_put(d, o, "good", json_boolean(m->good));
        json_put(d, o, "relative_error_ratio",
                 m->fit.solved ? json_number(m->fit.relative_error) : json_null());
        static const char *const keys[FIT_TERMS][2] = {{"file_ns", "file_error_ns"},
                                                       {"call_ns", "call_error_ns"},
                                                       {"byte_ns", "byte_error_ns"}};
        for (int t = 0; t < FIT_TERMS; t++) {
            json_put(d, o, keys[t][0], m->good ? json_number(m->fit.coefficient[t]) : json_null());
            json_put(d, o, keys[t][1], m->good ? json_number(m->fit.error[t]) : json_null());
        }
        json_append(d, array, o);
    }
    free(models);
    free(work);
    return array;
}

static unsigned counted_by(const struct settings *s)
{
    return s->is_stream    ? COUNTED_BY_STREAMS
           : s->is_events  ? COUNTED_BY_EVENTS
           : s->is_service ? COUNTED_BY_SERVICES
                           : 0;
}

static json_t *make_document(struct json_document *d, const struct report *r)
{
    json_t *o = json_object();
    json_put(d, o, "schema_version", json_integer(1));
    json_put(d, o, "iobench_version", json_text(r->version));
    json_put(d, o, "command", json_text(r->command));
    json_put(d, o, "argv", make_texts(d, (const char *const *)r->argv, (size_t)r->argc));
    json_put(d, o, "started_at", json_time(r->started_at));
    json_put(d, o, "elapsed_ns", json_count(r->elapsed_ns));
    json_put(d, o, "interrupted", json_boolean(r->run->signal_number != 0));
    json_put(d, o, "seed", json_count(r->settings->seed));
    json_put(d, o, "labels", make_labels(d, r->settings));
    json_put(d, o, "host", json_host(d, r->host));
    json_put(d, o, "options", make_options(d, r->settings));
    json_put(d, o, "source", make_source(d, r->settings, r->source));
    json_put(d, o, "results", json_results(d, r->run, counted_by(r->settings)));
    json_put(d, o, "comparisons", make_comparisons(d, r->run));
    json_put(d, o, "model", make_model(d, r->run));
    json_put(d, o, "warnings", json_notes(d, &r->run->warnings, false));
    json_put(d, o, "errors", json_notes(d, &r->run->errors, true));
    return o;
}

int report_json(const struct report *report, FILE *out, struct err *err)
{
    struct json_document d = {false};
    json_t *document = make_document(&d, report);
    return json_finish(&d, document, out, err);
}
