#include "config.h"

#include "family/choice.h"

#include "family/case_id.h"
#include "strategy/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_chosen(const struct choice *choices, size_t n, const struct strategy *strategy)
{
    for (size_t i = 0; i < n; i++)
        if (choices[i].strategy == strategy)
            return true;
    return false;
}

static const char *const family_names[] = {
    [FAMILY_FILE] = "file",
    [FAMILY_STREAM] = "stream",
    [FAMILY_EVENTS] = "events",
    [FAMILY_SERVICE] = "service",
};

/* choices holds n_modes + strategy_count(). */
static int choose(enum family family, const struct request *request, struct choice *choices,
                  size_t *n, struct err *err)
{
    *n = 0;
    for (size_t i = 0; i < request->n_modes; i++) {
        const char *mode = request->modes[i];
        const struct strategy *named = strategy_find(family, mode);
        unsigned group = strategy_group(mode);
        if (named == NULL && group == 0)
            return err_set(err, 0, "no strategy or group is called '%s': see 'iobench list %s'",
                           mode, family_names[family]);
        struct err why = {0};
        bool unasked = named != NULL && !request->modes_given && named->probe != NULL;
        if (unasked && named->probe(&why) != 0)
            continue; /* of the command's own choice: where usable */
        if (named != NULL)
            choices[(*n)++] = (struct choice){named, request->modes_given};
        for (size_t s = 0; named == NULL && s < strategy_count(); s++) {
            const struct strategy *member = strategy_at(s);
            bool in = group == ~0u ? !(member->groups & GROUP_CONTROL) : member->groups & group;
            bool fits = member->family == family && in;
            if (fits && !is_chosen(choices, *n, member))
                choices[(*n)++] = (struct choice){member, false};
        }
    }
    if (*n == 0 && request->modes_given)
        return err_set(err, 0, "no strategy for %ss is in the group '%s'", family_names[family],
                       request->modes[0]);
    return 0;
}

struct choice *choices_make(enum family family, const struct request *request, size_t *n,
                            struct err *err)
{
    struct choice *choices = calloc(request->n_modes + strategy_count(), sizeof *choices);
    if (choices == NULL)
        err_set(err, errno, "cannot plan %zu modes", request->n_modes);
    else if (choose(family, request, choices, n, err) != 0) {
        free(choices);
        choices = NULL;
    }
    return choices;
}

int choices_check(enum family family, const struct request *request, knobs_function *knobs_of,
                  struct err *err)
{
    size_t n;
    struct choice *choices = choices_make(family, request, &n, err);
    if (choices == NULL)
        return -1;
    knob_set known = 0;
    for (size_t i = 0; i < request->n_execs; i++)
        known |= exec_takes_block_size(request->execs[i]) ? KNOB_BIT(KNOB_BLOCK_SIZE) : 0;
    for (size_t i = 0; i < n; i++)
        known |= knobs_of(request, choices[i].strategy);
    free(choices);
    for (int k = 0; k < KNOBS; k++)
        if (request->knobs[k].given && !(known & KNOB_BIT(k)))
            return err_set(err, 0, "--%s has no effect: no chosen strategy has one",
                           knob_info[k].option);
    return 0;
}

size_t choices_count(const struct request *request, const struct choice *choices, size_t n,
                     knobs_function *knobs_of)
{
    size_t cases = 0;
    for (size_t i = 0; i < n && cases <= MOST_CASES; i++) {
        size_t combinations = 1;
        for (int k = 0; k < KNOBS; k++)
            if (knobs_of(request, choices[i].strategy) & KNOB_BIT(k))
                combinations *= request->knobs[k].n;
        cases += combinations;
    }
    return cases;
}

void *choices_make_room(struct run *run, size_t cases, size_t size, struct err *err)
{
    if (cases > MOST_CASES) {
        err_set(err, 0, "that makes more than %d cases", MOST_CASES);
        return NULL;
    }
    run->cases = calloc(cases + 1, sizeof *run->cases);
    void *own = run->cases != NULL ? calloc(cases + 1, size) : NULL;
    if (own == NULL)
        err_set(err, errno, "cannot plan %zu cases", cases);
    return own;
}

/* Steps through all combinations, the last knob fastest; at begins as all zero. False after the
 * last. */
static bool next_combination(const struct request *request, knob_set knobs, size_t at[KNOBS])
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

int choices_each(const struct request *request, const struct choice *choices, size_t n,
                 knobs_function *knobs_of, add_function *add, void *data, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        knob_set knobs = knobs_of(request, choices[i].strategy);
        size_t at[KNOBS] = {0};
        do {
            struct params params;
            params_init(&params);
            for (int k = 0; k < KNOBS; k++)
                if (knobs & KNOB_BIT(k))
                    params.value[k] = request->knobs[k].values[at[k]];
            if (add(data, &choices[i], &params, at, err) != 0)
                return -1;
        } while (next_combination(request, knobs, at));
    }
    return 0;
}

struct run_case *choice_add_case(struct run *run, const char *command, const struct choice *choice,
                                 const struct params *params, knob_set knobs, struct err *err)
{
    const struct strategy *strategy = choice->strategy;
    struct run_case *c = &run->cases[run->n_cases++];
    *c = (struct run_case){.id = case_id(command, strategy->name, knobs, params),
                           .label = strdup(strategy->name),
                           .mode = strdup(strategy->name),
                           .caveat = strategy->caveat,
                           .kind = CASE_STRATEGY,
                           .params = *params,
                           .knobs = knobs,
                           .named = choice->named,
                           .workers = (unsigned)params->value[KNOB_THREADS],
                           .keeps_bytes = strategy->keeps_bytes,
                           .least_trial_ns = strategy->least_trial_ns};
    if (c->id != NULL && c->label != NULL && c->mode != NULL)
        return c;
    err_set(err, ENOMEM, "cannot plan %u cases", run->n_cases);
    return NULL;
}
