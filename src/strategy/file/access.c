#include "config.h"

#include "strategy/file/access.h"

#include "base/buffer.h"
#include "base/clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Clock readings belong to the profile trial alone. */
static uint64_t phase_start(const struct tally *tally)
{
    return tally->phases ? clock_now_ns() : 0;
}

static void phase_end(const struct tally *tally, uint64_t start, uint64_t *total)
{
    if (tally->phases)
        *total += clock_now_ns() - start;
}

static int advice_flag(uint64_t advice)
{
    static const int flags[] = {[ADVICE_NORMAL] = POSIX_FADV_NORMAL,
                                [ADVICE_SEQUENTIAL] = POSIX_FADV_SEQUENTIAL,
                                [ADVICE_RANDOM] = POSIX_FADV_RANDOM,
                                [ADVICE_WILLNEED] = POSIX_FADV_WILLNEED,
                                [ADVICE_NOREUSE] = POSIX_FADV_NOREUSE};
    return flags[advice];
}

static int open_at(const struct task *task, int flags, bool seek, struct err *err)
{
    int fd = task->fd >= 0 ? fcntl(task->fd, F_DUPFD_CLOEXEC, 0)
                           : open(task->open_path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return err_set(err, errno, "cannot open '%s'", task->name);
    if (task->params->value[KNOB_ADVICE] != ADVICE_NORMAL)
        posix_fadvise(fd, 0, 0, advice_flag(task->params->value[KNOB_ADVICE]));
    if (seek && task->offset > 0 && lseek(fd, (off_t)task->offset, SEEK_SET) < 0) {
        err_set(err, errno, "cannot skip %" PRIu64 " bytes of '%s'", task->offset, task->name);
        close(fd);
        return -1;
    }
    return fd;
}

int file_open_with(const struct task *task, int flags, bool seek, struct tally *tally,
                   struct err *err)
{
    uint64_t start = phase_start(tally);
    int fd = open_at(task, flags, seek, err);
    phase_end(tally, start, &tally->open_ns);
    return fd;
}

int file_open(const struct task *task, bool seek, struct tally *tally, struct err *err)
{
    return file_open_with(task, 0, seek, tally, err);
}

void file_close(int fd, struct tally *tally)
{
    uint64_t start = phase_start(tally);
    close(fd);
    phase_end(tally, start, &tally->close_ns);
}

FILE *file_fopen(const struct task *task, void *buffer, size_t size, struct tally *tally,
                 struct err *err)
{
    uint64_t start = phase_start(tally);
    FILE *stream = NULL;
    if (task->fd >= 0 || task->offset > 0) {
        int fd = open_at(task, 0, true, err);
        if (fd < 0)
            return NULL;
        stream = fdopen(fd, "r");
        if (stream == NULL)
            close(fd);
    } else {
        stream = fopen(task->open_path, "re");
    }
    if (stream == NULL) {
        err_set(err, errno, "cannot open '%s'", task->name);
        return NULL;
    }
    if (buffer != NULL)
        setvbuf(stream, buffer, _IOFBF, size);
    phase_end(tally, start, &tally->open_ns);
    return stream;
}

void file_fclose(FILE *stream, struct tally *tally)
{
    uint64_t start = phase_start(tally);
    fclose(stream);
    phase_end(tally, start, &tally->close_ns);
}

int file_slice_length(int fd, const struct task *task, uint64_t *length, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return err_set(err, errno, "cannot look at '%s'", task->name);
    *length = task->length;
    if (!S_ISREG(st.st_mode) && task->length != NO_LIMIT)
        return 0;
    uint64_t size = (uint64_t)st.st_size;
    uint64_t left = task->offset < size ? size - task->offset : 0;
    if (*length > left)
        *length = left;
    /* /proc says 0 of files that have content: those cannot be mapped, and are not empty. */
    char byte;
    if (size == 0 && read(fd, &byte, 1) != 0)
        return err_set(err, ENODEV, "cannot map '%s': it does not tell its size", task->name);
    return 0;
}

int file_map(struct file_map *map, const struct task *task, int flags, struct tally *tally,
             struct err *err)
{
    uint64_t start = phase_start(tally);
    *map = (struct file_map){.fd = open_at(task, 0, false, err)};
    if (map->fd < 0)
        return -1;
    uint64_t length;
    if (file_slice_length(map->fd, task, &length, err) != 0)
        goto fail;
    map->length = (size_t)length;
    if (length > 0) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        size_t ahead = (size_t)(task->offset % page);
        map->span = map->length + ahead;
        map->base = mmap(NULL, map->span, PROT_READ, MAP_PRIVATE | flags, map->fd,
                         (off_t)(task->offset - ahead));
        if (map->base == MAP_FAILED) {
            err_set(err, errno, "cannot map '%s'", task->name);
            goto fail;
        }
        map->bytes = (const unsigned char *)map->base + ahead;
    }
    phase_end(tally, start, &tally->open_ns);
    return 0;
fail:
    close(map->fd);
    return -1;
}

void file_unmap(struct file_map *map, struct tally *tally)
{
    uint64_t start = phase_start(tally);
    if (map->span > 0)
        munmap(map->base, map->span);
    close(map->fd);
    phase_end(tally, start, &tally->close_ns);
}

int file_read_error(const struct task *task, struct err *err)
{
    return err_set(err, errno, "cannot read '%s'", task->name);
}

int block_setup(void *state, const struct task *task, struct err *err)
{
    struct block_state *block = state;
    block->size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    block->buffer = buffer_make(1, block->size, err);
    return block->buffer != NULL ? 0 : -1;
}

void block_teardown(void *state)
{
    struct block_state *block = state;
    free(block->buffer);
}

int stdio_setup(void *state, const struct task *task, struct err *err)
{
    struct stdio_state *stdio = state;
    uint64_t size = task->params->value[KNOB_STDIO_BUFFER];
    if (size == PARAM_NONE)
        return 0;
    stdio->stream_size = (size_t)size;
    stdio->stream_buffer = buffer_make(1, size, err);
    return stdio->stream_buffer != NULL ? 0 : -1;
}

int stdio_block_setup(void *state, const struct task *task, struct err *err)
{
    struct stdio_state *stdio = state;
    if (stdio_setup(state, task, err) != 0)
        return -1;
    stdio->size = (size_t)task->params->value[KNOB_BLOCK_SIZE];
    stdio->buffer = buffer_make(1, stdio->size + 1, err); /* room for the NUL of fgets */
    return stdio->buffer != NULL ? 0 : -1;
}

void stdio_teardown(void *state)
{
    struct stdio_state *stdio = state;
    free(stdio->stream_buffer);
    free(stdio->buffer);
}
