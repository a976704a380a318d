/* Random programs that the checker accepts. Loops count r15 down, so that they end. */
#include <string.h>

#include "isa/midgard/names.h"
#include "isa/midgard/random_internal.h"

enum { INSNS_MAX = 30, ROOM = 40 /* quadwords that a structure may take */ };
enum { IADD = 0x40, IAND = 0x70, IMOV = 0x7b, INE = 0xa1 };

uint8_t midgard_some_register(struct midgard_maker *m)
{
    return (uint8_t)midgard_below(m, midgard_one_in(m, 6) ? MIDGARD_RANDOM_COUNTER : MIDGARD_RANDOM_FREE);
}

/* ---- writing ---- */

static void patch_next(struct midgard_maker *m, uint8_t tag)
{
    struct midgard_insn before;
    uint64_t words[MIDGARD_QUADS * 2];
    if (m->last == m->at || !midgard_decode(m->words, m->at, m->last, &before))
        return;
    before.next = tag;
    midgard_encode(&before, words);
    memcpy(m->words + m->last * 16u, words, midgard_quads_of(before.tag) * 16u);
}

/* A skip goes to what is written next. */
static void land(struct midgard_maker *m, uint8_t tag)
{
    struct midgard_insn skip;
    uint64_t words[MIDGARD_QUADS * 2];
    uint32_t length = midgard_decode(m->words, m->at, m->skip_at, &skip);
    unsigned extended = midgard_has(&skip, MIDGARD_BRANCHX);
    skip.jump[extended].offset = (int32_t)(m->at - m->skip_at - length);
    skip.jump[extended].tag = tag;
    midgard_encode(&skip, words);
    memcpy(m->words + m->skip_at * 16u, words, length * 16u);
}

void midgard_emit(struct midgard_maker *m, struct midgard_insn *i)
{
    uint64_t words[MIDGARD_QUADS * 2];
    if (i->tag >= MIDGARD_TAG_ALU)
        i->tag = (uint8_t)((i->tag & 12) + midgard_bundle_quads(i->units, i->has_constants) - 1);
    patch_next(m, i->tag);
    if (m->skips && !--m->skips)
        land(m, i->tag);
    midgard_encode(i, words);
    memcpy(m->words + m->at * 16u, words, midgard_quads_of(i->tag) * 16u);
    m->last = m->at;
    m->at += midgard_quads_of(i->tag);
}

/* ---- pieces ---- */

/* One scalar operation of whole words with an immediate. */
static void emit_scalar(struct midgard_maker *m, uint8_t op, uint8_t dest, uint8_t from, int16_t constant)
{
    struct midgard_insn i = {.tag = MIDGARD_TAG_ALU, .units = 1u << MIDGARD_SADD};
    i.alu[MIDGARD_SADD] = (struct midgard_alu){.op = op,
                                               .a = {.reg = from, .full = true},
                                               .immediate = true,
                                               .constant = (uint16_t)constant,
                                               .dest = dest,
                                               .outmod = MIDGARD_LOW_HALF,
                                               .full = true};
    midgard_emit(m, &i);
}

/* AL0 becomes small, for addresses and indices. */
static void emit_small(struct midgard_maker *m)
{
    struct midgard_insn i = {.tag = MIDGARD_TAG_ALU, .units = 1u << MIDGARD_VMUL};
    i.alu[MIDGARD_VMUL] = (struct midgard_alu){.op = IAND,
                                               .a = {.reg = midgard_some_register(m), .swizzle = 0xe4},
                                               .immediate = true,
                                               .constant = (uint16_t)(midgard_one_in(m, 2) ? 7 : 0x7c),
                                               .dest = MIDGARD_R_MEMORY,
                                               .outmod = MIDGARD_LOW_HALF,
                                               .mode = MIDGARD_MODE_32,
                                               .shrink = MIDGARD_SHRINK_NONE,
                                               .mask = 0xff};
    midgard_emit(m, &i);
}

static void make_plain(struct midgard_maker *m)
{
    struct midgard_insn i = {0};
    uint32_t kind = m->profile == MIDGARD_RANDOM_ARITHMETIC ? 0 : midgard_below(m, 8);
    if (kind == 5 && midgard_one_in(m, 2)) {
        emit_small(m);
        return;
    }
    if (kind < 5)
        midgard_make_bundle(m, &i, false);
    else if (kind < 7)
        midgard_make_memory(m, &i);
    else
        midgard_make_texture(m, &i);
    midgard_emit(m, &i);
}

/* A branch in either form, when r31.w is what it says. */
static void put_branch(struct midgard_maker *m, struct midgard_insn *i, uint8_t op, uint8_t condition)
{
    unsigned extended = midgard_one_in(m, 2);
    i->units |= (uint8_t)(1u << (MIDGARD_BRANCH + extended));
    i->jump[extended] =
        (struct midgard_jump){.op = op,
                              .condition = (uint16_t)(extended ? condition * 0x5555 : condition),
                              .call = extended && midgard_one_in(m, 2)};
}

static void make_loop(struct midgard_maker *m, uint32_t insns)
{
    struct midgard_insn i = {.tag = MIDGARD_TAG_ALU, .units = 1u << MIDGARD_SADD}, first;
    emit_scalar(m, IMOV, MIDGARD_RANDOM_COUNTER, MIDGARD_R_FORWARD, (int16_t)(1 + midgard_below(m, 3)));
    uint32_t start = m->at;
    emit_scalar(m, IADD, MIDGARD_RANDOM_COUNTER, MIDGARD_RANDOM_COUNTER, -1);
    while (insns--)
        make_plain(m);
    i.alu[MIDGARD_SADD] = (struct midgard_alu){.op = INE,
                                               .a = {.reg = MIDGARD_RANDOM_COUNTER, .full = true},
                                               .immediate = true,
                                               .dest = MIDGARD_R_SELECT,
                                               .outmod = MIDGARD_LOW_HALF,
                                               .full = true,
                                               .component = 6};
    put_branch(m, &i, MIDGARD_BRANCH_IF, MIDGARD_IF_TRUE);
    unsigned extended = midgard_has(&i, MIDGARD_BRANCHX);
    i.jump[extended].condition = (uint16_t)(extended ? 0xaaaa : MIDGARD_IF_TRUE);
    i.jump[extended].offset = (int32_t)start - (int32_t)m->at - (int32_t)midgard_bundle_quads(i.units, false);
    midgard_decode(m->words, m->at, start, &first);
    i.jump[extended].tag = first.tag;
    midgard_emit(m, &i);
}

static void make_skip(struct midgard_maker *m)
{
    struct midgard_insn i = {0};
    bool always = midgard_one_in(m, 5);
    if (m->skips) {
        make_plain(m);
        return;
    }
    midgard_make_bundle(m, &i, !always);
    if (always && midgard_one_in(m, 2)) {
        i.units |= 1u << MIDGARD_BRANCH;
        i.jump[0] = (struct midgard_jump){.op = MIDGARD_JUMP, .call = MIDGARD_CALL_NONE};
    } else {
        put_branch(m, &i, MIDGARD_BRANCH_IF,
                   always ? MIDGARD_IF_ALWAYS : (uint8_t)(MIDGARD_IF_FALSE + midgard_below(m, 2)));
        if (midgard_has(&i, MIDGARD_BRANCHX) && !always && midgard_one_in(m, 2))
            i.jump[1].condition = (uint16_t)midgard_below(m, 1u << 16);
    }
    uint32_t at = m->at;
    if (midgard_has(&i, MIDGARD_BRANCHX) && !always && midgard_one_in(m, 4)) { /* out of the program */
        i.jump[1].tag = MIDGARD_TAG_STOP;
        i.jump[1].offset = 64;
        midgard_emit(m, &i);
        return;
    }
    midgard_emit(m, &i);
    m->skip_at = at;
    m->skips = 1 + midgard_below(m, 4);
}

/* Lanes that discard end there. */
static void make_discard(struct midgard_maker *m)
{
    struct midgard_insn i = {0};
    midgard_make_bundle(m, &i, true);
    put_branch(m, &i, midgard_one_in(m, 8) ? MIDGARD_TILE_PENDING : MIDGARD_DISCARD,
               (uint8_t)(MIDGARD_IF_FALSE + midgard_below(m, 2)));
    midgard_emit(m, &i);
}

/* A writeout, which would wait for the tile by going back to itself; now and then of some lanes. */
static void make_writeout(struct midgard_maker *m)
{
    struct midgard_insn i = {0};
    bool some = midgard_one_in(m, 3);
    midgard_make_bundle(m, &i, some);
    i.tag = midgard_one_in(m, 2) ? MIDGARD_TAG_ALU : MIDGARD_TAG_ALU_WRITEOUT;
    i.alu[MIDGARD_SMUL] =
        (struct midgard_alu){.op = IMOV,
                             .a = {.reg = MIDGARD_R_FORWARD, .full = true},
                             .immediate = true,
                             .constant = (uint16_t)(midgard_below(m, 8) << 8 | midgard_below(m, 4)),
                             .dest = 1,
                             .outmod = MIDGARD_LOW_HALF,
                             .full = true,
                             .component = (uint8_t)(midgard_one_in(m, 3) ? midgard_below(m, 4) * 2 : 4)};
    i.units |= 1u << MIDGARD_SMUL | 1u << MIDGARD_BRANCHX;
    uint32_t quads = midgard_bundle_quads(i.units, i.has_constants);
    i.jump[1] = (struct midgard_jump){.op = MIDGARD_WRITEOUT,
                                      .tag = (uint8_t)((i.tag & 12) + quads - 1),
                                      .condition = (uint16_t)(some ? midgard_below(m, 1u << 16) : 0xffff),
                                      .offset = -(int32_t)quads};
    midgard_emit(m, &i);
}

static void make_some(struct midgard_maker *m)
{
    uint32_t kind = m->branches && midgard_one_in(m, 5) ? 1 + midgard_below(m, 7) : 0;
    m->branches -= kind != 0;
    if (!kind)
        make_plain(m);
    else if (kind <= 2 && m->at + 2 * ROOM < m->limit)
        make_loop(m, 1 + midgard_below(m, 4));
    else if (kind <= 4)
        make_skip(m);
    else if (kind <= 5)
        make_discard(m);
    else
        make_writeout(m);
}

uint32_t midgard_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity)
{
    struct midgard_maker m = {.random = {seed}, .profile = profile, .words = words, .limit = capacity - ROOM};
    struct midgard_insn end = {0};
    m.left = 2 + midgard_below(&m, 1 + midgard_below(&m, INSNS_MAX)); /* short ones are many more */
    m.branches = profile == MIDGARD_RANDOM_FULL ? 1 + midgard_below(&m, 1 + midgard_below(&m, 4)) : 0;
    while (m.left-- && m.at + ROOM < m.limit)
        make_some(&m);
    while (m.skips > 1)
        make_plain(&m);
    midgard_make_bundle(&m, &end, false);
    end.next = MIDGARD_TAG_STOP;
    midgard_emit(&m, &end);
    return m.at;
}
