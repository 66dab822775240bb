#include "config.h"

#include "base/params.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void params_init(struct params *params)
{
    for (int k = 0; k < KNOBS; k++)
        params->value[k] = knob_info[k].initial;
}

static int parse_choice(const struct knob_info *info, const char *text, uint64_t *value,
                        struct err *err)
{
    for (uint64_t i = 0; info->choices[i] != NULL; i++) {
        if (strcmp(info->choices[i], text) == 0) {
            *value = i;
            return 0;
        }
    }
    return err_set(err, 0, "--%s: unknown value '%s'", info->option, text);
}

static int parse_pattern(const struct knob_info *info, const char *text, uint64_t *value,
                         struct err *err)
{
    static const char stride[] = "stride:";
    struct err why = {0};
    if (strncmp(text, stride, strlen(stride)) != 0)
        return parse_choice(info, text, value, err);
    if (units_parse_size(text + strlen(stride), value, &why) != 0)
        return err_set(err, 0, "--%s: %s", info->option, why.text);
    if (*value < PATTERN_LEAST_STRIDE || *value > info->most)
        return err_set(err, 0, "--%s: a stride of '%s' is too %s", info->option,
                       text + strlen(stride), *value > info->most ? "large" : "small");
    return 0;
}

int params_parse(enum knob knob, const char *text, uint64_t *value, struct err *err)
{
    const struct knob_info *info = &knob_info[knob];
    if (info->kind == KNOB_KIND_CHOICE)
        return parse_choice(info, text, value, err);
    if (info->kind == KNOB_KIND_PATTERN)
        return parse_pattern(info, text, value, err);

    struct err why = {0};
    int status = info->kind == KNOB_KIND_SIZE   ? units_parse_size(text, value, &why)
                 : info->kind == KNOB_KIND_TIME ? units_parse_time(text, value, &why)
                                                : units_parse_count(text, value, &why);
    if (status != 0)
        return err_set(err, 0, "--%s: %s", info->option, why.text);
    if (*value < info->least)
        return err_set(err, 0, "--%s: '%s' is too small: at least %" PRIu64 " is needed",
                       info->option, text, info->least);
    if (*value > info->most)
        return err_set(err, 0, "--%s: '%s' is too large: the limit is %" PRIu64, info->option, text,
                       info->most);
    return 0;
}

char *params_text(enum knob knob, uint64_t value, char text[PARAM_TEXT])
{
    const struct knob_info *info = &knob_info[knob];
    if (value == PARAM_NONE)
        snprintf(text, PARAM_TEXT, "none");
    else if (info->kind == KNOB_KIND_PATTERN && value >= PATTERN_LEAST_STRIDE)
        snprintf(text, PARAM_TEXT, "stride:%" PRIu64, value);
    else if (info->kind == KNOB_KIND_CHOICE || info->kind == KNOB_KIND_PATTERN)
        snprintf(text, PARAM_TEXT, "%s",
                 value == CONSUME_DIGEST && knob == KNOB_CONSUME ? "digest" : info->choices[value]);
    else
        snprintf(text, PARAM_TEXT, "%" PRIu64, value);
    return text;
}
