/* Verification: every case's bytes, digested, against an independent reading. */
#include "config.h"

#include "measure/runner_state.h"

#include <inttypes.h>

/* The digest of a case's bytes by an independent reading; false when it cannot be had. */
static bool read_reference(struct runner_state *s, const struct run_case *c, uint64_t *digest)
{
    if (c->reference.run == NULL)
        return false;
    unsigned workers = c->reference_workers > 0 ? c->reference_workers : 1;
    struct trial trial = runner_trial(s, &c->reference, workers, 1);
    struct sample sample;
    struct err why = {0};
    runner_report(s, "verifying", c->reference.name, 0);
    if (trial_run(&trial, &sample, &why) != TRIAL_DONE || !sample.has_digest)
        return false;
    *digest = sample.digest;
    return true;
}

static int digest_case(struct runner_state *s, unsigned index)
{
    struct run_case *c = &s->run->cases[index];
    if (c->status != CASE_OK || c->verify.run == NULL)
        return 0;
    runner_report(s, "verifying", c->label, 0);
    struct trial trial = runner_case_trial(s, c, &c->verify, 1);
    struct sample sample;
    if (!runner_try(s, index, &trial, &sample))
        return runner_keep_unfinished(s, &sample, 0, index, true);
    c->has_digest = sample.has_digest;
    c->digest = sample.digest;
    if (c->kind == CASE_STRATEGY) /* a command's output says nothing of what it read */
        c->pass_bytes = sample.bytes;
    return 0;
}

/* Compares the digests of all cases with the same reference. When that reading itself does not come
 * out the same twice the source changed; where that is its nature nothing is verified and nobody is
 * to blame. */
static void verify_group(struct runner_state *s, unsigned first)
{
    struct run *run = s->run;
    uint64_t key = run->cases[first].reference_key, expected = 0, again = 0;
    if (!read_reference(s, &run->cases[first], &expected))
        return;
    bool differs = false;
    for (unsigned i = first; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        differs |= c->reference_key == key && c->has_digest && c->digest != expected;
    }
    bool changes = differs && read_reference(s, &run->cases[first], &again) && again != expected;
    if (runner_is_interrupted(s))
        return;
    if (changes && s->runner->volatile_source) {
        s->source_changes = true;
        return;
    }
    for (unsigned i = first; i < run->n_cases; i++) {
        struct run_case *c = &run->cases[i];
        if (c->reference_key != key || !c->has_digest)
            continue;
        c->verified = c->digest == expected ? VERIFIED_YES : VERIFIED_NO;
        if (c->verified == VERIFIED_NO)
            run_case_end(c, CASE_INVALID, "digest",
                         changes ? "the file changed while it was read"
                                 : "its bytes differ from those of the reference reading");
    }
}

static bool leads_group(const struct run *run, unsigned index)
{
    if (!run->cases[index].has_digest)
        return false;
    for (unsigned i = 0; i < index; i++)
        if (run->cases[i].has_digest &&
            run->cases[i].reference_key == run->cases[index].reference_key)
            return false;
    return true;
}

/* Digests every case's bytes and compares them with an independent reading of the same source. */
int runner_verify(struct runner_state *s)
{
    for (unsigned i = 0; i < s->run->n_cases && !runner_is_interrupted(s); i++)
        if (digest_case(s, i) != 0)
            return -1;
    for (unsigned i = 0; i < s->run->n_cases && !runner_is_interrupted(s); i++)
        if (leads_group(s->run, i))
            verify_group(s, i);
    if (s->source_changes)
        notes_add(&s->run->warnings, "source_changes", NULL,
                  "what is read changes from one reading to the next: it cannot be verified");
    return 0;
}

/* A server that answered nothing, or that is there no more. True: it was one. */
static bool check_server(struct run_case *c, struct sample *sample)
{
    const uint64_t *counter = sample->counter;
    bool lost = counter[COUNTER_LOST] > 0 && counter[COUNTER_LOST] >= counter[COUNTER_ESTABLISHED];
    if (counter[COUNTER_REQUESTS] > 0 && !lost)
        return false;
    if (counter[COUNTER_REQUESTS] == 0 && sample_failures(sample) == 0 && !lost)
        return false;
    sample->complete = false;
    if (counter[COUNTER_REQUESTS] > 0)
        run_case_end(c, CASE_FAILED, "server_gone",
                     "the server went away after %" PRIu64 " requests: connections were lost and "
                     "could not be made again",
                     counter[COUNTER_REQUESTS]);
    else
        run_case_end(c, CASE_FAILED, "no_answer",
                     "no request was answered: %" PRIu64 " were met by a close, %" PRIu64
                     " by a reset, %" PRIu64 " by silence",
                     counter[COUNTER_CLOSED], counter[COUNTER_RESET], counter[COUNTER_TIMEOUTS]);
    return true;
}

/* A load that compares what it gets has verified it, or found it wrong. */
void runner_check_itself(struct run_case *c, struct sample *sample)
{
    if (!c->judges_itself)
        return;
    const uint64_t *counter = sample->counter;
    uint64_t wrong = counter[COUNTER_WRONG] + counter[COUNTER_MALFORMED];
    if (wrong > 0) {
        c->verified = VERIFIED_NO;
        run_case_end(c, CASE_INVALID, "wrong_bytes",
                     counter[COUNTER_WRONG] > 0 ? "answers are not what was asked for, %" PRIu64
                                                  " times"
                                                : "answers are no HTTP, %" PRIu64 " times",
                     wrong);
    } else if (check_server(c, sample)) {
        return;
    } else if (c->verified == VERIFIED_UNKNOWN && counter[COUNTER_REQUESTS] > 0 &&
               c->params.value[KNOB_PROTOCOL] == PROTOCOL_RAW) {
        c->verified = VERIFIED_YES;
    }
}
