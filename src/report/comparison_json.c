/* A comparison as JSON: see iobench-compare-1.schema.json. */
#include "config.h"

#include "report/comparison.h"
#include "report/json_value.h"

#include <math.h>

static void set(struct json_document *d, json_t *object, const char *key, json_t *value)
{
    json_put(d, object, key, value);
}

static json_t *make_runs(struct json_document *d, const struct record *runs, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        set(d, o, "path", json_text(runs[i].path));
        set(d, o, "iobench_version", json_text(runs[i].version));
        set(d, o, "command", json_text(runs[i].command));
        set(d, o, "started_at", json_text(runs[i].started_at));
        set(d, o, "interrupted", json_boolean(runs[i].interrupted));
        json_append(d, array, o);
    }
    return array;
}

static json_t *make_metric(struct json_document *d, const struct comparison *c,
                           const struct comparison_row *row, enum compared metric)
{
    json_t *o = json_object();
    set(d, o, "name", json_string(compared_info[metric].name));
    set(d, o, "metric", json_string(comparison_key(c, metric)));
    set(d, o, "base", json_number(row->base));
    set(d, o, "new", json_number(row->fresh));
    set(d, o, "ratio", json_number(row->change.ratio));
    set(d, o, "ci_low", json_number(row->change.low));
    set(d, o, "ci_high", json_number(row->change.high));
    set(d, o, "verdict",
        row->judged ? json_string(change_verdict_name(row->verdict)) : json_null());
    return o;
}

static json_t *make_count(struct json_document *d, const struct comparison_count *figure)
{
    json_t *o = json_object();
    set(d, o, "name", json_string(figure->name));
    set(d, o, "base", json_number(figure->base));
    set(d, o, "new", json_number(figure->fresh));
    set(d, o, "equal", json_boolean(figure->base == figure->fresh));
    return o;
}

static json_t *make_result(struct json_document *d, const struct comparison *c,
                           const struct comparison_case *of)
{
    json_t *o = json_object(), *metrics = json_array(), *counts = json_array();
    for (int m = 0; m < COMPARED_METRICS; m++)
        if (of->rows[m].known)
            json_append(d, metrics, make_metric(d, c, &of->rows[m], (enum compared)m));
    for (int i = 0; i < COMPARISON_COUNTS; i++)
        if (of->counts[i].known)
            json_append(d, counts, make_count(d, &of->counts[i]));
    set(d, o, "id", json_text(of->id));
    set(d, o, "mode", json_text(of->mode));
    set(d, o, "control", json_boolean(of->is_control));
    set(d, o, "metrics", metrics);
    set(d, o, "counts_per_pass", counts);
    return o;
}

static json_t *make_results(struct json_document *d, const struct comparison *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->n_cases; i++)
        json_append(d, array, make_result(d, c, &c->cases[i]));
    return array;
}

static json_t *make_losses(struct json_document *d, const struct comparison *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->n_losses; i++) {
        json_t *o = json_object();
        set(d, o, "id", json_text(c->losses[i].id));
        set(d, o, "path", json_text(c->losses[i].path));
        set(d, o, "reason", json_text(c->losses[i].reason));
        json_append(d, array, o);
    }
    return array;
}

static json_t *make_notes(struct json_document *d, const struct notes *notes)
{
    json_t *array = json_array();
    for (size_t i = 0; i < notes->n; i++) {
        json_t *o = json_object();
        set(d, o, "code", json_text(notes->items[i].code));
        set(d, o, "message", json_text(notes->items[i].message));
        set(d, o, "path", json_text(notes->items[i].path));
        json_append(d, array, o);
    }
    return array;
}

static json_t *make_options(struct json_document *d, const struct comparison_wish *wish)
{
    json_t *o = json_object(), *judged = json_array();
    for (int m = 0; m < COMPARED_METRICS; m++)
        if (wish->judged & 1u << m)
            json_append(d, judged, json_string(compared_info[m].name));
    set(d, o, "metric", judged);
    set(d, o, "max_slowdown_ratio", json_number(wish->max_slowdown));
    set(d, o, "run_noise_ratio", json_number(wish->run_noise));
    set(d, o, "calibration", json_text(wish->calibrated != NULL ? wish->calibrated->path : NULL));
    set(d, o, "relative_to", json_text(wish->relative_to));
    set(d, o, "absolute", json_boolean(wish->absolute));
    set(d, o, "force", json_boolean(wish->force));
    return o;
}

/* A refused comparison has nothing in it, and its error. */
static json_t *make_document(struct json_document *d, const struct comparison_report *r)
{
    const struct comparison *c = r->comparison;
    bool compared = c->n_judged > 0;
    json_t *o = json_object(), *argv = json_array();
    for (int i = 0; i < r->argc; i++)
        json_append(d, argv, json_text(r->argv[i]));
    set(d, o, "schema_version", json_integer(1));
    set(d, o, "iobench_version", json_text(r->version));
    set(d, o, "command", json_string("compare"));
    set(d, o, "argv", argv);
    set(d, o, "options", make_options(d, c->wish));
    set(d, o, "base", make_runs(d, c->base, c->n_base));
    set(d, o, "new", make_runs(d, c->fresh, c->n_fresh));
    set(d, o, "control", json_text(c->control));
    set(d, o, "run_noise_ratio", json_number(compared ? c->run_noise : NAN));
    set(d, o, "comparisons", json_count(c->n_judged));
    set(d, o, "confidence", json_number(compared ? c->confidence : NAN));
    set(d, o, "verdict",
        compared ? json_string(change_verdict_name(comparison_verdict(c))) : json_null());
    set(d, o, "results", make_results(d, c));
    set(d, o, "unmatched", make_losses(d, c));
    set(d, o, "warnings", make_notes(d, &c->warnings));
    set(d, o, "errors", make_notes(d, &c->errors));
    return o;
}

int comparison_json(const struct comparison_report *report, FILE *out, struct err *err)
{
    struct json_document d = {false};
    json_t *document = make_document(&d, report);
    return json_finish(&d, document, out, err);
}
