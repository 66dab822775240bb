#include "config.h"

#include "family/case_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *case_id(const char *command, const char *mode, knob_set knobs, const struct params *params)
{
    char id[1024];
    int used = snprintf(id, sizeof id, "%s/%s", command, mode);
    char separator = '/';
    for (int k = 0; k < KNOBS && used > 0 && (size_t)used < sizeof id; k++) {
        bool differs = params->value[k] != knob_info[k].initial;
        if (!(knobs & KNOB_BIT(k)) || (!differs && k != KNOB_BLOCK_SIZE))
            continue;
        char value[PARAM_TEXT];
        used += snprintf(id + used, sizeof id - (size_t)used, "%c%s=%s", separator,
                         knob_info[k].key, params_text((enum knob)k, params->value[k], value));
        separator = ',';
    }
    return strdup(id);
}

static int append_number(char **text, unsigned number)
{
    char *numbered;
    if (asprintf(&numbered, "%s#%u", *text, number) < 0)
        return -1;
    free(*text);
    *text = numbered;
    return 0;
}

int case_ids_number(struct run *run, struct err *err)
{
    /* Backwards, so that the ids in front are still plain while they are compared. */
    for (unsigned i = run->n_cases; i-- > 0;) {
        unsigned before = 0, after = 0;
        size_t length = strlen(run->cases[i].id);
        for (unsigned j = 0; j < run->n_cases; j++) {
            const char *other = run->cases[j].id;
            bool same = strncmp(other, run->cases[i].id, length) == 0 &&
                        (other[length] == '\0' || other[length] == '#');
            before += same && j < i;
            after += same && j > i;
        }
        if (before + after == 0)
            continue;
        if (append_number(&run->cases[i].id, before + 1) != 0 ||
            append_number(&run->cases[i].label, before + 1) != 0)
            return err_set(err, ENOMEM, "cannot number the cases");
    }
    return 0;
}

/* Does text name this case, in full or in a shorter form? Each word of text, between slashes and
 * commas, must be a whole word of the id. */
static bool fits(const char *id, const char *text)
{
    if (strcmp(id, text) == 0)
        return true;
    do {
        size_t word = strcspn(text, "/,");
        bool found = false;
        for (const char *at = id; *at != '\0' && !found;) {
            size_t length = strcspn(at, "/,");
            size_t plain = strcspn(at, "/,#");
            found = word > 0 && (length == word || plain == word) && strncmp(at, text, word) == 0;
            at += length;
            at += *at != '\0';
        }
        if (!found)
            return false;
        text += word;
        if (*text == '\0')
            return true;
        text++;
    } while (true);
}

int case_find(const struct run *run, const char *text, struct err *err)
{
    int found = -1;
    for (unsigned i = 0; i < run->n_cases; i++)
        if (strcmp(run->cases[i].id, text) == 0)
            return (int)i;
    for (unsigned i = 0; i < run->n_cases; i++) {
        if (!fits(run->cases[i].id, text) && strcmp(run->cases[i].label, text) != 0)
            continue;
        if (found >= 0)
            return err_set(err, 0, "'%s' fits more than one case: '%s' and '%s'", text,
                           run->cases[found].id, run->cases[i].id);
        found = (int)i;
    }
    return found >= 0 ? found : err_set(err, 0, "no case is called '%s'", text);
}
