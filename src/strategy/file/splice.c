/* splice(2) into a pipe and on to /dev/null: no byte is copied, and none reaches user space. */
#include "config.h"

#include "strategy/file/discard.h"

#include <fcntl.h>

#ifdef SPLICE_F_MOVE
static inline ssize_t splice_once(int from, int to, size_t want, struct tally *tally)
{
    uint64_t start = latency_start(tally);
    ssize_t moved = splice(from, NULL, to, NULL, want, 0);
    latency_stop(tally, start);
    tally->calls++;
    return moved;
}
#endif

static inline ssize_t move(const struct discard *discard, int fd, size_t want, struct tally *tally)
{
#ifdef SPLICE_F_MOVE
    ssize_t in_pipe = splice_once(fd, discard->pipe[1], want, tally);
    for (ssize_t left = in_pipe; left > 0;) {
        ssize_t out = splice_once(discard->pipe[0], discard->null_fd, (size_t)left, tally);
        if (out < 0 && errno == EINTR)
            continue;
        if (out <= 0)
            return -1;
        left -= out;
    }
    return in_pipe;
#else
    (void)discard, (void)fd, (void)want, (void)tally;
    errno = ENOSYS;
    return -1;
#endif
}

static int probe(struct err *err)
{
#ifdef SPLICE_F_MOVE
    (void)err;
    return 0;
#else
    return err_set(err, 0, "this system has no splice");
#endif
}

static int suits(const struct task *task, struct err *err)
{
    return discard_suits(move, "splice", task, err);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return discard_file(move, state, task, tally, err);
}

const struct strategy strategy_splice = {
    .name = "splice",
    .summary = "splice(2) through a pipe to /dev/null: no byte in user space",
    .caveat = "splice only passes pages on: nothing has looked at the bytes, or copied them.",
    .family = FAMILY_FILE,
    .groups = GROUP_KERNEL,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_ADVICE),
    .times_calls = true,
    .keeps_bytes = true,
    .state_size = sizeof(struct discard),
    .probe = probe,
    .suits = suits,
    .setup = discard_pipe_setup,
    .pass = pass,
    .teardown = discard_teardown,
};
