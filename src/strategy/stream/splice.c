/* splice(2) through a pipe to /dev/null: the bytes never reach user space. */
#include "config.h"

#include "strategy/stream/drain.h"

#include <fcntl.h>

struct state {
    int pipe[2], null;
    bool made;
    size_t size;
};

static int probe(struct err *err)
{
#ifdef HAVE_SPLICE
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this system has no splice");
#endif
}

#ifdef HAVE_SPLICE
static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct state *state = opaque;
    state->null = -1;
    state->size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    if (pipe2(state->pipe, O_CLOEXEC) != 0)
        return err_set(err, errno, "cannot make a pipe");
    state->made = true;
    (void)fcntl(state->pipe[1], F_SETPIPE_SZ, (int)(state->size < 1 << 20 ? state->size : 1 << 20));
    state->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return state->null >= 0 ? 0 : err_set(err, errno, "cannot open '/dev/null'");
}

/* What one splice brought goes on to /dev/null. */
static int pour(const struct state *state, ssize_t held, struct err *err)
{
    while (held > 0) {
        ssize_t put = splice(state->pipe[0], NULL, state->null, NULL, (size_t)held, SPLICE_F_MOVE);
        if (put <= 0 && errno != EINTR)
            return err_set(err, errno, "cannot splice to '/dev/null'");
        held -= put > 0 ? put : 0;
    }
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct state *state = opaque;
    struct drain drain;
    drain_start(&drain, task, tally, err);
    while (drain.left > 0 && drain.open > 0) {
        size_t want = drain_room(&drain, 0, state->size);
        uint64_t start = latency_start(tally);
        ssize_t got = splice(task->fds[0], NULL, state->pipe[1], NULL, want, SPLICE_F_MOVE);
        latency_stop(tally, start);
        if (drain_result(&drain, 0, NULL, want, got) == DRAIN_FAILED || pour(state, got, err) != 0)
            return -1;
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct state *state = opaque;
    if (state->null >= 0)
        close(state->null);
    if (state->made) {
        close(state->pipe[0]);
        close(state->pipe[1]);
    }
}
#endif

const struct strategy strategy_stream_splice = {
    .name = "splice",
    .summary = "splice(2) through a pipe to /dev/null; no byte reaches user space: a limit",
    .family = FAMILY_STREAM,
    .groups = GROUP_KERNEL,
    .needs = NEED_STREAM | NEED_LONE,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE),
    .times_calls = true,
    .keeps_bytes = true,
    .probe = probe,
#ifdef HAVE_SPLICE
    .state_size = sizeof(struct state),
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
#endif
};
