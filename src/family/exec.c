#include "config.h"

#include "family/exec.h"

#include "measure/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define BLOCK_SIZE_MARK "{block_size}"
#define FILE_MARK "{}"

const char *exec_split_name(const char *text, size_t *name_length)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    bool named = n > 0 && text[n] == '=';
    *name_length = named ? n : 0;
    return named ? text + n + 1 : text;
}

bool exec_takes_block_size(const char *command)
{
    return strstr(command, BLOCK_SIZE_MARK) != NULL;
}

/* A word for sh(1): plain where nothing in it means anything to the shell, else in single quotes. */
static void put_word(FILE *out, const char *text)
{
    if (*text != '\0' && text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789._-/+,:@%")] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

static char *fill_in(const char *command, const struct source *source, uint64_t block_size)
{
    char *filled = NULL;
    size_t size;
    FILE *out = open_memstream(&filled, &size);
    if (out == NULL)
        return NULL;
    while (*command != '\0') {
        if (strncmp(command, FILE_MARK, strlen(FILE_MARK)) == 0) {
            for (size_t i = 0; i < source->n; i++) {
                fputs(i > 0 ? " " : "", out);
                put_word(out, source->files[i].open_path);
            }
            command += strlen(FILE_MARK);
        } else if (strncmp(command, BLOCK_SIZE_MARK, strlen(BLOCK_SIZE_MARK)) == 0) {
            fprintf(out, "%" PRIu64, block_size);
            command += strlen(BLOCK_SIZE_MARK);
        } else {
            fputc(*command++, out);
        }
    }
    if (fclose(out) == 0)
        return filled;
    free(filled);
    return NULL;
}

/* The words of a command that means the same without a shell; NULL when it needs one. They point into
 * the command's copy, which is argv[0]. */
static char **split_words(const char *command)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-/+,:@%= ";
    if (command[strspn(command, plain)] != '\0' || strspn(command, " ") == strlen(command))
        return NULL;
    /* FOO=1 command: an assignment, which is the shell's business */
    size_t first = strspn(command, " ");
    if (memchr(command + first, '=', strcspn(command + first, " ")) != NULL)
        return NULL;
    char **words = calloc(strlen(command) / 2 + 2, sizeof *words);
    char *rest = strdup(command + first);
    if (words == NULL || rest == NULL) {
        free(words);
        free(rest);
        return NULL;
    }
    size_t n = 0;
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word != '\0')
            words[n++] = word;
    return words;
}

int exec_work_init(struct exec_work *work, const char *command, const struct source *source,
                   uint64_t block_size, struct err *err)
{
    bool takes_file = strstr(command, FILE_MARK) != NULL;
    if (command[strspn(command, " ")] == '\0')
        return err_set(err, 0, "--exec: empty command");
    if (!takes_file && source->n > 1)
        return err_set(err, 0, "--exec: '%s' has no {}, and several files cannot all be its "
                               "standard input", command);
    if (takes_file && source->n > 0 && source->files[0].fd >= 0)
        return err_set(err, 0, "--exec: '%s' has {}, and standard input has no name", command);
    *work = (struct exec_work){.command = fill_in(command, source, block_size)};
    if (work->command == NULL)
        return err_set(err, ENOMEM, "--exec: '%s'", command);
    work->argv = split_words(work->command);
    work->input_path = takes_file || source->n == 0 ? "/dev/null" : source->files[0].open_path;
    work->output_path = "/dev/null";
    return 0;
}

void exec_work_free(struct exec_work *work)
{
    if (work->argv != NULL)
        free(work->argv[0]);
    free(work->argv);
    free(work->command);
}

static int redirect(int to, const char *path, int flags)
{
    int fd = open(path, flags, 0666);
    if (fd < 0 || dup2(fd, to) < 0)
        return -1;
    if (fd != to)
        close(fd);
    return 0;
}

/* In the forked process: becomes the command. Only returns by _exit, 127 where it cannot be run. */
static void become_command(const struct exec_work *work)
{
    child_die_with_parent();
    if (redirect(STDIN_FILENO, work->input_path, O_RDONLY) != 0 ||
        (work->output_path != NULL &&
         redirect(STDOUT_FILENO, work->output_path, O_WRONLY | O_CREAT | O_TRUNC) != 0))
        _exit(126);
    signal(SIGPIPE, work->inheritance->sigpipe_ignored ? SIG_IGN : SIG_DFL);
    sigprocmask(SIG_SETMASK, &work->inheritance->mask, NULL);
    if (work->argv != NULL)
        execvp(work->argv[0], work->argv);
    else
        execl("/bin/sh", "sh", "-c", work->command, (char *)NULL);
    _exit(127);
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
        return err_set(err, 0, "'%s' cannot be run (status 127): no such command",
                       work->command);
    default:
        return err_set(err, 0, "'%s' exited with status %d", work->command, WEXITSTATUS(status));
    }
}

static int setup(void *state, const void *arg, const struct seat *seat, struct err *err)
{
    (void)state, (void)arg, (void)seat, (void)err;
#ifdef PR_SET_CHILD_SUBREAPER
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the command leaves behind comes to us */
#endif
    return 0;
}

static int run(void *state, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    (void)state;
    const struct exec_work *work = arg;
    tally->calls = tally->short_calls = UNKNOWN;
    for (uint64_t p = 0; p < passes && !atomic_load_explicit(seat->stop, memory_order_relaxed); p++) {
        int status = 0;
        pid_t pid = fork();
        if (pid == 0)
            become_command(work);
        if (pid < 0)
            return err_set(err, errno, "cannot start '%s'", work->command);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue; /* orphans that have ended: their time counts */
        if (judge(work, status, err) != 0)
            return -1;
        tally->bytes += work->pass_bytes;
        tally->passes++;
    }
    return 0;
}

struct part exec_part(const struct exec_work *work)
{
    return (struct part){.name = work->name, .arg = work, .setup = setup, .run = run};
}
