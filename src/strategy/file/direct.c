/* O_DIRECT: from the storage into the buffer, past the page cache. Offsets and lengths must be
 * aligned, so a slice that is not is read with what lies around it, and only the slice is
 * delivered. */
#include "config.h"

#include "strategy/file/direct_file.h"

#include "base/buffer.h"

#include <stdlib.h>
#include <unistd.h>

struct direct {
    unsigned char *buffer;
    size_t block;
    const struct task *task; /* whose file's alignment this is */
    size_t alignment;
};

static int probe(struct err *err)
{
    return O_DIRECT != 0 ? 0 : err_set(err, 0, "this system has no O_DIRECT");
}

static int learn_alignment(struct direct *direct, int fd, const struct task *task, struct err *err)
{
    if (direct->task == task)
        return 0;
    direct->task = task;
    direct->alignment = direct_alignment(fd, direct->buffer);
    if (direct->alignment == 0 || direct->block % direct->alignment != 0)
        return err_set(err, EINVAL, "cannot read '%s' with O_DIRECT", task->name);
    return 0;
}

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct direct *direct = opaque;
    direct->block = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    direct->buffer = buffer_make(1, direct->block + DIRECT_LARGEST_ALIGNMENT, err);
    if (direct->buffer == NULL)
        return -1;
    int fd = open(task->open_path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (fd < 0)
        return err_set(err, errno, "cannot open '%s'", task->name);
    int status = learn_alignment(direct, fd, task, err);
    close(fd);
    return status;
}

static void teardown(void *opaque)
{
    struct direct *direct = opaque;
    free(direct->buffer);
}

static inline size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int read_aligned(const struct direct *direct, int fd, const struct task *task,
                        struct tally *tally, struct err *err)
{
    uint64_t at = task->offset, left = task->length;
    struct walk walk;
    size_t in_block = 0; /* what is left of a block of the walk */
    bool sequential = file_is_sequential(task);
    if (!sequential)
        file_walk(&walk, task);
    while (left > 0) {
        if (!sequential && in_block == 0 && !walk_next(&walk, &at, &in_block))
            break;
        size_t ahead = (size_t)(at % direct->alignment);
        size_t room = sequential ? direct->block - ahead : in_block;
        size_t want = left < room ? (size_t)left : room;
        size_t whole = round_up(ahead + want, direct->alignment);
        uint64_t start = latency_start(tally);
        ssize_t status = pread(fd, direct->buffer, whole, (off_t)(at - ahead));
        latency_stop(tally, start);
        tally->calls++;
        if (status < 0 && errno == EINTR)
            continue;
        if (status < 0)
            return file_read_error(task, err);
        size_t got = (size_t)status;
        if (got <= ahead)
            break;
        tally->short_calls += got < whole;
        size_t useful = got - ahead < want ? got - ahead : want;
        consume(&task->sink, tally, direct->buffer + ahead, useful);
        at += useful;
        left -= useful;
        in_block -= sequential ? 0 : useful;
        if (useful < want && got % direct->alignment != 0)
            break; /* the end, and no aligned place to meet it again */
    }
    return 0;
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct direct *direct = opaque;
    int fd = file_open_with(task, O_DIRECT, false, tally, err);
    if (fd < 0)
        return -1;
    int status = learn_alignment(direct, fd, task, err);
    if (status == 0)
        status = read_aligned(direct, fd, task, tally, err);
    file_close(fd, tally);
    return status;
}

const struct strategy strategy_direct = {
    .name = "direct",
    .summary = "pread(2) with O_DIRECT, past the page cache",
    .caveat = "direct never finds a file in memory: it is as fast as the storage or, in a virtual "
              "machine, its host.",
    .family = FAMILY_FILE,
    .groups = GROUP_SYSCALL,
    .needs = NEED_SEEK | NEED_REGULAR,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_PATTERN),
    .times_calls = true,
    .state_size = sizeof(struct direct),
    .probe = probe,
    .suits = direct_suits,
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
