/* Reading a recorded document within bounds. */
#include "config.h"

#include "report/load.h"

#include "report/load_document.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where the bytes come from: a stream, or memory. */
struct input {
    FILE *stream; /* NULL: memory */
    const char *text;
    size_t left;
    uint64_t bytes, values;
    int error; /* errno of a failed read */
};

static size_t read_some(void *buffer, size_t size, struct input *input)
{
    if (input->stream != NULL) {
        size_t got = fread(buffer, 1, size, input->stream);
        if (got < size && ferror(input->stream))
            input->error = errno;
        return got;
    }
    size_t got = size < input->left ? size : input->left;
    memcpy(buffer, input->text, got);
    input->text += got;
    input->left -= got;
    return got;
}

static bool is_beyond(const struct input *input)
{
    return input->bytes > LOAD_MOST_BYTES || input->values > LOAD_MOST_VALUES;
}

/* jansson's callback. To end early looks like the end of the file, and is told apart afterwards. */
static size_t feed(void *buffer, size_t size, void *data)
{
    struct input *input = data;
    if (is_beyond(input))
        return 0;
    size_t got = read_some(buffer, size, input);
    input->bytes += got;
    for (size_t i = 0; i < got; i++) {
        char c = ((const char *)buffer)[i];
        input->values += c == ',' || c == '[' || c == '{'; /* one in a text counts as well */
    }
    return is_beyond(input) ? 0 : got;
}

static int too_large(const char *path, struct err *err)
{
    return err_set(err, 0, "%s: larger than %" PRIu64 " MiB, which is the limit for a document",
                   path, LOAD_MOST_BYTES >> 20);
}

static int explain(const char *path, const struct input *input, const json_error_t *why,
                   struct err *err)
{
    if (input->error != 0)
        return err_set(err, input->error, "cannot read '%s'", path);
    if (input->bytes > LOAD_MOST_BYTES)
        return too_large(path, err);
    if (is_beyond(input))
        return err_set(err, 0,
                       "%s: more than %" PRIu64 " values, which is the limit for a document", path,
                       LOAD_MOST_VALUES);
    if (input->bytes == 0)
        return err_set(err, 0, "%s: the document is empty", path);
    return err_set(err, 0, "%s: not JSON: line %d, column %d: %s", path, why->line, why->column,
                   why->text);
}

static int load(const char *path, struct input *input, struct record *record, struct err *err)
{
    *record = (struct record){.path = strdup(path)};
    if (record->path == NULL)
        return err_set(err, errno, "cannot load '%s'", path);
    json_error_t why;
    json_t *root = json_load_callback(feed, input, JSON_REJECT_DUPLICATES, &why);
    int status = root != NULL && input->error == 0 && !is_beyond(input)
                     ? load_document(root, record, err)
                     : explain(path, input, &why, err);
    json_decref(root);
    return status;
}

int record_parse(const char *path, const char *text, size_t size, struct record *record,
                 struct err *err)
{
    struct input input = {.text = text, .left = size};
    return load(path, &input, record, err);
}

int record_load(const char *path, struct record *record, struct err *err)
{
    *record = (struct record){0};
    bool is_stdin = strcmp(path, "-") == 0;
    struct input input = {.stream = is_stdin ? stdin : fopen(path, "re")};
    if (input.stream == NULL)
        return err_set(err, errno, "cannot open '%s'", path);
    struct stat st;
    bool sized = fstat(fileno(input.stream), &st) == 0 && S_ISREG(st.st_mode);
    int status = sized && st.st_size > (off_t)LOAD_MOST_BYTES ? too_large(path, err)
                                                              : load(path, &input, record, err);
    if (!is_stdin)
        fclose(input.stream);
    return status;
}

static void free_facts(struct record_fact *facts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(facts[i].value);
}

void record_free(struct record *record)
{
    for (size_t i = 0; i < record->n_cases; i++) {
        struct record_case *c = &record->cases[i];
        free(c->id);
        free(c->mode);
        free(c->params);
        free(c->status);
        free(c->reason);
        free(c->trials);
    }
    free(record->cases);
    free(record->by_id);
    free_facts(record->host, RECORD_HOST_FACTS);
    free_facts(record->system, RECORD_SYSTEM_FACTS);
    free_facts(record->options, RECORD_OPTIONS);
    free(record->path);
    free(record->version);
    free(record->command);
    free(record->files);
    free(record->baseline);
    *record = (struct record){0};
}

static int by_id(const void *key, const void *element)
{
    const struct record_case *const *c = element;
    return strcmp(key, (*c)->id);
}

const struct record_case *record_find(const struct record *record, const char *id)
{
    if (record->n_cases == 0)
        return NULL;
    const struct record_case **found =
        bsearch(id, record->by_id, record->n_cases, sizeof *record->by_id, by_id);
    return found != NULL ? *found : NULL;
}
