/* Every registered way of waiting on many descriptors, over every kind of them, in a small world
 * whose messages can be counted: what was written is read or still lies there, to the message. A
 * new strategy is tested by being registered. */
#include "config.h"

#include "../unit/check.h"

#include "base/clock.h"
#include "base/histogram.h"
#include "family/events_part.h"
#include "measure/child.h"
#include "measure/trial.h"
#include "peer/ends.h"
#include "strategy/registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HANDLES = 8, SEED = 5, PATIENCE_S = 60, KINDS = HANDLE_EVENTFD + 1 };

/* What is being looked at, for messages, also when the time is up. */
static char doing[200];

static void note(const struct strategy *strategy, enum handle_kind kind, const char *what)
{
    snprintf(doing, sizeof doing, "%s over %s, %s", strategy->name,
             knob_info[KNOB_KIND].choices[kind], what);
    alarm(PATIENCE_S); /* for each of them: how fast all are is the machine's affair */
}

static void time_is_up(int signal_number)
{
    (void)signal_number;
    static const char text[] = "Bail out! no end in time: ";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0 ||
        write(STDOUT_FILENO, doing, strlen(doing)) < 0 || write(STDOUT_FILENO, "\n", 1) < 0)
        _exit(2);
    _exit(1);
}

static bool is_usable(const struct strategy *strategy)
{
    struct err why = {0};
    return strategy->family == FAMILY_EVENTS && !(strategy->groups & GROUP_CONTROL) &&
           (strategy->probe == NULL || strategy->probe(&why) == 0);
}

/* Usable by so few: one thread. */
static bool is_alone(const struct strategy *strategy)
{
    return is_usable(strategy) && !(strategy->needs & NEED_THREADS);
}

static bool has_name(const struct strategy *strategy, const char *name)
{
    return strcmp(strategy->name, name) == 0;
}

static bool is_edge(const struct strategy *strategy)
{
    return has_name(strategy, "epoll-et") || has_name(strategy, "io_uring-poll-multishot");
}

static bool waits(const struct strategy *strategy)
{
    return (strategy->groups & GROUP_EVENTS) != 0;
}

static unsigned count_open(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL)
        return 0;
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

/* --- the world */

struct scene {
    const struct strategy *strategy;
    struct events_work work;
    struct task task;
    void *state;
    struct tally tally;
    struct histogram sizes, latency;
    _Atomic bool stop;
    pid_t writer; /* 0: none */
    unsigned open_before;
    struct err err;
};

static void params_of(struct params *params, enum handle_kind kind, unsigned outstanding)
{
    params_init(params);
    params->value[KNOB_HANDLES] = HANDLES;
    params->value[KNOB_KIND] = kind;
    params->value[KNOB_OUTSTANDING] = outstanding;
}

static void open_scene(struct scene *s, const struct strategy *strategy,
                       const struct params *params)
{
    memset(s, 0, sizeof *s);
    s->strategy = strategy;
    s->open_before = count_open();
    CHECK_OK(doing, events_work_init(&s->work, strategy, params, SEED, &s->err), s->err);
    s->work.stamps = true;
    struct link link = events_link(&s->work);
    CHECK_OK(doing, link.open(link.arg, &s->err), s->err);
}

static bool has_two_ends(const struct scene *s)
{
    return s->work.writer.read_fds != s->work.writer.write_fds;
}

/* The tool's own writer, in a process of its own. */
static void start_writer(struct scene *s)
{
    s->writer = fork();
    CHECK_TRUE("fork", s->writer >= 0);
    if (s->writer > 0) {
        if (has_two_ends(s))
            ends_close(s->work.writer.write_fds, HANDLES);
        return;
    }
    child_die_with_parent();
    struct part part = event_writer_part(&s->work.writer);
    struct seat seat = {.workers = 1, .stop = &s->stop};
    struct tally tally = {0};
    void *state = calloc(1, part.state_size);
    _exit(state == NULL || part.setup(state, part.arg, &seat, &s->err) != 0 ||
          part.run(state, part.arg, &seat, 1, &tally, &s->err) != 0);
}

static void end_writer(struct scene *s)
{
    int status = -1;
    atomic_store(&s->work.writer.exchange->done, true);
    CHECK_INT(doing, waitpid(s->writer, &status, 0), s->writer);
    CHECK_INT(doing, status, 0);
    s->writer = 0;
}

/* One message, with the account that the tool's writer keeps. */
static void put(struct scene *s, unsigned handle)
{
    struct exchange *exchange = s->work.writer.exchange;
    const uint64_t one = 1;
    atomic_store(&exchange->handle[handle].stamp_ns, clock_now_ns());
    atomic_fetch_add(&exchange->handle[handle].unread, 1);
    CHECK_INT(doing, write(s->work.writer.write_fds[handle], &one, sizeof one), sizeof one);
    uint64_t at = atomic_fetch_add(&exchange->written, 1);
    atomic_store(&exchange->ring[at % EXCHANGE_RING], handle + 1);
}

static uint64_t lies_in(const struct scene *s, unsigned handle)
{
    int fd = s->work.writer.read_fds[handle], bytes = 0;
    if (has_two_ends(s))
        return ioctl(fd, FIONREAD, &bytes) == 0 ? (unsigned)bytes / 8 : UNKNOWN;
    struct pollfd look = {.fd = fd, .events = POLLIN};
    uint64_t n = 0;
    return poll(&look, 1, 0) == 1 && read(fd, &n, sizeof n) == sizeof n ? n : 0;
}

/* The network may take its time. */
static uint64_t arrives_in(const struct scene *s, unsigned handle, uint64_t expected)
{
    bool is_far = s->work.params.value[KNOB_KIND] == HANDLE_INET;
    for (unsigned turn = 0; is_far && turn < 1000 && lies_in(s, handle) < expected; turn++)
        nanosleep(&(struct timespec){0, 1000 * 1000}, NULL);
    return lies_in(s, handle);
}

static void put_round(struct scene *s, unsigned messages)
{
    for (unsigned k = 0; k < messages; k++)
        for (unsigned i = 0; i < HANDLES; i++)
            put(s, i);
    for (unsigned i = 0; i < HANDLES && has_two_ends(s); i++)
        CHECK_COUNT(doing, arrives_in(s, i, messages), ==, messages);
}

static int try_set_up(struct scene *s)
{
    s->task = (struct task){.params = &s->work.params,
                            .name = "the handles",
                            .fd = -1,
                            .fds = s->work.writer.read_fds,
                            .n_fds = HANDLES,
                            .exchange = s->work.writer.exchange,
                            .workers = 1,
                            .stop_fd = -1,
                            .stop = &s->stop};
    s->tally.histogram[OF_SIZES] = &s->sizes;
    s->tally.histogram[OF_LATENCY] = &s->latency;
    s->state = calloc(1, s->strategy->state_size + 1);
    s->task.first = s->state;
    return s->strategy->setup != NULL ? s->strategy->setup(s->state, &s->task, &s->err) : 0;
}

static void set_up(struct scene *s)
{
    CHECK_OK(doing, try_set_up(s), s->err);
}

/* Until so many messages were read since the beginning. */
static int wait_for(struct scene *s, uint64_t goal)
{
    s->task.goal = goal;
    return s->strategy->pass(s->state, &s->task, &s->tally, &s->err);
}

static void close_scene(struct scene *s)
{
    if (s->strategy->teardown != NULL)
        s->strategy->teardown(s->state);
    free(s->state);
    struct link link = events_link(&s->work);
    link.close(link.arg);
    events_work_free(&s->work);
    CHECK_COUNT(doing, count_open(), ==, s->open_before);
}

/* --- the account */

static uint64_t counted(const struct scene *s, enum counter counter)
{
    return s->tally.counter[counter];
}

static uint64_t sum_of_sizes(const struct scene *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < HISTOGRAM_LINEAR; i++)
        sum += i * s->sizes.bucket[i];
    return sum;
}

/* What holds after every pass, however it went. */
static void check_account(const struct scene *s)
{
    const struct exchange *exchange = s->work.writer.exchange;
    uint64_t served = 0;
    for (unsigned i = 0; i < HANDLES; i++)
        served += atomic_load(&exchange->handle[i].served);
    CHECK_COUNT(doing, counted(s, COUNTER_MESSAGES), ==, atomic_load(&exchange->read));
    CHECK_COUNT(doing, counted(s, COUNTER_MESSAGES), ==, served);
    CHECK_COUNT(doing, s->tally.bytes, ==, 8 * served);
    CHECK_COUNT(doing, counted(s, COUNTER_READS), <=, served);
    CHECK_COUNT(doing, s->latency.count, ==, counted(s, COUNTER_READS));
    CHECK_COUNT(doing, s->tally.calls, >=, counted(s, COUNTER_READS) + counted(s, COUNTER_AGAIN));
    CHECK_COUNT(doing, s->sizes.count, ==,
                counted(s, COUNTER_WAITS) - counted(s, COUNTER_EMPTY_WAITS));
    CHECK_COUNT(doing, sum_of_sizes(s), ==, counted(s, COUNTER_EVENTS));
    uint64_t events = counted(s, COUNTER_EVENTS) - counted(s, COUNTER_SPURIOUS);
    if (!waits(s->strategy)) {
        CHECK_COUNT(doing, counted(s, COUNTER_WAITS), ==, 0);
        CHECK_COUNT(doing, counted(s, COUNTER_EVENTS), ==, 0);
    } else if (is_edge(s->strategy)) { /* an edge may bring several reads */
        CHECK_COUNT(doing, events, >, 0);
        CHECK_COUNT(doing, events, <=, counted(s, COUNTER_READS));
    } else {
        CHECK_COUNT(doing, events, ==, counted(s, COUNTER_READS));
        CHECK_COUNT(doing, counted(s, COUNTER_SPURIOUS), ==, 0);
    }
}

/* What was written and not read lies there: the writer has ended. */
static void check_rest(const struct scene *s)
{
    const struct exchange *exchange = s->work.writer.exchange;
    uint64_t unread = 0;
    for (unsigned i = 0; i < HANDLES; i++) {
        uint64_t left = atomic_load(&exchange->handle[i].unread);
        CHECK_COUNT(doing, left, <=, s->work.params.value[KNOB_OUTSTANDING]);
        CHECK_COUNT(doing, arrives_in(s, i, left), ==, left);
        unread += left;
    }
    CHECK_COUNT(doing, atomic_load(&exchange->written), ==, counted(s, COUNTER_MESSAGES) + unread);
}

/* --- with a writer */

static void count_messages(const struct strategy *strategy, enum handle_kind kind,
                           enum handle_order order, unsigned active)
{
    enum { GOAL = 200 };
    struct scene s;
    struct params params;
    char what[80];
    snprintf(what, sizeof what, "%s order, %u %% active", knob_info[KNOB_ORDER].choices[order],
             active);
    note(strategy, kind, what);
    params_of(&params, kind, 1);
    params.value[KNOB_ORDER] = order;
    params.value[KNOB_ACTIVE] = active;
    open_scene(&s, strategy, &params);
    start_writer(&s);
    set_up(&s);
    CHECK_OK(doing, wait_for(&s, GOAL), s.err);
    end_writer(&s);
    CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), >=, GOAL);
    /* An edge is drained, and the writer may fill up again meanwhile. */
    CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), <,
                is_edge(strategy) ? 2 * GOAL + HANDLES : GOAL + HANDLES);
    CHECK_COUNT(doing, counted(&s, COUNTER_READS), ==, counted(&s, COUNTER_MESSAGES));
    for (unsigned i = 0; i < HANDLES; i++)
        CHECK_COUNT(doing, atomic_load(&s.work.writer.exchange->handle[i].served), >, 0);
    check_account(&s);
    check_rest(&s);
    close_scene(&s);
}

static void every_message_is_read_or_lies_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++)
        for (unsigned kind = 0; is_alone(strategy_at(i)) && kind < KINDS; kind++)
            for (unsigned order = ORDER_RANDOM; order <= ORDER_CYCLIC; order++) {
                count_messages(strategy_at(i), kind, order, 100);
                count_messages(strategy_at(i), kind, order, 25);
            }
}

/* As the ramp and the timed part of a trial are. */
static void a_second_pass_goes_on_where_the_first_ended(void **state)
{
    (void)state;
    static const uint64_t goals[] = {1, 2, 50, 51, 200, 400};
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned kind = 0; is_alone(strategy_at(i)) && kind < KINDS; kind++) {
            struct scene s;
            struct params params;
            note(strategy_at(i), kind, "in several passes");
            params_of(&params, kind, 4);
            open_scene(&s, strategy_at(i), &params);
            start_writer(&s);
            set_up(&s);
            for (size_t k = 0; k < ROWS_OF(goals); k++) {
                CHECK_OK(doing, wait_for(&s, goals[k]), s.err);
                CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), >=, goals[k]);
                check_account(&s);
            }
            end_writer(&s);
            check_rest(&s);
            close_scene(&s);
        }
    }
}

static void a_goal_that_is_reached_already_asks_for_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        struct scene s;
        struct params params;
        if (!is_alone(strategy_at(i)))
            continue;
        note(strategy_at(i), HANDLE_PIPE, "nothing to do");
        params_of(&params, HANDLE_PIPE, 1);
        open_scene(&s, strategy_at(i), &params);
        put_round(&s, 1);
        set_up(&s);
        CHECK_OK(doing, wait_for(&s, 0), s.err);
        CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), ==, 0);
        CHECK_COUNT(doing, counted(&s, COUNTER_WAITS), ==, 0);
        close_scene(&s);
    }
}

/* --- without one: it all lies there before anyone looks */

static void what_lies_there_is_read_once_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned kind = 0; is_alone(strategy_at(i)) && kind < KINDS; kind++) {
            struct scene s;
            struct params params;
            note(strategy_at(i), kind, "a message each");
            params_of(&params, kind, 1);
            open_scene(&s, strategy_at(i), &params);
            set_up(&s);
            for (unsigned turn = 1; turn <= 3; turn++) {
                put_round(&s, 1);
                CHECK_OK(doing, wait_for(&s, turn * HANDLES), s.err);
                CHECK_COUNT(doing, counted(&s, COUNTER_READS), ==, turn * HANDLES);
                CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), ==, turn * HANDLES);
                check_account(&s);
            }
            for (unsigned h = 0; h < HANDLES; h++) {
                CHECK_COUNT(doing, atomic_load(&s.work.writer.exchange->handle[h].served), ==, 3);
                CHECK_COUNT(doing, atomic_load(&s.work.writer.exchange->handle[h].unread), ==, 0);
                CHECK_COUNT(doing, lies_in(&s, h), ==, 0);
            }
            close_scene(&s);
        }
    }
}

static void the_calls_of_a_full_house_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned most; /* events of one wait */
        uint64_t waits, calls, again, full;
    } rows[] = {
        {"epoll", 64, 1, 8, 0, 0},
        {"epoll", 8, 1, 8, 0, 1},
        {"epoll", 3, 3, 8, 0, 2},
        {"epoll", 1, 8, 8, 0, 8},
        {"epoll-et", 64, 1, 16, 8, 0},
        {"epoll-et", 3, 3, 16, 8, 2},
        {"epoll-oneshot", 64, 1, 16, 0, 0},
        {"epoll-oneshot", 3, 3, 16, 0, 2},
        {"poll", 64, 1, 8, 0, 0},
        {"select", 64, 1, 8, 0, 0},
        {"libevent", 64, 1, 8, 0, 0},
        {"libevent-poll", 64, 1, 8, 0, 0},
        {"libevent-select", 64, 1, 8, 0, 0},
        {"none-blocking", 64, 0, 8, 0, 0},
        {"none-scan", 64, 0, 8, 0, 0},
        {"none-oracle", 64, 0, 8, 0, 0},
    };
    for (size_t r = 0; r < ROWS_OF(rows); r++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            const struct strategy *strategy = strategy_find(FAMILY_EVENTS, rows[r].name);
            struct scene s;
            struct params params;
            assert_non_null(strategy);
            if (!is_usable(strategy))
                continue;
            note(strategy, kind, "all have something");
            snprintf(doing + strlen(doing), sizeof doing - strlen(doing), ", %u at a time",
                     rows[r].most);
            params_of(&params, kind, 1);
            params.value[KNOB_MAX_EVENTS] = rows[r].most;
            open_scene(&s, strategy, &params);
            put_round(&s, 1);
            set_up(&s);
            CHECK_OK(doing, wait_for(&s, HANDLES), s.err);
            CHECK_COUNT(doing, counted(&s, COUNTER_WAITS), ==, rows[r].waits);
            CHECK_COUNT(doing, counted(&s, COUNTER_EVENTS), ==, rows[r].waits > 0 ? HANDLES : 0);
            CHECK_COUNT(doing, s.tally.calls, ==, rows[r].calls);
            CHECK_COUNT(doing, counted(&s, COUNTER_AGAIN), ==, rows[r].again);
            CHECK_COUNT(doing, counted(&s, COUNTER_FULL), ==, rows[r].full);
            CHECK_COUNT(doing, s.sizes.max, <=, rows[r].most);
            check_account(&s);
            close_scene(&s);
        }
    }
}

static void several_messages_are_one_read_and_none_is_lost(void **state)
{
    (void)state;
    enum { EACH = 5, TURNS = 3 };
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned kind = 0; is_alone(strategy_at(i)) && kind < KINDS; kind++) {
            struct scene s;
            struct params params;
            note(strategy_at(i), kind, "five messages each");
            params_of(&params, kind, 8);
            open_scene(&s, strategy_at(i), &params);
            set_up(&s);
            for (unsigned turn = 1; turn <= TURNS; turn++) {
                put_round(&s, EACH);
                CHECK_OK(doing, wait_for(&s, turn * EACH * HANDLES), s.err);
                CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), ==, turn * EACH * HANDLES);
                CHECK_COUNT(doing, counted(&s, COUNTER_READS), ==, turn * HANDLES);
                check_account(&s);
            }
            close_scene(&s);
        }
    }
}

/* One read takes no more than so many: an edge must not leave the rest. */
static void more_than_one_read_takes_is_read_to_the_end(void **state)
{
    (void)state;
    enum { EACH = 200 }; /* some 270 fill a socket of AF_UNIX */
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned kind = 0; is_alone(strategy_at(i)) && kind < KINDS; kind++) {
            struct scene s;
            struct params params;
            note(strategy_at(i), kind, "200 messages on one handle");
            params_of(&params, kind, EACH);
            open_scene(&s, strategy_at(i), &params);
            for (unsigned k = 0; k < EACH; k++)
                put(&s, 0);
            for (unsigned h = 1; h < HANDLES; h++)
                put(&s, h);
            if (has_two_ends(&s))
                CHECK_COUNT(doing, arrives_in(&s, 0, EACH), ==, EACH);
            set_up(&s);
            CHECK_OK(doing, wait_for(&s, EACH + HANDLES - 1), s.err);
            CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), ==, EACH + HANDLES - 1);
            CHECK_COUNT(doing, atomic_load(&s.work.writer.exchange->handle[0].served), ==, EACH);
            CHECK_COUNT(doing, atomic_load(&s.work.writer.exchange->handle[7].served), ==, 1);
            check_account(&s);
            close_scene(&s);
        }
    }
}

static void the_oracle_reads_in_the_order_written(void **state)
{
    (void)state;
    static const unsigned order[] = {5, 2, 7, 0, 6, 1, 4, 3, 3, 5, 0, 2};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const struct strategy *strategy = strategy_find(FAMILY_EVENTS, "none-oracle");
        struct scene s;
        struct params params;
        note(strategy, kind, "in order");
        params_of(&params, kind, 1);
        open_scene(&s, strategy, &params);
        set_up(&s);
        uint64_t served[HANDLES] = {0};
        for (size_t from = 0, to; from < ROWS_OF(order); from = to) {
            for (to = from; to < ROWS_OF(order) && (to == from || to % 8 != 0); to++)
                put(&s, order[to]);
            for (size_t k = from; k < to; k++) {
                CHECK_OK(doing, wait_for(&s, k + 1), s.err);
                served[order[k]]++;
                for (unsigned h = 0; h < HANDLES; h++)
                    CHECK_COUNT(doing, atomic_load(&s.work.writer.exchange->handle[h].served), ==,
                                served[h]);
            }
        }
        CHECK_COUNT(doing, s.tally.calls, ==, ROWS_OF(order));
        check_account(&s);
        close_scene(&s);
    }
}

/* --- what cannot be waited for */

static void a_writer_that_is_gone_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned kind = HANDLE_PIPE; kind <= HANDLE_INET; kind++) {
            struct scene s;
            struct params params;
            note(strategy_at(i), kind, "one other end closed");
            if (!is_alone(strategy_at(i)) || has_name(strategy_at(i), "none-oracle"))
                continue; /* which is not told of that */
            params_of(&params, kind, 1);
            open_scene(&s, strategy_at(i), &params);
            for (unsigned h = 0; h < 2; h++) /* for who blocks on these first */
                put(&s, h);
            close(s.work.writer.write_fds[2]);
            s.work.writer.write_fds[2] = -1;
            set_up(&s);
            CHECK_INT(doing, wait_for(&s, 1000), -1);
            CHECK_HAS(doing, s.err.text, "handle 3 broke");
            CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), <=, 2);
            close_scene(&s);
        }
    }
}

static void what_epoll_cannot_watch_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"epoll", "epoll-et", "epoll-oneshot", "libevent"};
    static const char *const paths[] = {"/dev/null", "/proc/self/exe"};
    for (size_t i = 0; i < ROWS_OF(names); i++) {
        for (size_t k = 0; k < ROWS_OF(paths); k++) {
            const struct strategy *strategy = strategy_find(FAMILY_EVENTS, names[i]);
            struct scene s;
            struct params params;
            note(strategy, HANDLE_PIPE, paths[k]);
            if (!is_usable(strategy))
                continue;
            params_of(&params, HANDLE_PIPE, 1);
            open_scene(&s, strategy, &params);
            int fd = open(paths[k], O_RDONLY | O_CLOEXEC);
            assert_true(dup2(fd, s.work.writer.read_fds[4]) >= 0);
            close(fd);
            CHECK_INT(doing, try_set_up(&s), -1);
            CHECK_HAS(doing, s.err.text, "watch handle 5");
            if (strategy->state_size == strategy_find(FAMILY_EVENTS, "epoll")->state_size)
                CHECK_INT(doing, s.err.number, EPERM);
            close_scene(&s);
        }
    }
}

/* By their values, not by how many there are. */
static void only_select_minds_high_descriptors(void **state)
{
    (void)state;
    enum { HIGH = 1500 };
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_cur > HIGH + 64 ? limit.rlim_cur : HIGH + 64;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        skip();
    for (size_t i = 0; i < strategy_count(); i++) {
        struct scene s;
        struct params params;
        note(strategy_at(i), HANDLE_PIPE, "a high descriptor");
        if (!is_alone(strategy_at(i)))
            continue;
        params_of(&params, HANDLE_PIPE, 1);
        open_scene(&s, strategy_at(i), &params);
        int low = s.work.writer.read_fds[3];
        s.work.writer.read_fds[3] = fcntl(low, F_DUPFD_CLOEXEC, HIGH);
        assert_true(s.work.writer.read_fds[3] >= HIGH);
        close(low);
        put_round(&s, 1);
        if (strstr(strategy_at(i)->name, "select") != NULL) {
            CHECK_INT(doing, try_set_up(&s), -1);
            CHECK_HAS(doing, s.err.text, "below 1024");
            CHECK_HAS(doing, s.err.text, "handle 4 has number 15");
        } else {
            set_up(&s);
            CHECK_OK(doing, wait_for(&s, HANDLES), s.err);
            check_account(&s);
        }
        close_scene(&s);
    }
    limit.rlim_cur = before;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* --- whole trials */

struct played {
    struct events_work work;
    struct params params;
    struct sample sample;
    enum trial_end end;
    struct err err;
};

static void play(struct played *p, const struct strategy *strategy, unsigned workers,
                 uint64_t passes, uint64_t duration_ns)
{
    static struct histogram sizes;
    memset(&sizes, 0, sizeof sizes);
    p->err = (struct err){0};
    CHECK_OK(doing, events_work_init(&p->work, strategy, &p->params, SEED, &p->err), p->err);
    struct part subject = events_part(&p->work), peer = event_writer_part(&p->work.writer);
    struct link link = events_link(&p->work);
    struct trial trial = {.subject = &subject,
                          .peer = &peer,
                          .peer_workers = (unsigned)p->params.value[KNOB_WRITERS],
                          .link = &link,
                          .ramp = 0.2,
                          .workers = workers,
                          .passes = passes,
                          .duration_ns = duration_ns,
                          .timeout_ns = 10 * NS_PER_S,
                          .histogram[OF_SIZES] = &sizes};
    p->end = trial_run(&trial, &p->sample, &p->err);
    events_work_free(&p->work);
    if (p->end == TRIAL_DONE)
        CHECK_COUNT(doing, sizes.count, ==,
                    p->sample.counter[COUNTER_WAITS] - p->sample.counter[COUNTER_EMPTY_WAITS]);
}

/* The two ends agree on every message, and all handles on their share. */
static void check_trial(const struct played *p)
{
    const struct sample *sample = &p->sample;
    uint64_t read = sample->bytes / 8, ramp = sample->ramp_bytes / 8,
             written = sample->peer.counter[COUNTER_MESSAGES],
             most = HANDLES * p->params.value[KNOB_OUTSTANDING];
    CHECK_INT(doing, p->end, TRIAL_DONE);
    CHECK_COUNT(doing, sample->counter[COUNTER_MESSAGES], ==, read);
    CHECK_COUNT(doing, written, >=, read + ramp);
    CHECK_COUNT(doing, written, <=, read + ramp + most);
    CHECK_COUNT(doing, sample->fairness.connections, ==, HANDLES);
    CHECK_NEAR(doing, sample->fairness.sum, (double)(sample->bytes + sample->ramp_bytes), 0);
    /* one of several threads may not have got a processor in time */
    if (p->params.value[KNOB_WRITERS] == 1 && p->params.value[KNOB_THREADS] == 1)
        CHECK_COUNT(doing, sample->counter[COUNTER_UNIQUE], ==, HANDLES);
}

static void workers_reach_the_goal_together(const struct strategy *strategy, unsigned kind,
                                            unsigned workers, unsigned share)
{
    enum { PASSES = 2 };
    struct played p;
    char what[60];
    snprintf(what, sizeof what, "%u workers, share=%s", workers,
             knob_info[KNOB_SHARE].choices[share]);
    note(strategy, kind, what);
    params_of(&p.params, kind, 1);
    p.params.value[KNOB_THREADS] = workers;
    p.params.value[KNOB_SHARE] = share;
    play(&p, strategy, workers, PASSES, 0);
    CHECK_OK(doing, p.end == TRIAL_DONE ? 0 : -1, p.err);
    check_trial(&p);
    CHECK_COUNT(doing, p.sample.passes, ==, PASSES);
    /* what the ramp read too much is missing here */
    CHECK_COUNT(doing, p.sample.bytes + p.sample.ramp_bytes, >=,
                8 * (PASSES * EVENTS_PASS + EVENTS_PASS / 5));
    if (is_edge(strategy)) /* drains a handle while the writer fills it again */
        return;
    CHECK_COUNT(doing, p.sample.bytes + p.sample.ramp_bytes, <=,
                8 * (PASSES * EVENTS_PASS + EVENTS_PASS / 5 + workers * HANDLES));
    /* beside the reads, the wake-ups at the end */
    CHECK_COUNT(doing, p.sample.counter[COUNTER_EVENTS], >=, p.sample.counter[COUNTER_READS]);
}

static void several_workers_reach_the_goal_together_and_all_return(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned workers = 2; workers <= 4; workers += 2)
                for (unsigned share = SHARE_ONE; share <= SHARE_EACH; share++)
                    if (is_usable(strategy_at(i)) && !(strategy_at(i)->needs & NEED_ONE_THREAD))
                        workers_reach_the_goal_together(strategy_at(i), kind, workers, share);
}

static void a_trial_of_one_worker_reads_its_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        for (unsigned kind = 0; is_alone(strategy_at(i)) && kind < KINDS; kind++) {
            struct played p;
            note(strategy_at(i), kind, "a trial");
            params_of(&p.params, kind, 3);
            p.params.value[KNOB_WRITERS] = 2;
            play(&p, strategy_at(i), 1, 2, 0);
            CHECK_OK(doing, p.end == TRIAL_DONE ? 0 : -1, p.err);
            check_trial(&p);
            CHECK_COUNT(doing, p.sample.counter[COUNTER_MESSAGES], >=, 2 * EVENTS_PASS);
        }
    }
}

/* No message comes any more once the time is over, which must not leave anyone waiting. */
static void a_trial_of_a_given_length_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        bool many = !(strategy_at(i)->needs & NEED_ONE_THREAD);
        for (unsigned kind = 0; kind < KINDS; kind++) {
            for (unsigned workers = 1; workers <= (many ? 3 : 1); workers += 2) {
                struct played p;
                note(strategy_at(i), kind, workers > 1 ? "20 ms, 3 workers" : "20 ms");
                if (!is_usable(strategy_at(i)) || (workers == 1 && !is_alone(strategy_at(i))))
                    continue;
                params_of(&p.params, kind, 1);
                p.params.value[KNOB_THREADS] = workers;
                p.params.value[KNOB_SHARE] = kind % 2 == 0 ? SHARE_ONE : SHARE_EACH;
                play(&p, strategy_at(i), workers, UINT64_MAX, 20 * NS_PER_MS);
                CHECK_OK(doing, p.end == TRIAL_DONE ? 0 : -1, p.err);
                check_trial(&p);
                CHECK_COUNT(doing, p.sample.wall_ns, >=, 20 * NS_PER_MS);
                CHECK_COUNT(doing, p.sample.wall_ns, <, 3 * NS_PER_S);
            }
        }
    }
}

/* --- control calls */

static void control_calls_are_counted_to_the_goal(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        const struct strategy *strategy = strategy_at(i);
        struct err why = {0};
        struct scene s;
        struct params params;
        if (strategy->family != FAMILY_EVENTS || !(strategy->groups & GROUP_CONTROL) ||
            (strategy->probe != NULL && strategy->probe(&why) != 0))
            continue;
        for (unsigned kind = 0; kind < KINDS; kind++) {
            note(strategy, kind, "control calls");
            params_of(&params, kind, 1);
            open_scene(&s, strategy, &params);
            set_up(&s);
            CHECK_OK(doing, wait_for(&s, 100), s.err);
            CHECK_OK(doing, wait_for(&s, 1000), s.err);
            CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), >=, 1000);
            CHECK_COUNT(doing, counted(&s, COUNTER_MESSAGES), <=, 1000 + 2 * HANDLES);
            CHECK_COUNT(doing, counted(&s, COUNTER_READS), ==, 0);
            close_scene(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_is_read_or_lies_there),
        cmocka_unit_test(a_second_pass_goes_on_where_the_first_ended),
        cmocka_unit_test(a_goal_that_is_reached_already_asks_for_nothing),
        cmocka_unit_test(what_lies_there_is_read_once_each),
        cmocka_unit_test(the_calls_of_a_full_house_are_known),
        cmocka_unit_test(several_messages_are_one_read_and_none_is_lost),
        cmocka_unit_test(more_than_one_read_takes_is_read_to_the_end),
        cmocka_unit_test(the_oracle_reads_in_the_order_written),
        cmocka_unit_test(a_writer_that_is_gone_is_an_error),
        cmocka_unit_test(what_epoll_cannot_watch_is_refused),
        cmocka_unit_test(only_select_minds_high_descriptors),
        cmocka_unit_test(several_workers_reach_the_goal_together_and_all_return),
        cmocka_unit_test(a_trial_of_one_worker_reads_its_passes),
        cmocka_unit_test(a_trial_of_a_given_length_ends),
        cmocka_unit_test(control_calls_are_counted_to_the_goal),
    };
    signal(SIGALRM, time_is_up);
    alarm(PATIENCE_S);
    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
