/* Text from outside, made fit to be shown. */
#ifndef IOBENCH_BASE_TEXT_H
#define IOBENCH_BASE_TEXT_H

#include <stddef.h>

/* Copies text into shown (of size bytes, cut between two characters if need be) with every control
 * character replaced by
 * '?': a file name must not move the cursor of a terminal. Returns shown. */
char *text_printable(const char *text, char *shown, size_t size);

/* Columns of a terminal that UTF-8 text takes: one a code point. */
size_t text_columns(const char *text);

#endif
