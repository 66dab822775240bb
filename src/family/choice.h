/* From the modes of a request to strategies, and from its lists of values to combinations. */
#ifndef IOBENCH_FAMILY_CHOICE_H
#define IOBENCH_FAMILY_CHOICE_H

#include "family/request.h"
#include "measure/run.h"
#include "strategy/strategy.h"

/* More make no readable table and no balanced order worth waiting for. */
enum { MOST_CASES = 1000 };

struct choice {
    const struct strategy *strategy;
    bool named; /* by the user, and not as one of a group */
};

/* The knobs that a strategy has in this request. */
typedef knob_set knobs_function(const struct request *request, const struct strategy *strategy);

/* The strategies of the request in order. A group adds what is not there yet; a name always adds,
 * so that a case can be compared with itself. The caller frees them; NULL on failure. */
struct choice *choices_make(enum family family, const struct request *request, size_t *n,
                            struct err *err);

/* Fails for names that are not known, and for given knobs that nothing chosen has. */
int choices_check(enum family family, const struct request *request, knobs_function *knobs_of,
                  struct err *err) MUST_CHECK;

/* How many cases they make, all combinations of values counted; a large number stands for more. */
size_t choices_count(const struct request *request, const struct choice *choices, size_t n,
                     knobs_function *knobs_of);

/* Makes room for so many cases in the run, and for as many of the family's own of that size,
 * zeroed, which is the caller's to free. NULL on failure, and where they are more than MOST_CASES.
 */
void *choices_make_room(struct run *run, size_t cases, size_t size, struct err *err);

/* What a family does with one combination; at is where its values stand in the lists. */
typedef int add_function(void *data, const struct choice *choice, const struct params *params,
                         const size_t at[KNOBS], struct err *err);

/* Calls add for every choice with every combination of the swept knobs, the last one fastest. */
int choices_each(const struct request *request, const struct choice *choices, size_t n,
                 knobs_function *knobs_of, add_function *add, void *data,
                 struct err *err) MUST_CHECK;

/* Adds a case of a strategy to the run, which has room for it: its id under command, its labels and
 * what the strategy says of itself. NULL on failure. */
struct run_case *choice_add_case(struct run *run, const char *command, const struct choice *choice,
                                 const struct params *params, knob_set knobs, struct err *err);

#endif
