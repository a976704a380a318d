/* Random vector instructions, as text and unrolled: with a prefix, or in a VBLOCK of their own. Masks are x9 to x11, addresses
 * x12 to x15 and x112 to x127, which nothing writes; results go to x16 on, or to x0 and a few behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "isa/random.h"
#include "tests/riscv/unroll.h"
#include "util/bits.h"

enum {
    INSNS = 32,
    TEXT_BYTES = 16384,
    BASE = 12,       /* x12 to x14: within memory */
    END_BASE = 15,   /* a few bytes before the end of memory */
    ADDRESSES = 112, /* x112 to x127 */
    ALIGNED = 120,   /* and from here on aligned */
    RESULTS = 16,
    INDICES = 84, /* to x107 */
    INDEX_MAX = 7
};

static struct isa_random r;
static char sv[TEXT_BYTES];
static size_t sv_length;
static unsigned csr_subvl;
static unsigned labels;

static uint32_t below(uint32_t n)
{
    return isa_random_below(&r, n);
}

static bool one_in(unsigned n)
{
    return isa_random_one_in(&r, n);
}

__attribute__((format(printf, 1, 2))) static void sv_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sv_length += (size_t)vsnprintf(sv + sv_length, sizeof sv - sv_length, format, args);
    va_end(args);
    assert_true(sv_length < sizeof sv);
}

/* ---- which there are ---- */

struct integer_name {
    const char *name;
    enum unroll_how how;
    bool word; /* has a form of words */
};
static const struct integer_name integers[] = {
    {"add", UNROLL_PLAIN, 1},        {"sub", UNROLL_PLAIN, 1},       {"and", UNROLL_PLAIN, 0},
    {"or", UNROLL_PLAIN, 0},         {"xor", UNROLL_PLAIN, 0},       {"andn", UNROLL_PLAIN, 0},
    {"orn", UNROLL_PLAIN, 0},        {"xnor", UNROLL_PLAIN, 0},      {"minu", UNROLL_PLAIN, 0},
    {"maxu", UNROLL_PLAIN, 0},       {"sltu", UNROLL_PLAIN, 0},      {"mul", UNROLL_PLAIN, 1},
    {"divu", UNROLL_PLAIN, 1},       {"remu", UNROLL_PLAIN, 1},      {"min", UNROLL_SIGNED, 0},
    {"max", UNROLL_SIGNED, 0},       {"slt", UNROLL_SIGNED, 0},      {"div", UNROLL_SIGNED, 1},
    {"rem", UNROLL_SIGNED, 1},       {"sll", UNROLL_SHIFT_LEFT, 1},  {"srl", UNROLL_SHIFT_RIGHT, 1},
    {"sra", UNROLL_SHIFT_SIGNED, 1}, {"rol", UNROLL_ROTATE_LEFT, 1}, {"ror", UNROLL_ROTATE_RIGHT, 1},
    {"mulhu", UNROLL_HIGH, 0},       {"mulh", UNROLL_SIGNED, 0},     {"mulhsu", UNROLL_SIGNED_FIRST, 0}};
static const struct integer_name shifts[] = {{"slli", UNROLL_SHIFT_LEFT, 1},
                                             {"srli", UNROLL_SHIFT_RIGHT, 1},
                                             {"srai", UNROLL_SHIFT_SIGNED, 1},
                                             {"rori", UNROLL_ROTATE_RIGHT, 1}};
static const struct integer_name immediates[] = {{"addi", UNROLL_PLAIN, 1},  {"xori", UNROLL_PLAIN, 0},
                                                 {"ori", UNROLL_PLAIN, 0},   {"andi", UNROLL_PLAIN, 0},
                                                 {"slti", UNROLL_SIGNED, 0}, {"sltiu", UNROLL_PLAIN, 0}};
static const struct integer_name unaries[] = {{"clz", UNROLL_PLAIN, 1},    {"ctz", UNROLL_PLAIN, 1},
                                              {"cpop", UNROLL_PLAIN, 1},   {"sext.b", UNROLL_PLAIN, 0},
                                              {"sext.h", UNROLL_PLAIN, 0}, {"orc.b", UNROLL_PLAIN, 0},
                                              {"rev8", UNROLL_PLAIN, 0},   {"zext.h", UNROLL_PLAIN, 0}};
static const struct integer_name branches[] = {{"beq", UNROLL_PLAIN, 0},  {"bne", UNROLL_PLAIN, 0},
                                               {"blt", UNROLL_SIGNED, 0}, {"bge", UNROLL_SIGNED, 0},
                                               {"bltu", UNROLL_PLAIN, 0}, {"bgeu", UNROLL_PLAIN, 0}};

static const struct float_name {
    const char *name;
    unsigned sources;
    bool tests;
} float_names[] = {{"fadd", 2, 0},   {"fsub", 2, 0},   {"fmul", 2, 0},   {"fdiv", 2, 0}, {"fsgnj", 2, 0},
                   {"fsgnjn", 2, 0}, {"fsgnjx", 2, 0}, {"fmin", 2, 0},   {"fmax", 2, 0}, {"fmadd", 3, 0},
                   {"fmsub", 3, 0},  {"fnmadd", 3, 0}, {"fnmsub", 3, 0}, {"feq", 2, 1},  {"flt", 2, 1},
                   {"fle", 2, 1},    {"fsqrt", 1, 0},  {"fclass", 1, 1}};

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

static const struct access {
    const char *name;
    unsigned bits;
    bool sign, is_float, store;
} accesses[] = {{"lb", 8, 1, 0, 0},   {"lbu", 8, 0, 0, 0},  {"lh", 16, 1, 0, 0},  {"lhu", 16, 0, 0, 0},
                {"lw", 32, 1, 0, 0},  {"lwu", 32, 0, 0, 0}, {"ld", 64, 1, 0, 0},  {"flh", 16, 0, 1, 0},
                {"flw", 32, 0, 1, 0}, {"fld", 64, 0, 1, 0}, {"sb", 8, 0, 0, 1},   {"sh", 16, 0, 0, 1},
                {"sw", 32, 0, 0, 1},  {"sd", 64, 0, 0, 1},  {"fsh", 16, 0, 1, 1}, {"fsw", 32, 0, 1, 1},
                {"fsd", 64, 0, 1, 1}};

static const char *const atomics[] = {"amoswap", "amoadd", "amoxor",  "amoand", "amoor",
                                      "amomin",  "amomax", "amominu", "amomaxu"};

static const unsigned widths[] = {64, 8, 16, 32};

static const struct integer_name *some_name(struct unroll_insn *n, const struct integer_name *names,
                                            unsigned count)
{
    const struct integer_name *name = &names[below(count)];
    n->name = name->name;
    n->how = name->how;
    n->word = name->word && one_in(3);
    return name;
}

/* ---- operands ---- */

/* `first` on, before `end`, with room for all elements, and for a sub-vector that a swizzle reads beyond them. */
static unsigned some_reg(const struct unroll_insn *n, unsigned first, unsigned end, bool vector,
                         unsigned width)
{
    const unsigned regs = ((vector ? n->vl * n->subvl : n->subvl) * width / 8 + 7) / 8 + 4;
    assert_true(first + regs <= end);
    return first + below(end - first - regs + 1);
}

static struct unroll_operand some_integer(const struct unroll_insn *n, bool vector, unsigned width,
                                          bool result)
{
    struct unroll_operand o = {.vector = vector, .tagged = true, .width = width, .given = width < 64};
    const bool zero = one_in(12) && (!result || !vector || n->vl * n->subvl * width <= 8 * 64);
    o.reg = zero ? 0 : some_reg(n, RESULTS, ADDRESSES, vector, 64);
    return o;
}

static struct unroll_operand some_float(const struct unroll_insn *n, bool vector, unsigned width)
{
    struct unroll_operand o = {.is_float = true, .vector = vector, .tagged = true, .width = width};
    o.boxed = !vector && n->subvl == 1;
    o.reg = some_reg(n, 0, 128, vector, 64);
    return o;
}

static void text_of(const struct unroll_operand *o)
{
    sv_text("%c%u%s", o->is_float ? 'f' : 'x', o->reg, o->vector ? "v" : "");
}

/* Operands in their order; the third, or NULL. */
static void three_text(const struct unroll_operand *a, const struct unroll_operand *b,
                       const struct unroll_operand *c)
{
    text_of(a);
    sv_text(", ");
    text_of(b);
    if (c) {
        sv_text(", ");
        text_of(c);
    }
}

/* ---- with a prefix ---- */

struct prefixed {
    struct unroll_insn n;
    unsigned svlen; /* 0: none */
    bool own;       /* it sets VL itself, which P64 can */
    unsigned itype;
};

static struct prefixed begin(enum unroll_kind kind)
{
    struct prefixed p = {
        .n = {.kind = kind}, .svlen = one_in(3) ? 2 + below(3) : 0, .own = one_in(3), .itype = 64};
    p.n.vl = 1 + below(one_in(6) ? 20 : 7);
    p.n.subvl = p.svlen ? p.svlen : csr_subvl;
    if (p.n.vl * p.n.subvl > UNROLL_MOST)
        p.n.vl = UNROLL_MOST / p.n.subvl;
    if (!p.own)
        sv_text("sv.setvl x0, x0, %u\n", p.n.vl);
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
    sv_text("p%u %s%s%s ", fits && !p->own ? 48 : 64, name, n->word ? "w" : "", format);
}

static void end_text(const struct prefixed *p)
{
    if (p->itype < 64)
        sv_text(", itype:%u", p->itype);
    if (p->svlen)
        sv_text(", svlen:%u", p->svlen);
}

static void end_line(const struct prefixed *p)
{
    if (p->own)
        sv_text(", both:%u", p->n.vl);
    sv_text("\n");
}

/* Of integers x9 alone. */
static void mask_text(struct prefixed *p, bool integers_only)
{
    const unsigned most = integers_only ? 2 : 6, which = below(most + 1);
    end_text(p);
    if (which < most) {
        p->n.dest = (struct unroll_mask){.there = true, .invert = which % 2, .reg = 9 + which / 2};
        sv_text(", pred:%sx%u", which % 2 ? "!" : "", 9 + which / 2);
    }
    end_line(p);
    unroll(&p->n);
}

static void masks_text(struct prefixed *p)
{
    const bool invert = one_in(2), source = !one_in(3), dest = !one_in(3);
    end_text(p);
    if (source) {
        p->n.source = (struct unroll_mask){.there = true, .invert = invert, .reg = 9};
        sv_text(", src:%sx9", invert ? "!" : "");
    }
    if (dest) {
        p->n.dest = (struct unroll_mask){.there = true, .invert = invert, .reg = 10};
        sv_text(", dst:%sx10", invert ? "!" : "");
    }
    end_line(p);
    p->n.twin = true;
    unroll(&p->n);
}

static void prefixed_integer(void)
{
    struct prefixed p = begin(UNROLL_INTEGER);
    struct unroll_insn *n = &p.n;
    const bool v1 = !one_in(4), v2 = !one_in(3);
    p.itype = widths[below(4)];
    some_name(n, integers, UTIL_ARRAY_SIZE(integers));
    n->rd = some_integer(n, v1 || v2, p.itype, true);
    n->rs1 = some_integer(n, v1, p.itype, false);
    n->rs2 = some_integer(n, v2, p.itype, false);
    name_text(&p, n->name, "");
    three_text(&n->rd, &n->rs1, &n->rs2);
    mask_text(&p, true);
}

/* Of ZEXT.H, which has the form of two registers, the result is a vector as the source is. */
static void prefixed_unary(void)
{
    struct prefixed p = begin(UNROLL_UNARY);
    struct unroll_insn *n = &p.n;
    const bool vector = !one_in(3);
    p.itype = widths[below(4)];
    some_name(n, unaries, UTIL_ARRAY_SIZE(unaries));
    const bool one_mask = strcmp(n->name, "zext.h") == 0;
    n->rs1 = some_integer(n, vector, p.itype, false);
    n->rd = some_integer(n, one_mask ? vector : !one_in(3), p.itype, true);
    name_text(&p, n->name, "");
    three_text(&n->rd, &n->rs1, NULL);
    if (one_mask)
        mask_text(&p, true);
    else
        masks_text(&p);
}

static int some_number(const struct unroll_insn *n)
{
    if (n->kind == UNROLL_SHIFT)
        return (int)below(n->word ? 32 : 64);
    return (int)below(4096) - 2048;
}

static void prefixed_immediate(enum unroll_kind kind)
{
    struct prefixed p = begin(kind);
    struct unroll_insn *n = &p.n;
    p.itype = widths[below(4)];
    if (kind == UNROLL_SHIFT)
        some_name(n, shifts, UTIL_ARRAY_SIZE(shifts));
    else
        some_name(n, immediates, UTIL_ARRAY_SIZE(immediates));
    n->imm = some_number(n);
    n->rd = some_integer(n, !one_in(3), p.itype, true);
    n->rs1 = some_integer(n, !one_in(3), p.itype, false);
    char name[16];
    snprintf(name, sizeof name, "%s", n->name);
    name_text(&p, name, "");
    three_text(&n->rd, &n->rs1, NULL);
    sv_text(", %d", n->imm);
    masks_text(&p);
}

static void prefixed_upper(void)
{
    struct prefixed p = begin(UNROLL_UPPER);
    struct unroll_insn *n = &p.n;
    p.itype = widths[below(4)];
    n->name = "lui";
    n->imm = (int)below(1u << 20);
    n->rd = some_integer(n, !one_in(3), p.itype, true);
    name_text(&p, n->name, "");
    text_of(&n->rd);
    sv_text(", %d", n->imm);
    mask_text(&p, true);
}

static const char *const formats[] = {".s", ".d", ".h"};
static const unsigned format_bits[] = {32, 64, 16};

static void prefixed_float(void)
{
    struct prefixed p = begin(UNROLL_FLOAT);
    struct unroll_insn *n = &p.n;
    const struct float_name *f = &float_names[below(UTIL_ARRAY_SIZE(float_names))];
    const unsigned format = below(one_in(4) ? 3 : 2), width = format_bits[format];
    bool v1 = !one_in(3), v2 = !one_in(3), v3 = !one_in(3), vd = !one_in(3);
    n->name = f->name;
    n->has_2 = f->sources > 1;
    n->has_3 = f->sources > 2;
    if (n->has_3)
        v1 = v2 || v3;
    if (n->has_2)
        vd = n->has_3 ? v1 : v1 || v2;
    n->rd = f->tests ? some_integer(n, vd, 64, true) : some_float(n, vd, width);
    n->rs1 = some_float(n, v1, width);
    n->rs2 = n->has_2 ? some_float(n, v2, width) : n->rs1;
    n->rs3 = n->has_3 ? some_float(n, v3, width) : n->rs1;
    name_text(&p, n->name, formats[format]);
    three_text(&n->rd, &n->rs1, n->has_2 ? &n->rs2 : NULL);
    if (n->has_3) {
        sv_text(", ");
        text_of(&n->rs3);
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
    const struct conversion *c = &conversions[below(UTIL_ARRAY_SIZE(conversions))];
    if (!c->from || !c->to)
        p.itype = c->wide ? widths[below(4)] : c->name[1] == 'm' ? widths[below(4)] : one_in(2) ? 64 : 32;
    n->name = c->wide && p.itype < 64 ? c->wide : c->name;
    n->sign = c->sign;
    n->rd = c->to ? some_float(n, !one_in(3), c->to) : some_integer(n, !one_in(3), p.itype, true);
    n->rs1 = c->from ? some_float(n, !one_in(3), c->from) : some_integer(n, !one_in(3), p.itype, false);
    name_text(&p, c->name, "");
    three_text(&n->rd, &n->rs1, NULL);
    masks_text(&p);
}

/* Addresses, one or as many as elements. */
static struct unroll_operand some_address(const struct unroll_insn *n, bool aligned)
{
    const unsigned first = aligned ? ALIGNED : ADDRESSES;
    const bool each = n->vl * n->subvl <= 128 - first && one_in(3);
    return (struct unroll_operand){.vector = each,
                                   .tagged = true,
                                   .width = 64,
                                   .reg = each      ? first
                                          : aligned ? ALIGNED + below(8 - n->subvl + 1)
                                                    : BASE + below(3)};
}

static void prefixed_memory(void)
{
    const struct access *a = &accesses[below(UTIL_ARRAY_SIZE(accesses))];
    struct prefixed p = begin(a->store ? UNROLL_STORE : UNROLL_LOAD);
    struct unroll_insn *n = &p.n;
    const bool vector = !one_in(4);
    p.itype = a->is_float ? 64 : widths[below(4)];
    n->name = a->name;
    n->sign = a->sign;
    n->opcode = n->memory = a->bits;
    const struct unroll_operand data =
        a->is_float ? some_float(n, vector, a->bits) : some_integer(n, vector, p.itype, true);
    n->rs1 = some_address(n, false);
    n->imm = (int)below(512) - 256;
    if (a->store)
        n->rs2 = data;
    else
        n->rd = data;
    name_text(&p, n->name, "");
    text_of(&data);
    sv_text(", %d(x%u%s)", n->imm, n->rs1.reg, n->rs1.vector ? "v" : "");
    masks_text(&p);
}

static void prefixed_swizzle(void)
{
    struct prefixed p = begin(UNROLL_SWIZZLE);
    struct unroll_insn *n = &p.n;
    const bool floats = one_in(2);
    static const unsigned float_widths[] = {64, 16, 32};
    p.itype = floats ? float_widths[below(3)] : widths[below(4)];
    n->imm = (int)below(256);
    n->rd = floats ? some_float(n, !one_in(3), p.itype) : some_integer(n, !one_in(3), p.itype, true);
    n->rs1 = floats ? some_float(n, !one_in(3), p.itype) : some_integer(n, !one_in(3), p.itype, false);
    n->rd.boxed = n->rs1.boxed = false; /* of 64 bits a box is nothing */
    name_text(&p, floats ? "fmv.swizzle" : "mv.swizzle", "");
    three_text(&n->rd, &n->rs1, NULL);
    sv_text(", ");
    for (unsigned s = 0; s < 4; s++)
        sv_text("%c", "xyzw"[n->imm >> 2 * s & 3]);
    masks_text(&p);
}

/* Its indices are small, which the instruction before makes them, and stand where no result goes. */
static void prefixed_index(void)
{
    struct prefixed p = begin(UNROLL_IMMEDIATE);
    struct unroll_insn *n = &p.n;
    const bool floats = one_in(2), v1 = one_in(2), v2 = !one_in(4);
    p.itype = widths[floats ? (below(2) ? 0 : 2 + below(2)) : below(4)];
    n->name = "andi";
    n->imm = INDEX_MAX;
    n->twin = true;
    n->rs1 = some_integer(n, true, p.itype, false);
    n->rd = n->rs1;
    n->rd.reg = INDICES;
    name_text(&p, n->name, "");
    three_text(&n->rd, &n->rs1, NULL);
    sv_text(", %d", n->imm);
    end_text(&p);
    end_line(&p);
    unroll(n);
    n->kind = UNROLL_INDEXED;
    n->twin = false;
    n->rs2 = n->rd;
    n->rs2.vector = v2;
    n->rs1 = floats ? some_float(n, v1, p.itype) : some_integer(n, v1, p.itype, false);
    n->rs1.reg = UTIL_MIN(n->rs1.reg, 127u - INDEX_MAX);
    n->rd = floats ? some_float(n, v1 || v2, p.itype) : some_integer(n, v1 || v2, p.itype, true);
    if (!floats)
        n->rd.reg = some_reg(n, RESULTS, INDICES, n->rd.vector, 64);
    n->rd.boxed = n->rs1.boxed = false;
    name_text(&p, floats ? "fmv.x" : "mv.x", "");
    three_text(&n->rd, &n->rs1, &n->rs2);
    mask_text(&p, true);
}

/* ---- in a VBLOCK ---- */

static void begin_block(struct unroll_insn *n)
{
    csr_subvl = n->subvl = one_in(3) ? 1 + below(4) : 1;
    n->vl = 1 + below(UNROLL_MOST / n->subvl);
    sv_text("vblock both:%u, subvl:%u, regs(", n->vl, n->subvl);
}

static void entry_text(const char *key, const struct unroll_operand *o)
{
    sv_text("%s=%c%u%s", key, o->is_float ? 'f' : 'x', o->reg, o->vector ? "v" : "");
    if (o->given)
        sv_text(":%u", o->width);
    sv_text(", ");
}

/* The integer register of a key, with an entry or, as a source now and then, without one. */
static struct unroll_operand integer_entry(const struct unroll_insn *n, unsigned key, bool result)
{
    char text[8];
    if (!result && one_in(6))
        return (struct unroll_operand){.reg = key, .width = 64};
    const unsigned width = widths[below(4)];
    struct unroll_operand o = some_integer(n, !one_in(3), width, result);
    snprintf(text, sizeof text, "x%u", key);
    entry_text(text, &o);
    return o;
}

/* Packed if the entry gives a width, else in boxes of the opcode's format. */
static struct unroll_operand float_entry(const struct unroll_insn *n, unsigned key, bool result)
{
    char text[8];
    if (!result && one_in(6))
        return (struct unroll_operand){.is_float = true, .boxed = true, .reg = key, .width = n->opcode};
    const unsigned given = one_in(2) ? 0 : one_in(3) ? 16 : 32;
    struct unroll_operand o = some_float(n, !one_in(3), given ? given : n->opcode);
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
    if (ffirst != ALWAYS && one_in(3))
        return false;
    *m = (struct unroll_mask){.there = true,
                              .reg = 9 + below(3),
                              .invert = one_in(2),
                              .zero = one_in(3),
                              .ffirst = ffirst == ALWAYS || (ffirst == PERHAPS && one_in(3))};
    if (m->ffirst && one_in(4))
        *m = (struct unroll_mask){.there = true, .ffirst = true, .invert = true};
    sv_text("%s%s=%sx%u%s%s", before, key, m->invert ? "!" : "", m->reg, m->zero ? ".z" : "",
            m->ffirst ? ".ff" : "");
    return true;
}

static void preds_text(struct unroll_insn *n, const char *dest, const char *source, enum fail_first ffirst)
{
    sv_length -= strlen(", "); /* behind the last entry */
    sv_text(")");
    const bool one = dest && pred_text(&n->dest, ", preds(", dest, ffirst);
    const bool two =
        source && pred_text(&n->source, one ? ", " : ", preds(", source, ffirst == ALWAYS ? PERHAPS : ffirst);
    sv_text("%s { ", one || two ? ")" : "");
}

static void end_block(const struct unroll_insn *n)
{
    sv_text(" ; c.nop }\n");
    unroll(n);
    if (n->dest.ffirst || n->source.ffirst)
        sv_text("csrrs x%u, vl, x0\n", UNROLL_VL_REG);
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
    struct unroll_insn n = {.kind = kinds[below(UTIL_ARRAY_SIZE(kinds))]};
    begin_block(&n);
    n.rd = integer_entry(&n, 5, true);
    n.rs1 = integer_entry(&n, 6, false);
    if (n.kind == UNROLL_INTEGER) {
        some_name(&n, integers, UTIL_ARRAY_SIZE(integers));
        n.rs2 = integer_entry(&n, 7, false);
    } else if (n.kind == UNROLL_IMMEDIATE) {
        some_name(&n, immediates, UTIL_ARRAY_SIZE(immediates));
    } else if (n.kind == UNROLL_SHIFT) {
        some_name(&n, shifts, UTIL_ARRAY_SIZE(shifts));
    } else if (n.kind == UNROLL_UNARY) {
        some_name(&n, unaries, UTIL_ARRAY_SIZE(unaries));
    } else {
        n.name = "c.mv";
        n.twin = true;
    }
    n.imm = some_number(&n);
    preds_text(&n, "x5", n.twin && n.rs1.tagged ? "x6" : NULL, shows(&n.rd) ? PERHAPS : NEVER);
    sv_text("%s%s x5, x6", n.name, n.word ? "w" : "");
    if (n.kind == UNROLL_INTEGER)
        sv_text(", x7");
    else if (n.kind == UNROLL_IMMEDIATE || n.kind == UNROLL_SHIFT)
        sv_text(", %d", n.imm);
    end_block(&n);
}

/* A sign from a register to itself is a move, with two masks. */
static void block_float(void)
{
    const struct float_name *f = &float_names[below(UTIL_ARRAY_SIZE(float_names))];
    struct unroll_insn n = {
        .kind = UNROLL_FLOAT, .name = f->name, .has_2 = f->sources > 1, .has_3 = f->sources > 2};
    const unsigned format = below(3);
    n.opcode = format_bits[format];
    n.twin = strncmp(f->name, "fsgn", 4) == 0 && one_in(2);
    begin_block(&n);
    n.rd = f->tests ? integer_entry(&n, 5, true) : float_entry(&n, 1, true);
    n.rs1 = float_entry(&n, 2, false);
    if (n.has_2)
        n.rs2 = n.twin ? n.rs1 : float_entry(&n, 3, false);
    if (n.has_3)
        n.rs3 = float_entry(&n, 4, false);
    preds_text(&n, f->tests ? "x5" : "f1", n.twin && n.rs1.tagged ? "f2" : NULL,
               shows(&n.rd) ? PERHAPS : NEVER);
    sv_text("%s%s %s, f2", n.name, formats[format], f->tests ? "x5" : "f1");
    if (n.has_2)
        sv_text(n.twin ? ", f2" : ", f3");
    if (n.has_3)
        sv_text(", f4");
    end_block(&n);
}

/* Elements of memory have a width of their own, of floats none of 8 bits; fail-first is near the end of memory. */
static void block_memory(void)
{
    const struct access *a = &accesses[below(UTIL_ARRAY_SIZE(accesses))];
    struct unroll_insn n = {
        .kind = a->store ? UNROLL_STORE : UNROLL_LOAD, .twin = true, .name = a->name, .sign = a->sign};
    const char *const key = a->is_float ? "f1" : "x5";
    n.opcode = n.memory = a->bits;
    begin_block(&n);
    const struct unroll_operand data = a->is_float ? float_entry(&n, 1, true) : integer_entry(&n, 5, true);
    const bool first = one_in(4);
    n.rs1 = some_address(&n, false);
    if (first)
        n.rs1 = (struct unroll_operand){.tagged = true, .width = 64, .reg = END_BASE};
    if (one_in(2))
        n.memory = widths[a->is_float ? (below(2) ? 0 : 2 + below(2)) : below(4)];
    sv_text("x6=x%u%s", n.rs1.reg, n.rs1.vector ? "v" : "");
    if (n.memory == 64)
        n.memory = n.opcode;
    if (n.memory != n.opcode)
        sv_text(":%u", n.memory);
    sv_text(", ");
    n.imm = first ? 0 : (int)below(512) - 256;
    if (a->store)
        n.rs2 = data;
    else
        n.rd = data;
    preds_text(&n, a->store ? "x6" : key, a->store ? key : "x6", first ? ALWAYS : NEVER);
    sv_text("%s %s, %d(x6)", n.name, key, n.imm);
    end_block(&n);
}

static void block_atomic(void)
{
    struct unroll_insn n = {.kind = UNROLL_ATOMIC};
    char name[16];
    begin_block(&n);
    n.opcode = one_in(2) ? 64 : 32;
    snprintf(name, sizeof name, "%s.%s", atomics[below(UTIL_ARRAY_SIZE(atomics))],
             n.opcode == 64 ? "d" : "w");
    n.name = name;
    n.rd = integer_entry(&n, 5, true);
    n.rs1 = some_address(&n, true);
    sv_text("x6=x%u%s, ", n.rs1.reg, n.rs1.vector ? "v" : "");
    n.rs2 = integer_entry(&n, 7, false);
    preds_text(&n, "x5", NULL, shows(&n.rd) ? PERHAPS : NEVER);
    sv_text("%s x5, x7, (x6)", n.name);
    end_block(&n);
}

static void block_branch(void)
{
    struct unroll_insn n = {.kind = UNROLL_BRANCH};
    begin_block(&n);
    some_name(&n, branches, UTIL_ARRAY_SIZE(branches));
    n.rs1 = integer_entry(&n, 6, true);
    n.rs2 = integer_entry(&n, 7, false);
    preds_text(&n, NULL, "x6", PERHAPS);
    /* Where results go needs no entry of the register. */
    if (n.source.there && one_in(2)) {
        sv_length -= strlen(") { ");
        n.dest = (struct unroll_mask){.there = true, .reg = 18 + below(14)};
        sv_text(", x7=x%u) { ", n.dest.reg);
    }
    sv_text("%s x6, x7, on%u", n.name, labels);
    sv_text(" ; c.nop }\naddi x%u, x%u, 1\non%u: ", UNROLL_NOT_TAKEN, UNROLL_NOT_TAKEN, labels++);
    unroll(&n);
    if (n.source.ffirst)
        sv_text("csrrs x%u, vl, x0\n", UNROLL_VL_REG);
    else
        sv_text("c.nop\n");
}

static void block_swizzle(void)
{
    struct unroll_insn n = {.kind = UNROLL_SWIZZLE, .twin = true, .imm = (int)below(256)};
    begin_block(&n);
    n.rd = integer_entry(&n, 5, true);
    n.rs1 = integer_entry(&n, 6, true);
    preds_text(&n, "x5", "x6", NEVER);
    sv_text("mv.swizzle x5, x6, ");
    for (unsigned s = 0; s < 4; s++)
        sv_text("%c", "xyzw"[n.imm >> 2 * s & 3]);
    end_block(&n);
}

/* ---- programs ---- */

static uint64_t some_value(void)
{
    const uint64_t x = isa_random_next(&r);
    switch (below(8)) {
    case 0: return x;
    case 1: return (uint64_t)(int64_t)(int32_t)(x >> below(60));
    case 2: return ~0ull << below(64);
    case 3: return ~0ull << 32 | (x & 0x807fffff) | (120 + below(14)) << 23;
    case 4: return ((uint64_t)(120 + below(14)) << 55 | (x & 0x807fffff007fffff)) | (118 + below(14)) << 23;
    case 5: return x & isa_random_next(&r) & 0x00ff8000ff00ffff; /* some elements are 0 */
    case 6: return (x & 0x83ff83ff83ff83ff) | 0x3c003c003c003c00;
    default: return (x & 0x800fffffffffffff) | (uint64_t)(1010 + below(30)) << 52;
    }
}

static void fill(void)
{
    for (unsigned n = 1; n < 256; n++)
        util_store64(qemu_at(QEMU_DATA + UNROLL_FILES + 8 * n), some_value());
    for (unsigned n = 0; n < 20; n++) {
        const unsigned reg = n < 4 ? BASE + n : ADDRESSES + n - 4;
        const uint64_t address = QEMU_MEMORY + 0x800 + below(QEMU_MEMORY_BYTES - 0x1000);
        util_store64(qemu_at(QEMU_DATA + 8 * reg), reg < ALIGNED ? address : address & ~7ull);
    }
    util_store64(qemu_at(QEMU_DATA + 8 * END_BASE), QEMU_MEMORY + QEMU_MEMORY_BYTES - 32 - below(100));
    for (unsigned n = 0; n < QEMU_MEMORY_BYTES; n += 8)
        util_store64(qemu_at(QEMU_MEMORY + n), some_value());
}

static void some_insn(void)
{
    switch (below(24)) {
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
    case 13: prefixed_index(); return;
    case 14:
    case 15:
    case 16: block_integer(); return;
    case 17:
    case 18: block_float(); return;
    case 19:
    case 20: block_memory(); return;
    case 21: block_atomic(); return;
    case 22: block_branch(); return;
    default: block_swizzle(); return;
    }
}

const char *unroll_random(uint64_t seed)
{
    r = (struct isa_random){seed};
    sv_length = labels = 0;
    csr_subvl = 1;
    qemu_begin();
    fill();
    qemu_text("lui x31, %u", QEMU_DATA >> 12);
    if (one_in(8)) {
        const unsigned direction = below(5);
        sv_text("csrrwi x0, frm, %u\n", direction);
        qemu_text("csrrwi x0, frm, %u", direction);
    }
    for (unsigned n = 0; n < INSNS; n++)
        some_insn();
    qemu_text("csrrs x5, fcsr, x0\nlui x6, 1\naddi x6, x6, -2048\nadd x6, x6, x31\nsd x5, 0(x6)");
    qemu_end(0, UNROLL_RESULT);
    return sv;
}
