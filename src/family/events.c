#include "config.h"

#include "family/events.h"

#include "family/case_id.h"
#include "family/choice.h"
#include "family/events_part.h"
#include "family/resources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct events_plan {
    struct events_work *works;
    size_t n;
    struct cpus cpus[2]; /* for --place */
};

static knob_set knobs_of(const struct request *request, const struct strategy *strategy)
{
    (void)request;
    if (strategy->groups & GROUP_CONTROL)
        return KNOB_BIT(KNOB_HANDLES) | KNOB_BIT(KNOB_KIND) | KNOB_BIT(KNOB_THREADS);
    return strategy->knobs | EVENTS_KNOBS;
}

int events_check_request(const struct request *request, struct err *err)
{
    if (choices_check(FAMILY_EVENTS, request, knobs_of, err) != 0)
        return -1;
    if (request->n_execs > 0)
        return err_set(err, 0, "--exec: a command cannot be handed our handles");
    const struct knob_values *handles = &request->knobs[KNOB_HANDLES];
    const struct knob_values *kinds = &request->knobs[KNOB_KIND];
    unsigned each = 1; /* an eventfd is both its ends */
    for (size_t i = 0; i < kinds->n; i++)
        each = kinds->values[i] != HANDLE_EVENTFD ? 2 : each;
    for (size_t i = 0; i < handles->n; i++)
        if (resources_need_descriptors("handles", handles->values[i], each, err) != 0)
            return -1;
    return 0;
}

/* Marks the case as skipped, with the reason, when it cannot be measured so. */
static void check_suits(struct run_case *c, const struct strategy *strategy)
{
    const uint64_t *value = c->params.value;
    struct err why = {0};
    if (strategy->probe != NULL && strategy->probe(&why) != 0)
        run_case_end(c, CASE_SKIPPED, "unavailable", "%s", why.text);
    else if (strategy->needs & NEED_ONE_THREAD && value[KNOB_THREADS] > 1)
        run_case_end(c, CASE_SKIPPED, "threads", "%s waits in one thread", strategy->name);
    else if (strategy->needs & NEED_BOOK &&
             (value[KNOB_OUTSTANDING] == 0 ||
              value[KNOB_OUTSTANDING] * value[KNOB_HANDLES] > EXCHANGE_RING))
        run_case_end(c, CASE_SKIPPED, "outstanding",
                     "%s is told of no more than %d unread messages: see --outstanding",
                     strategy->name, EXCHANGE_RING);
    else if (strategy->needs & NEED_THREADS && value[KNOB_THREADS] == 1)
        run_case_end(c, CASE_SKIPPED, "threads", "%s is for several --threads", strategy->name);
    else if (value[KNOB_THREADS] > value[KNOB_HANDLES] || value[KNOB_WRITERS] > value[KNOB_HANDLES])
        run_case_end(c, CASE_SKIPPED, "threads", "more threads than the %" PRIu64 " handles",
                     value[KNOB_HANDLES]);
}

/* Where the cases go. */
struct planning {
    struct events_plan *plan;
    const struct request *request;
    struct run *run;
};

static int add_case(void *data, const struct choice *choice, const struct params *params,
                    const size_t at[KNOBS], struct err *err)
{
    (void)at;
    const struct planning *planning = data;
    struct events_plan *plan = planning->plan;
    const struct request *request = planning->request;
    struct run *run = planning->run;
    const struct strategy *strategy = choice->strategy;
    struct events_work *work = &plan->works[plan->n++];
    if (events_work_init(work, strategy, params, request->seed, err) != 0)
        return -1;
    bool control = (strategy->groups & GROUP_CONTROL) != 0;
    bool paced = params->value[KNOB_RATE] != PARAM_NONE;
    work->stamps = request->latency || paced;
    struct run_case *c =
        choice_add_case(run, "epoll", choice, params, knobs_of(request, strategy), err);
    if (c == NULL || run_add_histogram(&c->histogram[OF_SIZES], err) != 0)
        return -1;
    if (work->stamps && !control && run_add_histogram(&c->histogram[OF_LATENCY], err) != 0)
        return -1;
    c->timed = events_part(work);
    if (!control) /* which needs nobody to write */
        c->peer = event_writer_part(&work->writer);
    run->by_cpu |= paced; /* all take the same time then */
    c->peer_workers = (unsigned)params->value[KNOB_WRITERS];
    c->link = events_link(work);
    c->lossy = true; /* what is unread at the end stays so */
    check_suits(c, strategy);
    return resources_place(c, plan->cpus, err);
}

struct events_plan *events_plan_cases(const struct request *request, struct run *run,
                                      struct err *err)
{
    size_t n;
    struct choice *choices = choices_make(FAMILY_EVENTS, request, &n, err);
    if (choices == NULL)
        return NULL;
    size_t cases = choices_count(request, choices, n, knobs_of);
    struct events_plan *plan = calloc(1, sizeof *plan);
    struct planning planning = {plan, request, run};
    int status = -1;
    if (plan == NULL)
        err_set(err, errno, "cannot plan %zu cases", cases);
    else
        plan->works = choices_make_room(run, cases, sizeof *plan->works, err);
    if (plan == NULL || plan->works == NULL)
        goto out;
    status = choices_each(request, choices, n, knobs_of, add_case, &planning, err);
    if (status == 0)
        status = case_ids_number(run, err);
out:
    free(choices);
    if (status == 0)
        return plan;
    events_plan_free(plan);
    return NULL;
}

void events_plan_free(struct events_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->n; i++)
        events_work_free(&plan->works[i]);
    free(plan->works);
    free(plan);
}
