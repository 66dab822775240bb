/* Numbers with units, and the knobs that are read with them. */
#include "config.h"

#include "check.h"

#include "base/params.h"
#include "base/units.h"

#include <stdio.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
#define PIB (UINT64_C(1) << 50)
#define EIB (UINT64_C(1) << 60)
#define SECOND UINT64_C(1000000000)

typedef int parse_function(const char *text, uint64_t *value, struct err *err);

struct accepted {
    const char *text;
    uint64_t value;
};

static void check_accepted(parse_function *parse, const struct accepted *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct err err = {0};
        uint64_t value = 0;
        CHECK_OK(rows[i].text, parse(rows[i].text, &value, &err), err);
        CHECK_COUNT(rows[i].text, value, ==, rows[i].value);
    }
}

static void check_refused(parse_function *parse, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct err err = {0};
        uint64_t value = 0;
        CHECK_INT(texts[i], parse(texts[i], &value, &err), -1);
        char quoted[64];
        snprintf(quoted, sizeof quoted, "'%s'", texts[i]);
        CHECK_HAS(texts[i], err.text, quoted);
        CHECK_INT(texts[i], err.number, 0);
    }
}

static void a_size_is_a_number_of_bytes_in_powers_of_1024(void **state)
{
    (void)state;
    static const struct accepted rows[] = {
        {"0", 0},
        {"1", 1},
        {"007", 7},
        {"700B", 700},
        {"8k", 8 * KIB},
        {"8K", 8 * KIB},
        {"8KiB", 8 * KIB},
        {"3m", 3 * MIB},
        {"3M", 3 * MIB},
        {"3MiB", 3 * MIB},
        {"2g", 2 * GIB},
        {"2G", 2 * GIB},
        {"5G", UINT64_C(5368709120)},
        {"5GiB", UINT64_C(5368709120)},
        {"4t", 4 * TIB},
        {"4T", 4 * TIB},
        {"4TiB", 4 * TIB},
        {"2P", 2 * PIB},
        {"2PiB", 2 * PIB},
        {"8E", 8 * EIB},
        {"15E", 15 * EIB},
        {"1EiB", EIB},
        {"18446744073709551615", UINT64_MAX},
    };
    check_accepted(units_parse_size, rows, ROWS_OF(rows));
}

static void a_size_with_kb_or_mb_is_decimal(void **state)
{
    (void)state;
    static const struct accepted rows[] = {
        {"1kB", 1000},
        {"1KB", 1000},
        {"2MB", UINT64_C(2000000)},
        {"3GB", 3 * SECOND},
        {"1TB", UINT64_C(1000000000000)},
        {"1PB", UINT64_C(1000000000000000)},
        {"18EB", UINT64_C(18000000000000000000)},
    };
    check_accepted(units_parse_size, rows, ROWS_OF(rows));
}

static void a_fraction_of_a_size_is_taken_when_it_comes_out_whole(void **state)
{
    (void)state;
    static const struct accepted rows[] = {
        {"1.0", 1},      {"0.5k", 512},  {"1.5k", 1536}, {"0.125k", 128}, {"2.5GiB", 5 * GIB / 2},
        {"1.5kB", 1500}, {"0.001kB", 1},
    };
    check_accepted(units_parse_size, rows, ROWS_OF(rows));
    static const char *const refused[] = {"0.3", "1.5", "0.3k", "1.2345kB"};
    check_refused(units_parse_size, refused, ROWS_OF(refused));
}

static void what_is_no_size_is_refused_and_quoted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",     "-1",   "+1",     " 1",  "1 ",  "1 k",  "\t1",  "1x",   "k",   "B",
        "1kib", "1kb",  "1kk",    "1k5", "1e3", "1E3",  "0x10", "1,5k", ".5",  "5.",
        "5.k",  "1..5", "1.5.5k", "inf", "nan", "1e18", "1-",   "1%",   "0b1", "1_0",
    };
    check_refused(units_parse_size, texts, ROWS_OF(texts));
}

static void a_size_of_2_to_the_64_is_too_large(void **state)
{
    (void)state;
    static const char *const texts[] = {"16E", "18446744073709551616", "99999999999999999999",
                                        "19EB", "99999999999999999999k"};
    check_refused(units_parse_size, texts, ROWS_OF(texts));
    for (size_t i = 0; i < ROWS_OF(texts); i++) {
        struct err err = {0};
        uint64_t value;
        CHECK_INT(texts[i], units_parse_size(texts[i], &value, &err), -1);
        CHECK_HAS(texts[i], err.text, "too large");
    }
}

static void the_digits_behind_the_point_do_not_make_a_small_number_too_large(void **state)
{
    (void)state;
    static const struct accepted sizes[] = {{"3.5E", 7 * EIB / 2},
                                            {"1.00000000000000000000k", KIB}};
    check_accepted(units_parse_size, sizes, ROWS_OF(sizes));
    static const struct accepted times[] = {{"1.50000000000", 3 * SECOND / 2}};
    check_accepted(units_parse_time, times, ROWS_OF(times));
}

static void a_lone_number_of_a_time_is_seconds(void **state)
{
    (void)state;
    static const struct accepted rows[] = {
        {"0", 0}, {"1", SECOND}, {"60", 60 * SECOND}, {"0.5", SECOND / 2}, {"1.25", 5 * SECOND / 4},
    };
    check_accepted(units_parse_time, rows, ROWS_OF(rows));
}

static void a_time_takes_a_unit(void **state)
{
    (void)state;
    static const struct accepted rows[] = {
        {"7ns", 7},
        {"250us", 250000},
        {"5ms", 5000000},
        {"0.5ms", 500000},
        {"2s", 2 * SECOND},
        {"1.5s", 3 * SECOND / 2},
        {"1m", 60 * SECOND},
        {"1min", 60 * SECOND},
        {"1.5m", 90 * SECOND},
        {"2h", 7200 * SECOND},
        {"0.1h", 360 * SECOND},
    };
    check_accepted(units_parse_time, rows, ROWS_OF(rows));
}

static void what_is_no_time_is_refused_and_quoted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",     " 1",    "1 ",   "1 s",          "-1",   "s",
        "1sec", "1S",    "1M",   "1d",           "1k",   "1e3",
        "0x10", "1.5ns", "5h1m", "0.0000000001", "1:30", "99999999999999999999",
        ".5",   "5.s",   "inf",  "20000000000s",
    };
    check_refused(units_parse_time, texts, ROWS_OF(texts));
}

static void a_count_is_plain_digits(void **state)
{
    (void)state;
    static const struct accepted rows[] = {
        {"0", 0}, {"1", 1}, {"0010", 10}, {"18446744073709551615", UINT64_MAX}};
    check_accepted(units_parse_count, rows, ROWS_OF(rows));
    static const char *const refused[] = {"",     "-1",  "+1",  " 1",
                                          "1 ",   "1k",  "1.",  "1.0",
                                          "0x10", "1e3", "one", "18446744073709551616"};
    check_refused(units_parse_count, refused, ROWS_OF(refused));
}

static void a_percentage_has_its_sign_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double ratio;
    } rows[] = {{"0", 0},    {"0.5", 0.005},     {"0.5%", 0.005}, {"5", 0.05},
                {"100%", 1}, {"12.25%", 0.1225}, {"0.001", 1e-5}, {"250", 2.5}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct err err = {0};
        double ratio = -1;
        CHECK_OK(rows[i].text, units_parse_percent(rows[i].text, &ratio, &err), err);
        CHECK_NEAR(rows[i].text, ratio, rows[i].ratio, 1e-15);
    }
    static const char *const refused[] = {"",    "%",  "-1",  "+1",  " 1", "1 ",  "0.5 %", "5%%",
                                          "1e1", ".5", "5.%", "nan", "5k", "0x1", "five"};
    for (size_t i = 0; i < ROWS_OF(refused); i++) {
        struct err err = {0};
        double ratio;
        CHECK_INT(refused[i], units_parse_percent(refused[i], &ratio, &err), -1);
        CHECK_HAS(refused[i], err.text, refused[i]);
    }
}

static void sizes_are_shown_in_binary_units(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {{0, "0 B"},          {700, "700 B"},     {1023, "1023 B"},
                {KIB, "1 KiB"},      {1536, "1.50 KiB"}, {8 * KIB, "8 KiB"},
                {20000, "19.5 KiB"}, {MIB, "1 MiB"},     {3 * GIB / 2, "1.50 GiB"},
                {TIB, "1 TiB"},      {EIB, "1 EiB"},     {UINT64_MAX, "16.0 EiB"}};
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        char text[UNITS_TEXT];
        CHECK_TEXT(rows[i].text, units_size(text, rows[i].bytes), rows[i].text);
    }
}

typedef char *format_function(char text[UNITS_TEXT], double value);

struct shown {
    double value;
    const char *text;
};

static void check_shown(format_function *format, const struct shown *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[UNITS_TEXT];
        CHECK_TEXT(rows[i].text, format(text, rows[i].value), rows[i].text);
    }
}

static void rates_are_shown_in_decimal_units_with_three_digits(void **state)
{
    (void)state;
    static const struct shown rows[] = {
        {0, "0.00 B/s"},     {999, "999 B/s"},       {999.6, "1.00 kB/s"},
        {1000, "1.00 kB/s"}, {9.996e6, "10.0 MB/s"}, {65.1e6, "65.1 MB/s"},
        {271e6, "271 MB/s"}, {6.51e9, "6.51 GB/s"},  {1.5e12, "1.50 TB/s"}};
    check_shown(units_rate, rows, ROWS_OF(rows));
}

static void a_rate_is_shown_in_the_unit_of_the_one_beside_it(void **state)
{
    (void)state;
    char text[UNITS_TEXT];
    CHECK_TEXT("same unit", units_rate_like(text, 6.02e9, 6.51e9), "6.02");
    CHECK_TEXT("smaller", units_rate_like(text, 980e6, 6.51e9), "0.98");
    CHECK_TEXT("larger", units_rate_like(text, 1.2e9, 990e6), "1200");
}

static void times_are_shown_in_the_unit_that_fits(void **state)
{
    (void)state;
    static const struct shown rows[] = {{0, "0.00 ns"},  {12, "12.0 ns"},     {999.6, "1.00 us"},
                                        {5e5, "500 us"}, {1.23e6, "1.23 ms"}, {8.2e9, "8.20 s"},
                                        {61e9, "61.0 s"}};
    check_shown(units_time, rows, ROWS_OF(rows));
}

static void counts_are_whole_up_to_five_digits(void **state)
{
    (void)state;
    static const struct shown rows[] = {
        {0, "0"},           {0.4, "0"},          {999, "999"},      {1000, "1,000"},
        {8193, "8,193"},    {99999, "99,999"},   {100000, "100 k"}, {262144, "262 k"},
        {999999, "1.00 M"}, {1.0737e9, "1.07 G"}};
    check_shown(units_count, rows, ROWS_OF(rows));
}

static void knobs_stand_in_alphabetical_order_of_their_keys(void **state)
{
    (void)state;
    for (int k = 0; k < KNOBS; k++) {
        const struct knob_info *info = &knob_info[k];
        assert_non_null(info->key);
        assert_non_null(info->help);
        CHECK_COUNT(info->key, info->least, <=, info->most);
        CHECK_TRUE(info->key, info->kind != KNOB_KIND_CHOICE || info->choices != NULL);
        if (k > 0)
            CHECK_INT(info->key, strcmp(knob_info[k - 1].key, info->key) < 0, 1);
    }
}

static void params_start_from_what_the_table_says(void **state)
{
    (void)state;
    struct params params;
    params_init(&params);
    for (int k = 0; k < KNOBS; k++)
        CHECK_COUNT(knob_info[k].key, params.value[k], ==, knob_info[k].initial);
    CHECK_COUNT("block_size", params.value[KNOB_BLOCK_SIZE], ==, 128 * KIB);
    CHECK_COUNT("consume", params.value[KNOB_CONSUME], ==, CONSUME_TOUCH);
}

static void a_value_of_a_knob_stays_within_its_limits(void **state)
{
    (void)state;
    static const struct {
        enum knob knob;
        const char *text, *message; /* NULL: accepted */
    } rows[] = {
        {KNOB_BLOCK_SIZE, "1", NULL},
        {KNOB_BLOCK_SIZE, "1T", NULL},
        {KNOB_BLOCK_SIZE, "0", "--block-size: '0' is too small: at least 1 is needed"},
        {KNOB_BLOCK_SIZE, "2T", "--block-size: '2T' is too large: the limit is 1099511627776"},
        {KNOB_BLOCK_SIZE, "-1", "--block-size: '-1' is not a size"},
        {KNOB_BYTES, "0", "--bytes: '0' is too small: at least 1 is needed"},
        {KNOB_BYTES, "8E", "--bytes: '8E' is too large: the limit is 9223372036854775807"},
        {KNOB_OFFSET, "0", NULL},
        {KNOB_THREADS, "1024", NULL},
        {KNOB_THREADS, "0", "--threads: '0' is too small: at least 1 is needed"},
        {KNOB_THREADS, "1025", "--threads: '1025' is too large: the limit is 1024"},
        {KNOB_THREADS, "1k", "--threads: '1k' is not a number: unknown unit 'k'"},
        {KNOB_CONSUME, "digest", "--consume: unknown value 'digest'"},
        {KNOB_CONSUME, "", "--consume: unknown value ''"},
        {KNOB_PATTERN, "stride:4k", NULL},
        {KNOB_PATTERN, "stride:512", NULL},
        {KNOB_PATTERN, "stride:511", "--pattern: a stride of '511' is too small"},
        {KNOB_PATTERN, "stride:2T", "--pattern: a stride of '2T' is too large"},
        {KNOB_PATTERN, "stride:", "--pattern: '' is not a size"},
        {KNOB_PATTERN, "zigzag", "--pattern: unknown value 'zigzag'"},
    };
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct err err = {0};
        uint64_t value;
        int status = params_parse(rows[i].knob, rows[i].text, &value, &err);
        CHECK_TEXT(rows[i].text, err.text, rows[i].message != NULL ? rows[i].message : "");
        CHECK_INT(rows[i].text, status, rows[i].message != NULL ? -1 : 0);
    }
}

static void a_choice_is_read_and_written_by_its_name(void **state)
{
    (void)state;
    for (int k = 0; k < KNOBS; k++) {
        const char *const *choices = knob_info[k].choices;
        for (uint64_t i = 0; choices != NULL && choices[i] != NULL; i++) {
            struct err err = {0};
            uint64_t value;
            char text[PARAM_TEXT];
            CHECK_OK(choices[i], params_parse((enum knob)k, choices[i], &value, &err), err);
            CHECK_COUNT(choices[i], value, ==, i);
            CHECK_TEXT(choices[i], params_text((enum knob)k, value, text), choices[i]);
        }
    }
}

static void what_a_knob_starts_from_can_be_written_and_read_again(void **state)
{
    (void)state;
    for (int k = 0; k < KNOBS; k++) {
        struct err err = {0};
        uint64_t value;
        char text[PARAM_TEXT];
        params_text((enum knob)k, knob_info[k].initial, text);
        if (knob_info[k].initial == PARAM_NONE) {
            CHECK_TEXT(knob_info[k].key, text, "none");
            continue;
        }
        CHECK_OK(knob_info[k].key, params_parse((enum knob)k, text, &value, &err), err);
        CHECK_COUNT(knob_info[k].key, value, ==, knob_info[k].initial);
    }
    char text[PARAM_TEXT];
    CHECK_TEXT("digest", params_text(KNOB_CONSUME, CONSUME_DIGEST, text), "digest");
    CHECK_TEXT("size", params_text(KNOB_BLOCK_SIZE, 128 * KIB, text), "131072");
    CHECK_TEXT("stride", params_text(KNOB_PATTERN, 4096, text), "stride:4096");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_is_a_number_of_bytes_in_powers_of_1024),
        cmocka_unit_test(a_size_with_kb_or_mb_is_decimal),
        cmocka_unit_test(a_fraction_of_a_size_is_taken_when_it_comes_out_whole),
        cmocka_unit_test(what_is_no_size_is_refused_and_quoted),
        cmocka_unit_test(a_size_of_2_to_the_64_is_too_large),
        cmocka_unit_test(the_digits_behind_the_point_do_not_make_a_small_number_too_large),
        cmocka_unit_test(a_lone_number_of_a_time_is_seconds),
        cmocka_unit_test(a_time_takes_a_unit),
        cmocka_unit_test(what_is_no_time_is_refused_and_quoted),
        cmocka_unit_test(a_count_is_plain_digits),
        cmocka_unit_test(a_percentage_has_its_sign_or_not),
        cmocka_unit_test(sizes_are_shown_in_binary_units),
        cmocka_unit_test(rates_are_shown_in_decimal_units_with_three_digits),
        cmocka_unit_test(a_rate_is_shown_in_the_unit_of_the_one_beside_it),
        cmocka_unit_test(times_are_shown_in_the_unit_that_fits),
        cmocka_unit_test(counts_are_whole_up_to_five_digits),
        cmocka_unit_test(knobs_stand_in_alphabetical_order_of_their_keys),
        cmocka_unit_test(params_start_from_what_the_table_says),
        cmocka_unit_test(a_value_of_a_knob_stays_within_its_limits),
        cmocka_unit_test(a_choice_is_read_and_written_by_its_name),
        cmocka_unit_test(what_a_knob_starts_from_can_be_written_and_read_again),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
