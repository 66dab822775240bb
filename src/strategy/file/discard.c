#include "config.h"

#include "strategy/file/discard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int discard_setup(void *opaque, const struct task *task, struct err *err)
{
    struct discard *discard = opaque;
    *discard = (struct discard){.null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
                                .pipe = {-1, -1},
                                .block = (size_t)task->params->value[KNOB_BLOCK_SIZE]};
    return discard->null_fd >= 0 ? 0 : err_set(err, errno, "cannot open '/dev/null'");
}

/* More than /proc/sys/fs/pipe-max-size is refused: half as much is tried then, and so on. */
static void grow_pipe(int fd, size_t size)
{
#ifdef F_SETPIPE_SZ
    int now = fcntl(fd, F_GETPIPE_SZ);
    if (size > 1 << 30)
        size = 1 << 30;
    while (now > 0 && size > (size_t)now && fcntl(fd, F_SETPIPE_SZ, (int)size) < 0)
        size /= 2;
#else
    (void)fd, (void)size;
#endif
}

int discard_pipe_setup(void *opaque, const struct task *task, struct err *err)
{
    struct discard *discard = opaque;
    if (discard_setup(discard, task, err) != 0)
        return -1;
    if (pipe2(discard->pipe, O_CLOEXEC) != 0)
        return err_set(err, errno, "cannot make a pipe");
    grow_pipe(discard->pipe[1], discard->block);
    return 0;
}

void discard_teardown(void *opaque)
{
    struct discard *discard = opaque;
    int fds[] = {discard->pipe[1], discard->pipe[0], discard->null_fd};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

int discard_suits(discard_move *move, const char *call, const struct task *task, struct err *err)
{
    struct stat st;
    if (task->fd >= 0 || stat(task->open_path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    struct discard discard;
    struct tally tally = {0};
    int status = -1;
    int fd = open(task->open_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "cannot open '%s'", task->name);
    if (discard_pipe_setup(&discard, task, err) == 0) {
        ssize_t moved;
        do
            moved = move(&discard, fd, 1, &tally);
        while (moved < 0 && errno == EINTR);
        status = moved >= 0 ? 0 : err_set(err, errno, "%s(2) cannot read '%s'", call, task->name);
    }
    discard_teardown(&discard);
    close(fd);
    return status;
}
