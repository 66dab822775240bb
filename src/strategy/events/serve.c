#include "config.h"

#include "strategy/events/serve.h"

#include <fcntl.h>
#include <sys/select.h>

void serve_start(struct serve *serve, const struct task *task, struct tally *tally, struct err *err)
{
    *serve = (struct serve){.task = task,
                            .tally = tally,
                            .err = err,
                            .eventfds = task->params->value[KNOB_KIND] == HANDLE_EVENTFD};
}

void serve_wake(const struct serve *serve)
{
    uint64_t one = 1;
    if (write(serve->task->stop_fd, &one, sizeof one) < 0)
        err_set(serve->err, errno, "cannot wake the other threads");
}

int serve_unblock(const struct task *task, struct err *err)
{
    for (unsigned i = 0; i < task->n_fds; i++) {
        int flags = fcntl(task->fds[i], F_GETFL);
        if (flags < 0 || fcntl(task->fds[i], F_SETFL, flags | O_NONBLOCK) != 0)
            return err_set(err, errno, "cannot make handle %u non-blocking", i + 1);
    }
    return 0;
}

int serve_fits_select(const struct task *task, struct err *err)
{
    for (unsigned i = 0; i < task->n_fds; i++)
        if (task->fds[i] >= FD_SETSIZE)
            return err_set(err, 0, "select takes descriptors below %d, and handle %u has number %d",
                           FD_SETSIZE, i + 1, task->fds[i]);
    return 0;
}
