/* The text of the user's command: its name, what is filled in, and whether it needs a shell. */
#include "config.h"

#include "family/exec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE_MARK "{block_size}"
#define FILE_MARK "{}"
#define HOST_MARK "{host}"
#define PORT_MARK "{port}"

const char *exec_split_name(const char *text, size_t *name_length)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    bool named = n > 0 && text[n] == '=';
    *name_length = named ? n : 0;
    return named ? text + n + 1 : text;
}

bool exec_takes_block_size(const char *command)
{
    return strstr(command, BLOCK_SIZE_MARK) != NULL;
}

/* A word for sh(1): plain where nothing in it means anything to the shell, else in single quotes.
 */
static void put_word(FILE *out, const char *text)
{
    if (*text != '\0' && text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789._-/+,:@%")] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

/* Writes what stands for the mark at the start of text; returns the mark's length, 0: none. */
static size_t fill_mark(FILE *out, const char *text, const struct exec_target *target,
                        uint64_t block_size)
{
    const struct source *source = target->source;
    if (strncmp(text, FILE_MARK, strlen(FILE_MARK)) == 0 && source != NULL) {
        for (size_t i = 0; i < source->n; i++) {
            fputs(i > 0 ? " " : "", out);
            put_word(out, source->files[i].open_path);
        }
        return strlen(FILE_MARK);
    }
    if (strncmp(text, BLOCK_SIZE_MARK, strlen(BLOCK_SIZE_MARK)) == 0) {
        fprintf(out, "%" PRIu64, block_size);
        return strlen(BLOCK_SIZE_MARK);
    }
    if (strncmp(text, HOST_MARK, strlen(HOST_MARK)) == 0 && target->host != NULL) {
        fputs(target->host, out);
        return strlen(HOST_MARK);
    }
    if (strncmp(text, PORT_MARK, strlen(PORT_MARK)) == 0 && target->host != NULL) {
        fprintf(out, "%u", target->port);
        return strlen(PORT_MARK);
    }
    return 0;
}

static char *fill_in(const char *command, const struct exec_target *target, uint64_t block_size)
{
    char *filled = NULL;
    size_t size;
    FILE *out = open_memstream(&filled, &size);
    if (out == NULL)
        return NULL;
    while (*command != '\0') {
        size_t mark = fill_mark(out, command, target, block_size);
        if (mark == 0)
            fputc(*command++, out);
        command += mark;
    }
    if (fclose(out) == 0)
        return filled;
    free(filled);
    return NULL;
}

/* The words of a command that means the same without a shell; NULL when it needs one. They point
 * into the command's copy, which is argv[0]. */
static char **split_words(const char *command)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-/+,:@%= ";
    if (command[strspn(command, plain)] != '\0' || strspn(command, " ") == strlen(command))
        return NULL;
    /* FOO=1 command: an assignment, which is the shell's business */
    size_t first = strspn(command, " ");
    if (memchr(command + first, '=', strcspn(command + first, " ")) != NULL)
        return NULL;
    char **words = calloc(strlen(command) / 2 + 2, sizeof *words);
    char *rest = strdup(command + first);
    if (words == NULL || rest == NULL) {
        free(words);
        free(rest);
        return NULL;
    }
    size_t n = 0;
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word != '\0')
            words[n++] = word;
    return words;
}

int exec_work_init(struct exec_work *work, const char *command, const struct exec_target *target,
                   uint64_t block_size, struct err *err)
{
    const struct source *source = target->source;
    size_t n = source != NULL ? source->n : 0;
    bool takes_file = source != NULL && strstr(command, FILE_MARK) != NULL;
    if (command[strspn(command, " ")] == '\0')
        return err_set(err, 0, "--exec: empty command");
    if (!takes_file && n > 1)
        return err_set(err, 0,
                       "--exec: '%s' has no {}, and several files cannot all be its "
                       "standard input",
                       command);
    if (takes_file && n > 0 && source->files[0].fd >= 0)
        return err_set(err, 0, "--exec: '%s' has {}, and standard input has no name", command);
    if (target->host != NULL && strstr(command, PORT_MARK) == NULL)
        return err_set(err, 0, "--exec: '%s' has no {port}: where is it to find the other end?",
                       command);
    *work = (struct exec_work){.command = fill_in(command, target, block_size)};
    if (work->command == NULL)
        return err_set(err, ENOMEM, "--exec: '%s'", command);
    work->argv = split_words(work->command);
    work->input_path = takes_file || n == 0 ? "/dev/null" : source->files[0].open_path;
    work->output_path = "/dev/null";
    return 0;
}

void exec_work_free(struct exec_work *work)
{
    if (work->argv != NULL)
        free(work->argv[0]);
    free(work->argv);
    free(work->command);
}
