/* Random instructions with a prefix: P48, or P64, which may set VL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/riscv/unroll_random.h"
#include "util/bits.h"

/* `wide`: what an integer of another width than the opcode's is converted from, once extended; NULL: none may have one. */
static const struct conversion {
    const char *name, *wide;
    unsigned from, to; /* bits of a float; 0: an integer, of words unless it is wide */
    bool sign;
} conversions[] = {{"fcvt.s.w", "fcvt.s.l", 0, 32, 1}, {"fcvt.s.wu", "fcvt.s.lu", 0, 32, 0},
                   {"fcvt.d.w", "fcvt.d.l", 0, 64, 1}, {"fcvt.d.wu", "fcvt.d.lu", 0, 64, 0},
                   {"fcvt.h.w", "fcvt.h.l", 0, 16, 1}, {"fcvt.h.wu", "fcvt.h.lu", 0, 16, 0},
                   {"fcvt.w.s", NULL, 32, 0, 1},       {"fcvt.wu.s", NULL, 32, 0, 0},
                   {"fcvt.w.d", NULL, 64, 0, 1},       {"fcvt.wu.d", NULL, 64, 0, 0},
                   {"fcvt.w.h", NULL, 16, 0, 1},       {"fcvt.wu.h", NULL, 16, 0, 0},
                   {"fcvt.s.d", NULL, 64, 32, 0},      {"fcvt.d.s", NULL, 32, 64, 0},
                   {"fcvt.s.h", NULL, 16, 32, 0},      {"fcvt.h.s", NULL, 32, 16, 0},
                   {"fcvt.d.h", NULL, 16, 64, 0},      {"fcvt.h.d", NULL, 64, 16, 0},
                   {"fmv.x.w", NULL, 32, 0, 1},        {"fmv.x.d", NULL, 64, 0, 1},
                   {"fmv.x.h", NULL, 16, 0, 1},        {"fmv.w.x", "fmv.w.x", 0, 32, 0},
                   {"fmv.d.x", "fmv.d.x", 0, 64, 0},   {"fmv.h.x", "fmv.h.x", 0, 16, 0}};

struct prefixed {
    struct unroll_insn n;
    unsigned svlen; /* 0: none */
    bool own;       /* it sets VL itself, which P64 can */
    unsigned itype;
};

static struct prefixed begin(enum unroll_kind kind)
{
    struct prefixed p = {.n = {.kind = kind},
                         .svlen = unroll_one_in(3) ? 2 + unroll_below(3) : 0,
                         .own = unroll_one_in(3),
                         .itype = 64};
    p.n.vl = 1 + unroll_below(unroll_one_in(6) ? 20 : 7);
    p.n.subvl = p.svlen ? p.svlen : unroll_subvl;
    if (p.n.vl * p.n.subvl > UNROLL_MOST)
        p.n.vl = UNROLL_MOST / p.n.subvl;
    if (!p.own)
        unroll_say("sv.setvl x0, x0, %u\n", p.n.vl);
    return p;
}

static bool fits_48(const struct unroll_operand *o)
{
    return o->vector ? o->reg % 2 == 0 : o->reg < 64;
}

static void name_text(const struct prefixed *p, const char *name, const char *format)
{
    const struct unroll_insn *n = &p->n;
    const bool fits = fits_48(&n->rd) && fits_48(&n->rs1) && fits_48(&n->rs2) && fits_48(&n->rs3);
    unroll_say("p%u %s%s%s ", fits && !p->own ? 48 : 64, name, n->word ? "w" : "", format);
}

static void end_text(const struct prefixed *p)
{
    if (p->itype < 64)
        unroll_say(", itype:%u", p->itype);
    if (p->svlen)
        unroll_say(", svlen:%u", p->svlen);
}

static void end_line(const struct prefixed *p)
{
    if (p->own)
        unroll_say(", both:%u", p->n.vl);
    unroll_say("\n");
}

/* Of integers x9 alone. */
static void mask_text(struct prefixed *p, bool integers_only)
{
    const unsigned most = integers_only ? 2 : 6, which = unroll_below(most + 1);
    end_text(p);
    if (which < most) {
        p->n.dest = (struct unroll_mask){.there = true, .invert = which % 2, .reg = 9 + which / 2};
        unroll_say(", pred:%sx%u", which % 2 ? "!" : "", 9 + which / 2);
    }
    end_line(p);
    unroll(&p->n);
}

static void masks_text(struct prefixed *p)
{
    const bool invert = unroll_one_in(2), source = !unroll_one_in(3), dest = !unroll_one_in(3);
    end_text(p);
    if (source) {
        p->n.source = (struct unroll_mask){.there = true, .invert = invert, .reg = 9};
        unroll_say(", src:%sx9", invert ? "!" : "");
    }
    if (dest) {
        p->n.dest = (struct unroll_mask){.there = true, .invert = invert, .reg = 10};
        unroll_say(", dst:%sx10", invert ? "!" : "");
    }
    end_line(p);
    p->n.twin = true;
    unroll(&p->n);
}

static void prefixed_integer(void)
{
    struct prefixed p = begin(UNROLL_INTEGER);
    struct unroll_insn *n = &p.n;
    const bool v1 = !unroll_one_in(4), v2 = !unroll_one_in(3);
    p.itype = unroll_widths[unroll_below(4)];
    unroll_name(n, unroll_integers, UNROLL_INTEGERS);
    n->rd = unroll_some_integer(n, v1 || v2, p.itype, true);
    n->rs1 = unroll_some_integer(n, v1, p.itype, false);
    n->rs2 = unroll_some_integer(n, v2, p.itype, false);
    if (p.itype < 64)
        unroll_begin_saturation(n);
    name_text(&p, n->name, "");
    unroll_say_operands(&n->rd, &n->rs1, &n->rs2);
    mask_text(&p, true);
    unroll_end_saturation(n);
}

/* Of ZEXT.H, which has the form of two registers, the result is a vector as the source is. */
static void prefixed_unary(void)
{
    struct prefixed p = begin(UNROLL_UNARY);
    struct unroll_insn *n = &p.n;
    const bool vector = !unroll_one_in(3);
    p.itype = unroll_widths[unroll_below(4)];
    unroll_name(n, unroll_unaries, UNROLL_UNARIES);
    const bool one_mask = strcmp(n->name, "zext.h") == 0;
    n->rs1 = unroll_some_integer(n, vector, p.itype, false);
    n->rd = unroll_some_integer(n, one_mask ? vector : !unroll_one_in(3), p.itype, true);
    if (p.itype < 64)
        unroll_begin_saturation(n);
    name_text(&p, n->name, "");
    unroll_say_operands(&n->rd, &n->rs1, NULL);
    if (one_mask)
        mask_text(&p, true);
    else
        masks_text(&p);
    unroll_end_saturation(n);
}

static void prefixed_immediate(enum unroll_kind kind)
{
    struct prefixed p = begin(kind);
    struct unroll_insn *n = &p.n;
    p.itype = unroll_widths[unroll_below(4)];
    if (kind == UNROLL_SHIFT)
        unroll_name(n, unroll_shifts, UNROLL_SHIFTS);
    else
        unroll_name(n, unroll_immediates, UNROLL_IMMEDIATES);
    n->imm = unroll_number(n);
    n->rd = unroll_some_integer(n, !unroll_one_in(3), p.itype, true);
    n->rs1 = unroll_some_integer(n, !unroll_one_in(3), p.itype, false);
    char name[16];
    snprintf(name, sizeof name, "%s", n->name);
    if (p.itype < 64)
        unroll_begin_saturation(n);
    name_text(&p, name, "");
    unroll_say_operands(&n->rd, &n->rs1, NULL);
    unroll_say(", %d", n->imm);
    masks_text(&p);
    unroll_end_saturation(n);
}

static void prefixed_upper(void)
{
    struct prefixed p = begin(UNROLL_UPPER);
    struct unroll_insn *n = &p.n;
    p.itype = unroll_widths[unroll_below(4)];
    n->name = "lui";
    n->imm = (int)unroll_below(1u << 20);
    n->rd = unroll_some_integer(n, !unroll_one_in(3), p.itype, true);
    if (p.itype < 64)
        unroll_begin_saturation(n);
    name_text(&p, n->name, "");
    unroll_say_operand(&n->rd);
    unroll_say(", %d", n->imm);
    mask_text(&p, true);
    unroll_end_saturation(n);
}

static void prefixed_float(void)
{
    struct prefixed p = begin(UNROLL_FLOAT);
    struct unroll_insn *n = &p.n;
    const struct unroll_float_name *f = &unroll_float_names[unroll_below(UNROLL_FLOAT_NAMES)];
    const unsigned format = unroll_below(unroll_one_in(4) ? 3 : 2), width = unroll_format_bits[format];
    bool v1 = !unroll_one_in(3), v2 = !unroll_one_in(3), v3 = !unroll_one_in(3), vd = !unroll_one_in(3);
    n->name = f->name;
    n->has_2 = f->sources > 1;
    n->has_3 = f->sources > 2;
    if (n->has_3)
        v1 = v2 || v3;
    if (n->has_2)
        vd = n->has_3 ? v1 : v1 || v2;
    n->rd = f->tests ? unroll_some_integer(n, vd, 64, true) : unroll_some_float(n, vd, width);
    n->rs1 = unroll_some_float(n, v1, width);
    n->rs2 = n->has_2 ? unroll_some_float(n, v2, width) : n->rs1;
    n->rs3 = n->has_3 ? unroll_some_float(n, v3, width) : n->rs1;
    name_text(&p, n->name, unroll_formats[format]);
    unroll_say_operands(&n->rd, &n->rs1, n->has_2 ? &n->rs2 : NULL);
    if (n->has_3) {
        unroll_say(", ");
        unroll_say_operand(&n->rs3);
    }
    if (n->has_2)
        mask_text(&p, false);
    else
        masks_text(&p);
}

static void prefixed_conversion(void)
{
    struct prefixed p = begin(UNROLL_CONVERT);
    struct unroll_insn *n = &p.n;
    const struct conversion *c = &conversions[unroll_below(UTIL_ARRAY_SIZE(conversions))];
    if (!c->from || !c->to)
        p.itype = c->wide             ? unroll_widths[unroll_below(4)]
                  : c->name[1] == 'm' ? unroll_widths[unroll_below(4)]
                  : unroll_one_in(2)  ? 64
                                      : 32;
    n->name = c->wide && p.itype < 64 ? c->wide : c->name;
    n->sign = c->sign;
    n->rd = c->to ? unroll_some_float(n, !unroll_one_in(3), c->to)
                  : unroll_some_integer(n, !unroll_one_in(3), p.itype, true);
    n->rs1 = c->from ? unroll_some_float(n, !unroll_one_in(3), c->from)
                     : unroll_some_integer(n, !unroll_one_in(3), p.itype, false);
    name_text(&p, c->name, "");
    unroll_say_operands(&n->rd, &n->rs1, NULL);
    masks_text(&p);
}

static void prefixed_memory(void)
{
    const struct unroll_access_name *a = &unroll_accesses[unroll_below(UNROLL_ACCESSES)];
    struct prefixed p = begin(a->store ? UNROLL_STORE : UNROLL_LOAD);
    struct unroll_insn *n = &p.n;
    const bool vector = !unroll_one_in(4);
    p.itype = a->is_float ? 64 : unroll_widths[unroll_below(4)];
    n->name = a->name;
    n->sign = a->sign;
    n->opcode = n->memory = a->bits;
    const struct unroll_operand data =
        a->is_float ? unroll_some_float(n, vector, a->bits) : unroll_some_integer(n, vector, p.itype, true);
    n->rs1 = unroll_address(n, false);
    n->imm = (int)unroll_below(512) - 256;
    if (a->store)
        n->rs2 = data;
    else
        n->rd = data;
    name_text(&p, n->name, "");
    unroll_say_operand(&data);
    unroll_say(", %d(x%u%s)", n->imm, n->rs1.reg, n->rs1.vector ? "v" : "");
    masks_text(&p);
}

static void prefixed_swizzle(void)
{
    struct prefixed p = begin(UNROLL_SWIZZLE);
    struct unroll_insn *n = &p.n;
    const bool floats = unroll_one_in(2);
    static const unsigned float_widths[] = {64, 16, 32};
    p.itype = floats ? float_widths[unroll_below(3)] : unroll_widths[unroll_below(4)];
    n->imm = (int)unroll_below(256);
    n->rd = floats ? unroll_some_float(n, !unroll_one_in(3), p.itype)
                   : unroll_some_integer(n, !unroll_one_in(3), p.itype, true);
    n->rs1 = floats ? unroll_some_float(n, !unroll_one_in(3), p.itype)
                    : unroll_some_integer(n, !unroll_one_in(3), p.itype, false);
    n->rd.boxed = n->rs1.boxed = false; /* of 64 bits a box is nothing */
    name_text(&p, floats ? "fmv.swizzle" : "mv.swizzle", "");
    unroll_say_operands(&n->rd, &n->rs1, NULL);
    unroll_say(", ");
    for (unsigned s = 0; s < 4; s++)
        unroll_say("%c", "xyzw"[n->imm >> 2 * s & 3]);
    masks_text(&p);
}

/* Its indices are small, which the instruction before makes them, and stand where no result goes. */
static void prefixed_index(void)
{
    struct prefixed p = begin(UNROLL_IMMEDIATE);
    struct unroll_insn *n = &p.n;
    const bool floats = unroll_one_in(2), v1 = unroll_one_in(2), v2 = !unroll_one_in(4);
    p.itype = unroll_widths[floats ? (unroll_below(2) ? 0 : 2 + unroll_below(2)) : unroll_below(4)];
    n->name = "andi";
    n->imm = INDEX_MAX;
    n->twin = true;
    n->rs1 = unroll_some_integer(n, true, p.itype, false);
    n->rd = n->rs1;
    n->rd.reg = INDICES;
    name_text(&p, n->name, "");
    unroll_say_operands(&n->rd, &n->rs1, NULL);
    unroll_say(", %d", n->imm);
    end_text(&p);
    end_line(&p);
    unroll(n);
    n->kind = UNROLL_INDEXED;
    n->twin = false;
    n->rs2 = n->rd;
    n->rs2.vector = v2;
    n->rs1 = floats ? unroll_some_float(n, v1, p.itype) : unroll_some_integer(n, v1, p.itype, false);
    n->rs1.reg = UTIL_MIN(n->rs1.reg, 127u - INDEX_MAX);
    n->rd =
        floats ? unroll_some_float(n, v1 || v2, p.itype) : unroll_some_integer(n, v1 || v2, p.itype, true);
    if (!floats)
        n->rd.reg = unroll_reg(n, RESULTS, INDICES, n->rd.vector, 64);
    n->rd.boxed = n->rs1.boxed = false;
    name_text(&p, floats ? "fmv.x" : "mv.x", "");
    unroll_say_operands(&n->rd, &n->rs1, &n->rs2);
    mask_text(&p, true);
}

void unroll_prefixed(void)
{
    switch (unroll_below(14)) {
    case 0:
    case 1:
    case 2: prefixed_integer(); return;
    case 3: prefixed_unary(); return;
    case 4: prefixed_immediate(UNROLL_IMMEDIATE); return;
    case 5: prefixed_immediate(UNROLL_SHIFT); return;
    case 6: prefixed_upper(); return;
    case 7:
    case 8: prefixed_float(); return;
    case 9: prefixed_conversion(); return;
    case 10:
    case 11: prefixed_memory(); return;
    case 12: prefixed_swizzle(); return;
    default: prefixed_index(); return;
    }
}
