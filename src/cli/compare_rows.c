#include "config.h"

#include "cli/compare_rows.h"

#include "base/units.h"
#include "cli/option_rows.h"
#include "report/export.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int apply_base(struct options *o, const char *value, struct err *err)
{
    return text_list_add(&o->base, value, err);
}

static int apply_new(struct options *o, const char *value, struct err *err)
{
    return text_list_add(&o->fresh, value, err);
}

static int apply_run_noise(struct options *o, const char *value, struct err *err)
{
    struct err why = {0};
    o->run_noise = NAN;
    o->calibration = NULL;
    /* what begins like a number is meant as one; a file of such a name is ./5 */
    if (strchr("0123456789.+-", value[0]) == NULL || strncmp(value, "./", 2) == 0 ||
        strncmp(value, "../", 3) == 0) {
        o->calibration = value;
        return 0;
    }
    if (units_parse_percent(value, &o->run_noise, &why) != 0)
        return err_set(err, 0, "--run-noise: %s", why.text);
    if (o->run_noise > 10)
        return err_set(err, 0, "--run-noise: '%s' is out of range", value);
    return 0;
}

static int add_metric(struct options *o, const char *name, size_t length, struct err *err)
{
    enum compared metric = compared_find(name, length);
    char known[128] = "";
    if (metric < COMPARED_METRICS) {
        o->judged |= 1u << metric;
        return 0;
    }
    for (size_t m = 0, n = 0; m < COMPARED_METRICS && n < sizeof known; m++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s, ", compared_info[m].name);
    return err_set(err, 0, "--metric: '%.*s' is none of %sall", (int)length, name, known);
}

static int apply_metric(struct options *o, const char *value, struct err *err)
{
    o->judged = 0;
    if (strcmp(value, "all") == 0) {
        o->judged = (1u << COMPARED_METRICS) - 1;
        return 0;
    }
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        if (add_metric(o, at, length, err) != 0)
            return -1;
        at += length;
        if (*at == '\0')
            return 0;
    }
}

static int apply_export(struct options *o, const char *value, struct err *err)
{
    struct err why = {0};
    if (export_kind_of_comparison(value, &why) == NULL)
        return err_set(err, 0, "--export: %s", why.text);
    return text_list_add(&o->exports, value, err);
}

#define AT(member) .at = offsetof(struct options, member)

const struct option_row compare_rows[OPTION_ROWS] = {
    {NULL, "base", "FILE...", "recorded runs of the one side, instead of BASE", APPLY,
     .apply = apply_base},
    {NULL, "new", "FILE...", "recorded runs of the other side, instead of NEW", APPLY,
     .apply = apply_new},
    {NULL, "relative-to", "CASE", "the control that ratios are against (the baseline of BASE)",
     TEXT, AT(relative_to)},
    {NULL, "absolute", NULL, "compare the figures themselves, not ratios to a control", FLAG,
     AT(absolute)},
    {NULL, "metric", "LIST",
     "what is judged: time, cpu, memory, events, requests, p50, p90, p99, p999 or all (time)",
     APPLY, .apply = apply_metric},
    {NULL, "max-slowdown", "PCT",
     "what is allowed; exit 1 when a case surely got worse by more (5)", PERCENT, AT(max_slowdown),
     .most = 1000},
    {NULL, "run-noise", "PCT|FILE",
     "how much runs of the same code differ, with fewer than four a side (5; 30 for absolute "
     "figures); or a document of 'iobench calibrate' that knows",
     APPLY, .apply = apply_run_noise},
    {NULL, "force", NULL, "compare absolute figures of different machines, systems, cache states",
     FLAG, AT(force)},
    {NULL, "strict", NULL, "exit 4 when a verdict is inconclusive or a case of BASE has none", FLAG,
     AT(strict)},
    {"j", "json", NULL, "JSON on standard output instead of text", FLAG, AT(json)},
    {"e", "export", "FILE",
     "also write FILE, by its ending: .json .csv .md .prom .dat .bmf.json .gha-smaller.json", APPLY,
     .apply = apply_export},
    {"q", "quiet", NULL, "no warnings", FLAG, AT(quiet)},
    {"v", "verbose", NULL, "also the figures that are not judged", FLAG, AT(verbose)},
    {NULL, "color", "WHEN", "auto, always or never; NO_COLOR is obeyed", WHEN, AT(color)},
    {"h", "help", NULL, "show this", FLAG, AT(help)},
    {NULL, "version", NULL, "show the version and what is built in", FLAG, AT(version)},
};

/* Does this word take the next one as its value? */
static bool takes_next(const char *word)
{
    for (const struct option_row *row = compare_rows; row->name != NULL; row++) {
        if (row->datatype == NULL)
            continue;
        if (word[1] == '-' && strcmp(word + 2, row->name) == 0)
            return true;
        if (word[1] != '-' && row->letters != NULL && word[strlen(word) - 1] == row->letters[0])
            return true;
    }
    return false;
}

/* "base" or "new" for the options of that name, NULL for all others. */
static const char *side_of(const char *word)
{
    for (size_t i = 0; i < 2; i++) {
        const char *name = compare_rows[i].name;
        size_t length = strlen(name);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length) == 0 &&
            (word[2 + length] == '\0' || word[2 + length] == '='))
            return name;
    }
    return NULL;
}

int compare_rows_expand(int *argc, char **argv, char ***expanded, struct err *err)
{
    char **words = calloc((size_t)*argc + 1, sizeof *words);
    const char *side = NULL;
    bool options = true, is_value = false;
    int n = 0;
    *expanded = words;
    for (int i = 0; words != NULL && i < *argc; i++) {
        const char *word = argv[i];
        bool is_option = i > 0 && options && !is_value && word[0] == '-' && word[1] != '\0';
        bool ends = is_option && strcmp(word, "--") == 0;
        if (ends && side != NULL) { /* what follows goes behind a name, and needs no such mark */
            options = false;
            continue;
        }
        char *put = NULL;
        if (i == 0 || is_value || is_option || side == NULL)
            put = strdup(word);
        else if (asprintf(&put, "--%s=%s", side, word) < 0)
            put = NULL;
        if (put == NULL)
            return err_set(err, ENOMEM, "cannot read the options");
        words[n++] = put;
        options &= !ends;
        is_value = is_option && takes_next(word);
        side = is_option && side_of(word) != NULL ? side_of(word) : side;
    }
    *argc = n;
    return words != NULL ? 0 : err_set(err, ENOMEM, "cannot read the options");
}

void compare_rows_free(char **expanded)
{
    for (char **word = expanded; word != NULL && *word != NULL; word++)
        free(*word);
    free(expanded);
}
