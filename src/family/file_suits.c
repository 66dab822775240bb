#include "config.h"

#include "family/file_suits.h"

/* Fails with the reason when the strategy's needs are not met by the file. */
static int check_needs(const struct file_work *work, const struct source_file *file,
                       struct err *why)
{
    unsigned needs = work->strategy->needs;
    const uint64_t *value = work->params.value;
    if (needs & NEED_SEEK && file->once)
        return err_set(why, 0, "'%s' is a %s: it has no position to read at", file->path,
                       file->filesystem);
    if (needs & NEED_MAP && file->volatile_size)
        return err_set(why, 0, "'%s' cannot be mapped: a file on %s does not tell its size",
                       file->path, file->filesystem);
    if (needs & NEED_MAP && !file->regular && !file->endless)
        return err_set(why, 0, "'%s' is a %s: it cannot be mapped", file->path, file->filesystem);
    if (needs & NEED_END && file->endless)
        return err_set(why, 0, "'%s' has no end, and %s keeps a whole line in memory", file->path,
                       work->strategy->name);
    if (needs & NEED_REGULAR && !file->regular)
        return err_set(why, 0, "'%s' is a %s and no regular file", file->path, file->filesystem);
    if (value[KNOB_THREADS] > 1 && file->size_bytes == UNKNOWN)
        return err_set(why, 0, "'%s' cannot be split between threads: its size is not known",
                       file->path);
    if (value[KNOB_PATTERN] != PATTERN_SEQUENTIAL && file->size_bytes == UNKNOWN)
        return err_set(why, 0, "'%s' can be read in sequence only: its size is not known",
                       file->path);
    if (value[KNOB_CACHE] == CACHE_COLD && !file->regular)
        return err_set(why, 0, "'%s' is a %s: it is never cold", file->path, file->filesystem);
    return 0;
}

static int check_file(const struct file_work *work, const struct source_file *file, struct err *why)
{
    if (check_needs(work, file, why) != 0)
        return -1;
    struct task task = file_task(work, file);
    return work->strategy->suits != NULL ? work->strategy->suits(&task, why) : 0;
}

static bool asks_for(const struct request *request, enum knob knob, uint64_t value)
{
    for (size_t i = 0; i < request->knobs[knob].n; i++)
        if (request->knobs[knob].values[i] == value)
            return true;
    return false;
}

void file_check_suits(struct run_case *c, const struct file_work *work,
                      const struct request *request)
{
    const struct strategy *strategy = work->strategy;
    struct err why = {0};
    if (strategy->probe != NULL && strategy->probe(&why) != 0) {
        run_case_end(c, CASE_SKIPPED, "unavailable", "%s", why.text);
        return;
    }
    if (strategy->needs & NEED_TOUCH && work->params.value[KNOB_CONSUME] == CONSUME_NONE) {
        run_case_end(c, CASE_SKIPPED, "consume",
                     "%s moves no byte that is not looked at: --consume=none leaves nothing to do",
                     strategy->name);
        return;
    }
    if (!(strategy->knobs & KNOB_BIT(KNOB_PATTERN)) &&
        !asks_for(request, KNOB_PATTERN, PATTERN_SEQUENTIAL)) {
        run_case_end(c, CASE_SKIPPED, "pattern", "%s reads in sequence only", strategy->name);
        return;
    }
    for (size_t i = 0; i < work->source->n; i++)
        if (check_file(work, &work->source->files[i], &why) != 0)
            run_case_end(c, CASE_SKIPPED, "source", "%s", why.text);
}
