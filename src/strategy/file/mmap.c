/* mmap(2): the page cache itself, a page fault at a time. */
#include "config.h"

#include "strategy/file/mapped.h"

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    (void)state;
    return read_mapped(0, POSIX_MADV_NORMAL, task, tally, err);
}

const struct strategy strategy_mmap = {
    .name = "mmap",
    .summary = "mmap(2): the page cache itself, faulted in as it is touched",
    .caveat = "mmap dies on a file that is cut while it is read, and cannot read pipes or /proc.",
    .family = FAMILY_FILE,
    .groups = GROUP_MAPPED,
    .needs = NEED_SEEK | NEED_MAP | NEED_TOUCH,
    .knobs = KNOB_BIT(KNOB_PATTERN),
    .pass = pass,
};
