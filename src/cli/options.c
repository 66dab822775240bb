#include "config.h"

#include "cli/options.h"

#include "base/tally.h"
#include "cli/command.h"
#include "cli/option_names.h"
#include "cli/option_rows.h"

#include <argtable2.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* How often an option may stand on one command line. */
enum { MOST_REPEATS = 200 };

enum { MOST_ENTRIES = OPTION_ROWS + KNOBS + 2 };

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

static const struct option_row *rows_of(unsigned set)
{
    if (set & OPTIONS_CALIBRATE)
        return calibrate_rows;
    return set & OPTIONS_COMPARE ? compare_rows : option_rows;
}

static int build(struct arguments *a, unsigned set, knob_set knobs, int most_files, struct err *err)
{
    *a = (struct arguments){0};
    for (const struct option_row *row = rows_of(set); row->name != NULL; row++) {
        for (int k = 0; k < KNOBS && row->before_knobs; k++)
            if (knobs & KNOB_BIT(k))
                add_argument(a, knob_info[k].letters, knob_info[k].option, knob_info[k].datatype,
                             knob_info[k].help, (struct entry){NULL, (enum knob)k});
        if (row->only != 0 && !(row->only & set))
            continue;
        add_argument(a, row->letters, row->name, row->datatype, row->help, (struct entry){row, 0});
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

static int apply_entry(struct options *o, const struct arguments *a, size_t i, struct err *err)
{
    const struct entry *entry = &a->entries[i];
    if (entry->row != NULL && entry->row->datatype == NULL) {
        const struct arg_lit *flag = a->table[i];
        return flag->count > 0 ? option_row_apply(o, entry->row, NULL, err) : 0;
    }
    const struct arg_str *option = a->table[i];
    for (int j = 0; j < option->count; j++) {
        int status = entry->row != NULL ? option_row_apply(o, entry->row, option->sval[j], err)
                                        : option_knob_apply(o, entry->knob, option->sval[j], err);
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
                          .run_noise = NAN,
                          .exec_output = "/dev/null",
                          .time_limit_ns = UNKNOWN,
                          .duration_ns = UNKNOWN,
                          .trial_time_ns = UNKNOWN,
                          .timeout_ns = UNKNOWN,
                          .ramp_ns = UNKNOWN,
                          .interval_ns = UNKNOWN,
                          .warmup = 1,
                          .seed = UNKNOWN};
    for (int k = 0; k < KNOBS; k++) {
        o->knobs[k].values = malloc(sizeof *o->knobs[k].values);
        if (o->knobs[k].values == NULL)
            return err_set(err, errno, "cannot read the options");
        o->knobs[k].values[0] = knob_info[k].initial;
        o->knobs[k].n = 1;
    }
    return 0;
}

int options_parse(int argc, char **argv, unsigned set, knob_set knobs, struct options *options,
                  struct err *err)
{
    struct arguments a;
    int status = -1;
    if (set_defaults(options, err) != 0)
        return -1;
    if (build(&a, set, knobs, argc, err) != 0)
        goto out;
    if (option_names_check(argc, argv, a.names, a.n, err) != 0)
        goto out;
    int wrong = arg_parse(argc, argv, a.table);
    for (size_t i = 0; i < a.n; i++) /* help is given whatever else is wrong */
        if (a.entries[i].row != NULL && a.entries[i].row->at == offsetof(struct options, help) &&
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
        status = text_list_add(&options->files, a.files->filename[i], err);
out:
    discard(&a);
    return status;
}

static void free_copies(struct text_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free((void *)(uintptr_t)list->items[i]);
    free(list->items);
}

void options_free(struct options *options)
{
    free_copies(&options->modes);
    free_copies(&options->exec_verify);
    free(options->files.items);
    free(options->exports.items);
    free(options->base.items);
    free(options->fresh.items);
    free(options->execs.items);
    free(options->cpus);
    free(options->peer_cpus);
    free(options->connect);
    free(options->listen);
    for (int k = 0; k < KNOBS; k++)
        free(options->knobs[k].values);
    for (size_t i = 0; i < options->n_labels; i++)
        free((void *)(uintptr_t)options->labels[i].key);
    free(options->labels);
}

/* "  -m, --mode=LIST" and the help beside it, wrapped between words. */
static void print_option(const char *letters, const char *name, const char *datatype,
                         const char *help, FILE *out)
{
    enum { HELP_COLUMN = 26, WIDTH = 80 };
    int column = fprintf(out, letters != NULL ? "  -%s, --%s" : "  %s    --%s",
                         letters != NULL ? letters : "", name);
    if (datatype != NULL)
        column += fprintf(out, "=%s", datatype);
    for (const char *word = help; *word != '\0';) {
        int length = (int)strcspn(word, " ");
        if (column < HELP_COLUMN) {
            fprintf(out, "%*s", HELP_COLUMN - column, "");
            column = HELP_COLUMN;
        } else if (column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else {
            fputc(' ', out);
            column++;
        }
        column += fprintf(out, "%.*s", length, word);
        word += length;
        word += strspn(word, " ");
    }
    fputc('\n', out);
}

void options_print(unsigned set, knob_set knobs, FILE *out)
{
    for (const struct option_row *row = rows_of(set); row->name != NULL; row++) {
        for (int k = 0; k < KNOBS && row->before_knobs; k++)
            if (knobs & KNOB_BIT(k))
                print_option(knob_info[k].letters, knob_info[k].option, knob_info[k].datatype,
                             knob_info[k].help, out);
        if (row->only != 0 && !(row->only & set))
            continue;
        print_option(row->letters, row->name, row->datatype, row->help, out);
    }
}
