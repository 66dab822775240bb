#include "config.h"

#include "measure/child.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

static void ending_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++)
        sigaddset(set, ending_signals[i]);
}

void child_block_signals(void)
{
    sigset_t set;
    ending_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

void child_die_with_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void become_child(pid_t parent)
{
    setpgid(0, 0);
    child_die_with_parent();
    if (getppid() != parent)
        _exit(1); /* the parent died before we asked to die with it */
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++) {
        struct sigaction now;
        if (sigaction(ending_signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            signal(ending_signals[i], SIG_DFL); /* what nohup ignored stays ignored */
    }
    signal(SIGPIPE, SIG_IGN);
    sigset_t set;
    ending_set(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void close_both(int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

int child_start(struct child *child, int (*main)(void *, int, int), void *arg, struct err *err)
{
    int report[2], go[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return err_set(err, errno, "cannot make a pipe");
    if (pipe2(go, O_CLOEXEC) != 0) {
        close_both(report);
        return err_set(err, errno, "cannot make a pipe");
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        close(report[0]);
        close(go[1]);
        become_child(parent);
        _exit(main(arg, report[1], go[0]));
    }
    if (pid < 0) {
        err_set(err, errno, "cannot start a process");
        close_both(report);
        close_both(go);
        return -1;
    }
    setpgid(pid, pid); /* both sides do it: whoever comes first */
    close(report[1]);
    close(go[0]);
    *child = (struct child){pid, report[0], go[1]};
    return 0;
}

enum child_event child_wait(const struct child *child, uint64_t deadline_ns,
                            const volatile sig_atomic_t *interrupted)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++)
        sigdelset(&mask, ending_signals[i]);
    for (;;) {
        if (interrupted != NULL && *interrupted != 0)
            return CHILD_SIGNAL;
        struct timespec left, *limit = NULL;
        if (deadline_ns > 0) {
            uint64_t now = clock_now_ns();
            if (now >= deadline_ns)
                return CHILD_LATE;
            left = (struct timespec){(time_t)((deadline_ns - now) / NS_PER_S),
                                     (long)((deadline_ns - now) % NS_PER_S)};
            limit = &left;
        }
        struct pollfd watch = {.fd = child->from, .events = POLLIN};
        if (ppoll(&watch, 1, limit, &mask) <= 0)
            continue; /* a signal, or the deadline: both are looked at above */
        char byte;
        return read(child->from, &byte, 1) == 1 ? CHILD_REPORTED : CHILD_GONE;
    }
}

void child_let_go(struct child *child)
{
    if (child->to >= 0)
        close(child->to);
    child->to = -1;
}

int child_end(struct child *child, bool kill_first)
{
    if (kill_first)
        kill(-child->pid, SIGKILL);
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    kill(-child->pid, SIGKILL); /* what it left behind in its group */
    close(child->from);
    child_let_go(child);
    return status;
}
