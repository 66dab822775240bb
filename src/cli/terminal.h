/* What the terminal, if there is one, can show. */
#ifndef IOBENCH_CLI_TERMINAL_H
#define IOBENCH_CLI_TERMINAL_H

#include "cli/options.h"

void terminal_style(const struct options *options, struct text_style *style);
bool terminal_wants_progress(const struct options *options);

#endif
