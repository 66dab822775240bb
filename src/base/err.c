#include "config.h"

#include "base/err.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int number, const char *format, ...)
{
    if (err->text[0] != '\0')
        return -1;
    err->number = number;
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    if (number == 0 || used < 0)
        return -1;
    /* A very long name is cut, never the reason. */
    char reason[128];
    snprintf(reason, sizeof reason, ": %s", strerror(number));
    size_t room = sizeof err->text - strlen(reason) - 1;
    size_t at = (size_t)used < room ? (size_t)used : room;
    strcpy(err->text + at, reason);
    return -1;
}

const char *err_name(int number)
{
#ifdef HAVE_STRERRORNAME_NP
    const char *name = number > 0 ? strerrorname_np(number) : NULL;
    if (name != NULL)
        return name;
#else
    static const struct {
        int number;
        const char *name;
    } names[] = {{ENOENT, "ENOENT"}, {EACCES, "EACCES"}, {EIO, "EIO"},       {EISDIR, "EISDIR"},
                 {EINVAL, "EINVAL"}, {EPERM, "EPERM"},   {ENOSYS, "ENOSYS"}, {ENOSPC, "ENOSPC"},
                 {ESPIPE, "ESPIPE"}, {ENODEV, "ENODEV"}, {ENOMEM, "ENOMEM"}, {ENXIO, "ENXIO"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            return names[i].name;
#endif
    return "error";
}

const char *err_signal_name(int signal_number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGBUS, "SIGBUS"},   {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"},
                 {SIGKILL, "SIGKILL"}, {SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"},
                 {SIGHUP, "SIGHUP"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
                 {SIGPIPE, "SIGPIPE"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
                 {SIGQUIT, "SIGQUIT"}, {SIGALRM, "SIGALRM"}, {SIGSYS, "SIGSYS"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == signal_number)
            return names[i].name;
    return "signal";
}
