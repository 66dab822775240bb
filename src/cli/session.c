#include "config.h"

#include "cli/session.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/units.h"
#include "cli/advice.h"
#include "cli/output.h"
#include "cli/plan_view.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "family/case_id.h"
#include "measure/child.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TIME_LIMIT_NS (10 * NS_PER_S)
#define QUICK_TIME_LIMIT_NS (1500 * NS_PER_MS)
#define TIMEOUT_NS (60 * NS_PER_S)
#define SAME_WITHIN 0.01

static uint64_t given_or(uint64_t value, uint64_t otherwise)
{
    return value != UNKNOWN ? value : otherwise;
}

/* A gate between the user's own commands is about them alone: a strategy that is slower than the
 * baseline among them is no regression, and would only take their time. */
static bool gates_commands(const struct options *o)
{
    if (o->modes.n > 0 || o->execs.n < 2 || o->baseline == NULL || isnan(o->max_slowdown))
        return false;
    for (size_t i = 0; i < o->execs.n; i++) {
        size_t length;
        (void)exec_split_name(o->execs.items[i], &length);
        if (length > 0 && strlen(o->baseline) == length &&
            strncmp(o->execs.items[i], o->baseline, length) == 0)
            return true;
    }
    return false;
}

static void settle_request(struct session *s)
{
    const struct options *o = &s->options;
    struct request *r = &s->request;
    r->modes_given = o->modes.n > 0;
    r->modes = r->modes_given ? o->modes.items : s->command->default_modes;
    r->n_modes = o->modes.n;
    for (; !r->modes_given && !gates_commands(o) && r->modes[r->n_modes] != NULL; r->n_modes++)
        continue;
    static const char *const control[] = {"ctl"};
    if (o->ctl && !r->modes_given) {
        r->modes = control;
        r->n_modes = 1;
        r->modes_given = true;
    }
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
    r->sizes = o->verbose;
    r->send = o->send;
    r->connect = o->connect;
    r->listen = o->listen;
    r->finds_rate = o->find_rate != NULL;
    r->timeout_ns = given_or(o->timeout_ns, TIMEOUT_NS);
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
        .trial_time_ns = given_or(o->trial_time_ns, s->kind->trial_time_ns),
        .timeout_ns = given_or(o->timeout_ns, TIMEOUT_NS),
        .quick = o->quick,
        .strict = o->strict,
        .prepare = o->prepare,
        .baseline = o->baseline,
        .profile = o->profile,
        .cpus = o->cpus,
        .peer_cpus = o->peer_cpus,
        .ramp_ns = given_or(o->ramp_ns, s->kind->ramp_ns),
        .interval_ns = given_or(o->interval_ns, 0),
        .sends = o->send,
        .is_stream = s->kind == &stream_session,
        .is_events = s->kind == &events_session,
        .is_service = s->kind == &service_session,
        .connect = o->connect != NULL ? o->connect->text : NULL,
        .listen = o->listen != NULL ? o->listen->text : NULL,
        .labels = o->labels,
        .n_labels = o->n_labels,
        .execs = o->execs.items,
        .n_execs = o->execs.n,
        .exec_output = o->exec_output,
        .exec_verify = o->exec_verify.items,
        .n_exec_verify = o->exec_verify.n,
        .latency = o->latency,
        .find_rate = o->find_rate,
    };
    for (int k = 0; k < KNOBS; k++) {
        s->settings.knob_values[k] = s->request.knobs[k].values;
        s->settings.n_knob_values[k] = s->request.knobs[k].n;
    }
}

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
    for (size_t i = 0; i < o->exports.n; i++)
        if (output_check(o->exports.items[i], err) != 0)
            return -1;
    return s->kind->check_usage(s, err);
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
    if (s->kind->plan(s, err) != 0)
        return -1;
    return s->run.n_cases > 0 ? find_baseline(s, err) : 0;
}

/* "246451 events/s, 12.6 a wait, 1234 context switches/s" */
static void say_events(const char *when, const struct interval *of)
{
    double seconds = (double)of->wall_ns / 1e9;
    const uint64_t *n = of->counter;
    say("%s: %.0f events/s, %.1f a wait, %.0f context switches/s", when,
        (double)n[COUNTER_MESSAGES] / seconds,
        n[COUNTER_WAITS] > 0 ? (double)n[COUNTER_EVENTS] / (double)n[COUNTER_WAITS] : 0,
        (double)of->system_switches / seconds);
}

static void say_requests(const char *when, const struct interval *of)
{
    double seconds = (double)of->wall_ns / 1e9;
    char rate[UNITS_TEXT];
    say("%s: %.0f requests/s, %s", when, (double)of->counter[COUNTER_REQUESTS] / seconds,
        units_rate(rate, (double)of->bytes / seconds));
}

static void say_interval(void *data, const struct interval *interval)
{
    const struct session *s = data;
    char when[64], size[UNITS_TEXT], rate[UNITS_TEXT];
    snprintf(when, sizeof when, "%.3f .. %.3f s", (double)interval->start_ns / 1e9,
             (double)(interval->start_ns + interval->wall_ns) / 1e9);
    if (s->settings.is_events)
        say_events(when, interval);
    else if (s->settings.is_service && s->settings.listen == NULL)
        say_requests(when, interval);
    else
        say("%s: %s, %s", when, units_size(size, interval->bytes),
            units_rate(rate, (double)interval->bytes / ((double)interval->wall_ns / 1e9)));
}

/* What begins is not what goes on: the first interval is left out. */
static void say_averages(const struct session *s)
{
    for (unsigned i = 0; i < s->run.n_cases && s->settings.is_events; i++) {
        const struct intervals *all = &s->run.cases[i].intervals;
        struct interval sum = {0};
        for (size_t j = 1; j < all->n; j++) {
            sum.wall_ns += all->items[j].wall_ns;
            sum.system_switches += all->items[j].system_switches;
            for (int k = 0; k < COUNTERS; k++)
                sum.counter[k] += all->items[j].counter[k];
        }
        char when[128];
        snprintf(when, sizeof when, "%.60s, average without the first interval",
                 s->run.cases[i].label);
        if (all->n > 1 && !s->options.quiet)
            say_events(when, &sum);
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
        .profile = !set->quick || set->profile != NULL,
        .perf_directory = set->profile,
        .cpus = set->cpus,
        .peer_cpus = set->peer_cpus,
        .ramp_ns = set->ramp_ns,
        .bound = s->options.bound,
        .interrupted = signals_seen(),
        .on_progress = terminal_wants_progress(&s->options) ? progress_draw : NULL,
        .progress_data = &line,
        .interval_ns = set->interval_ns,
        .on_interval = s->options.quiet ? NULL : say_interval,
        .interval_data = s,
    };
    if (s->kind->begin != NULL && s->kind->begin(s, &runner, err) != 0)
        return -1;
    int status = runner_run(&runner, &s->run, err);
    progress_clear(&line);
    say_averages(s);
    if (s->kind->end != NULL)
        s->kind->end(s);
    return status;
}

static void say_notes(const struct session *s)
{
    for (size_t i = s->lost; i < s->run.errors.n; i++)
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

/* From a planned run to its exit status. */
static int measure_and_report(struct session *s, struct err *err)
{
    uint64_t began = clock_now_ns();
    host_init(&s->host);
    child_block_signals(); /* what came before is pending no more: it was noted */
    if (s->run.n_cases > 0 && run_cases(s, err) != 0)
        return -1;
    signals_release();
    s->run.signal_number = s->run.served ? 0 : (int)*signals_seen();
    host_finish(&s->host);
    s->report.elapsed_ns = clock_now_ns() - began;
    advice_add(&s->report, &s->run);
    bool written = write_reports(s) == 0;
    say_notes(s);
    return session_status(s, written);
}

static int fail(struct session *s, const struct err *err, int status)
{
    if (status == EXIT_USAGE)
        return command_usage_error(s->command->name, err->text);
    say("%s", err->text);
    return status;
}

static int show_plan(struct session *s, struct err *err)
{
    if (s->run.n_cases == 0)
        return EXIT_UNMEASURED;
    host_init(&s->host);
    host_finish(&s->host);
    if (!s->options.json)
        plan_view_print(&s->settings, &s->source, &s->run);
    else if (output_print(&s->report, report_json, err) != 0)
        return fail(s, err, EXIT_UNMEASURED);
    return s->lost > 0 ? EXIT_UNMEASURED : EXIT_MEASURED;
}

static int take_step(int (*step)(struct session *, struct err *), struct session *s,
                     struct err *err)
{
    return step != NULL ? step(s, err) : 0;
}

static int run_session(struct session *s, int argc, char **argv)
{
    struct err err = {0};
    int begun;
    if (!command_begin(s->command, s->command->knobs, argc, argv, &s->options, &begun))
        return begun;
    settle_request(s);
    settle_settings(s);
    s->request.seed = s->settings.seed;
    if (check_usage(s, &err) != 0 || take_step(s->kind->find, s, &err) != 0)
        return fail(s, &err, EXIT_USAGE);
    s->report =
        (struct report){PACKAGE_VERSION, s->command->name, argc,       argv,   time(NULL), 0,
                        &s->settings,    &s->host,         &s->source, &s->run};
    signals_catch(&s->inheritance);
    if (!s->options.dry_run && take_step(s->kind->open, s, &err) != 0)
        return fail(s, &err, EXIT_UNMEASURED);
    if (*signals_seen() == 0 && plan(s, &err) != 0)
        return fail(s, &err, EXIT_USAGE);
    if (s->options.dry_run)
        return show_plan(s, &err);
    int status = measure_and_report(s, &err);
    return status >= 0 ? status : fail(s, &err, EXIT_UNMEASURED);
}

int session_run(const struct command *command, const struct session_kind *kind, int argc,
                char **argv)
{
    struct session s = {.command = command,
                        .kind = kind,
                        .run.baseline = -1,
                        .model_blocks = {4 * 1024, 32 * 1024, 256 * 1024}};
    int status = run_session(&s, argc, argv);
    run_free(&s.run);
    kind->free(&s);
    source_free(&s.source);
    options_free(&s.options);
    return status;
}
