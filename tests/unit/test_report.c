/* What reports are written with: JSON values, tables, and the endings of exports. */
#include "config.h"

#include "check.h"

#include "base/tally.h"
#include "report/export.h"
#include "report/json_value.h"
#include "report/report.h"
#include "report/table.h"

#include <stdio.h>
#include <stdlib.h>

static void well_formed_utf8_is_known_as_such(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "plain",
        "\x7f",
        "\xc2\x80",         /* U+0080, the first of two bytes */
        "\xdf\xbf",         /* U+07FF, the last */
        "\xe0\xa0\x80",     /* U+0800 */
        "\xed\x9f\xbf",     /* U+D7FF, the last in front of the surrogates */
        "\xee\x80\x80",     /* U+E000, the first behind them */
        "\xef\xbf\xbf",     /* U+FFFF */
        "\xf0\x90\x80\x80", /* U+10000 */
        "\xf4\x8f\xbf\xbf", /* U+10FFFF, the last of all */
        "gr\xc3\xb6\xc3\x9f"
        "e \xe2\x82\xac",
    };
    for (size_t i = 0; i < ROWS_OF(texts); i++)
        CHECK_TRUE(texts[i], json_is_utf8(texts[i]));
}

static void overlong_surrogate_and_cut_sequences_are_not_utf8(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\x80", /* continues nothing */
        "\xbf",
        "\xc0\x80",     /* U+0000 in two bytes */
        "\xc1\xbf",     /* U+007F in two bytes */
        "\xe0\x80\x80", /* in three bytes what takes one */
        "\xe0\x9f\xbf", /* U+07FF in three bytes */
        "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf", /* U+FFFF in four bytes */
        "\xed\xa0\x80",     /* U+D800, a surrogate */
        "\xed\xbf\xbf",     /* U+DFFF, the last one */
        "\xf4\x90\x80\x80", /* U+110000 */
        "\xf5\x80\x80\x80",
        "\xf8\x88\x80\x80\x80",
        "\xfe",
        "\xff",
        "\xc3", /* cut */
        "\xe2\x82",
        "\xf0\x9f\x98",
        "\xc3(",
        "\xe2(\xa1",
        "good\xff",
    };
    for (size_t i = 0; i < ROWS_OF(texts); i++) {
        char what[32];
        snprintf(what, sizeof what, "row %zu", i);
        CHECK_TRUE(what, !json_is_utf8(texts[i]));
    }
}

static void check_json(json_t *value, const char *wanted)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    json_decref(value);
    CHECK_TEXT("JSON", text, wanted);
    free(text);
}

static void a_byte_that_is_not_utf8_becomes_the_character_of_its_number(void **state)
{
    (void)state;
    check_json(json_text("a\xff"
                         "b"),
               "\"a\\u00FFb\"");
    check_json(json_text("\x80\xc0"), "\"\\u0080\\u00C0\"");
    check_json(json_text("\xc3\xb6\xe9"), "\"\\u00F6\\u00E9\"");
    check_json(json_text("\xed\xa0\x80"), "\"\\u00ED\\u00A0\\u0080\"");
    check_json(json_text("\xf0\x9f\x98"), "\"\\u00F0\\u009F\\u0098\"");
}

static void texts_are_escaped_and_their_absence_is_null(void **state)
{
    (void)state;
    check_json(json_text("say \"\\\n\x01"), "\"say \\\"\\\\\\n\\u0001\"");
    check_json(json_text(""), "\"\"");
    check_json(json_text(NULL), "null");
    check_json(json_text_or_null(""), "null");
    check_json(json_text_or_null(NULL), "null");
    check_json(json_text_or_null("x"), "\"x\"");
}

static void what_was_not_measured_is_null(void **state)
{
    (void)state;
    check_json(json_count(UNKNOWN), "null");
    check_json(json_count(0), "0");
    check_json(json_count((UINT64_C(1) << 53) + 1), "9007199254740993");
    check_json(json_nonzero(0), "null");
    check_json(json_nonzero(UNKNOWN), "null");
    check_json(json_nonzero(7), "7");
    check_json(json_number((double)NAN), "null");
    check_json(json_number((double)INFINITY), "null");
    check_json(json_number((double)-INFINITY), "null");
    check_json(json_number(0.5), "0.5");
}

/* Three rows of five columns; "memory" says nothing. */
static struct table new_table(void)
{
    static const char *const cells[3][5] = {{"mmap", "7.52 GB/s", "16 k", "-", "fastest"},
                                            {"sysread", "6.51 GB/s", "2", "0", "1.16x slower"},
                                            {"getc", "0.27 GB/s", "3", "", "28.2x slower"}};
    struct table table;
    assert_int_equal(table_init(&table, 3), 0);
    table_add_column(&table, "mode", true, 0);
    table_add_column(&table, "throughput", false, 0);
    table_add_column(&table, "faults", false, 6);
    table_add_column(&table, "memory", false, 9);
    table_add_column(&table, "against mmap", true, 6);
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 5; c++)
            strcpy(table_cell(&table, r, c), cells[r][c]);
    return table;
}

static char *printed(const struct table *table, bool color, bool markdown)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (markdown)
        table_print_markdown(table, out);
    else
        table_print(table, color, out);
    fclose(out);
    return text;
}

static void check_printed(const struct table *table, const char *wanted)
{
    char *text = printed(table, false, false);
    CHECK_TEXT("table", text, wanted);
    free(text);
}

static void numbers_stand_to_the_right_and_words_to_the_left(void **state)
{
    (void)state;
    struct table table = new_table();
    check_printed(&table, "  mode     throughput  faults  memory  against mmap\n"
                          "  mmap      7.52 GB/s    16 k       -  fastest\n"
                          "  sysread   6.51 GB/s       2       0  1.16x slower\n"
                          "  getc      0.27 GB/s       3          28.2x slower\n");
    table_free(&table);
}

static void columns_that_say_nothing_are_hidden_unless_they_are_always_kept(void **state)
{
    (void)state;
    struct table table = new_table();
    table_hide_silent(&table);
    for (size_t c = 0; c < table.n_columns; c++)
        CHECK_TRUE(table.columns[c].heading, table.columns[c].hidden == (c == 3));
    for (size_t r = 0; r < 3; r++)
        strcpy(table_cell(&table, r, 1), "-"); /* throughput: always kept */
    strcpy(table_cell(&table, 1, 3), "1 MiB");
    table.columns[3].hidden = false;
    table_hide_silent(&table);
    CHECK_TRUE("throughput", !table.columns[1].hidden);
    CHECK_TRUE("memory", !table.columns[3].hidden);
    table_free(&table);
}

static void a_narrow_terminal_loses_the_dispensable_columns_from_the_right(void **state)
{
    (void)state;
    /* Widths: 51 with all, 43 without memory, 29 without the last, 21 without faults. */
    static const struct {
        unsigned width;
        const char *hidden; /* one digit a column */
    } rows[] = {{0, ""},    {500, ""},   {51, ""},    {50, "3"},   {43, "3"}, {42, "34"},
                {29, "34"}, {28, "234"}, {21, "234"}, {20, "234"}, {1, "234"}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct table table = new_table();
        table_fit(&table, rows[i].width);
        char what[32], hidden[8] = "";
        snprintf(what, sizeof what, "width %u", rows[i].width);
        for (size_t c = 0, n = 0; c < table.n_columns; c++)
            if (table.columns[c].hidden)
                hidden[n++] = (char)('0' + c);
        CHECK_TEXT(what, hidden, rows[i].hidden);
        table_free(&table);
    }
}

static void a_fitted_table_prints_only_what_is_left(void **state)
{
    (void)state;
    struct table table = new_table();
    table_fit(&table, 28);
    check_printed(&table, "  mode     throughput\n"
                          "  mmap      7.52 GB/s\n"
                          "  sysread   6.51 GB/s\n"
                          "  getc      0.27 GB/s\n");
    table_free(&table);
}

static void a_character_of_several_bytes_takes_one_column(void **state)
{
    (void)state;
    struct table table;
    assert_int_equal(table_init(&table, 2), 0);
    table_add_column(&table, "mode", true, 0);
    table_add_column(&table, "n", false, 0);
    strcpy(table_cell(&table, 0, 0), "gr\xc3\xb6\xc3\x9f"
                                     "e");
    strcpy(table_cell(&table, 0, 1), "1");
    strcpy(table_cell(&table, 1, 0), "small");
    strcpy(table_cell(&table, 1, 1), "\xe2\x82\xac");
    check_printed(&table, "  mode   n\n"
                          "  gr\xc3\xb6\xc3\x9f"
                          "e  1\n"
                          "  small  \xe2\x82\xac\n");
    table_free(&table);
}

static void only_the_strong_row_is_bold_and_only_with_colour(void **state)
{
    (void)state;
    struct table table = new_table();
    table.strong_row = 1;
    char *plain = printed(&table, false, false), *colored = printed(&table, true, false);
    CHECK_HAS_NOT("plain", plain, "\033");
    CHECK_HAS("coloured", colored, "\033[1m  sysread");
    CHECK_HAS_NOT("coloured", colored, "\033[1m  mmap");
    free(plain);
    free(colored);
    table_free(&table);
}

static void markdown_escapes_what_would_end_a_cell(void **state)
{
    (void)state;
    struct table table;
    assert_int_equal(table_init(&table, 1), 0);
    table_add_column(&table, "a|b", true, 0);
    table_add_column(&table, "n", false, 0);
    table_add_column(&table, "gone", false, 1);
    table.columns[2].hidden = true;
    strcpy(table_cell(&table, 0, 0), "x || y");
    strcpy(table_cell(&table, 0, 1), "1");
    char *text = printed(&table, false, true);
    CHECK_TEXT("Markdown", text,
               "| a\\|b | n |\n"
               "|:---|---:|\n"
               "| x \\|\\| y | 1 |\n");
    free(text);
    table_free(&table);
}

static void more_columns_than_there_is_room_for_stay_inside_the_table(void **state)
{
    (void)state;
    struct table table;
    assert_int_equal(table_init(&table, 1), 0);
    for (int i = 0; i < TABLE_COLUMNS + 5; i++)
        CHECK_COUNT("column", table_add_column(&table, "x", false, 1), <, TABLE_COLUMNS);
    CHECK_COUNT("columns", table.n_columns, ==, TABLE_COLUMNS);
    table_free(&table);
}

static void a_table_without_rows_has_its_headings(void **state)
{
    (void)state;
    struct table table;
    assert_int_equal(table_init(&table, 0), 0);
    table_add_column(&table, "mode", true, 0);
    check_printed(&table, "  mode\n");
    table_free(&table);
}

static void the_ending_of_a_file_chooses_its_kind(void **state)
{
    (void)state;
    static const struct {
        const char *path, *ending; /* NULL: none */
    } rows[] = {{"x.json", ".json"},
                {"a/b.csv", ".csv"},
                {"x.md", ".md"},
                {"x.prom", ".prom"},
                {"x.dat", ".dat"},
                {"x.hgrm", ".hgrm"},
                {"x.csv.json", ".json"},
                {"x.bmf.json", ".bmf.json"},
                {"a.b/x.y.gha-smaller.json", ".gha-smaller.json"},
                {"x.gha-bigger.json", ".gha-bigger.json"},
                {"x.gbench.json", ".gbench.json"},
                {"gha.json", ".json"},
                {"x.gha/y.json", ".json"},
                {"x.gha.json", NULL},
                {"x.GHA-bigger.json", NULL},
                {"x.gbench.csv", NULL},
                {"x", NULL},
                {"json", NULL},
                {".json", NULL},
                {"x.txt", NULL},
                {"x.json.bak", NULL},
                {"", NULL}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct err err = {0};
        const struct export_kind *kind = export_kind_of(rows[i].path, &err);
        if (rows[i].ending == NULL)
            CHECK_TRUE(rows[i].path, kind == NULL && err.text[0] != '\0');
        else
            CHECK_TEXT(rows[i].path, kind != NULL ? kind->ending : NULL, rows[i].ending);
    }
}

static void a_comparison_has_its_own_kinds_and_says_why_others_are_none(void **state)
{
    static const struct {
        const char *path, *why; /* NULL: there is such an export */
    } rows[] = {{"x.json", NULL},
                {"x.gha-smaller.json", NULL},
                {"x.gha-bigger.json", "all figures of a comparison are costs"},
                {"x.gbench.json", "compares two runs itself"},
                {"x.xml", "ends in none of .bmf.json .gha-smaller.json .json"}};
    (void)state;
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct err err = {0};
        const struct export_kind *kind = export_kind_of_comparison(rows[i].path, &err);
        CHECK_TRUE(rows[i].path, (kind != NULL) == (rows[i].why == NULL));
        if (kind == NULL)
            CHECK_HAS(rows[i].path, err.text, rows[i].why);
    }
}

static void a_markdown_cell_keeps_its_bars_backslashes_and_tags(void **state)
{
    (void)state;
    struct table table;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(table_init(&table, 1), 0);
    table_add_column(&table, "mode", true, 0);
    snprintf(table_cell(&table, 0, 0), TABLE_CELL, "a|b\\|c <d> & e");
    table_print_markdown(&table, out);
    fclose(out);
    CHECK_HAS("cell", text, "| a\\|b\\\\\\|c &lt;d> &amp; e |\n");
    free(text);
    table_free(&table);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed_utf8_is_known_as_such),
        cmocka_unit_test(overlong_surrogate_and_cut_sequences_are_not_utf8),
        cmocka_unit_test(a_byte_that_is_not_utf8_becomes_the_character_of_its_number),
        cmocka_unit_test(texts_are_escaped_and_their_absence_is_null),
        cmocka_unit_test(what_was_not_measured_is_null),
        cmocka_unit_test(numbers_stand_to_the_right_and_words_to_the_left),
        cmocka_unit_test(columns_that_say_nothing_are_hidden_unless_they_are_always_kept),
        cmocka_unit_test(a_narrow_terminal_loses_the_dispensable_columns_from_the_right),
        cmocka_unit_test(a_fitted_table_prints_only_what_is_left),
        cmocka_unit_test(a_character_of_several_bytes_takes_one_column),
        cmocka_unit_test(only_the_strong_row_is_bold_and_only_with_colour),
        cmocka_unit_test(markdown_escapes_what_would_end_a_cell),
        cmocka_unit_test(more_columns_than_there_is_room_for_stay_inside_the_table),
        cmocka_unit_test(a_table_without_rows_has_its_headings),
        cmocka_unit_test(the_ending_of_a_file_chooses_its_kind),
        cmocka_unit_test(a_comparison_has_its_own_kinds_and_says_why_others_are_none),
        cmocka_unit_test(a_markdown_cell_keeps_its_bars_backslashes_and_tags),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
