/* Bare reference for streams: what a program would write by hand, a sender and a receiver.
 *
 *     bare_stream tcp|unix BLOCK SEND BYTES RAMP [CONGESTION [SENDER-CPU RECEIVER-CPU]]
 *
 * The receiver drains RAMP bytes, takes the clock, drains BYTES more and takes it again; it prints
 * the nanoseconds and the bytes. */
#include "config.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t kept;

static void pin(const char *cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(strtoul(cpu, NULL, 10), &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int join(const char *kind, const char *congestion, int pair[2])
{
    if (strcmp(kind, "unix") == 0)
        return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof in;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&in, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&in, &size) != 0)
        return -1;
    pair[1] = socket(AF_INET, SOCK_STREAM, 0);
    if (congestion != NULL && setsockopt(pair[1], IPPROTO_TCP, TCP_CONGESTION, congestion,
                                         (socklen_t)strlen(congestion)) != 0)
        return -1;
    if (connect(pair[1], (struct sockaddr *)&in, size) != 0)
        return -1;
    pair[0] = accept(listener, NULL, NULL);
    return pair[0] < 0 ? -1 : close(listener);
}

static void send_all(int fd, size_t size, uint64_t left)
{
    char *bytes = malloc(size);
    memset(bytes, 1, size);
    while (left > 0) {
        ssize_t put = send(fd, bytes, left < size ? (size_t)left : size, 0);
        if (put < 0)
            exit(1);
        left -= (uint64_t)put;
    }
    exit(0);
}

static void drain(int fd, unsigned char *bytes, size_t block, uint64_t left)
{
    while (left > 0) {
        ssize_t got = recv(fd, bytes, left < block ? (size_t)left : block, 0);
        if (got <= 0)
            exit(1);
        uint64_t sum = 0;
        for (ssize_t i = 0; i < got; i += 64)
            sum += bytes[i];
        kept += sum;
        left -= (uint64_t)got;
    }
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    int pair[2];
    if (argc < 6 || join(argv[1], argc > 6 ? argv[6] : NULL, pair) != 0)
        return 2;
    size_t block = strtoul(argv[2], NULL, 10), size = strtoul(argv[3], NULL, 10);
    uint64_t bytes = strtoull(argv[4], NULL, 10), ramp = strtoull(argv[5], NULL, 10);
    unsigned char *buffer = NULL;
    if (posix_memalign((void **)&buffer, 4096, block) != 0)
        return 3;
    memset(buffer, 1, block);
    if (fork() == 0) {
        close(pair[0]);
        if (argc > 8)
            pin(argv[7]);
        send_all(pair[1], size, ramp + bytes);
    }
    close(pair[1]);
    if (argc > 8)
        pin(argv[8]);
    drain(pair[0], buffer, block, ramp);
    int64_t from = now_ns();
    drain(pair[0], buffer, block, bytes);
    int64_t to = now_ns();
    struct linger linger = {1, 0};
    setsockopt(pair[0], SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(pair[0]);
    wait(NULL);
    printf("%" PRId64 " %" PRIu64 "\n", to - from, bytes);
    return 0;
}
