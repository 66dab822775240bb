#include "config.h"

#include "report/report.h"

#include <string.h>

static const struct export_kind kinds[] = {
    {".json", report_json},
    {".csv", report_csv},
    {".md", report_markdown},
    {".prom", report_openmetrics},
};

const struct export_kind *export_kind_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcmp(path + length - ending, kinds[i].ending) == 0)
            return &kinds[i];
    }
    return NULL;
}

const char *export_endings(void)
{
    return ".json .csv .md .prom";
}
