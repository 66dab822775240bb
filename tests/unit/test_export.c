/* Whole reports of a run made by hand: JSON, CSV, OpenMetrics, Markdown and text. */
#include "config.h"

#include "check.h"
#include "hand_made.h"

#include "report/json_value.h"
#include "report/metric.h"
#include "report/report.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT_TEST(name) cmocka_unit_test_setup_teardown(name, make_by_hand, free_hand_made)

typedef int write_function(const struct report *report, FILE *out, struct err *err);

static char *written(const struct hand_made *b, write_function *write)
{
    char *text = NULL;
    size_t size;
    struct err err = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    CHECK_OK("report", write(&b->report, out, &err), err);
    fclose(out);
    return text;
}

/* The value at a path such as "results.0.summary.bytes_per_s.n"; fails when a key is missing. */
static json_t *at(json_t *value, const char *path)
{
    for (const char *rest = path; *rest != '\0';) {
        char key[64];
        size_t length = strcspn(rest, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, rest);
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
        if (value == NULL)
            fail_msg("no '%s' of '%s'", key, path);
        rest += length;
        rest += *rest == '.';
    }
    return value;
}

static json_t *json_of(const struct hand_made *b)
{
    char *text = written(b, report_json);
    json_error_t error;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (document == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    return document;
}

static void check_keys(json_t *object, const char *keys)
{
    for (const char *rest = keys; *rest != '\0';) {
        char key[64];
        size_t length = strcspn(rest, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, rest);
        at(object, key);
        rest += length;
        rest += strspn(rest, " ");
    }
}

static void the_json_has_every_key_of_the_contract(void **state)
{
    json_t *o = json_of(*state);
    check_keys(o, "schema_version iobench_version command argv started_at elapsed_ns interrupted "
                  "seed labels host options source results comparisons warnings errors");
    check_keys(at(o, "host"),
               "kernel machine cpu_model usable_cpus memory_bytes page_size_bytes libc governor "
               "mitigations load_1m steal_ratio clock_read_ns");
    check_keys(at(o, "options"), "mode block_size bytes consume rounds precision_ratio "
                                 "time_limit_ns duration_ns trial_time_ns timeout_ns warmup quick "
                                 "strict prepare baseline max_slowdown_ratio seed cpu");
    check_keys(at(o, "source.files.0"), "path size_bytes filesystem resident_ratio");
    for (size_t i = 0; i < CASES; i++)
        check_keys(json_array_get(at(o, "results"), i),
                   "id mode kind params status reason verified digest trials profile summary");
    check_keys(at(o, "results.0.params"), "block_size bytes consume");
    check_keys(at(o, "results.1.trials.0"),
               "round position warmup passes bytes calls short_calls wall_ns cpu_ns setup_ns "
               "peak_rss_bytes peak_rss_anon_bytes cpu minor_faults major_faults "
               "voluntary_switches involuntary_switches block_inputs storage_read_bytes peer");
    check_keys(at(o, "results.0.profile"), "wall_ns user_ns system_ns open_ns close_ns");
    check_keys(at(o, "results.0.summary"), "bytes_per_s wall_ns_per_pass cpu_ns_per_byte");
    for (int m = 0; m < METRICS; m++)
        check_keys(json_object_get(at(o, "results.3.summary"), metrics[m].key),
                   "n median p10 p90 min max mean stddev mad");
    check_keys(at(o, "comparisons.0"),
               "id baseline metric ratio ci_low ci_high confidence rounds verdict");
    check_keys(at(o, "warnings.0"), "code message");
    check_keys(at(o, "errors.0"), "code message path");
    json_decref(o);
}

static void the_json_holds_what_was_measured(void **state)
{
    json_t *o = json_of(*state);
    CHECK_INT("schema", json_integer_value(at(o, "schema_version")), 1);
    CHECK_TEXT("time", json_string_value(at(o, "started_at")), "2026-01-31T12:00:00Z");
    CHECK_TEXT("argument", json_string_value(at(o, "argv.1")), "a b");
    CHECK_TEXT("label", json_string_value(at(o, "labels.note")), "say \"x\"");
    CHECK_INT("seed", json_integer_value(at(o, "seed")), 7);
    CHECK_TEXT("digest", json_string_value(at(o, "results.0.digest")), "xxh3:0000000000000abc");
    CHECK_TRUE("verified", json_is_true(at(o, "results.0.verified")));
    CHECK_INT("block size", json_integer_value(at(o, "results.0.params.block_size")), 4096);
    CHECK_TEXT("consume", json_string_value(at(o, "results.0.params.consume")), "touch");
    CHECK_TEXT("kind", json_string_value(at(o, "results.2.kind")), "exec");
    CHECK_TEXT("status", json_string_value(at(o, "results.3.status")), "skipped");
    CHECK_TEXT("reason", json_string_value(at(o, "results.3.reason")), "built without it");
    CHECK_COUNT("trials", json_array_size(at(o, "results.0.trials")), ==, 1 + PAIRS);
    CHECK_TRUE("warm-up", json_is_true(at(o, "results.0.trials.0.warmup")));
    CHECK_INT("n", json_integer_value(at(o, "results.0.summary.wall_ns_per_pass.n")), (int)PAIRS);
    CHECK_NEAR("min", json_real_value(at(o, "results.1.summary.wall_ns_per_pass.min")), 2e6, 1e-6);
    json_decref(o);
}

static void the_json_compares_each_case_with_the_fastest(void **state)
{
    json_t *o = json_of(*state);
    CHECK_COUNT("comparisons", json_array_size(at(o, "comparisons")), ==, 2);
    CHECK_TEXT("id", json_string_value(at(o, "comparisons.0.id")), "read/sysread/block_size=4096");
    CHECK_TEXT("baseline", json_string_value(at(o, "comparisons.0.baseline")), "read/mmap");
    CHECK_NEAR("ratio", json_real_value(at(o, "comparisons.0.ratio")), 1.05, 1e-9);
    CHECK_NEAR("low", json_real_value(at(o, "comparisons.0.ci_low")), 1.04, 1e-9);
    CHECK_NEAR("high", json_real_value(at(o, "comparisons.0.ci_high")), 1.07, 1e-9);
    CHECK_NEAR("confidence", json_real_value(at(o, "comparisons.0.confidence")), 1 - 0.05 / 3,
               1e-9);
    CHECK_INT("rounds", json_integer_value(at(o, "comparisons.0.rounds")), 8);
    CHECK_TEXT("verdict", json_string_value(at(o, "comparisons.0.verdict")), "slower");
    CHECK_NEAR("ratio", json_real_value(at(o, "comparisons.1.ratio")), 2, 1e-9);
    json_decref(o);
}

static void the_json_has_null_for_what_was_not_measured(void **state)
{
    static const char *const paths[] = {
        "host.load_1m",
        "host.steal_ratio",
        "host.cpu_model",
        "host.memory_bytes",
        "options.bytes.0",
        "options.rounds",
        "options.prepare",
        "options.max_slowdown_ratio",
        "options.cpu",
        "source.files.0.resident_after_ratio",
        "results.0.reason",
        "results.0.params.bytes",
        "results.0.trials.0.storage_read_bytes",
        "results.0.trials.0.peer",
        "results.1.trials.0.calls",
        "results.1.verified",
        "results.1.digest",
        "results.1.profile",
        "results.1.summary.calls_per_pass.median",
        "results.2.trials.0.cpu",
        "results.3.summary.bytes_per_s.median",
        "results.3.summary.bytes_per_s.stddev",
    };
    json_t *o = json_of(*state);
    for (size_t i = 0; i < ROWS_OF(paths); i++)
        CHECK_TRUE(paths[i], json_is_null(at(o, paths[i])));
    json_decref(o);
}

static void the_json_is_ascii_without_nan_and_ends_its_line(void **state)
{
    char *text = written(*state, report_json);
    CHECK_HAS("bad byte", text, "\"bad\\u00FFbyte\"");
    for (const char *c = text; *c != '\0'; c++)
        CHECK_TRUE("byte", isascii((unsigned char)*c));
    for (char *c = text; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    CHECK_HAS_NOT("JSON", text, "nan");
    CHECK_HAS_NOT("JSON", text, "inf");
    CHECK_TEXT("end", text + strlen(text) - 2, "}\n");
    free(text);
}

static void the_json_of_nothing_is_complete(void **state)
{
    struct hand_made *b = *state;
    struct run none = {.baseline = -1, .delta = 0.01, .signal_number = 2};
    b->report.run = &none;
    b->source.n = 0;
    json_t *o = json_of(b);
    CHECK_COUNT("results", json_array_size(at(o, "results")), ==, 0);
    CHECK_COUNT("comparisons", json_array_size(at(o, "comparisons")), ==, 0);
    CHECK_COUNT("files", json_array_size(at(o, "source.files")), ==, 0);
    CHECK_TRUE("interrupted", json_is_true(at(o, "interrupted")));
    json_decref(o);
}

/* Takes a CSV record apart as RFC 4180 has it; returns the number of fields, and field `wanted`. */
static size_t read_record(const char **text, size_t wanted, char *field, size_t size)
{
    size_t n = 0, used = 0;
    bool quoted = false;
    const char *c = *text;
    for (field[0] = '\0'; *c != '\0' && (quoted || *c != '\n'); c++) {
        if (*c == '"' && quoted && c[1] == '"')
            c++;
        else if (*c == '"') {
            quoted = !quoted;
            continue;
        } else if (*c == ',' && !quoted) {
            n++;
            continue;
        }
        if (n == wanted && used + 1 < size) {
            field[used++] = *c;
            field[used] = '\0';
        }
    }
    *text = c + (*c == '\n');
    return n + 1;
}

static void the_csv_has_a_record_for_each_trial_and_quotes_what_needs_it(void **state)
{
    struct hand_made *b = *state;
    char *text = written(b, report_csv), id[128], mode[128];
    const char *rest = text, *again = text;
    size_t columns = read_record(&rest, 0, id, sizeof id), records = 0, odd = 0;
    read_record(&again, 1, mode, sizeof mode);
    CHECK_TEXT("heading", id, "id");
    CHECK_TEXT("heading", mode, "mode");
    while (*rest != '\0') {
        CHECK_COUNT("fields", read_record(&rest, 0, id, sizeof id), ==, columns);
        read_record(&again, 1, mode, sizeof mode);
        bool is_odd = strcmp(mode, ODD_NAME) == 0;
        CHECK_TEXT("id", id,
                   is_odd                         ? "read/" ODD_NAME
                   : strcmp(mode, "sysread") == 0 ? "read/sysread/block_size=4096"
                                                  : "read/mmap");
        odd += is_odd;
        records++;
    }
    CHECK_COUNT("records", records, ==, b->run.samples.n);
    CHECK_COUNT("records of the odd name", odd, ==, 1 + PAIRS);
    CHECK_HAS("quoted", text, "\n\"read/od\"\"d\\|,\nname\",");
    CHECK_HAS("plain", text, "\nread/mmap,mmap,");
    CHECK_HAS_NOT("unknown counts are empty", text, "18446744073709551615");
    free(text);
}

/* Checks a sample line: it belongs to the family whose # TYPE came last. */
static void check_metric_line(const char *line, const char *family)
{
    size_t length = strlen(family);
    CHECK_TRUE(line, strncmp(line, family, length) == 0 && line[length] == '{');
    const char *value = strrchr(line, ' ');
    char *end;
    CHECK_TRUE(line, value != NULL && isfinite(strtod(value, &end)) && *end == '\0');
}

static void the_metrics_end_in_eof_and_keep_their_families_together(void **state)
{
    char *text = written(*state, report_openmetrics), family[128] = "", unit[64];
    unsigned families = 0, samples = 0;
    bool ended = false;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        CHECK_TRUE(line, !ended);
        char name[128];
        if (sscanf(line, "# TYPE %127s gauge", name) == 1) {
            CHECK_TRUE(line, strcmp(name, family) != 0);
            strcpy(family, name);
            families++;
        } else if (sscanf(line, "# UNIT %127s %63s", name, unit) == 2) {
            CHECK_TEXT(line, name, family);
            CHECK_TEXT("the name ends in the unit", name + strlen(name) - strlen(unit), unit);
        } else if (strncmp(line, "# HELP ", 7) == 0) {
            CHECK_HAS("help", line, family);
        } else if (strcmp(line, "# EOF") == 0) {
            ended = true;
        } else {
            check_metric_line(line, family);
            samples++;
        }
    }
    CHECK_TRUE("end", ended);
    CHECK_COUNT("families, without those that no case has", families, ==, 13);
    CHECK_COUNT("samples", samples, >=, 3 * 4);
    free(text);
}

static void the_metrics_escape_their_labels_and_use_base_units(void **state)
{
    char *text = written(*state, report_openmetrics);
    CHECK_HAS("odd name", text,
              "{id=\"read/od\\\"d\\\\|,\\nname\",mode=\"od\\\"d\\\\|,\\nname\"} ");
    CHECK_HAS("skipped case", text, "# EOF\n");
    CHECK_HAS_NOT("skipped case", text, "io_uring");
    CHECK_HAS("seconds", text, "# UNIT iobench_wall_per_pass_seconds seconds\n");
    CHECK_TEXT("end", text + strlen(text) - 6, "# EOF\n");
    free(text);
}

/* --- for other programs; tests/cli/exports.bats has their readers */

static json_t *parsed(const struct hand_made *b, write_function *write)
{
    char *text = written(b, write);
    json_error_t error;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        fail_msg("line %d: %s in %s", error.line, error.text, text);
    for (const char *c = text; *c != '\0'; c++)
        CHECK_TRUE("byte", isascii((unsigned char)*c));
    free(text);
    return document;
}

static void the_measures_of_bencher_are_medians_with_their_range(void **state)
{
    json_t *o = parsed(*state, report_bmf), *report = json_of(*state);
    CHECK_COUNT("measured cases", json_object_size(o), ==, CASES - 1);
    json_t *of = json_object_get(o, "read/" ODD_NAME);
    CHECK_TRUE("odd name", of != NULL);
    CHECK_NEAR("median", json_number_value(at(of, "wall-ns-per-pass.value")),
               json_number_value(at(report, "results.2.summary.wall_ns_per_pass.median")), 0);
    CHECK_NEAR("p10", json_number_value(at(of, "wall-ns-per-pass.lower_value")),
               json_number_value(at(report, "results.2.summary.wall_ns_per_pass.p10")), 0);
    CHECK_TRUE("a figure without a direction", json_object_get(of, "cpu-ratio") == NULL);
    CHECK_TRUE("a figure that was not measured",
               json_object_get(of, "peak-rss-anon-bytes") == NULL);
    json_decref(report);
    json_decref(o);
}

static void each_file_for_github_has_one_direction(void **state)
{
    json_t *smaller = parsed(*state, report_gha_smaller);
    json_t *bigger = parsed(*state, report_gha_bigger);
    /* time, processor time a pass and a byte, memory; calls of those that make some */
    CHECK_COUNT("smaller", json_array_size(smaller), ==, 3 * 4 + 2);
    CHECK_COUNT("bigger", json_array_size(bigger), ==, 3);
    CHECK_TEXT("name", json_string_value(at(bigger, "2.name")), "read/" ODD_NAME ": bytes_per_s");
    CHECK_TEXT("unit", json_string_value(at(bigger, "2.unit")), "B/s");
    CHECK_HAS("range", json_string_value(at(bigger, "2.range")), "\xc2\xb1 ");
    CHECK_HAS("extra", json_string_value(at(bigger, "2.extra")), "median of 8 trials, middle 80 %");
    json_decref(bigger);
    json_decref(smaller);
}

static void google_gets_a_repetition_for_each_trial_that_counts(void **state)
{
    json_t *o = parsed(*state, report_gbench);
    CHECK_COUNT("entries", json_array_size(at(o, "benchmarks")), ==, 3 * (PAIRS + 3));
    CHECK_TEXT("name", json_string_value(at(o, "benchmarks.0.name")),
               "read/sysread/block_size=4096");
    CHECK_INT("iterations", json_integer_value(at(o, "benchmarks.0.iterations")), 2);
    CHECK_NEAR("time", json_number_value(at(o, "benchmarks.0.real_time")), 1.05 * 2e6, 1e-6);
    CHECK_TEXT("aggregate", json_string_value(at(o, "benchmarks.9.name")),
               "read/sysread/block_size=4096_median");
    CHECK_TRUE("facts that are not known", json_object_get(at(o, "context"), "num_cpus") != NULL &&
                                               json_array_size(at(o, "context.load_avg")) == 0);
    json_decref(o);
}

static void gnuplot_gets_a_block_for_each_series(void **state)
{
    char *text = written(*state, report_dat);
    CHECK_HAS("x", text, "\n# x: block_size (bytes)\n");
    CHECK_HAS("series", text, "\n\"sysread\" bytes_per_s bytes_per_s_p10 ");
    CHECK_HAS("row", text, "\n4096 ");
    CHECK_HAS("odd name", text, "\n\n\n\"od'd\\\\|,?name\" bytes_per_s ");
    CHECK_HAS("without a block size", text, "\n? ");
    CHECK_HAS_NOT("skipped", text, "io_uring");
    CHECK_HAS_NOT("columns", text, "nan");
    free(text);
}

static void a_markdown_report_has_a_row_for_each_case(void **state)
{
    char *text = written(*state, report_markdown);
    CHECK_HAS("heading", text, "### iobench read\n");
    CHECK_HAS("sysread", text, "| sysread |");
    CHECK_HAS("comparison", text, "1.05x slower (1.04 .. 1.07)");
    CHECK_HAS("skipped", text, "built without it");
    CHECK_HAS_NOT("Markdown", text, "nan");
    free(text);
}

static void a_text_report_says_who_is_fastest_and_what_is_missing(void **state)
{
    struct hand_made *b = *state;
    static const unsigned widths[] = {0, 200, 80, 40, 1};
    for (size_t i = 0; i < ROWS_OF(widths); i++) {
        struct text_style style = {.width = widths[i]};
        struct err err = {0};
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        CHECK_OK("report", report_text(&b->report, &style, out, &err), err);
        fclose(out);
        CHECK_HAS("mode", text, "mmap");
        CHECK_HAS("fastest", text, "fastest");
        CHECK_HAS("skipped", text, "skipped");
        CHECK_HAS_NOT("text", text, "nan");
        CHECK_HAS_NOT("text", text, "\033");
        free(text);
    }
}

static void a_name_with_a_newline_does_not_break_its_row(void **state)
{
    char *text = written(*state, report_markdown);
    unsigned rows = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        rows += line[0] == '|' && line[strlen(line) - 1] == '|';
    CHECK_COUNT("rows with both ends", rows, ==, 2 + CASES);
    free(text);
}

static void a_name_does_not_reach_the_terminal_with_its_control_characters(void **state)
{
    struct hand_made *b = *state;
    static const struct text_style style = {.width = 80};
    free(b->run.cases[MMAP].label);
    b->run.cases[MMAP].label = strdup("mm\033[2J");
    char *text = NULL, *markdown = written(b, report_markdown);
    size_t size;
    struct err err = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    CHECK_OK("report", report_text(&b->report, &style, out, &err), err);
    fclose(out);
    CHECK_HAS("text", text, "mm?[2J");
    CHECK_HAS_NOT("text", text, "\033");
    CHECK_HAS_NOT("Markdown", markdown, "\033");
    free(text);
    free(markdown);
}

static void the_metrics_are_utf8_whatever_a_command_is_called(void **state)
{
    struct hand_made *b = *state;
    free(b->run.cases[ODD].mode);
    b->run.cases[ODD].mode = strdup(BAD_PATH);
    char *text = written(b, report_openmetrics);
    CHECK_HAS("mode", text,
              "mode=\"bad\xc3\xbf"
              "byte\"");
    CHECK_TRUE("metrics", json_is_utf8(text));
    free(text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        EXPORT_TEST(the_json_has_every_key_of_the_contract),
        EXPORT_TEST(the_json_holds_what_was_measured),
        EXPORT_TEST(the_json_compares_each_case_with_the_fastest),
        EXPORT_TEST(the_json_has_null_for_what_was_not_measured),
        EXPORT_TEST(the_json_is_ascii_without_nan_and_ends_its_line),
        EXPORT_TEST(the_json_of_nothing_is_complete),
        EXPORT_TEST(the_csv_has_a_record_for_each_trial_and_quotes_what_needs_it),
        EXPORT_TEST(the_metrics_end_in_eof_and_keep_their_families_together),
        EXPORT_TEST(the_metrics_escape_their_labels_and_use_base_units),
        EXPORT_TEST(the_measures_of_bencher_are_medians_with_their_range),
        EXPORT_TEST(each_file_for_github_has_one_direction),
        EXPORT_TEST(google_gets_a_repetition_for_each_trial_that_counts),
        EXPORT_TEST(gnuplot_gets_a_block_for_each_series),
        EXPORT_TEST(a_markdown_report_has_a_row_for_each_case),
        EXPORT_TEST(a_text_report_says_who_is_fastest_and_what_is_missing),
        EXPORT_TEST(a_name_with_a_newline_does_not_break_its_row),
        EXPORT_TEST(a_name_does_not_reach_the_terminal_with_its_control_characters),
        EXPORT_TEST(the_metrics_are_utf8_whatever_a_command_is_called),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
