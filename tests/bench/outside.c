#include "config.h"

#include "outside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 10, LOOKS = 500 };

static struct sockaddr_in loopback(unsigned port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

unsigned outside_port(void)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unsigned port = 0;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &size) == 0)
        port = ntohs(address.sin_port);
    else
        fprintf(stderr, "bench: no port: %s\n", strerror(errno));
    if (fd >= 0)
        close(fd);
    return port;
}

static bool accepts(unsigned port)
{
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool does = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return does;
}

pid_t outside_start(const char *command, unsigned port)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; pid > 0 && i < LOOKS; i++) {
        if (accepts(port))
            return pid;
        if (waitpid(pid, NULL, WNOHANG) == pid)
            break;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
    fprintf(stderr, "bench: '%s' does not serve\n", command);
    if (pid > 0 && kill(pid, SIGKILL) == 0)
        waitpid(pid, NULL, 0);
    return -1;
}

void outside_stop(pid_t pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

void outside_signal(pid_t pid, int signal)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    kill(pid, signal);
    FILE *children = fopen(path, "r");
    while (children != NULL && fscanf(children, "%d", &child) == 1)
        outside_signal(child, signal);
    if (children != NULL)
        fclose(children);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

double outside_cpu_s(const char *command, char *text, size_t size)
{
    int ends[2], status = -1;
    struct rusage usage;
    pid_t pid = pipe(ends) == 0 ? fork() : -1;
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (pid < 0)
        return (double)NAN;
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    size_t n = fread(text, 1, size - 1, out);
    text[n] = '\0';
    fclose(out);
    if (wait4(pid, &status, 0, &usage) == pid && status == 0)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    fprintf(stderr, "bench: '%s' failed\n", command);
    return (double)NAN;
}
