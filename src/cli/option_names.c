#include "config.h"

#include "cli/option_names.h"

#include <stdio.h>
#include <string.h>

/* Words that users of dd, fio, hyperfine, wrk, ab, sockperf and iperf3 try first. */
static const struct {
    const char *word, *hint;
} foreign[] = {
    {"bs", "--block-size=LIST"},
    {"blocksize", "--block-size=LIST"},
    {"iodepth", "--threads=N, or a strategy that keeps several requests in flight"},
    {"ioengine", "--mode=LIST"},
    {"engine", "--mode=LIST"},
    {"strategy", "--mode=LIST"},
    {"rw", "the command, as in 'iobench read'"},
    {"filename", "the file itself, as in 'iobench read FILE'"},
    {"file", "the file itself, as in 'iobench read FILE'"},
    {"runtime", "--duration=TIME or --time-limit=TIME"},
    {"time", "--duration=TIME or --time-limit=TIME"},
    {"numjobs", "--threads=N"},
    {"jobs", "--threads=N"},
    {"parallel", "--threads=N"},
    {"runs", "--rounds=N"},
    {"min-runs", "--rounds=N or --precision=PCT"},
    {"max-runs", "--rounds=N"},
    {"iterations", "--rounds=N"},
    {"loops", "--rounds=N"},
    {"size", "--bytes=SIZE"},
    {"count", "--bytes=SIZE"},
    {"skip", "--offset=SIZE"},
    {"export-json", "--export=FILE.json"},
    {"export-csv", "--export=FILE.csv"},
    {"export-markdown", "--export=FILE.md"},
    {"output", "--export=FILE"},
    {"output-format", "--json"},
    {"format", "--json"},
    {"setup", "--prepare=COMMAND"},
    {"reference", "--baseline=CASE"},
    {"affinity", "--cpu=LIST"},
    {"cpus_allowed", "--cpu=LIST"},
    {"style", "--color=WHEN"},
    {"url", "--connect=HOST:PORT with --protocol=http"},
    {"keepalive", "--protocol=http, which keeps its connections"},
    {"concurrency", "--connections=LIST"},
    {"clients", "--connections=LIST"},
    {"msg-size", "--message-size=LIST"},
    {"mps", "--rate=LIST"},
    {"timelimit", "--duration=TIME"},
};

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Levenshtein's distance. Names are short. */
static size_t distance(const char *a, size_t a_length, const char *b)
{
    enum { LONGEST = 40 };
    size_t row[LONGEST + 1];
    size_t b_length = strlen(b);
    if (b_length > LONGEST || a_length > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

/* The name within two edits of the first length letters of word, or that begins with them. */
static const char *closest(const char *word, size_t length, const char *name, size_t *least)
{
    size_t d = length > 1 && strncmp(word, name, length) == 0 ? 1 : distance(word, length, name);
    if (d >= *least || d > 2 || d >= length)
        return NULL;
    *least = d;
    return name;
}

const char *option_names_closest(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t least = 3;
    for (size_t i = 0; i < n; i++) {
        const char *found = closest(word, strlen(word), names[i], &least);
        if (found != NULL)
            best = found;
    }
    return best;
}

static int unknown(const char *word, size_t length, const struct option_name *names, size_t n,
                   struct err *err)
{
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (strlen(foreign[i].word) == length && strncmp(foreign[i].word, word, length) == 0)
            return err_set(err, 0, "unknown option '--%.*s': use %s", (int)length, word,
                           foreign[i].hint);
    const char *best = NULL;
    size_t least = 3;
    for (size_t i = 0; i < n; i++) {
        const char *found = closest(word, length, names[i].name, &least);
        if (found != NULL)
            best = found;
    }
    if (best != NULL)
        return err_set(err, 0, "unknown option '--%.*s': did you mean '--%s'?", (int)length, word,
                       best);
    return err_set(err, 0, "unknown option '--%.*s'", (int)length, word);
}

static const struct option_name *find_name(const char *word, size_t length,
                                           const struct option_name *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, word, length) == 0)
            return &names[i];
    return NULL;
}

static const struct option_name *find_letter(char letter, const struct option_name *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (names[i].letters != NULL && names[i].letters[0] == letter)
            return &names[i];
    return NULL;
}

/* Does a cluster of short options, as in -jb, take the next argument as a value? */
static int check_letters(const char *cluster, const struct option_name *names, size_t n,
                         bool *takes_next, struct err *err)
{
    *takes_next = false;
    for (; *cluster != '\0'; cluster++) {
        const struct option_name *found = find_letter(*cluster, names, n);
        if (found == NULL)
            return err_set(err, 0, "unknown option '-%c'", *cluster);
        if (found->has_value) {
            *takes_next = cluster[1] == '\0';
            return 0;
        }
    }
    return 0;
}

int option_names_check(int argc, char **argv, const struct option_name *names, size_t n,
                       struct err *err)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        bool takes_next = false;
        if (strcmp(word, "--") == 0)
            return 0;
        if (word[0] != '-' || word[1] == '\0')
            continue;
        if (word[1] != '-') {
            if (check_letters(word + 1, names, n, &takes_next, err) != 0)
                return -1;
        } else {
            size_t length = strcspn(word + 2, "=");
            const struct option_name *found = find_name(word + 2, length, names, n);
            if (found == NULL)
                return unknown(word + 2, length, names, n, err);
            bool has_value = word[2 + length] == '=';
            if (has_value && !found->has_value)
                return err_set(err, 0, "option '--%s' takes no value", found->name);
            takes_next = found->has_value && !has_value;
        }
        if (takes_next && i + 1 >= argc)
            return err_set(err, 0, "option '%s' needs a value", word);
        i += takes_next;
    }
    return 0;
}
