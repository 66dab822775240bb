#include "config.h"

#include "base/source.h"

#include "base/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#endif
#include <unistd.h>

#ifdef __linux__
/* The file system type of the mount with this device number, from /proc/self/mountinfo (proc(5)):
 * statfs(2) cannot tell ext2, ext3 and ext4 apart. */
static void name_by_mount(dev_t device, char *name, size_t size)
{
    FILE *f = fopen("/proc/self/mountinfo", "re");
    if (f == NULL)
        return;
    char line[4096];
    while (fgets(line, sizeof line, f) != NULL) {
        unsigned major_number, minor_number;
        const char *type = strstr(line, " - ");
        if (type != NULL && sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) == 2 &&
            makedev(major_number, minor_number) == device)
            snprintf(name, size, "%.*s", (int)strcspn(type + 3, " \n"), type + 3);
    }
    fclose(f);
}
#endif

static void name_filesystem(const char *path, const struct stat *st, char *name, size_t size)
{
    snprintf(name, size, "unknown");
    if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) {
        snprintf(name, size, "%s", S_ISFIFO(st->st_mode) ? "pipe" : "socket");
        return;
    }
    if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)) {
        snprintf(name, size, "device");
        return;
    }
#ifdef __linux__
    name_by_mount(st->st_dev, name, size);
    if (strcmp(name, "unknown") != 0)
        return;
    static const struct {
        unsigned long magic;
        const char *name;
    } magics[] = {{0xEF53, "ext4"},        {0x01021994, "tmpfs"}, {0x9fa0, "proc"},
                  {0x62656572, "sysfs"},   {0x58465342, "xfs"},   {0x9123683E, "btrfs"},
                  {0x794c7630, "overlay"}, {0x6969, "nfs"},       {0x65735546, "fuse"}};
    struct statfs fs;
    if (statfs(path, &fs) != 0)
        return;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if ((unsigned long)fs.f_type == magics[i].magic)
            snprintf(name, size, "%s", magics[i].name);
#else
    (void)path;
#endif
}

/* The memory devices: Documentation/admin-guide/devices.txt in the kernel, major 1. */
static bool is_memory_device(const struct stat *st, unsigned first, unsigned last)
{
#ifdef __linux__
    return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 && minor(st->st_rdev) >= first &&
           minor(st->st_rdev) <= last;
#else
    (void)first, (void)last, (void)st;
    return false;
#endif
}

static bool is_null(const struct stat *st)
{
    return is_memory_device(st, 3, 3);
}

/* zero, full, random, urandom */
static bool is_endless(const struct stat *st)
{
    return is_memory_device(st, 5, 5) || is_memory_device(st, 7, 9);
}

static void describe(struct source_file *file, const struct stat *st)
{
    file->stated_bytes = (uint64_t)st->st_size;
    name_filesystem(file->open_path, st, file->filesystem, sizeof file->filesystem);
    file->regular = S_ISREG(st->st_mode) || S_ISBLK(st->st_mode);
    file->endless = is_endless(st);
    file->once = S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) ||
                 (S_ISCHR(st->st_mode) && !file->endless && !is_null(st));
    file->size_bytes = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : UNKNOWN;
    static const char *const liars[] = {"proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs"};
    for (size_t i = 0; i < sizeof liars / sizeof liars[0]; i++) {
        if (S_ISREG(st->st_mode) && strcmp(file->filesystem, liars[i]) == 0) {
            file->volatile_size = true;
            file->size_bytes = UNKNOWN;
        }
    }
    file->resident_ratio = file->resident_ratio_after = NAN;
}

static struct source_file *append(struct source *source, const char *path, const char *open_path,
                                  struct err *err)
{
    struct source_file *files = realloc(source->files, (source->n + 1) * sizeof *files);
    if (files == NULL) {
        err_set(err, errno, "cannot note file '%s'", path);
        return NULL;
    }
    source->files = files;
    struct source_file *file = &files[source->n];
    *file = (struct source_file){.path = strdup(path), .open_path = strdup(open_path), .fd = -1};
    if (file->path == NULL || file->open_path == NULL) {
        free(file->path);
        free(file->open_path);
        err_set(err, ENOMEM, "cannot note file '%s'", path);
        return NULL;
    }
    source->n++;
    return file;
}

int source_add(struct source *source, const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return err_set(err, errno, "cannot open '%s'", path);
    if (S_ISDIR(st.st_mode))
        return err_set(err, EISDIR, "cannot read '%s'", path);
    struct source_file *file = append(source, path, path, err);
    if (file == NULL)
        return -1;
    describe(file, &st);
    return 0;
}

int source_add_stdin(struct source *source, struct err *err)
{
    struct stat st;
    int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags < 0 || fstat(STDIN_FILENO, &st) != 0)
        return err_set(err, errno, "cannot read standard input");
    if ((flags & O_ACCMODE) == O_WRONLY) /* as when it was closed: see main */
        return err_set(err, EBADF, "cannot read standard input");
    if (S_ISDIR(st.st_mode))
        return err_set(err, EISDIR, "cannot read standard input");
    struct source_file *file = append(source, "-", "/dev/stdin", err);
    if (file == NULL)
        return -1;
    describe(file, &st);
    if (file->once) {
        file->fd = STDIN_FILENO;
    } else if (S_ISREG(st.st_mode)) {
        off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
        file->skip_bytes = at > 0 ? (uint64_t)at : 0;
    }
    return 0;
}

int source_check(const struct source_file *file, uint64_t offset, struct err *err)
{
    if (file->once)
        return 0;
    int status = -1;
    int fd = open(file->open_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, errno, "cannot open '%s'", file->path);
    char byte;
    ssize_t got;
    do
        got = file->regular ? pread(fd, &byte, 1, (off_t)(offset + file->skip_bytes))
                            : read(fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        err_set(err, errno, "cannot read '%s'", file->path);
        goto out;
    }
    status = 0;
out:
    close(fd);
    return status;
}

static void release(struct source_file *file)
{
    free(file->path);
    free(file->open_path);
}

void source_remove(struct source *source, size_t i)
{
    release(&source->files[i]);
    source->n--;
    memmove(&source->files[i], &source->files[i + 1], (source->n - i) * sizeof source->files[0]);
}

void source_free(struct source *source)
{
    for (size_t i = 0; i < source->n; i++)
        release(&source->files[i]);
    free(source->files);
    *source = (struct source){0};
}
