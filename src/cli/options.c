#include "config.h"

#include "cli/options.h"

#include "base/units.h"
#include "cli/cpu_list.h"
#include "cli/option_names.h"

#include <argtable2.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often an option may stand on one command line. */
enum { MOST_REPEATS = 200 };

typedef int apply_function(struct options *options, const char *value, struct err *err);

struct option_row {
    const char *letters, *name;
    const char *datatype; /* NULL: a switch */
    const char *help;
    apply_function *apply;
    const char *before_knobs; /* set on the row in front of which the family's knobs stand */
};

static int list_add(struct text_list *list, const char *item, struct err *err)
{
    const char **items = realloc(list->items, (list->n + 1) * sizeof *items);
    if (items == NULL)
        return err_set(err, errno, "too many values");
    list->items = items;
    items[list->n++] = item;
    return 0;
}

/* Calls add for each element of a comma-separated list, which must have no empty one. */
static int each_element(const char *name, const char *text,
                        int (*add)(void *data, const char *element, struct err *err), void *data,
                        struct err *err)
{
    char *copy = strdup(text), *rest = copy;
    if (copy == NULL)
        return err_set(err, errno, "--%s", name);
    int status = 0;
    for (char *element; status == 0 && (element = strsep(&rest, ",")) != NULL;)
        status = *element != '\0' ? add(data, element, err)
                                  : err_set(err, 0, "--%s: empty value in '%s'", name, text);
    free(copy);
    return status;
}

static int add_mode(void *list, const char *element, struct err *err)
{
    char *kept = strdup(element);
    if (kept == NULL)
        return err_set(err, errno, "--mode");
    return list_add(list, kept, err);
}

static int apply_mode(struct options *o, const char *value, struct err *err)
{
    return each_element("mode", value, add_mode, &o->modes, err);
}

/* Prefixes what a parser said with the option's name. */
static int named(const char *name, int status, const struct err *why, struct err *err)
{
    return status == 0 ? 0 : err_set(err, 0, "--%s: %s", name, why->text);
}

static int parse_time(const char *name, const char *value, uint64_t *ns, struct err *err)
{
    struct err why = {0};
    int status = units_parse_time(value, ns, &why);
    if (status == 0 && (*ns == 0 || *ns > UINT64_MAX / 4))
        return err_set(err, 0, "--%s: '%s' is too %s", name, value, *ns == 0 ? "short" : "long");
    return named(name, status, &why, err);
}

static int parse_count(const char *name, const char *value, uint64_t least, uint64_t most,
                       uint64_t *count, struct err *err)
{
    struct err why = {0};
    int status = units_parse_count(value, count, &why);
    if (status == 0 && (*count < least || *count > most))
        return err_set(err, 0, "--%s: '%s' is too %s", name, value,
                       *count < least ? "small" : "large");
    return named(name, status, &why, err);
}

static int parse_percent(const char *name, const char *value, double *ratio, struct err *err)
{
    struct err why = {0};
    int status = units_parse_percent(value, ratio, &why);
    if (status == 0 && !(*ratio > 0 && *ratio < 100))
        return err_set(err, 0, "--%s: '%s' is out of range", name, value);
    return named(name, status, &why, err);
}

static int apply_rounds(struct options *o, const char *value, struct err *err)
{
    return parse_count("rounds", value, 1, 1000000, &o->rounds, err);
}

static int apply_warmup(struct options *o, const char *value, struct err *err)
{
    o->warmup_given = true;
    return parse_count("warmup", value, 0, 1000, &o->warmup, err);
}

static int apply_seed(struct options *o, const char *value, struct err *err)
{
    o->seed_given = true;
    return parse_count("seed", value, 0, (UINT64_C(1) << 53) - 1, &o->seed, err);
}

static int apply_precision(struct options *o, const char *value, struct err *err)
{
    return parse_percent("precision", value, &o->precision, err);
}

static int apply_max_slowdown(struct options *o, const char *value, struct err *err)
{
    return parse_percent("max-slowdown", value, &o->max_slowdown, err);
}

static int apply_time_limit(struct options *o, const char *value, struct err *err)
{
    return parse_time("time-limit", value, &o->time_limit_ns, err);
}

static int apply_duration(struct options *o, const char *value, struct err *err)
{
    return parse_time("duration", value, &o->duration_ns, err);
}

static int apply_trial_time(struct options *o, const char *value, struct err *err)
{
    return parse_time("trial-time", value, &o->trial_time_ns, err);
}

static int apply_timeout(struct options *o, const char *value, struct err *err)
{
    return parse_time("timeout", value, &o->timeout_ns, err);
}

static int apply_quick(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->quick = true;
    return 0;
}

static int apply_dry_run(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->dry_run = true;
    return 0;
}

static int apply_prepare(struct options *o, const char *value, struct err *err)
{
    (void)err;
    o->prepare = value;
    return 0;
}

static int apply_baseline(struct options *o, const char *value, struct err *err)
{
    (void)err;
    o->baseline = value;
    return 0;
}

static int apply_cpu(struct options *o, const char *value, struct err *err)
{
    if (o->cpus == NULL)
        o->cpus = malloc(sizeof *o->cpus);
    if (o->cpus == NULL)
        return err_set(err, errno, "--cpu");
    return cpu_list_parse("cpu", value, o->cpus, err);
}

static int apply_peer_cpu(struct options *o, const char *value, struct err *err)
{
    (void)o, (void)value;
    return err_set(err, 0, "--peer-cpu has no effect: reading a file has no other end");
}

static int apply_json(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->json = true;
    return 0;
}

static int apply_export(struct options *o, const char *value, struct err *err)
{
    if (export_kind_of(value) == NULL)
        return err_set(err, 0, "--export: '%s' ends in none of %s", value, export_endings());
    return list_add(&o->exports, value, err);
}

static int apply_label(struct options *o, const char *value, struct err *err)
{
    size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-");
    if (length == 0 || value[length] != '=')
        return err_set(err, 0, "--label: '%s' is not KEY=VALUE with a key of letters, digits and "
                               "._-", value);
    struct label *labels = realloc(o->labels, (o->n_labels + 1) * sizeof *labels);
    char *key = strndup(value, length);
    if (labels != NULL)
        o->labels = labels;
    if (labels == NULL || key == NULL) {
        free(key);
        return err_set(err, errno, "--label");
    }
    labels[o->n_labels++] = (struct label){key, value + length + 1};
    return 0;
}

static int apply_quiet(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->quiet = true;
    return 0;
}

static int apply_verbose(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->verbose = true;
    return 0;
}

static int apply_strict(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->strict = true;
    return 0;
}

static int parse_when(const char *name, const char *value, enum when *when, struct err *err)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            *when = (enum when)i;
            return 0;
        }
    }
    return err_set(err, 0, "--%s: '%s' is none of auto, always, never", name, value);
}

static int apply_color(struct options *o, const char *value, struct err *err)
{
    return parse_when("color", value, &o->color, err);
}

static int apply_progress(struct options *o, const char *value, struct err *err)
{
    return parse_when("progress", value, &o->progress, err);
}

static int apply_help(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->help = true;
    return 0;
}

static int apply_version(struct options *o, const char *value, struct err *err)
{
    (void)value, (void)err;
    o->version = true;
    return 0;
}

static const struct option_row rows[] = {
    {"m", "mode", "LIST", "strategies or groups: sysread,mmap or all, syscall, stdio, mapped",
     apply_mode, NULL},
    {"r", "rounds", "N", "exactly N rounds", apply_rounds, "knobs"},
    {NULL, "precision", "PCT", "stop when every ratio's interval is this narrow (half of what "
                               "counts as the same: 0.5)",
     apply_precision, NULL},
    {NULL, "time-limit", "TIME", "stop at the end of the round that passes it (10s)",
     apply_time_limit, NULL},
    {NULL, "duration", "TIME", "one round of that length for each case", apply_duration, NULL},
    {NULL, "trial-time", "TIME", "shortest trial (5ms)", apply_trial_time, NULL},
    {NULL, "quick", NULL, "a rough answer in a second or two", apply_quick, NULL},
    {NULL, "dry-run", NULL, "show the cases, their order and the time needed; run nothing",
     apply_dry_run, NULL},
    {NULL, "prepare", "COMMAND", "run before each trial, outside the timed part", apply_prepare,
     NULL},
    {NULL, "warmup", "N", "rounds that do not count; the first verifies the bytes (1)",
     apply_warmup, NULL},
    {NULL, "baseline", "CASE", "the case that ratios are against (the fastest)", apply_baseline,
     NULL},
    {NULL, "max-slowdown", "PCT", "exit 1 when a case is surely slower than the baseline by more",
     apply_max_slowdown, NULL},
    {NULL, "strict", NULL, "exit 4 when a comparison is inconclusive", apply_strict, NULL},
    {NULL, "seed", "N", "of the order and of the file made; below 2^53", apply_seed, NULL},
    {NULL, "cpu", "LIST", "run the trials on these processors, as 0,2-3", apply_cpu, NULL},
    {NULL, "peer-cpu", "LIST", "the same for the other end, where there is one", apply_peer_cpu,
     NULL},
    {NULL, "timeout", "TIME", "a trial that takes longer is killed (60s)", apply_timeout, NULL},
    {"j", "json", NULL, "JSON on standard output instead of text", apply_json, NULL},
    {"e", "export", "FILE", "also write FILE, by its ending: .json .csv .md .prom", apply_export,
     NULL},
    {NULL, "label", "KEY=VALUE", "recorded with the result", apply_label, NULL},
    {"q", "quiet", NULL, "no progress and no warnings", apply_quiet, NULL},
    {"v", "verbose", NULL, "more columns", apply_verbose, NULL},
    {NULL, "color", "WHEN", "auto, always or never; NO_COLOR is obeyed", apply_color, NULL},
    {NULL, "progress", "WHEN", "auto, always or never; a line on standard error", apply_progress,
     NULL},
    {"h", "help", NULL, "show this", apply_help, NULL},
    {NULL, "version", NULL, "show the version and what is built in", apply_version, NULL},
};

enum { ROWS = sizeof rows / sizeof rows[0], MOST_ENTRIES = ROWS + KNOBS + 2 };

/* An entry of the table that argtable2 gets: a row, a knob, FILE or the end. */
struct entry {
    const struct option_row *row; /* NULL: a knob */
    enum knob knob;
};

struct arguments {
    void *table[MOST_ENTRIES];
    struct entry entries[MOST_ENTRIES];
    struct option_name names[MOST_ENTRIES];
    size_t n;
    struct arg_file *files;
    struct arg_end *end;
};

static void add_argument(struct arguments *a, const char *letters, const char *name,
                         const char *datatype, const char *help, struct entry entry)
{
    a->entries[a->n] = entry;
    a->names[a->n] = (struct option_name){letters, name, datatype != NULL};
    if (datatype == NULL)
        a->table[a->n++] = arg_litn(letters, name, 0, MOST_REPEATS, help);
    else
        a->table[a->n++] = arg_strn(letters, name, datatype, 0, MOST_REPEATS, help);
}

static int build(struct arguments *a, unsigned knobs, int most_files, struct err *err)
{
    *a = (struct arguments){0};
    for (size_t i = 0; i < ROWS; i++) {
        for (int k = 0; k < KNOBS && rows[i].before_knobs != NULL; k++)
            if (knobs & KNOB_BIT(k))
                add_argument(a, knob_info[k].letters, knob_info[k].option, knob_info[k].datatype,
                             knob_info[k].help, (struct entry){NULL, (enum knob)k});
        add_argument(a, rows[i].letters, rows[i].name, rows[i].datatype, rows[i].help,
                     (struct entry){&rows[i], 0});
    }
    size_t options = a->n;
    a->files = arg_filen(NULL, NULL, "FILE", 0, most_files > 0 ? most_files : 1, NULL);
    a->end = arg_end(4);
    a->table[options] = a->files;
    a->table[options + 1] = a->end;
    return arg_nullcheck(a->table) == 0 ? 0 : err_set(err, ENOMEM, "cannot read the options");
}

static void discard(struct arguments *a)
{
    arg_freetable(a->table, a->n + 2);
}

struct knob_target {
    enum knob knob;
    struct knob_values *values;
};

static int add_knob_value(void *data, const char *element, struct err *err)
{
    struct knob_target *target = data;
    uint64_t value;
    if (params_parse(target->knob, element, &value, err) != 0)
        return -1;
    struct knob_values *v = target->values;
    if (v->n > 0 && !knob_info[target->knob].sweeps)
        return err_set(err, 0, "--%s takes one value", knob_info[target->knob].option);
    uint64_t *values = realloc(v->values, (v->n + 1) * sizeof *values);
    if (values == NULL)
        return err_set(err, errno, "--%s", knob_info[target->knob].option);
    v->values = values;
    values[v->n++] = value;
    return 0;
}

/* The last one wins, as for every option that is not a list of its own. */
static int apply_knob(struct options *o, enum knob knob, const char *value, struct err *err)
{
    o->knobs[knob].n = 0;
    o->knobs[knob].given = true;
    struct knob_target target = {knob, &o->knobs[knob]};
    return each_element(knob_info[knob].option, value, add_knob_value, &target, err);
}

static int apply_entry(struct options *o, const struct arguments *a, size_t i, struct err *err)
{
    const struct entry *entry = &a->entries[i];
    if (entry->row != NULL && entry->row->datatype == NULL) {
        const struct arg_lit *flag = a->table[i];
        return flag->count > 0 ? entry->row->apply(o, NULL, err) : 0;
    }
    const struct arg_str *option = a->table[i];
    for (int j = 0; j < option->count; j++) {
        int status = entry->row != NULL ? entry->row->apply(o, option->sval[j], err)
                                        : apply_knob(o, entry->knob, option->sval[j], err);
        if (status != 0)
            return -1;
    }
    return 0;
}

/* argtable2's error, in our words. */
static int explain(const struct arg_end *end, struct err *err)
{
    const char *value = end->argval[0] != NULL ? end->argval[0] : "";
    switch (end->error[0]) {
    case ARG_EMISSARG:
        return err_set(err, 0, "option '%s' needs a value", value);
    case ARG_ELONGOPT:
        return err_set(err, 0, "unknown option '%s'", value);
    case ARG_ELIMIT:
        return err_set(err, 0, "too often: '%s'", value);
    default:
        if (end->error[0] > ' ' && end->error[0] < 127)
            return err_set(err, 0, "unknown option '-%c'", end->error[0]);
        return err_set(err, 0, "cannot make sense of '%s'", value);
    }
}

static int set_defaults(struct options *o, struct err *err)
{
    *o = (struct options){.precision = NAN,
                          .max_slowdown = NAN,
                          .time_limit_ns = UNKNOWN,
                          .duration_ns = UNKNOWN,
                          .trial_time_ns = UNKNOWN,
                          .timeout_ns = UNKNOWN,
                          .warmup = 1};
    for (int k = 0; k < KNOBS; k++) {
        o->knobs[k].values = malloc(sizeof *o->knobs[k].values);
        if (o->knobs[k].values == NULL)
            return err_set(err, errno, "cannot read the options");
        o->knobs[k].values[0] = knob_info[k].initial;
        o->knobs[k].n = 1;
    }
    return 0;
}

int options_parse(int argc, char **argv, unsigned knobs, struct options *options, struct err *err)
{
    struct arguments a;
    int status = -1;
    if (set_defaults(options, err) != 0)
        return -1;
    if (build(&a, knobs, argc, err) != 0)
        goto out;
    if (option_names_check(argc, argv, a.names, a.n, err) != 0)
        goto out;
    int wrong = arg_parse(argc, argv, a.table);
    for (size_t i = 0; i < a.n; i++) /* help is given whatever else is wrong */
        if (a.entries[i].row != NULL && a.entries[i].row->apply == apply_help &&
            apply_entry(options, &a, i, err) != 0)
            goto out;
    if (wrong > 0 && !options->help) {
        explain(a.end, err);
        goto out;
    }
    for (size_t i = 0; i < a.n && !options->help; i++)
        if (apply_entry(options, &a, i, err) != 0)
            goto out;
    status = 0;
    for (int i = 0; i < a.files->count && status == 0; i++)
        status = list_add(&options->files, a.files->filename[i], err);
out:
    discard(&a);
    return status;
}

void options_free(struct options *options)
{
    for (size_t i = 0; i < options->modes.n; i++)
        free((void *)(uintptr_t)options->modes.items[i]);
    free(options->modes.items);
    free(options->files.items);
    free(options->exports.items);
    free(options->cpus);
    for (int k = 0; k < KNOBS; k++)
        free(options->knobs[k].values);
    for (size_t i = 0; i < options->n_labels; i++)
        free((void *)(uintptr_t)options->labels[i].key);
    free(options->labels);
}

void options_print(unsigned knobs, FILE *out)
{
    struct arguments a;
    struct err err = {0};
    if (build(&a, knobs, 1, &err) == 0)
        arg_print_glossary_gnu(out, a.table);
    discard(&a);
}
