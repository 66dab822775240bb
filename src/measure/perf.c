#include "config.h"

#include "measure/perf.h"

#include "base/clock.h"
#include "measure/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* perf takes a moment to start and to write; longer than this it hangs. */
#define PATIENCE_MS 10000

static void close_both(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static void become_perf(const char *data_path, pid_t pid, int control, int ack)
{
    char target[32], fds[64];
    child_die_with_parent();
    /* perf needs its two descriptors over exec */
    fcntl(control, F_SETFD, 0);
    fcntl(ack, F_SETFD, 0);
    snprintf(target, sizeof target, "%ld", (long)pid);
    snprintf(fds, sizeof fds, "--control=fd:%d,%d", control, ack);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execlp("perf", "perf", "record", "-q", "-D", "-1", fds, "-o", data_path, "-p", target,
           (char *)NULL);
    _exit(127);
}

static int reap(struct perf *perf)
{
    int status = 0;
    while (waitpid(perf->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    perf->pid = 0;
    return status;
}

int perf_attach(struct perf *perf, pid_t pid, struct err *err)
{
    int control[2] = {-1, -1}, ack[2] = {-1, -1}, status = -1;
    if (pipe2(control, O_CLOEXEC) != 0 || pipe2(ack, O_CLOEXEC) != 0) {
        err_set(err, errno, "cannot make a pipe");
        goto out;
    }
    perf->pid = fork();
    if (perf->pid == 0)
        become_perf(perf->data_path, pid, control[0], ack[1]);
    close(ack[1]);
    ack[1] = -1;
    struct pollfd watch = {.fd = ack[0], .events = POLLIN};
    char answer[8];
    bool counting = perf->pid > 0 && write(control[1], "enable\n", 7) == 7 &&
                    poll(&watch, 1, PATIENCE_MS) == 1 && read(ack[0], answer, sizeof answer) > 0;
    if (counting) {
        perf->control = control[1];
        control[1] = -1;
        status = 0;
    } else if (perf->pid > 0) {
        kill(perf->pid, SIGKILL);
        reap(perf);
        err_set(err, 0, "perf record does not start: is it installed and allowed?");
    } else {
        err_set(err, errno, "cannot start perf");
    }
out:
    close_both(control);
    close_both(ack);
    return status;
}

int perf_finish(struct perf *perf, struct err *err)
{
    uint64_t deadline = clock_now_ns() + PATIENCE_MS * NS_PER_MS;
    int status;
    pid_t done;
    while ((done = waitpid(perf->pid, &status, WNOHANG)) == 0 && clock_now_ns() < deadline)
        poll(NULL, 0, 5);
    close(perf->control);
    if (done == perf->pid) {
        perf->pid = 0;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0
                   ? 0
                   : err_set(err, 0, "perf record failed");
    }
    kill(perf->pid, SIGKILL);
    reap(perf);
    return err_set(err, 0, "perf record did not end");
}

/* A line of `perf report`: "    34.80%|[k] copy_page". */
static bool parse_line(const char *line, struct perf_symbol *symbol)
{
    char *end;
    double percent = strtod(line, &end);
    const char *name = strchr(line, '|');
    if (end == line || name == NULL || *line == '#')
        return false;
    name++;
    if (strlen(name) > 4 && name[0] == '[')
        name += 4;
    snprintf(symbol->name, sizeof symbol->name, "%.*s", (int)strcspn(name, " \n"), name);
    symbol->share = percent / 100;
    return symbol->name[0] != '\0';
}

size_t perf_top(const char *data_path, struct perf_symbol symbols[PERF_SYMBOLS])
{
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        child_die_with_parent();
        dup2(null, STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execlp("perf", "perf", "report", "-i", data_path, "--stdio", "--no-children", "-g", "none",
               "-F", "overhead,symbol", "-t", "|", (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    FILE *report = fdopen(out[0], "r");
    size_t n = 0;
    char line[512];
    while (report != NULL && fgets(line, sizeof line, report) != NULL)
        if (n < PERF_SYMBOLS && parse_line(line, &symbols[n]))
            n++;
    if (report != NULL)
        fclose(report);
    else
        close(out[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return n;
}
