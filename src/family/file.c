#include "config.h"

#include "family/file.h"

#include "family/case_id.h"
#include "family/choice.h"
#include "family/exec_case.h"
#include "family/file_part.h"
#include "family/file_suits.h"
#include "strategy/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_STDIO_EXT_H
#include <stdio_ext.h>
#endif

/* Timed, verify and reference. */
enum { WORKS_PER_CASE = 3 };

struct file_plan {
    struct file_work *works; /* WORKS_PER_CASE a case */
    struct source *views;    /* with --sizes: the one file of each size; they own nothing */
    struct exec_plan exec;
    struct file_work whole; /* what the output of a command is compared with */
};

/* A mapping has blocks only where it is not walked through in sequence. */
static knob_set knobs_of(const struct request *request, const struct strategy *strategy)
{
    const struct knob_values *patterns = &request->knobs[KNOB_PATTERN];
    bool only_sequential = patterns->n == 1 && patterns->values[0] == PATTERN_SEQUENTIAL;
    knob_set knobs = strategy->knobs | FILE_KNOBS;
    if (strategy->keeps_bytes)
        knobs &= ~KNOB_BIT(KNOB_CONSUME);
    if (knobs & KNOB_BIT(KNOB_PATTERN) && !only_sequential)
        knobs |= KNOB_BIT(KNOB_BLOCK_SIZE);
    return knobs;
}

int file_check_request(const struct request *request, struct err *err)
{
    if (choices_check(FAMILY_FILE, request, knobs_of, err) != 0)
        return -1;
    return exec_check_request(request, err);
}

/* The buffer that the C library gives a stream on this file when nothing is said. */
static uint64_t library_buffer(const struct source *source)
{
    uint64_t size = PARAM_NONE;
#ifdef HAVE___FBUFSIZE
    FILE *stream =
        source->n > 0 && !source->files[0].once ? fopen(source->files[0].open_path, "re") : NULL;
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

/* What verification compares with: read(2), or pread(2) when read(2) is what is verified; in any
 * other order of blocks, pread(2) in the same order. */
static void make_reference(const struct file_work *verify, struct file_work *reference)
{
    bool sequential = verify->params.value[KNOB_PATTERN] == PATTERN_SEQUENTIAL;
    bool by_read = sequential && strcmp(verify->strategy->name, "sysread") != 0;
    *reference = *verify;
    reference->strategy = strategy_find(FAMILY_FILE, by_read ? "sysread" : "pread");
    reference->params.value[KNOB_ADVICE] = ADVICE_NORMAL;
    if (!sequential)
        return; /* each worker walks through its own slice */
    reference->params.value[KNOB_THREADS] = 1;
    reference->params.value[KNOB_BLOCK_SIZE] = knob_info[KNOB_BLOCK_SIZE].initial;
}

static void set_parts(struct run_case *c, struct file_work works[WORKS_PER_CASE])
{
    const struct file_work *timed = &works[0];
    works[1] = *timed;
    works[1].params.value[KNOB_CONSUME] = CONSUME_DIGEST;
    works[1].params.value[KNOB_CACHE] = CACHE_AS_IS; /* what was proved cold is read only once */
    make_reference(&works[1], &works[2]);
    c->timed = file_part(timed);
    if (!timed->strategy->keeps_bytes && timed->params.value[KNOB_CACHE] != CACHE_AS_IS) {
        c->verify = file_part(&works[1]);
        c->reference = file_part(&works[2]);
        c->reference_workers = (unsigned)works[2].params.value[KNOB_THREADS];
        uint64_t pattern = timed->params.value[KNOB_PATTERN];
        if (pattern != PATTERN_SEQUENTIAL)
            c->reference_key = pattern << 40 ^ timed->params.value[KNOB_BLOCK_SIZE] ^
                               timed->params.value[KNOB_THREADS] << 20;
        c->reference_key ^= (uint64_t)(uintptr_t)timed->source;
    }
    c->single_pass = timed->params.value[KNOB_CACHE] != CACHE_WARM;
    c->least_trial_ns = timed->strategy->least_trial_ns;
}

/* Where the cases go, and what they read. */
struct planning {
    struct file_plan *plan;
    const struct request *request;
    const struct source *source;
    struct run *run;
    uint64_t shown_buffer;
};

static int add_case(void *data, const struct choice *choice, const struct params *params,
                    const size_t at[KNOBS], struct err *err)
{
    const struct planning *planning = data;
    const struct file_plan *plan = planning->plan;
    const struct request *request = planning->request;
    struct run *run = planning->run;
    struct file_work *works = &plan->works[(size_t)WORKS_PER_CASE * run->n_cases];
    const struct source *source =
        plan->views != NULL ? &plan->views[at[KNOB_SIZE]] : planning->source;
    const struct strategy *strategy = choice->strategy;
    struct run_case *c =
        choice_add_case(run, "read", choice, params, knobs_of(request, strategy), err);
    if (c == NULL)
        return -1;
    if (strategy->keeps_bytes) { /* the key is there, and null */
        c->knobs |= KNOB_BIT(KNOB_CONSUME);
        c->params.value[KNOB_CONSUME] = PARAM_NONE;
    }
    if (params->value[KNOB_STDIO_BUFFER] == PARAM_NONE)
        c->params.value[KNOB_STDIO_BUFFER] = planning->shown_buffer;
    if (request->latency && strategy->times_calls &&
        run_add_histogram(&c->histogram[OF_LATENCY], err) != 0)
        return -1;
    works[0] = (struct file_work){.strategy = strategy,
                                  .params = *params,
                                  .source = source,
                                  .seed = request->seed,
                                  .keep_warm = request->knobs[KNOB_CACHE].n > 1};
    set_parts(c, works);
    file_check_suits(c, &works[0], request);
    return 0;
}

static int add_execs(struct file_plan *plan, const struct request *request,
                     const struct source *source, struct run *run, struct err *err)
{
    struct exec_target target = {.source = source, .knobs = KNOB_BIT(KNOB_CACHE)};
    plan->whole =
        (struct file_work){.strategy = strategy_find(FAMILY_FILE, "sysread"), .source = source};
    params_init(&plan->whole.params);
    plan->whole.params.value[KNOB_CONSUME] = CONSUME_DIGEST;
    struct part reference = file_part(&plan->whole);
    target.pass_bytes = file_pass_bytes(request, source);
    return exec_add_cases(&plan->exec, request, &target, "read", &reference, run, err);
}

static int make_views(struct file_plan *plan, const struct source *source, struct err *err)
{
    plan->views = calloc(source->n + 1, sizeof *plan->views);
    if (plan->views == NULL)
        return err_set(err, errno, "cannot plan %zu sizes", source->n);
    for (size_t i = 0; i < source->n; i++)
        plan->views[i] = (struct source){.files = &source->files[i], .n = 1, .made = true};
    return 0;
}

struct file_plan *file_plan_cases(const struct request *request, const struct source *source,
                                  struct run *run, struct err *err)
{
    size_t n;
    struct choice *choices = choices_make(FAMILY_FILE, request, &n, err);
    if (choices == NULL)
        return NULL;
    size_t cases = choices_count(request, choices, n, knobs_of) + exec_count_cases(request);
    struct file_plan *plan = calloc(1, sizeof *plan);
    int status = -1;
    if (plan == NULL)
        err_set(err, errno, "cannot plan %zu cases", cases);
    else
        plan->works = choices_make_room(run, cases, WORKS_PER_CASE * sizeof *plan->works, err);
    if (plan == NULL || plan->works == NULL)
        goto out;
    if (request->knobs[KNOB_SIZE].given && make_views(plan, source, err) != 0)
        goto out;
    struct planning planning = {plan, request, source, run, library_buffer(source)};
    status = choices_each(request, choices, n, knobs_of, add_case, &planning, err);
    if (status == 0)
        status = add_execs(plan, request, source, run, err);
    if (status == 0)
        status = case_ids_number(run, err);
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
    exec_plan_free(&plan->exec);
    free(plan->works);
    free(plan->views);
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
