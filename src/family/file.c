#include "config.h"

#include "family/file.h"

#include "family/case_id.h"
#include "family/file_part.h"
#include "strategy/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_STDIO_EXT_H
#include <stdio_ext.h>
#endif

/* More make no readable table and no balanced order worth waiting for. */
enum { MOST_CASES = 1000 };

struct choice {
    const struct strategy *strategy;
    bool named;
};

struct file_plan {
    struct file_work *works; /* two a case: timed and verify; the last one is the reference */
    struct exec_work *execs;
    size_t n_execs;
};

static bool is_chosen(const struct choice *choices, size_t n, const struct strategy *strategy)
{
    for (size_t i = 0; i < n; i++)
        if (choices[i].strategy == strategy)
            return true;
    return false;
}

/* The strategies of the request in order. A group adds what is not there yet; a name always adds,
 * so that a case can be compared with itself. choices holds n_modes + strategy_count(). */
static int choose(const struct request *request, struct choice *choices, size_t *n, struct err *err)
{
    *n = 0;
    for (size_t i = 0; i < request->n_modes; i++) {
        const char *mode = request->modes[i];
        const struct strategy *named = strategy_find(FAMILY_FILE, mode);
        unsigned group = strategy_group(mode);
        if (named == NULL && group == 0)
            return err_set(err, 0, "no strategy or group is called '%s': see 'iobench list file'",
                           mode);
        if (named != NULL)
            choices[(*n)++] = (struct choice){named, request->modes_given};
        for (size_t s = 0; named == NULL && s < strategy_count(); s++) {
            const struct strategy *member = strategy_at(s);
            bool fits = member->family == FAMILY_FILE && (group == ~0u || member->groups & group);
            if (fits && !is_chosen(choices, *n, member))
                choices[(*n)++] = (struct choice){member, false};
        }
    }
    return 0;
}

static struct choice *new_choices(const struct request *request, size_t *n, struct err *err)
{
    struct choice *choices = calloc(request->n_modes + strategy_count(), sizeof *choices);
    if (choices == NULL)
        err_set(err, errno, "cannot plan %zu modes", request->n_modes);
    else if (choose(request, choices, n, err) != 0) {
        free(choices);
        choices = NULL;
    }
    return choices;
}

static unsigned knobs_of(const struct choice *choice)
{
    return choice->strategy->knobs | FILE_KNOBS;
}

int file_check_request(const struct request *request, struct err *err)
{
    size_t n;
    struct choice *choices = new_choices(request, &n, err);
    if (choices == NULL)
        return -1;
    unsigned known = 0;
    for (size_t i = 0; i < n; i++)
        known |= knobs_of(&choices[i]);
    free(choices);
    for (int k = 0; k < KNOBS; k++)
        if (request->knobs[k].given && !(known & KNOB_BIT(k)))
            return err_set(err, 0, "--%s has no effect: no chosen strategy has one",
                           knob_info[k].option);
    return 0;
}

/* Fails with the reason when this case cannot be measured on file. */
static int check_readable(const struct strategy *strategy, const struct params *params,
                          const struct source_file *file, struct err *why)
{
    unsigned needs = strategy->needs;
    if (needs & NEED_SEEK && file->once)
        return err_set(why, 0, "'%s' is a %s: it has no position to read at", file->path,
                       file->filesystem);
    if (needs & NEED_MAP && file->volatile_size)
        return err_set(why, 0, "'%s' cannot be mapped: a file on %s does not tell its size",
                       file->path, file->filesystem);
    if (needs & NEED_MAP && !file->regular && !file->endless)
        return err_set(why, 0, "'%s' is a %s: it cannot be mapped", file->path, file->filesystem);
    if (needs & NEED_END && file->endless)
        return err_set(why, 0, "'%s' has no end, and %s keeps a whole line in memory", file->path,
                       strategy->name);
    if (params->value[KNOB_THREADS] > 1 && file->size_bytes == UNKNOWN)
        return err_set(why, 0, "'%s' cannot be split between threads: its size is not known",
                       file->path);
    return 0;
}

static void check_usable(struct run_case *c, const struct strategy *strategy,
                         const struct params *params, const struct source *source)
{
    struct err why = {0};
    if (strategy->probe != NULL && strategy->probe(&why) != 0) {
        run_case_end(c, CASE_SKIPPED, "unavailable", "%s", why.text);
        return;
    }
    if (strategy->needs & NEED_TOUCH && params->value[KNOB_CONSUME] == CONSUME_NONE) {
        run_case_end(c, CASE_SKIPPED, "consume",
                     "%s moves no byte that is not looked at: --consume=none leaves nothing to do",
                     strategy->name);
        return;
    }
    for (size_t i = 0; i < source->n; i++)
        if (check_readable(strategy, params, &source->files[i], &why) != 0)
            run_case_end(c, CASE_SKIPPED, "source", "%s", why.text);
}

/* The buffer that the C library gives a stream on this file when nothing is said. */
static uint64_t library_buffer(const struct source *source)
{
    uint64_t size = PARAM_NONE;
#ifdef HAVE___FBUFSIZE
    FILE *stream = source->n > 0 && !source->files[0].once ? fopen(source->files[0].open_path, "re")
                                                            : NULL;
    if (stream != NULL) {
        (void)getc(stream);
        size = __fbufsize(stream);
        fclose(stream);
    }
#else
    (void)source;
#endif
    return size;
}

/* Steps through all combinations of the swept knobs, the last one fastest. False after the last. */
static bool next_combination(const struct request *request, unsigned knobs, size_t at[KNOBS])
{
    for (int k = KNOBS - 1; k >= 0; k--) {
        if (!(knobs & KNOB_BIT(k)))
            continue;
        if (++at[k] < request->knobs[k].n)
            return true;
        at[k] = 0;
    }
    return false;
}

static size_t count_execs(const struct request *request)
{
    size_t cases = 0;
    for (size_t i = 0; i < request->n_execs; i++)
        cases += exec_takes_block_size(request->execs[i]) ? request->knobs[KNOB_BLOCK_SIZE].n : 1;
    return cases;
}

static size_t count_cases(const struct request *request, const struct choice *choices, size_t n)
{
    size_t cases = count_execs(request);
    for (size_t i = 0; i < n; i++) {
        size_t combinations = 1;
        for (int k = 0; k < KNOBS; k++)
            if (knobs_of(&choices[i]) & KNOB_BIT(k))
                combinations *= request->knobs[k].n;
        cases += combinations;
        if (cases > MOST_CASES)
            break;
    }
    return cases;
}

static int add_case(struct run *run, struct file_work *works, const struct choice *choice,
                    const struct params *params, uint64_t shown_buffer, const struct source *source,
                    struct err *err)
{
    struct run_case *c = &run->cases[run->n_cases];
    const struct strategy *strategy = choice->strategy;
    *c = (struct run_case){.mode = strdup(strategy->name),
                           .caveat = strategy->caveat,
                           .kind = CASE_STRATEGY,
                           .params = *params,
                           .knobs = knobs_of(choice),
                           .named = choice->named,
                           .workers = (unsigned)params->value[KNOB_THREADS]};
    c->id = case_id("read", strategy->name, c->knobs, params);
    c->label = strdup(strategy->name);
    run->n_cases++;
    if (c->id == NULL || c->label == NULL || c->mode == NULL)
        return err_set(err, ENOMEM, "cannot plan %u cases", run->n_cases);
    if (params->value[KNOB_STDIO_BUFFER] == PARAM_NONE)
        c->params.value[KNOB_STDIO_BUFFER] = shown_buffer;

    works[0] = works[1] = (struct file_work){strategy, *params, source};
    works[1].params.value[KNOB_CONSUME] = CONSUME_DIGEST;
    c->timed = file_part(&works[0]);
    c->verify = file_part(&works[1]);
    check_usable(c, strategy, params, source);
    return 0;
}

static int add_cases(struct file_plan *plan, const struct request *request,
                     const struct choice *choices, size_t n, const struct source *source,
                     struct run *run, struct err *err)
{
    uint64_t shown_buffer = library_buffer(source);
    for (size_t i = 0; i < n; i++) {
        unsigned knobs = knobs_of(&choices[i]);
        size_t at[KNOBS] = {0};
        do {
            struct params params;
            params_init(&params);
            for (int k = 0; k < KNOBS; k++)
                if (knobs & KNOB_BIT(k))
                    params.value[k] = request->knobs[k].values[at[k]];
            if (add_case(run, &plan->works[(size_t)2 * run->n_cases], &choices[i], &params,
                         shown_buffer, source, err) != 0)
                return -1;
        } while (next_combination(request, knobs, at));
    }
    return 0;
}

static int add_exec(struct file_plan *plan, const struct request *request, const char *text,
                    uint64_t block_size, const struct source *source, struct run *run,
                    struct err *err)
{
    size_t length;
    const char *command = exec_split_name(text, &length);
    bool sized = exec_takes_block_size(command);
    struct exec_work *work = &plan->execs[plan->n_execs];
    if (exec_work_init(work, command, source, block_size, err) != 0)
        return -1;
    plan->n_execs++;
    work->inheritance = request->inheritance;
    work->output_path = request->exec_output;
    uint64_t bytes = file_pass_bytes(request, source);
    work->pass_bytes = bytes != UNKNOWN ? bytes : 0;

    struct run_case *c = &run->cases[run->n_cases];
    *c = (struct run_case){.kind = CASE_EXEC,
                           .knobs = sized ? KNOB_BIT(KNOB_BLOCK_SIZE) : 0,
                           .named = true,
                           .workers = 1};
    params_init(&c->params);
    c->params.value[KNOB_BLOCK_SIZE] = block_size;
    c->label = length > 0 ? strndup(text, length) : strdup(command);
    run->n_cases++;
    if (c->label == NULL || (c->mode = strdup(c->label)) == NULL ||
        (c->id = case_id("read", c->mode, c->knobs, &c->params)) == NULL)
        return err_set(err, ENOMEM, "cannot plan %u cases", run->n_cases);
    work->name = c->mode;
    c->timed = exec_part(work);
    return 0;
}

static int add_execs(struct file_plan *plan, const struct request *request,
                     const struct source *source, struct run *run, struct err *err)
{
    const struct knob_values *sizes = &request->knobs[KNOB_BLOCK_SIZE];
    for (size_t i = 0; i < request->n_execs; i++) {
        size_t n = exec_takes_block_size(request->execs[i]) ? sizes->n : 1;
        for (size_t j = 0; j < n; j++)
            if (add_exec(plan, request, request->execs[i], sizes->values[j], source, run, err) != 0)
                return -1;
    }
    return 0;
}

/* What verification compares with: read(2), or pread(2) when read(2) is all there is to verify. */
static void add_reference(struct file_plan *plan, const struct request *request, struct run *run,
                          const struct source *source)
{
    const struct run_case *first = &run->cases[0];
    bool lone = run->n_cases == 1 && strcmp(first->mode, "sysread") == 0;
    struct file_work *work = &plan->works[(size_t)2 * run->n_cases];
    *work = (struct file_work){strategy_find(FAMILY_FILE, lone ? "pread" : "sysread"),
                               run->cases[0].params, source};
    work->params.value[KNOB_CONSUME] = CONSUME_DIGEST;
    work->params.value[KNOB_BYTES] = request->knobs[KNOB_BYTES].values[0];
    work->params.value[KNOB_OFFSET] = request->knobs[KNOB_OFFSET].values[0];
    work->params.value[KNOB_THREADS] = 1;
    work->params.value[KNOB_BLOCK_SIZE] = knob_info[KNOB_BLOCK_SIZE].initial;
    run->reference = file_part(work);
}

struct file_plan *file_plan_cases(const struct request *request, const struct source *source,
                                  struct run *run, struct err *err)
{
    size_t n;
    struct choice *choices = new_choices(request, &n, err);
    if (choices == NULL)
        return NULL;
    size_t cases = count_cases(request, choices, n);
    struct file_plan *plan = calloc(1, sizeof *plan);
    int status = -1;
    if (cases > MOST_CASES) {
        err_set(err, 0, "that makes more than %d cases", MOST_CASES);
        goto out;
    }
    run->cases = calloc(cases, sizeof *run->cases);
    if (plan != NULL)
        plan->works = calloc(2 * cases + 1, sizeof *plan->works);
    if (plan != NULL)
        plan->execs = calloc(count_execs(request) + 1, sizeof *plan->execs);
    if (plan == NULL || run->cases == NULL || plan->works == NULL || plan->execs == NULL) {
        err_set(err, errno, "cannot plan %zu cases", cases);
        goto out;
    }
    status = add_cases(plan, request, choices, n, source, run, err);
    if (status == 0)
        status = add_execs(plan, request, source, run, err);
    if (status == 0)
        status = case_ids_number(run, err);
    if (status == 0)
        add_reference(plan, request, run, source);
out:
    free(choices);
    if (status == 0)
        return plan;
    file_plan_free(plan);
    return NULL;
}

void file_plan_free(struct file_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->n_execs; i++)
        exec_work_free(&plan->execs[i]);
    free(plan->execs);
    free(plan->works);
    free(plan);
}

uint64_t file_pass_bytes(const struct request *request, const struct source *source)
{
    uint64_t limit = request->knobs[KNOB_BYTES].values[0];
    uint64_t offset = request->knobs[KNOB_OFFSET].values[0];
    uint64_t total = 0;
    for (size_t i = 0; i < source->n; i++) {
        const struct source_file *file = &source->files[i];
        if (file->size_bytes == UNKNOWN && (limit == PARAM_NONE || !file->endless))
            return UNKNOWN;
        uint64_t begin = offset + file->skip_bytes;
        uint64_t left = file->size_bytes == UNKNOWN ? limit
                        : file->size_bytes > begin  ? file->size_bytes - begin
                                                    : 0;
        total += left < limit ? left : limit;
    }
    return total;
}
