/* Option names are taken whole or not at all: getopt_long would accept abbreviations, and a new
 * option would then break scripts. */
#ifndef IOBENCH_CLI_OPTION_NAMES_H
#define IOBENCH_CLI_OPTION_NAMES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct option_name {
    const char *letters; /* one letter, or NULL */
    const char *name;
    bool has_value;
};

/* Looks at the options as getopt_long will see them and fails for the first that is not known, with
 * a hint where users of other tools try that word, or where a name comes close. */
int option_names_check(int argc, char **argv, const struct option_name *names, size_t n,
                       struct err *err) MUST_CHECK;

/* The name closest to word, or NULL when none is close enough to be meant. */
const char *option_names_closest(const char *word, const char *const *names, size_t n);

#endif
