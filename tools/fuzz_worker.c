/* A process of `vitrail fuzz`: makes cases and tries them, or makes one smaller. */
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fuzz/against.h"
#include "fuzz/program.h"
#include "fuzz/capture.h"
#include "gpu/lint.h"
#include "tools/decode.h"
#include "tools/family.h"
#include "tools/fuzz.h"
#include "tools/program.h"
#include "util/bits.h"

enum { SLICE_CASES = 300, SLICE_SECONDS = 30 };

/* ---- crashes ---- */

extern const char __executable_start[], etext[];
static struct fuzz_slot *crash_slot;

/* Where, by the innermost place in this program: compiled code and libraries have none. */
static void on_crash(int number)
{
    void *frames[32];
    const int count = backtrace(frames, 32);
    uintptr_t place = 0;
    for (int n = 2; n < count && !place; n++)
        if ((const char *)frames[n] >= __executable_start && (const char *)frames[n] < etext)
            place = (uintptr_t)frames[n] - (uintptr_t)__executable_start;
    if (place)
        snprintf(crash_slot->crash, FUZZ_NAME_MAX, "%s at vitrail+x%zx", strsignal(number), (size_t)place);
    else
        snprintf(crash_slot->crash, FUZZ_NAME_MAX, "%s in compiled code or a library", strsignal(number));
    _exit(FUZZ_EXIT_CRASHED);
}

static void catch_crashes(struct fuzz_slot *slot)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static uint8_t stack[1 << 16];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    void *frames[2];
    backtrace(frames, 2); /* loads what it needs, while that can be loaded */
    crash_slot = slot;
    sigaltstack(&own, NULL);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(numbers); n++)
        sigaction(numbers[n], &action, NULL);
}

/* ---- telling ---- */

static void tell(int pipe, enum fuzz_message_kind kind, const struct fuzz_case *one,
                 const struct fuzz_result *r)
{
    struct fuzz_message m = {
        .kind = kind, .case_bytes = one->size, .features = kind == FUZZ_NOTABLE ? r->feature_count : 0};
    memcpy(m.name, r->name, sizeof m.name);
    memcpy(m.text, r->text, sizeof m.text);
    tool_tell(pipe, &m, sizeof m);
    tool_tell(pipe, one->bytes, one->size);
    tool_tell(pipe, r->features, m.features * sizeof *r->features);
}

/* Nothing that a case has to do with: the whole command ends. */
static _Noreturn void fail(const struct fuzz_order *o, int status, const char *text)
{
    struct fuzz_message m = {.kind = FUZZ_FAILED, .status = (uint32_t)status};
    snprintf(m.text, sizeof m.text, "%s", text);
    tool_tell(o->pipe, &m, sizeof m);
    _exit(status);
}

/* ---- trying ---- */

static void attempt(const struct fuzz_order *o, struct fuzz_subject *s, bool features, struct fuzz_result *r)
{
    struct fuzz_slot *slot = o->slot;
    atomic_fetch_add(&slot->step, 1);
    s->functions->attempt(s, &slot->now, features, r);
    atomic_fetch_add(&slot->step, 1);
}

static void count_fault(struct fuzz_slot *slot, const char *name)
{
    uint32_t n = 0;
    while (n < slot->fault_count && strcmp(slot->faults[n].name, name) != 0)
        n++;
    if (n == FUZZ_FAULT_KINDS)
        return;
    if (n == slot->fault_count)
        snprintf(slot->faults[slot->fault_count++].name, FUZZ_NAME_MAX, "%s", name);
    slot->faults[n].count++;
}

static void count(struct fuzz_slot *slot, const struct fuzz_result *r)
{
    slot->counts.cases++;
    slot->counts.refused += r->verdict == FUZZ_REFUSED;
    slot->counts.runs += r->runs;
    slot->counts.faulted += r->faulted;
    for (uint32_t n = 0; n < r->fault_count; n++)
        count_fault(slot, r->faults[n]);
}

/* Only what is new is told, and known from now on. */
static bool keep_new(struct fuzz_features *known, struct fuzz_result *r)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < r->feature_count; n++)
        if (fuzz_features_add(known, r->features[n]))
            r->features[kept++] = r->features[n];
    r->feature_count = kept;
    return kept;
}

/* Behind a sandbox no process can be started: the next worker starts the other side again. */
static void end_if_broken(const struct fuzz_against *against)
{
    if (!fuzz_against_is_broken(against))
        return;
    util_sandbox_leave();
    _exit(FUZZ_EXIT_BROKEN);
}

static void slice(const struct fuzz_order *o, struct fuzz_subject *s, const struct fuzz_against *against)
{
    static struct fuzz_result result;
    const struct fuzz_campaign *c = o->campaign;
    struct fuzz_features known = c->features; /* forked: its memory is a copy */
    struct fuzz_corpus corpus = {(const struct fuzz_case *const *)c->corpus.at, c->corpus.count};
    struct isa_random r = {c->options->seed * 0x9e3779b97f4a7c15u + o->slice};
    const double begun = tool_seconds();
    for (unsigned n = 0;
         n < SLICE_CASES && tool_seconds() - begun < SLICE_SECONDS && !atomic_load(&o->slot->stop); n++) {
        struct isa_random own = {isa_random_next(&r)};
        s->functions->make(s, &own, &corpus, &o->slot->now);
        attempt(o, s, true, &result);
        count(o->slot, &result);
        if (result.verdict == FUZZ_FINDING)
            tell(o->pipe, FUZZ_FOUND, &o->slot->now, &result);
        if (result.verdict != FUZZ_FINDING && keep_new(&known, &result))
            tell(o->pipe, FUZZ_NOTABLE, &o->slot->now, &result);
        end_if_broken(against);
    }
}

/* ---- smaller ---- */

/* Whether the case that is tried still shows the finding. */
static bool shows(const struct fuzz_order *o, struct fuzz_subject *s)
{
    static struct fuzz_result result;
    attempt(o, s, false, &result);
    return result.verdict == FUZZ_FINDING && !strcmp(result.name, o->slot->reduce.name);
}

/* Leaves out parts, first many at a time, as long as the finding stays. Where it stands is in the slot, so that a process that
 * a case ended is followed by another; who looks after them has then taken the case over if that was the finding. */
static void reduce(const struct fuzz_order *o, struct fuzz_subject *s, const struct fuzz_against *against)
{
    struct fuzz_slot *slot = o->slot;
    if (!slot->reduce.begun) {
        slot->now = slot->reduce.best;
        slot->reduce.before = slot->reduce.parts = s->functions->parts(s, &slot->now);
        slot->reduce.chunk = (s->functions->steps(s, &slot->now) + 1) / 2;
        slot->reduce.begun = true;
        slot->reduce.reproduced = shows(o, s) || slot->reduce.reproduced;
        if (!slot->reduce.reproduced)
            slot->reduce.done = true;
        end_if_broken(against);
    }
    while (!slot->reduce.done && !atomic_load(&slot->stop)) {
        const uint32_t steps = s->functions->steps(s, &slot->reduce.best);
        const uint32_t at = slot->reduce.at,
                       chunk = UTIL_MIN(slot->reduce.chunk, steps > at ? steps - at : 0);
        slot->reduce.parts = s->functions->parts(s, &slot->reduce.best);
        if (!chunk) {
            slot->reduce.done = slot->reduce.chunk <= 1;
            slot->reduce.chunk = (slot->reduce.chunk + 1) / 2;
            slot->reduce.at = 0;
            continue;
        }
        slot->reduce.at = at + chunk; /* should this one end the process */
        if (!s->functions->smaller(s, &slot->reduce.best, at, chunk, &slot->now))
            continue;
        if (shows(o, s)) {
            const uint32_t left = s->functions->steps(s, &slot->now);
            slot->reduce.best = slot->now;
            if (left < steps)
                slot->reduce.at = at;
        }
        end_if_broken(against);
    }
    struct util_error error = {0};
    if (s->functions->save(s, &slot->reduce.best, o->path, &error))
        fail(o, TOOL_HOST, error.text);
}

/* ---- the process ---- */

/* What listing and linter say: a line without its numbers is a state or a row of a table that is met. */
static void note_finding(void *data, const struct gpu_lint_finding *finding)
{
    fuzz_feature_of_line(data, 11, finding->rule->name, strlen(finding->rule->name));
}

static void look(struct capture_reader *reader, struct fuzz_result *out)
{
    const struct decode_options decode = {.path = "capture"};
    struct gpu_lint_summary summary;
    struct capture_info info;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        decode_reader(&decode, reader, stream);
        fclose(stream);
    }
    for (const char *at = text; at && *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0))
        fuzz_feature_of_line(out, 10, at, strcspn(at, "\n"));
    free(text);
    capture_reader_rewind(reader);
    capture_reader_info(reader, &info);
    const struct tool_family *family = tool_family_of(info.gpu);
    if (family)
        gpu_lint_capture(family->lint, reader, note_finding, out, &summary, NULL);
}

static int open_subject(const struct fuzz_order *o, struct fuzz_against *against, struct fuzz_subject **out,
                        struct util_error *error)
{
    const struct fuzz_options *options = o->campaign->options;
    uint8_t *bytes;
    size_t size;
    if (options->set)
        return fuzz_program_create(world_find(options->set), against, out, error);
    if (!tool_read_file("fuzz", options->capture, &bytes, &size))
        return util_fail(error, -EBADMSG, "no capture");
    return fuzz_capture_create(bytes, size, look, out, error);
}

static void again(const struct fuzz_order *o, struct fuzz_subject *s)
{
    static struct fuzz_result result;
    const struct fuzz_options *options = o->campaign->options;
    const struct world_set *set = options->set ? world_find(options->set) : NULL;
    uint8_t *words;
    size_t size;
    if (!set) {
        fuzz_capture_case(s, &o->slot->now);
    } else {
        const int code = tool_read_program("fuzz", set->isa, options->again, &words, &size);
        if (code)
            fail(o, code, ""); /* was told */
        if (fuzz_program_case(set, words, size, &o->slot->now))
            fail(o, TOOL_BAD_FILE, "that is no program, or too long a one");
        free(words);
    }
    attempt(o, s, false, &result);
    count(o->slot, &result);
    if (result.verdict == FUZZ_FINDING)
        tell(o->pipe, FUZZ_FOUND, &o->slot->now, &result);
}

_Noreturn void fuzz_work(const struct fuzz_order *o)
{
    const struct fuzz_options *options = o->campaign->options;
    struct tool_device_options device = options->device;
    struct tool_sandbox sandbox = {.name = "fuzz", .off = device.no_sandbox};
    struct fuzz_against *against = NULL;
    struct fuzz_subject *subject = NULL;
    struct util_error error = {0};
    if (options->against && fuzz_against_create(options->against, &against))
        fail(o, TOOL_HOST, "the other side cannot be started");
    tool_sandbox_reads(&sandbox, o->task == FUZZ_TASK_AGAIN ? options->again : options->capture);
    if (o->path)
        tool_sandbox_writes(&sandbox, o->path);
    catch_crashes(o->slot);
    if (tool_sandbox_enter(&sandbox))
        fail(o, TOOL_HOST, "no sandbox");
    const int err = open_subject(o, against, &subject, &error);
    if (err)
        fail(o, err == -EBADMSG || err == -ENOTSUP || err == -E2BIG ? TOOL_BAD_FILE : TOOL_HOST, error.text);
    if (o->task == FUZZ_TASK_SLICE)
        slice(o, subject, against);
    else if (o->task == FUZZ_TASK_REDUCE)
        reduce(o, subject, against);
    else
        again(o, subject);
    fuzz_against_destroy(against);
    util_sandbox_leave();
    _exit(FUZZ_EXIT_DONE);
}
