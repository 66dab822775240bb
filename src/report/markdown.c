/* The report as Markdown, for a pull request or a page. */
#include "config.h"

#include "report/overview.h"
#include "report/report.h"

#include <errno.h>

int report_markdown(const struct report *report, FILE *out, struct err *err)
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
