#include "config.h"

#include "report/load_calibration.h"

#include "report/load_document.h"
#include "report/load_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int load_noise(const struct place *run_noise, const char *kind, double *noise,
                      struct err *err)
{
    struct place of = place_member(run_noise, kind);
    if (place_object(&of, err) != 0)
        return -1;
    struct place ratio = place_member(&of, "noise_ratio");
    return place_amount(&ratio, CALIBRATED_MOST_NOISE, noise, err);
}

static int load_document_of(const json_t *root, struct calibrated *c, struct err *err)
{
    struct place place = {NULL, NULL, 0, root, c->path}, *document = &place;
    if (load_version(document, err) != 0)
        return -1;
    struct place command = place_member(document, "command");
    struct place noise = place_member(document, "run_noise");
    const char *name = json_string_value(command.value);
    if (name == NULL || strcmp(name, "calibrate") != 0)
        return place_refuse(document, "this is no calibration, which 'iobench calibrate' writes",
                            err);
    if (load_started_at(document, c->started_at, err) != 0 ||
        load_host(document, c->host, c->system, err) != 0 || place_object(&noise, err) != 0 ||
        load_noise(&noise, "relative", &c->relative, err) != 0 ||
        load_noise(&noise, "absolute", &c->absolute, err) != 0)
        return -1;
    return 0;
}

static int begin(const char *path, struct calibrated *c, struct err *err)
{
    *c = (struct calibrated){.path = strdup(path)};
    return c->path != NULL ? 0 : err_set(err, errno, "cannot load '%s'", path);
}

static int load(json_t *root, struct calibrated *c, struct err *err)
{
    int status = root != NULL ? load_document_of(root, c, err) : -1;
    json_decref(root);
    return status;
}

int calibrated_load(const char *path, struct calibrated *c, struct err *err)
{
    return begin(path, c, err) == 0 ? load(input_load(path, err), c, err) : -1;
}

int calibrated_parse(const char *path, const char *text, size_t size, struct calibrated *c,
                     struct err *err)
{
    return begin(path, c, err) == 0 ? load(input_parse(path, text, size, err), c, err) : -1;
}

void calibrated_free(struct calibrated *c)
{
    record_facts_free(c->host, RECORD_HOST_FACTS);
    record_facts_free(c->system, RECORD_SYSTEM_FACTS);
    free(c->path);
    *c = (struct calibrated){0};
}
