#include "config.h"

#include "measure/tree.h"

#include "base/clock.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct process {
    pid_t pid, parent;
    bool member;
};

/* The parent stands behind the name, which may hold anything, brackets as well. */
static pid_t parent_of(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *stat = fopen(path, "re");
    if (stat == NULL)
        return 0;
    size_t n = fread(line, 1, sizeof line - 1, stat);
    fclose(stat);
    line[n] = '\0';
    const char *name_end = strrchr(line, ')');
    int parent = 0;
    return name_end != NULL && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static struct process *list_processes(size_t *n)
{
    DIR *proc = opendir("/proc");
    struct process *all = NULL;
    size_t room = 0;
    *n = 0;
    for (struct dirent *entry; proc != NULL && (entry = readdir(proc)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0)
            continue;
        if (*n == room) {
            room = room > 0 ? 2 * room : 256;
            struct process *more = realloc(all, room * sizeof *more);
            if (more == NULL)
                break;
            all = more;
        }
        all[(*n)++] = (struct process){pid, parent_of(pid), false};
    }
    if (proc != NULL)
        closedir(proc);
    return all;
}

/* Marks all descendants; parents may stand behind their children. */
static void find_members(struct process *all, size_t n, pid_t root)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < n; i++) {
            bool below = all[i].parent == root;
            for (size_t j = 0; j < n && !below && !all[i].member; j++)
                below = all[j].member && all[j].pid == all[i].parent;
            if (below && !all[i].member)
                found = all[i].member = true;
        }
    }
}

static void add_memory(pid_t pid, struct tree *tree)
{
    char path[64], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "re");
    while (status != NULL && getline(&line, &room, status) > 0) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            tree->peak_rss_bytes += strtoull(line + 6, NULL, 10) * 1024;
    }
    free(line);
    if (status != NULL)
        fclose(status);
}

void tree_look(pid_t root, struct tree *tree)
{
    size_t n;
    struct process *all = list_processes(&n);
    find_members(all, n, root);
    *tree = (struct tree){0};
    for (size_t i = 0; i < n; i++) {
        if (!all[i].member)
            continue;
        tree->processes++;
        tree->cpu_ns += clock_cpu_ns_of(all[i].pid);
        add_memory(all[i].pid, tree);
    }
    free(all);
}

unsigned tree_signal(pid_t root, int signal_number)
{
    size_t n;
    unsigned sent = 0;
    struct process *all = list_processes(&n);
    find_members(all, n, root);
    for (size_t i = 0; i < n; i++)
        sent += all[i].member && kill(all[i].pid, signal_number) == 0;
    free(all);
    return sent;
}
