/* The report as Markdown, for a pull request or a page. */
#include "config.h"

#include "report/json_value.h"
#include "report/overview.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>

static int write_all(const struct report *report, FILE *out, struct err *err)
{
    const struct host *h = report->host;
    fprintf(out, "### iobench %s\n\n", report->command);
    overview_source(report, out);
    fputs(" · ", out);
    overview_effort(report, out);
    fputs("\n\n", out);
    struct table table;
    if (overview_table(report, false, &table) != 0)
        return err_set(err, ENOMEM, "cannot write the table");
    table_print_markdown(&table, out);
    table_free(&table);
    fputc('\n', out);
    if (overview_findings(report, out, err) != 0)
        return -1;
    fprintf(out, "\niobench %s · %s · %s · %s\n", report->version, h->kernel, h->cpu_model,
            h->libc);
    return 0;
}

/* Names may hold any bytes: what comes out is UTF-8, as in the other exports. */
int report_markdown(const struct report *report, FILE *out, struct err *err)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return err_set(err, errno, "cannot write the table");
    int status = write_all(report, memory, err);
    char *fixed = fclose(memory) == 0 ? json_utf8(text) : NULL;
    if (fixed == NULL && status == 0)
        status = err_set(err, ENOMEM, "cannot write the table");
    if (status == 0)
        fputs(fixed, out);
    free(fixed);
    free(text);
    return status;
}
