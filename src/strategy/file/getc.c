/* getc(3): a byte at a time through the stream's buffer and, with a second thread, its lock. */
#include "config.h"

#include "strategy/file/access.h"

static inline int next(FILE *stream)
{
    return getc(stream);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return read_chars(next, state, task, tally, err);
}

const struct strategy strategy_getc = {
    .name = "getc",
    .summary = "getc(3): a byte at a time, locked once threads exist",
    .family = FAMILY_FILE,
    .groups = GROUP_STDIO,
    .knobs = KNOB_BIT(KNOB_STDIO_BUFFER),
    .state_size = sizeof(struct stdio_state),
    .setup = stdio_setup,
    .pass = pass,
    .teardown = stdio_teardown,
};
