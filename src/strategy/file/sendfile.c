/* sendfile(2) to /dev/null: no byte is copied, and none reaches user space. */
#include "config.h"

#include "strategy/file/discard.h"

#ifdef __linux__
#include <sys/sendfile.h>
#endif
#include <unistd.h>

static ssize_t send_some(const struct discard *discard, int fd, size_t want)
{
#ifdef __linux__
    return sendfile(discard->null_fd, fd, NULL, want);
#else
    (void)discard, (void)fd, (void)want;
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
    return err_set(err, 0, "the sendfile of this system sends to sockets only");
#endif
}

static int suits(const struct task *task, struct err *err)
{
    return discard_suits(send_some, "sendfile", task, err);
}

static int pass(void *opaque, const struct task *task, struct tally *tally, struct err *err)
{
    const struct discard *discard = opaque;
    int fd = file_open(task, true, tally, err);
    if (fd < 0)
        return -1;
    int status = 0;
    for (uint64_t left = task->length; left > 0;) {
        size_t want = left < discard->block ? (size_t)left : discard->block;
        uint64_t start = latency_start(tally);
        ssize_t sent = send_some(discard, fd, want);
        latency_stop(tally, start);
        tally->calls++;
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            status = file_read_error(task, err);
        if (sent <= 0)
            break;
        tally->short_calls += (size_t)sent < want;
        tally->bytes += (uint64_t)sent;
        left -= (uint64_t)sent;
    }
    file_close(fd, tally);
    return status;
}
