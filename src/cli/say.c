#include "config.h"

#include "cli/say.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *format, ...)
{
    char message[1024], shown[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "iobench: %s\n", text_printable(message, shown, sizeof shown));
}
