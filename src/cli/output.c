#include "config.h"

#include "cli/output.h"

#include "cli/say.h"
#include "report/export.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A report in memory: a stream would keep no errno for a failure at its end. */
struct text {
    char *bytes;
    size_t size;
};

static int render(output_writer *write_text, const void *data, struct text *text, struct err *err)
{
    FILE *out = open_memstream(&text->bytes, &text->size);
    if (out == NULL)
        return err_set(err, errno, "cannot make the report");
    int status = write_text(data, out, err);
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed)
        status = err_set(err, ENOMEM, "cannot make the report");
    return status;
}

static int write_all(int fd, const struct text *text)
{
    for (size_t done = 0; done < text->size;) {
        ssize_t put = write(fd, text->bytes + done, text->size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        done += (size_t)put;
    }
    return 0;
}

static int print_stdout(const struct text *text, struct err *err)
{
    if (write_all(STDOUT_FILENO, text) != 0 && errno != EPIPE)
        return err_set(err, errno, "cannot write standard output");
    return 0;
}

int output_print_data(output_writer *write_text, const void *data, struct err *err)
{
    struct text text = {0};
    int status = render(write_text, data, &text, err);
    if (status == 0)
        status = print_stdout(&text, err);
    free(text.bytes);
    return status;
}

/* A report and the way to write it, as data of an output_writer. */
struct written_report {
    const struct report *report;
    int (*write)(const struct report *, FILE *, struct err *);
    const struct text_style *style;
};

static int write_report(const void *data, FILE *out, struct err *err)
{
    const struct written_report *w = data;
    return w->write(w->report, out, err);
}

static int write_text_report(const void *data, FILE *out, struct err *err)
{
    const struct written_report *w = data;
    return report_text(w->report, w->style, out, err);
}

int output_print(const struct report *report,
                 int (*write)(const struct report *, FILE *, struct err *), struct err *err)
{
    struct written_report written = {report, write, NULL};
    return output_print_data(write_report, &written, err);
}

int output_print_text(const struct report *report, const struct text_style *style, struct err *err)
{
    struct written_report written = {report, NULL, style};
    return output_print_data(write_text_report, &written, err);
}

/* Permissions as open(2) with 0666 would give them. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

int output_export_data(output_writer *write_text, const void *data, const char *path,
                       struct err *err)
{
    struct text text = {0};
    char *beside = NULL;
    int fd = -1;
    int status = render(write_text, data, &text, err);
    if (status != 0)
        goto out;
    if (asprintf(&beside, "%s.XXXXXX", path) < 0) {
        beside = NULL;
        status = err_set(err, ENOMEM, "cannot write '%s'", path);
        goto out;
    }
    fd = mkstemp(beside);
    if (fd < 0 || write_all(fd, &text) != 0 || fchmod(fd, usual_mode()) != 0 || fsync(fd) != 0 ||
        rename(beside, path) != 0) {
        status = err_set(err, errno, "cannot write '%s'", path);
        if (fd >= 0)
            unlink(beside);
    }
out:
    if (fd >= 0)
        close(fd);
    free(beside);
    free(text.bytes);
    return status;
}

int output_export(const struct report *report, const char *path, struct err *err)
{
    const struct export_kind *kind = export_kind_of(path, err);
    if (kind == NULL)
        return -1;
    struct written_report written = {report, kind->write, NULL};
    return output_export_data(write_report, &written, path, err);
}

int output_check(const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(err, EISDIR, "cannot write '%s'", path);
    char *copy = strdup(path);
    if (copy == NULL)
        return err_set(err, errno, "cannot write '%s'", path);
    int status = 0;
    if (access(dirname(copy), W_OK) != 0)
        status = err_set(err, errno, "cannot write '%s'", path);
    free(copy);
    return status;
}

int output_finish(int status)
{
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && errno != EPIPE && status < EXIT_SIGNAL) {
        say("cannot write standard output: %s", strerror(errno));
        return status == EXIT_USAGE ? status : EXIT_UNMEASURED;
    }
    return status;
}
