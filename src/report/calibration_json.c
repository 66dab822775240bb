/* A calibration as JSON: see iobench-calibrate-1.schema.json. */
#include "config.h"

#include "report/calibration.h"
#include "report/json_facts.h"
#include "report/json_value.h"

#include <math.h>

static json_t *make_options(struct json_document *d, const struct calibration *c)
{
    json_t *o = json_object();
    json_put(d, o, "max_slowdown_ratio", json_number(c->max_slowdown));
    json_put(d, o, "time_limit_ns", json_count(c->time_limit_ns));
    json_put(d, o, "trial_time_ns", json_count(c->trial_time_ns));
    json_put(d, o, "gate_time_limit_ns", json_count(c->gate_limit_ns));
    json_put(d, o, "quick", json_boolean(c->quick));
    return o;
}

static json_t *make_source(struct json_document *d, const struct source *source)
{
    json_t *o = json_object();
    const struct source_file *file = source->n > 0 ? &source->files[0] : NULL;
    json_put(d, o, "made", json_boolean(source->made));
    json_put(d, o, "path", json_text(file != NULL ? file->path : NULL));
    json_put(d, o, "size_bytes", file != NULL ? json_count(file->stated_bytes) : json_null());
    json_put(d, o, "filesystem", json_text_or_null(file != NULL ? file->filesystem : NULL));
    json_put(d, o, "resident_ratio", json_number(file != NULL ? file->resident_ratio : NAN));
    return o;
}

static json_t *make_gates(struct json_document *d, const struct calibration_gates *gates)
{
    json_t *o = json_object();
    bool any = gates->n > 0;
    json_put(d, o, "n", json_count(gates->n));
    json_put(d, o, "settled", json_count(gates->settled));
    json_put(d, o, "false_alarms", json_count(gates->false_alarms));
    json_put(d, o, "false_alarm_low_ratio", json_number(any ? gates->rate_low : NAN));
    json_put(d, o, "false_alarm_high_ratio", json_number(any ? gates->rate_high : NAN));
    json_put(d, o, "time_median_ns", json_number(gates->time_ns.median));
    json_put(d, o, "time_p10_ns", json_number(gates->time_ns.p10));
    json_put(d, o, "time_p90_ns", json_number(gates->time_ns.p90));
    return o;
}

static json_t *make_effect(struct json_document *d, const struct calibration *c,
                           const struct effect *effect)
{
    json_t *o = json_object();
    json_put(d, o, "time_ns", json_count(effect->time_ns));
    json_put(d, o, "windows", json_count(effect->windows));
    json_put(d, o, "misses", json_count(effect->misses));
    json_put(d, o, "half_width_ratio", json_number(effect->half_width));
    json_put(d, o, "smallest_ratio", json_number(effect->smallest));
    json_put(d, o, "gate_finds_ratio", json_number(gate_finds(effect->smallest, c->max_slowdown)));
    return o;
}

static json_t *make_effects(struct json_document *d, const struct calibration *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < CALIBRATION_EFFECTS; i++)
        json_append(d, array, make_effect(d, c, &c->effects[i]));
    return array;
}

static json_t *make_noise(struct json_document *d, const struct calibration_noise *of)
{
    json_t *o = json_object();
    json_put(d, o, "id", json_text(of->id));
    json_put(d, o, "stddev_ratio", json_number(of->noise.stddev));
    json_put(d, o, "range_ratio", json_number(of->noise.range));
    json_put(d, o, "noise_ratio", json_number(of->noise.bound));
    return o;
}

static json_t *make_run_noise(struct json_document *d, const struct calibration *c)
{
    json_t *o = json_object();
    json_put(d, o, "runs", json_count(c->runs));
    json_put(d, o, "span_ns", json_count(c->span_ns));
    json_put(d, o, "control", json_text(c->control));
    json_put(d, o, "relative", make_noise(d, &c->relative));
    json_put(d, o, "absolute", make_noise(d, &c->absolute));
    return o;
}

static json_t *make_document(struct json_document *d, const struct calibration *c)
{
    json_t *o = json_object(), *argv = json_array();
    for (int i = 0; i < c->argc; i++)
        json_append(d, argv, json_text(c->argv[i]));
    json_put(d, o, "schema_version", json_integer(1));
    json_put(d, o, "iobench_version", json_text(c->version));
    json_put(d, o, "command", json_string("calibrate"));
    json_put(d, o, "argv", argv);
    json_put(d, o, "started_at", json_time(c->started_at));
    json_put(d, o, "elapsed_ns", json_count(c->elapsed_ns));
    json_put(d, o, "interrupted", json_boolean(c->signal_number != 0));
    json_put(d, o, "seed", json_count(c->seed));
    json_put(d, o, "host", json_host(d, c->host));
    json_put(d, o, "options", make_options(d, c));
    json_put(d, o, "source", make_source(d, c->source));
    json_put(d, o, "case", json_text(c->equal_id));
    json_put(d, o, "rounds", json_count(c->rounds));
    json_put(d, o, "rounds_ns", json_count(c->rounds_ns));
    json_put(d, o, "gates", make_gates(d, &c->gates));
    json_put(d, o, "effects", make_effects(d, c));
    json_put(d, o, "run_noise", make_run_noise(d, c));
    json_put(d, o, "warnings", json_notes(d, &c->warnings, false));
    json_put(d, o, "errors", json_notes(d, &c->errors, false));
    return o;
}

int calibration_json(const struct calibration *c, FILE *out, struct err *err)
{
    struct json_document d = {false};
    json_t *document = make_document(&d, c);
    return json_finish(&d, document, out, err);
}
