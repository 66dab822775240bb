#include "config.h"

#include "cli/say.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("iobench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
