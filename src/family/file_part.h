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
    uint64_t seed;  /* of a random pattern */
    bool keep_warm; /* other cases make the file cold: a warm one must look */
};

/* The task of a single worker for one file of the source. */
struct task file_task(const struct file_work *work, const struct source_file *file);

/* Makes the page cache what the case asks for; for file_part and for commands over the same files.
 */
int file_prepare_cache(enum cache cache, bool keep_warm, const struct source *source,
                       struct err *err) MUST_CHECK;

struct part file_part(const struct file_work *work);

#endif
