/* Which strategy is the fastest, by number of handles and by how many of them are active. */
#ifndef IOBENCH_REPORT_CROSSOVER_H
#define IOBENCH_REPORT_CROSSOVER_H

#include "measure/run.h"

#include <stdio.h>

/* Were both, or one of them, swept over several values? */
bool crossover_wanted(const struct run *run);

/* One line for each number of handles, one cell for each share of active ones: the fastest
 * strategy there, or those that were not told apart from it. */
int crossover_print(const struct run *run, FILE *out, struct err *err) MUST_CHECK;

#endif
