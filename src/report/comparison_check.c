#include "config.h"

#include "report/comparison_check.h"

#include "stats/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All documents, the base's first. */
static const struct record *at(const struct comparison *c, size_t i)
{
    return i < c->n_base ? &c->base[i] : &c->fresh[i - c->n_base];
}

static size_t count(const struct comparison *c)
{
    return c->n_base + c->n_fresh;
}

/* read, sysread and stdio differ in what they preselect, and their cases have the same ids. */
static const char *kind_of(const struct record *r)
{
    bool reads = strcmp(r->command, "sysread") == 0 || strcmp(r->command, "stdio") == 0;
    return reads ? "read" : r->command;
}

/* The first fact in which two documents differ, or NULL. */
static const struct record_fact *differing(const struct record_fact *a, const struct record_fact *b,
                                           size_t n, const char **other)
{
    for (size_t i = 0; i < n; i++) {
        *other = b[i].value;
        if (strcmp(a[i].value, b[i].value) != 0)
            return &a[i];
    }
    return NULL;
}

static int check_like(const struct record *a, const struct record *b, struct err *err)
{
    const char *other;
    if (strcmp(kind_of(a), kind_of(b)) != 0)
        return err_set(err, 0, "unlike commands: '%s' is of %s, '%s' of %s", a->path, a->command,
                       b->path, b->command);
    if (strcmp(a->files, b->files) != 0)
        return err_set(err, 0, "unlike files: '%s' read %.120s, '%s' read %.120s", a->path,
                       a->files, b->path, b->files);
    const struct record_fact *option = differing(a->options, b->options, RECORD_OPTIONS, &other);
    if (option != NULL)
        return err_set(err, 0, "unlike options: %s is %.80s in '%s' and %.80s in '%s'", option->key,
                       option->value, a->path, other, b->path);
    return 0;
}

/* Time of the first trial that counts: two runs may share a second and a seed, but not this. */
static uint64_t first_wall(const struct record *r)
{
    for (size_t i = 0; i < r->n_cases; i++)
        if (r->cases[i].n_trials > 0)
            return r->cases[i].trials[0].wall_ns;
    return UNKNOWN;
}

static bool is_same_run(const struct record *a, const struct record *b)
{
    return a->seed == b->seed && strcmp(a->started_at, b->started_at) == 0 &&
           first_wall(a) == first_wall(b);
}

int comparison_check_kind(const struct comparison *c, struct err *err)
{
    for (size_t i = 0; i < count(c); i++) {
        if (check_like(at(c, 0), at(c, i), err) != 0)
            return -1;
        for (size_t j = 0; j < i; j++)
            if ((i < c->n_base) == (j < c->n_base) && is_same_run(at(c, i), at(c, j)))
                return err_set(err, 0, "'%s' and '%s' are the same run: it counts once",
                               at(c, j)->path, at(c, i)->path);
    }
    return 0;
}

/* How two documents differ in where they were measured; false: they do not. */
static bool describe_place(const struct record *a, const struct record *b, const char **code,
                           char *text, size_t size)
{
    const char *other;
    const struct record_fact *fact = differing(a->host, b->host, RECORD_HOST_FACTS, &other);
    *code = "different_machine";
    if (fact == NULL) {
        fact = differing(a->system, b->system, RECORD_SYSTEM_FACTS, &other);
        *code = "different_system";
    }
    if (fact != NULL) {
        snprintf(text, size, "%s is %.100s in '%.60s' and %.100s in '%.60s'", fact->key,
                 fact->value, a->path, other, b->path);
        return true;
    }
    *code = "different_cache";
    bool alike = isnan(a->resident) ? isnan(b->resident) : fabs(a->resident - b->resident) <= 0.01;
    if (alike)
        return false;
    snprintf(text, size,
             "the share of the files in the page cache was %.2f in '%.60s' and %.2f "
             "in '%.60s'",
             a->resident, a->path, b->resident, b->path);
    return true;
}

/* How much runs differ is a matter of the machine, and less of what runs on it. */
static int check_calibrated(struct comparison *c, struct err *err)
{
    struct notes *notes = &c->warnings;
    const struct calibrated *from = c->wish->calibrated;
    const struct record *base = c->base;
    const char *other;
    if (from == NULL)
        return 0;
    const struct record_fact *fact = differing(from->host, base->host, RECORD_HOST_FACTS, &other);
    if (fact != NULL && !c->wish->force)
        return err_set(
            err, 0,
            "'%s' is the calibration of another machine: %s is %.100s there and %.100s in "
            "'%s' (--force takes it all the same)",
            from->path, fact->key, fact->value, other, base->path);
    if (fact == NULL)
        fact = differing(from->system, base->system, RECORD_SYSTEM_FACTS, &other);
    if (fact != NULL)
        notes_add(notes, "foreign_calibration", from->path,
                  "'%s' was calibrated elsewhere: %s is %.100s there and %.100s in '%s'",
                  from->path, fact->key, fact->value, other, base->path);
    return 0;
}

int comparison_check_place(struct comparison *c, struct err *err)
{
    struct notes *notes = &c->warnings;
    if (check_calibrated(c, err) != 0)
        return -1;
    for (size_t i = 1; i < count(c); i++) {
        const char *code;
        char text[420];
        if (!describe_place(at(c, 0), at(c, i), &code, text, sizeof text))
            continue;
        if (c->control == NULL && !c->wish->force)
            return err_set(err, 0, "%s: absolute figures cannot be compared without --force", text);
        notes_add(notes, code, at(c, i)->path, "%s%s", text,
                  c->control == NULL ? ": the absolute figures are compared all the same" : "");
    }
    return 0;
}

struct start {
    const char *at;
    bool is_base;
};

static int by_time(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    return strcmp(x->at, y->at);
}

/* In time order, does each pair of runs hold one of either side, as in ABAB and ABBA? Then what
 * drifts meets both alike. With unlike numbers a side may have two in a row and no more. Runs of
 * one second cannot be told apart, and nothing drifts in it. */
static bool alternates(const struct comparison *c)
{
    struct start order[2 * RUNS_MOST];
    size_t n = count(c), row = 0;
    for (size_t i = 0; i < n; i++)
        order[i] = (struct start){at(c, i)->started_at, i < c->n_base};
    qsort(order, n, sizeof *order, by_time);
    for (size_t i = 1; i < n; i++)
        if (strcmp(order[i].at, order[i - 1].at) == 0)
            return true;
    for (size_t i = 1; i < n; i++) {
        row = order[i].is_base == order[i - 1].is_base ? row + 1 : 0;
        if (row > 1 || (c->n_base == c->n_fresh && i % 2 == 1 && row > 0))
            return false;
    }
    return true;
}

static void doubt_order(struct comparison *c)
{
    struct notes *notes = &c->warnings;
    if (c->n_base > 1 && c->n_fresh > 1 && !alternates(c))
        notes_add(notes, "not_alternating", NULL,
                  "the runs of the two sides did not take turns: what drifted meanwhile looks like "
                  "a change");
}

/* With --rate all runs take the same time, whatever they cost. */
static void doubt_rate(struct comparison *c)
{
    struct notes *notes = &c->warnings;
    unsigned timed = 1u << COMPARED_TIME | 1u << COMPARED_EVENTS | 1u << COMPARED_REQUESTS;
    for (size_t i = 0; i < RECORD_OPTIONS && c->wish->judged & timed; i++) {
        const struct record_fact *option = &c->base->options[i];
        if (strcmp(option->key, "rate") == 0 && strcmp(option->value, "null") != 0 &&
            strcmp(option->value, "[null]") != 0)
            notes_add(notes, "rate_given", NULL,
                      "the rate was given by --rate, and so was the time: judge --metric=cpu or "
                      "percentiles");
    }
}

void comparison_doubt(struct comparison *c)
{
    struct notes *notes = &c->warnings;
    doubt_order(c);
    doubt_rate(c);
    for (size_t i = 0; i < count(c); i++) {
        if (at(c, i)->interrupted)
            notes_add(notes, "interrupted", at(c, i)->path, "'%s' was interrupted", at(c, i)->path);
        for (size_t j = 0; j < i; j++)
            if ((i < c->n_base) != (j < c->n_base) && is_same_run(at(c, i), at(c, j)))
                notes_add(notes, "same_run", at(c, i)->path,
                          "'%s' and '%s' are the same run, on both sides", at(c, j)->path,
                          at(c, i)->path);
    }
    for (size_t i = 1; i < count(c); i++) {
        if (strcmp(at(c, 0)->version, at(c, i)->version) == 0)
            continue;
        notes_add(notes, "different_version", at(c, i)->path,
                  "'%s' was recorded by iobench %s, '%s' by %s: the tool may have changed",
                  at(c, 0)->path, at(c, 0)->version, at(c, i)->path, at(c, i)->version);
        return;
    }
}

static bool lacks_interval(const struct comparison *c, int metric)
{
    for (size_t i = 0; i < c->n_cases; i++) {
        const struct comparison_row *row = &c->cases[i].rows[metric];
        if (row->judged && isnan(row->change.low))
            return true;
    }
    return false;
}

/* Beyond the noise its change widens the intervals (change.h), unless runs a side show theirs. */
static void doubt_control(struct comparison *c)
{
    struct notes *notes = &c->warnings;
    for (int m = 0; m < COMPARED_METRICS; m++) {
        double change = c->control_change[m];
        if (c->wish->judged & 1u << m && fabs(change) > log(1 + c->run_noise))
            notes_add(notes, "control_changed", NULL,
                      "the control itself changed (%s %+.1f %%): a case that did not looks changed "
                      "the other way, and only what is beyond that gets a verdict",
                      comparison_key(c, (enum compared)m), 100 * (exp(change) - 1));
    }
}

void comparison_doubt_intervals(struct comparison *c)
{
    struct notes *notes = &c->warnings;
    doubt_control(c);
    bool figures = false, percentiles = false;
    for (int m = 0; m < COMPARED_METRICS; m++)
        *(compared_info[m].cost == COST_OF_RUN ? &percentiles : &figures) |= lacks_interval(c, m);
    if (c->many && (figures || percentiles))
        notes_add(notes, "no_interval", NULL, "too few runs a side for %zu comparisons at once",
                  c->n_judged);
    else if (figures)
        notes_add(notes, "no_interval", NULL,
                  "too few rounds for %zu comparisons at once: %zu are needed", c->n_judged,
                  rank_rounds_needed(2 * c->n_judged));
    else if (percentiles)
        notes_add(notes, "no_interval", NULL,
                  "one run has one percentile: it takes several runs a side, or --run-noise, to "
                  "judge it");
}
