#include "config.h"

#include "family/exec_case.h"

#include "base/tally.h"
#include "family/case_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t exec_count_cases(const struct request *request)
{
    size_t n = 0;
    for (size_t i = 0; i < request->n_execs; i++)
        n += exec_takes_block_size(request->execs[i]) ? request->knobs[KNOB_BLOCK_SIZE].n : 1;
    return n * request->knobs[KNOB_CACHE].n;
}

static bool is_verified(const struct request *request, const struct run_case *c)
{
    for (size_t i = 0; i < request->n_exec_verify; i++)
        if (strcmp(request->exec_verify[i], c->mode) == 0)
            return true;
    return false;
}

static int add_case(struct exec_plan *plan, const struct request *request, const char *text,
                    const struct params *params, const struct exec_target *target,
                    const char *command_name, const struct part *reference, struct run *run,
                    struct err *err)
{
    size_t length;
    const char *command = exec_split_name(text, &length);
    bool sized = exec_takes_block_size(command);
    struct exec_work *work = &plan->works[plan->n];
    if (exec_work_init(work, command, target, params->value[KNOB_BLOCK_SIZE], err) != 0)
        return -1;
    plan->n++;
    work->inheritance = request->inheritance;
    work->output_path = request->exec_output;
    work->source = target->source;
    work->cache = (enum cache)params->value[KNOB_CACHE];
    work->keep_warm = request->knobs[KNOB_CACHE].n > 1;
    work->pass_bytes = target->pass_bytes != UNKNOWN ? target->pass_bytes : 0;

    struct run_case *c = &run->cases[run->n_cases];
    *c = (struct run_case){.kind = CASE_EXEC,
                           .params = *params,
                           .knobs = target->knobs | (sized ? KNOB_BIT(KNOB_BLOCK_SIZE) : 0),
                           .named = true,
                           .workers = 1,
                           .single_pass = true};
    c->label = length > 0 ? strndup(text, length) : strdup(command);
    run->n_cases++;
    if (c->label == NULL || (c->mode = strdup(c->label)) == NULL ||
        (c->id = case_id(command_name, c->mode, c->knobs, &c->params)) == NULL)
        return err_set(err, ENOMEM, "cannot plan %u cases", run->n_cases);
    work->name = c->mode;
    c->timed = exec_part(work);
    c->reference_key = UINT64_MAX; /* the whole file, whatever the others read of it */
    if (reference != NULL && is_verified(request, c) && params->value[KNOB_CACHE] != CACHE_AS_IS) {
        c->verify = exec_verify_part(work);
        c->reference = *reference;
    }
    return 0;
}

int exec_check_request(const struct request *request, struct err *err)
{
    for (size_t i = 0; i < request->n_exec_verify; i++) {
        bool found = false;
        for (size_t j = 0; j < request->n_execs; j++) {
            size_t length;
            const char *command = exec_split_name(request->execs[j], &length);
            const char *name = length > 0 ? request->execs[j] : command;
            size_t name_length = length > 0 ? length : strlen(command);
            found |= strlen(request->exec_verify[i]) == name_length &&
                     strncmp(request->exec_verify[i], name, name_length) == 0;
        }
        if (!found)
            return err_set(err, 0, "--exec-verify: no --exec is called '%s'",
                           request->exec_verify[i]);
    }
    return 0;
}

int exec_add_cases(struct exec_plan *plan, const struct request *request,
                   const struct exec_target *target, const char *command_name,
                   const struct part *reference, struct run *run, struct err *err)
{
    const struct knob_values *sizes = &request->knobs[KNOB_BLOCK_SIZE];
    const struct knob_values *caches = &request->knobs[KNOB_CACHE];
    plan->works = calloc(exec_count_cases(request) + 1, sizeof *plan->works);
    if (plan->works == NULL)
        return err_set(err, errno, "cannot plan the commands");
    for (size_t i = 0; i < request->n_execs; i++) {
        size_t n = exec_takes_block_size(request->execs[i]) ? sizes->n : 1;
        for (size_t j = 0; j < n * caches->n; j++) {
            struct params params;
            params_init(&params);
            params.value[KNOB_BLOCK_SIZE] = sizes->values[j / caches->n];
            params.value[KNOB_CACHE] = caches->values[j % caches->n];
            if (add_case(plan, request, request->execs[i], &params, target, command_name, reference,
                         run, err) != 0)
                return -1;
        }
    }
    return 0;
}

void exec_plan_free(struct exec_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        exec_work_free(&plan->works[i]);
    free(plan->works);
    *plan = (struct exec_plan){0};
}
