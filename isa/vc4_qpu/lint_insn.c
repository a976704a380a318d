/* What one instruction does to the linter's state, and what is wrong with it there. */
#include <string.h>

#include "isa/vc4_qpu/lint_internal.h"
#include "util/bits.h"

#define QUEUE_SLOTS   8 /* of a TMU's request queue (Guide section 4, QPU Interface) */
#define QUEUE_LOOKUPS 4 /* memory lookups that work reliably (vc4asm's addendum) */
#define SLOTS_MAX     4 /* that one request takes */

#define RULE(name) VC4_QPU_LINT_##name

/* ---- spans ---- */

static uint8_t plus(uint8_t a, unsigned b)
{
    return (uint8_t)UTIL_MIN(a + b, (unsigned)LINT_MANY);
}

static uint8_t minus(uint8_t a, unsigned b)
{
    return a == LINT_MANY ? a : a > b ? (uint8_t)(a - b) : 0;
}

static void span_add(struct vc4_qpu_lint_span *span, unsigned min, unsigned max)
{
    span->min = plus(span->min, min);
    span->max = plus(span->max, max);
}

/* One is taken away. The lower end is exact even when it stood for "many". */
static void span_take(struct vc4_qpu_lint_span *span)
{
    span->min = span->min ? (uint8_t)(span->min - 1) : 0;
    span->max = minus(span->max, 1);
}

/* ---- events ---- */

static void happens(struct vc4_qpu_lint_state *s, uint32_t events)
{
    s->may |= events;
    s->must |= events;
}

static void ends(struct vc4_qpu_lint_state *s, uint32_t events)
{
    s->may &= ~events;
    s->must &= ~events;
}

/* ---- registers ---- */

static void place_name(unsigned place, char text[8])
{
    static const char *const kinds[] = {"ra", "rb", "r"};
    if (place == LINT_FLAGS) {
        memcpy(text, "flags", 6);
        return;
    }
    const char *kind = kinds[place / 32];
    unsigned number = place % 32, at = 0;
    while (*kind)
        text[at++] = *kind++;
    if (number >= 10)
        text[at++] = (char)('0' + number / 10);
    text[at++] = (char)('0' + number % 10);
    text[at] = 0;
}

static void report_place(struct vc4_qpu_lint *lint, uint32_t pc, enum vc4_qpu_lint_rule rule, unsigned place)
{
    char name[8];
    place_name(place, name);
    vc4_qpu_lint_report(lint, pc, rule, "%s", name);
}

static void step_registers(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    struct vc4_qpu_lint_facts facts;
    vc4_qpu_lint_facts(&lint->program->insns[pc], &facts);
    for (unsigned place = 0; lint->report && place < LINT_PLACES; place++) {
        if (!vc4_qpu_lint_has(&facts.reads, place))
            continue;
        bool known = vc4_qpu_lint_has(&s->written, place), lost = vc4_qpu_lint_has(&s->lost, place);
        if (lost)
            report_place(lint, pc, RULE(LOST_IN_SWITCH), place);
        else if (!known)
            report_place(lint, pc, RULE(UNWRITTEN), place);
        else if (vc4_qpu_lint_has(&s->unwritten, place))
            report_place(lint, pc, RULE(PARTLY_UNWRITTEN), place);
    }
    for (unsigned i = 0; i < 2; i++) {
        s->written.bits[i] |= facts.writes.bits[i];
        s->unwritten.bits[i] &= ~facts.writes.bits[i];
        s->lost.bits[i] &= ~facts.writes.bits[i];
    }
}

/* Accumulators and flags stand for nothing once the switch takes effect, behind its two delay slots. */
static void step_switch(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &lint->program->insns[pc];
    if (s->switching && !--s->switching) {
        const uint64_t gone = (1ull << (LINT_PLACES - LINT_ACC)) - 1;
        s->lost.bits[1] |= gone & s->written.bits[1];
        s->written.bits[1] &= ~gone;
        ends(s, LINT_FRESH0 | LINT_FRESH1);
    }
    if (!vc4_qpu_lint_switches(insn))
        return;
    if (s->may & LINT_LAST)
        vc4_qpu_lint_found(lint, pc, RULE(SWITCH_AFTER_LAST));
    if (insn->sig == VC4_QPU_SIG_LAST_THREAD_SWITCH)
        happens(s, LINT_LAST);
    s->switching = 2;
}

/* ---- texture and memory lookup ---- */

static void step_request(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    uint32_t number = lint->sample_of[pc];
    if (number == VC4_QPU_NO_OFFSET)
        return;
    const struct vc4_qpu_sample *sample = &lint->program->samples[number];
    unsigned unit = sample->unit, slots = sample->direct ? 1 : sample->param_count;
    unsigned limit = lint->program->is_threaded ? QUEUE_SLOTS / 2 : QUEUE_SLOTS;
    if (!s->results[unit].max)
        happens(s, LINT_FRESH0 << unit);
    /* 64-bit texels are fetched in two halves (Guide section 4): each request has one result, or two. */
    span_add(&s->results[unit], 1, sample->direct ? 1 : 2);
    span_add(&s->lookups[unit], sample->direct, sample->direct);
    s->slots[unit] = plus(s->slots[unit], slots);
    if (s->slots[unit] > limit)
        vc4_qpu_lint_report(lint, pc, RULE(TMU_OVERFLOW), "TMU%u: at least %u of %u", unit, s->slots[unit],
                            limit);
    if (s->lookups[unit].min > QUEUE_LOOKUPS)
        vc4_qpu_lint_report(lint, pc, RULE(TMU_DIRECT_DEPTH), "TMU%u: at least %u", unit,
                            s->lookups[unit].min);
}

static void step_fetch(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    unsigned sig = lint->program->insns[pc].sig, unit = sig == VC4_QPU_SIG_LOAD_TMU1;
    if (sig != VC4_QPU_SIG_LOAD_TMU0 && sig != VC4_QPU_SIG_LOAD_TMU1)
        return;
    if (!s->results[unit].max)
        vc4_qpu_lint_report(lint, pc, RULE(TMU_EMPTY), "TMU%u", unit);
    else if (lint->program->is_threaded && s->must & LINT_FRESH0 << unit)
        vc4_qpu_lint_report(lint, pc, RULE(TMU_NO_SWITCH), "TMU%u", unit);
    span_take(&s->results[unit]);
    span_take(&s->lookups[unit]);
    s->slots[unit] = s->slots[unit] > SLOTS_MAX ? (uint8_t)(s->slots[unit] - SLOTS_MAX) : 0;
}

/* ---- tile buffer ---- */

static void step_tile(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &lint->program->insns[pc];
    bool color = vc4_qpu_lint_writes(insn, VC4_QPU_W_TLB_COLOR_MS) ||
                 vc4_qpu_lint_writes(insn, VC4_QPU_W_TLB_COLOR_ALL);
    bool accesses = vc4_qpu_lint_writes_tlb(insn) || vc4_qpu_lint_loads_tlb(insn);
    if (vc4_qpu_lint_writes(insn, VC4_QPU_W_TLB_Z) && s->may & LINT_COLOR)
        vc4_qpu_lint_found(lint, pc, RULE(Z_AFTER_COLOR));
    if (accesses && s->may & LINT_UNLOCKED)
        vc4_qpu_lint_found(lint, pc, RULE(AFTER_UNLOCK));
    if (color)
        happens(s, LINT_COLOR);
    if (accesses)
        happens(s, LINT_TILE);
    if (insn->sig == VC4_QPU_SIG_SCOREBOARD_UNLOCK)
        happens(s, LINT_UNLOCKED);
    if (vc4_qpu_reads(insn, VC4_QPU_R_VARYING))
        span_add(&s->varyings, 1, 1);
}

/* ---- vertex memory and DMA ---- */

/* Guide tables 33, 36 and 37. */
static void step_read_setup(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    uint32_t word;
    if (!vc4_qpu_lint_immediate(&lint->program->insns[pc], &word)) {
        happens(s, LINT_LOAD_SETUP);
        s->queued = (struct vc4_qpu_lint_span){0, LINT_MANY};
        s->old_queued = LINT_MANY;
        return;
    }
    if (word >> 31) {
        if (word >> 28 != 9)
            happens(s, LINT_LOAD_SETUP);
        return;
    }
    if (word >> 30 || util_bits(word, 8, 2) == 3)
        vc4_qpu_lint_report(lint, pc, RULE(VPM_SETUP_RESERVED), "0x%08x", word);
    if (s->queued.min > 1)
        vc4_qpu_lint_report(lint, pc, RULE(VPM_SETUP_BUSY), "at least %u unread", s->queued.min);
    unsigned number = (unsigned)util_bits(word, 20, 4);
    s->old_queued = s->queued.max;
    span_add(&s->queued, number ? number : 16, number ? number : 16);
    s->since_setup = 0;
}

/* Guide tables 32, 34 and 35. */
static void step_write_setup(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    uint32_t word;
    bool reserved = false;
    if (!vc4_qpu_lint_immediate(&lint->program->insns[pc], &word)) {
        happens(s, LINT_VPM_WRITE | LINT_STORE_SETUP | LINT_ODD_ROWS);
        return;
    }
    switch (word >> 30) {
    case 0:
        reserved = util_bits(word, 8, 2) == 3;
        happens(s, LINT_VPM_WRITE);
        if ((word & 0xf00) != 0xa00)
            happens(s, LINT_ODD_ROWS);
        break;
    case 1: reserved = true; break;
    case 2:
        reserved = (word & 7) == 1 || util_bits(word, 15, 1);
        happens(s, LINT_STORE_SETUP);
        if (util_bits(word, 7, 7) >= 64)
            vc4_qpu_lint_report(lint, pc, RULE(VPM_UPPER_ROWS), "row %u", (unsigned)util_bits(word, 7, 7));
        break;
    default: break;
    }
    if (reserved)
        vc4_qpu_lint_report(lint, pc, RULE(VPM_SETUP_RESERVED), "0x%08x", word);
}

static void step_dma(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc, bool store)
{
    const struct vc4_qpu_insn *insn = &lint->program->insns[pc];
    uint32_t setup = store ? LINT_STORE_SETUP : LINT_LOAD_SETUP, busy = store ? LINT_STORING : LINT_LOADING;
    bool waits = store
                     ? vc4_qpu_reads_b(insn, VC4_QPU_R_VPM_WAIT) || vc4_qpu_reads_b(insn, VC4_QPU_R_VPM_BUSY)
                     : vc4_qpu_reads_a(insn, VC4_QPU_R_VPM_WAIT) || vc4_qpu_reads_a(insn, VC4_QPU_R_VPM_BUSY);
    bool starts = store ? vc4_qpu_lint_writes_b(insn, VC4_QPU_W_VPM_ADDR)
                        : vc4_qpu_lint_writes_a(insn, VC4_QPU_W_VPM_ADDR);
    if (waits)
        ends(s, busy);
    if (!starts)
        return;
    if (!(s->must & setup))
        vc4_qpu_lint_report(lint, pc, RULE(DMA_UNSET), "%s", store ? "store" : "load");
    if (s->may & busy)
        vc4_qpu_lint_report(lint, pc, RULE(DMA_BUSY), "%s", store ? "store" : "load");
    happens(s, busy);
}

static void step_vpm_read(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    if (!s->queued.max)
        vc4_qpu_lint_found(lint, pc, RULE(VPM_READ_EMPTY));
    else if (!s->old_queued && s->since_setup < 2)
        vc4_qpu_lint_report(lint, pc, RULE(VPM_READ_EARLY), "%u after it", s->since_setup + 1u);
    s->since_setup = 2; /* told once a set-up */
    span_take(&s->queued);
    span_add(&s->rows_in, 1, 1);
    s->old_queued = minus(s->old_queued, 1);
}

static void step_vpm(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &lint->program->insns[pc];
    bool setup = vc4_qpu_lint_writes_a(insn, VC4_QPU_W_VPM_SETUP);
    if (vc4_qpu_reads_a(insn, VC4_QPU_R_VPM) || vc4_qpu_reads_b(insn, VC4_QPU_R_VPM))
        step_vpm_read(lint, s, pc);
    if (vc4_qpu_lint_writes(insn, VC4_QPU_W_VPM)) {
        if (!(s->must & LINT_VPM_WRITE))
            vc4_qpu_lint_found(lint, pc, RULE(VPM_WRITE_UNSET));
        span_add(&s->rows_out, 1, 1);
    }
    step_dma(lint, s, pc, false);
    step_dma(lint, s, pc, true);
    if (vc4_qpu_lint_writes_b(insn, VC4_QPU_W_VPM_SETUP))
        step_write_setup(lint, s, pc);
    if (setup)
        step_read_setup(lint, s, pc);
    else
        s->since_setup = (uint8_t)UTIL_MIN(s->since_setup + 1, 3);
}

/* ---- mutex ---- */

static void step_mutex(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    const struct vc4_qpu_insn *insn = &lint->program->insns[pc];
    if (vc4_qpu_reads(insn, VC4_QPU_R_MUTEX)) {
        if (s->must & LINT_MUTEX)
            vc4_qpu_lint_found(lint, pc, RULE(MUTEX_TWICE));
        happens(s, LINT_MUTEX);
    }
    if (!vc4_qpu_lint_writes(insn, VC4_QPU_W_MUTEX))
        return;
    if (!(s->may & LINT_MUTEX))
        vc4_qpu_lint_found(lint, pc, RULE(MUTEX_NOT_HELD));
    ends(s, LINT_MUTEX);
}

/* ---- a whole instruction, the program's begin and its end ---- */

void vc4_qpu_lint_step(struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s, uint32_t pc)
{
    step_registers(lint, s, pc);
    step_request(lint, s, pc);
    step_fetch(lint, s, pc);
    step_tile(lint, s, pc);
    step_vpm(lint, s, pc);
    step_mutex(lint, s, pc);
    step_switch(lint, s, pc);
}

void vc4_qpu_lint_begin(const struct vc4_qpu_lint *lint, struct vc4_qpu_lint_state *s)
{
    enum vc4_qpu_stage stage = lint->options.stage;
    *s = (struct vc4_qpu_lint_state){.reached = true, .since_setup = 3};
    s->unwritten.bits[0] = UINT64_MAX;
    s->unwritten.bits[1] = (1ull << (LINT_PLACES - LINT_ACC)) - 1;
    if (stage == VC4_QPU_STAGE_FRAGMENT || stage == VC4_QPU_STAGE_UNKNOWN) { /* W and Z (Guide table 29) */
        const uint64_t payload = 1ull << (LINT_FILE_A + 15) | 1ull << (LINT_FILE_B + 15);
        s->written.bits[0] = payload;
        s->unwritten.bits[0] &= ~payload;
    }
}

/* How many were counted, in words. */
static void report_count(struct vc4_qpu_lint *lint, uint32_t pc, enum vc4_qpu_lint_rule rule,
                         struct vc4_qpu_lint_span span, unsigned wanted)
{
    if (span.max == LINT_MANY)
        vc4_qpu_lint_report(lint, pc, rule, "%u or more, for %u", span.min, wanted);
    else if (span.min == span.max)
        vc4_qpu_lint_report(lint, pc, rule, "%u, for %u", span.min, wanted);
    else
        vc4_qpu_lint_report(lint, pc, rule, "%u to %u, for %u", span.min, span.max, wanted);
}

static void finish_record(struct vc4_qpu_lint *lint, const struct vc4_qpu_lint_state *s, uint32_t pc)
{
    const struct vc4_qpu_lint_options *o = &lint->options;
    if (o->varyings >= 0 && s->varyings.min < (unsigned)o->varyings)
        report_count(lint, pc, RULE(VARYINGS_LEFT), s->varyings, (unsigned)o->varyings);
    if (o->varyings >= 0 && s->varyings.max > (unsigned)o->varyings)
        report_count(lint, pc, RULE(VARYINGS_EXCESS), s->varyings, (unsigned)o->varyings);
    if (o->rows_in >= 0 && s->rows_in.max > (unsigned)o->rows_in)
        report_count(lint, pc, RULE(ROWS_IN), s->rows_in, (unsigned)o->rows_in);
    if (o->rows_out >= 0 && s->rows_out.min < (unsigned)o->rows_out && !(s->may & LINT_ODD_ROWS))
        report_count(lint, pc, RULE(ROWS_OUT), s->rows_out, (unsigned)o->rows_out);
}

void vc4_qpu_lint_finish(struct vc4_qpu_lint *lint, const struct vc4_qpu_lint_state *s, uint32_t pc)
{
    for (unsigned unit = 0; unit < 2; unit++)
        if (s->results[unit].min)
            vc4_qpu_lint_report(lint, pc, RULE(TMU_LEFT), "TMU%u: at least %u", unit, s->results[unit].min);
    if (s->queued.min)
        vc4_qpu_lint_report(lint, pc, RULE(VPM_LEFT), "at least %u", s->queued.min);
    if (s->may & LINT_TILE && !(s->must & LINT_UNLOCKED))
        vc4_qpu_lint_found(lint, pc, RULE(NO_UNLOCK));
    if (lint->has_last && !(s->must & LINT_LAST))
        vc4_qpu_lint_found(lint, pc, RULE(NO_LAST_SWITCH));
    if (s->may & LINT_MUTEX)
        vc4_qpu_lint_found(lint, pc, RULE(MUTEX_LEFT));
    finish_record(lint, s, pc);
}
