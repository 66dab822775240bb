/* getc_unlocked(3): a byte at a time without the lock; the compiler inlines it. */
#include "config.h"

#include "strategy/file/access.h"

static inline int next(FILE *stream)
{
#ifdef HAVE_GETC_UNLOCKED
    return getc_unlocked(stream);
#else
    (void)stream;
    return EOF;
#endif
}

static int probe(struct err *err)
{
#ifdef HAVE_GETC_UNLOCKED
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this C library has no getc_unlocked");
#endif
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return read_chars(next, state, task, tally, err);
}

const struct strategy strategy_getc_unlocked = {
    .name = "getc-unlocked",
    .summary = "getc_unlocked(3): a byte at a time, inlined, no lock",
    .family = FAMILY_FILE,
    .groups = GROUP_STDIO,
    .knobs = KNOB_BIT(KNOB_STDIO_BUFFER),
    .state_size = sizeof(struct stdio_state),
    .probe = probe,
    .setup = stdio_setup,
    .pass = pass,
    .teardown = stdio_teardown,
};
