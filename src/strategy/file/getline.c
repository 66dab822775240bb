/* getline(3): a line at a time, however long. */
#include "config.h"

#include "strategy/file/access.h"

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct stdio_state *state = opaque;
    FILE *stream = file_fopen(task, state->stream_buffer, state->stream_size, tally, err);
    if (stream == NULL)
        return -1;
    uint64_t left = task->length;
    bool failed = false;
    while (left > 0) {
        uint64_t start = latency_start(tally);
        ssize_t got = getline(&state->buffer, &state->size, stream);
        latency_stop(tally, start);
        tally->calls++;
        if (got < 0) {
            failed = !feof(stream); /* it also fails for want of memory, without ferror() */
            break;
        }
        /* A line may reach beyond the slice; its rest is the next worker's, or was not asked for.
         */
        size_t length = left < (uint64_t)got ? (size_t)left : (size_t)got;
        consume(&task->sink, tally, state->buffer, length);
        left -= length;
    }
    int status = failed ? file_read_error(task, err) : 0;
    file_fclose(stream, tally);
    return status;
}

const struct strategy strategy_getline = {
    .name = "getline",
    .summary = "getline(3): a line at a time, however long",
    .family = FAMILY_FILE,
    .groups = GROUP_STDIO,
    .needs = NEED_END,
    .knobs = KNOB_BIT(KNOB_STDIO_BUFFER),
    .times_calls = true,
    .state_size = sizeof(struct stdio_state),
    .setup = stdio_setup,
    .pass = pass,
    .teardown = stdio_teardown,
};
