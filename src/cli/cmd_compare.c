/* iobench compare: what changed between recorded runs. */
#include "config.h"

#include "cli/command.h"
#include "cli/compare_rows.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "family/case_id.h"
#include "report/comparison.h"
#include "report/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLOWDOWN 0.05

/* All that lives from the options to the exit status. */
struct session_compare {
    struct options options;
    struct text_style style; /* of the text report */
    struct record *runs;     /* the base's first */
    size_t n_base, n_fresh, n_loaded;
    struct calibrated calibrated; /* where run noise is taken from */
    struct comparison_wish wish;
    struct comparison comparison;
    struct comparison_report report;
};

/* BASE NEW, or any number of runs behind --base and --new. */
static int settle_sides(struct options *o, struct err *err)
{
    bool named = o->base.n > 0 || o->fresh.n > 0;
    if (!named && o->files.n != 2)
        return err_set(err, 0,
                       "two recorded runs are compared, BASE and NEW; several a side are "
                       "named by --base and --new");
    if (named && (o->base.n == 0 || o->fresh.n == 0))
        return err_set(err, 0, "--%s is missing: there are two sides to a comparison",
                       o->base.n == 0 ? "base" : "new");
    if (named && o->files.n > 0)
        return err_set(err, 0, "'%s' is on neither side: it must follow --base or --new",
                       o->files.items[0]);
    if (!named && (text_list_add(&o->base, o->files.items[0], err) != 0 ||
                   text_list_add(&o->fresh, o->files.items[1], err) != 0))
        return -1;
    if (o->base.n > RUNS_MOST || o->fresh.n > RUNS_MOST)
        return err_set(err, 0, "too many runs: %d a side are the limit", RUNS_MOST);
    if (o->absolute && o->relative_to != NULL)
        return err_set(err, 0, "--absolute and --relative-to exclude each other");
    for (size_t i = 0; i < o->exports.n; i++)
        if (output_check(o->exports.items[i], err) != 0)
            return -1;
    return 0;
}

static void settle_wish(struct session_compare *s)
{
    const struct options *o = &s->options;
    s->n_base = o->base.n;
    s->n_fresh = o->fresh.n;
    s->wish = (struct comparison_wish){.absolute = o->absolute,
                                       .force = o->force,
                                       .run_noise = o->run_noise,
                                       .max_slowdown =
                                           isnan(o->max_slowdown) ? MAX_SLOWDOWN : o->max_slowdown,
                                       .judged = o->judged != 0 ? o->judged : 1u << COMPARED_TIME};
}

static int load(struct session_compare *s, struct err *err)
{
    size_t n = s->n_base + s->n_fresh;
    s->runs = calloc(n, sizeof *s->runs);
    if (s->runs == NULL)
        return err_set(err, errno, "cannot load the runs");
    for (size_t i = 0; i < n; i++) {
        const char *path =
            i < s->n_base ? s->options.base.items[i] : s->options.fresh.items[i - s->n_base];
        s->n_loaded = i + 1;
        if (record_load(path, &s->runs[i], err) != 0)
            return -1;
    }
    if (s->options.calibration == NULL)
        return 0;
    s->wish.calibrated = &s->calibrated;
    return calibrated_load(s->options.calibration, &s->calibrated, err);
}

/* --relative-to is understood as --baseline is: an id, or any words of one. */
static int find_control(struct session_compare *s, struct err *err)
{
    const struct record *base = &s->runs[0];
    if (s->options.relative_to == NULL)
        return 0;
    struct run named = {.cases = calloc(base->n_cases > 0 ? base->n_cases : 1, sizeof *named.cases),
                        .n_cases = (unsigned)base->n_cases};
    if (named.cases == NULL)
        return err_set(err, errno, "cannot compare");
    for (size_t i = 0; i < base->n_cases; i++) {
        named.cases[i].id = base->cases[i].id;
        named.cases[i].label = base->cases[i].mode;
    }
    struct err why = {0};
    int found = case_find(&named, s->options.relative_to, &why);
    free(named.cases);
    if (found < 0)
        return err_set(err, 0, "--relative-to: in '%s' %s", base->path, why.text);
    s->wish.relative_to = base->cases[found].id;
    return 0;
}

static int compare(struct session_compare *s, struct err *err)
{
    if (load(s, err) != 0 || find_control(s, err) != 0)
        return -1;
    return comparison_make(s->runs, s->n_base, s->runs + s->n_base, s->n_fresh, &s->wish,
                           &s->comparison, err);
}

static int write_json(const void *data, FILE *out, struct err *err)
{
    return comparison_json(data, out, err);
}

static int write_text(const void *data, FILE *out, struct err *err)
{
    const struct session_compare *s = data;
    return comparison_text(&s->report, &s->style, out, err);
}

/* A comparison and the kind of its export, as data of an output_writer. */
struct written_comparison {
    const struct comparison_report *report;
    const struct export_kind *kind;
};

static int write_export(const void *data, FILE *out, struct err *err)
{
    const struct written_comparison *w = data;
    return w->kind->write_comparison(w->report, out, err);
}

/* Of a refusal there is JSON, and nothing to put into a table. */
static int export(const struct session_compare *s, const char *path, bool refused, struct err *err)
{
    struct written_comparison written = {&s->report, export_kind_of_comparison(path, err)};
    if (written.kind == NULL)
        return -1;
    if (refused && written.kind->write_comparison != comparison_json)
        return 0;
    return output_export_data(write_export, &written, path, err);
}

static int write_reports(struct session_compare *s, bool refused)
{
    struct err err = {0};
    int status = 0;
    for (size_t i = 0; i < s->options.exports.n; i++) {
        struct err why = {0};
        if (export(s, s->options.exports.items[i], refused, &why) != 0) {
            say("%s", why.text);
            status = -1;
        }
    }
    terminal_style(&s->options, &s->style);
    if (s->options.json)
        status |= output_print_data(write_json, &s->report, &err);
    else if (!refused)
        status |= output_print_data(write_text, s, &err);
    if (err.text[0] != '\0')
        say("%s", err.text);
    return status;
}

static void say_notes(const struct session_compare *s)
{
    const struct comparison *c = &s->comparison;
    for (size_t i = 0; i < c->errors.n; i++)
        say("%s", c->errors.items[i].message);
    for (size_t i = 0; i < c->warnings.n && !s->options.quiet; i++)
        say("warning: %s", c->warnings.items[i].message);
}

static void say_regressions(const struct comparison *c)
{
    for (size_t i = 0; i < c->n_cases; i++) {
        for (int m = 0; m < COMPARED_METRICS; m++) {
            const struct comparison_row *row = &c->cases[i].rows[m];
            if (row->judged && row->verdict == CHANGE_REGRESSED)
                say("%s regressed: %s is %.1f %% (%.1f .. %.1f) up, more than the %g %% allowed",
                    c->cases[i].id, comparison_key(c, (enum compared)m),
                    100 * (row->change.ratio - 1), 100 * (row->change.low - 1),
                    100 * (row->change.high - 1), 100 * c->wish->max_slowdown);
        }
    }
}

static int exit_status(const struct session_compare *s)
{
    const struct comparison *c = &s->comparison;
    enum change_verdict verdict = comparison_verdict(c);
    bool open = verdict == CHANGE_INCONCLUSIVE;
    for (size_t i = 0; i < c->n_losses; i++)
        open |= c->losses[i].in_base;
    if (c->errors.n > 0)
        return EXIT_UNMEASURED;
    if (verdict == CHANGE_REGRESSED)
        return EXIT_REGRESSION;
    return s->options.strict && open ? EXIT_INCONCLUSIVE : EXIT_MEASURED;
}

/* A refusal leaves its document under --json, too: with the error, and nothing compared. */
static int refuse(struct session_compare *s, const struct err *why)
{
    struct notes *notes = &s->comparison.errors;
    comparison_free(&s->comparison);
    s->comparison.wish = &s->wish;
    notes_add(notes, "refused", NULL, "%s", why->text);
    say("%s", why->text);
    (void)write_reports(s, true);
    return EXIT_UNMEASURED;
}

static int compare_and_report(struct session_compare *s)
{
    struct err err = {0};
    if (compare(s, &err) != 0)
        return refuse(s, &err);
    bool written = write_reports(s, false) == 0;
    if (s->options.json) /* the text has them */
        say_regressions(&s->comparison);
    say_notes(s);
    return written ? exit_status(s) : EXIT_UNMEASURED;
}

static int run_session(struct session_compare *s, const struct command *command, int argc,
                       char **argv)
{
    struct err err = {0};
    int status;
    if (!command_begin(command, 0, argc, argv, &s->options, &status))
        return status;
    if (settle_sides(&s->options, &err) != 0)
        return command_usage_error(command->name, err.text);
    settle_wish(s);
    return compare_and_report(s);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct session_compare s = {.report = {PACKAGE_VERSION, argc, argv, &s.comparison}};
    struct err err = {0};
    char **expanded;
    int status;
    if (compare_rows_expand(&argc, argv, &expanded, &err) == 0) {
        status = run_session(&s, command, argc, expanded);
    } else {
        say("%s", err.text);
        status = EXIT_UNMEASURED;
    }
    comparison_free(&s.comparison);
    for (size_t i = 0; i < s.n_loaded; i++)
        record_free(&s.runs[i]);
    free(s.runs);
    calibrated_free(&s.calibrated);
    options_free(&s.options);
    compare_rows_free(expanded);
    return status;
}

const struct command command_compare = {
    .name = "compare",
    .usage = "compare [OPTION...] BASE NEW",
    .summary = "Says what changed between recorded runs, for CI",
    .help = "BASE and NEW are documents that --json or --export=FILE.json of a measuring command\n"
            "has written. Ratios to a control case of the same run are compared: they hold much\n"
            "better than absolute figures. Several runs a side: --base B1 B2 ... --new N1 N2 ...",
    .options = OPTIONS_COMPARE,
    .run = run,
};
