/* Warnings and errors gathered on the way, for the JSON and for the person at the terminal. */
#ifndef IOBENCH_BASE_NOTES_H
#define IOBENCH_BASE_NOTES_H

#include "base/err.h"

#include <stddef.h>

struct note {
    const char *code; /* a stable word for scripts: an errno name, or one like "ratio_drifts" */
    char *message;
    char *path; /* the file it is about, or NULL */
};

/* Zero it before use; notes_free gives its memory back. */
struct notes {
    struct note *items;
    size_t n;
};

/* Adds a note; code must be static, path may be NULL. Out of memory drops the note. */
void notes_add(struct notes *notes, const char *code, const char *path, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Adds err under the name of its errno. */
void notes_add_err(struct notes *notes, const char *path, const struct err *err);

void notes_free(struct notes *notes);

#endif
