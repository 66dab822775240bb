/* Child processes: commands of the user, signals while they run, and that nothing is left behind.
 */
#include "config.h"

#include "check.h"
#include "parts.h"

#include "measure/child.h"
#include "measure/trial.h"

#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>

#define PATIENCE (60 * NS_PER_S)

static int catch_signals(void **state)
{
    (void)state;
    return catch_interrupts();
}

static int release_signals(void **state)
{
    (void)state;
    release_interrupts();
    return 0;
}

static void the_three_ending_signals_can_be_held_back(void **state)
{
    (void)state;
    static const int held[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t before, now;
    sigprocmask(SIG_BLOCK, NULL, &before);
    child_block_signals();
    sigprocmask(SIG_SETMASK, &before, &now);
    for (size_t i = 0; i < ROWS_OF(held); i++)
        CHECK_INT("blocked", sigismember(&now, held[i]), 1);
    CHECK_INT("SIGALRM is let through", sigismember(&now, SIGALRM), 0);
}

/* A pipe whose writing end is inherited: it comes to its end when all who have it are gone. */
struct leash {
    int reader, writer;
};

static struct leash new_leash(void)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    return (struct leash){ends[0], ends[1]};
}

/* How many bytes were written before the last holder went. */
static unsigned wait_until_all_are_gone(struct leash *leash)
{
    unsigned bytes = 0;
    char byte;
    close(leash->writer);
    struct pollfd watch = {.fd = leash->reader, .events = POLLIN};
    for (;;) {
        if (poll(&watch, 1, 30000) != 1)
            fail_msg("a process is left behind after %u bytes", bytes);
        if (read(leash->reader, &byte, 1) != 1)
            break;
        bytes++;
    }
    close(leash->reader);
    return bytes;
}

static int run_leaving_a_child(void *state, const void *arg, const struct seat *seat,
                               uint64_t passes, struct tally *tally, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)err;
    tally->passes = passes;
    if (fork() == 0) {
        execlp("sleep", "sleep", "300", (char *)NULL);
        _exit(127);
    }
    return 0;
}

static void what_a_part_starts_does_not_outlive_the_trial(void **state)
{
    (void)state;
    struct script script = {0};
    struct part part = part_of(&script, run_leaving_a_child);
    struct trial trial = {.subject = &part, .workers = 1, .passes = 3, .timeout_ns = PATIENCE};
    struct sample sample;
    struct err err = {0};
    struct leash leash = new_leash();
    if (trial_run(&trial, &sample, &err) != TRIAL_DONE)
        fail_msg("not done: %s", err.text);
    CHECK_COUNT("passes", sample.passes, ==, 3);
    wait_until_all_are_gone(&leash);
}

static int run_command(const char *line, struct err *err)
{
    *err = (struct err){0};
    interrupted_by = 0;
    int status = trial_run_command(line, PATIENCE, &interrupted_by, err);
    CHECK_INT("waitpid", waitpid(-1, NULL, WNOHANG), -1);
    return status;
}

static void a_command_that_succeeds_is_fine(void **state)
{
    (void)state;
    struct err err;
    CHECK_OK("true", run_command("true", &err), err);
    CHECK_OK("list", run_command("false || test a = a", &err), err);
}

static void a_command_that_fails_is_named_with_its_status(void **state)
{
    (void)state;
    struct err err;
    CHECK_INT("exit 3", run_command("exit 3", &err), -1);
    CHECK_TEXT("exit 3", err.text, "command 'exit 3' ended with status 3");
    CHECK_INT("signal", run_command("kill -KILL $$", &err), -1);
    CHECK_HAS("signal", err.text, "status 137");
}

static void a_command_that_takes_too_long_is_killed(void **state)
{
    (void)state;
    struct err err = {0};
    struct leash leash = new_leash();
    CHECK_INT("status", trial_run_command("sleep 300", 100 * NS_PER_MS, &interrupted_by, &err), -1);
    CHECK_HAS("message", err.text, "command 'sleep 300'");
    CHECK_INT("waitpid", waitpid(-1, NULL, WNOHANG), -1);
    wait_until_all_are_gone(&leash);
}

static void what_a_command_leaves_in_the_background_is_killed(void **state)
{
    (void)state;
    struct err err;
    struct leash leash = new_leash();
    char line[80];
    snprintf(line, sizeof line, "sleep 300 & echo >&%d", leash.writer);
    CHECK_OK(line, run_command(line, &err), err);
    CHECK_COUNT("bytes written", wait_until_all_are_gone(&leash), ==, 1);
}

static void an_interrupted_command_is_killed_with_all_it_started(void **state)
{
    (void)state;
    struct err err;
    struct leash leash = new_leash();
    char line[120];
    snprintf(line, sizeof line, "sleep 300 & echo >&%d; kill -INT %ld; wait", leash.writer,
             (long)getpid());
    CHECK_INT("status", run_command(line, &err), -1);
    CHECK_INT("signal", interrupted_by, SIGINT);
    CHECK_INT("number", err.number, EINTR);
    CHECK_COUNT("bytes written", wait_until_all_are_gone(&leash), ==, 1);
}

/* Runs a command while fd is a pipe; returns the number of bytes that came through it. */
static unsigned bytes_through(int fd, const char *line)
{
    struct err err;
    struct leash leash = new_leash();
    fflush(NULL);
    int kept = dup(fd);
    dup2(leash.writer, fd);
    int status = run_command(line, &err);
    dup2(kept, fd);
    close(kept);
    CHECK_OK(line, status, err);
    return wait_until_all_are_gone(&leash);
}

static void a_command_does_not_write_to_standard_output(void **state)
{
    (void)state;
    CHECK_COUNT("standard output", bytes_through(STDOUT_FILENO, "printf '' && true"), ==, 0);
    CHECK_COUNT("standard error", bytes_through(STDERR_FILENO, "printf abc"), ==, 3);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_ending_signals_can_be_held_back),
        cmocka_unit_test(what_a_part_starts_does_not_outlive_the_trial),
        cmocka_unit_test(a_command_that_succeeds_is_fine),
        cmocka_unit_test(a_command_that_fails_is_named_with_its_status),
        cmocka_unit_test(a_command_that_takes_too_long_is_killed),
        cmocka_unit_test(what_a_command_leaves_in_the_background_is_killed),
        cmocka_unit_test(an_interrupted_command_is_killed_with_all_it_started),
        cmocka_unit_test(a_command_does_not_write_to_standard_output),
    };
    return cmocka_run_group_tests_name("child", tests, catch_signals, release_signals);
}
