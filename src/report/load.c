/* Recorded documents in memory. */
#include "config.h"

#include "report/load.h"

#include "report/load_document.h"
#include "report/load_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int load(const char *path, json_t *root, struct record *record, struct err *err)
{
    record->path = strdup(path);
    int status = record->path != NULL ? load_document(root, record, err)
                                      : err_set(err, errno, "cannot load '%s'", path);
    json_decref(root);
    return status;
}

int record_parse(const char *path, const char *text, size_t size, struct record *record,
                 struct err *err)
{
    *record = (struct record){0};
    json_t *root = input_parse(path, text, size, err);
    return root != NULL ? load(path, root, record, err) : -1;
}

int record_load(const char *path, struct record *record, struct err *err)
{
    *record = (struct record){0};
    json_t *root = input_load(path, err);
    return root != NULL ? load(path, root, record, err) : -1;
}

void record_facts_free(struct record_fact *facts, size_t n)
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
    record_facts_free(record->host, RECORD_HOST_FACTS);
    record_facts_free(record->system, RECORD_SYSTEM_FACTS);
    record_facts_free(record->options, RECORD_OPTIONS);
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
