/* Bare reference for waiting on many descriptors: an epoll loop, and a process that writes to 64
 * eventfds or pipes and keeps a book of what is unread.
 *
 *     bare_events eventfd|pipe HANDLES OUTSTANDING MESSAGES RAMP
 *
 * The reader takes RAMP messages, reads the clock, takes MESSAGES more and reads it again; it
 * prints the nanoseconds and the messages. OUTSTANDING 0: no limit. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, BATCH = 64 };

struct line {
    _Alignas(64) _Atomic uint32_t unread;
};

static int read_fds[MOST], write_fds[MOST];
static struct line *book;

static void pin(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void write_all(unsigned n, unsigned outstanding)
{
    uint64_t one = 1, seed = 1;
    static unsigned order[MOST];
    pin(1);
    for (unsigned i = 0; i < n; i++)
        order[i] = i;
    for (;;) {
        for (unsigned i = n - 1; i > 0; i--) { /* another order each turn */
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            unsigned j = (unsigned)((seed >> 33) % (i + 1)), kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        for (unsigned i = 0; i < n; i++) {
            struct line *line = &book[order[i]];
            if (outstanding > 0 &&
                atomic_load_explicit(&line->unread, memory_order_acquire) >= outstanding)
                continue;
            atomic_fetch_add_explicit(&line->unread, 1, memory_order_relaxed);
            if (write(write_fds[order[i]], &one, sizeof one) < 0)
                atomic_fetch_sub_explicit(&line->unread, 1, memory_order_relaxed);
        }
    }
}

static uint64_t take(int epoll, uint64_t goal, int eventfds)
{
    struct epoll_event events[BATCH];
    uint64_t messages[128], taken = 0;
    while (taken < goal) {
        int n = epoll_wait(epoll, events, BATCH, -1);
        for (int e = 0; e < n; e++) {
            unsigned i = events[e].data.u32;
            ssize_t got = read(read_fds[i], messages, eventfds ? 8 : sizeof messages);
            if (got <= 0)
                continue;
            uint64_t count = eventfds ? messages[0] : (uint64_t)got / 8;
            taken += count;
            atomic_fetch_sub_explicit(&book[i].unread, (uint32_t)count, memory_order_release);
        }
    }
    return taken;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    int eventfds = strcmp(argv[1], "eventfd") == 0, epoll = epoll_create1(0);
    unsigned n = (unsigned)strtoul(argv[2], NULL, 10);
    unsigned outstanding = (unsigned)strtoul(argv[3], NULL, 10);
    uint64_t goal = strtoull(argv[4], NULL, 10), ramp = strtoull(argv[5], NULL, 10);
    book =
        mmap(NULL, MOST * sizeof *book, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n == 0 || n > MOST || book == MAP_FAILED)
        return 2;
    for (unsigned i = 0; i < n; i++) {
        int pair[2];
        if (eventfds)
            pair[0] = pair[1] = eventfd(0, EFD_NONBLOCK);
        else if (pipe2(pair, O_NONBLOCK) != 0)
            return 3;
        read_fds[i] = pair[0];
        write_fds[i] = pair[1];
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event) != 0)
            return 3;
    }
    pid_t writer = fork();
    if (writer == 0)
        write_all(n, outstanding);
    pin(0);
    take(epoll, ramp, eventfds);
    int64_t from = now_ns();
    uint64_t taken = take(epoll, goal, eventfds);
    int64_t to = now_ns();
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    printf("%" PRId64 " %" PRIu64 "\n", to - from, taken);
    return 0;
}
