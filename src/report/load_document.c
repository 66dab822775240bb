/* What a recorded document holds, looked at key by key. */
#include "config.h"

#include "report/load_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const host_facts[RECORD_HOST_FACTS] = {"machine", "cpu_model", "usable_cpus",
                                                          "page_size_bytes"};
static const char *const system_facts[RECORD_SYSTEM_FACTS] = {"kernel", "libc", "governor",
                                                              "mitigations"};
/* How often and for how long to measure, and what to do with the result, changes no trial. */
static const char *const options[RECORD_OPTIONS] = {
    "trial_time_ns", "duration_ns", "latency", "prepare", "cpu", "peer_cpu",
    "connect",       "listen",      "send",    "ramp_ns", "rate"};

static int load_facts(const struct place *object, const char *const *keys, size_t n,
                      struct record_fact *facts, struct err *err)
{
    if (place_object(object, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct place member = place_member(object, keys[i]);
        facts[i].key = keys[i];
        if (place_json(&member, &facts[i].value, err) != 0)
            return -1;
    }
    return 0;
}

static int load_count(const struct place *object, const char *key, bool or_null, uint64_t *value,
                      struct err *err)
{
    struct place member = place_member(object, key);
    return place_count(&member, or_null, value, err);
}

/* A count that documents need not have: of another command, or of an earlier version. */
static int load_count_if_any(const struct place *object, const char *key, uint64_t *value,
                             struct err *err)
{
    struct place member = place_member(object, key);
    *value = UNKNOWN;
    return member.value == NULL ? 0 : place_count(&member, true, value, err);
}

static int load_bool(const struct place *object, const char *key, bool *value, struct err *err)
{
    struct place member = place_member(object, key);
    return place_bool(&member, value, err);
}

static int load_text(const struct place *object, const char *key, bool or_null, char **value,
                     struct err *err)
{
    struct place member = place_member(object, key);
    return place_text(&member, or_null, value, err);
}

/* Whether it counts or not: all that stands there must be right. */
static int load_trial(const struct place *place, struct record_trial *t, bool *counts,
                      struct err *err)
{
    bool warmup, complete;
    if (place_object(place, err) != 0 || load_bool(place, "warmup", &warmup, err) != 0 ||
        load_bool(place, "complete", &complete, err) != 0 ||
        load_count(place, "round", false, &t->round, err) != 0 ||
        load_count(place, "passes", false, &t->passes, err) != 0 ||
        load_count(place, "bytes", true, &t->bytes, err) != 0 ||
        load_count(place, "calls", true, &t->calls, err) != 0 ||
        load_count(place, "wall_ns", true, &t->wall_ns, err) != 0 ||
        load_count(place, "cpu_ns", true, &t->cpu_ns, err) != 0 ||
        load_count(place, "peak_rss_bytes", true, &t->peak_rss_bytes, err) != 0 ||
        load_count_if_any(place, "messages", &t->messages, err) != 0 ||
        load_count_if_any(place, "requests", &t->requests, err) != 0)
        return -1;
    *counts = !warmup && complete && t->passes > 0;
    return 0;
}

static int load_trials(const struct place *place, struct record_case *c, struct err *err)
{
    size_t n;
    if (place_array(place, &n, err) != 0)
        return -1;
    c->trials = calloc(n > 0 ? n : 1, sizeof *c->trials);
    if (c->trials == NULL)
        return err_set(err, errno, "cannot load '%s'", place->path);
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        struct place element = place_element(place, i);
        struct record_trial *trial = &c->trials[c->n_trials];
        bool counts;
        if (load_trial(&element, trial, &counts, err) != 0)
            return -1;
        if (!counts)
            continue;
        if (c->n_trials > 0 && trial->round <= last)
            return place_refuse(&element, "its round does not follow the one before", err);
        last = trial->round;
        c->n_trials++;
    }
    return 0;
}

static int load_latency(const struct place *object, struct record_case *c, struct err *err)
{
    struct place latency = place_member(object, "latency");
    c->p50_ns = c->p90_ns = c->p99_ns = c->p999_ns = UNKNOWN;
    if (latency.value == NULL || json_is_null(latency.value))
        return 0;
    return place_object(&latency, err) != 0 ||
                   load_count(&latency, "p50_ns", true, &c->p50_ns, err) != 0 ||
                   load_count(&latency, "p99_ns", true, &c->p99_ns, err) != 0 ||
                   load_count_if_any(&latency, "p90_ns", &c->p90_ns, err) != 0 ||
                   load_count_if_any(&latency, "p999_ns", &c->p999_ns, err) != 0
               ? -1
               : 0;
}

static int check_status(const struct place *place, const char *status, struct err *err)
{
    static const char *const known[] = {"ok", "skipped", "failed", "invalid"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(status, known[i]) == 0)
            return 0;
    struct place member = place_member(place, "status");
    return place_refuse(&member, "'ok', 'skipped', 'failed' or 'invalid' was expected", err);
}

static int load_case(const struct place *place, struct record_case *c, struct err *err)
{
    if (place_object(place, err) != 0)
        return -1;
    struct place params = place_member(place, "params"), trials = place_member(place, "trials");
    if (load_text(place, "id", false, &c->id, err) != 0 ||
        load_text(place, "mode", false, &c->mode, err) != 0 || place_object(&params, err) != 0 ||
        place_json(&params, &c->params, err) != 0 ||
        load_text(place, "status", false, &c->status, err) != 0 ||
        check_status(place, c->status, err) != 0 ||
        load_text(place, "reason", true, &c->reason, err) != 0 ||
        load_trials(&trials, c, err) != 0 || load_latency(place, c, err) != 0)
        return -1;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct record_case *const *x = a, *const *y = b;
    return strcmp((*x)->id, (*y)->id);
}

/* Ids may be many: they are sorted once, which also shows those that stand twice. */
static int sort_cases(const struct place *place, struct record *r, struct err *err)
{
    r->by_id = malloc((r->n_cases > 0 ? r->n_cases : 1) * sizeof *r->by_id);
    if (r->by_id == NULL)
        return err_set(err, errno, "cannot load '%s'", place->path);
    for (size_t i = 0; i < r->n_cases; i++)
        r->by_id[i] = &r->cases[i];
    qsort(r->by_id, r->n_cases, sizeof *r->by_id, by_id);
    for (size_t i = 1; i < r->n_cases; i++) {
        if (strcmp(r->by_id[i - 1]->id, r->by_id[i]->id) != 0)
            continue;
        struct place twice = place_element(place, (size_t)(r->by_id[i] - r->cases));
        struct place id = place_member(&twice, "id");
        return place_refuse(&id, "another case has the same id", err);
    }
    return 0;
}

static int load_cases(const struct place *place, struct record *r, struct err *err)
{
    size_t n;
    if (place_array(place, &n, err) != 0)
        return -1;
    r->cases = calloc(n > 0 ? n : 1, sizeof *r->cases);
    if (r->cases == NULL)
        return err_set(err, errno, "cannot load '%s'", place->path);
    for (size_t i = 0; i < n; i++) {
        struct place element = place_element(place, i);
        r->n_cases = i + 1;
        if (load_case(&element, &r->cases[i], err) != 0)
            return -1;
    }
    return sort_cases(place, r, err);
}

/* Paths, sizes and file systems; how much of them is cached is a fact of its own. */
static int load_source(const struct place *place, struct record *r, struct err *err)
{
    static const char *const keys[] = {"path", "size_bytes", "filesystem"};
    r->resident = NAN;
    if (place_object(place, err) != 0)
        return -1;
    struct place files = place_member(place, "files");
    size_t n = 0;
    if (files.value != NULL && place_array(&files, &n, err) != 0)
        return -1;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        struct place file = place_element(&files, i);
        struct place resident = place_member(&file, "resident_ratio");
        double share = NAN;
        if (place_object(&file, err) != 0 ||
            (resident.value != NULL && place_share(&resident, &share, err) != 0)) {
            json_decref(list);
            return -1;
        }
        r->resident = isnan(r->resident) || share < r->resident ? share : r->resident;
        json_t *facts = json_array();
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            json_t *fact = json_object_get(file.value, keys[k]);
            json_array_append(facts, fact != NULL ? fact : json_null());
        }
        json_array_append_new(list, facts);
    }
    r->files = list != NULL ? json_dumps(list, JSON_COMPACT) : NULL;
    json_decref(list);
    return r->files != NULL ? 0 : err_set(err, ENOMEM, "cannot load '%s'", place->path);
}

/* Digits where digits belong: as text it then sorts by time. */
int load_started_at(const struct place *document, char started_at[21], struct err *err)
{
    static const char shape[] = "0000-00-00T00:00:00Z";
    struct place place = place_member(document, "started_at");
    const char *text = json_string_value(place.value);
    bool good = text != NULL && strlen(text) == strlen(shape);
    for (size_t i = 0; good && shape[i] != '\0'; i++)
        good = shape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    if (!good)
        return place_refuse(&place, "a time like 2026-01-31T12:00:00Z was expected", err);
    memcpy(started_at, text, sizeof shape);
    return 0;
}

/* The baseline that was used, named or picked from the data. */
static int load_baseline(const struct place *document, struct record *r, struct err *err)
{
    struct place comparisons = place_member(document, "comparisons");
    size_t n = 0;
    if (comparisons.value != NULL && place_array(&comparisons, &n, err) != 0)
        return -1;
    if (n == 0)
        return 0;
    struct place first = place_element(&comparisons, 0);
    return place_object(&first, err) != 0 ? -1
                                          : load_text(&first, "baseline", false, &r->baseline, err);
}

int load_version(const struct place *document, struct err *err)
{
    struct place version = place_member(document, "schema_version");
    if (!json_is_object(document->value))
        return place_refuse(document, "this is no document of iobench: an object was expected",
                            err);
    if (version.value == NULL)
        return place_refuse(document, "this is no document of iobench: it has no schema_version",
                            err);
    uint64_t number;
    if (place_count(&version, false, &number, err) != 0)
        return -1;
    if (number != 1) {
        char what[80];
        snprintf(what, sizeof what, "%llu is not known to this iobench, which reads 1",
                 (unsigned long long)number);
        return place_refuse(&version, what, err);
    }
    return 0;
}

int load_host(const struct place *document, struct record_fact host[RECORD_HOST_FACTS],
              struct record_fact system[RECORD_SYSTEM_FACTS], struct err *err)
{
    struct place place = place_member(document, "host");
    if (load_facts(&place, host_facts, RECORD_HOST_FACTS, host, err) != 0)
        return -1;
    return load_facts(&place, system_facts, RECORD_SYSTEM_FACTS, system, err);
}

/* What it is comes first: the rest is only looked at in a document that we know how to read. */
static int check_kind(const struct place *document, struct err *err)
{
    struct place command = place_member(document, "command");
    if (load_version(document, err) != 0)
        return -1;
    if (json_is_string(command.value) && strcmp(json_string_value(command.value), "compare") == 0)
        return place_refuse(document, "this is a comparison, not a recorded run", err);
    if (json_is_string(command.value) && strcmp(json_string_value(command.value), "calibrate") == 0)
        return place_refuse(
            document, "this is a calibration, not a recorded run: --run-noise=FILE takes it", err);
    return 0;
}

int load_document(const json_t *root, struct record *r, struct err *err)
{
    struct place place = {NULL, NULL, 0, root, r->path}, *document = &place;
    if (check_kind(document, err) != 0)
        return -1;
    struct place source = place_member(document, "source");
    struct place chosen = place_member(document, "options");
    struct place results = place_member(document, "results");
    if (load_text(document, "iobench_version", false, &r->version, err) != 0 ||
        load_text(document, "command", false, &r->command, err) != 0 ||
        load_started_at(document, r->started_at, err) != 0 ||
        load_count(document, "seed", false, &r->seed, err) != 0 ||
        load_bool(document, "interrupted", &r->interrupted, err) != 0 ||
        load_host(document, r->host, r->system, err) != 0 ||
        load_facts(&chosen, options, RECORD_OPTIONS, r->options, err) != 0 ||
        load_source(&source, r, err) != 0 || load_cases(&results, r, err) != 0 ||
        load_baseline(document, r, err) != 0)
        return -1;
    return 0;
}
