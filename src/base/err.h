/* Errors travel up in a caller-owned struct; only src/cli prints them. */
#ifndef IOBENCH_BASE_ERR_H
#define IOBENCH_BASE_ERR_H

#if defined(__GNUC__)
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define MUST_CHECK
#define PRINTF_LIKE(f, a)
#endif

/* Zero it before use. It holds no pointer, so it may live in memory shared between processes. */
struct err {
    int number;     /* errno value, 0 when the system gave no reason */
    char text[480]; /* the whole message, reason included; "" while nothing went wrong */
};

/* Records the message, followed by ": " and strerror(number) unless number is 0. The first error
 * wins: a second call changes nothing. Always returns -1, so that a caller can return it. */
int err_set(struct err *err, int number, const char *format, ...) PRINTF_LIKE(3, 4);

/* "ENOENT" for ENOENT; "error" for 0 and for what has no name here. Static storage. */
const char *err_name(int number);

/* "SIGBUS" for SIGBUS; "signal" for what has no name here. Static storage. */
const char *err_signal_name(int signal_number);

#endif
