/* The command line: names of options, lists of processors, and the options themselves. */
#include "config.h"

#include "check.h"

#include "base/tally.h"
#include "cli/cpu_list.h"
#include "cli/option_names.h"
#include "cli/command.h"
#include "cli/options.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_WORDS = 16 };

/* A command line whose words can be written to, as main() has them. */
struct line {
    int argc;
    char *argv[MOST_WORDS + 2];
    char text[512];
};

/* Words are parted by a space; '~' stands for a space inside of one. */
static void split(const char *text, struct line *line)
{
    *line = (struct line){0};
    snprintf(line->text, sizeof line->text, "read %s", text);
    for (char *word = strtok(line->text, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(line->argc <= MOST_WORDS);
        for (char *c = word; *c != '\0'; c++)
            *c = *c == '~' ? ' ' : *c;
        line->argv[line->argc++] = word;
    }
    line->argv[line->argc] = NULL;
}

static const struct option_name names[] = {
    {"b", "block-size", true}, {"t", "threads", true},     {"m", "mode", true},
    {"j", "json", false},      {"q", "quiet", false},      {NULL, "color", true},
    {NULL, "quick", false},    {NULL, "time-limit", true},
};

struct said {
    const char *line, *message; /* NULL: fine */
};

static void check_names(const struct said *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct line line;
        struct err err = {0};
        split(rows[i].line, &line);
        int status = option_names_check(line.argc, line.argv, names, ROWS_OF(names), &err);
        CHECK_TEXT(rows[i].line, err.text, rows[i].message != NULL ? rows[i].message : "");
        CHECK_INT(rows[i].line, status, rows[i].message != NULL ? -1 : 0);
    }
}

static void whole_names_are_known_with_their_values(void **state)
{
    (void)state;
    static const struct said rows[] = {
        {"", NULL},
        {"file", NULL},
        {"-", NULL},
        {"--json file --mode=x", NULL},
        {"--mode x file", NULL},
        {"--block-size=4k,8k", NULL},
        {"--mode=", NULL},
        {"-b 4k -b4k", NULL},
    };
    check_names(rows, ROWS_OF(rows));
}

static void abbreviated_names_are_refused_with_the_whole_one(void **state)
{
    (void)state;
    static const struct said rows[] = {
        {"--thr=2", "unknown option '--thr': did you mean '--threads'?"},
        {"--block 4k", "unknown option '--block': did you mean '--block-size'?"},
        {"--js", "unknown option '--js': did you mean '--json'?"},
        {"--quic", "unknown option '--quic': did you mean '--quick'?"},
    };
    check_names(rows, ROWS_OF(rows));
}

static void names_that_come_close_are_offered(void **state)
{
    (void)state;
    static const struct said rows[] = {
        {"--treads=2", "unknown option '--treads': did you mean '--threads'?"},
        {"--colour=never", "unknown option '--colour': did you mean '--color'?"},
        {"--block_size=1", "unknown option '--block_size': did you mean '--block-size'?"},
        {"--jsno", "unknown option '--jsno': did you mean '--json'?"},
        {"--nothing-like-it", "unknown option '--nothing-like-it'"},
        {"--x", "unknown option '--x'"},
        {"--=x", "unknown option '--'"},
    };
    check_names(rows, ROWS_OF(rows));
}

static void words_of_other_tools_get_a_hint(void **state)
{
    (void)state;
    static const struct said rows[] = {
        {"--bs=4k", "unknown option '--bs': use --block-size=LIST"},
        {"--bs", "unknown option '--bs': use --block-size=LIST"},
        {"--runs 10", "unknown option '--runs': use --rounds=N"},
        {"--export-json=x", "unknown option '--export-json': use --export=FILE.json"},
        {"--numjobs=4", "unknown option '--numjobs': use --threads=N"},
    };
    check_names(rows, ROWS_OF(rows));
    struct line line;
    struct err err = {0};
    split("--iodepth=32", &line);
    CHECK_INT("--iodepth", option_names_check(line.argc, line.argv, names, ROWS_OF(names), &err),
              -1);
    CHECK_HAS("--iodepth", err.text, "unknown option '--iodepth': use --");
}

static void letters_may_stand_together_and_the_last_may_take_a_value(void **state)
{
    (void)state;
    static const struct said rows[] = {
        {"-jb 4k", NULL},
        {"-jqb4k", NULL},
        {"-bj", NULL}, /* j is the value */
        {"-jb", "option '-jb' needs a value"},
        {"-b", "option '-b' needs a value"},
        {"-jx", "unknown option '-x'"},
        {"-x", "unknown option '-x'"},
        {"-jb --nonsense", NULL}, /* the value */
    };
    check_names(rows, ROWS_OF(rows));
}

static void a_value_may_look_like_an_option(void **state)
{
    (void)state;
    static const struct said rows[] = {
        {"--mode --nonsense", NULL},
        {"-m --nonsense --json", NULL},
        {"--mode -- --nonsense", "unknown option '--nonsense'"},
        {"--mode=x --nonsense", "unknown option '--nonsense'"},
        {"--mode", "option '--mode' needs a value"},
        {"--json=yes", "option '--json' takes no value"},
    };
    check_names(rows, ROWS_OF(rows));
}

static void what_follows_two_dashes_is_no_option(void **state)
{
    (void)state;
    static const struct said rows[] = {{"-- --nonsense -x", NULL}, {"--json -- --mode", NULL}};
    check_names(rows, ROWS_OF(rows));
}

static void the_closest_word_is_within_two_edits(void **state)
{
    (void)state;
    static const char *const words[] = {"read", "sysread", "stdio", "help", "list"};
    static const char *const rows[][2] = {{"raed", "read"},
                                          {"sysred", "sysread"},
                                          {"stdoi", "stdio"},
                                          {"sys", "sysread"},
                                          {"hlep", "help"}};
    for (size_t i = 0; i < ROWS_OF(rows); i++)
        CHECK_TEXT(rows[i][0], option_names_closest(rows[i][0], words, ROWS_OF(words)), rows[i][1]);
    assert_null(option_names_closest("zzzzzz", words, ROWS_OF(words)));
    assert_null(option_names_closest("", words, ROWS_OF(words)));
    assert_null(option_names_closest("x", words, ROWS_OF(words)));
}

/* A processor that this process may use, and one that it may not. */
static unsigned find_cpu(bool allowed)
{
    for (unsigned cpu = 0; cpu < 256; cpu++) {
#ifdef HAVE_SCHED_GETAFFINITY
        cpu_set_t set;
        assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
        if (CPU_ISSET(cpu, &set) == allowed)
            return cpu;
#else
        if (allowed)
            return cpu;
#endif
    }
    skip();
    return 0;
}

static void a_list_of_processors_is_numbers_and_ranges(void **state)
{
    (void)state;
    unsigned cpu = find_cpu(true);
    static const unsigned counts[] = {1, 1, 2, 2};
    char texts[ROWS_OF(counts)][48];
    snprintf(texts[0], sizeof texts[0], "%u", cpu);
    snprintf(texts[1], sizeof texts[1], "%u-%u", cpu, cpu);
    snprintf(texts[2], sizeof texts[2], "%u,%u", cpu, cpu);
    snprintf(texts[3], sizeof texts[3], "%u-%u,%u", cpu, cpu, cpu);
    for (size_t i = 0; i < ROWS_OF(counts); i++) {
        struct cpus cpus;
        struct err err = {0};
        CHECK_OK(texts[i], cpu_list_parse("cpu", texts[i], &cpus, &err), err);
        CHECK_COUNT(texts[i], cpus.n, ==, counts[i]);
        for (unsigned j = 0; j < cpus.n; j++)
            CHECK_COUNT(texts[i], cpus.id[j], ==, cpu);
    }
}

static void what_is_no_list_of_processors_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",   ",",  "x",   "-1",  "0,",    ",0", "0,,0",  "0-", "-",   "1-0",        "0x",
        "0 ", " 0", "0-x", "256", "0-999", "0;", "0-0-0", "+0", "0.0", "4294967296", "0,-0"};
    for (size_t i = 0; i < ROWS_OF(texts); i++) {
        struct cpus cpus;
        struct err err = {0};
        CHECK_INT(texts[i], cpu_list_parse("cpu", texts[i], &cpus, &err), -1);
        CHECK_HAS(texts[i], err.text, "--cpu: ");
    }
}

static void a_processor_that_is_not_ours_is_refused_with_those_that_are(void **state)
{
    (void)state;
    unsigned ours = find_cpu(true), not_ours = find_cpu(false);
    char text[16], refused[48], offered[16];
    snprintf(text, sizeof text, "%u", not_ours);
    snprintf(refused, sizeof refused, "--peer-cpu: processor %u is not to be had here", not_ours);
    snprintf(offered, sizeof offered, "only %u", ours);
    struct cpus cpus;
    struct err err = {0};
    CHECK_INT(text, cpu_list_parse("peer-cpu", text, &cpus, &err), -1);
    CHECK_HAS(text, err.text, refused);
    CHECK_HAS(text, err.text, offered);
}

#define READ_KNOBS (KNOB_BIT(KNOBS) - 1)

static struct options parse(const char *text, struct line *line)
{
    struct options options;
    struct err err = {0};
    split(text, line);
    CHECK_OK(text, options_parse(line->argc, line->argv, OPTIONS_FILE, READ_KNOBS, &options, &err), err);
    return options;
}

static void nothing_given_leaves_the_defaults(void **state)
{
    (void)state;
    struct line line;
    struct options o = parse("", &line);
    CHECK_COUNT("modes", o.modes.n, ==, 0);
    CHECK_COUNT("files", o.files.n, ==, 0);
    CHECK_COUNT("rounds", o.rounds, ==, 0);
    CHECK_COUNT("warmup", o.warmup, ==, 1);
    CHECK_NAN("precision", o.precision);
    CHECK_NAN("max slowdown", o.max_slowdown);
    CHECK_COUNT("time limit", o.time_limit_ns, ==, UNKNOWN);
    CHECK_COUNT("seed", o.seed, ==, UNKNOWN);
    CHECK_INT("color", o.color, WHEN_AUTO);
    CHECK_TRUE("flags", !o.json && !o.quiet && !o.verbose && !o.strict && !o.help && !o.quick);
    for (int k = 0; k < KNOBS; k++) {
        CHECK_COUNT(knob_info[k].key, o.knobs[k].n, ==, 1);
        CHECK_COUNT(knob_info[k].key, o.knobs[k].values[0], ==, knob_info[k].initial);
        CHECK_TRUE(knob_info[k].key, !o.knobs[k].given);
    }
    options_free(&o);
}

static void the_last_of_an_option_wins(void **state)
{
    (void)state;
    struct line line;
    struct options o = parse("--rounds=5 -r 7 --seed=1 --seed=2 --color=always --color never "
                             "--time-limit=1 --time-limit=250ms --block-size=4k,8k,16k -b 1k,2k",
                             &line);
    CHECK_COUNT("rounds", o.rounds, ==, 7);
    CHECK_COUNT("seed", o.seed, ==, 2);
    CHECK_INT("color", o.color, WHEN_NEVER);
    CHECK_COUNT("time limit", o.time_limit_ns, ==, 250000000);
    const struct knob_values *sizes = &o.knobs[KNOB_BLOCK_SIZE];
    CHECK_COUNT("block sizes", sizes->n, ==, 2);
    CHECK_COUNT("first", sizes->values[0], ==, 1024);
    CHECK_COUNT("second", sizes->values[1], ==, 2048);
    CHECK_TRUE("given", sizes->given);
    options_free(&o);
}

static void modes_exports_labels_and_commands_gather(void **state)
{
    (void)state;
    struct line line;
    struct options o =
        parse("-m a,b --mode=c -e x.json --export=y.csv --label=k=v --label=a.b_c-1=x=y "
              "--label=k= --exec=cat~{} --exec n=wc",
              &line);
    CHECK_COUNT("modes", o.modes.n, ==, 3);
    CHECK_TEXT("mode", o.modes.items[0], "a");
    CHECK_TEXT("mode", o.modes.items[1], "b");
    CHECK_TEXT("mode", o.modes.items[2], "c");
    CHECK_COUNT("exports", o.exports.n, ==, 2);
    CHECK_TEXT("export", o.exports.items[1], "y.csv");
    CHECK_COUNT("labels", o.n_labels, ==, 3);
    CHECK_TEXT("key", o.labels[1].key, "a.b_c-1");
    CHECK_TEXT("value", o.labels[1].value, "x=y");
    CHECK_TEXT("empty value", o.labels[2].value, "");
    CHECK_COUNT("commands", o.execs.n, ==, 2);
    CHECK_TEXT("command", o.execs.items[0], "cat {}");
    options_free(&o);
}

static void flags_may_be_given_long_short_and_twice(void **state)
{
    (void)state;
    static const char *const lines[] = {"--json", "-j", "-j --json", "-qj", "-jb 4k", "file -j"};
    for (size_t i = 0; i < ROWS_OF(lines); i++) {
        struct line line;
        struct options o = parse(lines[i], &line);
        CHECK_TRUE(lines[i], o.json);
        options_free(&o);
    }
}

static void files_may_stand_anywhere_and_look_like_options(void **state)
{
    (void)state;
    struct line line;
    struct options o = parse("one --color never two --json - -- --three -j", &line);
    static const char *const wanted[] = {"one", "two", "-", "--three", "-j"};
    CHECK_COUNT("files", o.files.n, ==, ROWS_OF(wanted));
    for (size_t i = 0; i < ROWS_OF(wanted); i++)
        CHECK_TEXT("file", o.files.items[i], wanted[i]);
    CHECK_INT("color", o.color, WHEN_NEVER);
    options_free(&o);
}

static void a_value_that_looks_like_an_option_is_a_value(void **state)
{
    (void)state;
    struct line line;
    struct options o = parse("--mode --quick --prepare -j --baseline -- x", &line);
    CHECK_TEXT("mode", o.modes.items[0], "--quick");
    CHECK_TEXT("prepare", o.prepare, "-j");
    CHECK_TEXT("baseline", o.baseline, "--");
    CHECK_TEXT("file", o.files.items[0], "x");
    CHECK_TRUE("flags", !o.quick && !o.json);
    options_free(&o);
}

static void help_is_given_whatever_else_is_wrong_with_the_values(void **state)
{
    (void)state;
    static const char *const lines[] = {"--help", "-h", "--help --rounds=x", "--rounds=0 -h file"};
    for (size_t i = 0; i < ROWS_OF(lines); i++) {
        struct line line;
        struct options o = parse(lines[i], &line);
        CHECK_TRUE(lines[i], o.help);
        options_free(&o);
    }
}

static void what_is_wrong_is_refused_and_leaves_nothing_behind(void **state)
{
    (void)state;
    static const struct said rows[] = {
        {"--mode=a,,b", "--mode: empty value in 'a,,b'"},
        {"--mode=a,", "--mode: empty value in 'a,'"},
        {"--mode=", "option '--mode=' needs a value"},
        {"--block-size=4k,,8k", "--block-size: empty value in '4k,,8k'"},
        {"--block-size=4x", "--block-size: '4x' is not a size: unknown unit 'x'"},
        {"--block-size=0", "--block-size: '0' is too small: at least 1 is needed"},
        {"--bytes=1k,2k", "--bytes takes one value"},
        {"--consume=digest", "--consume: unknown value 'digest'"},
        {"-t -1", "--threads: '-1' is not a number"},
        {"--color", "option '--color' needs a value"},
        {"--color=", "option '--color=' needs a value"},
        {"--color=yes", "--color: 'yes' is none of auto, always, never"},
        {"--rounds=0", "--rounds: '0' is too small"},
        {"--rounds=1000001", "--rounds: '1000001' is too large"},
        {"--rounds=1e3", "--rounds: '1e3' is not a number: unknown unit 'e3'"},
        {"--seed=9007199254740992", "--seed: '9007199254740992' is too large"},
        {"--time-limit=0", "--time-limit: '0' is too short"},
        {"--precision=0", "--precision: '0' is out of range"},
        {"--label=novalue", NULL},
        {"--label==x", NULL},
        {"--label=a~b=c", NULL},
        {"--export=x.txt", "--export: 'x.txt' ends in none of .bmf.json .gha-smaller.json .gha-bigger.json .gbench.json .json .csv .md .prom .dat .hgrm"},
        {"--export=.json", "--export: '.json' ends in none of .bmf.json .gha-smaller.json .gha-bigger.json .gbench.json .json .csv .md .prom .dat .hgrm"},
        {"--json=yes", "option '--json' takes no value"},
        {"--cpu=x", "--cpu: 'x' is not a list of processors"},
        {"--nonsense", "unknown option '--nonsense'"},
        {"-m a --label=k=v -e x.md --exec=cat -b 1,2 --nonsense", "unknown option '--nonsense'"},
        {"-m a --label=k=v -e x.md --exec=cat -b 1,2 --rounds=x", NULL},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct line line;
        struct options options;
        struct err err = {0};
        split(rows[i].line, &line);
        int status = options_parse(line.argc, line.argv, OPTIONS_FILE, READ_KNOBS, &options, &err);
        options_free(&options);
        CHECK_INT(rows[i].line, status, -1);
        if (rows[i].message != NULL)
            CHECK_TEXT(rows[i].line, err.text, rows[i].message);
        CHECK_COUNT("length of the message", strlen(err.text), >, 0);
    }
}

static void a_knob_that_the_command_has_not_is_unknown(void **state)
{
    (void)state;
    struct line line;
    struct options options;
    struct err err = {0};
    split("--stdio-buffer=4k", &line);
    knob_set knobs = READ_KNOBS & ~KNOB_BIT(KNOB_STDIO_BUFFER);
    CHECK_INT("status", options_parse(line.argc, line.argv, OPTIONS_FILE, knobs, &options, &err), -1);
    CHECK_HAS("message", err.text, "unknown option '--stdio-buffer'");
    options_free(&options);
}

static void help_has_a_line_for_each_option_within_80_columns(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    options_print(OPTIONS_FILE, READ_KNOBS, out);
    fclose(out);
    static const char *const wanted[] = {"-m, --mode=LIST", "-j, --json ", "--time-limit=TIME",
                                         "--label=KEY=VALUE", "-h, --help "};
    for (size_t i = 0; i < ROWS_OF(wanted); i++)
        CHECK_HAS("help", text, wanted[i]);
    for (int k = 0; k < KNOBS; k++) {
        char option[64];
        snprintf(option, sizeof option, "--%s=%s ", knob_info[k].option, knob_info[k].datatype);
        CHECK_HAS("help", text, option);
    }
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        CHECK_COUNT(line, strlen(line), <=, 80);
    free(text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_names_are_known_with_their_values),
        cmocka_unit_test(abbreviated_names_are_refused_with_the_whole_one),
        cmocka_unit_test(names_that_come_close_are_offered),
        cmocka_unit_test(words_of_other_tools_get_a_hint),
        cmocka_unit_test(letters_may_stand_together_and_the_last_may_take_a_value),
        cmocka_unit_test(a_value_may_look_like_an_option),
        cmocka_unit_test(what_follows_two_dashes_is_no_option),
        cmocka_unit_test(the_closest_word_is_within_two_edits),
        cmocka_unit_test(a_list_of_processors_is_numbers_and_ranges),
        cmocka_unit_test(what_is_no_list_of_processors_is_refused),
        cmocka_unit_test(a_processor_that_is_not_ours_is_refused_with_those_that_are),
        cmocka_unit_test(nothing_given_leaves_the_defaults),
        cmocka_unit_test(the_last_of_an_option_wins),
        cmocka_unit_test(modes_exports_labels_and_commands_gather),
        cmocka_unit_test(flags_may_be_given_long_short_and_twice),
        cmocka_unit_test(files_may_stand_anywhere_and_look_like_options),
        cmocka_unit_test(a_value_that_looks_like_an_option_is_a_value),
        cmocka_unit_test(help_is_given_whatever_else_is_wrong_with_the_values),
        cmocka_unit_test(what_is_wrong_is_refused_and_leaves_nothing_behind),
        cmocka_unit_test(a_knob_that_the_command_has_not_is_unknown),
        cmocka_unit_test(help_has_a_line_for_each_option_within_80_columns),
    };
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
