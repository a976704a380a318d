/* Random instructions in VBLOCKs: entries with widths of their own, or none; masks that zero, and fail-first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/riscv/unroll_random.h"
#include "util/bits.h"

static const struct unroll_name branches[] = {{"beq", UNROLL_PLAIN, 0},  {"bne", UNROLL_PLAIN, 0},
                                              {"blt", UNROLL_SIGNED, 0}, {"bge", UNROLL_SIGNED, 0},
                                              {"bltu", UNROLL_PLAIN, 0}, {"bgeu", UNROLL_PLAIN, 0}};
static const char *const atomics[] = {"amoswap", "amoadd", "amoxor",  "amoand", "amoor",
                                      "amomin",  "amomax", "amominu", "amomaxu"};

static void begin_block(struct unroll_insn *n)
{
    unroll_subvl = n->subvl = unroll_one_in(3) ? 1 + unroll_below(4) : 1;
    n->vl = 1 + unroll_below(UNROLL_MOST / n->subvl);
    n->in_block = true;
    unroll_say("vblock both:%u, subvl:%u, regs(", n->vl, n->subvl);
}

static void entry_text(const char *key, const struct unroll_operand *o)
{
    unroll_say("%s=%c%u%s", key, o->is_float ? 'f' : 'x', o->reg, o->vector ? "v" : "");
    if (o->given)
        unroll_say(":%u", o->width);
    unroll_say(", ");
}

/* The integer register of a key, with an entry or, as a source now and then, without one. */
static struct unroll_operand integer_entry(const struct unroll_insn *n, unsigned key, bool result)
{
    char text[8];
    const bool narrow = !result && n->saturate;
    if (!result && !narrow && unroll_one_in(6))
        return (struct unroll_operand){.reg = key, .width = 64};
    const unsigned width = unroll_widths[narrow ? 1 + unroll_below(3) : unroll_below(4)];
    struct unroll_operand o = unroll_some_integer(n, !unroll_one_in(3), width, result);
    snprintf(text, sizeof text, "x%u", key);
    entry_text(text, &o);
    return o;
}

/* Packed if the entry gives a width, else in boxes of the opcode's format. */
static struct unroll_operand float_entry(const struct unroll_insn *n, unsigned key, bool result)
{
    char text[8];
    if (!result && unroll_one_in(6))
        return (struct unroll_operand){.is_float = true, .boxed = true, .reg = key, .width = n->opcode};
    const unsigned given = unroll_one_in(2) ? 0 : unroll_one_in(3) ? 16 : 32;
    struct unroll_operand o = unroll_some_float(n, !unroll_one_in(3), given ? given : n->opcode);
    o.given = given;
    o.boxed = !given;
    snprintf(text, sizeof text, "f%u", key);
    entry_text(text, &o);
    return o;
}

enum fail_first { NEVER, PERHAPS, ALWAYS };

/* A mask for the key, if there is to be one. */
static bool pred_text(struct unroll_mask *m, const char *before, const char *key, enum fail_first ffirst)
{
    if (ffirst != ALWAYS && unroll_one_in(3))
        return false;
    *m = (struct unroll_mask){.there = true,
                              .reg = 9 + unroll_below(3),
                              .invert = unroll_one_in(2),
                              .zero = unroll_one_in(3),
                              .ffirst = ffirst == ALWAYS || (ffirst == PERHAPS && unroll_one_in(3))};
    if (m->ffirst && unroll_one_in(4))
        *m = (struct unroll_mask){.there = true, .ffirst = true, .invert = true};
    unroll_say("%s%s=%sx%u%s%s", before, key, m->invert ? "!" : "", m->reg, m->zero ? ".z" : "",
               m->ffirst ? ".ff" : "");
    return true;
}

static void preds_text(struct unroll_insn *n, const char *dest, const char *source, enum fail_first ffirst)
{
    unroll_unsay(", "); /* behind the last entry */
    unroll_say(")");
    const bool one = dest && pred_text(&n->dest, ", preds(", dest, ffirst);
    const bool two =
        source && pred_text(&n->source, one ? ", " : ", preds(", source, ffirst == ALWAYS ? PERHAPS : ffirst);
    unroll_say("%s { ", one || two ? ")" : "");
}

static void end_block(const struct unroll_insn *n)
{
    unroll_say(" ; c.nop }\n");
    unroll(n);
    if (n->dest.ffirst || n->source.ffirst)
        unroll_say("csrrs x%u, vl, x0\n", UNROLL_VL_REG);
}

/* Results of elements that are no bytes are not seen. */
static bool shows(const struct unroll_operand *o)
{
    return o->is_float || o->reg;
}

static void block_integer(void)
{
    static const enum unroll_kind kinds[] = {UNROLL_INTEGER, UNROLL_INTEGER, UNROLL_INTEGER, UNROLL_IMMEDIATE,
                                             UNROLL_SHIFT,   UNROLL_UNARY,   UNROLL_MOVE};
    struct unroll_insn n = {.kind = kinds[unroll_below(UTIL_ARRAY_SIZE(kinds))]};
    unroll_begin_saturation(&n);
    begin_block(&n);
    n.rd = integer_entry(&n, 5, true);
    n.rs1 = integer_entry(&n, 6, false);
    if (n.kind == UNROLL_INTEGER) {
        unroll_name(&n, unroll_integers, UNROLL_INTEGERS);
        n.rs2 = integer_entry(&n, 7, false);
    } else if (n.kind == UNROLL_IMMEDIATE) {
        unroll_name(&n, unroll_immediates, UNROLL_IMMEDIATES);
    } else if (n.kind == UNROLL_SHIFT) {
        unroll_name(&n, unroll_shifts, UNROLL_SHIFTS);
    } else if (n.kind == UNROLL_UNARY) {
        unroll_name(&n, unroll_unaries, UNROLL_UNARIES);
    } else {
        n.name = "c.mv";
        n.twin = true;
    }
    n.imm = unroll_number(&n);
    preds_text(&n, "x5", n.twin && n.rs1.tagged ? "x6" : NULL, shows(&n.rd) ? PERHAPS : NEVER);
    unroll_say("%s%s x5, x6", n.name, n.word ? "w" : "");
    if (n.kind == UNROLL_INTEGER)
        unroll_say(", x7");
    else if (n.kind == UNROLL_IMMEDIATE || n.kind == UNROLL_SHIFT)
        unroll_say(", %d", n.imm);
    end_block(&n);
    unroll_end_saturation(&n);
}

/* A sign from a register to itself is a move, with two masks. */
static void block_float(void)
{
    const struct unroll_float_name *f = &unroll_float_names[unroll_below(UNROLL_FLOAT_NAMES)];
    struct unroll_insn n = {
        .kind = UNROLL_FLOAT, .name = f->name, .has_2 = f->sources > 1, .has_3 = f->sources > 2};
    const unsigned format = unroll_below(3);
    n.opcode = unroll_format_bits[format];
    n.twin = strncmp(f->name, "fsgn", 4) == 0 && unroll_one_in(2);
    begin_block(&n);
    n.rd = f->tests ? integer_entry(&n, 5, true) : float_entry(&n, 1, true);
    n.rs1 = float_entry(&n, 2, false);
    if (n.has_2)
        n.rs2 = n.twin ? n.rs1 : float_entry(&n, 3, false);
    if (n.has_3)
        n.rs3 = float_entry(&n, 4, false);
    preds_text(&n, f->tests ? "x5" : "f1", n.twin && n.rs1.tagged ? "f2" : NULL,
               shows(&n.rd) ? PERHAPS : NEVER);
    unroll_say("%s%s %s, f2", n.name, unroll_formats[format], f->tests ? "x5" : "f1");
    if (n.has_2)
        unroll_say(n.twin ? ", f2" : ", f3");
    if (n.has_3)
        unroll_say(", f4");
    end_block(&n);
}

/* Elements of memory have a width of their own, of floats none of 8 bits; fail-first is near the end of memory. */
static void block_memory(void)
{
    const struct unroll_access_name *a = &unroll_accesses[unroll_below(UNROLL_ACCESSES)];
    struct unroll_insn n = {
        .kind = a->store ? UNROLL_STORE : UNROLL_LOAD, .twin = true, .name = a->name, .sign = a->sign};
    const char *const key = a->is_float ? "f1" : "x5";
    n.opcode = n.memory = a->bits;
    begin_block(&n);
    const struct unroll_operand data = a->is_float ? float_entry(&n, 1, true) : integer_entry(&n, 5, true);
    const bool first = unroll_one_in(4);
    n.rs1 = unroll_address(&n, false);
    if (first)
        n.rs1 = (struct unroll_operand){.tagged = true, .width = 64, .reg = END_BASE};
    if (unroll_one_in(2))
        n.memory = unroll_widths[a->is_float ? (unroll_below(2) ? 0 : 2 + unroll_below(2)) : unroll_below(4)];
    unroll_say("x6=x%u%s", n.rs1.reg, n.rs1.vector ? "v" : "");
    if (n.memory == 64)
        n.memory = n.opcode;
    if (n.memory != n.opcode)
        unroll_say(":%u", n.memory);
    unroll_say(", ");
    n.imm = first ? 0 : (int)unroll_below(512) - 256;
    if (a->store)
        n.rs2 = data;
    else
        n.rd = data;
    preds_text(&n, a->store ? "x6" : key, a->store ? key : "x6", first ? ALWAYS : NEVER);
    unroll_say("%s %s, %d(x6)", n.name, key, n.imm);
    end_block(&n);
}

static void block_atomic(void)
{
    struct unroll_insn n = {.kind = UNROLL_ATOMIC};
    char name[16];
    begin_block(&n);
    n.opcode = unroll_one_in(2) ? 64 : 32;
    snprintf(name, sizeof name, "%s.%s", atomics[unroll_below(UTIL_ARRAY_SIZE(atomics))],
             n.opcode == 64 ? "d" : "w");
    n.name = name;
    n.rd = integer_entry(&n, 5, true);
    n.rs1 = unroll_address(&n, true);
    unroll_say("x6=x%u%s, ", n.rs1.reg, n.rs1.vector ? "v" : "");
    n.rs2 = integer_entry(&n, 7, false);
    preds_text(&n, "x5", NULL, shows(&n.rd) ? PERHAPS : NEVER);
    unroll_say("%s x5, x7, (x6)", n.name);
    end_block(&n);
}

static void block_branch(unsigned label)
{
    struct unroll_insn n = {.kind = UNROLL_BRANCH};
    begin_block(&n);
    unroll_name(&n, branches, UTIL_ARRAY_SIZE(branches));
    n.rs1 = integer_entry(&n, 6, true);
    n.rs2 = integer_entry(&n, 7, false);
    preds_text(&n, NULL, "x6", PERHAPS);
    /* Where results go needs no entry of the register. */
    if (n.source.there && unroll_one_in(2)) {
        unroll_unsay(") { ");
        n.dest = (struct unroll_mask){.there = true, .reg = 18 + unroll_below(14)};
        unroll_say(", x7=x%u) { ", n.dest.reg);
    }
    unroll_say("%s x6, x7, on%u", n.name, label);
    unroll_say(" ; c.nop }\naddi x%u, x%u, 1\non%u: ", UNROLL_NOT_TAKEN, UNROLL_NOT_TAKEN, label);
    unroll(&n);
    if (n.source.ffirst)
        unroll_say("csrrs x%u, vl, x0\n", UNROLL_VL_REG);
    else
        unroll_say("c.nop\n");
}

static void block_swizzle(void)
{
    struct unroll_insn n = {.kind = UNROLL_SWIZZLE, .twin = true, .imm = (int)unroll_below(256)};
    begin_block(&n);
    n.rd = integer_entry(&n, 5, true);
    n.rs1 = integer_entry(&n, 6, true);
    preds_text(&n, "x5", "x6", NEVER);
    unroll_say("mv.swizzle x5, x6, ");
    for (unsigned s = 0; s < 4; s++)
        unroll_say("%c", "xyzw"[n.imm >> 2 * s & 3]);
    end_block(&n);
}

void unroll_block(unsigned label)
{
    switch (unroll_below(10)) {
    case 0:
    case 1:
    case 2: block_integer(); return;
    case 3:
    case 4: block_float(); return;
    case 5:
    case 6: block_memory(); return;
    case 7: block_atomic(); return;
    case 8: block_branch(label); return;
    default: block_swizzle(); return;
    }
}
