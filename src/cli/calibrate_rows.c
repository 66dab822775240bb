/* The options of calibrate. */
#include "config.h"

#include "cli/option_rows.h"

#include "base/rng.h"

#include <stddef.h>
#include <string.h>

static int apply_export(struct options *o, const char *value, struct err *err)
{
    static const char ending[] = ".json";
    size_t length = strlen(value);
    if (length < sizeof ending || strcmp(value + length - strlen(ending), ending) != 0)
        return err_set(err, 0, "--export: '%s' does not end in .json", value);
    return text_list_add(&o->exports, value, err);
}

#define AT(member) .at = offsetof(struct options, member)

const struct option_row calibrate_rows[OPTION_ROWS] = {
    {NULL, "max-slowdown", "PCT", "what the gates allow (2)", PERCENT, AT(max_slowdown),
     .most = 1000},
    {NULL, "time-limit", "TIME", "all of it (90s; with --quick 8s)", TIME, AT(time_limit_ns)},
    {NULL, "quick", NULL, "a rough answer in some seconds", FLAG, AT(quick)},
    {NULL, "seed", "N", "of the orders and of the file made; below 2^53", COUNT, AT(seed),
     .most = RNG_SEED_LIMIT - 1},
    {"j", "json", NULL, "JSON on standard output instead of text", FLAG, AT(json)},
    {"e", "export", "FILE", "also write FILE.json, for compare --run-noise=FILE.json", APPLY,
     .apply = apply_export},
    {"q", "quiet", NULL, "no progress and no warnings", FLAG, AT(quiet)},
    {NULL, "progress", "WHEN", "auto, always or never; a line on standard error", WHEN,
     AT(progress)},
    {"h", "help", NULL, "show this", FLAG, AT(help)},
    {NULL, "version", NULL, "show the version and what is built in", FLAG, AT(version)},
};
