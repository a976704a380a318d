#include "fuzz/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/against.h"
#include "fuzz/random.h"
#include "jit/engine.h"
#include "util/files.h"
#include "util/fpenv.h"

enum {
    SHARE = 512, /* programs that an engine compiles before another takes its place */
    FEW = 16,    /* instructions whose bytes are looked at */
};

struct subject {
    struct fuzz_subject base;
    const struct world_set *set;
    struct fuzz_against *against;
    struct jit_engine *engine[JIT_LEVEL_COUNT][2];
    unsigned levels, compiled;
    uint64_t number; /* of keys */
    void *input, *expected, *got;
    uint8_t words[FUZZ_PROGRAM_BYTES], other[FUZZ_PROGRAM_BYTES];
};

static struct subject *subject_of(const struct fuzz_subject *s)
{
    return (struct subject *)(uintptr_t)s;
}

static struct fuzz_program_head head_of(const struct fuzz_case *c)
{
    struct fuzz_program_head head = {0};
    memcpy(&head, c->bytes, sizeof head);
    return head;
}

static uint32_t words_of(const struct world_set *set, const struct fuzz_case *c)
{
    const size_t bytes =
        c->size < sizeof(struct fuzz_program_head) ? 0 : c->size - sizeof(struct fuzz_program_head);
    return (uint32_t)(UTIL_MIN(bytes, (size_t)FUZZ_PROGRAM_BYTES) / set->isa->word_bytes);
}

static void put_case(const struct world_set *set, const struct fuzz_program_head *head, const void *words,
                     uint32_t count, struct fuzz_case *out)
{
    memcpy(out->bytes, head, sizeof *head);
    memcpy(out->bytes + sizeof *head, words, (size_t)count * set->isa->word_bytes);
    out->size = (uint32_t)sizeof *head + count * set->isa->word_bytes;
}

int fuzz_program_case(const struct world_set *set, const void *words, size_t bytes, struct fuzz_case *out)
{
    const struct fuzz_program_head head = {
        .mode = FUZZ_PROGRAM_ALL, .level = FUZZ_PROGRAM_ALL, .optimised = FUZZ_PROGRAM_ALL, .changed = 1};
    if (bytes > FUZZ_PROGRAM_BYTES)
        return -E2BIG;
    if (!bytes || bytes % set->isa->word_bytes)
        return -EINVAL;
    put_case(set, &head, words, (uint32_t)(bytes / set->isa->word_bytes), out);
    return 0;
}

/* ---- making ---- */

static void turn_any(const struct isa_set *isa, void *words, uint32_t count, uint64_t *seed)
{
    uint8_t *bytes = words;
    for (uint32_t n = random_turned(seed); n; n--) {
        uint32_t bit = (uint32_t)(random_next(seed) % (count * isa->word_bytes * 8ull));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

void fuzz_program_turn(const struct world_set *set, void *words, uint32_t count, uint64_t *seed)
{
    if (set->random.turn)
        set->random.turn(words, count, seed);
    else
        turn_any(set->isa, words, count, seed);
}

/* Some words of another program, in place of some of this or between them; or some left out. */
static uint32_t splice(struct subject *s, uint32_t count, const struct fuzz_case *from, struct isa_random *r)
{
    const uint32_t unit = s->set->isa->word_bytes, room = FUZZ_PROGRAM_BYTES / unit,
                   given = words_of(s->set, from);
    const uint32_t at = isa_random_below(r, count + 1), few = 1 + isa_random_below(r, 12),
                   some = isa_random_below(r, few), start = isa_random_below(r, given),
                   most = 1 + isa_random_below(r, 12);
    const uint32_t leave = UTIL_MIN(some, count - at), left = count - leave;
    uint32_t take = UTIL_MIN(most, given - start);
    take = UTIL_MIN(take, room - left);
    if (!left && !take)
        return count;
    memcpy(s->other, s->words + (size_t)(at + leave) * unit, (size_t)(left - at) * unit);
    memcpy(s->words + (size_t)at * unit,
           from->bytes + sizeof(struct fuzz_program_head) + (size_t)start * unit, (size_t)take * unit);
    memcpy(s->words + (size_t)(at + take) * unit, s->other, (size_t)(left - at) * unit);
    return left + take;
}

static uint32_t change(struct subject *s, const struct fuzz_corpus *corpus, struct isa_random *r)
{
    const struct fuzz_case *from = corpus->at[isa_random_below(r, corpus->count)];
    uint32_t count = words_of(s->set, from);
    if (!count)
        return 0;
    memcpy(s->words, from->bytes + sizeof(struct fuzz_program_head), (size_t)count * s->set->isa->word_bytes);
    for (uint32_t n = 1 + isa_random_below(r, 3); n; n--) {
        uint64_t seed = isa_random_next(r);
        if (isa_random_one_in(r, 2))
            fuzz_program_turn(s->set, s->words, count, &seed);
        else
            count = splice(s, count, corpus->at[isa_random_below(r, corpus->count)], r);
    }
    return count;
}

static void make(struct fuzz_subject *subject, struct isa_random *r, const struct fuzz_corpus *corpus,
                 struct fuzz_case *out)
{
    struct subject *s = subject_of(subject);
    const struct world_random *random = &s->set->random;
    const struct isa_set *isa = s->set->isa;
    const uint32_t kind = isa_random_below(r, 8);
    struct fuzz_program_head head = {.mode = (uint16_t)isa_random_below(r, world_modes(s->set)),
                                     .level = (uint8_t)isa_random_below(r, 6),
                                     .optimised = isa_random_below(r, 4) < random->optimised,
                                     .first = (uint8_t)isa_random_below(r, FUZZ_PROGRAM_INPUTS),
                                     .inputs = (uint8_t)random->inputs,
                                     .changed = kind > 2};
    uint32_t count = kind > 3 && corpus->count ? change(s, corpus, r) : 0;
    if (!count) {
        const uint32_t room = FUZZ_PROGRAM_BYTES / isa->word_bytes;
        count = isa->random(isa_random_next(r), random->profiles[isa_random_below(r, 12)], s->words,
                            UTIL_MIN(random->capacity, room));
        uint64_t seed = isa_random_next(r);
        if (head.changed)
            fuzz_program_turn(s->set, s->words, count, &seed);
    }
    put_case(s->set, &head, s->words, count, out);
}

/* ---- trying ---- */

/* Each level its share by what LLVM takes for it: narrow vectors are many instructions. */
static struct jit_engine *engine_of(struct subject *s, unsigned level, bool optimised)
{
    static const unsigned shares[] = {0, 1, 1, 2, 2, 2};
    level = UTIL_MIN(shares[level % UTIL_ARRAY_SIZE(shares)], s->levels - 1);
    struct jit_engine **engine = &s->engine[level][optimised];
    const struct jit_options options = {
        .level = (int)level, .optimize = optimised ? JIT_OPTIMISED : JIT_QUICK, .cache_dir = ""};
    if (s->compiled++ % SHARE == SHARE - 1)
        for (unsigned n = 0; n < JIT_LEVEL_COUNT * 2; n++) {
            jit_engine_destroy(s->engine[n / 2][n % 2]);
            s->engine[n / 2][n % 2] = NULL;
        }
    if (!*engine && jit_engine_create(&options, engine, NULL))
        abort();
    return *engine;
}

/* What differs is told on standard error by the worlds: here it becomes the finding's text. */
struct told {
    FILE *saved, *stream;
    char *text;
    size_t size;
};

static void listen_begin(struct told *t)
{
    *t = (struct told){.saved = stderr};
    t->stream = open_memstream(&t->text, &t->size);
    if (t->stream)
        stderr = t->stream;
}

static void listen_end(struct told *t, char text[FUZZ_TEXT_MAX])
{
    stderr = t->saved;
    if (t->stream)
        fclose(t->stream);
    snprintf(text, FUZZ_TEXT_MAX, "%s", t->text ? t->text : "");
    free(t->text);
}

static void ignore_breach(void *data, uint32_t pc, const char *rule, const char *source)
{
    *(size_t *)data += strlen(rule) + strlen(source) + pc;
}

static void ignore_finding(void *data, const struct isa_finding *finding)
{
    *(size_t *)data += strlen(finding->rule->name) + strlen(finding->detail) + finding->pc;
}

const char *fuzz_program_look(const struct world_set *set, const void *words, uint32_t count, unsigned stage,
                              unsigned *breaches)
{
    size_t sum = 0;
    *breaches = set->isa->check(words, count, ignore_breach, &sum);
    if (set->isa->lint(words, count, stage, ignore_finding, &sum))
        return "the linter failed";
    return set->returns(words, count) ? NULL : "";
}

static void look(struct subject *s, const void *words, uint32_t count, bool changed, bool features,
                 struct fuzz_result *out)
{
    unsigned breaches;
    for (uint32_t at = 0, length; features && at < count; at += length) {
        char line[ISA_LINE_MAX];
        length = s->set->isa->line(words, count, at, line); /* at least 1 */
        fuzz_feature_of_line(out, 1, line, strlen(line));
    }
    const char *wrong = fuzz_program_look(s->set, words, count, 0, &breaches);
    if (wrong)
        fuzz_find(out, "text", wrong);
    if (breaches && !changed)
        fuzz_find(out, "generator", "a program of the generator that the checker refuses");
}

static bool agrees_compiled(struct subject *s, void *program, const struct fuzz_program_head *head,
                            bool *executed, struct world_outcome *outcome)
{
    struct jit_engine *engine = engine_of(s, head->level, head->optimised);
    struct world_batch batch = {s->set, &program, 1, head->mode, executed};
    const uint64_t key[2] = {s->number++, head->mode};
    struct util_error error = {0};
    world_fn code;
    *executed = false;
    if (world_compile(engine, &batch, key, &code, &error))
        return world_differs("not compiled: %s", error.text);
    for (unsigned n = 0; *executed && n < (head->inputs ? head->inputs : FUZZ_PROGRAM_INPUTS); n++) {
        const unsigned seed = (head->first + n) % FUZZ_PROGRAM_INPUTS;
        s->set->fill(s->input, program, head->mode, seed);
        if (!world_compare(s->set, program, head->mode, code, 0, s->input, outcome))
            return world_differs("(%s, level %s, %s, input %u)", s->set->modes[head->mode],
                                 jit_level_name(jit_engine_level(engine)),
                                 head->optimised ? "optimised" : "quick", seed);
    }
    return true;
}

static bool agrees_with_other(struct subject *s, const void *words, uint32_t count, void *program,
                              const struct fuzz_program_head *head, bool *executed,
                              struct world_outcome *outcome, struct fuzz_result *out)
{
    *executed = false;
    for (unsigned n = 0; n < (head->inputs ? head->inputs : FUZZ_PROGRAM_INPUTS); n++) {
        const unsigned seed = (head->first + n) % FUZZ_PROGRAM_INPUTS;
        char text[256];
        s->set->fill(s->input, program, head->mode, seed);
        memcpy(s->expected, s->input, s->set->bytes);
        s->set->run(program, head->mode, s->expected);
        memcpy(s->got, s->expected, s->set->bytes);
        const enum fuzz_answer answer =
            fuzz_against_run(s->against, s->set, words, count, head->mode, s->input, s->got, text);
        if (answer == FUZZ_DECLINED)
            return true;
        if (answer == FUZZ_BROKEN)
            return !fuzz_find(out, "answer", text);
        *executed = true;
        s->set->count(s->expected, outcome);
        if (!s->set->same(program, head->mode, s->input, s->expected, s->got))
            return world_differs("(%s, input %u)", s->set->modes[head->mode], seed);
    }
    return true;
}

static bool try_once(struct subject *s, const void *words, uint32_t count, void *program,
                     const struct fuzz_program_head *head, bool features, struct fuzz_result *out)
{
    struct world_outcome outcome = {0};
    bool executed;
    const bool same = s->against ? agrees_with_other(s, words, count, program, head, &executed, &outcome, out)
                                 : agrees_compiled(s, program, head, &executed, &outcome);
    if (!same)
        fuzz_find(out, "differs", "");
    out->runs += outcome.lanes;
    out->faulted += outcome.faulted;
    if (features) {
        const char *mode = s->set->modes[head->mode];
        fuzz_feature_of_line(out, 2 + executed, mode, strlen(mode));
        if (outcome.faulted)
            fuzz_feature_of_line(out, 4, mode, strlen(mode));
        if (outcome.discarded)
            fuzz_feature_of_line(out, 5, mode, strlen(mode));
    }
    return same && executed;
}

static void try_modes(struct subject *s, const void *words, uint32_t count, void *program,
                      struct fuzz_program_head head, bool features, struct fuzz_result *out)
{
    const unsigned modes = world_modes(s->set);
    const bool all = head.mode == FUZZ_PROGRAM_ALL;
    bool any = false;
    for (unsigned mode = all ? 0 : head.mode % modes; mode < (all ? modes : head.mode % modes + 1); mode++) {
        const bool each = head.level == FUZZ_PROGRAM_ALL && !s->against;
        for (unsigned n = 0; n < (each ? s->levels * 2 : 1) && out->verdict != FUZZ_FINDING; n++) {
            struct fuzz_program_head one = head;
            one.mode = (uint16_t)mode;
            if (each) {
                one.level = (uint8_t)(n / 2 * 2); /* 0, 2, 4: shares of each level */
                one.optimised = n % 2;
            }
            one.optimised = one.optimised != 0;
            any |= try_once(s, words, count, program, &one, features, out);
        }
    }
    if (!any && out->verdict == FUZZ_AGREES)
        out->verdict = FUZZ_REFUSED;
}

static void attempt(struct fuzz_subject *subject, const struct fuzz_case *c, bool features,
                    struct fuzz_result *out)
{
    struct subject *s = subject_of(subject);
    const struct isa_set *isa = s->set->isa;
    const struct fuzz_program_head head = head_of(c);
    const uint32_t count = words_of(s->set, c);
    struct util_error error = {0};
    void *program;
    *out = (struct fuzz_result){0};
    if (!count) {
        out->verdict = FUZZ_REFUSED;
        return;
    }
    memcpy(s->words, c->bytes + sizeof head, (size_t)count * isa->word_bytes);
    struct told told;
    listen_begin(&told);
    const unsigned saved = util_fpenv_enter();
    look(s, s->words, count, head.changed, features, out);
    if (isa->create(s->words, count, &program, &error)) {
        if (features)
            fuzz_feature_of_line(out, 6, error.text, strlen(error.text));
        if (!head.changed)
            fuzz_find(out, "generator", "a program of the generator that is refused");
        else if (out->verdict == FUZZ_AGREES)
            out->verdict = FUZZ_REFUSED;
    } else {
        try_modes(s, s->words, count, program, head, features, out);
        isa->destroy(program);
    }
    util_fpenv_leave(saved);
    char text[FUZZ_TEXT_MAX];
    listen_end(&told, text);
    if (out->verdict == FUZZ_FINDING && !*out->text) {
        char kind[FUZZ_NAME_MAX];
        snprintf(kind, sizeof kind, "%s", out->name);
        out->verdict = FUZZ_AGREES;
        fuzz_find(out, kind, text);
    }
}

/* ---- smaller ---- */

/* Word at which instruction number `n` begins; how many there are when there is no such. */
static uint32_t insn_at(const struct isa_set *isa, const uint8_t *words, uint32_t count, uint32_t n,
                        uint32_t *insns)
{
    char line[ISA_LINE_MAX];
    uint32_t at = 0;
    for (*insns = 0; at < count && *insns < n; ++*insns)
        at += isa->line(words, count, at, line);
    return UTIL_MIN(at, count);
}

static uint32_t insns_of(const struct world_set *set, const struct fuzz_case *c)
{
    uint32_t insns;
    insn_at(set->isa, c->bytes + sizeof(struct fuzz_program_head), words_of(set, c), UINT32_MAX, &insns);
    return insns;
}

static uint32_t parts(const struct fuzz_subject *subject, const struct fuzz_case *c)
{
    return words_of(subject_of(subject)->set, c);
}

/* Instructions left out; of those that are few also bytes cleared. */
static uint32_t steps(const struct fuzz_subject *subject, const struct fuzz_case *c)
{
    const struct world_set *set = subject_of(subject)->set;
    const uint32_t insns = insns_of(set, c);
    return insns > FEW ? insns : insns + words_of(set, c) * set->isa->word_bytes;
}

static bool clear_bytes(const struct fuzz_case *c, uint32_t first, uint32_t count, struct fuzz_case *out)
{
    const size_t at = sizeof(struct fuzz_program_head) + first;
    *out = *c;
    for (size_t n = at; n < at + count && n < c->size; n++)
        out->bytes[n] = 0;
    return memcmp(out->bytes, c->bytes, c->size) != 0;
}

static bool leave_insns(const struct isa_set *isa, const struct fuzz_case *c, uint32_t all, uint32_t first,
                        uint32_t end, struct fuzz_case *out)
{
    const size_t head = sizeof(struct fuzz_program_head), unit = isa->word_bytes;
    uint32_t insns;
    const uint32_t from = insn_at(isa, c->bytes + head, all, first, &insns),
                   to = insn_at(isa, c->bytes + head, all, end, &insns);
    if (from >= to || to - from == all)
        return false;
    memcpy(out->bytes, c->bytes, head + from * unit);
    memcpy(out->bytes + head + from * unit, c->bytes + head + to * unit, (all - to) * unit);
    out->size = (uint32_t)(head + (all - (to - from)) * unit);
    return true;
}

static bool smaller(const struct fuzz_subject *subject, const struct fuzz_case *c, uint32_t first,
                    uint32_t count, struct fuzz_case *out)
{
    const struct world_set *set = subject_of(subject)->set;
    const uint32_t all = words_of(set, c), insns = insns_of(set, c);
    const bool done = first >= insns
                          ? clear_bytes(c, first - insns, count, out)
                          : leave_insns(set->isa, c, all, first, UTIL_MIN(first + count, insns), out);
    struct fuzz_program_head head = head_of(c);
    head.changed = 1;
    if (done)
        memcpy(out->bytes, &head, sizeof head);
    return done;
}

static int save(struct fuzz_subject *subject, const struct fuzz_case *c, const char *path,
                struct util_error *error)
{
    const struct subject *s = subject_of(subject);
    const size_t bytes = (size_t)words_of(s->set, c) * s->set->isa->word_bytes;
    FILE *file = util_fopen(path, "wb");
    if (!file)
        return util_fail(error, -errno, "%s: %s", path, strerror(errno));
    const bool bad = fwrite(c->bytes + sizeof(struct fuzz_program_head), 1, bytes, file) != bytes;
    return fclose(file) || bad ? util_fail(error, -EIO, "%s: cannot be written", path) : 0;
}

static void destroy(struct fuzz_subject *subject)
{
    struct subject *s = subject_of(subject);
    for (unsigned n = 0; n < JIT_LEVEL_COUNT * 2; n++)
        jit_engine_destroy(s->engine[n / 2][n % 2]);
    free(s->input);
    free(s->expected);
    free(s->got);
    free(s);
}

int fuzz_program_create(const struct world_set *set, struct fuzz_against *against, struct fuzz_subject **out,
                        struct util_error *error)
{
    static const struct fuzz_functions functions = {destroy, make, attempt, steps, smaller, parts, save};
    const size_t bytes = (set->bytes + 63) & ~(size_t)63;
    struct subject *s = calloc(1, sizeof *s);
    if (!s)
        return util_fail(error, -ENOMEM, "out of memory");
    *s = (struct subject){.base.functions = &functions, .set = set, .against = against};
    for (enum jit_level level = 0; level < JIT_LEVEL_COUNT && jit_level_supported(level); level++)
        s->levels++;
    s->input = aligned_alloc(64, bytes);
    s->expected = aligned_alloc(64, bytes);
    s->got = aligned_alloc(64, bytes);
    if (!s->input || !s->expected || !s->got || !s->levels) {
        destroy(&s->base);
        return util_fail(error, -ENOMEM, "out of memory");
    }
    *out = &s->base;
    return 0;
}
