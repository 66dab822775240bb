/* Ids of cases, how a case is found by one, and the commands of the user as cases. */
#include "config.h"

#include "check.h"

#include "family/case_id.h"
#include "family/exec.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MMAP_KNOBS = KNOB_BIT(KNOB_BYTES) | KNOB_BIT(KNOB_CONSUME) | KNOB_BIT(KNOB_OFFSET) |
                 KNOB_BIT(KNOB_THREADS),
    READ_KNOBS = MMAP_KNOBS | KNOB_BIT(KNOB_BLOCK_SIZE),
    ALL_KNOBS = READ_KNOBS | KNOB_BIT(KNOB_STDIO_BUFFER)
};

static void check_id(const char *mode, knob_set knobs, const struct params *params,
                     const char *wanted)
{
    char *id = case_id("read", mode, knobs, params);
    CHECK_TEXT(mode, id, wanted);
    free(id);
}

static void an_id_has_the_block_size_wherever_there_is_one(void **state)
{
    (void)state;
    struct params params;
    params_init(&params);
    check_id("sysread", READ_KNOBS, &params, "read/sysread/block_size=131072");
    check_id("mmap", MMAP_KNOBS, &params, "read/mmap");
    params.value[KNOB_BLOCK_SIZE] = 4096;
    check_id("sysread", READ_KNOBS, &params, "read/sysread/block_size=4096");
    check_id("mmap", MMAP_KNOBS, &params, "read/mmap");
}

static void an_id_has_the_other_parameters_where_they_differ_in_alphabetical_order(void **state)
{
    (void)state;
    struct params params;
    params_init(&params);
    params.value[KNOB_THREADS] = 4;
    params.value[KNOB_CONSUME] = CONSUME_SUM;
    check_id("mmap", MMAP_KNOBS, &params, "read/mmap/consume=sum,threads=4");
    check_id("sysread", READ_KNOBS, &params,
             "read/sysread/block_size=131072,consume=sum,threads=4");
    params.value[KNOB_STDIO_BUFFER] = 512;
    params.value[KNOB_OFFSET] = 7;
    params.value[KNOB_BYTES] = 1000;
    check_id("fread", ALL_KNOBS, &params,
             "read/fread/block_size=131072,bytes=1000,consume=sum,offset=7,stdio_buffer=512,"
             "threads=4");
    check_id("getc", 0, &params, "read/getc");
}

static void a_long_mode_does_not_overrun(void **state)
{
    (void)state;
    char mode[3000];
    memset(mode, 'm', sizeof mode - 1);
    for (size_t length = 900; length < sizeof mode; length += 9) {
        mode[length] = '\0';
        struct params params;
        params_init(&params);
        char *id = case_id("read", mode, READ_KNOBS, &params);
        CHECK_HAS("id", id, "read/mmm");
        free(id);
        mode[length] = 'm';
    }
}

/* A run of cases with these ids; the label is the mode, the word behind the first slash. */
static struct run run_of(const char *const *ids, unsigned n)
{
    struct run run = {.n_cases = n, .baseline = -1};
    run.cases = calloc(n, sizeof *run.cases);
    assert_non_null(run.cases);
    for (unsigned i = 0; i < n; i++) {
        const char *mode = strchr(ids[i], '/') + 1;
        run.cases[i].id = strdup(ids[i]);
        run.cases[i].label = strndup(mode, strcspn(mode, "/"));
    }
    return run;
}

static void cases_of_the_same_id_are_numbered(void **state)
{
    (void)state;
    static const char *const ids[] = {
        "read/sysread/block_size=4096",
        "read/mmap",
        "read/sysread/block_size=4096",
        "read/mmap_populate",
        "read/sysread/block_size=4096",
        "read/sysread/block_size=40960",
        "read/mmap",
    };
    static const char *const wanted[][2] = {
        {"read/sysread/block_size=4096#1", "sysread#1"},
        {"read/mmap#1", "mmap#1"},
        {"read/sysread/block_size=4096#2", "sysread#2"},
        {"read/mmap_populate", "mmap_populate"},
        {"read/sysread/block_size=4096#3", "sysread#3"},
        {"read/sysread/block_size=40960", "sysread"},
        {"read/mmap#2", "mmap#2"},
    };
    struct run run = run_of(ids, ROWS_OF(ids));
    struct err err = {0};
    CHECK_OK("case_ids_number", case_ids_number(&run, &err), err);
    for (size_t i = 0; i < ROWS_OF(ids); i++) {
        CHECK_TEXT(ids[i], run.cases[i].id, wanted[i][0]);
        CHECK_TEXT(ids[i], run.cases[i].label, wanted[i][1]);
    }
    run_free(&run);
}

struct sought {
    const char *text;
    int index;           /* -1: not found */
    const char *message; /* part of it */
};

static void check_found(const char *const *ids, unsigned n, const struct sought *rows,
                        size_t n_rows)
{
    struct run run = run_of(ids, n);
    struct err number = {0};
    CHECK_OK("case_ids_number", case_ids_number(&run, &number), number);
    for (size_t i = 0; i < n_rows; i++) {
        struct err err = {0};
        CHECK_INT(rows[i].text, case_find(&run, rows[i].text, &err), rows[i].index);
        if (rows[i].message != NULL)
            CHECK_HAS(rows[i].text, err.text, rows[i].message);
    }
    run_free(&run);
}

static void a_case_is_found_by_its_id_or_a_shorter_form(void **state)
{
    (void)state;
    static const char *const ids[] = {
        "read/sysread/block_size=4096",
        "read/sysread/block_size=8192",
        "read/fread/block_size=8192,threads=2",
        "read/mmap",
    };
    static const struct sought rows[] = {
        {"read/sysread/block_size=8192", 1, NULL},
        {"sysread/block_size=8192", 1, NULL},
        {"block_size=4096", 0, NULL},
        {"fread", 2, NULL},
        {"fread/threads=2", 2, NULL},
        {"threads=2", 2, NULL},
        {"mmap", 3, NULL},
        {"read/mmap", 3, NULL},
        {"sysread", -1, "'sysread' fits more than one case"},
        {"sysread", -1, "'read/sysread/block_size=8192'"},
        {"block_size=8192", -1, "fits more than one case"},
        {"getc", -1, "no case is called 'getc'"},
        {"mma", -1, "no case is called 'mma'"},
        {"block_size=819", -1, "no case"},
        {"sysread/threads=2", -1, "no case"},
    };
    check_found(ids, ROWS_OF(ids), rows, ROWS_OF(rows));
}

static void a_numbered_case_is_found_by_its_number(void **state)
{
    (void)state;
    static const char *const ids[] = {"read/mmap", "read/mmap", "read/getc"};
    static const struct sought rows[] = {
        {"read/mmap#1", 0, NULL},
        {"mmap#2", 1, NULL},
        {"getc", 2, NULL},
        {"mmap", -1, "fits more than one case: 'read/mmap#1' and 'read/mmap#2'"},
        {"mmap#3", -1, "no case"},
    };
    check_found(ids, ROWS_OF(ids), rows, ROWS_OF(rows));
}

static void a_whole_id_is_found_although_longer_ones_contain_its_words(void **state)
{
    (void)state;
    static const char *const ids[] = {
        "read/sysread/block_size=4096,threads=2",
        "read/sysread/block_size=4096,threads=4",
        "read/sysread/block_size=4096",
    };
    static const struct sought rows[] = {{"read/sysread/block_size=4096", 2, NULL}};
    check_found(ids, ROWS_OF(ids), rows, ROWS_OF(rows));
}

static void a_command_may_have_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *command;
    } rows[] = {
        {"cat {}", "", "cat {}"},
        {"mine=cat {}", "mine", "cat {}"},
        {"a.b_c-1=x=y", "a.b_c-1", "x=y"},
        {"=cat", "", "=cat"},
        {"my tool=cat", "", "my tool=cat"},
        {"./tool --size=4k", "", "./tool --size=4k"},
        {"name=", "name", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        size_t length;
        CHECK_TEXT(rows[i].text, exec_split_name(rows[i].text, &length), rows[i].command);
        CHECK_COUNT(rows[i].text, length, ==, strlen(rows[i].name));
    }
}

/* Fills a command in for these files and a block size of 4096. */
static struct exec_work fill_in(const char *command, const char *first, const char *second)
{
    char *paths[2] = {strdup(first), second != NULL ? strdup(second) : NULL};
    struct source_file files[2] = {{.path = paths[0], .open_path = paths[0], .fd = -1},
                                   {.path = paths[1], .open_path = paths[1], .fd = -1}};
    struct source source = {files, second != NULL ? 2 : 1, false};
    struct exec_work work;
    struct err err = {0};
    CHECK_OK(command,
             exec_work_init(&work, command, &(struct exec_target){.source = &source}, 4096, &err),
             err);
    CHECK_TEXT(command, work.input_path, strstr(command, "{}") != NULL ? "/dev/null" : first);
    work.input_path = NULL; /* what it points to goes away */
    free(paths[0]);
    free(paths[1]);
    return work;
}

static void the_file_and_the_block_size_are_filled_in(void **state)
{
    (void)state;
    static const struct {
        const char *command, *first, *second, *wanted;
    } rows[] = {
        {"cat {}", "a/b.txt", NULL, "cat a/b.txt"},
        {"cat {} {}", "x", "y", "cat x y x y"},
        {"cat {}", "two words", NULL, "cat 'two words'"},
        {"cat {}", "it's", NULL, "cat 'it'\\''s'"},
        {"cat {}", "a;rm -r b", NULL, "cat 'a;rm -r b'"},
        {"cat {}", "$(x)", "`y`", "cat '$(x)' '`y`'"},
        {"dd bs={block_size} if={}", "x", NULL, "dd bs=4096 if=x"},
        {"wc -c", "x", NULL, "wc -c"},
        {"echo {block} }{", "x", NULL, "echo {block} }{"},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct exec_work work = fill_in(rows[i].command, rows[i].first, rows[i].second);
        CHECK_TEXT(rows[i].command, work.command, rows[i].wanted);
        exec_work_free(&work);
    }
    CHECK_TRUE("dd", exec_takes_block_size("dd bs={block_size}"));
    CHECK_TRUE("cat", !exec_takes_block_size("cat {}"));
}

static void a_command_without_shell_syntax_is_split_into_words(void **state)
{
    (void)state;
    struct exec_work work = fill_in("  dd  if={} bs={block_size} ", "a/b", NULL);
    static const char *const words[] = {"dd", "if=a/b", "bs=4096"};
    assert_non_null(work.argv);
    for (size_t i = 0; i < ROWS_OF(words); i++)
        CHECK_TEXT("word", work.argv[i], words[i]);
    assert_null(work.argv[ROWS_OF(words)]);
    exec_work_free(&work);
}

static void a_command_with_shell_syntax_is_left_to_the_shell(void **state)
{
    (void)state;
    static const char *const commands[] = {"cat {} | wc",   "cat <x",    "echo $HOME", "a; b",
                                           "'quoted word'", "cat *.txt", "FOO=1 cat",  "cd x && y",
                                           "a\tb",          "~/tool"};
    for (size_t i = 0; i < ROWS_OF(commands); i++) {
        struct exec_work work = fill_in(commands[i], "x", NULL);
        CHECK_TRUE(commands[i], work.argv == NULL);
        exec_work_free(&work);
    }
}

static void a_command_that_cannot_get_its_files_is_refused(void **state)
{
    (void)state;
    char path[] = "-";
    struct source_file files[2] = {{.path = path, .open_path = path, .fd = 0},
                                   {.path = path, .open_path = path, .fd = -1}};
    struct source piped = {files, 1, false}, two = {files, 2, false};
    struct exec_work work;
    struct err none = {0}, several = {0}, unnamed = {0};
    CHECK_INT("empty",
              exec_work_init(&work, "  ", &(struct exec_target){.source = &piped}, 1, &none), -1);
    CHECK_HAS("empty", none.text, "empty command");
    CHECK_INT("several files",
              exec_work_init(&work, "wc", &(struct exec_target){.source = &two}, 1, &several), -1);
    CHECK_HAS("several files", several.text, "'wc'");
    CHECK_INT("a pipe",
              exec_work_init(&work, "wc {}", &(struct exec_target){.source = &piped}, 1, &unnamed),
              -1);
    CHECK_HAS("a pipe", unnamed.text, "'wc {}'");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_has_the_block_size_wherever_there_is_one),
        cmocka_unit_test(an_id_has_the_other_parameters_where_they_differ_in_alphabetical_order),
        cmocka_unit_test(a_long_mode_does_not_overrun),
        cmocka_unit_test(cases_of_the_same_id_are_numbered),
        cmocka_unit_test(a_case_is_found_by_its_id_or_a_shorter_form),
        cmocka_unit_test(a_numbered_case_is_found_by_its_number),
        cmocka_unit_test(a_whole_id_is_found_although_longer_ones_contain_its_words),
        cmocka_unit_test(a_command_may_have_a_name),
        cmocka_unit_test(the_file_and_the_block_size_are_filled_in),
        cmocka_unit_test(a_command_without_shell_syntax_is_split_into_words),
        cmocka_unit_test(a_command_with_shell_syntax_is_left_to_the_shell),
        cmocka_unit_test(a_command_that_cannot_get_its_files_is_refused),
    };
    return cmocka_run_group_tests_name("family", tests, NULL, NULL);
}
