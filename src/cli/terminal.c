#include "config.h"

#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return term == NULL || strcmp(term, "dumb") == 0;
}

/* https://no-color.org: set and not empty means no. */
static bool refuses_color(void)
{
    const char *no_color = getenv("NO_COLOR");
    return no_color != NULL && *no_color != '\0';
}

static unsigned stdout_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

void terminal_style(const struct options *options, struct text_style *style)
{
    style->width = stdout_width();
    style->verbose = options->verbose;
    style->color =
        options->color == WHEN_ALWAYS ||
        (options->color == WHEN_AUTO && isatty(STDOUT_FILENO) && !is_dumb() && !refuses_color());
}

bool terminal_wants_progress(const struct options *options)
{
    if (options->progress == WHEN_AUTO)
        return !options->quiet && isatty(STDERR_FILENO) && !is_dumb();
    return options->progress == WHEN_ALWAYS;
}
