/* The user's own server as the subject of a trial. */
#include "config.h"

#include "family/service_part.h"

#include "base/clock.h"
#include "measure/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Who interrupts a run does not want to wait long for what it started. */
#define HURRY_NS (2 * NS_PER_S)

struct exec_server {
    const struct service_exec_work *work;
    const struct seat *seat;
    pid_t pid; /* 0: not started, or ended */
};

/* The load was ended before it was done. */
static bool is_cut_short(const struct exec_server *server)
{
    return atomic_load(server->seat->over) &&
           rendezvous_phase(server->work->meeting->shared) != PHASE_OVER;
}

static int tell_end(const struct service_exec_work *work, int status, struct err *err)
{
    if (WIFSIGNALED(status))
        return err_set(err, 0, "'%s' was ended by %s", work->exec.command,
                       err_signal_name(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 127)
        return err_set(err, 0, "'%s' cannot be run (status 127): no such command",
                       work->exec.command);
    return err_set(err, 0, "'%s' ended by itself, with status %d", work->exec.command,
                   WEXITSTATUS(status));
}

/* Did the process that was started end? One that left others behind (a daemon) did not: they are
 * ours, and serve. */
static int look_after(struct exec_server *server, struct err *err)
{
    int status;
    struct tree tree;
    if (server->pid == 0 || waitpid(server->pid, &status, WNOHANG) != server->pid)
        return 0;
    server->pid = 0;
    tree_look(getpid(), &tree);
    if (tree.processes > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return tell_end(server->work, status, err);
}

static bool accepts(const struct load_target *target)
{
    const struct sockaddr *address = (const void *)&target->at[0].address;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool there = fd >= 0 && connect(fd, address, target->at[0].size) == 0;
    if (fd >= 0)
        close(fd);
    return there;
}

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct exec_server *server = opaque;
    const struct service_exec_work *work = arg;
    const struct timespec moment = {.tv_nsec = 2 * (long)NS_PER_MS};
    uint64_t until = clock_now_ns() + work->timeout_ns;
    server->work = work;
    server->seat = seat;
#ifdef PR_SET_CHILD_SUBREAPER
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the command leaves behind comes to us */
#endif
    if (accepts(&work->meeting->target))
        return err_set(err, EADDRINUSE, "somebody else listens on the port for '%s'",
                       work->exec.command);
    if (exec_spawn(&work->exec, &server->pid, err) != 0)
        return -1;
    while (!accepts(&work->meeting->target)) {
        if (look_after(server, err) != 0)
            return -1;
        if (is_cut_short(server))
            return err_set(err, EINTR, "'%s' was not waited for", work->exec.command);
        if (clock_now_ns() > until)
            return err_set(err, ETIMEDOUT, "'%s' does not accept connections", work->exec.command);
        nanosleep(&moment, NULL);
    }
    return 0;
}

/* Sleeps until the load moves on to the phase, or the server is gone. */
static int wait_for_phase(struct exec_server *server, enum phase phase, struct err *err)
{
    enum { LOOK_MS = 50 };
    struct service_meeting *meeting = server->work->meeting;
    struct pollfd wait = {.fd = meeting->wake_fd, .events = POLLIN};
    while (rendezvous_phase(meeting->shared) < (int)phase && !is_cut_short(server)) {
        if (poll(&wait, 1, LOOK_MS) == 0 && look_after(server, err) != 0)
            return -1;
    }
    return 0;
}

static int ramp(void *opaque, const void *arg, const struct seat *seat, struct tally *tally,
                struct err *err)
{
    (void)arg, (void)seat, (void)tally;
    return wait_for_phase(opaque, PHASE_TIMED, err);
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct exec_server *server = opaque;
    const struct service_exec_work *work = arg;
    struct rendezvous *shared = work->meeting->shared;
    struct tree before, after;
    uint64_t wakes;
    (void)seat, (void)passes;
    if (read(work->meeting->wake_fd, &wakes, sizeof wakes) < 0 && errno != EAGAIN)
        return err_set(err, errno, "cannot begin");
    tally->calls = tally->short_calls = UNKNOWN;
    tree_look(getpid(), &before);
    atomic_fetch_add(&shared->serving, 1);
    int status = wait_for_phase(server, PHASE_OVER, err);
    tree_look(getpid(), &after);
    atomic_fetch_sub(&shared->serving, 1);
    tally->tree_cpu_ns = after.cpu_ns > before.cpu_ns ? after.cpu_ns - before.cpu_ns : 0;
    tally->tree_rss_bytes = after.peak_rss_bytes;
    tally->passes = 1;
    return status;
}

/* Asks all of them to end, and makes them when they do not. */
static void teardown(void *opaque)
{
    struct exec_server *server = opaque;
    const struct timespec moment = {.tv_nsec = (long)NS_PER_MS};
    if (server->work == NULL)
        return;
    uint64_t began = clock_now_ns(), timeout = server->work->timeout_ns;
    tree_signal(getpid(), SIGTERM);
    for (;;) {
        pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended < 0 && errno == ECHILD)
            return;
        if (ended > 0)
            continue;
        if (is_cut_short(server) && timeout > HURRY_NS)
            timeout = HURRY_NS;
        if (clock_now_ns() - began > timeout)
            tree_signal(getpid(), SIGKILL);
        nanosleep(&moment, NULL);
    }
}

struct part service_exec_part(const struct service_exec_work *work)
{
    return (struct part){.name = work->exec.name,
                         .state_size = sizeof(struct exec_server),
                         .arg = work,
                         .setup = setup,
                         .ramp = ramp,
                         .run = run,
                         .teardown = teardown};
}
