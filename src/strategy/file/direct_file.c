#include "config.h"

#include "strategy/file/direct_file.h"

#include "base/buffer.h"
#include "base/source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

size_t direct_alignment(int fd, unsigned char *buffer)
{
    struct stat st;
#ifdef STATX_DIOALIGN
    struct statx facts;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) == 0 &&
        facts.stx_mask & STATX_DIOALIGN)
        return facts.stx_dio_offset_align;
#endif
    /* Before Linux 6.1, and where the file system does not say: the smallest that works. */
    if (fstat(fd, &st) != 0)
        return 0;
    const size_t usual[] = {512, 4096, (size_t)st.st_blksize};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (usual[i] <= DIRECT_LARGEST_ALIGNMENT && pread(fd, buffer, usual[i], 0) >= 0)
            return usual[i];
    return 0;
}

static int check(const struct task *task, const char *filesystem, struct err *err)
{
    uint64_t block = task->params->value[KNOB_BLOCK_SIZE];
    int fd = open(task->open_path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (fd < 0 && errno != EINVAL)
        return err_set(err, errno, "cannot open '%s'", task->name);
    unsigned char *buffer = buffer_make(1, DIRECT_LARGEST_ALIGNMENT, err);
    size_t alignment = fd >= 0 && buffer != NULL ? direct_alignment(fd, buffer) : 0;
    free(buffer);
    if (fd >= 0)
        close(fd);
    if (alignment == 0 || alignment > DIRECT_LARGEST_ALIGNMENT)
        return err_set(err, 0, "'%s' is on %s, which cannot read it with O_DIRECT", task->name,
                       filesystem);
    if (block % alignment != 0)
        return err_set(err, 0,
                       "a block size of %" PRIu64 " does not keep the alignment that %s asks for "
                       "with O_DIRECT: it must be a multiple of %zu bytes for '%s'",
                       block, filesystem, alignment, task->name);
    return 0;
}

int direct_suits(const struct task *task, struct err *err)
{
    struct source source = {0};
    if (task->fd >= 0)
        return err_set(err, 0, "'%s' is open already, without O_DIRECT", task->name);
    if (source_add(&source, task->open_path, err) != 0)
        return -1;
    const struct source_file *file = &source.files[0];
    int status = -1;
    if (file->regular)
        status = check(task, file->filesystem, err);
    else
        err_set(err, 0, "'%s' is a %s: O_DIRECT needs a regular file or block device", task->name,
                file->filesystem);
    source_free(&source);
    return status;
}
