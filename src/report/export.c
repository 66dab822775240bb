#include "config.h"

#include "report/export.h"

#include <string.h>
#include <strings.h>

/* Those of two words stand before the ones that they end in. */
static const struct export_kind kinds[] = {
    {".bmf.json", report_bmf, comparison_bmf, NULL},
    {".gha-smaller.json", report_gha_smaller, comparison_gha_smaller, NULL},
    {".gha-bigger.json", report_gha_bigger, NULL,
     "all figures of a comparison are costs, of which a smaller one is better: use "
     ".gha-smaller.json"},
    {".gbench.json", report_gbench, NULL,
     "Google's compare.py compares two runs itself: export each of them as .gbench.json"},
    {".json", report_json, comparison_json, NULL},
    {".csv", report_csv, comparison_csv, NULL},
    {".md", report_markdown, comparison_markdown, NULL},
    {".prom", report_openmetrics, comparison_openmetrics, NULL},
    {".dat", report_dat, comparison_dat, NULL},
    {".hgrm", report_hgrm, NULL, "a comparison has no distribution of latency"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ".json .csv ...", for messages. */
static void list_endings(bool of_comparisons, char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < KINDS && n < size; i++)
        if (!of_comparisons || kinds[i].write_comparison != NULL)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n > 0 ? " " : "", kinds[i].ending);
}

/* The last two words of a file name, as in ".gha.json"; NULL: it has fewer. */
static const char *two_words(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *last = strrchr(name, '.');
    if (last == NULL)
        return NULL;
    while (last > name && *--last != '.')
        continue;
    return *last == '.' && last > name ? last : NULL;
}

/* A name like x.gha.json is surely no plain JSON: it is refused rather than guessed. */
static bool is_nearly_one(const char *words)
{
    static const char *const first[] = {".bmf", ".bencher", ".gha", ".gbench"};
    for (size_t i = 0; words != NULL && i < sizeof first / sizeof first[0]; i++)
        if (strncasecmp(words, first[i], strlen(first[i])) == 0)
            return true;
    return false;
}

static const struct export_kind *find(const char *path, bool of_comparisons, struct err *err)
{
    char endings[128];
    size_t length = strlen(path);
    const char *words = two_words(path);
    for (size_t i = 0; i < KINDS; i++) {
        size_t ending = strlen(kinds[i].ending);
        if (length <= ending || strcmp(path + length - ending, kinds[i].ending) != 0)
            continue;
        bool of_two = strchr(kinds[i].ending + 1, '.') != NULL;
        if (of_two || !is_nearly_one(words))
            return &kinds[i];
    }
    list_endings(of_comparisons, endings, sizeof endings);
    if (is_nearly_one(words))
        err_set(err, 0, "'%s': there is no kind '%s', only %s", path, words, endings);
    else
        err_set(err, 0, "'%s' ends in none of %s", path, endings);
    return NULL;
}

const struct export_kind *export_kind_of(const char *path, struct err *err)
{
    return find(path, false, err);
}

const struct export_kind *export_kind_of_comparison(const char *path, struct err *err)
{
    const struct export_kind *kind = find(path, true, err);
    if (kind == NULL || kind->write_comparison != NULL)
        return kind;
    err_set(err, 0, "'%s': %s", path, kind->why_none);
    return NULL;
}
