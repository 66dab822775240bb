/* mmap(2) with MAP_POPULATE: all page tables filled in one go. */
#include "config.h"

#include "strategy/file/mapped.h"

#include <sys/mman.h>

#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

static int probe(struct err *err)
{
    if (MAP_POPULATE == 0)
        return err_set(err, 0, "this system has no MAP_POPULATE");
    return 0;
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    (void)state;
    return read_mapped(MAP_POPULATE, POSIX_MADV_NORMAL, task, tally, err);
}

const struct strategy strategy_mmap_populate = {
    .name = "mmap-populate",
    .summary = "mmap(2) with MAP_POPULATE: all pages mapped at once",
    .caveat = "mmap-populate dies on a file that is cut while it is read, and cannot read pipes or "
              "/proc.",
    .family = FAMILY_FILE,
    .groups = GROUP_MAPPED,
    .needs = NEED_SEEK | NEED_MAP | NEED_TOUCH,
    .probe = probe,
    .knobs = KNOB_BIT(KNOB_PATTERN),
    .pass = pass,
};
