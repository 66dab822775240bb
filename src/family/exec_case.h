/* Commands of the user's as cases of a run. */
#ifndef IOBENCH_FAMILY_EXEC_CASE_H
#define IOBENCH_FAMILY_EXEC_CASE_H

#include "family/request.h"
#include "measure/run.h"

/* What the cases need while they run. Zero it before use. */
struct exec_plan {
    struct exec_work *works; /* one a case */
    size_t n;
};

/* How many cases the request's commands make: one each, or one for each block size. */
size_t exec_count_cases(const struct request *request);

/* Fails when --exec-verify names a command that is not there. */
int exec_check_request(const struct request *request, struct err *err) MUST_CHECK;

/* Adds them behind the cases that are there; run->cases must have room. reference, unless NULL,
 * digests what their output must equal where that is asked for. */
int exec_add_cases(struct exec_plan *plan, const struct request *request,
                   const struct exec_target *target, const char *command_name,
                   const struct part *reference, struct run *run, struct err *err) MUST_CHECK;

void exec_plan_free(struct exec_plan *plan);

#endif
