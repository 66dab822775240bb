/* --dry-run: what would be measured. */
#ifndef IOBENCH_CLI_PLAN_VIEW_H
#define IOBENCH_CLI_PLAN_VIEW_H

#include "report/report.h"

void plan_view_print(const struct settings *settings, const struct source *source,
                     const struct run *run);

#endif
