/* Every registered strategy against awkward sources: the bytes and their digest must be those of
 * the source, whatever the strategy. A new strategy is tested by being registered. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/rng.h"
#include "strategy/pattern.h"
#include "strategy/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 4096, LARGEST = 300000 };

static char directory[] = "/tmp/iobench-contract-XXXXXX";
static char path[sizeof directory + 16];
static unsigned char content[LARGEST];

/* What one pass of a strategy came to. */
struct outcome {
    int status;
    struct err err;
    struct tally tally;
    uint64_t digest;
};

struct work {
    const char *open_path;
    int fd;
    uint64_t offset, length, block_size, stdio_buffer, depth, pattern;
    enum consume how;
};

static const struct work whole_file = {.fd = -1,
                                       .length = NO_LIMIT,
                                       .block_size = BLOCK,
                                       .stdio_buffer = PARAM_NONE,
                                       .depth = 8,
                                       .pattern = PATTERN_SEQUENTIAL,
                                       .how = CONSUME_DIGEST};

/* The task of a piece of work, without a hash; params is its room. */
static struct task task_of(const struct work *work, struct params *params)
{
    params_init(params);
    params->value[KNOB_BLOCK_SIZE] = work->block_size;
    params->value[KNOB_STDIO_BUFFER] = work->stdio_buffer;
    params->value[KNOB_DEPTH] = work->depth;
    params->value[KNOB_PATTERN] = work->pattern;
    return (struct task){.params = params,
                         .name = "source",
                         .open_path = work->open_path != NULL ? work->open_path : path,
                         .fd = work->fd,
                         .offset = work->offset,
                         .length = work->length,
                         .seed = 7,
                         .sink = {.how = work->how}};
}

static struct outcome run_passes(const struct strategy *strategy, const struct work *work,
                                 unsigned passes)
{
    struct outcome o = {0};
    struct params params;
    struct task task = task_of(work, &params);
    task.sink.hash = XXH3_createState();
    XXH3_64bits_reset(task.sink.hash);
    void *state = calloc(1, strategy->state_size + 1);
    if (strategy->setup != NULL)
        o.status = strategy->setup(state, &task, &o.err);
    for (unsigned i = 0; i < passes && o.status == 0; i++)
        o.status = strategy->pass(state, &task, &o.tally, &o.err);
    if (strategy->teardown != NULL)
        strategy->teardown(state);
    free(state);
    o.digest = XXH3_64bits_digest(task.sink.hash);
    XXH3_freeState(task.sink.hash);
    return o;
}

static struct outcome run_pass(const struct strategy *strategy, const struct work *work)
{
    return run_passes(strategy, work, 1);
}

static bool is_usable(const struct strategy *strategy, unsigned lacking)
{
    struct err why = {0};
    if (strategy->family != FAMILY_FILE || (strategy->needs & lacking) != 0)
        return false;
    return strategy->probe == NULL || strategy->probe(&why) == 0;
}

/* What suits() says; a refusal must give a reason. */
static bool suits(const struct strategy *strategy, const struct work *work, struct err *why)
{
    struct params params;
    struct task task = task_of(work, &params);
    *why = (struct err){0};
    if (strategy->suits == NULL || strategy->suits(&task, why) == 0)
        return true;
    assert_true(strlen(why->text) > 10);
    return false;
}

static bool can_do(const struct strategy *strategy, unsigned lacking, const struct work *work)
{
    struct err why;
    return is_usable(strategy, lacking) && suits(strategy, work, &why);
}

static void write_file(const unsigned char *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), (ssize_t)n);
    close(fd);
}

static void expect(const struct strategy *strategy, const struct outcome *o,
                   const unsigned char *bytes, size_t n)
{
    uint64_t digest = XXH3_64bits(bytes, strategy->keeps_bytes ? 0 : n);
    if (o->status != 0 || o->tally.bytes != n || o->digest != digest)
        print_error("%s of %zu bytes: status %d, '%s', %llu bytes\n", strategy->name, n, o->status,
                    o->err.text, (unsigned long long)o->tally.bytes);
    assert_int_equal(o->status, 0);
    assert_int_equal(o->tally.bytes, n);
    assert_int_equal(o->digest, digest);
}

/* Text with a newline here and there, a NUL byte here and there, and no newline at its end. */
static void fill_content(void)
{
    struct rng rng;
    rng_init(&rng, 1);
    for (size_t i = 0; i < LARGEST; i++) {
        uint64_t draw = rng_below(&rng, 200);
        content[i] = draw == 0 ? '\0' : draw < 4 ? '\n' : (unsigned char)(draw + 32);
    }
    memset(content + 20000, 'x', 70000); /* one long line */
    content[LARGEST - 1] = 'z';
}

static void every_strategy_delivers_every_awkward_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,         1,         2,         BLOCK - 1,     BLOCK,
                                   BLOCK + 1, 2 * BLOCK, 5 * BLOCK, 5 * BLOCK + 7, LARGEST};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        write_file(content, sizes[s]);
        for (size_t i = 0; i < strategy_count(); i++) {
            if (!can_do(strategy_at(i), 0, &whole_file))
                continue;
            struct outcome o = run_pass(strategy_at(i), &whole_file);
            expect(strategy_at(i), &o, content, sizes[s]);
        }
    }
}

static void every_strategy_delivers_bytes_whatever_its_block_and_buffer(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 511, 4095, 65536, 1 << 20};
    write_file(content, 30001);
    for (size_t b = 0; b < sizeof sizes / sizeof sizes[0]; b++) {
        for (size_t i = 0; i < strategy_count(); i++) {
            struct work work = whole_file;
            work.block_size = sizes[b];
            work.stdio_buffer = sizes[sizeof sizes / sizeof sizes[0] - 1 - b];
            if (!can_do(strategy_at(i), 0, &work))
                continue;
            struct outcome o = run_pass(strategy_at(i), &work);
            expect(strategy_at(i), &o, content, 30001);
        }
    }
}

static void every_strategy_reads_its_slice_and_no_byte_more(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset, length;
        size_t bytes;
    } slices[] = {{0, 1, 1},
                  {0, 5000, 5000},
                  {1, BLOCK, BLOCK},
                  {4096, 8192, 8192},
                  {19990, 70020, 70020},
                  {LARGEST - 3, 3, 3},
                  {LARGEST - 3, 300, 3},
                  {LARGEST - 10, NO_LIMIT, 10},
                  {LARGEST, NO_LIMIT, 0},
                  {LARGEST + 5000, NO_LIMIT, 0},
                  {LARGEST + 5000, 10, 0}};
    write_file(content, LARGEST);
    for (size_t s = 0; s < sizeof slices / sizeof slices[0]; s++) {
        for (size_t i = 0; i < strategy_count(); i++) {
            struct work work = whole_file;
            work.offset = slices[s].offset;
            work.length = slices[s].length;
            if (!can_do(strategy_at(i), 0, &work))
                continue;
            struct outcome o = run_pass(strategy_at(i), &work);
            const unsigned char *from = slices[s].bytes > 0 ? content + slices[s].offset : content;
            expect(strategy_at(i), &o, from, slices[s].bytes);
        }
    }
}

static void every_strategy_can_pass_again(void **state)
{
    (void)state;
    write_file(content, 50001);
    for (size_t i = 0; i < strategy_count(); i++) {
        struct work work = whole_file;
        work.how = CONSUME_TOUCH;
        if (!can_do(strategy_at(i), 0, &work))
            continue;
        struct outcome once = run_passes(strategy_at(i), &work, 1);
        struct outcome thrice = run_passes(strategy_at(i), &work, 3);
        assert_int_equal(thrice.status, 0);
        assert_int_equal(thrice.tally.bytes, 3 * 50001);
        bool waits = (strategy_at(i)->groups & GROUP_ASYNC) != 0; /* how often is up to chance */
        if (once.tally.calls != UNKNOWN && !waits)
            assert_int_equal(thrice.tally.calls, 3 * once.tally.calls);
        assert_int_equal(thrice.tally.sum, 3 * once.tally.sum);
    }
}

static void every_strategy_sums_and_counts_newlines_alike(void **state)
{
    (void)state;
    uint64_t sum = 0, newlines = 0;
    for (size_t i = 0; i < 100003; i++) {
        sum += content[i];
        newlines += content[i] == '\n';
    }
    write_file(content, 100003);
    for (size_t i = 0; i < strategy_count(); i++) {
        struct work work = whole_file;
        work.how = CONSUME_SUM;
        if (!can_do(strategy_at(i), 0, &work) || strategy_at(i)->keeps_bytes)
            continue;
        assert_int_equal(run_pass(strategy_at(i), &work).tally.sum, sum);
        work.how = CONSUME_LINES;
        assert_int_equal(run_pass(strategy_at(i), &work).tally.newlines, newlines);
    }
}

static void counted_blocks_are_the_blocks_of_the_file_and_its_end(void **state)
{
    (void)state;
    write_file(content, 10 * BLOCK + 1);
    static const char *const names[] = {"sysread", "pread", "preadv2", "readv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct outcome o = run_pass(strategy_find(FAMILY_FILE, names[i]), &whole_file);
        assert_int_equal(o.tally.calls, 10 + 1 + 1);
        assert_int_equal(o.tally.short_calls, 1);
    }
    struct outcome o = run_pass(strategy_find(FAMILY_FILE, "getc"), &whole_file);
    assert_int_equal(o.tally.calls, 10 * BLOCK + 1 + 1);
}

static void files_of_proc_give_their_content_or_a_reason(void **state)
{
    (void)state;
    static unsigned char text[LARGEST];
    int fd = open("/proc/filesystems", O_RDONLY);
    if (fd < 0)
        skip();
    size_t n = 0;
    for (ssize_t got; (got = read(fd, text + n, sizeof text - n)) > 0;)
        n += (size_t)got;
    close(fd);
    assert_true(n > 0);
    struct work work = whole_file;
    work.open_path = "/proc/filesystems";
    for (size_t i = 0; i < strategy_count(); i++) {
        if (!can_do(strategy_at(i), 0, &work))
            continue;
        if (is_usable(strategy_at(i), NEED_MAP)) {
            struct outcome o = run_pass(strategy_at(i), &work);
            expect(strategy_at(i), &o, text, n);
        } else {
            struct outcome o = run_pass(strategy_at(i), &work);
            assert_int_not_equal(o.status, 0);
            assert_non_null(strstr(o.err.text, "cannot map"));
        }
    }
}

/* A child that writes the content into fd in pieces of an odd size. */
static pid_t start_writer(int fd, size_t n, size_t piece)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (size_t done = 0; done < n;) {
        size_t want = n - done < piece ? n - done : piece;
        ssize_t put = write(fd, content + done, want);
        if (put < 0)
            _exit(1);
        done += (size_t)put;
    }
    _exit(0);
}

static void pipes_of_any_pieces_arrive_whole(void **state)
{
    (void)state;
    static const size_t pieces[] = {1, 1000, 4096, 65536};
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
        size_t n = pieces[p] == 1 ? 3000 : 130000;
        for (size_t i = 0; i < strategy_count(); i++) {
            int ends[2];
            if (!is_usable(strategy_at(i), NEED_SEEK | NEED_MAP))
                continue;
            assert_int_equal(pipe(ends), 0);
            pid_t writer = start_writer(ends[1], n, pieces[p]);
            close(ends[1]);
            struct work work = whole_file;
            work.fd = ends[0];
            struct outcome o = run_pass(strategy_at(i), &work);
            close(ends[0]);
            waitpid(writer, NULL, 0);
            expect(strategy_at(i), &o, content, n);
        }
    }
}

static void a_pipe_gives_no_byte_beyond_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        int ends[2];
        if (!is_usable(strategy_at(i), NEED_SEEK | NEED_MAP))
            continue;
        assert_int_equal(pipe(ends), 0);
        pid_t writer = start_writer(ends[1], 40000, 1000);
        close(ends[1]);
        struct work work = whole_file;
        work.fd = ends[0];
        work.length = 12345;
        struct outcome o = run_pass(strategy_at(i), &work);
        close(ends[0]);
        waitpid(writer, NULL, 0);
        expect(strategy_at(i), &o, content, 12345);
    }
}

static void a_missing_file_is_named_with_the_reason(void **state)
{
    (void)state;
    struct work work = whole_file;
    work.open_path = "/nonexistent/source";
    for (size_t i = 0; i < strategy_count(); i++) {
        if (!is_usable(strategy_at(i), 0))
            continue;
        struct outcome o = {.status = -1};
        if (suits(strategy_at(i), &work, &o.err))
            o = run_pass(strategy_at(i), &work);
        assert_int_equal(o.status, -1);
        assert_int_equal(o.err.number, ENOENT);
        assert_non_null(strstr(o.err.text, "source"));
    }
}

static void a_read_error_is_an_error_and_not_the_end(void **state)
{
    (void)state;
    struct work work = whole_file;
    work.open_path = "/proc/self/mem";
    for (size_t i = 0; i < strategy_count(); i++) {
        if (!can_do(strategy_at(i), NEED_MAP, &work))
            continue;
        struct outcome o = run_pass(strategy_at(i), &work);
        assert_int_equal(o.status, -1);
        assert_int_equal(o.err.number, EIO);
    }
}

/* The digest and the length of the slice's blocks in the order of a walk, and that it visits every
 * place of the slice at most once. */
static uint64_t digest_of_walk(const struct work *work, uint64_t *bytes)
{
    static unsigned char gathered[LARGEST], seen[LARGEST];
    struct walk walk;
    uint64_t at;
    size_t size;
    *bytes = 0;
    memset(seen, 0, sizeof seen);
    walk_init(&walk, work->pattern, work->offset, work->length, work->block_size, 7);
    while (walk_next(&walk, &at, &size)) {
        memcpy(gathered + *bytes, content + at, size);
        *bytes += size;
        assert_int_equal(seen[at], 0);
        memset(seen + at, 1, size);
    }
    return XXH3_64bits(gathered, *bytes);
}

static void every_pattern_is_read_in_its_order(void **state)
{
    (void)state;
    static const uint64_t patterns[] = {PATTERN_REVERSE, PATTERN_RANDOM, 3 * BLOCK, 5000};
    static const struct {
        uint64_t offset, length;
    } slices[] = {{0, LARGEST}, {0, 10 * BLOCK}, {777, 100000}, {5 * BLOCK, 1}};
    write_file(content, LARGEST);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        for (size_t s = 0; s < sizeof slices / sizeof slices[0]; s++) {
            struct work work = whole_file;
            work.pattern = patterns[p];
            work.offset = slices[s].offset;
            work.length = slices[s].length;
            uint64_t bytes, digest = digest_of_walk(&work, &bytes);
            bool dense = patterns[p] < PATTERN_LEAST_STRIDE;
            assert_true(dense ? bytes == work.length : bytes <= work.length);
            for (size_t i = 0; i < strategy_count(); i++) {
                if (!(strategy_at(i)->knobs & KNOB_BIT(KNOB_PATTERN)) ||
                    !can_do(strategy_at(i), 0, &work))
                    continue;
                struct outcome o = run_pass(strategy_at(i), &work);
                assert_int_equal(o.status, 0);
                assert_int_equal(o.tally.bytes, bytes);
                assert_int_equal(o.digest, digest);
            }
        }
    }
}

static void any_number_in_flight_delivers_in_order(void **state)
{
    (void)state;
    static const uint64_t depths[] = {1, 2, 3, 31, 100};
    write_file(content, LARGEST);
    for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
        for (size_t i = 0; i < strategy_count(); i++) {
            struct work work = whole_file;
            work.depth = depths[d];
            if (!(strategy_at(i)->knobs & KNOB_BIT(KNOB_DEPTH)) ||
                !can_do(strategy_at(i), 0, &work))
                continue;
            struct outcome o = run_passes(strategy_at(i), &work, 1);
            expect(strategy_at(i), &o, content, LARGEST);
            work.offset = 4097;
            work.length = 123457;
            o = run_passes(strategy_at(i), &work, 1);
            expect(strategy_at(i), &o, content + 4097, 123457);
        }
    }
}

static void requests_go_to_the_kernel_in_batches(void **state)
{
    (void)state;
    struct work work = whole_file;
    const struct strategy *strategy = strategy_find(FAMILY_FILE, "io_uring");
    write_file(content, 64 * BLOCK);
    if (!can_do(strategy, 0, &work))
        skip();
    struct outcome o = run_pass(strategy, &work);
    expect(strategy, &o, content, 64 * BLOCK);
    assert_in_range(o.tally.calls, 64 / work.depth + 1, 64 / 2);
}

static void direct_reads_the_tail_in_one_call(void **state)
{
    (void)state;
    const struct strategy *strategy = strategy_find(FAMILY_FILE, "direct");
    write_file(content, 10000);
    if (!can_do(strategy, 0, &whole_file))
        skip();
    struct outcome o = run_pass(strategy, &whole_file);
    expect(strategy, &o, content, 10000);
    assert_int_equal(o.tally.calls, 3);
    assert_int_equal(o.tally.short_calls, 1);
}

static void direct_refuses_with_what_the_file_asks_for(void **state)
{
    (void)state;
    const struct strategy *strategy = strategy_find(FAMILY_FILE, "direct");
    struct err why;
    write_file(content, 10000);
    if (!can_do(strategy, 0, &whole_file))
        skip();
    struct work work = whole_file;
    work.block_size = 1000;
    assert_false(suits(strategy, &work, &why));
    assert_non_null(strstr(why.text, "block size of 1000"));
    assert_non_null(strstr(why.text, "alignment"));
    assert_non_null(strstr(why.text, "multiple of"));
    work = whole_file;
    work.open_path = "/proc/filesystems";
    assert_false(suits(strategy, &work, &why));
    assert_non_null(strstr(why.text, "on proc"));
    work.open_path = "/dev/zero";
    assert_false(suits(strategy, &work, &why));
    assert_non_null(strstr(why.text, "device"));
}

/* A child that cuts the file and restores its length, over and over. */
static pid_t start_cutter(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (unsigned i = 0;; i++)
        if (truncate(path, i % 2 == 0 ? 5000 : LARGEST) != 0)
            _exit(1);
}

static void a_file_cut_while_it_is_read_ends_early_and_no_worse(void **state)
{
    (void)state;
    write_file(content, LARGEST);
    pid_t cutter = start_cutter();
    for (size_t i = 0; i < strategy_count(); i++) {
        if (!can_do(strategy_at(i), NEED_MAP, &whole_file))
            continue;
        struct outcome o = run_passes(strategy_at(i), &whole_file, 20);
        assert_int_equal(o.status, 0);
        assert_in_range(o.tally.bytes, 20 * 5000, 20 * LARGEST);
    }
    kill(cutter, SIGKILL);
    waitpid(cutter, NULL, 0);
}

static void names_are_unique_and_summaries_are_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < strategy_count(); i++) {
        const struct strategy *strategy = strategy_at(i);
        assert_ptr_equal(strategy_find(strategy->family, strategy->name), strategy);
        assert_true(strlen(strategy->summary) > 10);
        /* a name may be that of a group only where no strategy of its family is in it */
        for (size_t j = 0; j < strategy_count(); j++)
            assert_true(strategy_at(j)->family != strategy->family ||
                        !(strategy_at(j)->groups & strategy_group(strategy->name)));
    }
}

static int set_up(void **state)
{
    (void)state;
    fill_content();
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/source", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_delivers_every_awkward_size),
        cmocka_unit_test(every_strategy_delivers_bytes_whatever_its_block_and_buffer),
        cmocka_unit_test(every_strategy_reads_its_slice_and_no_byte_more),
        cmocka_unit_test(every_strategy_can_pass_again),
        cmocka_unit_test(every_strategy_sums_and_counts_newlines_alike),
        cmocka_unit_test(counted_blocks_are_the_blocks_of_the_file_and_its_end),
        cmocka_unit_test(files_of_proc_give_their_content_or_a_reason),
        cmocka_unit_test(pipes_of_any_pieces_arrive_whole),
        cmocka_unit_test(a_pipe_gives_no_byte_beyond_the_limit),
        cmocka_unit_test(a_missing_file_is_named_with_the_reason),
        cmocka_unit_test(a_read_error_is_an_error_and_not_the_end),
        cmocka_unit_test(every_pattern_is_read_in_its_order),
        cmocka_unit_test(any_number_in_flight_delivers_in_order),
        cmocka_unit_test(requests_go_to_the_kernel_in_batches),
        cmocka_unit_test(direct_reads_the_tail_in_one_call),
        cmocka_unit_test(direct_refuses_with_what_the_file_asks_for),
        cmocka_unit_test(a_file_cut_while_it_is_read_ends_early_and_no_worse),
        cmocka_unit_test(names_are_unique_and_summaries_are_there),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
