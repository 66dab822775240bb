/* The one list of strategies. */
#ifndef IOBENCH_STRATEGY_REGISTRY_H
#define IOBENCH_STRATEGY_REGISTRY_H

#include "strategy/strategy.h"

#include <stddef.h>

/* In the order in which they are listed; index up to strategy_count(). */
const struct strategy *strategy_at(size_t index);
size_t strategy_count(void);

/* NULL: there is none of that name in the family. */
const struct strategy *strategy_find(enum family family, const char *name);

/* Names of the groups, "all" first; NULL beyond the last. */
const char *strategy_group_name(size_t index);

/* The group's bit, 0 for an unknown name. "all" is every bit. */
unsigned strategy_group(const char *name);

#endif
