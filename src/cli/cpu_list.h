/* Lists of processors. */
#ifndef IOBENCH_CLI_CPU_LIST_H
#define IOBENCH_CLI_CPU_LIST_H

#include "base/err.h"
#include "measure/trial.h"

/* "0,2-3". Refuses processors on which this process may not run; the message lists those it may. */
int cpu_list_parse(const char *option, const char *text, struct cpus *cpus,
                   struct err *err) MUST_CHECK;

#endif
