/* Random numbers, errors, notes, text, and what is known of a source. */
#include "config.h"

#include "check.h"

#include "base/notes.h"
#include "base/rng.h"
#include "base/source.h"
#include "base/tally.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void the_generator_gives_the_published_numbers(void **state)
{
    (void)state;
    static const uint64_t wanted[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                      UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                      UINT64_C(16408922859458223821)};
    struct rng rng, again;
    rng_init(&rng, 1234567);
    rng_init(&again, 1234567);
    for (size_t i = 0; i < ROWS_OF(wanted); i++) {
        CHECK_COUNT("seed 1234567", rng_next(&rng), ==, wanted[i]);
        CHECK_COUNT("the same seed again", rng_next(&again), ==, wanted[i]);
    }
}

static void draws_stay_below_the_limit_and_reach_every_number(void **state)
{
    (void)state;
    enum { LIMIT = 6, DRAWS = 60000 };
    struct rng rng;
    rng_init(&rng, 1);
    unsigned seen[LIMIT] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint64_t draw = rng_below(&rng, LIMIT);
        CHECK_COUNT("draw", draw, <, LIMIT);
        seen[draw]++;
    }
    for (int i = 0; i < LIMIT; i++) { /* 10000 with a standard deviation of 91 */
        CHECK_COUNT("least", seen[i], >, 9500);
        CHECK_COUNT("most", seen[i], <, 10500);
    }
    for (int i = 0; i < 100; i++)
        CHECK_COUNT("below one", rng_below(&rng, 1), ==, 0);
    for (int i = 0; i < 100; i++)
        CHECK_COUNT("a large limit", rng_below(&rng, UINT64_MAX), <, UINT64_MAX);
}

static void a_shuffle_is_a_permutation_and_follows_the_seed(void **state)
{
    (void)state;
    enum { N = 100 };
    unsigned items[N], same[N], other[N], seen[N] = {0};
    for (unsigned i = 0; i < N; i++)
        items[i] = same[i] = other[i] = i;
    struct rng rng;
    rng_init(&rng, 5);
    rng_shuffle(&rng, items, N);
    rng_init(&rng, 5);
    rng_shuffle(&rng, same, N);
    rng_init(&rng, 6);
    rng_shuffle(&rng, other, N);
    for (unsigned i = 0; i < N; i++)
        seen[items[i]]++;
    for (unsigned i = 0; i < N; i++)
        CHECK_COUNT("times an item is there", seen[i], ==, 1);
    assert_memory_equal(items, same, sizeof items);
    assert_memory_not_equal(items, other, sizeof items);
    rng_shuffle(&rng, items, 0);
    rng_shuffle(&rng, items, 1);
}

static void a_fresh_seed_fits_into_a_double(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        CHECK_COUNT("seed", rng_fresh_seed(), <, RNG_SEED_LIMIT);
}

static void an_error_carries_its_reason(void **state)
{
    (void)state;
    struct err err = {0};
    CHECK_INT("status", err_set(&err, ENOENT, "cannot open '%s'", "x"), -1);
    CHECK_TEXT("message", err.text, "cannot open 'x': No such file or directory");
    CHECK_INT("number", err.number, ENOENT);
    struct err plain = {0};
    CHECK_INT("status", err_set(&plain, 0, "%d is odd", 7), -1);
    CHECK_TEXT("message without a reason", plain.text, "7 is odd");
}

static void the_first_error_wins(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, 0, "first");
    CHECK_INT("status", err_set(&err, EIO, "second"), -1);
    CHECK_TEXT("message", err.text, "first");
    CHECK_INT("number", err.number, 0);
}

static void a_very_long_path_keeps_the_reason(void **state)
{
    (void)state;
    char path[4096];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    static const char reason[] = ": No such file or directory";
    for (size_t length = 400; length < sizeof path; length += 7) {
        struct err err = {0};
        err_set(&err, ENOENT, "cannot open '%.*s'", (int)length, path);
        size_t used = strlen(err.text);
        CHECK_COUNT("length", used, <, sizeof err.text);
        CHECK_TEXT("end", err.text + used - strlen(reason), reason);
    }
}

static void error_numbers_and_signals_have_names(void **state)
{
    (void)state;
    CHECK_TEXT("ENOENT", err_name(ENOENT), "ENOENT");
    CHECK_TEXT("EISDIR", err_name(EISDIR), "EISDIR");
    CHECK_TEXT("no number", err_name(0), "error");
    CHECK_TEXT("no such number", err_name(99999), "error");
    CHECK_TEXT("SIGBUS", err_signal_name(SIGBUS), "SIGBUS");
    CHECK_TEXT("SIGTERM", err_signal_name(SIGTERM), "SIGTERM");
    CHECK_TEXT("no such signal", err_signal_name(9999), "signal");
}

static void notes_keep_their_order_and_their_own_text(void **state)
{
    (void)state;
    struct notes notes = {0};
    char name[] = "first";
    notes_add(&notes, "ratio_drifts", NULL, "the %s of %d", name, 2);
    struct err err = {0};
    err_set(&err, ENOENT, "cannot open '%s'", name);
    notes_add_err(&notes, name, &err);
    memset(name, '!', sizeof name - 1);
    CHECK_COUNT("notes", notes.n, ==, 2);
    CHECK_TEXT("code", notes.items[0].code, "ratio_drifts");
    CHECK_TEXT("message", notes.items[0].message, "the first of 2");
    assert_null(notes.items[0].path);
    CHECK_TEXT("code", notes.items[1].code, "ENOENT");
    CHECK_TEXT("message", notes.items[1].message, "cannot open 'first': No such file or directory");
    CHECK_TEXT("path", notes.items[1].path, "first");
    notes_free(&notes);
    CHECK_COUNT("notes after notes_free", notes.n, ==, 0);
    assert_null(notes.items);
}

static void control_characters_are_shown_as_question_marks(void **state)
{
    (void)state;
    char shown[32], tight[5];
    CHECK_TEXT("controls", text_printable("a\033[2J\nb\x7f\r\tc", shown, sizeof shown),
               "a?[2J?b???c");
    CHECK_TEXT("UTF-8", text_printable("gr\xc3\xb6\xc3\x9f", shown, sizeof shown),
               "gr\xc3\xb6\xc3\x9f");
    CHECK_TEXT("empty", text_printable("", shown, sizeof shown), "");
    CHECK_TEXT("cut", text_printable("123456", tight, sizeof tight), "1234");
    CHECK_TEXT("cut behind a character",
               text_printable("12\xc3\xb6"
                              "5",
                              tight, sizeof tight),
               "12\xc3\xb6");
    CHECK_TEXT("cut inside a character", text_printable("123\xc3\xb6", tight, sizeof tight), "123");
    CHECK_TEXT("cut inside a longer one", text_printable("1\xf0\x9f\x98\x80", tight, sizeof tight),
               "1");
}

static void a_code_point_takes_one_column(void **state)
{
    (void)state;
    CHECK_COUNT("ASCII", text_columns("abc"), ==, 3);
    CHECK_COUNT("two and three bytes", text_columns("\xc3\xb6\xe2\x82\xac"), ==, 2);
    CHECK_COUNT("nothing", text_columns(""), ==, 0);
}

/* A directory for the tests of sources: a regular file of 100000 bytes and a FIFO. */
struct scratch {
    char directory[256], file[300], fifo[300];
};

enum { FILE_BYTES = 100000 };

static int make_scratch(void **state)
{
    struct scratch *s = malloc(sizeof *s);
    const char *base = getenv("TMPDIR");
    if (s == NULL)
        return -1;
    *state = s;
    snprintf(s->directory, sizeof s->directory, "%s/test_base.XXXXXX",
             base != NULL ? base : "/tmp");
    if (mkdtemp(s->directory) == NULL)
        return -1;
    snprintf(s->file, sizeof s->file, "%s/file", s->directory);
    snprintf(s->fifo, sizeof s->fifo, "%s/fifo", s->directory);
    if (mkfifo(s->fifo, 0600) != 0)
        return -1;
    FILE *f = fopen(s->file, "we");
    if (f == NULL)
        return -1;
    for (int i = 0; i < FILE_BYTES; i++)
        putc('a' + i % 26, f);
    return fclose(f);
}

static int remove_scratch(void **state)
{
    struct scratch *s = *state;
    unlink(s->file);
    unlink(s->fifo);
    int status = rmdir(s->directory);
    free(s);
    return status;
}

static void a_missing_file_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct source source = {0};
    struct err err = {0};
    CHECK_INT("status", source_add(&source, "no/such/file", &err), -1);
    CHECK_TEXT("message", err.text, "cannot open 'no/such/file': No such file or directory");
    CHECK_INT("number", err.number, ENOENT);
    CHECK_COUNT("files", source.n, ==, 0);
    source_free(&source);
}

static void a_directory_is_refused(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    struct err err = {0};
    CHECK_INT("status", source_add(&source, s->directory, &err), -1);
    CHECK_HAS("message", err.text, ": Is a directory");
    CHECK_INT("number", err.number, EISDIR);
    CHECK_COUNT("files", source.n, ==, 0);
    source_free(&source);
}

static void a_regular_file_has_its_size_and_can_be_read_again(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    struct err err = {0};
    CHECK_OK(s->file, source_add(&source, s->file, &err), err);
    CHECK_COUNT("files", source.n, ==, 1);
    const struct source_file *file = &source.files[0];
    CHECK_TEXT("path", file->path, s->file);
    CHECK_TEXT("what to open", file->open_path, s->file);
    CHECK_INT("descriptor", file->fd, -1);
    CHECK_COUNT("size", file->size_bytes, ==, FILE_BYTES);
    CHECK_COUNT("stated size", file->stated_bytes, ==, FILE_BYTES);
    CHECK_TRUE("kind", file->regular && !file->once && !file->endless && !file->volatile_size);
    CHECK_COUNT("length of the file system's name", strlen(file->filesystem), >, 0);
    CHECK_OK("reading it", source_check(file, 0, &err), err);
    CHECK_OK("reading behind its end", source_check(file, 2 * FILE_BYTES, &err), err);
    source_free(&source);
}

static void a_file_just_written_is_in_the_page_cache_if_that_can_be_known(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    struct err err = {0};
    CHECK_OK(s->file, source_add(&source, s->file, &err), err);
    double ratio = source_resident_ratio(&source.files[0]);
    if (!isnan(ratio))
        CHECK_REAL("ratio", ratio, ==, 1);
    source_free(&source);
}

static void a_file_dropped_from_the_page_cache_is_gone_until_it_is_read(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    struct err err = {0};
    CHECK_OK(s->file, source_add(&source, s->file, &err), err);
    const struct source_file *file = &source.files[0];
    if (source_drop_cache(file, &err) != 0) {
        CHECK_HAS("reason", err.text, s->file); /* a file system that keeps it */
    } else {
        CHECK_REAL("cold", source_resident_ratio(file), ==, 0);
        CHECK_OK("warming", source_warm_cache(file, &err), err);
        CHECK_REAL("warm", source_resident_ratio(file), ==, 1);
    }
    source_free(&source);
}

static void a_fifo_is_read_once(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    struct err err = {0};
    CHECK_OK(s->fifo, source_add(&source, s->fifo, &err), err);
    const struct source_file *file = &source.files[0];
    CHECK_TRUE("kind", file->once && !file->regular && !file->endless);
    CHECK_COUNT("size", file->size_bytes, ==, UNKNOWN);
    CHECK_TEXT("file system", file->filesystem, "pipe");
    CHECK_NAN("resident ratio", source_resident_ratio(file));
    CHECK_OK("a check that must not open it", source_check(file, 0, &err), err);
    source_free(&source);
}

static void dev_zero_is_endless_and_dev_null_is_neither_endless_nor_once(void **state)
{
    (void)state;
    struct source source = {0};
    struct err err = {0};
    CHECK_OK("/dev/zero", source_add(&source, "/dev/zero", &err), err);
    CHECK_OK("/dev/null", source_add(&source, "/dev/null", &err), err);
    const struct source_file *zero = &source.files[0], *null = &source.files[1];
    CHECK_TRUE("/dev/zero", zero->endless && !zero->once && !zero->regular);
    CHECK_TRUE("/dev/null", !null->endless && !null->once && !null->regular);
    CHECK_COUNT("size of /dev/zero", zero->size_bytes, ==, UNKNOWN);
    CHECK_TEXT("file system", zero->filesystem, "device");
    CHECK_OK("reading /dev/zero", source_check(zero, 0, &err), err);
    CHECK_OK("reading /dev/null", source_check(null, 0, &err), err);
    source_free(&source);
}

static void a_file_of_proc_does_not_tell_its_size(void **state)
{
    (void)state;
    struct source source = {0};
    struct err err = {0};
    CHECK_OK("/proc", source_add(&source, "/proc/self/status", &err), err);
    const struct source_file *file = &source.files[0];
    CHECK_TRUE("kind", file->regular && file->volatile_size && !file->once);
    CHECK_COUNT("size", file->size_bytes, ==, UNKNOWN);
    CHECK_COUNT("stated size", file->stated_bytes, ==, 0);
    CHECK_TEXT("file system", file->filesystem, "proc");
    CHECK_NAN("resident ratio", source_resident_ratio(file));
    source_free(&source);
}

static void a_file_that_has_gone_is_found_by_the_check(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    struct err err = {0};
    char path[320];
    snprintf(path, sizeof path, "%s2", s->file);
    assert_int_equal(link(s->file, path), 0);
    CHECK_OK(path, source_add(&source, path, &err), err);
    unlink(path);
    CHECK_INT("status", source_check(&source.files[0], 0, &err), -1);
    CHECK_INT("number", err.number, ENOENT);
    source_free(&source);
}

static void removing_a_file_keeps_the_others_in_order(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    struct err err = {0};
    CHECK_OK("file", source_add(&source, s->file, &err), err);
    CHECK_OK("/dev/zero", source_add(&source, "/dev/zero", &err), err);
    CHECK_OK("/dev/null", source_add(&source, "/dev/null", &err), err);
    source_remove(&source, 0);
    CHECK_COUNT("files", source.n, ==, 2);
    CHECK_TEXT("first", source.files[0].path, "/dev/zero");
    source_remove(&source, 1);
    CHECK_COUNT("files", source.n, ==, 1);
    CHECK_TEXT("left", source.files[0].path, "/dev/zero");
    source_free(&source);
    CHECK_COUNT("files after source_free", source.n, ==, 0);
}

/* Adds standard input while it is fd; closes fd. */
static void add_as_stdin(int fd, struct source *source)
{
    struct err err = {0};
    int kept = dup(STDIN_FILENO);
    dup2(fd, STDIN_FILENO);
    close(fd);
    int status = source_add_stdin(source, &err);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    CHECK_OK("standard input", status, err);
}

static void standard_input_from_a_file_starts_where_it_stands(void **state)
{
    struct scratch *s = *state;
    struct source source = {0};
    int fd = open(s->file, O_RDONLY);
    assert_return_code(fd, errno);
    lseek(fd, 1000, SEEK_SET);
    add_as_stdin(fd, &source);
    const struct source_file *file = &source.files[0];
    CHECK_TEXT("path", file->path, "-");
    CHECK_INT("descriptor", file->fd, -1);
    CHECK_COUNT("skipped", file->skip_bytes, ==, 1000);
    CHECK_COUNT("size", file->size_bytes, ==, FILE_BYTES);
    CHECK_TRUE("kind", file->regular && !file->once);
    source_free(&source);
}

static void standard_input_from_a_pipe_is_read_once_from_its_descriptor(void **state)
{
    (void)state;
    struct source source = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    add_as_stdin(ends[0], &source);
    close(ends[1]);
    CHECK_INT("descriptor", source.files[0].fd, STDIN_FILENO);
    CHECK_TRUE("kind", source.files[0].once && !source.files[0].regular);
    CHECK_COUNT("size", source.files[0].size_bytes, ==, UNKNOWN);
    source_free(&source);
}
int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_the_published_numbers),
        cmocka_unit_test(draws_stay_below_the_limit_and_reach_every_number),
        cmocka_unit_test(a_shuffle_is_a_permutation_and_follows_the_seed),
        cmocka_unit_test(a_fresh_seed_fits_into_a_double),
        cmocka_unit_test(an_error_carries_its_reason),
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(a_very_long_path_keeps_the_reason),
        cmocka_unit_test(error_numbers_and_signals_have_names),
        cmocka_unit_test(notes_keep_their_order_and_their_own_text),
        cmocka_unit_test(control_characters_are_shown_as_question_marks),
        cmocka_unit_test(a_code_point_takes_one_column),
        cmocka_unit_test(a_missing_file_is_refused_with_the_reason),
        cmocka_unit_test(a_directory_is_refused),
        cmocka_unit_test(a_regular_file_has_its_size_and_can_be_read_again),
        cmocka_unit_test(a_file_just_written_is_in_the_page_cache_if_that_can_be_known),
        cmocka_unit_test(a_file_dropped_from_the_page_cache_is_gone_until_it_is_read),
        cmocka_unit_test(a_fifo_is_read_once),
        cmocka_unit_test(dev_zero_is_endless_and_dev_null_is_neither_endless_nor_once),
        cmocka_unit_test(a_file_of_proc_does_not_tell_its_size),
        cmocka_unit_test(a_file_that_has_gone_is_found_by_the_check),
        cmocka_unit_test(removing_a_file_keeps_the_others_in_order),
        cmocka_unit_test(standard_input_from_a_file_starts_where_it_stands),
        cmocka_unit_test(standard_input_from_a_pipe_is_read_once_from_its_descriptor),
    };
    return cmocka_run_group_tests_name("base", tests, make_scratch, remove_scratch);
}
