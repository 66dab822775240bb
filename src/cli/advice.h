/* Looks at a finished run for what its reader should know, and says what to do about it. */
#ifndef IOBENCH_CLI_ADVICE_H
#define IOBENCH_CLI_ADVICE_H

#include "report/report.h"

/* Adds to the run's warnings and errors. */
void advice_add(const struct report *report, struct run *run);

#endif
