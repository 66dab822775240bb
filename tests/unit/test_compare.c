/* Recorded runs: reading them back, and what changed between them. */
#include "config.h"

#include "check.h"

#include "report/comparison.h"
#include "stats/mann_whitney.h"

#include <stdio.h>
#include <stdlib.h>

/* --- Mann and Whitney --- */

static void test_known_ranks(void **state)
{
    static const struct {
        size_t m, n, k;
    } known[] = {{4, 4, 1},    {5, 5, 3},     {6, 6, 6}, {7, 7, 9}, {8, 8, 14},
                 {10, 10, 24}, {20, 20, 128}, {3, 3, 0}, {1, 1, 0}, {0, 4, 0},
                 {33, 33, 0},  {4, 12, 8},    {12, 4, 8}};
    (void)state;
    for (size_t i = 0; i < ROWS_OF(known); i++) {
        char what[32];
        snprintf(what, sizeof what, "%zu x %zu", known[i].m, known[i].n);
        CHECK_COUNT(what, mann_whitney_k(known[i].m, known[i].n, 0.95), ==, known[i].k);
    }
}

/* 2 / C(2g, g) <= 0.05 / m. */
static void test_how_many_comparisons_runs_are_enough_for(void **state)
{
    static const struct {
        size_t g, most;
    } known[] = {{4, 1}, {5, 6}, {6, 23}};
    (void)state;
    for (size_t i = 0; i < ROWS_OF(known); i++) {
        size_t g = known[i].g;
        double m = (double)known[i].most;
        CHECK_COUNT("enough", mann_whitney_k(g, g, 1 - 0.05 / m), >, 0);
        CHECK_COUNT("not enough", mann_whitney_k(g, g, 1 - 0.05 / (m + 1)), ==, 0);
    }
}

/* --- Changes --- */

enum { PAIRS = 8 };
static const double pairs[PAIRS] = {1.05, 1.04, 1.06, 1.05, 1.07, 1.04, 1.05, 1.06};

static void test_the_pairs_of_the_design(void **state)
{
    static const struct change_doubt none = {0, 0}, noise = {0.05, 0};
    double base[PAIRS] = {0}, fresh[PAIRS], work[PAIRS];
    struct change change;
    (void)state;
    for (int i = 0; i < PAIRS; i++)
        fresh[i] = log(pairs[i]);
    change_of_trials(base, PAIRS, fresh, PAIRS, 0.95, &none, work, &change);
    CHECK_NEAR("ratio", change.ratio, 1.05, 1e-12);
    CHECK_NEAR("low", change.low, 1.04, 1e-12);
    CHECK_NEAR("high", change.high, 1.07, 1e-12);
    CHECK_INT("at 3 %", change_judge(&change, 0.03), CHANGE_REGRESSED);
    CHECK_INT("at 5 %", change_judge(&change, 0.05), CHANGE_INCONCLUSIVE);
    CHECK_INT("at 8 %", change_judge(&change, 0.08), CHANGE_SAME);
    change_of_trials(fresh, PAIRS, base, PAIRS, 0.95, &none, work, &change);
    CHECK_INT("the other way round", change_judge(&change, 0.03), CHANGE_IMPROVED);
    change_of_trials(base, PAIRS, fresh, PAIRS, 0.95, &noise, work, &change);
    CHECK_NEAR("low with noise", change.low, 1.04 / 1.05, 1e-12);
    CHECK_NEAR("high with noise", change.high, 1.07 * 1.05, 1e-12);
    change_of_trials(base, 5, fresh, PAIRS, 0.95, &none, work, &change);
    CHECK_NAN("low of five rounds", change.low);
    CHECK_INT("of five rounds", change_judge(&change, 0.03), CHANGE_INCONCLUSIVE);
    change_of_trials(base, 0, fresh, PAIRS, 0.95, &none, work, &change);
    CHECK_NAN("ratio without trials", change.ratio);
}

static void test_few_runs(void **state)
{
    double base[] = {log(1.02), log(1.00)}, fresh[] = {log(1.2), log(1.3), log(1.1)};
    struct change_doubt doubt = {0.05, 0};
    struct change change;
    (void)state;
    change_of_few_runs(base, 2, fresh, 3, &doubt, &change);
    double middle = 1.2 / sqrt(1.02), range = 1.3 / 1.1;
    CHECK_NEAR("ratio", change.ratio, middle, 1e-12);
    CHECK_NEAR("low by the range", change.low, middle / range, 1e-12);
    CHECK_NEAR("high by the range", change.high, middle * range, 1e-12);
    doubt.run_noise = 0.5;
    change_of_few_runs(base, 2, fresh, 3, &doubt, &change);
    CHECK_NEAR("low by the noise", change.low, middle / 1.5, 1e-12);
    change_of_few_runs(base, 0, fresh, 3, &doubt, &change);
    CHECK_NAN("ratio of nothing", change.ratio);
    doubt.run_noise = NAN;
    change_of_few_runs(base, 2, fresh, 3, &doubt, &change);
    CHECK_NAN("low without a noise", change.low);
}

/* A case that stood still is slower relative to a control that became faster. */
static void test_the_change_of_a_control_is_none_of_the_case(void **state)
{
    static const struct {
        const char *what;
        double ratio, noise, control, low, high;
    } rows[] = {
        {"slower, and the control faster by as much", 1.25, 0.05, 0.8, 1, 1.25 * 1.05},
        {"slower, and the control faster by more", 1.25, 0.05, 0.5, 1, 1.25 * 1.05},
        {"slower beyond that", 1.25, 0.05, 0.9, 1.25 * 0.9, 1.25 * 1.05},
        {"slower, and the control faster by less than the noise", 1.25, 0.05, 0.98, 1.25 / 1.05,
         1.25 * 1.05},
        {"slower, and so is the control", 1.25, 0.05, 1.25, 1.25 / 1.05, 1.25 * 1.05},
        {"faster, and the control slower", 0.8, 0.05, 1.5, 0.8 / 1.05, 1},
        {"faster, and so is the control", 0.8, 0.05, 0.5, 0.8 / 1.05, 0.8 * 1.05},
        {"no change, and the control faster", 1, 0.05, 0.5, 1 / 1.05, 1.05},
        {"no change, and the control slower", 1, 0.05, 2, 1 / 1.05, 1.05},
        {"no change without a noise", 1, 0, 0.5, 1, 1},
        {"nothing known of the control", 1.25, 0.05, NAN, 1.25 / 1.05, 1.25 * 1.05},
    };
    (void)state;
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct change_doubt doubt = {rows[i].noise, log(rows[i].control)};
        double base[PAIRS] = {0}, fresh[PAIRS], work[PAIRS];
        struct change change;
        for (int j = 0; j < PAIRS; j++)
            fresh[j] = log(rows[i].ratio);
        change_of_trials(base, PAIRS, fresh, PAIRS, 0.95, &doubt, work, &change);
        CHECK_NEAR(rows[i].what, change.ratio, rows[i].ratio, 1e-12);
        CHECK_NEAR(rows[i].what, change.low, rows[i].low, 1e-12);
        CHECK_NEAR(rows[i].what, change.high, rows[i].high, 1e-12);
        change_of_few_runs(base, 2, fresh, 3, &doubt, &change);
        CHECK_NEAR(rows[i].what, change.low, rows[i].low, 1e-12);
        CHECK_NEAR(rows[i].what, change.high, rows[i].high, 1e-12);
    }
}

static void test_many_runs(void **state)
{
    double base[4], fresh[4], work[16];
    struct change change;
    (void)state;
    for (int i = 0; i < 4; i++) {
        base[i] = log(1.00 + 0.01 * i);
        fresh[i] = log(1.10 + 0.01 * i);
    }
    change_of_runs(base, 4, fresh, 4, 0.95, work, &change);
    CHECK_NEAR("low: the smallest of all", change.low, 1.10 / 1.03, 1e-12);
    CHECK_NEAR("high: the largest of all", change.high, 1.13 / 1.00, 1e-12);
    CHECK_INT("at 5 %", change_judge(&change, 0.05), CHANGE_REGRESSED);
    change_of_runs(base, 4, fresh, 4, 0.975, work, &change);
    CHECK_NAN("low for two comparisons", change.low);
    CHECK_REAL("ratio all the same", change.ratio, >, 1.08);
    change_of_runs(base, 0, fresh, 4, 0.95, work, &change);
    CHECK_NAN("ratio of nothing", change.ratio);
}

/* --- Documents --- */

enum { TEXT = 1 << 16 };

/* What a test changes in a document. */
struct shape {
    const char *started_at;
    int seed;
    const double *ratios; /* of the case to the control, PAIRS of them */
    double speed;         /* of all */
    int calls;
};

static const double equal[PAIRS] = {1, 1, 1, 1, 1, 1, 1, 1};

static size_t add_case(char *text, size_t at, const char *id, const struct shape *s,
                       const double *ratios)
{
    at += (size_t)snprintf(text + at, TEXT - at,
                           "{\"id\":\"read/%s\",\"mode\":\"%s\",\"params\":{\"bytes\":null},"
                           "\"status\":\"ok\",\"reason\":null,\"latency\":null,\"trials\":[",
                           id, id);
    for (int i = 0; i <= PAIRS; i++)
        at += (size_t)snprintf(
            text + at, TEXT - at,
            "%s{\"round\":%d,\"warmup\":%s,\"complete\":true,\"passes\":2,\"bytes\":2000,"
            "\"calls\":%d,\"wall_ns\":%.0f,\"cpu_ns\":1000,\"peak_rss_bytes\":4096}",
            i > 0 ? "," : "", i, i == 0 ? "true" : "false", s->calls,
            i == 0 ? 1.0 : 1e6 * (i + 1) * ratios[i - 1] / s->speed);
    return at + (size_t)snprintf(text + at, TEXT - at, "]}");
}

static void write_document(const struct shape *s, char *text)
{
    size_t at = (size_t)snprintf(
        text, TEXT,
        "{\"schema_version\":1,\"iobench_version\":\"1\",\"command\":\"read\",\"seed\":%d,"
        "\"started_at\":\"%s\",\"interrupted\":false,\"host\":{\"machine\":\"m\"},\"options\":{},"
        "\"source\":{\"files\":[{\"path\":\"f\",\"size_bytes\":1000,\"resident_ratio\":1}]},"
        "\"comparisons\":[{\"baseline\":\"read/control\"}],\"results\":[",
        s->seed, s->started_at);
    at = add_case(text, at, "control", s, equal);
    text[at++] = ',';
    at = add_case(text, at, "case", s, s->ratios);
    snprintf(text + at, TEXT - at, "]}");
}

static void load(const struct shape *s, const char *path, struct record *record)
{
    static const struct err none;
    struct err err = none;
    char *text = malloc(TEXT);
    assert_non_null(text);
    write_document(s, text);
    CHECK_OK(path, record_parse(path, text, strlen(text), record, &err), err);
    free(text);
}

static const struct shape plain = {"2026-01-31T12:00:00Z", 1, equal, 1, 10};

static void test_what_a_document_yields(void **state)
{
    struct record r;
    (void)state;
    load(&plain, "a.json", &r);
    CHECK_COUNT("cases", r.n_cases, ==, 2);
    CHECK_TEXT("command", r.command, "read");
    CHECK_TEXT("baseline", r.baseline, "read/control");
    CHECK_TEXT("files", r.files, "[[\"f\",1000,null]]");
    CHECK_REAL("resident", r.resident, ==, 1);
    CHECK_TEXT("a fact", r.host[0].value, "\"m\"");
    CHECK_TEXT("a fact that is missing", r.host[1].value, "null");
    const struct record_case *c = record_find(&r, "read/case");
    assert_non_null(c);
    CHECK_COUNT("trials that count", c->n_trials, ==, PAIRS);
    CHECK_COUNT("round of the first", c->trials[0].round, ==, 1);
    CHECK_COUNT("time of the first", c->trials[0].wall_ns, ==, 2000000);
    CHECK_COUNT("latency", c->p50_ns, ==, UNKNOWN);
    CHECK_TRUE("no such case", record_find(&r, "read/cas") == NULL);
    record_free(&r);
}

/* Puts now for the first old of a good document. */
static void spoil(const char *old, const char *now, char *spoilt)
{
    char *text = malloc(TEXT);
    assert_non_null(text);
    write_document(&plain, text);
    const char *at = strstr(text, old);
    if (at == NULL)
        fail_msg("no '%s' in the document", old);
    else
        snprintf(spoilt, TEXT, "%.*s%s%s", (int)(at - text), text, now, at + strlen(old));
    free(text);
}

static void test_awkward_documents(void **state)
{
    static const struct {
        const char *old, *now, *says;
    } rows[] = {
        {"\"wall_ns\":2000000", "\"wall_ns\":\"2\"",
         "x.json: results[0].trials[1].wall_ns: a whole number or null was expected"},
        {"\"wall_ns\":1,", "\"wall_ns\":1.5,", "results[0].trials[0].wall_ns: a whole number"},
        {"\"passes\":2", "\"passes\":-2", "results[0].trials[0].passes: it is negative"},
        {"\"passes\":2,", "", "passes: a whole number was expected, and nothing is there"},
        {"\"passes\":2", "\"passes\":99999999999999999999", "not JSON"},
        {"\"passes\":2", "\"passes\":NaN", "not JSON: line 1, column"},
        {"\"passes\":2", "\"passes\":1e999", "not JSON"},
        {"\"warmup\":true", "\"warmup\":1", "trials[0].warmup: true or false was expected"},
        {"\"round\":2", "\"round\":1", "trials[2]: its round does not follow"},
        {"\"trials\":[", "\"trials\":0,\"x\":[", "results[0].trials: an array was expected"},
        {"\"trials\":[{", "\"trials\":[[],{", "results[0].trials[0]: an object was expected"},
        {"\"id\":\"read/control\"", "\"id\":7", "results[0].id: a text was expected"},
        {"\"id\":\"read/control\"", "\"id\":\"\\ud800\"", "not JSON"},
        {"\"id\":\"read/control\"", "\"id\":\"a\\u0000b\"", "not JSON"},
        {"\"id\":\"read/control\"", "\"id\":\"\xff\"", "not JSON"},
        {"\"id\":\"read/control\"", "\"id\":\"read/case\"", "results[1].id: another case has"},
        {"\"mode\":\"control\"", "\"mode\":null", "results[0].mode: a text was expected"},
        {"\"params\":{\"bytes\":null}", "\"params\":3", "params: an object was expected"},
        {"\"status\":\"ok\"", "\"status\":\"fine\"", "results[0].status: 'ok', 'skipped'"},
        {"\"latency\":null", "\"latency\":[1]", "results[0].latency: an object was expected"},
        {"\"latency\":null", "\"latency\":{\"p50_ns\":1}",
         "latency.p99_ns: a whole number or null"},
        {"\"reason\":null", "\"reason\":null,\"reason\":null", "not JSON: line 1"},
        {"\"schema_version\":1", "\"schema_version\":2", "x.json: schema_version: 2 is not known"},
        {"\"schema_version\":1,", "", "no document of iobench: it has no schema_version"},
        {"\"schema_version\":1", "\"schema_version\":\"1\"", "schema_version: a whole number"},
        {"\"command\":\"read\"", "\"command\":\"compare\"", "this is a comparison"},
        {"2026-01-31T12:00:00Z", "yesterday", "started_at: a time like"},
        {"\"seed\":1", "\"seed\":null", "seed: a whole number was expected"},
        {"\"host\":{\"machine\":\"m\"}", "\"host\":1", "host: an object was expected"},
        {"\"options\":{}", "\"options\":[]", "options: an object was expected"},
        {"\"resident_ratio\":1", "\"resident_ratio\":1.5", "source.files[0].resident_ratio: it is"},
        {"\"files\":[", "\"files\":[7,", "source.files[0]: an object was expected"},
        {"\"comparisons\":[", "\"comparisons\":{},\"x\":[", "comparisons: an array was expected"},
        {"\"baseline\":\"read/control\"", "\"baseline\":0", "comparisons[0].baseline: a text"},
    };
    (void)state;
    char *text = malloc(TEXT);
    assert_non_null(text);
    for (size_t i = 0; i < ROWS_OF(rows); i++) {
        struct record r;
        struct err err = {0};
        spoil(rows[i].old, rows[i].now, text);
        int status = record_parse("x.json", text, strlen(text), &r, &err);
        record_free(&r);
        CHECK_INT(rows[i].now, status, -1);
        CHECK_HAS(rows[i].now, err.text, rows[i].says);
    }
    free(text);
}

/* All beginnings of a document, and one byte of it turned. */
static void test_torn_documents(void **state)
{
    char *text = malloc(TEXT);
    (void)state;
    assert_non_null(text);
    write_document(&plain, text);
    size_t size = strlen(text);
    for (size_t cut = 0; cut < size; cut++) {
        struct record r;
        struct err err = {0};
        CHECK_INT("a document cut short", record_parse("x", text, cut, &r, &err), -1);
        record_free(&r);
    }
    for (size_t i = 0; i < size; i++) {
        struct record r;
        struct err err = {0};
        char kept = text[i];
        text[i] = (char)(text[i] ^ 0x15);
        int status = record_parse("x", text, size, &r, &err);
        CHECK_TRUE("a reason", (status == 0) == (err.text[0] == '\0'));
        record_free(&r);
        text[i] = kept;
    }
    free(text);
}

static void test_nesting_and_numbers_of_values(void **state)
{
    enum { LARGE = 9 << 20 };
    struct record r;
    struct err deep = {0}, many = {0};
    char *text = malloc(LARGE);
    (void)state;
    assert_non_null(text);
    memset(text, '[', LARGE);
    CHECK_INT("deep", record_parse("x", text, LARGE, &r, &deep), -1);
    CHECK_HAS("deep", deep.text, "x: not JSON: ");
    record_free(&r);
    memset(text, ',', LARGE);
    memcpy(text, "[\"", 2); /* inside a text they cost nothing, and are counted all the same */
    CHECK_INT("many", record_parse("x", text, LARGE, &r, &many), -1);
    CHECK_HAS("many", many.text, "more than 8388608 values");
    record_free(&r);
    free(text);
}

/* --- Comparisons --- */

static const struct comparison_wish usual = {
    .run_noise = 0, .max_slowdown = 0.03, .judged = 1u << COMPARED_TIME};

static const struct comparison_row *time_of(const struct comparison *c, const char *id)
{
    for (size_t i = 0; i < c->n_cases; i++)
        if (strcmp(c->cases[i].id, id) == 0)
            return &c->cases[i].rows[COMPARED_TIME];
    fail_msg("no case %s", id);
    return NULL;
}

static void check_verdict(const char *what, const double *ratios, double speed,
                          const struct comparison_wish *wish, enum change_verdict wanted)
{
    struct shape later = {"2026-01-31T13:00:00Z", 2, ratios, speed, 10};
    struct record base, fresh;
    struct comparison c;
    struct err err = {0};
    load(&plain, "a", &base);
    load(&later, "b", &fresh);
    CHECK_OK(what, comparison_make(&base, 1, &fresh, 1, wish, &c, &err), err);
    CHECK_INT(what, time_of(&c, "read/case")->verdict, wanted);
    CHECK_INT(what, comparison_verdict(&c), wanted);
    comparison_free(&c);
    record_free(&base);
    record_free(&fresh);
}

static void test_four_verdicts(void **state)
{
    static const double faster[PAIRS] = {0.90, 0.91, 0.90, 0.89, 0.90, 0.90, 0.91, 0.90};
    static const double nearly[PAIRS] = {1.01, 1.00, 0.99, 1.00, 1.01, 1.00, 1.00, 0.99};
    struct comparison_wish five = usual, noisy = usual;
    (void)state;
    five.max_slowdown = 0.05;
    noisy.run_noise = NAN;
    check_verdict("the pairs at 3 %", pairs, 1, &usual, CHANGE_REGRESSED);
    check_verdict("the pairs at 5 %", pairs, 1, &five, CHANGE_INCONCLUSIVE);
    check_verdict("faster", faster, 1, &usual, CHANGE_IMPROVED);
    check_verdict("nearly equal", nearly, 1, &usual, CHANGE_SAME);
    check_verdict("a machine of half the speed", nearly, 0.5, &usual, CHANGE_SAME);
    check_verdict("slower, on a machine of half the speed", pairs, 0.5, &usual, CHANGE_REGRESSED);
    check_verdict("slower than a control that is faster", pairs, 2, &usual, CHANGE_INCONCLUSIVE);
    check_verdict("the same with the usual noise", pairs, 1, &noisy, CHANGE_INCONCLUSIVE);
}

static void test_runs_of_both_sides(void **state)
{
    static const double ratios[8] = {1.00, 1.01, 1.02, 1.03, 1.10, 1.11, 1.12, 1.13};
    struct record runs[8];
    struct comparison c;
    struct err err = {0};
    struct comparison_wish wish = usual;
    (void)state;
    for (int i = 0; i < 8; i++) {
        double same[PAIRS];
        char at[32];
        for (int j = 0; j < PAIRS; j++)
            same[j] = ratios[i];
        snprintf(at, sizeof at, "2026-01-31T%02d:00:00Z", i < 4 ? 2 * i : 2 * (i - 4) + 1);
        struct shape shape = {at, i, same, 1, 10};
        load(&shape, "r", &runs[i]);
    }
    CHECK_OK("four a side", comparison_make(runs, 4, runs + 4, 4, &wish, &c, &err), err);
    const struct comparison_row *row = time_of(&c, "read/case");
    CHECK_NEAR("low", row->change.low, 1.10 / 1.03, 1e-6);
    CHECK_NEAR("high", row->change.high, 1.13 / 1.00, 1e-6);
    CHECK_INT("verdict", row->verdict, CHANGE_REGRESSED);
    CHECK_NAN("noise", c.run_noise);
    CHECK_COUNT("warnings of runs that took turns", c.warnings.n, ==, 0);
    comparison_free(&c);
    wish.run_noise = NAN;
    CHECK_OK("two a side", comparison_make(runs, 2, runs + 2, 2, &wish, &c, &err), err);
    CHECK_NEAR("low by the usual noise", time_of(&c, "read/case")->change.low,
               sqrt(1.02 * 1.03 / 1.01) / 1.05, 1e-6);
    CHECK_COUNT("warnings of runs that did not", c.warnings.n, ==, 1);
    CHECK_TEXT("which", c.warnings.items[0].code, "not_alternating");
    comparison_free(&c);
    CHECK_INT("a run twice", comparison_make(runs, 2, &runs[7], 1, &wish, &c, &err), 0);
    comparison_free(&c);
    for (int i = 0; i < 8; i++)
        record_free(&runs[i]);
}

static void test_counts_are_compared_exactly(void **state)
{
    struct shape later = {"2026-01-31T13:00:00Z", 2, equal, 1, 12};
    struct record base, fresh;
    struct comparison c;
    struct err err = {0};
    (void)state;
    load(&plain, "a", &base);
    load(&later, "b", &fresh);
    CHECK_OK("comparison", comparison_make(&base, 1, &fresh, 1, &usual, &c, &err), err);
    CHECK_TRUE("bytes", c.cases[1].counts[COUNT_BYTES].known);
    CHECK_REAL("bytes", c.cases[1].counts[COUNT_BYTES].fresh, ==, 1000);
    CHECK_REAL("calls before", c.cases[1].counts[COUNT_CALLS].base, ==, 5);
    CHECK_REAL("calls now", c.cases[1].counts[COUNT_CALLS].fresh, ==, 6);
    comparison_free(&c);
    record_free(&base);
    record_free(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_ranks),
        cmocka_unit_test(test_how_many_comparisons_runs_are_enough_for),
        cmocka_unit_test(test_the_pairs_of_the_design),
        cmocka_unit_test(test_few_runs),
        cmocka_unit_test(test_the_change_of_a_control_is_none_of_the_case),
        cmocka_unit_test(test_many_runs),
        cmocka_unit_test(test_what_a_document_yields),
        cmocka_unit_test(test_awkward_documents),
        cmocka_unit_test(test_torn_documents),
        cmocka_unit_test(test_nesting_and_numbers_of_values),
        cmocka_unit_test(test_four_verdicts),
        cmocka_unit_test(test_runs_of_both_sides),
        cmocka_unit_test(test_counts_are_compared_exactly),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
