#include "config.h"

#include "cli/progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Drawing costs time on the machine that is being measured: ten times a second is plenty. */
#define REDRAW_NS (100 * NS_PER_MS)

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

void progress_draw(void *data, const struct progress *progress)
{
    struct progress_line *line = data;
    uint64_t now = clock_now_ns();
    if (line->shown && now - line->drawn_ns < REDRAW_NS)
        return;
    char text[160];
    int used = snprintf(text, sizeof text, "%s %s", progress->stage, progress->label);
    if (progress->elapsed_ns > 0 && used > 0 && (size_t)used < sizeof text) {
        double seconds = (double)progress->elapsed_ns / 1e9;
        used += snprintf(text + used, sizeof text - (size_t)used, ", round %u, %.1f s",
                         progress->round, seconds);
        if (progress->limit_ns > 0 && (size_t)used < sizeof text)
            snprintf(text + used, sizeof text - (size_t)used, " of at most %.0f s",
                     (double)progress->limit_ns / 1e9);
    }
    fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, text);
    fflush(stderr);
    line->shown = true;
    line->drawn_ns = now;
}

void progress_clear(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
