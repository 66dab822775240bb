#include "config.h"

#include "family/file.h"

#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024 };

static int open_unnamed(const char *directory, struct err *err)
{
#ifdef O_TMPFILE
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
#else
    int fd;
#endif
    char path[4096];
    if (snprintf(path, sizeof path, "%s/iobench-XXXXXX", directory) >= (int)sizeof path)
        return err_set(err, ENAMETOOLONG, "cannot make a file in '%s'", directory);
    fd = mkstemp(path);
    if (fd < 0)
        return err_set(err, errno, "cannot make a file in '%s'", directory);
    unlink(path); /* its name is gone before anything can go wrong */
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Printable text in lines of 64 bytes on average. */
static void fill_text(char *text, size_t size, struct rng *rng)
{
    static const char letters[] =
        "\nabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ";
    for (size_t i = 0; i < size; i += 8) {
        uint64_t bits = rng_next(rng);
        for (size_t j = 0; j < 8; j++, bits >>= 6)
            text[i + j] = letters[bits & 63];
    }
}

static int write_text(int fd, uint64_t size, uint64_t seed,
                      const volatile sig_atomic_t *interrupted, struct err *err)
{
    struct rng rng;
    rng_init(&rng, seed);
    char *text = malloc(CHUNK);
    if (text == NULL)
        return err_set(err, errno, "cannot make a file");
    int status = 0;
    for (uint64_t left = size; left > 0 && status == 0;) {
        if (*interrupted != 0) {
            status = err_set(err, EINTR, "cannot fill the file to read");
            break;
        }
        size_t want = left < CHUNK ? (size_t)left : CHUNK;
        fill_text(text, CHUNK, &rng);
        for (size_t done = 0; done < want && status == 0;) {
            ssize_t put = write(fd, text + done, want - done);
            if (put > 0)
                done += (size_t)put;
            else if (put == 0 || errno != EINTR)
                status = err_set(err, put == 0 ? ENOSPC : errno, "cannot fill the file to read");
        }
        left -= want;
    }
    free(text);
    return status;
}

int file_make(struct source *source, uint64_t size, uint64_t seed,
              const volatile sig_atomic_t *interrupted, struct err *err)
{
    const char *directory = getenv("TMPDIR");
    if (directory == NULL || *directory == '\0')
        directory = "/tmp";
    int fd = open_unnamed(directory, err);
    if (fd < 0)
        return -1;
    char path[64];
    /* Seen from a child as well; the descriptor stays open as long as we live. */
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd);
    if (write_text(fd, size, seed, interrupted, err) != 0 || source_add(source, path, err) != 0) {
        close(fd);
        return -1;
    }
    struct source_file *file = &source->files[source->n - 1];
    char *name = strdup("(made)");
    if (name != NULL) {
        free(file->path);
        file->path = name;
    }
    source->made = true;
    return 0;
}
