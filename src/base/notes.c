#include "config.h"

#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct notes *notes, const char *code, const char *path, const char *message)
{
    struct note *items = realloc(notes->items, (notes->n + 1) * sizeof *items);
    if (items == NULL)
        return;
    notes->items = items;
    char *kept = strdup(message);
    if (kept == NULL)
        return;
    items[notes->n++] = (struct note){code, kept, path != NULL ? strdup(path) : NULL};
}

void notes_add(struct notes *notes, const char *code, const char *path, const char *format, ...)
{
    char message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    add(notes, code, path, message);
}

void notes_add_err(struct notes *notes, const char *path, const struct err *err)
{
    add(notes, err_name(err->number), path, err->text);
}

void notes_free(struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        free(notes->items[i].message);
        free(notes->items[i].path);
    }
    free(notes->items);
    *notes = (struct notes){0};
}
