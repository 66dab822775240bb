#include "config.h"

#include "measure/trial.h"

#include "base/clock.h"
#include "base/histogram.h"
#include "measure/child.h"
#include "measure/usage.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shared with the child. */
struct stage {
    struct err err, perf_err;
    struct sample sample;        /* complete once the child says so */
    _Atomic uint64_t started_ns; /* 0 until the clock of the timed part runs */
    _Atomic bool stop;
    struct tally tally[]; /* one per worker; behind them their histograms, where asked for */
};

struct actor {
    const struct trial *trial;
    struct stage *stage;
};

struct worker {
    const struct actor *actor;
    struct seat seat;
    void *state;
    pthread_t thread;
    pthread_barrier_t *start;
    struct err err;
    int status;
};

static size_t stage_size(const struct trial *trial)
{
    size_t per_worker =
        sizeof(struct tally) + (trial->latency != NULL ? sizeof(struct histogram) : 0);
    return sizeof(struct stage) + trial->workers * per_worker;
}

static struct histogram *stage_histogram(const struct trial *trial, struct stage *stage,
                                         unsigned worker)
{
    if (trial->latency == NULL)
        return NULL;
    return (struct histogram *)(void *)&stage->tally[trial->workers] + worker;
}

static int run_worker(struct worker *worker)
{
    const struct trial *trial = worker->actor->trial;
    return trial->subject->run(worker->state, trial->subject->arg, &worker->seat, trial->passes,
                               &worker->actor->stage->tally[worker->seat.worker], &worker->err);
}

static void *worker_main(void *opaque)
{
    struct worker *worker = opaque;
    pthread_barrier_wait(worker->start);
    worker->status = run_worker(worker);
    return NULL;
}

/* Sets up all workers; state is one block with room for each. */
static int set_up(struct worker *workers, const struct actor *actor, struct err *err)
{
    const struct part *part = actor->trial->subject;
    for (unsigned i = 0; i < actor->trial->workers; i++) {
        struct worker *worker = &workers[i];
        worker->actor = actor;
        worker->seat =
            (struct seat){i, actor->trial->workers, workers[0].state, &actor->stage->stop};
        if (part->setup != NULL && part->setup(worker->state, part->arg, &worker->seat, err) != 0)
            return -1;
    }
    return 0;
}

static int start_threads(struct worker *workers, unsigned n, pthread_barrier_t *start,
                         struct err *err)
{
    if (n == 1)
        return 0; /* no thread at all: the C library would begin to lock its streams */
    int status = pthread_barrier_init(start, NULL, n);
    for (unsigned i = 1; status == 0 && i < n; i++) {
        workers[i].start = start;
        status = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
    }
    return status == 0 ? 0 : err_set(err, status, "cannot start %u threads", n);
}

/* The timed part. */
static int run_all(struct worker *workers, const struct trial *trial, struct stage *stage)
{
    unsigned n = trial->workers;
    for (unsigned i = 0; i < n; i++) /* touched before the clock runs */
        stage->tally[i] =
            (struct tally){.phases = trial->phases, .latency = stage_histogram(trial, stage, i)};
    struct usage before, after;
    usage_start(&before);
    stage->started_ns = before.wall_ns;
    if (n > 1)
        pthread_barrier_wait(workers[1].start);
    workers[0].status = run_worker(&workers[0]);
    for (unsigned i = 1; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    usage_stop(&after);
    usage_difference(&before, &after, &stage->sample);
    if (stage->tally[0].foreign_cpu_ns < stage->sample.cpu_ns)
        stage->sample.cpu_ns -= stage->tally[0].foreign_cpu_ns;
    for (unsigned i = 0; i < n; i++)
        if (workers[i].status != 0) {
            stage->err = workers[i].err;
            return -1;
        }
    return 0;
}

static int act(void *opaque, int report, int go)
{
    struct actor *actor = opaque;
    const struct trial *trial = actor->trial;
    struct stage *stage = actor->stage;
    struct err *err = &stage->err;
    unsigned n = trial->workers;
    pthread_barrier_t start;
    int status = -1;

    if (trial->cpus != NULL && usage_pin(trial->cpus, err) != 0)
        return 1;
    uint64_t began = clock_now_ns();
    if (trial->subject->prepare != NULL && trial->subject->prepare(trial->subject->arg, err) != 0)
        return 1;
    stage->sample.prepare_ns = clock_now_ns() - began;
    began = clock_now_ns();
    size_t size = (trial->subject->state_size + 63) / 64 * 64;
    struct worker *workers = calloc(n, sizeof *workers);
    char *states = aligned_alloc(64, size * n > 0 ? size * n : 64);
    if (workers == NULL || states == NULL) {
        err_set(err, errno, "cannot set up %u workers", n);
        goto out;
    }
    memset(states, 0, size * n);
    for (unsigned i = 0; i < n; i++)
        workers[i].state = states + i * size;
    if (set_up(workers, actor, err) != 0)
        goto out;
    if (start_threads(workers, n, &start, err) != 0)
        _exit(1); /* some wait at the barrier already and cannot be called back */
    stage->sample.setup_ns = clock_now_ns() - began;
    stage->sample.peak_rss_anon_bytes = usage_anonymous_bytes();

    char byte = 'r';
    if (write(report, &byte, 1) != 1 || read(go, &byte, 1) != 1)
        _exit(1); /* the parent is gone */
    status = run_all(workers, trial, stage);
out:
    for (unsigned i = 0; workers != NULL && i < n && trial->subject->teardown != NULL; i++)
        if (workers[i].actor != NULL)
            trial->subject->teardown(workers[i].state);
    return status == 0 ? 0 : 1;
}

/* Sums the tallies; on an unfinished trial they are what was done until now. */
static void collect(const struct trial *trial, const struct stage *stage, bool complete,
                    struct sample *sample)
{
    *sample = stage->sample;
    sample->complete = complete;
    sample->passes = stage->tally[0].passes;
    for (unsigned i = 0; i < trial->workers; i++) {
        const struct tally *tally = &stage->tally[i];
        sample->bytes += tally->bytes;
        if (tally->calls == UNKNOWN || sample->calls == UNKNOWN)
            sample->calls = UNKNOWN;
        else
            sample->calls += tally->calls;
        sample->short_calls += tally->short_calls;
        sample->newlines += tally->newlines;
        sample->open_ns += tally->open_ns;
        sample->close_ns += tally->close_ns;
        if (tally->has_digest) {
            sample->has_digest = true;
            sample->digest = tally->digest;
        }
    }
    if (!complete) {
        uint64_t started = atomic_load(&stage->started_ns);
        sample->wall_ns = started > 0 ? clock_now_ns() - started : 0;
        usage_unknown(sample);
    }
}

/* Waits for the duration to pass from the moment at which the child's clock started. */
static enum child_event wait_out(const struct trial *trial, const struct stage *stage,
                                 const struct child *child)
{
    for (;;) {
        uint64_t now = clock_now_ns();
        uint64_t started = atomic_load(&stage->started_ns);
        uint64_t deadline = (started > 0 ? started : now) + trial->duration_ns;
        if (started > 0 && now >= deadline)
            return CHILD_LATE;
        enum child_event event = child_wait(child, deadline, trial->interrupted);
        if (event != CHILD_LATE)
            return event;
    }
}

/* Lets the child go through its two stages. Sets *end unless the child came to its own end. */
static bool conduct(const struct trial *trial, struct stage *stage, struct child *child,
                    enum trial_end *end)
{
    uint64_t deadline = clock_now_ns() + trial->timeout_ns;
    enum child_event event = child_wait(child, deadline, trial->interrupted);
    if (event == CHILD_REPORTED && trial->perf != NULL &&
        perf_attach(trial->perf, child->pid, &stage->perf_err) != 0) {
        *end = TRIAL_FAILED;
        return false;
    }
    if (event == CHILD_REPORTED) {
        if (write(child->to, "g", 1) != 1)
            return true; /* it died: its status tells */
        if (trial->duration_ns > 0) {
            event = wait_out(trial, stage, child);
            if (event == CHILD_LATE)
                atomic_store(&stage->stop, true);
        }
        if (event == CHILD_REPORTED || event == CHILD_LATE)
            event = child_wait(child, deadline + trial->duration_ns, trial->interrupted);
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
    struct actor actor = {trial, stage};
    struct child child;
    enum trial_end end = TRIAL_FAILED;
    if (child_start(&child, act, &actor, err) == 0) {
        bool finished = conduct(trial, stage, &child, &end);
        char seconds[32];
        if (!finished)
            collect(trial, stage, false, sample);
        int status = child_end(&child, !finished);
        if (finished) {
            *err = stage->err;
            end = judge_status(status, err);
            collect(trial, stage, end == TRIAL_DONE, sample);
            for (unsigned i = 0; trial->latency != NULL && i < trial->workers; i++)
                histogram_merge(trial->latency, stage_histogram(trial, stage, i));
        } else if (end == TRIAL_TIMED_OUT) {
            snprintf(seconds, sizeof seconds, "%.3g", (double)trial->timeout_ns / 1e9);
            err_set(err, 0, "not done after %s s", seconds);
            err->number = ETIMEDOUT;
        } else if (end == TRIAL_FAILED) {
            *err = stage->perf_err;
        }
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
