/* POSIX aio_read(3), depth requests in flight. The C library may well start threads that read. */
#include "config.h"

#include "strategy/file/queue.h"

#include <aio.h>
#include <stdlib.h>

struct aio_state {
    struct queue queue;
    struct aiocb *controls; /* one a block of the queue */
};

static int setup(void *opaque, const struct task *task, struct err *err)
{
    struct aio_state *state = opaque;
    if (queue_setup(&state->queue, task, err) != 0)
        return -1;
    state->controls = calloc(state->queue.depth, sizeof *state->controls);
    return state->controls != NULL ? 0 : err_set(err, errno, "cannot queue requests");
}

static void teardown(void *opaque)
{
    struct aio_state *state = opaque;
    free(state->controls);
    queue_teardown(&state->queue);
}

static struct aiocb *control_of(const struct aio_state *state, const struct block *block)
{
    return &state->controls[block - state->queue.blocks];
}

static void ask(struct aio_state *state, int fd, struct block *block, struct tally *tally)
{
    struct aiocb *control = control_of(state, block);
    *control = (struct aiocb){.aio_fildes = fd,
                              .aio_buf = block->bytes + block->got,
                              .aio_nbytes = block_rest(block),
                              .aio_offset = (off_t)(block->at + block->got),
                              .aio_sigevent.sigev_notify = SIGEV_NONE};
    tally->calls++;
    if (aio_read(control) != 0) {
        block->error = errno; /* it was not even queued */
        block->complete = true;
    }
}

/* Waits for the block, and for its rest when it came in parts. */
static void wait_for(struct aio_state *state, int fd, struct block *block, struct tally *tally)
{
    struct aiocb *control = control_of(state, block);
    const struct aiocb *const list[] = {control};
    while (!block->complete) {
        int error = aio_error(control);
        tally->calls++;
        if (error == EINPROGRESS) {
            tally->calls++;
            aio_suspend(list, 1, NULL); /* a signal may end it: we look again */
            continue;
        }
        tally->calls++;
        ssize_t got = aio_return(control);
        if (block_arrived(block, error != 0 ? -error : got, tally))
            ask(state, fd, block, tally);
    }
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    struct aio_state *state = opaque;
    struct queue *queue = &state->queue;
    int fd = file_open(task, false, tally, err);
    if (fd < 0)
        return -1;
    int status = 0;
    queue_begin(queue, task, fd);
    for (;;) {
        struct block *block;
        while ((block = queue_next(queue)) != NULL)
            ask(state, fd, block, tally);
        if (queue->n == 0)
            break;
        wait_for(state, fd, &queue->blocks[queue->first], tally);
        if (queue_consume(queue, 1, task, tally, err) != 0)
            status = -1;
    }
    file_close(fd, tally);
    return status;
}

const struct strategy strategy_posix_aio = {
    .name = "posix-aio",
    .summary = "aio_read(3): --depth reads in flight, by the C library's threads",
    .caveat = "posix-aio in glibc is threads that read one file one block after the other.",
    .family = FAMILY_FILE,
    .groups = GROUP_ASYNC,
    .needs = NEED_SEEK,
    .knobs = KNOB_BIT(KNOB_BLOCK_SIZE) | KNOB_BIT(KNOB_DEPTH) | KNOB_BIT(KNOB_ADVICE) |
             KNOB_BIT(KNOB_PATTERN),
    .state_size = sizeof(struct aio_state),
    .suits = queue_fits,
    .setup = setup,
    .pass = pass,
    .teardown = teardown,
};
