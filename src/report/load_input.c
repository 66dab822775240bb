/* Reading a document within bounds. */
#include "config.h"

#include "report/load_input.h"

#include "report/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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

static json_t *load(const char *path, struct input *input, struct err *err)
{
    json_error_t why;
    json_t *root = json_load_callback(feed, input, JSON_REJECT_DUPLICATES, &why);
    if (root != NULL && input->error == 0 && !is_beyond(input))
        return root;
    (void)explain(path, input, &why, err);
    json_decref(root);
    return NULL;
}

json_t *input_parse(const char *path, const char *text, size_t size, struct err *err)
{
    struct input input = {.text = text, .left = size};
    return load(path, &input, err);
}

json_t *input_load(const char *path, struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct input input = {.stream = is_stdin ? stdin : fopen(path, "re")};
    if (input.stream == NULL) {
        err_set(err, errno, "cannot open '%s'", path);
        return NULL;
    }
    struct stat st;
    bool sized = fstat(fileno(input.stream), &st) == 0 && S_ISREG(st.st_mode);
    json_t *root = NULL;
    if (sized && st.st_size > (off_t)LOAD_MOST_BYTES)
        (void)too_large(path, err);
    else
        root = load(path, &input, err);
    if (!is_stdin)
        fclose(input.stream);
    return root;
}
