/* A calibration as JSON: see iobench-calibrate-1.schema.json. */
#include "config.h"

#include "report/calibration.h"
#include "report/json_facts.h"
#include "report/json_value.h"

#include <math.h>

static void set(struct json_document *d, json_t *object, const char *key, json_t *value)
{
    json_put(d, object, key, value);
}

static json_t *make_options(struct json_document *d, const struct calibration *c)
{
    json_t *o = json_object();
    set(d, o, "max_slowdown_ratio", json_number(c->max_slowdown));
    set(d, o, "time_limit_ns", json_count(c->time_limit_ns));
    set(d, o, "trial_time_ns", json_count(c->trial_time_ns));
    set(d, o, "gate_time_limit_ns", json_count(c->gate_limit_ns));
    set(d, o, "quick", json_boolean(c->quick));
    return o;
}

static json_t *make_source(struct json_document *d, const struct source *source)
{
    json_t *o = json_object();
    const struct source_file *file = source->n > 0 ? &source->files[0] : NULL;
    set(d, o, "made", json_boolean(source->made));
    set(d, o, "path", json_text(file != NULL ? file->path : NULL));
    set(d, o, "size_bytes", file != NULL ? json_count(file->stated_bytes) : json_null());
    set(d, o, "filesystem", json_text_or_null(file != NULL ? file->filesystem : NULL));
    set(d, o, "resident_ratio", json_number(file != NULL ? file->resident_ratio : NAN));
    return o;
}

static json_t *make_gates(struct json_document *d, const struct calibration_gates *gates)
{
    json_t *o = json_object();
    bool any = gates->n > 0;
    set(d, o, "n", json_count(gates->n));
    set(d, o, "settled", json_count(gates->settled));
    set(d, o, "false_alarms", json_count(gates->false_alarms));
    set(d, o, "false_alarm_low_ratio", json_number(any ? gates->rate_low : NAN));
    set(d, o, "false_alarm_high_ratio", json_number(any ? gates->rate_high : NAN));
    set(d, o, "time_median_ns", json_number(gates->time_ns.median));
    set(d, o, "time_p10_ns", json_number(gates->time_ns.p10));
    set(d, o, "time_p90_ns", json_number(gates->time_ns.p90));
    return o;
}

static json_t *make_effect(struct json_document *d, const struct calibration *c,
                           const struct effect *effect)
{
    json_t *o = json_object();
    set(d, o, "time_ns", json_count(effect->time_ns));
    set(d, o, "windows", json_count(effect->windows));
    set(d, o, "misses", json_count(effect->misses));
    set(d, o, "half_width_ratio", json_number(effect->half_width));
    set(d, o, "smallest_ratio", json_number(effect->smallest));
    set(d, o, "gate_finds_ratio", json_number(gate_finds(effect->smallest, c->max_slowdown)));
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
    set(d, o, "id", json_text(of->id));
    set(d, o, "stddev_ratio", json_number(of->noise.stddev));
    set(d, o, "range_ratio", json_number(of->noise.range));
    set(d, o, "noise_ratio", json_number(of->noise.bound));
    return o;
}

static json_t *make_run_noise(struct json_document *d, const struct calibration *c)
{
    json_t *o = json_object();
    set(d, o, "runs", json_count(c->runs));
    set(d, o, "span_ns", json_count(c->span_ns));
    set(d, o, "control", json_text(c->control));
    set(d, o, "relative", make_noise(d, &c->relative));
    set(d, o, "absolute", make_noise(d, &c->absolute));
    return o;
}

static json_t *make_notes(struct json_document *d, const struct notes *notes)
{
    json_t *array = json_array();
    for (size_t i = 0; i < notes->n; i++) {
        json_t *o = json_object();
        set(d, o, "code", json_text(notes->items[i].code));
        set(d, o, "message", json_text(notes->items[i].message));
        json_append(d, array, o);
    }
    return array;
}

static json_t *make_document(struct json_document *d, const struct calibration *c)
{
    json_t *o = json_object(), *argv = json_array();
    for (int i = 0; i < c->argc; i++)
        json_append(d, argv, json_text(c->argv[i]));
    set(d, o, "schema_version", json_integer(1));
    set(d, o, "iobench_version", json_text(c->version));
    set(d, o, "command", json_string("calibrate"));
    set(d, o, "argv", argv);
    set(d, o, "started_at", json_time(c->started_at));
    set(d, o, "elapsed_ns", json_count(c->elapsed_ns));
    set(d, o, "interrupted", json_boolean(c->signal_number != 0));
    set(d, o, "seed", json_count(c->seed));
    set(d, o, "host", json_host(d, c->host));
    set(d, o, "options", make_options(d, c));
    set(d, o, "source", make_source(d, c->source));
    set(d, o, "case", json_text(c->equal_id));
    set(d, o, "rounds", json_count(c->rounds));
    set(d, o, "rounds_ns", json_count(c->rounds_ns));
    set(d, o, "gates", make_gates(d, &c->gates));
    set(d, o, "effects", make_effects(d, c));
    set(d, o, "run_noise", make_run_noise(d, c));
    set(d, o, "warnings", make_notes(d, &c->warnings));
    set(d, o, "errors", make_notes(d, &c->errors));
    return o;
}

int calibration_json(const struct calibration *c, FILE *out, struct err *err)
{
    struct json_document d = {false};
    json_t *document = make_document(&d, c);
    return json_finish(&d, document, out, err);
}
