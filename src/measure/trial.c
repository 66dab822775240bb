#include "config.h"

#include "measure/trial.h"

#include "base/clock.h"
#include "measure/actor.h"
#include "measure/child.h"
#include "measure/collect.h"
#include "measure/usage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the other end may take to end once the driver has. */
#define OTHER_GRACE_NS (3 * NS_PER_S)

/* Waits for the child's end, looking at what it does every interval. CHILD_LATE: the duration has
 * passed since its clock started, or the deadline. */
static enum child_event wait_watching(const struct trial *trial, struct stage *stage,
                                      const struct child *child, uint64_t duration_ns,
                                      uint64_t deadline)
{
    enum { FIRST_LOOK_MS = 1 };
    for (;;) {
        uint64_t now = clock_now_ns(), until = deadline;
        uint64_t started = atomic_load(&stage->started_ns);
        if (now >= deadline || (duration_ns > 0 && started > 0 && now >= started + duration_ns))
            return CHILD_LATE;
        if (started == 0 && (duration_ns > 0 || trial->interval_ns > 0))
            until = now + FIRST_LOOK_MS * NS_PER_MS;
        if (started > 0 && duration_ns > 0 && started + duration_ns < until)
            until = started + duration_ns;
        uint64_t next =
            started + trial->interval_ns * (trial->intervals != NULL ? trial->intervals->n + 1 : 1);
        /* what would be left behind the last one is part of it */
        bool last = duration_ns > 0 && next + trial->interval_ns / 10 > started + duration_ns;
        bool looks = started > 0 && trial->interval_ns > 0 && !last && !atomic_load(&stage->stop);
        if (looks && next < until)
            until = next;
        enum child_event event = child_wait(child, until, trial->interrupted);
        if (event != CHILD_LATE)
            return event;
        if (looks && clock_now_ns() >= next)
            collect_interval(trial, stage, started);
    }
}

/* The processes of a trial, by role; the peer is NULL where there is none. */
struct cast {
    struct child *of[ROLES];
};

/* Tells the subject that its time is over. */
static void tell_stop(const struct trial *trial, struct stage *stage)
{
    atomic_store(&stage->stop, true);
    if (trial->link != NULL && trial->link->wake != NULL)
        trial->link->wake(trial->link->arg);
}

/* Waits for the end of who sets the pace, from the start signal on. */
static enum child_event wait_for_driver(const struct trial *trial, struct stage *stage,
                                        const struct child *driver, uint64_t deadline)
{
    enum child_event event = CHILD_REPORTED;
    if (trial->duration_ns > 0) {
        event =
            wait_watching(trial, stage, driver, trial->duration_ns, deadline + trial->duration_ns);
        if (event == CHILD_LATE)
            tell_stop(trial, stage); /* where it has not begun, it never will */
    } else if (trial->serves) {
        event = wait_watching(trial, stage, driver, 0, UINT64_MAX);
        if (event == CHILD_SIGNAL) { /* its regular end */
            tell_stop(trial, stage);
            return child_wait(driver, clock_now_ns() + trial->timeout_ns, NULL);
        }
    }
    if (event == CHILD_REPORTED || event == CHILD_LATE)
        event = wait_watching(trial, stage, driver, 0, deadline + trial->duration_ns);
    return event;
}

/* Lets them go through their two stages. Sets *end unless the driver came to its own end. */
static bool conduct(const struct trial *trial, struct stage *stage, const struct cast *cast,
                    enum trial_end *end)
{
    uint64_t deadline = clock_now_ns() + trial->timeout_ns;
    struct child *subject = cast->of[SUBJECT], *peer = cast->of[PEER];
    enum child_event event = child_wait(subject, deadline, trial->interrupted);
    if (event == CHILD_REPORTED && peer != NULL) {
        enum child_event other = child_wait(peer, deadline, trial->interrupted);
        if (other == CHILD_GONE) {
            *end = TRIAL_FAILED;
            return false;
        }
        if (other != CHILD_REPORTED)
            event = other;
    }
    if (event == CHILD_REPORTED && trial->perf != NULL &&
        perf_attach(trial->perf, subject->pid, &stage->perf_err) != 0) {
        *end = TRIAL_FAILED;
        return false;
    }
    if (event == CHILD_GONE && trial->peer_drives) { /* the server is not there at all */
        *end = TRIAL_FAILED;
        return false;
    }
    if (event == CHILD_REPORTED) {
        if (trial->intervals != NULL && trial->interval_ns > 0)
            trial->intervals->switches_before = usage_system_switches();
        if (write(subject->to, "g", 1) != 1) { /* it died: its status tells */
            *end = TRIAL_FAILED;
            return !trial->peer_drives;
        }
        if (peer != NULL && write(peer->to, "g", 1) != 1)
            event = CHILD_REPORTED; /* it died: the subject will notice, or it was the driver */
        event = wait_for_driver(trial, stage, cast->of[trial_driver(trial)], deadline);
    }
    if (event == CHILD_GONE)
        return true;
    *end = event == CHILD_LATE ? TRIAL_TIMED_OUT : TRIAL_INTERRUPTED;
    return false;
}

static enum trial_end judge_status(int status, struct err *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && err->text[0] == '\0')
        return TRIAL_DONE;
    if (WIFSIGNALED(status))
        err_set(err, 0, "ended by %s (%s)", err_signal_name(WTERMSIG(status)),
                strsignal(WTERMSIG(status)));
    else
        err_set(err, 0, "ended with status %d", WEXITSTATUS(status));
    return TRIAL_FAILED;
}

/* Ends who does not set the pace, who has a moment to come to an end of its own after a driver that
 * finished well, and notes what it did not say itself. */
static void end_other(struct child *other, enum role role, bool finished, uint64_t grace_ns,
                      struct stage *stage)
{
    struct err *err = &stage->err[role];
    uint64_t grace = finished ? OTHER_GRACE_NS : NS_PER_MS; /* is it gone already? */
    if (grace_ns > 0)
        grace = grace_ns;
    uint64_t deadline = clock_now_ns() + grace;
    child_let_go(other);
    enum child_event event;
    do /* that it was ready may not have been heard yet */
        event = child_wait(other, deadline, NULL);
    while (event == CHILD_REPORTED);
    bool there = event != CHILD_GONE;
    int status = child_end(other, there);
    if (there && finished)
        err_set(err, 0, "the other end still waited when this one was done");
    else if (there)
        return;
    else if (WIFSIGNALED(status))
        err_set(err, 0, "the other end was ended by %s", err_signal_name(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        err_set(err, 0, "the other end ended with status %d", WEXITSTATUS(status));
}

/* What the other end says goes first where the driver only suffered from it. */
static void explain_failure(const struct err *other, struct err *err)
{
    if (other->text[0] == '\0')
        return;
    struct err own = *err;
    *err = (struct err){0};
    if (own.text[0] != '\0')
        err_set(err, 0, "%.230s (%.230s)", other->text, own.text);
    else
        *err = *other;
    err->number = other->number;
}

static enum trial_end play(const struct trial *trial, struct stage *stage, const struct cast *cast,
                           struct sample *sample, struct err *err)
{
    enum trial_end end = TRIAL_FAILED;
    enum role driver = trial_driver(trial), other = driver == PEER ? SUBJECT : PEER;
    bool finished = conduct(trial, stage, cast, &end);
    if (!finished)
        collect_subject(trial, stage, false, sample);
    int status = child_end(cast->of[driver], !finished);
    atomic_store(&stage->over, true);
    if (cast->of[other] != NULL)
        end_other(cast->of[other], other, finished && WIFEXITED(status) && WEXITSTATUS(status) == 0,
                  trial->grace_ns, stage);
    if (finished) {
        *err = stage->err[driver];
        end = judge_status(status, err);
        collect_subject(trial, stage, end == TRIAL_DONE, sample);
    } else if (end == TRIAL_TIMED_OUT) {
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%.3g", (double)trial->timeout_ns / 1e9);
        err_set(err, 0, "not done after %s s", seconds);
        err->number = ETIMEDOUT;
    } else if (end == TRIAL_FAILED) {
        *err = stage->perf_err;
    }
    if (cast->of[PEER] != NULL)
        collect_peer(trial, stage, sample);
    if (end == TRIAL_DONE && stage->err[other].text[0] != '\0') {
        end = TRIAL_FAILED; /* what was measured is not what was meant */
        sample->complete = false;
    }
    if ((end == TRIAL_FAILED || end == TRIAL_TIMED_OUT) && cast->of[other] != NULL)
        explain_failure(&stage->err[other], err);
    if (end != TRIAL_FAILED)
        collect_histograms(trial, stage);
    if (finished && trial->intervals != NULL && trial->interval_ns > 0)
        collect_last_interval(trial, sample);
    return end;
}

/* Starts the processes, with what joins them; 0, or -1 with none left. */
static int start_all(const struct trial *trial, struct actor actors[ROLES], const struct cast *cast,
                     struct err *err)
{
    const struct link *link = trial->link != NULL && trial->link->open != NULL ? trial->link : NULL;
    int status = link != NULL ? link->open(link->arg, err) : 0;
    if (status == 0)
        status = child_start(cast->of[SUBJECT], actor_main, &actors[SUBJECT], err);
    if (status == 0 && cast->of[PEER] != NULL) {
        status = child_start(cast->of[PEER], actor_main, &actors[PEER], err);
        if (status != 0)
            child_end(cast->of[SUBJECT], true);
    }
    if (link != NULL && (link->wake == NULL || status != 0))
        link->close(link->arg);
    return status;
}

enum trial_end trial_run(const struct trial *trial, struct sample *sample, struct err *err)
{
    *sample = (struct sample){.cpu = -1};
    size_t size = stage_size(trial);
    struct stage *stage =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage == MAP_FAILED) {
        err_set(err, errno, "cannot share memory for %u workers", trial->workers);
        return TRIAL_FAILED;
    }
    struct actor actors[ROLES] = {{trial, stage, SUBJECT}, {trial, stage, PEER}};
    struct child subject, peer;
    struct cast cast = {{&subject, trial->peer != NULL ? &peer : NULL}};
    enum trial_end end = TRIAL_FAILED;
    if (start_all(trial, actors, &cast, err) == 0) {
        end = play(trial, stage, &cast, sample, err);
        if (trial->link != NULL && trial->link->wake != NULL)
            trial->link->close(trial->link->arg);
    }
    if (trial->perf != NULL && trial->perf->pid > 0 && perf_finish(trial->perf, err) != 0)
        end = TRIAL_FAILED;
    munmap(stage, size);
    return end;
}

struct command {
    const char *line;
};

/* Waits in between, so that the pipe's end means that the command is done, whatever it started. */
static int run_shell(void *opaque, int report, int go)
{
    (void)report, (void)go;
    const struct command *command = opaque;
    pid_t pid = fork();
    if (pid == 0) {
        child_die_with_parent();
        signal(SIGPIPE, SIG_DFL);
        dup2(STDERR_FILENO, STDOUT_FILENO); /* our standard output is for the result alone */
        execl("/bin/sh", "sh", "-c", command->line, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid < 0)
        return 127;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int trial_run_command(const char *line, uint64_t timeout_ns,
                      const volatile sig_atomic_t *interrupted, struct err *err)
{
    struct command command = {line};
    struct child child;
    if (child_start(&child, run_shell, &command, err) != 0)
        return -1;
    enum child_event event = child_wait(&child, clock_now_ns() + timeout_ns, interrupted);
    int status = child_end(&child, event != CHILD_GONE);
    if (event == CHILD_LATE)
        return err_set(err, 0, "command '%s' took too long", line);
    if (event == CHILD_SIGNAL)
        return err_set(err, EINTR, "command '%s' was not waited for", line);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0)
        return err_set(err, 0, "command '%s' ended with status %d", line,
                       WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}
