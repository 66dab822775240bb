#include "config.h"

#include "strategy/file/queue.h"

#include "base/buffer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

int queue_fits(const struct task *task, struct err *err)
{
    const uint64_t *value = task->params->value;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t buffers = value[KNOB_BLOCK_SIZE] * value[KNOB_DEPTH] * value[KNOB_THREADS];
    if (pages > 0 && page > 0 && buffers > (uint64_t)pages * (uint64_t)page / 2)
        return err_set(err, 0,
                       "%" PRIu64 " blocks of %" PRIu64 " bytes in flight would take more than "
                       "half of this machine's memory: ask for a lower --depth",
                       value[KNOB_DEPTH] * value[KNOB_THREADS], value[KNOB_BLOCK_SIZE]);
    return 0;
}

int queue_setup(struct queue *queue, const struct task *task, struct err *err)
{
    queue->depth = (unsigned)task->params->value[KNOB_DEPTH];
    queue->block_size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    queue->blocks = calloc(queue->depth, sizeof *queue->blocks);
    if (queue->blocks == NULL)
        return err_set(err, errno, "cannot queue %u requests", queue->depth);
    queue->buffers = buffer_make(queue->depth, queue->block_size, err);
    if (queue->buffers == NULL)
        return -1;
    for (unsigned i = 0; i < queue->depth; i++)
        queue->blocks[i].bytes = queue->buffers + i * queue->block_size;
    return 0;
}

void queue_teardown(struct queue *queue)
{
    free(queue->buffers);
    free(queue->blocks);
}

void queue_begin(struct queue *queue, const struct task *task, int fd)
{
    queue->first = queue->n = 0;
    queue->ended = false;
    queue->at = task->offset;
    queue->left = task->length;
    queue->sequential = file_is_sequential(task);
    queue->horizon = UINT64_MAX;
    if (!queue->sequential) {
        file_walk(&queue->walk, task);
    } else if (task->length == NO_LIMIT) {
        off_t size = lseek(fd, 0, SEEK_END); /* knows block devices as well */
        queue->horizon = size > 0 ? (uint64_t)size : 0;
    }
}
