/* iobench calibrate: what gates and comparisons can see on this machine. */
#include "config.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/units.h"
#include "cli/calibrate_run.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "family/file.h"
#include "measure/child.h"

#include <math.h>
#include <string.h>

#define MAX_SLOWDOWN 0.02
#define TIME_LIMIT_NS (90 * NS_PER_S)
#define QUICK_TIME_LIMIT_NS (8 * NS_PER_S)
#define MADE_FILE_BYTES (UINT64_C(16) << 20)

/* Those of reading files. */
#define TRIAL_TIME_NS (5 * NS_PER_MS)
#define GATE_LIMIT_NS (10 * NS_PER_S)

/* All that lives from the options to the exit status. */
struct session_calibrate {
    struct options options;
    struct exec_inheritance inheritance;
    struct source source;
    struct host host;
    struct calibrate_run run;
    struct calibration calibration;
};

static int check_usage(const struct options *o, struct err *err)
{
    if (o->files.n > 1)
        return err_set(err, 0, "one FILE is read at most: '%s' is one more", o->files.items[1]);
    if (o->files.n == 1 && strcmp(o->files.items[0], "-") == 0)
        return err_set(err, 0, "a file is read again and again: standard input is none");
    for (size_t i = 0; i < o->exports.n; i++)
        if (output_check(o->exports.items[i], err) != 0)
            return -1;
    return 0;
}

static void settle(struct session_calibrate *s)
{
    const struct options *o = &s->options;
    struct calibration *c = &s->calibration;
    uint64_t limit = o->quick ? QUICK_TIME_LIMIT_NS : TIME_LIMIT_NS;
    c->max_slowdown = isnan(o->max_slowdown) ? MAX_SLOWDOWN : o->max_slowdown;
    c->time_limit_ns = o->time_limit_ns != UNKNOWN ? o->time_limit_ns : limit;
    c->seed = o->seed != UNKNOWN ? o->seed : rng_fresh_seed();
    c->quick = o->quick;
    c->host = &s->host;
    c->source = &s->source;
    memcpy(s->run.request.knobs, o->knobs, sizeof s->run.request.knobs);
    s->run.request.seed = c->seed;
    s->run.request.timeout_ns = c->time_limit_ns;
    s->run.request.inheritance = &s->inheritance;
    s->run.source = &s->source;
    s->run.calibration = c;
    s->run.interrupted = signals_seen();
    s->run.shows_progress = terminal_wants_progress(o);
}

/* The FILE, which must be one that can be read again, or one of our own. */
static int open_file(struct session_calibrate *s, struct err *err)
{
    const struct options *o = &s->options;
    char size[UNITS_TEXT];
    if (o->files.n == 0) {
        if (!o->quiet)
            say("no FILE given: reading %s made for this run", units_size(size, MADE_FILE_BYTES));
        return file_make(&s->source, MADE_FILE_BYTES, s->calibration.seed, signals_seen(), err);
    }
    const char *path = o->files.items[0];
    if (source_add(&s->source, path, err) != 0)
        return -1;
    const struct source_file *file = &s->source.files[0];
    if (!file->regular || file->once || file->endless || file->volatile_size)
        return err_set(err, 0, "'%s' is no regular file: it cannot be read again and again", path);
    if (file->stated_bytes == 0)
        return err_set(err, 0, "'%s' is empty: there is nothing to measure", path);
    return source_check(file, 0, err);
}

static int write_json(const void *data, FILE *out, struct err *err)
{
    return calibration_json(data, out, err);
}

static int write_text(const void *data, FILE *out, struct err *err)
{
    const struct session_calibrate *s = data;
    struct text_style style;
    terminal_style(&s->options, &style);
    return calibration_text(&s->calibration, style.width, out, err);
}

static int write_reports(const struct session_calibrate *s)
{
    int status = 0;
    for (size_t i = 0; i < s->options.exports.n; i++) {
        struct err why = {0};
        if (output_export_data(write_json, &s->calibration, s->options.exports.items[i], &why) == 0)
            continue;
        say("%s", why.text);
        status = -1;
    }
    struct err err = {0};
    int printed = s->options.json ? output_print_data(write_json, &s->calibration, &err)
                                  : output_print_data(write_text, s, &err);
    if (printed != 0)
        say("%s", err.text);
    return printed == 0 ? status : -1;
}

static void say_warnings(const struct session_calibrate *s)
{
    const struct notes *warnings = &s->calibration.warnings;
    for (size_t i = 0; i < warnings->n && !s->options.quiet; i++)
        say("warning: %s", warnings->items[i].message);
}

/* What cannot be measured leaves its document under --json, too. */
static int measure_and_report(struct session_calibrate *s)
{
    struct calibration *c = &s->calibration;
    struct notes *notes = &c->errors;
    struct err err = {0};
    host_init(&s->host);
    s->source.files[0].resident_ratio = source_resident_ratio(&s->source.files[0]);
    child_block_signals();
    uint64_t began = clock_now_ns();
    bool failed = calibrate_run(&s->run, &err) != 0;
    signals_release();
    c->signal_number = (int)*signals_seen();
    host_finish(&s->host);
    c->elapsed_ns = clock_now_ns() - began;
    if (failed) {
        say("%s", err.text);
        notes_add(notes, "unmeasured", NULL, "%s", err.text);
    } else {
        calibration_doubt(c);
    }
    bool written = (failed && !s->options.json) || write_reports(s) == 0;
    say_warnings(s);
    if (c->signal_number != 0)
        return EXIT_SIGNAL + c->signal_number;
    return failed || !written ? EXIT_UNMEASURED : EXIT_MEASURED;
}

static int run_session(struct session_calibrate *s, const struct command *command, int argc,
                       char **argv)
{
    struct err err = {0};
    int status;
    if (!command_begin(command, 0, argc, argv, &s->options, &status))
        return status;
    if (check_usage(&s->options, &err) != 0)
        return command_usage_error(command->name, err.text);
    settle(s);
    signals_catch(&s->inheritance);
    if (open_file(s, &err) != 0) {
        say("%s", err.text);
        return *signals_seen() != 0 ? EXIT_SIGNAL + (int)*signals_seen() : EXIT_UNMEASURED;
    }
    return measure_and_report(s);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct session_calibrate s = {.calibration = {.version = PACKAGE_VERSION,
                                                  .argc = argc,
                                                  .argv = argv,
                                                  .started_at = time(NULL),
                                                  .trial_time_ns = TRIAL_TIME_NS,
                                                  .gate_limit_ns = GATE_LIMIT_NS}};
    int status = run_session(&s, command, argc, argv);
    calibration_free(&s.calibration);
    calibrate_run_free(&s.run);
    source_free(&s.source);
    options_free(&s.options);
    return status;
}

const struct command command_calibrate = {
    .name = "calibrate",
    .usage = "calibrate [OPTION...] [FILE]",
    .summary = "Measures what gates and comparisons can see on this machine",
    .help =
        "Equal cases are compared with each other, and unlike ones again and again: how often a\n"
        "gate raises a false alarm here, how long it takes, the smallest slowdown that it finds,\n"
        "and how much runs of the same code differ. It takes a minute and a half; --quick takes\n"
        "some seconds. Without FILE a file of 16 MiB is made for the run.",
    .options = OPTIONS_CALIBRATE,
    .run = run,
};
