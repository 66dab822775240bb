#include "config.h"

#include "family/exec.h"

#include "base/clock.h"
#include "family/file_part.h"
#include "measure/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static int redirect(int to, const char *path, int flags)
{
    int fd = open(path, flags, 0666);
    if (fd < 0 || dup2(fd, to) < 0)
        return -1;
    if (fd != to)
        close(fd);
    return 0;
}

/* In the forked process: becomes the command, its standard output at output (or as redirected when
 * that is -1). The shell reports at READY and waits for a line at GO. Never returns. */
enum { GO = 8, READY = 9 };

static void become_command(const struct exec_work *work, int output, const char *script)
{
    child_die_with_parent();
    if (redirect(STDIN_FILENO, work->input_path, O_RDONLY) != 0)
        _exit(126);
    if (output >= 0 ? dup2(output, STDOUT_FILENO) < 0
                    : work->output_path != NULL && redirect(STDOUT_FILENO, work->output_path,
                                                            O_WRONLY | O_CREAT | O_TRUNC) != 0)
        _exit(126);
    signal(SIGPIPE, work->inheritance->sigpipe_ignored ? SIG_IGN : SIG_DFL);
    sigprocmask(SIG_SETMASK, &work->inheritance->mask, NULL);
    if (work->argv != NULL) {
        execvp(work->argv[0], work->argv);
        script = work->command; /* no program; perhaps one of the shell's own commands */
    }
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    _exit(127);
}

int exec_spawn(const struct exec_work *work, pid_t *pid, struct err *err)
{
    *pid = fork();
    if (*pid == 0)
        become_command(work, -1, work->command);
    if (*pid > 0)
        return 0;
    *pid = 0;
    return err_set(err, errno, "cannot start '%s'", work->command);
}

static int judge(const struct exec_work *work, int status, struct err *err)
{
    if (WIFSIGNALED(status))
        return err_set(err, 0, "'%s' was ended by %s", work->command,
                       err_signal_name(WTERMSIG(status)));
    switch (WEXITSTATUS(status)) {
    case 0:
        return 0;
    case 127:
        return err_set(err, 0, "'%s' cannot be run (status 127): no such command", work->command);
    default:
        return err_set(err, 0, "'%s' exited with status %d", work->command, WEXITSTATUS(status));
    }
}

/* Puts the shell's ends where its script expects them; neither may be there already. */
static int place_pipes(int go, int ready)
{
    int go_above = fcntl(go, F_DUPFD_CLOEXEC, READY + 1);
    int ready_above = fcntl(ready, F_DUPFD_CLOEXEC, READY + 1);
    if (go_above < 0 || ready_above < 0)
        return -1;
    return dup2(go_above, GO) < 0 || dup2(ready_above, READY) < 0 ? -1 : 0;
}

/* A command on its way. */
struct exec_state {
    pid_t pid;      /* 0: not started */
    int go, output; /* our ends of the pipes, or -1 */
    char *script;
};

/* Starts a command that needs no shell, or the shell that waits for its turn. */
static int start(struct exec_state *state, const struct exec_work *work, bool digest,
                 struct err *err)
{
    int go[2] = {-1, -1}, ready[2] = {-1, -1}, output[2] = {-1, -1};
    bool shell = work->argv == NULL;
    if ((shell && (pipe2(go, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0)) ||
        (digest && pipe2(output, O_CLOEXEC) != 0))
        return err_set(err, errno, "cannot start '%s'", work->command);
    state->pid = fork();
    if (state->pid == 0) {
        if (shell && place_pipes(go[0], ready[1]) != 0)
            _exit(126);
        become_command(work, output[1], state->script);
    }
    if (state->pid < 0)
        return err_set(err, errno, "cannot start '%s'", work->command);
    if (digest)
        close(output[1]);
    state->output = output[0];
    if (!shell)
        return 0;
    close(go[0]);
    close(ready[1]);
    state->go = go[1];
    char byte;
    ssize_t got = read(ready[0], &byte, 1);
    close(ready[0]);
    return got == 1 ? 0 : err_set(err, 0, "cannot run '%s' by /bin/sh", work->command);
}

static char *make_script(const char *command)
{
    char *script;
    if (asprintf(&script, "printf r >&%d; read -r _ <&%d; exec %d<&- %d>&-\n%s", READY, GO, GO,
                 READY, command) < 0)
        return NULL;
    return script;
}

static int set_up(struct exec_state *state, const struct exec_work *work, bool digest,
                  struct err *err)
{
    *state = (struct exec_state){.go = -1, .output = -1};
#ifdef PR_SET_CHILD_SUBREAPER
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the command leaves behind comes to us */
#endif
    if (work->argv != NULL)
        return 0;
    state->script = make_script(work->command);
    if (state->script == NULL)
        return err_set(err, ENOMEM, "cannot start '%s'", work->command);
    return start(state, work, digest, err);
}

static int setup(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    (void)seat;
    return set_up(state, arg, false, err);
}

static int setup_verify(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    (void)seat;
    return set_up(state, arg, true, err);
}

static int let_go(struct exec_state *state, const struct exec_work *work, bool digest,
                  struct tally *tally, struct err *err)
{
    if (work->argv != NULL)
        return start(state, work, digest, err);
    tally->foreign_cpu_ns = clock_cpu_ns_of(state->pid); /* of the waiting shell */
    if (write(state->go, "\n", 1) != 1)
        return err_set(err, errno, "cannot start '%s'", work->command);
    return 0;
}

/* Digests what the command prints, to its end. */
static int digest_output(struct exec_state *state, struct tally *tally, struct err *err)
{
    enum { BLOCK = 64 * 1024 };
    XXH3_state_t *hash = XXH3_createState();
    char *block = malloc(BLOCK);
    ssize_t got = -1;
    if (hash != NULL && block != NULL) {
        XXH3_64bits_reset(hash);
        while ((got = read(state->output, block, BLOCK)) > 0 || (got < 0 && errno == EINTR)) {
            if (got < 0)
                continue;
            XXH3_64bits_update(hash, block, (size_t)got);
            tally->bytes += (uint64_t)got;
        }
        tally->digest = XXH3_64bits_digest(hash);
        tally->has_digest = got == 0;
    }
    free(block);
    XXH3_freeState(hash);
    return got == 0 ? 0 : err_set(err, errno, "cannot read the output of the command");
}

static int run_once(struct exec_state *state, const struct exec_work *work, bool digest,
                    struct tally *tally, struct err *err)
{
    int status = 0;
    tally->calls = tally->short_calls = UNKNOWN;
    if (let_go(state, work, digest, tally, err) != 0)
        return -1;
    if (digest && digest_output(state, tally, err) != 0)
        return -1;
    while (waitpid(state->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    state->pid = 0;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue; /* orphans that have ended: their time counts */
    if (judge(work, status, err) != 0)
        return -1;
    if (!digest)
        tally->bytes += work->pass_bytes;
    tally->passes++;
    return 0;
}

static int run(void *state, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    (void)seat, (void)passes; /* one run is one trial */
    return run_once(state, arg, false, tally, err);
}

static int run_verify(void *state, const void *arg, const struct seat *seat, uint64_t passes,
                      struct tally *tally, struct err *err)
{
    (void)seat, (void)passes;
    return run_once(state, arg, true, tally, err);
}

/* A shell that still waits ends with our end of its pipe. */
static void teardown(void *opaque)
{
    struct exec_state *state = opaque;
    if (state->pid > 0)
        kill(state->pid, SIGKILL);
    if (state->go >= 0)
        close(state->go);
    if (state->output >= 0)
        close(state->output);
    free(state->script);
}

static int prepare(const void *arg, struct err *err)
{
    const struct exec_work *work = arg;
    if (work->source == NULL)
        return 0;
    return file_prepare_cache(work->cache, work->keep_warm, work->source, err);
}

struct part exec_part(const struct exec_work *work)
{
    return (struct part){.name = work->name,
                         .state_size = sizeof(struct exec_state),
                         .arg = work,
                         .prepare = prepare,
                         .setup = setup,
                         .run = run,
                         .teardown = teardown};
}

struct part exec_verify_part(const struct exec_work *work)
{
    struct part part = exec_part(work);
    part.prepare = NULL;
    part.setup = setup_verify;
    part.run = run_verify;
    return part;
}
