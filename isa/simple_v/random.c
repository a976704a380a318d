/* Random programs that the checker accepts: instructions, with and without a prefix, and VBLOCKs, each tried until it is one.
 * Memory is reached through x2 and x12 to x15, which nothing else writes on purpose, and through vectors of addresses from x96
 * on; sub-vectors and lengths are set now and then. Branches get their targets in the end. */
#include <stdlib.h>
#include <string.h>

#include "isa/random.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/state.h"
#include "isa/simple_v/table.h"
#include "util/bits.h"

enum {
    PIECES = 64,
    PIECE_WORDS = 11,
    MOST_WORDS = 220,
    BASE = 12,
    ADDRESSES = 96,
    SHORT = 10 /* most vectors have no more elements */
};

struct maker {
    struct isa_random random;
    bool scalar, loops, reads_flags;
    uint16_t *words;
    uint32_t count, capacity;
    uint32_t begins[PIECES], pieces;
};

static uint32_t below(struct maker *m, uint32_t n)
{
    return isa_random_below(&m->random, n);
}

static bool one_in(struct maker *m, uint32_t n)
{
    return isa_random_one_in(&m->random, n);
}

/* ---- which ---- */

enum kind { ARITHMETIC, FLOATS, MEMORY, TWIN, BRANCHES, MOVES, ATOMICS, PLAINS, KINDS };

static enum kind kind_of(uint16_t op)
{
    const struct simple_v_row *row = &simple_v_rows[op];
    switch ((enum simple_v_class)row->class) {
    case SIMPLE_V_ALU: return row->is_float ? FLOATS : ARITHMETIC;
    case SIMPLE_V_SIGN: return FLOATS;
    case SIMPLE_V_TWIN: return TWIN;
    case SIMPLE_V_LOAD:
    case SIMPLE_V_STORE: return MEMORY;
    case SIMPLE_V_BRANCH: return BRANCHES;
    case SIMPLE_V_AMO: return ATOMICS;
    case SIMPLE_V_PLAIN: return PLAINS;
    default: return MOVES;
    }
}

static uint16_t some_op(struct maker *m)
{
    static const uint8_t shares[KINDS] = {32, 24, 20, 10, 5, 4, 1, 4};
    uint32_t n = below(m, 100), kind = 0;
    while (n >= shares[kind])
        n -= shares[kind++];
    for (;;) {
        const uint16_t op = (uint16_t)below(m, SIMPLE_V_OP_COUNT);
        if (kind_of(op) == (enum kind)kind)
            return op;
    }
}

/* ---- what it may not be ---- */

static bool is_control(uint16_t as)
{
    return as == SIMPLE_V_JAL || as == SIMPLE_V_JALR || as == SIMPLE_V_EBREAK || as == SIMPLE_V_ECALL;
}

static bool fit_csr(struct maker *m, struct simple_v_insn *i)
{
    static const uint16_t lengths[] = {SIMPLE_V_CSR_MVL, SIMPLE_V_CSR_VL, SIMPLE_V_CSR_SUBVL};
    static const uint16_t reads[] = {SIMPLE_V_CSR_STATE, SIMPLE_V_CSR_PCVBLK, SIMPLE_V_CSR_INSTRET,
                                     SIMPLE_V_CSR_VL,    SIMPLE_V_CSR_MVL,    SIMPLE_V_CSR_FRM};
    switch (below(m, 5)) {
    case 0:
        i->op = SIMPLE_V_CSRRWI;
        i->imm = lengths[below(m, 3)];
        i->rs1 = (int32_t)(1 + below(m, i->imm == SIMPLE_V_CSR_SUBVL ? 2 : SHORT));
        break;
    case 1:
        i->op = SIMPLE_V_CSRRWI;
        i->imm = SIMPLE_V_CSR_FRM;
        i->rs1 = (int32_t)(one_in(m, 4) ? below(m, 5) : 0);
        break;
    case 2:
        if (one_in(m, 2)) {
            i->op = SIMPLE_V_CSRRWI;
            i->imm = SIMPLE_V_CSR_SVSAT;
            i->rs1 = (int32_t)below(m, 3);
            break;
        }
        i->op = m->reads_flags ? SIMPLE_V_CSRRSI : SIMPLE_V_CSRRWI;
        i->imm = one_in(m, 2) ? SIMPLE_V_CSR_FFLAGS : SIMPLE_V_CSR_FCSR;
        i->rd = m->reads_flags ? i->rd : 0;
        i->rs1 = (int32_t)below(m, 32);
        break;
    default:
        i->op = SIMPLE_V_CSRRS;
        i->imm = reads[below(m, UTIL_ARRAY_SIZE(reads))];
        i->rs1 = 0;
        break;
    }
    return true;
}

static void fit_rounding(struct maker *m, struct simple_v_insn *i)
{
    if (SIMPLE_V_HAS(i->op, rm) && !one_in(m, 8))
        i->rm = one_in(m, 2) ? 0 : SIMPLE_V_RM_DYNAMIC;
}

static void fit_memory(struct maker *m, struct simple_v_insn *i)
{
    const bool stack = simple_v_rows[i->op].text[0] == 'c' && i->rs1 == 2;
    if (stack)
        return;
    i->rs1 = (int32_t)(i->vs1 ? ADDRESSES : BASE + below(m, 4));
    if (i->vs1 && i->prefix == 48)
        i->imm = i->imm & 0x7f8;
}

/* Mostly what leaves room for the elements. */
static bool fit_room(struct maker *m, const struct simple_v_insn *i)
{
    const int32_t regs[] = {i->rd, i->rs1, i->rs2, i->rs3};
    const int32_t most = i->svlen ? 72 : 104;
    bool good = true;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(regs); n++)
        good &= regs[n] < most;
    return good || one_in(m, 40);
}

/* Integers go to a few registers, so that what is written is read, and pointers stay. */
static bool fit_result(struct maker *m, struct simple_v_insn *i)
{
    const bool writes = SIMPLE_V_HAS(simple_v_rows[i->op].as, rd) &&
                        simple_v_is_integer(simple_v_rows[i->op].as, offsetof(struct simple_v_insn, rd));
    if (!writes)
        return true;
    if (i->prefix && (i->vd || i->rd > 31))
        return i->rd < 64 && (!i->vd || i->rd > 15);
    return i->rd != 2 && (i->rd < BASE || i->rd >= BASE + 4) && !(i->rd == 1 && !one_in(m, 4));
}

static bool fit(struct maker *m, struct simple_v_insn *i)
{
    const uint16_t as = simple_v_rows[i->op].as;
    if (is_control(as) || as == SIMPLE_V_SC_W || as == SIMPLE_V_SC_D)
        return false;
    /* LR leaves the rest to the interpreter; an index is mostly beyond the file. */
    const bool rare =
        as == SIMPLE_V_LR_W || as == SIMPLE_V_LR_D || as == SIMPLE_V_MV_X || as == SIMPLE_V_FMV_X;
    if (rare && !one_in(m, 8))
        return false;
    if (kind_of(i->op) == PLAINS && as >= SIMPLE_V_CSRRW && as <= SIMPLE_V_CSRRCI && !fit_csr(m, i))
        return false;
    if (i->op == SIMPLE_V_SETVL) {
        i->imm = (int32_t)(1 + below(m, one_in(m, 8) ? SIMPLE_V_VL_MAX : SHORT));
        i->rs1 = one_in(m, 3) ? BASE : 0;
    }
    if (kind_of(i->op) == BRANCHES)
        i->imm = 0;
    if (kind_of(i->op) == MEMORY || kind_of(i->op) == ATOMICS || as == SIMPLE_V_LR_W || as == SIMPLE_V_LR_D)
        fit_memory(m, i);
    fit_rounding(m, i);
    return fit_result(m, i) && (!i->prefix || fit_room(m, i));
}

/* ---- one instruction ---- */

/* P64 sets lengths now and then. */
static void fit_lengths(struct maker *m, struct simple_v_insn *i)
{
    if (i->prefix != 64)
        return;
    i->vl = (struct simple_v_vltyp){0};
    if (!one_in(m, 4))
        return;
    i->vl.high = one_in(m, 2);
    i->vl.low = one_in(m, 3);
    i->vl.number =
        (uint8_t)(i->vl.low && !i->vl.high ? BASE + below(m, 3) : below(m, one_in(m, 8) ? 32 : SHORT));
    i->vl.rd = (uint8_t)(one_in(m, 2) ? 0 : 5 + below(m, 3));
}

/* Halfwords of it, 1 to 4, in `code`. `prefix`: 0, 48, 64. */
static unsigned some_insn(struct maker *m, unsigned prefix, uint16_t code[4])
{
    for (;;) {
        const uint16_t op = some_op(m);
        const struct simple_v_row *row = &simple_v_rows[op];
        uint64_t word = ((uint32_t)isa_random_next(&m->random) & ~row->mask) | row->match;
        struct simple_v_insn i;
        if (prefix && (word & 3) != 3)
            continue;
        if (prefix)
            word = word >> 2 << 18 | (isa_random_next(&m->random) & 0x7ff) << 7 |
                   (prefix == 48 ? 0x1f : 0x3f) | (prefix == 64 ? isa_random_next(&m->random) << 48 : 0);
        for (unsigned n = 0; n < 4; n++)
            code[n] = (uint16_t)(word >> 16 * n);
        if (simple_v_decode(code, 4, &i, NULL))
            continue;
        fit_lengths(m, &i);
        if (!fit(m, &i) || simple_v_encode(&i, code, NULL) || simple_v_check(code, i.length, NULL, NULL))
            continue;
        return i.length;
    }
}

/* ---- VBLOCKs ---- */

static const uint8_t integer_keys[] = {5, 6, 7, 8, 10, 11, 16, 17}, float_keys[] = {0, 1, 2, 8, 9, 10};

static void some_reg(struct maker *m, const struct simple_v_block *b, struct simple_v_reg_entry *e)
{
    *e = (struct simple_v_reg_entry){.used = !one_in(m, 8), .integer = !one_in(m, 3)};
    e->key = e->integer ? integer_keys[below(m, UTIL_ARRAY_SIZE(integer_keys))]
                        : float_keys[below(m, UTIL_ARRAY_SIZE(float_keys))];
    e->vector = !one_in(m, 3);
    e->reg = (uint8_t)(e->integer ? 16 + below(m, 48) : below(m, 88));
    e->width = (uint8_t)(one_in(m, 3) ? 0 : e->integer ? below(m, 4) : one_in(m, 4) ? 2 : 3);
    if (one_in(m, 12) && e->integer) { /* of addresses */
        e->key = BASE;
        e->reg = (uint8_t)(e->vector ? ADDRESSES : BASE);
    }
    if (!b->mode) {
        e->reg = (uint8_t)(e->key * 4);
        e->vector = true;
    }
}

static void some_pred(struct maker *m, const struct simple_v_block *b, struct simple_v_pred_entry *e)
{
    const struct simple_v_reg_entry *of = &b->reg[below(m, b->regs)];
    static const uint8_t masks[] = {0, 9, 9, 9, 10, 11, 30, 31};
    *e = (struct simple_v_pred_entry){.used = b->regs && of->used && !one_in(m, 3)};
    if (!e->used)
        return;
    e->integer = of->integer;
    e->key = of->key;
    e->reg = masks[below(m, UTIL_ARRAY_SIZE(masks))];
    e->invert = one_in(m, 3);
    e->zero = one_in(m, 3) && e->reg;
    e->ffirst = one_in(m, 12) && b->mode;
}

static void some_tables(struct maker *m, struct simple_v_block *b)
{
    *b = (struct simple_v_block){.vlset = !one_in(m, 3), .mode = !one_in(m, 4)};
    b->vl.mode = (uint8_t)(one_in(m, 6)   ? SIMPLE_V_VL_SETVL
                           : one_in(m, 3) ? SIMPLE_V_VL_MIN
                                          : SIMPLE_V_VL_BOTH);
    b->vl.imm = (uint8_t)below(m, one_in(m, 8) ? SIMPLE_V_VL_MAX : SHORT);
    b->vl.subvl = (uint8_t)(one_in(m, 4) ? below(m, 4) : 0);
    b->vl.low = (uint8_t)(b->vl.mode == SIMPLE_V_VL_SETVL ? 4u << 3 | 1u : one_in(m, 4) ? 9u : 0);
    b->reg_code = (uint8_t)(b->mode ? 1 + below(m, 3) : 1 + below(m, 2));
    b->pred_code = (uint8_t)below(m, b->mode ? 3 : 2);
    b->regs = (uint8_t)simple_v_entries(b->mode, b->reg_code);
    b->preds = (uint8_t)simple_v_entries(b->mode, b->pred_code);
    for (unsigned n = 0; n < b->regs; n++)
        some_reg(m, b, &b->reg[n]);
    for (unsigned n = 0; n < b->preds; n++)
        some_pred(m, b, &b->pred[n]);
    b->head = (uint8_t)(1u + b->vlset + (b->mode ? b->regs + b->preds : (b->regs + b->preds) / 2u));
}

/* Registers of an instruction become keys. */
static void take_keys(struct maker *m, uint16_t *code)
{
    static const uint16_t members[] = {
        offsetof(struct simple_v_insn, rd), offsetof(struct simple_v_insn, rs1),
        offsetof(struct simple_v_insn, rs2), offsetof(struct simple_v_insn, rs3)};
    uint16_t changed[4];
    struct simple_v_insn i;
    simple_v_decode(code, 4, &i, NULL);
    int32_t *const regs[] = {&i.rd, &i.rs1, &i.rs2, &i.rs3};
    const enum kind kind = kind_of(i.op);
    if (i.prefix || i.length == 1 || kind == PLAINS)
        return;
    for (unsigned n = 0; n < 4; n++) {
        const bool address = n == 1 && (kind == MEMORY || kind == ATOMICS);
        if (!simple_v_has(i.op, members[n]) || address || one_in(m, 4))
            continue;
        *regs[n] = simple_v_is_integer(i.op, members[n])
                       ? integer_keys[below(m, UTIL_ARRAY_SIZE(integer_keys))]
                       : float_keys[below(m, UTIL_ARRAY_SIZE(float_keys))];
    }
    if (!simple_v_encode(&i, changed, NULL))
        memcpy(code, changed, i.length * sizeof *code);
}

static unsigned some_block(struct maker *m, uint16_t code[PIECE_WORDS])
{
    for (;;) {
        struct simple_v_block b;
        some_tables(m, &b);
        unsigned at = b.head;
        if (at > PIECE_WORDS - 2)
            continue;
        for (unsigned n = 1 + below(m, 3); n && at + 4 <= PIECE_WORDS; n--) {
            uint16_t insn[4];
            const unsigned length = some_insn(m, one_in(m, 8) ? 48 : 0, insn);
            take_keys(m, insn);
            if (at + length > PIECE_WORDS)
                break;
            memcpy(code + at, insn, length * sizeof *code);
            at += length;
        }
        while (at < SIMPLE_V_BLOCK_MIN)
            code[at++] = 1; /* C.NOP */
        b.il = (uint8_t)(at - SIMPLE_V_BLOCK_MIN);
        simple_v_block_encode(&b, code);
        if (!simple_v_check(code, at, NULL, NULL))
            return at;
    }
}

/* ---- programs ---- */

static void append(struct maker *m, const uint16_t *code, unsigned length)
{
    m->begins[m->pieces++] = m->count;
    memcpy(m->words + m->count, code, length * sizeof *code);
    m->count += length;
}

static void append_text(struct maker *m, const char *text)
{
    void *words;
    uint32_t count;
    if (simple_v_asm(text, strlen(text), &words, &count, NULL))
        return;
    append(m, words, count);
    free(words);
}

static bool branches(const struct simple_v_insn *i)
{
    return simple_v_rows[i->op].class == SIMPLE_V_BRANCH || simple_v_rows[i->op].as == SIMPLE_V_JAL;
}

/* The instruction there goes, from the place on that its distance counts from, to some piece. */
static void aim(struct maker *m, uint32_t at, uint32_t place, uint32_t piece)
{
    for (unsigned n = 0; n < 8; n++) {
        const bool back = m->loops && one_in(m, 3);
        const uint32_t to =
            m->begins[back ? below(m, piece + 1) : piece + 1 + below(m, m->pieces - piece - 1)];
        uint16_t code[4];
        struct simple_v_insn i, again;
        if (simple_v_decode(m->words + at, m->count - at, &i, NULL) || !branches(&i))
            return;
        i.imm = ((int32_t)to - (int32_t)place) * 2;
        if (simple_v_encode(&i, code, NULL) || simple_v_decode(code, i.length, &again, NULL) ||
            again.imm != i.imm)
            continue;
        memcpy(m->words + at, code, i.length * sizeof *code);
        return;
    }
}

static void aim_all(struct maker *m)
{
    for (uint32_t n = 0; n + 1 < m->pieces; n++) {
        const uint32_t place = m->begins[n], end = m->begins[n + 1];
        struct simple_v_block b;
        struct simple_v_insn i;
        uint32_t at = place;
        if (simple_v_is_block(m->words[at]) && !simple_v_block_decode(m->words + at, m->count - at, &b, NULL))
            at += b.head;
        for (; at < end && !simple_v_decode(m->words + at, m->count - at, &i, NULL); at += i.length)
            aim(m, at, place, n);
    }
}

static void append_piece(struct maker *m)
{
    static const char *const calls[] = {"auipc x5, 0x0\njalr x1, 12(x5)\nc.nop\nc.nop\nc.nop", "jal x1, 4",
                                        "jal x0, 4"};
    uint16_t code[PIECE_WORDS];
    const uint32_t kind = below(m, 20);
    if (kind == 0)
        append_text(m, calls[below(m, UTIL_ARRAY_SIZE(calls))]);
    else if (m->scalar || kind < 4)
        append(m, code, some_insn(m, 0, code));
    else if (kind < 11)
        append(m, code, some_insn(m, 48, code));
    else if (kind < 14)
        append(m, code, some_insn(m, 64, code));
    else
        append(m, code, some_block(m, code));
}

uint32_t simple_v_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity)
{
    struct maker m = {.random = {seed},
                      .scalar = profile == SIMPLE_V_RANDOM_SCALAR,
                      .loops = profile != SIMPLE_V_RANDOM_STRAIGHT,
                      .words = words,
                      .capacity = UTIL_MIN(capacity, MOST_WORDS)};
    m.reads_flags = one_in(&m, 8);
    const uint32_t pieces = 3 + below(&m, PIECES / 2);
    if (!m.scalar) {
        static const char *const lengths[] = {"sv.setvl x0, x0, 8",  "sv.setvl x0, x0, 13",
                                              "sv.setvl x0, x0, 5",  "sv.setvl x0, x0, 16",
                                              "sv.setvl x0, x12, 7", "c.nop"};
        append_text(&m, lengths[below(&m, UTIL_ARRAY_SIZE(lengths))]);
    }
    while (m.pieces < pieces && m.count + PIECE_WORDS + 2 <= m.capacity)
        append_piece(&m);
    const uint16_t nop = 1; /* zeros in the end would not count */
    append(&m, &nop, 1);
    aim_all(&m);
    return m.count;
}
