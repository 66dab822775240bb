#include "config.h"

#include "service_world.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define FINDS_LEAKS() __lsan_do_recoverable_leak_check()
#else
#define FINDS_LEAKS() 0
#endif

char doing[200];
unsigned char *content;

/* Mapped, so that a search for leaks does not look through it. */
void make_content(void)
{
    content = mmap(NULL, CONTENT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (content == MAP_FAILED)
        _exit(2);
    for (size_t i = 0; i < CONTENT; i += 4) {
        uint32_t word = (uint32_t)i * 2654435761u;
        memcpy(content + i, &word, 4);
    }
}

void note(const struct server *server, const char *what)
{
    snprintf(doing, sizeof doing, "%s with %s, %s, %u workers: %s", server->strategy->name,
             knob_info[KNOB_IO].choices[server->params.value[KNOB_IO]],
             knob_info[KNOB_ACCEPT].choices[server->params.value[KNOB_ACCEPT]], server->workers,
             what);
}

const struct strategy *usable(size_t *i, enum protocol protocol)
{
    while (*i < strategy_count()) {
        const struct strategy *strategy = strategy_at((*i)++);
        struct err why = {0};
        if (strategy->family == FAMILY_SERVICE &&
            (protocol == PROTOCOL_HTTP || !(strategy->needs & NEED_HTTP)) &&
            (strategy->probe == NULL || strategy->probe(&why) == 0))
            return strategy;
    }
    return NULL;
}

/* --- the server's process */

static int count_open(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir != NULL && readdir(dir) != NULL)
        n++;
    if (dir != NULL)
        closedir(dir);
    return n;
}

struct worker {
    const struct server *server;
    unsigned index;
    void *state, *first;
};

static struct task task_of(const struct worker *worker, enum phase until)
{
    const struct server *server = worker->server;
    return (struct task){.params = &server->params,
                         .name = server->strategy->name,
                         .fds = &server->listeners[worker->index],
                         .n_fds = 1,
                         .meeting = &server->board->meeting,
                         .until = until,
                         .worker = worker->index,
                         .workers = server->workers,
                         .first = worker->first,
                         .stop_fd = server->stop_fd};
}

static void *work(void *opaque)
{
    struct worker *worker = opaque;
    struct blackboard *board = worker->server->board;
    for (int pass = 0; pass < PASSES; pass++) {
        struct task task = task_of(worker, pass == 0 ? PHASE_TIMED : PHASE_OVER);
        if (worker->server->strategy->pass(worker->state, &task, &board->tally[pass][worker->index],
                                           &board->err[worker->index]) != 0)
            _exit(3);
        if (pass == 0)
            atomic_fetch_add(&board->meeting.serving, 1);
    }
    return NULL;
}

static void serve_as(const struct server *server)
{
    const struct strategy *strategy = server->strategy;
    struct worker workers[MOST_WORKERS] = {{0}};
    pthread_t threads[MOST_WORKERS];
    int before = count_open();
    for (unsigned w = 0; w < server->workers; w++) {
        workers[w] = (struct worker){server, w, calloc(1, strategy->state_size), workers[0].state};
        struct task *task = malloc(sizeof *task);
        *task = task_of(&workers[w], PHASE_TIMED);
        if (strategy->setup(workers[w].state, task, &server->board->err[w]) != 0)
            _exit(2);
        free(task);
    }
    atomic_store(&server->board->up, true);
    for (unsigned w = 1; w < server->workers; w++)
        if (pthread_create(&threads[w], NULL, work, &workers[w]) != 0)
            _exit(4);
    work(&workers[0]);
    for (unsigned w = 1; w < server->workers; w++)
        pthread_join(threads[w], NULL);
    for (unsigned w = server->workers; w-- > 0;) {
        strategy->teardown(workers[w].state);
        free(workers[w].state);
    }
    atomic_store(&server->board->leaked, count_open() - before);
    _exit(FINDS_LEAKS() != 0 ? 5 : 0);
}

/* --- around it */

static int listen_at(struct sockaddr_in *address, bool shares)
{
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof *address;
    CHECK_TRUE(doing, fd >= 0);
    if (shares)
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    CHECK_INT(doing, bind(fd, (struct sockaddr *)address, size), 0);
    CHECK_INT(doing, listen(fd, 1024), 0);
    CHECK_INT(doing, getsockname(fd, (struct sockaddr *)address, &size), 0);
    return fd;
}

static void sleep_us(long us)
{
    nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

static void check_alive(const struct server *server)
{
    int status;
    if (waitpid(server->pid, &status, WNOHANG) == 0)
        return;
    for (unsigned w = 0; w < server->workers; w++)
        if (server->board->err[w].text[0] != '\0')
            fail_msg("%s: %s", doing, server->board->err[w].text);
    fail_msg("%s: the server is gone, status %x", doing, (unsigned)status);
}

void start_server(struct server *s)
{
    note(s, "start");
    bool each = s->params.value[KNOB_ACCEPT] == ACCEPT_REUSEPORT;
    s->board =
        mmap(NULL, sizeof *s->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK_TRUE(doing, s->board != MAP_FAILED);
    s->address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (unsigned w = 0; w < s->workers; w++)
        s->listeners[w] = w == 0 || each ? listen_at(&s->address, each) : s->listeners[0];
    s->pid = fork();
    CHECK_TRUE(doing, s->pid >= 0);
    if (s->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct rlimit limit = {s->most_fds, s->most_fds};
        if (s->most_fds > 0)
            setrlimit(RLIMIT_NOFILE, &limit);
        serve_as(s);
    }
    for (unsigned w = s->workers; w-- > 0;)
        if (w == 0 || each)
            close(s->listeners[w]);
    while (!atomic_load(&s->board->up)) {
        check_alive(s);
        sleep_us(100);
    }
}

static void wake(const struct server *s, enum phase phase)
{
    uint64_t one = 1;
    atomic_store(&s->board->meeting.phase, phase);
    CHECK_INT(doing, write(s->stop_fd, &one, sizeof one), sizeof one);
}

void begin_timed(struct server *s)
{
    uint64_t count;
    wake(s, PHASE_TIMED);
    while (atomic_load(&s->board->meeting.serving) < s->workers) {
        check_alive(s);
        sleep_us(100);
    }
    CHECK_INT(doing, read(s->stop_fd, &count, sizeof count), sizeof count);
    s->timed = true;
}

void stop_server(struct server *s)
{
    int status = 0;
    if (!s->timed)
        begin_timed(s);
    note(s, "the end");
    wake(s, PHASE_OVER);
    CHECK_INT(doing, waitpid(s->pid, &status, 0), s->pid);
    CHECK_INT(doing, status, 0);
    CHECK_INT(doing, atomic_load(&s->board->leaked), 0);
    CHECK_COUNT(doing, atomic_load(&s->board->meeting.open), ==, 0);
    for (unsigned w = 0; w < s->workers; w++) {
        s->tally.bytes += s->board->tally[1][w].bytes;
        s->tally.calls += s->board->tally[1][w].calls;
    }
    close(s->stop_fd);
    munmap(s->board, sizeof *s->board);
}

/* --- clients */

int connect_to(const struct server *server, int rcvbuf)
{
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_TRUE(doing, fd >= 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (rcvbuf > 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof rcvbuf);
    CHECK_INT(doing, connect(fd, (const struct sockaddr *)&server->address, sizeof server->address),
              0);
    return fd;
}

static void send_more(struct chat *c)
{
    size_t n = c->n - c->sent;
    if (c->piece > 0 && n > c->piece)
        n = c->piece;
    ssize_t put = send(c->fd, c->bytes + c->sent, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    CHECK_TRUE(doing, put >= 0 || errno == EAGAIN);
    c->sent += put > 0 ? (size_t)put : 0;
}

static void receive_more(struct chat *c)
{
    static unsigned char buffer[256 * 1024];
    size_t most = c->bite > 0 ? c->bite : sizeof buffer;
    ssize_t got = recv(c->fd, buffer, most, MSG_DONTWAIT);
    CHECK_TRUE(doing, got > 0);
    CHECK_COUNT(doing, c->got + (size_t)got, <=, c->sent);
    if (memcmp(buffer, c->bytes + c->got, (size_t)got) != 0)
        fail_msg("%s: other bytes between %zu and %zu of %zu", doing, c->got, c->got + (size_t)got,
                 c->n);
    c->got += (size_t)got;
    if (c->bite > 0)
        sleep_us(20);
}

void talk(struct chat *chats, unsigned n)
{
    struct pollfd waits[64];
    unsigned left = n;
    while (left > 0) {
        for (unsigned i = 0; i < n; i++)
            waits[i] =
                (struct pollfd){chats[i].got < chats[i].n ? chats[i].fd : -1,
                                (short)(POLLIN | (chats[i].sent < chats[i].n ? POLLOUT : 0)), 0};
        if (poll(waits, n, 5000) <= 0)
            fail_msg("%s: stuck: %zu of %zu bytes sent, %zu back", doing, chats[0].sent, chats[0].n,
                     chats[0].got);
        for (unsigned i = 0; i < n; i++) {
            if (waits[i].revents & POLLOUT)
                send_more(&chats[i]);
            if (waits[i].revents & (POLLIN | POLLHUP | POLLERR))
                receive_more(&chats[i]);
            left -= waits[i].revents != 0 && chats[i].got == chats[i].n;
        }
    }
    for (unsigned i = 0; i < n; i++)
        close(chats[i].fd);
}
