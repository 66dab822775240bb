/* sendfile(2) to /dev/null: no byte is copied, and none reaches user space. */
#include "config.h"

#include "strategy/file/discard.h"

#ifdef __linux__
#include <sys/sendfile.h>
#endif

static inline ssize_t move(const struct discard *discard, int fd, size_t want, struct tally *tally)
{
#ifdef __linux__
    uint64_t start = latency_start(tally);
    ssize_t sent = sendfile(discard->null_fd, fd, NULL, want);
    latency_stop(tally, start);
    tally->calls++;
    return sent;
#else
    (void)discard, (void)fd, (void)want, (void)tally;
    errno = ENOSYS;
    return -1;
#endif
}

static int probe(struct err *err)
{
#ifdef __linux__
    (void)err;
    return 0;
#else
    return err_set(err, 0, "the sendfile of this system sends to sockets only, if there is one");
#endif
}

static int suits(const struct task *task, struct err *err)
{
    return discard_suits(move, "sendfile", task, err);
}

static int pass(void *state, const struct task *task, struct tally *tally, struct err *err)
{
    return discard_file(move, state, task, tally, err);
}

const struct strategy strategy_sendfile = {
    .name = "sendfile",
    .summary = "sendfile(2) to /dev/null: no byte in user space",
    .caveat = "sendfile only passes pages on: nothing has looked at the bytes, or copied them.",
    .family = FAMILY_FILE,
    .groups = GROUP_KERNEL,
    .needs = NEED_SEEK,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_ADVICE),
    .times_calls = true,
    .keeps_bytes = true,
    .state_size = sizeof(struct discard),
    .probe = probe,
    .suits = suits,
    .setup = discard_setup,
    .pass = pass,
    .teardown = discard_teardown,
};
