/* Reading files, as a session. */
#include "config.h"

#include "cli/say.h"
#include "cli/session.h"
#include "cli/signals.h"

#include "base/clock.h"
#include "base/units.h"
#include "family/file.h"

#include <math.h>
#include <string.h>

#define MADE_FILE_BYTES (UINT64_C(64) << 20)

static int check_usage(const struct session *s, struct err *err)
{
    const struct options *o = &s->options;
    if (o->peer_cpus != NULL)
        return err_set(err, 0, "--peer-cpu has no effect: reading a file has no other end");
    if (s->request.knobs[KNOB_SIZE].given && (o->files.n > 0 || o->execs.n > 0))
        return err_set(err, 0, "--sizes makes its own files: it does not go with %s",
                       o->files.n > 0 ? "FILE" : "--exec");
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
            s->lost++;
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
        s->lost++;
        source_remove(&s->source, i);
    }
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

static int open_files(struct session *s, struct err *err)
{
    if (s->options.files.n == 0 && make_files(s, err) != 0 && *signals_seen() == 0)
        return -1;
    drop_unreadable(s);
    return 0;
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

static int plan(struct session *s, struct err *err)
{
    if (s->source.n == 0 && s->options.files.n > 0)
        return 0; /* nothing that could be read */
    s->plan = file_plan_cases(&s->request, &s->source, &s->run, err);
    if (s->plan == NULL)
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

static int begin(struct session *s, struct runner *runner, struct err *err)
{
    (void)err;
    runner->once = reads_once(&s->source);
    runner->volatile_source = is_volatile(&s->source);
    note_residency(s, false);
    return 0;
}

static void end(struct session *s)
{
    note_residency(s, true);
}

static void free_plan(struct session *s)
{
    file_plan_free(s->plan);
}

const struct session_kind file_session = {
    .check_usage = check_usage,
    .find = find_files,
    .open = open_files,
    .plan = plan,
    .begin = begin,
    .end = end,
    .free = free_plan,
    .trial_time_ns = 5 * NS_PER_MS, /* see "The length of a trial" in CONTRIBUTING.md */
};
