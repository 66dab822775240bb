#include "config.h"

#include "cli/option_rows.h"

#include "report/export.h"
#include "base/rng.h"
#include "base/tally.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/cpu_list.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int text_list_add(struct text_list *list, const char *item, struct err *err)
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

static int add_copy(void *list, const char *element, struct err *err)
{
    char *kept = strdup(element);
    if (kept == NULL)
        return err_set(err, errno, "too many values");
    return text_list_add(list, kept, err);
}

static int apply_mode(struct options *o, const char *value, struct err *err)
{
    return each_element("mode", value, add_copy, &o->modes, err);
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

/* Up to the given number of percent; 0: there is a bound only against slips of the pen. */
static int parse_percent(const char *name, const char *value, uint64_t most, double *ratio,
                         struct err *err)
{
    struct err why = {0};
    int status = units_parse_percent(value, ratio, &why);
    bool beyond = most > 0 ? *ratio > (double)most / 100 : *ratio >= 100;
    if (status == 0 && (*ratio <= 0 || beyond))
        return err_set(err, 0, "--%s: '%s' is out of range", name, value);
    return named(name, status, &why, err);
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
    if (o->peer_cpus == NULL)
        o->peer_cpus = malloc(sizeof *o->peer_cpus);
    if (o->peer_cpus == NULL)
        return err_set(err, errno, "--peer-cpu");
    return cpu_list_parse("peer-cpu", value, o->peer_cpus, err);
}

static int apply_address(const char *name, const char *value, bool listening,
                         struct address **address, struct err *err)
{
    struct err why = {0};
    if (*address == NULL)
        *address = malloc(sizeof **address);
    if (*address == NULL)
        return err_set(err, errno, "--%s", name);
    return named(name, address_parse(value, listening, *address, &why), &why, err);
}

static int apply_connect(struct options *o, const char *value, struct err *err)
{
    return apply_address("connect", value, false, &o->connect, err);
}

static int apply_listen(struct options *o, const char *value, struct err *err)
{
    return apply_address("listen", value, true, &o->listen, err);
}

/* "p99.9:5ms" */
static int apply_find_rate(struct options *o, const char *value, struct err *err)
{
    char quantile[16];
    struct err why = {0};
    double ratio = 0;
    size_t length = strcspn(value, ":");
    if (*value != 'p' || value[length] != ':' || length < 2 || length >= sizeof quantile)
        return err_set(err, 0, "--find-rate: '%s' is not pQUANTILE:TIME, as in p99:5ms", value);
    memcpy(quantile, value + 1, length - 1);
    quantile[length - 1] = '\0';
    if (units_parse_percent(quantile, &ratio, &why) != 0 || ratio < 0.5 || ratio > 0.9999)
        return err_set(err, 0, "--find-rate: a quantile is from p50 to p99.99: '%s'", value);
    o->find_rate = value;
    o->bound.quantile = ratio;
    int status = parse_time("find-rate", value + length + 1, &o->bound.ns, err);
    if (status == 0 && o->bound.ns == 0)
        return err_set(err, 0, "--find-rate: no answer takes no time: '%s'", value);
    return status;
}

static int apply_exec(struct options *o, const char *value, struct err *err)
{
    return text_list_add(&o->execs, value, err);
}

static int apply_exec_verify(struct options *o, const char *value, struct err *err)
{
    return each_element("exec-verify", value, add_copy, &o->exec_verify, err);
}

static int apply_exec_output(struct options *o, const char *value, struct err *err)
{
    if (*value == '\0')
        return err_set(err, 0, "--exec-output: empty value");
    o->exec_output = strcmp(value, "inherit") == 0 ? NULL : value;
    return 0;
}

static int apply_export(struct options *o, const char *value, struct err *err)
{
    struct err why = {0};
    if (export_kind_of(value, &why) == NULL)
        return err_set(err, 0, "--export: %s", why.text);
    return text_list_add(&o->exports, value, err);
}

static int apply_label(struct options *o, const char *value, struct err *err)
{
    size_t length = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-");
    if (length == 0 || value[length] != '=')
        return err_set(err, 0,
                       "--label: '%s' is not KEY=VALUE with a key of letters, digits and "
                       "._-",
                       value);
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

#define AT(member) .at = offsetof(struct options, member)

const struct option_row option_rows[OPTION_ROWS] = {
    {"m", "mode", "LIST", "strategies or groups, as 'iobench list' shows them: sysread,mmap or all",
     APPLY, .apply = apply_mode},
    {NULL, "connect", "ADDRESS",
     "the other end is a server at HOST:PORT or unix:PATH, not one of our own", APPLY,
     .apply = apply_connect, .only = OPTIONS_STREAM | OPTIONS_SERVICE},
    {NULL, "listen", "ADDRESS",
     "wait for the other end at [HOST]:PORT or unix:PATH (loopback); a server: until a signal",
     APPLY, .apply = apply_listen, .only = OPTIONS_STREAM | OPTIONS_SERVICE},
    {NULL, "ctl", NULL, "what it costs to add, change and remove a handle: the group ctl", FLAG,
     AT(ctl), .only = OPTIONS_EVENTS},
    {NULL, "send", NULL, "be the sending end for another machine, with --connect or --listen", FLAG,
     AT(send), .only = OPTIONS_STREAM},
    {NULL, "find-rate", "pQ:TIME",
     "search the highest rate whose latency stays within a bound, as in p99:5ms", APPLY,
     .apply = apply_find_rate, .only = OPTIONS_SERVICE},
    {"r", "rounds", "N", "exactly N rounds", COUNT, AT(rounds), .least = 1, .most = 1000000,
     .before_knobs = true},
    {NULL, "precision", "PCT",
     "stop when every ratio's interval is this narrow (half of what "
     "counts as the same: 0.5)",
     PERCENT, AT(precision)},
    {NULL, "time-limit", "TIME", "stop at the end of the round that passes it (10s)", TIME,
     AT(time_limit_ns)},
    {NULL, "duration", "TIME", "one round of that length for each case", TIME, AT(duration_ns)},
    {NULL, "interval", "TIME", "a line on standard error for each interval of a trial", TIME,
     AT(interval_ns)},
    {NULL, "trial-time", "TIME", "shortest trial (5ms; 10ms with another end, 20ms of a server)",
     TIME, AT(trial_time_ns)},
    {NULL, "ramp", "TIME",
     "work before the clock of each trial, to get up to speed (2ms; 5ms of a server)", TIME,
     AT(ramp_ns), .only = OPTIONS_STREAM | OPTIONS_EVENTS | OPTIONS_SERVICE},
    {NULL, "quick", NULL, "a rough answer in a second or two", FLAG, AT(quick)},
    {NULL, "dry-run", NULL, "show the cases, their order and the time needed; run nothing", FLAG,
     AT(dry_run)},
    {NULL, "prepare", "COMMAND", "run before each trial, outside the timed part", TEXT,
     AT(prepare)},
    {NULL, "warmup", "N", "rounds that do not count; the first verifies the bytes (1)", COUNT,
     AT(warmup), .most = 1000},
    {NULL, "baseline", "CASE", "the case that ratios are against (the fastest)", TEXT,
     AT(baseline)},
    {NULL, "max-slowdown", "PCT", "exit 1 when a case is surely slower than the baseline by more",
     PERCENT, AT(max_slowdown), .most = 1000},
    {NULL, "strict", NULL, "exit 4 when a comparison is inconclusive", FLAG, AT(strict)},
    {NULL, "seed", "N", "of the order and of the file made; below 2^53", COUNT, AT(seed),
     .most = RNG_SEED_LIMIT - 1},
    {NULL, "cpu", "LIST", "run the trials on these processors, as 0,2-3", APPLY,
     .apply = apply_cpu},
    {NULL, "peer-cpu", "LIST", "the same for the other end, where there is one", APPLY,
     .apply = apply_peer_cpu},
    {NULL, "timeout", "TIME", "a trial that takes longer is killed (60s)", TIME, AT(timeout_ns)},
    {NULL, "exec", "[NAME=]COMMAND",
     "your own command as one more case; {} is the FILE, {host} and {port} where to connect, "
     "{block_size} the block size",
     APPLY, .apply = apply_exec, .only = OPTIONS_FILE | OPTIONS_STREAM | OPTIONS_SERVICE},
    {NULL, "exec-output", "WHERE", "its standard output: inherit or a file (/dev/null)", APPLY,
     .apply = apply_exec_output, .only = OPTIONS_FILE | OPTIONS_STREAM | OPTIONS_SERVICE},
    {NULL, "exec-verify", "LIST", "names of commands whose output must equal the FILE", APPLY,
     .apply = apply_exec_verify, .only = OPTIONS_FILE},
    {NULL, "latency", NULL, "time every call, where a strategy can; this costs two clock readings",
     FLAG, AT(latency), .only = OPTIONS_FILE | OPTIONS_STREAM | OPTIONS_EVENTS},
    {NULL, "profile", "DIR", "one more trial of each case under perf; its data is kept in DIR",
     TEXT, AT(profile)},
    {"j", "json", NULL, "JSON on standard output instead of text", FLAG, AT(json)},
    {"e", "export", "FILE",
     "also write FILE, by its ending: .json .csv .md .prom .dat .bmf.json .gha-smaller.json "
     ".hgrm .gha-bigger.json .gbench.json",
     APPLY, .apply = apply_export},
    {NULL, "label", "KEY=VALUE", "recorded with the result", APPLY, .apply = apply_label},
    {"q", "quiet", NULL, "no progress and no warnings", FLAG, AT(quiet)},
    {"v", "verbose", NULL, "more columns", FLAG, AT(verbose)},
    {NULL, "color", "WHEN", "auto, always or never; NO_COLOR is obeyed", WHEN, AT(color)},
    {NULL, "progress", "WHEN", "auto, always or never; a line on standard error", WHEN,
     AT(progress)},
    {"h", "help", NULL, "show this", FLAG, AT(help)},
    {NULL, "version", NULL, "show the version and what is built in", FLAG, AT(version)},
};

int option_row_apply(struct options *o, const struct option_row *row, const char *value,
                     struct err *err)
{
    void *member = (char *)o + row->at;
    switch (row->kind) {
    case FLAG:
        *(bool *)member = true;
        return 0;
    case COUNT:
        return parse_count(row->name, value, row->least, row->most, member, err);
    case TIME:
        return parse_time(row->name, value, member, err);
    case PERCENT:
        return parse_percent(row->name, value, row->most, member, err);
    case TEXT:
        *(const char **)member = value;
        return 0;
    case WHEN:
        return parse_when(row->name, value, member, err);
    case APPLY:
        return row->apply(o, value, err);
    }
    return 0;
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
int option_knob_apply(struct options *o, enum knob knob, const char *value, struct err *err)
{
    o->knobs[knob].n = 0;
    o->knobs[knob].given = true;
    struct knob_target target = {knob, &o->knobs[knob]};
    return each_element(knob_info[knob].option, value, add_knob_value, &target, err);
}
