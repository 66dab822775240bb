/* Checks that show what they got. The first argument says what is looked at: in a loop over a
 * table, the row. */
#ifndef IOBENCH_TESTS_CHECK_H
#define IOBENCH_TESTS_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ROWS_OF(table) (sizeof(table) / sizeof((table)[0]))

/* Counts and relations between them: CHECK_COUNT("passes", sample.passes, >=, 3). */
#define CHECK_COUNT(what, got, relation, wanted)                                            \
    do {                                                                                    \
        uint64_t got_ = (uint64_t)(got), wanted_ = (uint64_t)(wanted);                      \
        if (!(got_ relation wanted_))                                                       \
            fail_msg("%s: %" PRIu64 " is not " #relation " %" PRIu64, what, got_, wanted_); \
    } while (0)

/* The same for signed numbers, such as a status. */
#define CHECK_INT(what, got, wanted)                                   \
    do {                                                               \
        long long got_ = (got), wanted_ = (wanted);                    \
        if (got_ != wanted_)                                           \
            fail_msg("%s: %lld instead of %lld", what, got_, wanted_); \
    } while (0)

#define CHECK_REAL(what, got, relation, wanted)                                    \
    do {                                                                           \
        double got_ = (got), wanted_ = (wanted);                                   \
        if (!(got_ relation wanted_))                                              \
            fail_msg("%s: %.17g is not " #relation " %.17g", what, got_, wanted_); \
    } while (0)

#define CHECK_NEAR(what, got, wanted, tolerance)                         \
    do {                                                                 \
        double got_ = (got), wanted_ = (wanted);                         \
        if (!(fabs(got_ - wanted_) <= (tolerance)))                      \
            fail_msg("%s: %.17g instead of %.17g", what, got_, wanted_); \
    } while (0)

#define CHECK_NAN(what, got)                                  \
    do {                                                      \
        double got_ = (got);                                  \
        if (!isnan(got_))                                     \
            fail_msg("%s: %.17g instead of NaN", what, got_); \
    } while (0)

#define CHECK_TEXT(what, got, wanted)                                                            \
    do {                                                                                         \
        const char *got_ = (got), *wanted_ = (wanted);                                           \
        if (got_ == NULL || strcmp(got_, wanted_) != 0)                                          \
            fail_msg("%s: '%s' instead of '%s'", what, got_ != NULL ? got_ : "(null)", wanted_); \
    } while (0)

#define CHECK_HAS(what, got, part)                                                        \
    do {                                                                                  \
        const char *got_ = (got), *part_ = (part);                                        \
        if (got_ == NULL || strstr(got_, part_) == NULL)                                  \
            fail_msg("%s: no '%s' in '%s'", what, part_, got_ != NULL ? got_ : "(null)"); \
    } while (0)

#define CHECK_HAS_NOT(what, got, part)                                                 \
    do {                                                                               \
        const char *got_ = (got), *part_ = (part);                                     \
        if (got_ == NULL || strstr(got_, part_) != NULL)                               \
            fail_msg("%s: '%s' in '%s'", what, part_, got_ != NULL ? got_ : "(null)"); \
    } while (0)

#define CHECK_TRUE(what, condition)                    \
    do {                                               \
        if (!(condition))                              \
            fail_msg("%s: not so: " #condition, what); \
    } while (0)

/* A status of 0, or the message that came instead. */
#define CHECK_OK(what, status, err)               \
    do {                                          \
        if ((status) != 0)                        \
            fail_msg("%s: %s", what, (err).text); \
    } while (0)

#endif
