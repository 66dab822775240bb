/* A comparison as JSON: see iobench-compare-1.schema.json. */
#include "config.h"

#include "report/comparison.h"
#include "report/json_facts.h"
#include "report/json_value.h"

#include <math.h>

static json_t *make_runs(struct json_document *d, const struct record *runs, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        json_put(d, o, "path", json_text(runs[i].path));
        json_put(d, o, "iobench_version", json_text(runs[i].version));
        json_put(d, o, "command", json_text(runs[i].command));
        json_put(d, o, "started_at", json_text(runs[i].started_at));
        json_put(d, o, "interrupted", json_boolean(runs[i].interrupted));
        json_append(d, array, o);
    }
    return array;
}

static json_t *make_metric(struct json_document *d, const struct comparison *c,
                           const struct comparison_row *row, enum compared metric)
{
    json_t *o = json_object();
    json_put(d, o, "name", json_string(compared_info[metric].name));
    json_put(d, o, "metric", json_string(comparison_key(c, metric)));
    json_put(d, o, "base", json_number(row->base));
    json_put(d, o, "new", json_number(row->fresh));
    json_put(d, o, "ratio", json_number(row->change.ratio));
    json_put(d, o, "ci_low", json_number(row->change.low));
    json_put(d, o, "ci_high", json_number(row->change.high));
    json_put(d, o, "verdict",
             row->judged ? json_string(change_verdict_name(row->verdict)) : json_null());
    return o;
}

static json_t *make_count(struct json_document *d, const struct comparison_count *figure)
{
    json_t *o = json_object();
    json_put(d, o, "name", json_string(figure->name));
    json_put(d, o, "base", json_number(figure->base));
    json_put(d, o, "new", json_number(figure->fresh));
    json_put(d, o, "equal", json_boolean(figure->base == figure->fresh));
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
    json_put(d, o, "id", json_text(of->id));
    json_put(d, o, "mode", json_text(of->mode));
    json_put(d, o, "control", json_boolean(of->is_control));
    json_put(d, o, "metrics", metrics);
    json_put(d, o, "counts_per_pass", counts);
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
        json_put(d, o, "id", json_text(c->losses[i].id));
        json_put(d, o, "path", json_text(c->losses[i].path));
        json_put(d, o, "reason", json_text(c->losses[i].reason));
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
    json_put(d, o, "metric", judged);
    json_put(d, o, "max_slowdown_ratio", json_number(wish->max_slowdown));
    json_put(d, o, "run_noise_ratio", json_number(wish->run_noise));
    json_put(d, o, "calibration",
             json_text(wish->calibrated != NULL ? wish->calibrated->path : NULL));
    json_put(d, o, "relative_to", json_text(wish->relative_to));
    json_put(d, o, "absolute", json_boolean(wish->absolute));
    json_put(d, o, "force", json_boolean(wish->force));
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
    json_put(d, o, "schema_version", json_integer(1));
    json_put(d, o, "iobench_version", json_text(r->version));
    json_put(d, o, "command", json_string("compare"));
    json_put(d, o, "argv", argv);
    json_put(d, o, "options", make_options(d, c->wish));
    json_put(d, o, "base", make_runs(d, c->base, c->n_base));
    json_put(d, o, "new", make_runs(d, c->fresh, c->n_fresh));
    json_put(d, o, "control", json_text(c->control));
    json_put(d, o, "run_noise_ratio", json_number(compared ? c->run_noise : NAN));
    json_put(d, o, "comparisons", json_count(c->n_judged));
    json_put(d, o, "confidence", json_number(compared ? c->confidence : NAN));
    json_put(d, o, "verdict",
             compared ? json_string(change_verdict_name(comparison_verdict(c))) : json_null());
    json_put(d, o, "results", make_results(d, c));
    json_put(d, o, "unmatched", make_losses(d, c));
    json_put(d, o, "warnings", json_notes(d, &c->warnings, true));
    json_put(d, o, "errors", json_notes(d, &c->errors, true));
    return o;
}

int comparison_json(const struct comparison_report *report, FILE *out, struct err *err)
{
    struct json_document d = {false};
    json_t *document = make_document(&d, report);
    return json_finish(&d, document, out, err);
}
