/* A file strategy as a part of a trial. */
#ifndef IOBENCH_FAMILY_FILE_PART_H
#define IOBENCH_FAMILY_FILE_PART_H

#include "base/source.h"
#include "measure/part.h"
#include "strategy/strategy.h"

/* The part's arg; constant. */
struct file_work {
    const struct strategy *strategy;
    struct params params;
    const struct source *source;
};

struct part file_part(const struct file_work *work);

#endif
