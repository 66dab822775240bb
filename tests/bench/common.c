#include "config.h"

#include "bench.h"

#include "base/source.h"
#include "family/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs a command and reads its output as JSON; NULL when there is none. */
json_t *run_json(const char *command)
{
    FILE *out = popen(command, "r");
    if (out == NULL)
        return NULL;
    json_error_t error;
    json_t *document = json_loadf(out, 0, &error);
    pclose(out);
    if (document == NULL)
        fprintf(stderr, "bench: '%s': %s\n", command, error.text);
    return document;
}

json_t *run_read(const struct paths *paths, const char *options, const char *path)
{
    char command[2048];
    snprintf(command, sizeof command, "'%s' read --json %s '%s' 2>/dev/null", paths->iobench,
             options, path);
    return run_json(command);
}

double last_trial(const json_t *document, const char *key)
{
    json_t *trials =
        json_object_get(json_array_get(json_object_get(document, "results"), 0), "trials");
    return json_number_value(
        json_object_get(json_array_get(trials, json_array_size(trials) - 1), key));
}

void print_ratio(const char *title, const struct ratio *r, double target)
{
    printf("  %-28s %.4f  (%.4f .. %.4f)  %3zu pairs, target %.2f: %s\n", title, r->ratio, r->low,
           r->high, r->n, target, r->ratio >= target ? "reached" : "MISSED");
    fflush(stdout);
}

void print_cost(const char *title, const struct ratio *r, double target)
{
    printf("  %-28s %.4f  (%.4f .. %.4f)  %3zu pairs, target at most %.2f: %s\n", title, r->ratio,
           r->low, r->high, r->n, target, r->ratio <= target ? "reached" : "MISSED");
    fflush(stdout);
}

/* A file of text of our own, in the page cache. */
int make_file(const char *path, uint64_t size)
{
    static const volatile sig_atomic_t never = 0;
    struct source source = {0};
    struct err err = {0};
    int status = -1;
    if (file_make(&source, size, 1, &never, &err) == 0) {
        char command[2048];
        snprintf(command, sizeof command, "cp '%s' '%s' && cat '%s' >/dev/null",
                 source.files[0].open_path, path, path);
        status = system(command);
    }
    if (status != 0)
        fprintf(stderr, "bench: cannot make '%s' %s\n", path, err.text);
    source_free(&source);
    return status;
}

bool is_installed(const char *tool)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null", tool);
    if (system(command) == 0)
        return true;
    printf("  (%s is not installed: nothing to compare with)\n", tool);
    return false;
}
