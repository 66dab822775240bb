/* mmap(2) with MADV_SEQUENTIAL: the kernel reads further ahead, and drops what was read sooner. */
#include "config.h"

#include "strategy/file/mapped.h"

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    (void)state;
    return read_mapped(0, POSIX_MADV_SEQUENTIAL, task, tally, err);
}

const struct strategy strategy_mmap_sequential = {
    .name = "mmap-sequential",
    .summary = "mmap(2) with MADV_SEQUENTIAL: read further ahead",
    .caveat = "mmap-sequential dies on a file that is cut while it is read, and cannot read pipes "
              "or /proc.",
    .family = FAMILY_FILE,
    .groups = GROUP_MAPPED,
    .needs = NEED_SEEK | NEED_MAP | NEED_TOUCH,
    .pass = pass,
};
