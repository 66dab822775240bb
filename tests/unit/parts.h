/* Small parts for the tests of trials and of the runner: each does one thing, good or bad. */
#ifndef IOBENCH_TESTS_PARTS_H
#define IOBENCH_TESTS_PARTS_H

#include "base/clock.h"
#include "measure/part.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Lies in memory that the children share with the test. */
struct board {
    _Atomic unsigned prepared, setups, runs, teardowns;
};

static inline struct board *new_board(void)
{
    void *map =
        mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return map != MAP_FAILED ? map : NULL;
}

static inline void free_board(struct board *board)
{
    munmap(board, sizeof *board);
}

/* The arg of every part here. */
struct script {
    struct board *board;
    uint64_t bytes;      /* of a pass */
    uint64_t pass_ns;    /* slept in each pass */
    uint64_t digest;     /* left by run_digest */
    unsigned bad_worker; /* whose setup or run fails */
    unsigned good_runs;  /* before run_dying_later and run_growing go wrong */
};

struct script_state {
    struct board *board;
    unsigned key; /* 100 for worker 0, 101 for worker 1, ... */
};

static inline void nap(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    while (ns > 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

static inline int prepare_noted(const void *arg, struct err *err)
{
    const struct script *script = arg;
    if (atomic_load(&script->board->setups) > 0)
        return err_set(err, 0, "prepared after the set-up");
    atomic_fetch_add(&script->board->prepared, 1);
    return 0;
}

static inline int prepare_failing(const void *arg, struct err *err)
{
    (void)arg;
    return err_set(err, EPERM, "cannot make it cold");
}

static inline int setup_noted(void *opaque, const void *arg, const struct seat *seat,
                              struct err *err)
{
    const struct script *script = arg;
    struct script_state *state = opaque;
    if (state->board != NULL || state->key != 0)
        return err_set(err, 0, "the state is not zeroed");
    *state = (struct script_state){script->board, 100 + seat->worker};
    atomic_fetch_add(&state->board->setups, 1);
    return 0;
}

static inline int setup_failing(void *state, const void *arg, const struct seat *seat,
                                struct err *err)
{
    const struct script *script = arg;
    if (setup_noted(state, arg, seat, err) != 0)
        return -1;
    return seat->worker == script->bad_worker ? err_set(err, ENOMEM, "cannot get a buffer") : 0;
}

static inline void teardown_noted(void *opaque)
{
    const struct script_state *state = opaque;
    atomic_fetch_add(&state->board->teardowns, 1);
}

/* Two calls a pass, one of them short, and three newlines. */
static inline int run_counting(void *state, const void *arg, const struct seat *seat,
                               uint64_t passes, struct tally *tally, struct err *err)
{
    (void)state, (void)err;
    const struct script *script = arg;
    if (script->board != NULL)
        atomic_fetch_add(&script->board->runs, 1);
    while (tally->passes < passes && !atomic_load(seat->stop)) {
        nap(script->pass_ns);
        tally->bytes += script->bytes;
        tally->calls += 2;
        tally->short_calls++;
        tally->newlines += 3;
        tally->passes++;
    }
    return 0;
}

static inline int run_digest(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                             struct tally *tally, struct err *err)
{
    const struct script *script = arg;
    tally->has_digest = true;
    tally->digest = script->digest;
    return run_counting(state, arg, seat, passes, tally, err);
}

/* A digest that is another one each time. */
static inline int run_restless_digest(void *state, const void *arg, const struct seat *seat,
                                      uint64_t passes, struct tally *tally, struct err *err)
{
    const struct script *script = arg;
    tally->has_digest = true;
    tally->digest = script->digest + atomic_load(&script->board->runs);
    return run_counting(state, arg, seat, passes, tally, err);
}

static inline int run_failing(void *state, const void *arg, const struct seat *seat,
                              uint64_t passes, struct tally *tally, struct err *err)
{
    const struct script *script = arg;
    run_counting(state, arg, seat, passes, tally, err);
    return seat->worker == script->bad_worker ? err_set(err, EIO, "cannot read '%s'", "x") : 0;
}

/* Ends the process by a signal, without a core file and whatever handler a sanitizer set. */
static inline void die(int signal_number)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static inline int run_dying(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                            struct tally *tally, struct err *err)
{
    run_counting(state, arg, seat, passes, tally, err);
    die(SIGBUS);
    return 0;
}

static inline int run_dying_later(void *state, const void *arg, const struct seat *seat,
                                  uint64_t passes, struct tally *tally, struct err *err)
{
    const struct script *script = arg;
    if (atomic_load(&script->board->runs) >= script->good_runs)
        die(SIGBUS);
    return run_counting(state, arg, seat, passes, tally, err);
}

/* From some run on, a pass has one byte more. */
static inline int run_growing(void *state, const void *arg, const struct seat *seat,
                              uint64_t passes, struct tally *tally, struct err *err)
{
    const struct script *script = arg;
    struct script grown = *script;
    grown.bytes += atomic_load(&script->board->runs) >= script->good_runs;
    return run_counting(state, &grown, seat, passes, tally, err);
}

static inline int hang(void)
{
    while (pause() != 0)
        continue;
    return 0;
}

/* Does its passes, then hangs. */
static inline int run_hanging(void *state, const void *arg, const struct seat *seat,
                              uint64_t passes, struct tally *tally, struct err *err)
{
    run_counting(state, arg, seat, passes, tally, err);
    return hang();
}

/* Does its passes, interrupts the process that measures, then hangs. */
static inline int run_interrupting(void *state, const void *arg, const struct seat *seat,
                                   uint64_t passes, struct tally *tally, struct err *err)
{
    run_counting(state, arg, seat, passes, tally, err);
    kill(getppid(), SIGINT);
    return hang();
}

static inline struct part part_of(const struct script *script,
                                  int (*run)(void *, const void *, const struct seat *, uint64_t,
                                             struct tally *, struct err *))
{
    return (struct part){
        .name = "scripted", .state_size = sizeof(struct script_state), .arg = script, .run = run};
}

/* What the parts above interrupt. Only INT is handled. */
static volatile sig_atomic_t interrupted_by;

static inline void note_signal(int signal_number)
{
    interrupted_by = signal_number;
}

/* From here on an INT waits until the measuring process looks for it, as under src/cli. */
static inline int catch_interrupts(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    interrupted_by = 0;
    return sigprocmask(SIG_BLOCK, &set, NULL) == 0 && signal(SIGINT, note_signal) != SIG_ERR ? 0
                                                                                             : -1;
}

static inline void release_interrupts(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    signal(SIGINT, SIG_IGN); /* throws away what is still pending */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGINT, SIG_DFL);
    interrupted_by = 0;
}

#endif
