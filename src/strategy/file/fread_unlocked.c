/* fread_unlocked(3): fread without the stream's lock. */
#include "config.h"

#include "strategy/file/blocks_stdio.h"

static inline size_t take(void *buffer, size_t want, FILE *stream)
{
#ifdef HAVE_FREAD_UNLOCKED
    return (fread_unlocked)(buffer, 1, want, stream); /* the function: the macro warns */
#else
    (void)buffer, (void)want, (void)stream;
    return 0;
#endif
}

static int probe(struct err *err)
{
#ifdef HAVE_FREAD_UNLOCKED
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this C library has no fread_unlocked");
#endif
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return read_stream_blocks(take, state, task, tally, err);
}

const struct strategy strategy_fread_unlocked = {
    .name = "fread-unlocked",
    .summary = "fread_unlocked(3): without the stream's lock",
    .family = FAMILY_FILE,
    .groups = GROUP_STDIO,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_STDIO_BUFFER),
    .times_calls = true,
    .state_size = sizeof(struct stdio_state),
    .probe = probe,
    .setup = stdio_block_setup,
    .pass = pass,
    .teardown = stdio_teardown,
};
