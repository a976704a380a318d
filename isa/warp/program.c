#include "isa/warp/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/blocks.h"
#include "isa/warp/alu.h"
#include "isa/warp/ops.h"
#include "isa/warp/ports.h"

const struct isa_fault_row warp_faults[WARP_FAULT_COUNT] = {
    [WARP_OK] = {ISA_FAULT_PROGRAM, "stopped"},
    [WARP_FAULT_FUEL] = {ISA_FAULT_ENDLESS, "loops repeat more instructions than the fuel allows"},
    [WARP_FAULT_UNSUPPORTED] = {ISA_FAULT_UNSUPPORTED, "an operation that no document explains"},
    [WARP_FAULT_ADDRESS] = {ISA_FAULT_MEMORY, "an address outside what the program may reach"},
};

unsigned warp_sources_of(const struct warp_insn *i)
{
    static const uint8_t messages[] = {
        [WARP_ATTRIBUTE] = 3,    [WARP_IMAGE] = 3,         [WARP_LEA_ATTRIBUTE] = 3,
        [WARP_LEA_IMAGE] = 3,    [WARP_LEA_BUFFER] = 2,    [WARP_VARYING] = 2,
        [WARP_VARYING_FLAT] = 2, [WARP_VARYING_BYTES] = 2, [WARP_VARYING_SPECIAL] = 2,
        [WARP_LOAD_CONVERT] = 2, [WARP_STORE_CONVERT] = 2, [WARP_TILE] = 3,
        [WARP_STORE_TILE] = 3,   [WARP_BLEND] = 2,         [WARP_ATEST] = 3,
        [WARP_ZS_EMIT] = 3};
    switch (i->kind) {
    case WARP_COMPUTE:
    case WARP_BRANCH:
    case WARP_KILL: return warp_source_count((enum warp_op)i->op);
    case WARP_PERMUTE:
    case WARP_BUFFER: return 2;
    case WARP_FAR: return 4;
    case WARP_BALLOT:
    case WARP_LOAD:
    case WARP_STORE:
    case WARP_ATOMIC: return 1;
    case WARP_TEXTURE: return i->of_varying ? 2 : 1;
    case WARP_MESSAGE: return messages[i->message];
    default: return 0;
    }
}

unsigned warp_source_words(const struct warp_insn *i, unsigned n)
{
    return i->source[n].width == 64 ? 2 : 1;
}

struct warp_asked warp_asked_of(const struct warp_insn *i)
{
    const uint32_t offset = (uint32_t)i->offset;
    return (struct warp_asked){.message = i->message,
                               .words = i->write.count,
                               .components = i->components,
                               .type = i->type,
                               .any_type = i->any_type,
                               .halves = i->halves,
                               .sample = i->sample,
                               .update = i->update,
                               .source_format = i->source_format,
                               .z = i->z,
                               .stencil = i->stencil,
                               .hint = i->hint,
                               .offset = {(uint8_t)offset, (uint8_t)(offset >> 8), (uint8_t)(offset >> 16),
                                          (uint8_t)(offset >> 24)}};
}

struct warp_insn warp_coordinates_of(const struct warp_insn *i)
{
    struct warp_insn out = *i;
    out.kind = WARP_MESSAGE;
    out.components = i->dimensions;
    out.write = (struct warp_run){0, i->dimensions};
    out.halves = false;
    out.source[0] = (struct warp_source){.from = WARP_CONSTANT, .width = 32};
    return out;
}

/* Register 0 is behind the last. */
static uint64_t registers(unsigned reg, unsigned count)
{
    const uint64_t bits = (UINT64_C(1) << count) - 1;
    reg %= WARP_REGISTERS;
    return reg ? bits << reg | bits >> (WARP_REGISTERS - reg) : bits;
}

uint64_t warp_written(const struct warp_insn *i)
{
    const bool dest = i->dest.mask && i->dest.to == WARP_REGISTER;
    return registers(i->dest.index, dest ? 1u + i->dest.pair : 0) | registers(i->write.reg, i->write.count);
}

static void note_source(struct warp_program *p, const struct warp_insn *i, unsigned n)
{
    const struct warp_source *s = &i->source[n];
    for (unsigned k = 0; k < warp_source_words(i, n); k++) {
        if (s->from == WARP_REGISTER)
            p->read |= registers(s->index + k, 1);
        if (s->from == WARP_UNIFORM)
            p->uniforms[(s->index + k) / 64 & 3] |= UINT64_C(1) << ((s->index + k) & 63);
    }
    if (s->from == WARP_SPECIAL)
        p->specials |= 1u << s->index / 2;
}

static void note_message(struct warp_program *p, const struct warp_insn *i)
{
    const bool levels = i->kind == WARP_TEXTURE;
    p->loads |= i->kind == WARP_LOAD || i->kind == WARP_ATOMIC ||
                (i->kind == WARP_MESSAGE && i->message == WARP_LOAD_CONVERT);
    p->stores |= i->kind == WARP_STORE || i->kind == WARP_ATOMIC ||
                 (i->kind == WARP_MESSAGE && i->message == WARP_STORE_CONVERT);
    p->atomics |= i->kind == WARP_ATOMIC;
    p->buffers |= i->kind == WARP_BUFFER;
    p->textures |= levels;
    p->derivatives |= levels && (i->level == WARP_LEVEL_COMPUTED || i->level == WARP_LEVEL_BIAS);
    if (i->kind == WARP_MESSAGE || (levels && i->of_varying))
        p->messages |= 1u << i->message;
    if (!i->reads_temporaries)
        p->read |= registers(i->read.reg, i->read.count);
    if (i->by_conversion) /* some of what would be written may stay */
        p->read |= registers(i->write.reg, i->write.count);
    p->written |= warp_written(i);
}

/* Fewer lanes go on behind it that are no helpers, or later. */
static bool parts(const struct warp_insn *i)
{
    return warp_branches(i) || warp_blends(i) || i->kind == WARP_FAR || i->kind == WARP_BARRIER ||
           i->flow == WARP_END;
}

/* At a program's end lanes can do nothing behind it but end. */
static bool only_ends(const struct warp_insn *i)
{
    return !warp_branches(i) && i->kind != WARP_FAR && i->kind != WARP_BARRIER;
}

static void note(struct warp_program *p, const struct warp_insn *i, uint32_t number)
{
    for (unsigned n = 0; n < warp_sources_of(i); n++)
        note_source(p, i, n);
    note_message(p, i);
    p->permutes |= i->kind == WARP_PERMUTE || i->kind == WARP_BALLOT;
    p->barriers |= i->kind == WARP_BARRIER;
    p->discards |= i->kind == WARP_KILL;
    p->far |= i->kind == WARP_FAR;
    p->repeats |= warp_branches(i) && i->target <= number;
    p->ends_helpers |= i->flow == WARP_END_HELPERS;
    p->straight &= !parts(i) || (number + 1 == p->insn_count && only_ends(i));
}

/* Where helpers may come to an instruction, met[] is 1: from the beginning on until they are ended, and from where there
 * are new ones. True: something was added. */
static bool follow_helpers(const struct warp_program *p, uint8_t *met)
{
    bool more = false;
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct warp_insn *i = &p->insns[n];
        const bool leave = met[n] || warp_makes_helpers(i);
        const bool stay = leave && i->flow != WARP_END_HELPERS; /* those that branch have gone before */
        more |= stay && n + 1 < p->insn_count && !met[n + 1];
        more |= leave && warp_branches(i) && !met[i->target];
        if (stay && n + 1 < p->insn_count)
            met[n + 1] = 1;
        if (leave && warp_branches(i))
            met[i->target] = 1;
    }
    return more;
}

/* Compilers ask for the end of helpers again and again. Programs that go back and forth too often keep all of it. */
static int settle_helpers(struct warp_program *p)
{
    enum { PASSES = 8 };
    uint8_t *met = calloc(p->insn_count, 1);
    bool more = true;
    if (!met)
        return -ENOMEM;
    met[0] = 1;
    for (unsigned pass = 0; more && pass < PASSES; pass++)
        more = follow_helpers(p, met);
    for (uint32_t n = 0; !more && n < p->insn_count; n++)
        p->insns[n].no_helpers = !met[n];
    free(met);
    return 0;
}

static int find_blocks(struct warp_program *p)
{
    uint32_t *at = calloc((size_t)p->insn_count + 1, sizeof *at);
    if (!at)
        return -ENOMEM;
    at[0] = 1;
    for (uint32_t n = 0; n < p->insn_count; n++) {
        at[n + 1] |= parts(&p->insns[n]) || warp_ends_helpers(&p->insns[n]);
        if (warp_branches(&p->insns[n]))
            at[p->insns[n].target] = 1;
    }
    p->block_count = isa_blocks_number(at, p->insn_count);
    p->blocks = calloc(p->block_count, sizeof *p->blocks);
    for (uint32_t n = 0; p->blocks && n < p->insn_count; n++) {
        struct warp_block *block = &p->blocks[at[n]];
        if (!block->count++)
            block->first = n;
        block->target = warp_branches(&p->insns[n]) ? at[p->insns[n].target] : WARP_NO_BLOCK;
    }
    for (uint32_t n = 0; p->blocks && n < p->block_count; n++)
        if (p->blocks[n].target != WARP_NO_BLOCK)
            p->blocks[p->blocks[n].target].joined = true;
    free(at);
    return p->blocks ? 0 : -ENOMEM;
}

/* Blocks that lanes reach where no BLEND lets them go on behind it; of programs that go back and forth too often, all. */
static void reach_fixed(struct warp_program *p)
{
    enum { PASSES = 8 };
    bool more = true;
    p->blocks[0].fixed = true;
    for (unsigned pass = 0; more && pass <= PASSES; pass++) {
        more = false;
        for (uint32_t k = 0; k < p->block_count; k++) {
            const struct warp_block *block = &p->blocks[k];
            const struct warp_insn *last = &p->insns[block->first + block->count - 1];
            const bool on = !warp_blends(last) && last->flow != WARP_END && k + 1 < p->block_count;
            bool *next = on ? &p->blocks[k + 1].fixed : NULL;
            bool *target = block->target != WARP_NO_BLOCK ? &p->blocks[block->target].fixed : NULL;
            more |= block->fixed && ((next && !*next) || (target && !*target));
            if (block->fixed && next)
                *next = true;
            if (block->fixed && target)
                *target = true;
            p->blocks[k].fixed |= pass == PASSES;
        }
    }
}

static void note_fixed(struct warp_program *p)
{
    reach_fixed(p);
    for (uint32_t k = 0; k < p->block_count; k++)
        p->fixed_far |=
            p->blocks[k].fixed && p->insns[p->blocks[k].first + p->blocks[k].count - 1].kind == WARP_FAR;
    uint32_t count = 0;
    for (uint32_t n = 0; n < p->insn_count; n = warp_fixed_next(&p->insns[n], n)) {
        const struct warp_insn *i = &p->insns[n];
        count++;
        if (warp_blends(i) && i->flow == WARP_END)
            p->fixed_count = count;
        if (p->fixed_count || (parts(i) && !warp_blends(i)) || warp_fixed_next(i, n) <= n)
            return;
    }
}

/* ---- handles ---- */

/* Registers and temporaries that hold the same word in all lanes, whichever these are. */
struct known {
    uint64_t regs;
    uint32_t temporaries; /* bit n: number n */
    uint32_t reg[WARP_REGISTERS], temporary[WARP_TEMPORARIES];
};

static bool know_word(const struct known *k, const struct warp_source *s, unsigned word, uint64_t *out)
{
    const unsigned reg = (s->index + word) % WARP_REGISTERS, temporary = (s->index + word) % WARP_TEMPORARIES;
    switch (s->from) {
    case WARP_CONSTANT: *out = (uint32_t)(s->value >> 32 * word); return true;
    case WARP_REGISTER: *out = k->reg[reg]; return k->regs >> reg & 1;
    case WARP_TEMPORARY: *out = k->temporary[temporary]; return k->temporaries >> temporary & 1;
    default: return false;
    }
}

static bool know_source(const struct known *k, const struct warp_insn *i, unsigned n, uint64_t *out)
{
    uint64_t word[2] = {0, 0};
    for (unsigned w = 0; w < warp_source_words(i, n); w++)
        if (!know_word(k, &i->source[n], w, &word[w]))
            return false;
    *out = word[0] | word[1] << 32;
    return true;
}

/* What compilers make handles with. */
static bool know_result(const struct known *k, const struct warp_insn *i, uint32_t *out)
{
    uint64_t operand[WARP_SOURCES] = {0};
    const bool makes = i->op == WARP_IADD_IMM_I32 || i->op == WARP_MOV_I32;
    if (i->kind != WARP_COMPUTE || !makes || i->dest.mask != 3 || i->dest.pair)
        return false;
    for (unsigned n = 0; n < warp_source_count((enum warp_op)i->op); n++) {
        if (!know_source(k, i, n, &operand[n]))
            return false;
        operand[n] = warp_operand(i, n, operand[n]);
    }
    *out = (uint32_t)warp_compute(i, operand);
    return true;
}

static void follow(struct known *k, const struct warp_insn *i)
{
    uint32_t value = 0;
    const bool known = know_result(k, i, &value), temporary = i->dest.to == WARP_TEMPORARY;
    const unsigned n = i->dest.index % (temporary ? WARP_TEMPORARIES : WARP_REGISTERS);
    k->regs &= ~warp_written(i);
    for (unsigned w = 0; temporary && i->dest.mask && w < 1u + i->dest.pair; w++)
        k->temporaries &= ~(1u << (i->dest.index + w) % WARP_TEMPORARIES);
    if (known && temporary) {
        k->temporaries |= 1u << n;
        k->temporary[n] = value;
    } else if (known) {
        k->regs |= UINT64_C(1) << n;
        k->reg[n] = value;
    }
    if (warp_blends(i) || i->kind == WARP_FAR) /* other programs may change registers */
        k->regs = 0;
}

/* Which source is a handle; WARP_SOURCES: none. */
static unsigned handle_of(const struct warp_insn *i)
{
    if (i->kind == WARP_TEXTURE)
        return 0;
    if (i->kind == WARP_BUFFER)
        return 1;
    if (i->kind != WARP_MESSAGE)
        return WARP_SOURCES;
    switch (i->message) {
    case WARP_ATTRIBUTE:
    case WARP_IMAGE:
    case WARP_LEA_ATTRIBUTE:
    case WARP_LEA_IMAGE: return 2;
    case WARP_LEA_BUFFER: return 1;
    default: return WARP_SOURCES;
    }
}

static bool is_whole(const struct warp_source *s)
{
    return s->width >= 32 && !s->invert && !s->negate && !s->absolute;
}

/* A handle that the program has made of constants is one: so compilers make them, and who prepares descriptors wants to
 * know them. Lanes come to it along one way, from where nothing is known on. */
static void settle_handles(const struct warp_program *p)
{
    struct known known = {0};
    for (uint32_t n = 0; n < p->block_count; n++) {
        if (p->blocks[n].joined)
            known.regs = 0;
        known.temporaries = 0;
        for (uint32_t k = 0; k < p->blocks[n].count; k++) {
            struct warp_insn *i = &p->insns[p->blocks[n].first + k];
            const unsigned handle = handle_of(i);
            uint64_t value = 0;
            if (handle < WARP_SOURCES && is_whole(&i->source[handle]) &&
                know_source(&known, i, handle, &value)) {
                i->source[handle].from = WARP_CONSTANT;
                i->source[handle].value = value;
            }
            follow(&known, i);
        }
    }
}

int warp_program_create(struct warp_insn *insns, uint32_t count, uint32_t word_bytes,
                        struct warp_program **out, struct util_error *error)
{
    struct warp_program *p = calloc(1, sizeof *p);
    int status = !p ? -ENOMEM : count > WARP_INSNS_MOST || !count ? -E2BIG : 0;
    if (!p)
        free(insns);
    else
        *p = (struct warp_program){
            .insns = insns, .insn_count = count, .word_bytes = word_bytes, .straight = true};
    if (!status)
        status = settle_helpers(p);
    if (!status)
        status = find_blocks(p);
    if (!status)
        settle_handles(p);
    for (uint32_t n = 0; !status && n < count; n++)
        note(p, &insns[n], n);
    if (!status)
        note_fixed(p);
    if (!status)
        status = warp_settle_together(p);
    if (status) {
        warp_program_destroy(p);
        return util_fail(error, status, "%s",
                         status == -ENOMEM ? "out of memory" : "a program of too many instructions");
    }
    *out = p;
    return 0;
}

void warp_tell_unsupported(const struct warp_program *p, const struct isa_rule *rule, isa_lint_fn found,
                           void *data)
{
    for (uint32_t n = 0; n < p->insn_count; n++) {
        struct isa_finding finding = {.rule = rule, .pc = p->insns[n].at};
        if (p->insns[n].kind != WARP_UNSUPPORTED)
            continue;
        snprintf(finding.detail, sizeof finding.detail, "%s", p->insns[n].name);
        found(data, &finding);
    }
}

uint32_t warp_listed_count(const struct warp_program *p)
{
    uint32_t count = 0, seen = 0, at = 0;
    for (uint32_t n = 0; p->parts && n < p->insn_count; n++) {
        const struct warp_insn *i = &p->insns[n];
        const uint32_t part = 1u << i->part;
        seen = i->at == at ? seen : 0;
        at = i->at;
        count += i->part && i->part < WARP_PART_BEFORE && !(seen & part);
        seen |= part;
    }
    return p->parts ? count : p->insn_count;
}

void warp_program_destroy(struct warp_program *program)
{
    if (!program)
        return;
    free(program->insns);
    free(program->blocks);
    free(program);
}
