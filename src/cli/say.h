/* What is said to a person on the way: stderr, one line each, after "iobench: ". */
#ifndef IOBENCH_CLI_SAY_H
#define IOBENCH_CLI_SAY_H

#include "base/err.h"

void say(const char *format, ...) PRINTF_LIKE(1, 2);

/* Exit statuses, the same with and without --json. */
enum {
    EXIT_MEASURED = 0,
    EXIT_REGRESSION = 1,
    EXIT_USAGE = 2,
    EXIT_UNMEASURED = 3,
    EXIT_INCONCLUSIVE = 4,
    EXIT_SIGNAL = 128
};

#endif
