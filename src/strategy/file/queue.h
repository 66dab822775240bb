/* Requests in flight, for the strategies that keep several: which block is asked for next, and that
 * blocks are consumed in the order of the file or of the pattern, whichever arrives first. */
#ifndef IOBENCH_STRATEGY_FILE_QUEUE_H
#define IOBENCH_STRATEGY_FILE_QUEUE_H

#include "strategy/file/access.h"

/* One call moves no more (read(2)), and such a count fits an int and 32 bits. */
#define MOST_PER_CALL ((size_t)0x7ffff000)

struct block {
    unsigned char *bytes;
    uint64_t at;
    size_t want, got;
    int error; /* errno value, 0: none */
    bool complete;
};

struct queue {
    struct block *blocks; /* used in turn: n of them from first on are under way */
    unsigned depth, first, n;
    size_t block_size;
    unsigned char *buffers;
    /* of a pass */
    uint64_t at, left;
    uint64_t horizon; /* as far as the file is known to reach, or the reader to want it */
    struct walk walk;
    bool sequential, ended;
};

/* For suits(): are the buffers a reasonable part of this machine's memory? */
int queue_fits(const struct task *task, struct err *err);

int queue_setup(struct queue *queue, const struct task *task, struct err *err);
void queue_teardown(struct queue *queue);

void queue_begin(struct queue *queue, const struct task *task, int fd);

/* The place and size of the next block; false when none should be asked for now. Beyond the horizon
 * goes one block at a time: there is the end, or a file that does not tell its size. */
static inline bool queue_plan(struct queue *queue, uint64_t *at, size_t *size)
{
    if (queue->ended)
        return false;
    if (!queue->sequential)
        return walk_next(&queue->walk, at, size);
    if (queue->left == 0 || (queue->at > queue->horizon && queue->n > 0))
        return false;
    *at = queue->at;
    *size = queue->left < queue->block_size ? (size_t)queue->left : queue->block_size;
    queue->at += *size;
    queue->left -= *size;
    return true;
}

/* The next block to ask for; NULL: none now. When the queue is empty as well, the pass is over. */
static inline struct block *queue_next(struct queue *queue)
{
    uint64_t at;
    size_t size;
    if (queue->n == queue->depth || !queue_plan(queue, &at, &size))
        return NULL;
    unsigned place = queue->first + queue->n;
    if (place >= queue->depth)
        place -= queue->depth;
    queue->n++;
    struct block *block = &queue->blocks[place];
    block->at = at;
    block->want = size;
    block->got = 0;
    block->error = 0;
    block->complete = false;
    return block;
}

/* What is still missing of a block, as far as one call brings it. */
static inline size_t block_rest(const struct block *block)
{
    size_t rest = block->want - block->got;
    return rest < MOST_PER_CALL ? rest : MOST_PER_CALL;
}

/* A request for the rest of the block brought so many bytes, or failed with minus an errno value.
 * Returns true when there is a rest again, to be asked for. */
static inline bool block_arrived(struct block *block, ssize_t result, struct tally *tally)
{
    if (result > 0) {
        tally->short_calls += (size_t)result < block_rest(block);
        block->got += (size_t)result;
        block->complete = block->got == block->want;
        return !block->complete;
    }
    if (result == -EINTR || result == -EAGAIN)
        return true;
    block->error = (int)-result;
    block->complete = true;
    return false;
}

/* The next block to be consumed has arrived. */
static inline bool queue_is_ready(const struct queue *queue)
{
    return queue->n > 0 && queue->blocks[queue->first].complete;
}

/* Consumes what is complete, in order, but no more than so many blocks. What comes behind the end
 * or an error is dropped. */
static inline int queue_consume(struct queue *queue, unsigned most, const struct task *task,
                                struct tally *tally, struct err *err)
{
    int status = 0;
    for (; most > 0 && queue_is_ready(queue); most--) {
        const struct block *block = &queue->blocks[queue->first];
        if (!queue->ended) {
            if (block->got > 0)
                consume(&task->sink, tally, block->bytes, block->got);
            if (block->error != 0)
                status = err_set(err, block->error, "cannot read '%s'", task->name);
            queue->ended = block->got < block->want;
        }
        queue->n--;
        if (++queue->first == queue->depth)
            queue->first = 0;
    }
    return status;
}

#endif
