#include "config.h"

#include "family/file_part.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* Slices begin at multiples of this, so that no two workers share a page. */
enum { SLICE_ALIGNMENT = 4096 };

/* The digest of the whole work, whatever its slices: workers take turns, file by file. */
struct relay {
    XXH3_state_t *hash;
    _Atomic uint64_t turn;
    _Atomic bool failed;
};

struct file_state {
    struct task *tasks; /* one a file */
    size_t n_tasks;
    struct relay relay; /* worker 0's is the one in use */
    const struct strategy *strategy;
    void *strategy_state;
    bool set_up;
};

/* From where, and how much, worker reads of a file. The last one reads to the end when no limit was
 * given, and so meets it as every program does. */
static void slice(const struct file_work *work, const struct source_file *file,
                  const struct seat *seat, struct task *task)
{
    uint64_t begin = work->params.value[KNOB_OFFSET] + file->skip_bytes;
    uint64_t limit = work->params.value[KNOB_BYTES];
    task->offset = begin;
    task->length = limit != PARAM_NONE ? limit : NO_LIMIT;
    uint64_t total = file->size_bytes > begin ? file->size_bytes - begin : 0;
    if (limit < total)
        total = limit;
    if (work->params.value[KNOB_PATTERN] != PATTERN_SEQUENTIAL)
        task->length = total; /* an order needs an end */
    if (seat->workers == 1)
        return;
    uint64_t share = total / seat->workers / SLICE_ALIGNMENT * SLICE_ALIGNMENT;
    task->offset += share * seat->worker;
    if (seat->worker + 1 < seat->workers)
        task->length = share;
    else if (task->length != NO_LIMIT)
        task->length -= share * seat->worker;
}

struct task file_task(const struct file_work *work, const struct source_file *file)
{
    static const struct seat alone = {.workers = 1};
    struct task task = {.params = &work->params,
                        .name = file->path,
                        .open_path = file->open_path,
                        .fd = file->fd,
                        .seed = work->seed,
                        .sink = {(enum consume)work->params.value[KNOB_CONSUME], NULL}};
    slice(work, file, &alone, &task);
    return task;
}

int file_prepare_cache(enum cache cache, bool keep_warm, const struct source *source,
                       struct err *err)
{
    for (size_t i = 0; i < source->n; i++) {
        if (cache == CACHE_COLD && source_drop_cache(&source->files[i], err) != 0)
            return -1;
        if (cache == CACHE_WARM && keep_warm && source_warm_cache(&source->files[i], err) != 0)
            return -1;
    }
    return 0;
}

static int prepare(const void *arg, struct err *err)
{
    const struct file_work *work = arg;
    return file_prepare_cache((enum cache)work->params.value[KNOB_CACHE], work->keep_warm,
                              work->source, err);
}

static int setup(void *opaque, const void *arg, const struct seat *seat, struct err *err)
{
    struct file_state *state = opaque;
    const struct file_work *work = arg;
    const struct strategy *strategy = work->strategy;
    state->strategy = strategy;
    state->n_tasks = work->source->n;
    state->tasks = calloc(state->n_tasks, sizeof *state->tasks);
    state->strategy_state = calloc(1, strategy->state_size > 0 ? strategy->state_size : 1);
    enum consume how = (enum consume)work->params.value[KNOB_CONSUME];
    if (how == CONSUME_DIGEST && seat->worker == 0)
        state->relay.hash = XXH3_createState();
    if (state->tasks == NULL || state->strategy_state == NULL)
        return err_set(err, errno, "cannot set up worker %u", seat->worker);

    struct relay *relay = &((struct file_state *)seat->first)->relay;
    if (how == CONSUME_DIGEST) {
        if (relay->hash == NULL)
            return err_set(err, ENOMEM, "cannot set up a digest");
        if (seat->worker == 0)
            XXH3_64bits_reset(relay->hash);
    }
    for (size_t i = 0; i < state->n_tasks; i++) {
        const struct source_file *file = &work->source->files[i];
        state->tasks[i] = file_task(work, file);
        state->tasks[i].sink.hash = relay->hash;
        slice(work, file, seat, &state->tasks[i]);
    }
    state->set_up = true;
    return strategy->setup == NULL ? 0
                                   : strategy->setup(state->strategy_state, &state->tasks[0], err);
}

/* A pass over one file while it is this worker's turn to digest. */
static int digest_in_turn(struct file_state *state, struct relay *relay, const struct seat *seat,
                          size_t file, struct tally *tally, struct err *err)
{
    uint64_t mine = (uint64_t)file * seat->workers + seat->worker;
    while (atomic_load(&relay->turn) != mine && !atomic_load(&relay->failed))
        sched_yield();
    if (atomic_load(&relay->failed))
        return 0; /* the one that failed says why */
    int status = state->strategy->pass(state->strategy_state, &state->tasks[file], tally, err);
    if (status != 0)
        atomic_store(&relay->failed, true);
    if (mine + 1 == (uint64_t)state->n_tasks * seat->workers) {
        tally->digest = XXH3_64bits_digest(relay->hash);
        tally->has_digest = true;
    }
    atomic_store(&relay->turn, mine + 1);
    return status;
}

static int run(void *opaque, const void *arg, const struct seat *seat, uint64_t passes,
               struct tally *tally, struct err *err)
{
    struct file_state *state = opaque;
    const struct file_work *work = arg;
    bool digesting = work->params.value[KNOB_CONSUME] == CONSUME_DIGEST;
    struct relay *relay = &((struct file_state *)seat->first)->relay;
    for (uint64_t p = 0; p < passes && !atomic_load_explicit(seat->stop, memory_order_relaxed);
         p++) {
        for (size_t i = 0; i < state->n_tasks; i++) {
            int status = digesting ? digest_in_turn(state, relay, seat, i, tally, err)
                                   : state->strategy->pass(state->strategy_state, &state->tasks[i],
                                                           tally, err);
            if (status != 0)
                return -1;
        }
        tally->passes++;
    }
    return 0;
}

static void teardown(void *opaque)
{
    struct file_state *state = opaque;
    if (state->set_up && state->strategy->teardown != NULL)
        state->strategy->teardown(state->strategy_state);
    if (state->relay.hash != NULL)
        XXH3_freeState(state->relay.hash);
    free(state->strategy_state);
    free(state->tasks);
}

struct part file_part(const struct file_work *work)
{
    return (struct part){.name = work->strategy->name,
                         .state_size = sizeof(struct file_state),
                         .arg = work,
                         .prepare = prepare,
                         .setup = setup,
                         .run = run,
                         .teardown = teardown};
}
