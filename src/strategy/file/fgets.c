/* fgets(3): a line at a time into a buffer of one block; a longer line comes in pieces. */
#include "config.h"

#include "strategy/file/access.h"

#include <limits.h>
#include <string.h>

/* fgets does not say how much it read, and a line may hold NUL bytes. A newline right before the
 * first NUL settles it, as in all text. Elsewhere the buffer must be full of newlines before the
 * call: then the first newline is the line's own when a NUL follows it, and else stands behind the
 * NUL that fgets wrote. To begin with, a file is taken for text; the position of its stream helps
 * over the first line that is not, and from then on, as in a pipe, the buffer is filled. */
struct filling {
    bool on;
    size_t spoilt; /* bytes at the front that are not newlines any more */
};

static void fill(const struct stdio_state *state, struct filling *filling)
{
    memset(state->buffer, '\n', filling->spoilt);
    filling->spoilt = 0;
}

static size_t filled_length(const struct stdio_state *state)
{
    size_t room = state->size + 1;
    const char *newline = memchr(state->buffer, '\n', room);
    if (newline == NULL)
        return state->size; /* full to the brim */
    size_t place = (size_t)(newline - state->buffer);
    return place + 1 < room && newline[1] == '\0' ? place + 1 : place - 1;
}

static size_t line_length(const struct stdio_state *state, FILE *stream, uint64_t at,
                          struct filling *filling)
{
    size_t length = strlen(state->buffer);
    if (length == 0 || state->buffer[length - 1] != '\n') {
        if (filling->on) {
            length = filled_length(state);
        } else {
            length = (size_t)((uint64_t)ftello(stream) - at);
            *filling = (struct filling){true, state->size + 1};
            return length;
        }
    }
    filling->spoilt = length + 1;
    return length;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct stdio_state *state = opaque;
    FILE *stream = file_fopen(task, state->stream_buffer, state->stream_size, tally, err);
    if (stream == NULL)
        return -1;
    bool seekable = task->fd < 0 && ftello(stream) >= 0;
    struct filling filling = {!seekable, state->size + 1};
    uint64_t at = task->offset, left = task->length;
    while (left > 0) {
        size_t want = left < state->size ? (size_t)left : state->size;
        if (want > INT_MAX - 1)
            want = INT_MAX - 1;
        if (filling.on)
            fill(state, &filling);
        uint64_t start = latency_start(tally);
        char *line = fgets(state->buffer, (int)want + 1, stream);
        latency_stop(tally, start);
        tally->calls++;
        if (line == NULL)
            break;
        size_t length = line_length(state, stream, at, &filling);
        consume(&task->sink, tally, line, length);
        at += length;
        left -= length;
    }
    int status = ferror(stream) ? file_read_error(task, err) : 0;
    file_fclose(stream, tally);
    return status;
}

const struct strategy strategy_fgets = {
    .name = "fgets",
    .summary = "fgets(3): a line at a time, longer ones in pieces of a block",
    .family = FAMILY_FILE,
    .groups = GROUP_STDIO,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_STDIO_BUFFER),
    .times_calls = true,
    .state_size = sizeof(struct stdio_state),
    .setup = stdio_block_setup,
    .pass = pass,
    .teardown = stdio_teardown,
};
