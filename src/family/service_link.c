#include "config.h"

#include "family/service_part.h"

#include "peer/ends.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* Cut down to what the system allows (net.core.somaxconn). */
enum { BACKLOG = 65535 };

int service_meeting_init(struct service_meeting *meeting, const struct params *params,
                         struct err *err)
{
    bool each = params->value[KNOB_ACCEPT] == ACCEPT_REUSEPORT;
    *meeting = (struct service_meeting){.params = *params, .wake_fd = -1};
    meeting->n_listeners = each ? (unsigned)params->value[KNOB_THREADS] : 1;
    meeting->listeners = malloc(meeting->n_listeners * sizeof *meeting->listeners);
    meeting->shared = mmap(NULL, sizeof *meeting->shared, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (meeting->shared == MAP_FAILED)
        meeting->shared = NULL;
    if (meeting->shared == NULL || meeting->listeners == NULL)
        return err_set(err, ENOMEM, "cannot plan a server");
    for (unsigned i = 0; i < meeting->n_listeners; i++)
        meeting->listeners[i] = -1;
    return 0;
}

void service_meeting_free(struct service_meeting *meeting)
{
    if (meeting->listeners != NULL)
        ends_close(meeting->listeners, meeting->n_listeners);
    if (meeting->listen != NULL && meeting->listen->path != NULL && meeting->target.n > 0)
        unlink(meeting->listen->path);
    free(meeting->listeners);
    if (meeting->shared != NULL)
        munmap(meeting->shared, sizeof *meeting->shared);
}

/* Several sockets on one port, where there is one a thread: the kernel deals connections out
 * (SO_REUSEPORT, socket(7)). */
static int share_port(int fd, const void *arg, struct err *err)
{
    const struct service_meeting *meeting = arg;
    int yes = 1;
    if (meeting->n_listeners == 1 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) == 0)
        return 0;
    return err_set(err, errno, "cannot share a port between threads");
}

static int listen_on_loopback(struct service_meeting *meeting, struct err *err)
{
    struct load_target *target = &meeting->target;
    *target = (struct load_target){.n = 1, .name = "localhost"};
    address_loopback((enum transport)meeting->params.value[KNOB_TRANSPORT], &target->at[0].address,
                     &target->at[0].size);
    struct sockaddr *address = (struct sockaddr *)&target->at[0].address;
    for (unsigned i = 0; i < meeting->n_listeners; i++) {
        int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        meeting->listeners[i] = fd;
        if (fd < 0 || share_port(fd, meeting, err) != 0 ||
            bind(fd, address, target->at[0].size) != 0 || listen(fd, BACKLOG) != 0)
            return err_set(err, errno, "cannot listen on loopback");
        target->at[0].size = sizeof target->at[0].address;
        getsockname(fd, address, &target->at[0].size);
    }
    return 0;
}

int service_meeting_listen(struct service_meeting *meeting, struct err *err)
{
    for (unsigned i = 0; i < meeting->n_listeners; i++) {
        int fd = address_listen(meeting->listen, share_port, meeting, err);
        meeting->listeners[i] = fd;
        if (fd < 0)
            return -1;
        meeting->target.n = 1; /* what was made is taken away at the end */
        if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0 || listen(fd, BACKLOG) != 0)
            return err_set(err, errno, "cannot listen on '%s'", meeting->listen->text);
    }
    return 0;
}

static int open_wake(struct service_meeting *meeting, struct err *err)
{
    memset((void *)meeting->shared, 0, sizeof *meeting->shared);
    meeting->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return meeting->wake_fd >= 0 ? 0 : err_set(err, errno, "cannot make an eventfd");
}

static int open_both(void *opaque, struct err *err)
{
    struct service_meeting *meeting = opaque;
    return open_wake(meeting, err) == 0 ? listen_on_loopback(meeting, err) : -1;
}

static void close_wake(void *opaque)
{
    struct service_meeting *meeting = opaque;
    ends_close(&meeting->wake_fd, 1);
}

static void close_both(void *opaque)
{
    struct service_meeting *meeting = opaque;
    close_wake(meeting);
    ends_close(meeting->listeners, meeting->n_listeners);
}

static int open_alone(void *opaque, struct err *err)
{
    struct service_meeting *meeting = opaque;
    int status = open_wake(meeting, err);
    atomic_store(&meeting->shared->phase, PHASE_TIMED);
    return status;
}

static int open_exec(void *opaque, struct err *err)
{
    return open_wake(opaque, err);
}

/* Called in the parent. */
static void end_service(void *opaque)
{
    struct service_meeting *meeting = opaque;
    uint64_t one = 1;
    atomic_store(&meeting->shared->phase, PHASE_OVER);
    if (write(meeting->wake_fd, &one, sizeof one) < 0)
        return; /* it is full: whoever reads it is awake */
}

struct link service_link(struct service_meeting *meeting)
{
    return (struct link){.arg = meeting, .open = open_both, .close = close_both};
}

struct link service_link_alone(struct service_meeting *meeting)
{
    return (struct link){
        .arg = meeting, .open = open_alone, .close = close_wake, .wake = end_service};
}

struct link service_link_exec(struct service_meeting *meeting)
{
    return (struct link){.arg = meeting, .open = open_exec, .close = close_wake};
}
