/* Matching the cases of recorded runs, and judging what changed. */
#include "config.h"

#include "report/comparison.h"

#include "report/comparison_check.h"
#include "report/comparison_series.h"
#include "stats/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct record *at(const struct comparison *c, size_t i)
{
    return i < c->n_base ? &c->base[i] : &c->fresh[i - c->n_base];
}

static size_t count(const struct comparison *c)
{
    return c->n_base + c->n_fresh;
}

static bool is_measured(const struct record_case *c)
{
    return c != NULL && strcmp(c->status, "ok") == 0 && c->n_trials > 0;
}

static int add_case(struct comparison *c, const struct record_case *of, struct err *err)
{
    struct comparison_case *cases = realloc(c->cases, (c->n_cases + 1) * sizeof *cases);
    if (cases == NULL)
        return err_set(err, errno, "cannot compare");
    c->cases = cases;
    cases[c->n_cases++] = (struct comparison_case){.id = of->id, .mode = of->mode};
    return 0;
}

static int add_loss(struct comparison *c, struct comparison_loss loss, struct err *err)
{
    struct comparison_loss *losses = realloc(c->losses, (c->n_losses + 1) * sizeof *losses);
    if (losses == NULL)
        return err_set(err, errno, "cannot compare");
    c->losses = losses;
    losses[c->n_losses++] = loss;
    return 0;
}

/* Why a document cannot take part with this case; NULL: it can. */
static const char *why_not(const struct record_case *found, const char *params)
{
    if (found == NULL)
        return "not in it";
    if (strcmp(found->params, params) != 0)
        return "its parameters differ";
    if (strcmp(found->status, "ok") != 0)
        return found->reason != NULL ? found->reason : found->status;
    return found->n_trials == 0 ? "it has no trial that counts" : NULL;
}

/* A case that is measured in all documents with the same parameters is compared, another is
 * listed. What stopped working is an error. */
static int match_case(struct comparison *c, const struct record_case *of, struct err *err)
{
    struct notes *notes = &c->errors;
    for (size_t i = 0; i < count(c); i++) {
        const struct record_case *found = record_find(at(c, i), of->id);
        const char *reason = why_not(found, of->params);
        if (reason == NULL)
            continue;
        bool in_base = is_measured(record_find(c->base, of->id));
        bool broke = found != NULL && (strcmp(found->status, "failed") == 0 ||
                                       strcmp(found->status, "invalid") == 0);
        if (i >= c->n_base && in_base && broke)
            notes_add(notes, "no_longer_measured", at(c, i)->path, "%s is %s in '%s': %s", of->id,
                      found->status, at(c, i)->path, reason);
        return add_loss(c, (struct comparison_loss){of->id, at(c, i)->path, reason, in_base}, err);
    }
    return add_case(c, of, err);
}

static int match(struct comparison *c, struct err *err)
{
    for (size_t i = 0; i < count(c); i++) {
        for (size_t j = 0; j < at(c, i)->n_cases; j++) {
            const struct record_case *of = &at(c, i)->cases[j];
            bool seen = false;
            for (size_t k = 0; k < i && !seen; k++)
                seen = record_find(at(c, k), of->id) != NULL;
            if (!seen && match_case(c, of, err) != 0)
                return -1;
        }
    }
    return c->n_cases > 0 ? 0 : err_set(err, 0, "no case was measured on both sides");
}

static struct comparison_case *find(const struct comparison *c, const char *id)
{
    for (size_t i = 0; i < c->n_cases; i++)
        if (strcmp(c->cases[i].id, id) == 0)
            return &c->cases[i];
    return NULL;
}

static int choose_control(struct comparison *c, struct err *err)
{
    const char *id = c->wish->relative_to != NULL ? c->wish->relative_to : c->base->baseline;
    if (c->wish->absolute || (c->wish->relative_to == NULL && c->n_cases == 1))
        return 0;
    if (id == NULL)
        return err_set(err, 0,
                       "'%s' has no baseline: name a control by --relative-to=CASE, or compare "
                       "--absolute figures",
                       c->base->path);
    struct comparison_case *control = find(c, id);
    if (control == NULL)
        return err_set(err, 0,
                       "the control, %s, was not measured on both sides: name another by "
                       "--relative-to=CASE, or compare --absolute figures",
                       id);
    if (c->n_cases == 1)
        return err_set(err, 0, "%s is the only case on both sides: nothing is left to compare", id);
    control->is_control = true;
    c->control = control->id;
    return 0;
}

/* Logs of one side: of the trials where one run stands a side, of the runs' medians otherwise. */
struct side {
    double *logs;
    size_t n;
    double middle; /* absolute, as the figure itself */
};

/* Room for the work of one figure. */
struct room {
    double *base, *fresh, *work;
};

static const struct record_case *control_in(const struct comparison *c, const struct record *r)
{
    return c->control != NULL ? record_find(r, c->control) : NULL;
}

static void gather(const struct comparison *c, const char *id, enum compared metric,
                   const struct record *runs, size_t n, double *work, struct side *side)
{
    bool trials = c->n_base == 1 && c->n_fresh == 1;
    double middles[RUNS_MOST];
    size_t n_middles = 0;
    side->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct record_case *of = record_find(&runs[i], id);
        const struct record_case *control = control_in(c, &runs[i]);
        double middle = series_median(work, series_logs(of, NULL, metric, c->per_byte, work));
        if (!isnan(middle))
            middles[n_middles++] = middle;
        if (trials) {
            side->n = series_logs(of, control, metric, c->per_byte, side->logs);
            continue;
        }
        middle = series_median(work, series_logs(of, control, metric, c->per_byte, work));
        if (!isnan(middle))
            side->logs[side->n++] = middle;
    }
    side->middle = exp(series_median(middles, n_middles));
    if (!trials && side->n < n)
        side->n = 0; /* a run without the figure: not all of the side speaks */
}

/* What runs of the same code are taken to differ by in this figure. NaN: nothing can be said. */
static double noise_of(const struct comparison *c, enum compared metric)
{
    bool of_run = compared_info[metric].cost == COST_OF_RUN;
    if (!isnan(c->wish->run_noise))
        return c->wish->run_noise;
    if (of_run) /* one percentile a run: only several runs show how sure it is */
        return c->n_base > 1 && c->n_fresh > 1 ? RUN_NOISE_ABSOLUTE : NAN;
    return compared_info[metric].absolute ? RUN_NOISE_RELATIVE : c->run_noise;
}

static void change_of(const struct comparison *c, enum compared metric, struct side *base,
                      struct side *fresh, double *work, struct change *change)
{
    bool of_run = compared_info[metric].cost == COST_OF_RUN;
    struct change_doubt doubt = {noise_of(c, metric), c->control_change[metric]};
    if (c->many)
        change_of_runs(base->logs, base->n, fresh->logs, fresh->n, c->confidence, work, change);
    else if (c->n_base == 1 && c->n_fresh == 1 && !of_run)
        change_of_trials(base->logs, base->n, fresh->logs, fresh->n, c->confidence, &doubt, work,
                         change);
    else
        change_of_few_runs(base->logs, base->n, fresh->logs, fresh->n, &doubt, change);
}

/* Gets a verdict what was asked for and any run has: what only some have is inconclusive. */
static bool is_judged(const struct comparison *c, const struct comparison_case *of,
                      enum compared metric)
{
    if (of->is_control || !(c->wish->judged & 1u << metric))
        return false;
    for (size_t i = 0; i < count(c); i++)
        if (series_has(record_find(at(c, i), of->id), metric, c->per_byte))
            return true;
    return false;
}

static void gather_both(const struct comparison *c, const char *id, enum compared metric,
                        const struct room *room, struct side *base, struct side *fresh)
{
    *base = (struct side){room->base, 0, NAN};
    *fresh = (struct side){room->fresh, 0, NAN};
    gather(c, id, metric, c->base, c->n_base, room->work, base);
    gather(c, id, metric, c->fresh, c->n_fresh, room->work, fresh);
}

/* How the control itself changed, which its ratios do not show. */
static double control_change(const struct comparison *c, enum compared metric,
                             const struct room *room)
{
    struct side base, fresh;
    if (c->control == NULL || compared_info[metric].absolute)
        return NAN;
    gather_both(c, c->control, metric, room, &base, &fresh);
    return log(fresh.middle / base.middle);
}

static void compare_metric(const struct comparison *c, struct comparison_case *of,
                           enum compared metric, const struct room *room)
{
    struct comparison_row *row = &of->rows[metric];
    struct side base, fresh;
    gather_both(c, of->id, metric, room, &base, &fresh);
    *row = (struct comparison_row){.judged = is_judged(c, of, metric),
                                   .base = base.middle,
                                   .fresh = fresh.middle,
                                   .change = {NAN, NAN, NAN}};
    row->known = row->judged || (!isnan(base.middle) && !isnan(fresh.middle));
    if (!of->is_control && base.n > 0 && fresh.n > 0)
        change_of(c, metric, &base, &fresh, room->work, &row->change);
    if (row->judged)
        row->verdict = change_judge(&row->change, c->wish->max_slowdown);
    else /* with an interval for each, all would have to be wider */
        row->change.low = row->change.high = NAN;
}

static void compare_counts(const struct comparison *c, struct comparison_case *of)
{
    static const char *const names[] = {"bytes", "calls"};
    for (int which = 0; which < COMPARISON_COUNTS; which++) {
        struct comparison_count *figure = &of->counts[which];
        *figure = (struct comparison_count){.name = names[which], .known = true};
        for (size_t i = 0; i < count(c); i++) {
            double value =
                series_constant(record_find(at(c, i), of->id), (enum comparison_counts)which);
            double *side = i < c->n_base ? &figure->base : &figure->fresh;
            bool first = i == 0 || i == c->n_base;
            figure->known &= !isnan(value) && (first || value == *side);
            *side = value;
        }
    }
}

/* So many intervals must hold together. */
static size_t count_judged(const struct comparison *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_cases; i++)
        for (int m = 0; m < COMPARED_METRICS; m++)
            n += is_judged(c, &c->cases[i], (enum compared)m);
    return n;
}

static size_t most_trials(const struct comparison *c)
{
    size_t most = (size_t)RUNS_MOST * RUNS_MOST; /* all pairs of runs */
    for (size_t i = 0; i < count(c); i++)
        for (size_t j = 0; j < at(c, i)->n_cases; j++)
            if (at(c, i)->cases[j].n_trials > most)
                most = at(c, i)->cases[j].n_trials;
    return most;
}

static int compare_cases(struct comparison *c, struct err *err)
{
    size_t most = most_trials(c);
    double *numbers = malloc(3 * most * sizeof *numbers);
    if (numbers == NULL)
        return err_set(err, errno, "cannot compare");
    struct room room = {numbers, numbers + most, numbers + 2 * most};
    for (int m = 0; m < COMPARED_METRICS; m++)
        c->control_change[m] = control_change(c, (enum compared)m, &room);
    for (size_t i = 0; i < c->n_cases; i++) {
        for (int m = 0; m < COMPARED_METRICS; m++)
            compare_metric(c, &c->cases[i], (enum compared)m, &room);
        compare_counts(c, &c->cases[i]);
    }
    free(numbers);
    return 0;
}

/* What the runs themselves say of their noise is enough from RUNS_ENOUGH on. */
static int choose_noise(struct comparison *c, struct err *err)
{
    const struct calibrated *calibrated = c->wish->calibrated;
    bool relative = c->control != NULL;
    c->many = c->n_base >= RUNS_ENOUGH && c->n_fresh >= RUNS_ENOUGH;
    if (c->many)
        c->run_noise = NAN;
    else if (!isnan(c->wish->run_noise))
        c->run_noise = c->wish->run_noise;
    else if (calibrated != NULL)
        c->run_noise = relative ? calibrated->relative : calibrated->absolute;
    else
        c->run_noise = relative ? RUN_NOISE_RELATIVE : RUN_NOISE_ABSOLUTE;
    if (c->many || !isnan(c->run_noise))
        return 0;
    return err_set(err, 0, "'%s' does not know how much %s figures of runs differ",
                   calibrated->path, relative ? "relative" : "absolute");
}

int comparison_make(const struct record *base, size_t n_base, const struct record *fresh,
                    size_t n_fresh, const struct comparison_wish *wish, struct comparison *c,
                    struct err *err)
{
    *c = (struct comparison){.wish = wish,
                             .base = base,
                             .n_base = n_base,
                             .fresh = fresh,
                             .n_fresh = n_fresh,
                             .per_byte = true,
                             .run_noise = NAN,
                             .confidence = NAN};
    for (size_t i = 0; i < count(c); i++)
        c->per_byte &= series_has_bytes(at(c, i));
    if (comparison_check_kind(c, err) != 0 || match(c, err) != 0 || choose_control(c, err) != 0 ||
        comparison_check_place(c, err) != 0 || choose_noise(c, err) != 0)
        return -1;
    c->n_judged = count_judged(c);
    if (c->n_judged == 0)
        return err_set(err, 0, "no case has the figures that are to be compared");
    c->confidence = family_confidence(c->n_judged);
    comparison_doubt(c);
    if (compare_cases(c, err) != 0)
        return -1;
    comparison_doubt_intervals(c);
    return 0;
}

void comparison_free(struct comparison *c)
{
    free(c->cases);
    free(c->losses);
    notes_free(&c->warnings);
    notes_free(&c->errors);
    *c = (struct comparison){0};
}

enum change_verdict comparison_verdict(const struct comparison *c)
{
    static const enum change_verdict worst_first[] = {CHANGE_REGRESSED, CHANGE_INCONCLUSIVE,
                                                      CHANGE_IMPROVED};
    for (size_t w = 0; w < sizeof worst_first / sizeof worst_first[0]; w++)
        for (size_t i = 0; i < c->n_cases; i++)
            for (int m = 0; m < COMPARED_METRICS; m++)
                if (c->cases[i].rows[m].judged && c->cases[i].rows[m].verdict == worst_first[w])
                    return worst_first[w];
    return CHANGE_SAME;
}

const char *comparison_key(const struct comparison *c, enum compared metric)
{
    const struct compared_info *info = &compared_info[metric];
    return !c->per_byte && info->pass_key != NULL ? info->pass_key : info->key;
}
