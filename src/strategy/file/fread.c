/* fread(3) of single bytes, a block at a time. */
#include "config.h"

#include "strategy/file/blocks_stdio.h"

static inline size_t take(void *buffer, size_t want, FILE *stream)
{
    return fread(buffer, 1, want, stream);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return read_stream_blocks(take, state, task, tally, err);
}

const struct strategy strategy_fread = {
    .name = "fread",
    .summary = "fread(3), a block at a time",
    .family = FAMILY_FILE,
    .groups = GROUP_STDIO,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_STDIO_BUFFER),
    .times_calls = true,
    .state_size = sizeof(struct stdio_state),
    .setup = stdio_block_setup,
    .pass = pass,
    .teardown = stdio_teardown,
};
