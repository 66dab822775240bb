#include "config.h"

#include "cli/measure.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/units.h"
#include "cli/advice.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/plan_view.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "family/case_id.h"
#include "family/file.h"
#include "measure/child.h"
#include "measure/runner.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MADE_FILE_BYTES (UINT64_C(64) << 20)

/* Found by experiment: see "The length of a trial" in CONTRIBUTING.md. */
#define TRIAL_TIME_NS (5 * NS_PER_MS)
#define TIME_LIMIT_NS (10 * NS_PER_S)
#define QUICK_TIME_LIMIT_NS (1500 * NS_PER_MS)
#define TIMEOUT_NS (60 * NS_PER_S)
#define SAME_WITHIN 0.01

/* Block sizes of a model, unless others are asked for. */
enum { MODEL_BLOCKS = 3 };

/* All that lives from the options to the report. */
struct session {
    const struct command *command;
    struct options options;
    struct request request;
    struct settings settings;
    struct source source;
    struct host host;
    struct run run;
    struct file_plan *plan;
    struct report report;
    struct exec_inheritance inheritance;
    size_t files_lost; /* named, but not to be read */
    uint64_t model_blocks[MODEL_BLOCKS];
};

static uint64_t given_or(uint64_t value, uint64_t otherwise)
{
    return value != UNKNOWN ? value : otherwise;
}

static void settle_request(struct session *s)
{
    const struct options *o = &s->options;
    struct request *r = &s->request;
    r->modes_given = o->modes.n > 0;
    r->modes = r->modes_given ? o->modes.items : s->command->default_modes;
    r->n_modes = o->modes.n;
    for (; !r->modes_given && r->modes[r->n_modes] != NULL; r->n_modes++)
        continue;
    memcpy(r->knobs, o->knobs, sizeof r->knobs);
    /* A model needs more than one block size to tell calls from bytes. */
    if (o->knobs[KNOB_SIZE].given && !o->knobs[KNOB_BLOCK_SIZE].given)
        r->knobs[KNOB_BLOCK_SIZE] = (struct knob_values){s->model_blocks, MODEL_BLOCKS, false};
    r->execs = o->execs.items;
    r->n_execs = o->execs.n;
    r->exec_output = o->exec_output;
    r->exec_verify = o->exec_verify.items;
    r->n_exec_verify = o->exec_verify.n;
    r->latency = o->latency;
    r->inheritance = &s->inheritance;
}

static void settle_settings(struct session *s)
{
    const struct options *o = &s->options;
    double same = isnan(o->max_slowdown) ? SAME_WITHIN : o->max_slowdown;
    uint64_t limit = o->quick ? QUICK_TIME_LIMIT_NS : TIME_LIMIT_NS;
    /* A number of rounds is a promise: only a time limit that was given may break it. */
    if (o->rounds > 0 || o->duration_ns != UNKNOWN)
        limit = 0;
    s->settings = (struct settings){
        .modes = s->request.modes,
        .n_modes = s->request.n_modes,
        .knobs = s->command->knobs,
        .rounds = o->duration_ns != UNKNOWN ? 1 : o->rounds,
        .warmup = o->warmup,
        .seed = o->seed != UNKNOWN ? o->seed : rng_fresh_seed(),
        .precision = isnan(o->precision) ? same / 2 : o->precision,
        .max_slowdown = o->max_slowdown,
        .time_limit_ns = given_or(o->time_limit_ns, limit),
        .duration_ns = given_or(o->duration_ns, 0),
        .trial_time_ns = given_or(o->trial_time_ns, TRIAL_TIME_NS),
        .timeout_ns = given_or(o->timeout_ns, TIMEOUT_NS),
        .quick = o->quick,
        .strict = o->strict,
        .prepare = o->prepare,
        .baseline = o->baseline,
        .profile = o->profile,
        .cpus = o->cpus,
        .labels = o->labels,
        .n_labels = o->n_labels,
        .execs = o->execs.items,
        .n_execs = o->execs.n,
        .exec_output = o->exec_output,
        .exec_verify = o->exec_verify.items,
        .n_exec_verify = o->exec_verify.n,
        .latency = o->latency,
    };
    for (int k = 0; k < KNOBS; k++) {
        s->settings.knob_values[k] = s->request.knobs[k].values;
        s->settings.n_knob_values[k] = s->request.knobs[k].n;
    }
}

/* What can be refused before anything is opened. */
static int check_usage(const struct session *s, struct err *err)
{
    const struct options *o = &s->options;
    if (!isnan(o->max_slowdown) && o->baseline == NULL)
        return err_set(err, 0,
                       "--max-slowdown needs --baseline: the fastest case, picked from the "
                       "data, is no baseline for a test");
    if (o->duration_ns != UNKNOWN && o->rounds > 1)
        return err_set(err, 0, "--duration makes one round: it does not go with --rounds");
    if (o->profile != NULL && access(o->profile, W_OK) != 0)
        return err_set(err, errno, "cannot write to '%s'", o->profile);
    if (s->request.knobs[KNOB_SIZE].given && (o->files.n > 0 || o->execs.n > 0))
        return err_set(err, 0, "--sizes makes its own files: it does not go with %s",
                       o->files.n > 0 ? "FILE" : "--exec");
    for (size_t i = 0; i < o->exports.n; i++)
        if (output_check(o->exports.items[i], err) != 0)
            return -1;
    return file_check_request(&s->request, err);
}

/* Notes what can be known of the files without opening them. Those that are not there are errors of
 * the run; the others are still measured. */
static int find_files(struct session *s, struct err *err)
{
    const struct text_list *files = &s->options.files;
    for (size_t i = 0; i < files->n; i++) {
        struct err why = {0};
        const char *path = files->items[i];
        int status = strcmp(path, "-") == 0 ? source_add_stdin(&s->source, &why)
                                            : source_add(&s->source, path, &why);
        if (status != 0) {
            say("%s", why.text);
            notes_add_err(&s->run.errors, path, &why);
            s->files_lost++;
            continue;
        }
        const struct source_file *file = &s->source.files[s->source.n - 1];
        if (file->endless && s->request.knobs[KNOB_BYTES].values[0] == PARAM_NONE)
            return err_set(err, 0, "'%s' has no end: --bytes=SIZE says how much to read", path);
    }
    return 0;
}

static void drop_unreadable(struct session *s)
{
    uint64_t offset = s->request.knobs[KNOB_OFFSET].values[0];
    for (size_t i = s->source.n; i-- > 0;) {
        struct err why = {0};
        if (source_check(&s->source.files[i], offset, &why) == 0)
            continue;
        say("%s", why.text);
        notes_add_err(&s->run.errors, s->source.files[i].path, &why);
        s->files_lost++;
        source_remove(&s->source, i);
    }
}

static bool reads_once(const struct source *source)
{
    for (size_t i = 0; i < source->n; i++)
        if (source->files[i].once)
            return true;
    return false;
}

/* Do the kernel's own files change from one reading to the next? Some do. */
static bool is_volatile(const struct source *source)
{
    for (size_t i = 0; i < source->n; i++)
        if (!source->files[i].regular || source->files[i].volatile_size)
            return true;
    return false;
}

static int find_baseline(struct session *s, struct err *err)
{
    if (s->options.baseline == NULL)
        return 0;
    struct err why = {0};
    s->run.baseline = case_find(&s->run, s->options.baseline, &why);
    return s->run.baseline >= 0 ? 0 : err_set(err, 0, "--baseline: %s", why.text);
}

static int plan(struct session *s, struct err *err)
{
    s->run.delta = isnan(s->options.max_slowdown) ? SAME_WITHIN : s->options.max_slowdown;
    s->plan = file_plan_cases(&s->request, &s->source, &s->run, err);
    if (s->plan == NULL || find_baseline(s, err) != 0)
        return -1;
    if (reads_once(&s->source) && s->run.n_cases > 1)
        return err_set(err, 0,
                       "what can be read only once makes one case, not %u: choose with "
                       "--mode=NAME and single values",
                       s->run.n_cases);
    return 0;
}

static void note_residency(struct session *s, bool after)
{
    for (size_t i = 0; i < s->source.n; i++) {
        struct source_file *file = &s->source.files[i];
        double ratio = file->once ? NAN : source_resident_ratio(file);
        *(after ? &file->resident_ratio_after : &file->resident_ratio) = ratio;
    }
}

static int run_cases(struct session *s, struct err *err)
{
    struct progress_line line = {0};
    const struct settings *set = &s->settings;
    struct runner runner = {
        .rounds = set->rounds,
        .precision = set->precision,
        .time_limit_ns = set->time_limit_ns,
        .trial_time_ns = set->trial_time_ns,
        .duration_ns = set->duration_ns,
        .timeout_ns = set->timeout_ns,
        .warmup = set->warmup,
        .seed = set->seed,
        .prepare = set->prepare,
        .once = reads_once(&s->source),
        .volatile_source = is_volatile(&s->source),
        .profile = !set->quick || set->profile != NULL,
        .perf_directory = set->profile,
        .cpus = set->cpus,
        .interrupted = signals_seen(),
        .on_progress = terminal_wants_progress(&s->options) ? progress_draw : NULL,
        .progress_data = &line,
    };
    note_residency(s, false);
    int status = runner_run(&runner, &s->run, err);
    progress_clear(&line);
    note_residency(s, true);
    return status;
}

static void say_notes(const struct session *s)
{
    for (size_t i = s->files_lost; i < s->run.errors.n; i++)
        say("%s", s->run.errors.items[i].message);
    for (size_t i = 0; i < s->run.warnings.n && !s->options.quiet; i++)
        say("warning: %s", s->run.warnings.items[i].message);
}

static int write_reports(struct session *s)
{
    int status = 0;
    for (size_t i = 0; i < s->options.exports.n; i++) {
        struct err err = {0};
        if (output_export(&s->report, s->options.exports.items[i], &err) != 0) {
            say("%s", err.text);
            status = -1;
        }
    }
    struct err err = {0};
    struct text_style style;
    terminal_style(&s->options, &style);
    int printed = s->options.json ? output_print(&s->report, report_json, &err)
                                  : output_print_text(&s->report, &style, &err);
    if (printed != 0)
        say("%s", err.text);
    return printed == 0 ? status : -1;
}

/* A gate: is a case surely slower than the baseline by more than was allowed? Says which. */
static bool has_regression(const struct session *s, bool *inconclusive)
{
    const struct run *run = &s->run;
    int baseline = run_baseline(run);
    bool regressed = false;
    for (unsigned i = 0; baseline >= 0 && i < run->n_cases; i++) {
        struct ratio r;
        struct err err = {0};
        if ((int)i == baseline || run->cases[i].status != CASE_OK ||
            run_compare(run, i, (unsigned)baseline, run_confidence(run), &r, &err) != 0)
            continue;
        *inconclusive |= r.verdict == VERDICT_INCONCLUSIVE;
        if (isnan(s->options.max_slowdown) || r.verdict != VERDICT_SLOWER)
            continue;
        regressed = true;
        say("%s is %.1f %% (%.1f .. %.1f) slower than %s: more than the %g %% allowed",
            run->cases[i].id, 100 * (r.ratio - 1), 100 * (r.low - 1), 100 * (r.high - 1),
            run->cases[baseline].id, 100 * s->options.max_slowdown);
    }
    return regressed;
}

static int exit_status(const struct session *s, bool written)
{
    const struct run *run = &s->run;
    bool inconclusive = false;
    bool regressed = has_regression(s, &inconclusive);
    bool measured = false;
    for (unsigned i = 0; i < run->n_cases; i++)
        measured |= run->cases[i].status == CASE_OK;
    if (run->signal_number != 0)
        return EXIT_SIGNAL + run->signal_number;
    if (!written || run->errors.n > 0 || !measured)
        return EXIT_UNMEASURED;
    if (regressed)
        return EXIT_REGRESSION;
    return s->options.strict && inconclusive ? EXIT_INCONCLUSIVE : EXIT_MEASURED;
}

/* From a planned run to its exit status. */
static int measure_and_report(struct session *s, struct err *err)
{
    uint64_t began = clock_now_ns();
    host_init(&s->host);
    child_block_signals(); /* what came before is pending no more: it was noted */
    if (s->run.n_cases > 0 && run_cases(s, err) != 0)
        return -1;
    signals_release();
    s->run.signal_number = (int)*signals_seen();
    host_finish(&s->host);
    s->report.elapsed_ns = clock_now_ns() - began;
    advice_add(&s->report, &s->run);
    bool written = write_reports(s) == 0;
    say_notes(s);
    return exit_status(s, written);
}

/* The files of --sizes, or the one that is read when none was named. */
static int make_files(struct session *s, struct err *err)
{
    char size[UNITS_TEXT];
    const struct knob_values *sizes = &s->request.knobs[KNOB_SIZE];
    for (size_t i = 0; sizes->given && i < sizes->n; i++)
        if (file_make(&s->source, sizes->values[i], s->settings.seed, signals_seen(), err) != 0)
            return -1;
    if (sizes->given)
        return 0;
    if (!s->options.quiet)
        say("no FILE given: reading %s made for this run", units_size(size, MADE_FILE_BYTES));
    return file_make(&s->source, MADE_FILE_BYTES, s->settings.seed, signals_seen(), err);
}

static int fail(struct session *s, const struct err *err, int status)
{
    if (status == EXIT_USAGE)
        return command_usage_error(s->command->name, err->text);
    say("%s", err->text);
    return status;
}

static int run_session(struct session *s, int argc, char **argv)
{
    struct err err = {0};
    if (options_parse(argc, argv, s->command->knobs, &s->options, &err) != 0)
        return fail(s, &err, EXIT_USAGE);
    if (s->options.help) {
        command_print_help(s->command);
        return EXIT_MEASURED;
    }
    if (s->options.version) {
        version_print();
        return EXIT_MEASURED;
    }
    settle_request(s);
    settle_settings(s);
    s->request.seed = s->settings.seed;
    if (check_usage(s, &err) != 0 || find_files(s, &err) != 0)
        return fail(s, &err, EXIT_USAGE);
    s->report =
        (struct report){PACKAGE_VERSION, s->command->name, argc,       argv,   time(NULL), 0,
                        &s->settings,    &s->host,         &s->source, &s->run};
    bool wants_file = s->options.files.n == 0;
    signals_catch(&s->inheritance);
    if (wants_file && !s->options.dry_run && make_files(s, &err) != 0 && *signals_seen() == 0)
        return fail(s, &err, EXIT_UNMEASURED);
    if (!s->options.dry_run)
        drop_unreadable(s);
    bool has_source = s->source.n > 0 || (wants_file && s->options.dry_run);
    if (has_source && *signals_seen() == 0 && plan(s, &err) != 0)
        return fail(s, &err, EXIT_USAGE);
    if (s->options.dry_run) {
        if (s->run.n_cases == 0)
            return EXIT_UNMEASURED;
        if (!s->options.json)
            plan_view_print(&s->settings, &s->source, &s->run);
        else if (output_print(&s->report, report_json, &err) != 0)
            return fail(s, &err, EXIT_UNMEASURED);
        return s->files_lost > 0 ? EXIT_UNMEASURED : EXIT_MEASURED;
    }
    int status = measure_and_report(s, &err);
    return status >= 0 ? status : fail(s, &err, EXIT_UNMEASURED);
}

int measure_files(const struct command *command, int argc, char **argv)
{
    struct session s = {
        .command = command, .run.baseline = -1, .model_blocks = {4 * 1024, 32 * 1024, 256 * 1024}};
    int status = run_session(&s, argc, argv);
    run_free(&s.run);
    file_plan_free(s.plan);
    source_free(&s.source);
    options_free(&s.options);
    return status;
}
