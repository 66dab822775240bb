/* The line on a terminal's standard error while a run goes on. */
#ifndef IOBENCH_CLI_PROGRESS_H
#define IOBENCH_CLI_PROGRESS_H

#include "measure/runner.h"

#include <stdbool.h>

struct progress_line {
    bool shown;
    uint64_t drawn_ns; /* when it was drawn last */
};

/* A runner's on_progress; data is a struct progress_line. */
void progress_draw(void *data, const struct progress *progress);

void progress_clear(struct progress_line *line);

#endif
