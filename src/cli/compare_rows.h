/* What compare's command line has of its own: several documents behind one option. */
#ifndef IOBENCH_CLI_COMPARE_ROWS_H
#define IOBENCH_CLI_COMPARE_ROWS_H

#include "base/err.h"

/* Turns "--base a.json b.json --new c.json" into "--base=a.json --base=b.json --new=c.json": a word
 * that is neither an option nor the value of one goes to the side that was named last. Returns
 * the words in *expanded, *argc of them and a NULL, to be freed with compare_rows_free; -1 when out
 * of memory. */
int compare_rows_expand(int *argc, char **argv, char ***expanded, struct err *err) MUST_CHECK;
void compare_rows_free(char **expanded);

#endif
