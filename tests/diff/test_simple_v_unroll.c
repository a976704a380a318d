/* Vector instructions of Simple-V against what they are defined as: the same scalar opcode, element by element, in order. Random
 * ones are unrolled to RV64 over an image of both register files in memory - the bytes of an element loaded and extended, the
 * opcode, the result's bytes stored - which qemu-riscv64 runs (the digest, section 12.3); the interpreter runs the vectors.
 * Operands, masks and widths are worked out here from the digest, not by the set's own files. Masks are never written, so
 * that which elements there are is known. Environment: VITRAIL_UNROLL_PROGRAMS=n (default 60, of 24 instructions each),
 * VITRAIL_UNROLL_SEED=s the first one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>

#include "isa/random.h"
#include "isa/simple_v/interp.h"
#include "tests/diff/qemu_riscv.h"
#include "util/bits.h"

enum {
    PROGRAMS = 60,
    INSNS = 24,
    FILES = QEMU_DATA, /* x0..x127, f0..f127 */
    F_AT = 1024,
    FCSR = QEMU_DATA + 0x800,
    RESULT_BYTES = QEMU_MEMORY + QEMU_MEMORY_BYTES - QEMU_DATA,
    BASE = 12,       /* x12 to x15 are addresses */
    ADDRESSES = 112, /* and x112 to x127 */
    RESULTS = 16,    /* results go to x16 on */
    SV_BYTES = 4096
};

static struct isa_random r;
static char sv[SV_BYTES * 4]; /* the vector program, as text */
static size_t sv_length;
static unsigned vl, subvl;

static uint32_t below(uint32_t n)
{
    return isa_random_below(&r, n);
}

static void sv_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sv_length += (size_t)vsnprintf(sv + sv_length, sizeof sv - sv_length, format, args);
    va_end(args);
    assert_true(sv_length < sizeof sv);
}

/* ---- operands ---- */

struct operand {
    bool is_float, vector, tagged, boxed;
    unsigned reg, width;
    bool given; /* the width is not the opcode's */
};

struct mask {
    bool there, invert, zero;
    unsigned reg;
};

static bool bit_of(const struct mask *m, unsigned i)
{
    if (!m->there)
        return true;
    const uint64_t bits = util_load64(qemu_at(FILES + 8 * m->reg));
    return (bits >> i & 1) != m->invert;
}

/* Offset of an element in the image. */
static unsigned place(const struct operand *o, unsigned i, unsigned s)
{
    const unsigned index = o->vector ? i * subvl + s : o->tagged ? s : 0;
    return (o->is_float ? F_AT : 0) + o->reg * 8 + index * (o->boxed ? 8 : o->width / 8);
}

/* Into an integer register of the host program. */
static void load_integer(unsigned to, const struct operand *o, unsigned i, unsigned s, unsigned width,
                         bool sign)
{
    const char *const name = width == 8    ? (sign ? "lb" : "lbu")
                             : width == 16 ? (sign ? "lh" : "lhu")
                             : width == 32 ? (sign ? "lw" : "lwu")
                                           : "ld";
    qemu_text("%s x%u, %u(x31)", name, to, place(o, i, s));
}

static const char *store_of(unsigned width)
{
    return width == 8 ? "sb" : width == 16 ? "sh" : width == 32 ? "sw" : "sd";
}

/* Extends x5 from `width` bits. */
static void extend(unsigned width, bool sign)
{
    if (width < 64)
        qemu_text("slli x5, x5, %u\n%s x5, x5, %u", 64 - width, sign ? "srai" : "srli", 64 - width);
}

/* x5, of `width` bits, to an element. */
static void store_integer(const struct operand *o, unsigned i, unsigned s, unsigned width, bool sign)
{
    const bool alone = !o->vector && !(o->tagged && subvl > 1);
    if (place(o, i, s) < 8)
        return;
    extend(width, sign);
    if (alone)
        extend(o->width, sign);
    qemu_text("%s x5, %u(x31)", alone ? "sd" : store_of(o->width), place(o, i, s));
}

static void load_float(unsigned to, const struct operand *o, unsigned i, unsigned s)
{
    qemu_text("%s f%u, %u(x31)", o->boxed || o->width == 64 ? "fld" : "flw", to, place(o, i, s));
}

static void store_float(const struct operand *o, unsigned i, unsigned s)
{
    qemu_text("%s f0, %u(x31)", o->boxed || o->width == 64 ? "fsd" : "fsw", place(o, i, s));
}

static void store_zero(const struct operand *o, unsigned i, unsigned s)
{
    if (o->is_float) {
        qemu_text(o->boxed && o->width < 64 ? "fmv.w.x f0, x0" : "fmv.d.x f0, x0");
        store_float(o, i, s);
        return;
    }
    qemu_text("addi x5, x0, 0");
    store_integer(o, i, s, 64, false);
}

/* ---- one element ---- */

enum how {
    PLAIN,
    SIGNED,
    SIGNED_FIRST,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    SHIFT_SIGNED,
    ROTATE_LEFT,
    ROTATE_RIGHT,
    UPPER
};

static const struct integer {
    const char *name;
    enum how how;
} integers[] = {{"add", PLAIN},       {"sub", PLAIN},        {"and", PLAIN},          {"or", PLAIN},
                {"xor", PLAIN},       {"andn", PLAIN},       {"orn", PLAIN},          {"xnor", PLAIN},
                {"minu", PLAIN},      {"maxu", PLAIN},       {"sltu", PLAIN},         {"mul", PLAIN},
                {"divu", PLAIN},      {"remu", PLAIN},       {"min", SIGNED},         {"max", SIGNED},
                {"slt", SIGNED},      {"div", SIGNED},       {"rem", SIGNED},         {"sll", SHIFT_LEFT},
                {"srl", SHIFT_RIGHT}, {"sra", SHIFT_SIGNED}, {"rol", ROTATE_LEFT},    {"ror", ROTATE_RIGHT},
                {"mulhu", UPPER},     {"mulh", SIGNED},      {"mulhsu", SIGNED_FIRST}};

/* x5 and x6, extended as it wants, to x5 at a width below that of registers. */
static void narrow(const struct integer *op, unsigned w)
{
    switch (op->how) {
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
    case SHIFT_SIGNED: qemu_text("andi x6, x6, %u\n%s x5, x5, x6", w - 1, op->name); return;
    case ROTATE_LEFT:
        qemu_text(
            "andi x6, x6, %u\naddi x7, x0, %u\nsub x7, x7, x6\nsrl x7, x5, x7\nsll x5, x5, x6\nor x5, x5, x7",
            w - 1, w);
        return;
    case ROTATE_RIGHT:
        qemu_text(
            "andi x6, x6, %u\naddi x7, x0, %u\nsub x7, x7, x6\nsll x7, x5, x7\nsrl x5, x5, x6\nor x5, x5, x7",
            w - 1, w);
        return;
    default: break;
    }
    if (memcmp(op->name, "mulh", 4) == 0) /* a register holds the product */
        qemu_text("mul x5, x5, x6\nsrai x5, x5, %u", w);
    else
        qemu_text("%s x5, x5, x6", op->name);
}

struct insn {
    const struct integer *integer;
    const char *name; /* of floats; of immediates */
    struct operand rd, rs1, rs2, rs3;
    bool has_2, has_3;
    int imm;
    unsigned memory; /* bits in memory */
    bool sign, to_integer, word;
    struct mask source, dest;
};

static void integer_element(const struct insn *n, unsigned i, unsigned j, unsigned s)
{
    const enum how how = n->integer->how;
    const unsigned w = UTIL_MAX(n->rs1.width, n->rs2.width);
    load_integer(5, &n->rs1, i, s, n->rs1.width, how == SIGNED || how == SIGNED_FIRST || how == SHIFT_SIGNED);
    load_integer(6, &n->rs2, i, s, n->rs2.width, how == SIGNED || how == SHIFT_SIGNED);
    if (w == 64)
        qemu_text("%s x5, x5, x6", n->integer->name);
    else
        narrow(n->integer, w);
    store_integer(&n->rd, j, s, w, false);
}

/* At 12 bits beside a byte. */
static void immediate_element(const struct insn *n, unsigned i, unsigned j, unsigned s)
{
    const unsigned w = UTIL_MAX(n->rs1.width, 12u);
    load_integer(5, &n->rs1, i, s, n->rs1.width, strcmp(n->name, "slti") == 0);
    if (strcmp(n->name, "sltiu") == 0 && w < 64)
        qemu_text("addi x6, x0, %d\nslli x6, x6, %u\nsrli x6, x6, %u\nsltu x5, x5, x6", n->imm, 64 - w,
                  64 - w);
    else
        qemu_text("%s x5, x5, %d", n->name, n->imm);
    store_integer(&n->rd, j, s, w, false);
}

static void float_element(const struct insn *n, unsigned i, unsigned j, unsigned s)
{
    const bool from_integer = !n->rs1.is_float;
    if (from_integer)
        load_integer(5, &n->rs1, i, s, n->rs1.width, n->sign);
    else
        load_float(1, &n->rs1, i, s);
    if (n->has_2)
        load_float(2, &n->rs2, i, s);
    if (n->has_3)
        load_float(3, &n->rs3, i, s);
    qemu_text("%s %s, %s%s%s", n->name, n->to_integer ? "x5" : "f0", from_integer ? "x5" : "f1",
              n->has_2 ? ", f2" : "", n->has_3 ? ", f3" : "");
    if (n->to_integer)
        store_integer(&n->rd, j, s, 64, n->sign);
    else
        store_float(&n->rd, j, s);
}

static bool is_store(const struct insn *n)
{
    return n->name[0] == 's' || (n->name[0] == 'f' && n->name[1] == 's');
}

/* Memory's element k, at an address of its own or from one on; `data`: of what is loaded or stored. */
static void memory_element(const struct insn *n, unsigned k, unsigned data, unsigned s, bool zeroed)
{
    const struct operand *o = is_store(n) ? &n->rs2 : &n->rd;
    const unsigned element = k * subvl + s;
    const int imm = n->imm + (n->rs1.vector ? 0 : (int)(element * n->memory / 8));
    if (!is_store(n) && zeroed) {
        store_zero(o, data, s);
        return;
    }
    qemu_text("ld x28, %u(x31)", n->rs1.reg * 8 + (n->rs1.vector ? element * 8 : 0));
    if (!is_store(n)) {
        qemu_text("%s %s, %d(x28)", n->name, o->is_float ? "f0" : "x5", imm);
        if (o->is_float)
            store_float(o, data, s);
        else
            store_integer(o, data, s, 64, n->sign);
    } else if (o->is_float) {
        if (zeroed)
            qemu_text("fmv.d.x f1, x0");
        else
            load_float(1, o, data, s);
        qemu_text("%s f1, %d(x28)", n->name, imm);
    } else {
        if (zeroed)
            qemu_text("addi x5, x0, 0");
        else
            load_integer(5, o, data, s, o->width, false);
        qemu_text("%s x5, %d(x28)", n->name, imm);
    }
}

static void element(const struct insn *n, unsigned i, unsigned j, unsigned s)
{
    if (n->integer)
        integer_element(n, i, j, s);
    else if (!n->rs1.is_float && !n->rd.is_float)
        immediate_element(n, i, j, s);
    else
        float_element(n, i, j, s);
}

/* ---- loops ---- */

static void single(const struct insn *n)
{
    for (unsigned i = 0; i < vl; i++) {
        const bool on = bit_of(&n->dest, i);
        if (!on && !n->dest.zero)
            continue;
        for (unsigned s = 0; s < subvl; s++)
            if (on)
                element(n, i, i, s);
            else
                store_zero(&n->rd, i, s);
        if (on && !n->rd.vector)
            return;
    }
}

static void twin(const struct insn *n)
{
    const bool store = n->memory && is_store(n), load = n->memory && !store;
    const bool from = store ? n->rs2.vector : n->rs1.vector || (load && n->rd.vector);
    const bool to = store ? n->rs1.vector || n->rs2.vector : n->rd.vector;
    for (unsigned i = 0, j = 0; i < vl && j < vl;) {
        while (from && !n->source.zero && i < vl && !bit_of(&n->source, i))
            i++;
        while (to && !n->dest.zero && j < vl && !bit_of(&n->dest, j))
            j++;
        if (i >= vl || j >= vl)
            return;
        const bool zeroed = (to && !bit_of(&n->dest, j)) || (from && !bit_of(&n->source, i));
        for (unsigned s = 0; s < subvl; s++) {
            if (n->memory)
                memory_element(n, store ? j : i, store ? i : j, s, zeroed);
            else if (zeroed)
                store_zero(&n->rd, j, s);
            else
                element(n, i, j, s);
        }
        if (!to)
            return;
        i += from;
        j++;
    }
}

/* ---- random instructions ---- */

static const unsigned widths[] = {64, 8, 16, 32};

/* Bytes of all elements fit between `first` and the end of what may be used. */
static unsigned some_reg(unsigned first, unsigned end, unsigned width, bool vector)
{
    const unsigned bytes = (vector ? vl : 1) * subvl * width / 8, regs = (bytes + 7) / 8;
    assert_true(first + regs <= end);
    return first + below(end - first - regs + 1);
}

static struct operand some_integer(bool vector, unsigned width, bool result)
{
    struct operand o = {.vector = vector, .tagged = true, .width = width, .given = width < 64};
    o.reg = some_reg(result ? RESULTS : isa_random_one_in(&r, 8) ? 0 : RESULTS, ADDRESSES, 64, vector);
    return o;
}

static struct operand some_float(bool vector, unsigned width)
{
    struct operand o = {.is_float = true, .vector = vector, .tagged = true, .width = width};
    o.boxed = !vector && subvl == 1;
    o.reg = some_reg(0, 128, 64, vector);
    return o;
}

static void text_of(const struct operand *o)
{
    sv_text("%c%u%s", o->is_float ? 'f' : 'x', o->reg, o->vector ? "v" : "");
}

static unsigned svlen; /* of the prefix at hand, 0: none */

/* VL of this instruction, and SUBVL. */
static void begin(unsigned csr_subvl)
{
    vl = 1 + below(isa_random_one_in(&r, 6) ? 20 : 7);
    svlen = isa_random_one_in(&r, 3) ? 2 + below(3) : 0;
    subvl = svlen ? svlen : csr_subvl;
    if (vl * subvl > 24)
        vl = 24 / subvl;
}

static void prefix_text(unsigned itype)
{
    if (itype < 64)
        sv_text(", itype:%u", itype);
    if (svlen)
        sv_text(", svlen:%u", svlen);
}

/* Integers have x9 alone. */
static void mask_text(struct insn *n)
{
    const unsigned most = n->integer ? 2 : 6, which = below(most + 1);
    if (which < most) {
        n->dest = (struct mask){.there = true, .invert = which % 2, .reg = 9 + which / 2};
        sv_text(", pred:%sx%u", which % 2 ? "!" : "", 9 + which / 2);
    }
    sv_text(", both:%u\n", vl);
}

static void masks_text(struct insn *n)
{
    const bool invert = isa_random_one_in(&r, 2), source = !isa_random_one_in(&r, 3),
               dest = !isa_random_one_in(&r, 3);
    if (source) {
        n->source = (struct mask){.there = true, .invert = invert, .reg = 9};
        sv_text(", src:%sx9", invert ? "!" : "");
    }
    if (dest) {
        n->dest = (struct mask){.there = true, .invert = invert, .reg = 10};
        sv_text(", dst:%sx10", invert ? "!" : "");
    }
    sv_text(", both:%u\n", vl);
}

static bool one_in(unsigned n)
{
    return isa_random_one_in(&r, n);
}

static void prefixed_integer(void)
{
    const bool v1 = !one_in(4), v2 = !one_in(3);
    const unsigned w = widths[below(4)];
    struct insn n = {.integer = &integers[below(UTIL_ARRAY_SIZE(integers))]};
    n.rd = some_integer(v1 || v2, w, true);
    n.rs1 = some_integer(v1, w, false);
    n.rs2 = some_integer(v2, w, false);
    sv_text("p64 %s ", n.integer->name);
    text_of(&n.rd), sv_text(", "), text_of(&n.rs1), sv_text(", "), text_of(&n.rs2);
    prefix_text(w);
    mask_text(&n);
    single(&n);
}

static void prefixed_immediate(void)
{
    static const char *const names[] = {"addi", "xori", "ori", "andi", "slti", "sltiu"};
    const unsigned w = widths[below(4)];
    struct insn n = {.name = names[below(6)], .imm = (int)below(4096) - 2048};
    n.rd = some_integer(!one_in(3), w, true);
    n.rs1 = some_integer(!one_in(3), w, false);
    sv_text("p64 %s ", n.name);
    text_of(&n.rd), sv_text(", "), text_of(&n.rs1), sv_text(", %d", n.imm);
    prefix_text(w);
    masks_text(&n);
    twin(&n);
}

static void prefixed_float(void)
{
    static const struct {
        const char *name;
        unsigned width, sources;
        bool tests;
    } all[] = {{"fadd.s", 32, 2, 0},   {"fsub.d", 64, 2, 0},   {"fmul.s", 32, 2, 0},   {"fmul.d", 64, 2, 0},
               {"fdiv.s", 32, 2, 0},   {"fsgnjn.s", 32, 2, 0}, {"fsgnjx.d", 64, 2, 0}, {"fmin.s", 32, 2, 0},
               {"fmax.d", 64, 2, 0},   {"fmadd.s", 32, 3, 0},  {"fmsub.d", 64, 3, 0},  {"fnmadd.s", 32, 3, 0},
               {"fnmsub.s", 32, 3, 0}, {"feq.s", 32, 2, 1},    {"flt.d", 64, 2, 1},    {"fle.s", 32, 2, 1}};
    const unsigned which = below(UTIL_ARRAY_SIZE(all)), width = all[which].width;
    bool v1 = !one_in(3), v2 = !one_in(3), v3 = !one_in(3);
    struct insn n = {.name = all[which].name, .has_2 = true, .has_3 = all[which].sources == 3};
    if (n.has_3)
        v1 = v2 || v3;
    n.to_integer = all[which].tests;
    const bool vd = n.has_3 ? v1 : v1 || v2;
    n.rd = n.to_integer ? some_integer(vd, 64, true) : some_float(vd, width);
    n.rs1 = some_float(v1, width);
    n.rs2 = some_float(v2, width);
    n.rs3 = some_float(v3, width);
    sv_text("p64 %s ", n.name);
    text_of(&n.rd), sv_text(", "), text_of(&n.rs1), sv_text(", "), text_of(&n.rs2);
    if (n.has_3)
        sv_text(", "), text_of(&n.rs3);
    prefix_text(64);
    mask_text(&n);
    single(&n);
}

static void prefixed_conversion(void)
{
    static const struct {
        const char *name;
        unsigned from, to; /* 0: an integer */
        bool sign;
    } all[] = {{"fcvt.s.w", 0, 32, 1},  {"fcvt.d.wu", 0, 64, 0}, {"fcvt.w.s", 32, 0, 1},
               {"fcvt.wu.d", 64, 0, 0}, {"fcvt.s.d", 64, 32, 0}, {"fcvt.d.s", 32, 64, 0},
               {"fsqrt.s", 32, 32, 0}};
    const unsigned which = below(UTIL_ARRAY_SIZE(all)), from = all[which].from, to = all[which].to;
    struct insn n = {.name = all[which].name, .to_integer = !to, .sign = all[which].sign};
    n.rd = to ? some_float(!one_in(3), to) : some_integer(!one_in(3), 32, true);
    n.rs1 = from ? some_float(!one_in(3), from) : some_integer(!one_in(3), 32, false);
    sv_text("p64 %s ", n.name);
    text_of(&n.rd), sv_text(", "), text_of(&n.rs1);
    prefix_text(from && to ? 64 : 32);
    masks_text(&n);
    twin(&n);
}

static void prefixed_memory(void)
{
    static const struct {
        const char *name;
        unsigned bits;
        bool sign, is_float;
    } all[] = {{"lb", 8, 1, 0},   {"lbu", 8, 0, 0}, {"lh", 16, 1, 0},  {"lhu", 16, 0, 0}, {"lw", 32, 1, 0},
               {"lwu", 32, 0, 0}, {"ld", 64, 1, 0}, {"flw", 32, 0, 1}, {"fld", 64, 0, 1}, {"sb", 8, 0, 0},
               {"sh", 16, 0, 0},  {"sw", 32, 0, 0}, {"sd", 64, 0, 0},  {"fsw", 32, 0, 1}, {"fsd", 64, 0, 1}};
    const unsigned which = below(UTIL_ARRAY_SIZE(all)),
                   w = all[which].is_float ? all[which].bits : widths[below(4)];
    struct insn n = {.name = all[which].name, .memory = all[which].bits, .sign = all[which].sign};
    const bool vector = !one_in(4);
    const struct operand data = all[which].is_float ? some_float(vector, w) : some_integer(vector, w, true);
    const bool each = vl * subvl <= 16 && one_in(3);
    n.rs1 = (struct operand){
        .vector = each, .tagged = true, .width = 64, .reg = each ? ADDRESSES : BASE + below(4)};
    n.imm = (int)below(512) - 256;
    if (is_store(&n))
        n.rs2 = data;
    else
        n.rd = data;
    sv_text("p64 %s ", n.name);
    text_of(&data), sv_text(", %d(x%u%s)", n.imm, n.rs1.reg, each ? "v" : "");
    prefix_text(all[which].is_float ? 64 : w);
    masks_text(&n);
    twin(&n);
}

/* An entry of a VBLOCK's table. */
static struct operand some_entry(bool result)
{
    const unsigned w = widths[below(4)];
    struct operand o = some_integer(!one_in(3), w, result);
    sv_text("=x%u%s", o.reg, o.vector ? "v" : "");
    if (w < 64)
        sv_text(":%u", w);
    return o;
}

/* Widths of their own, and masks that zero. */
static void in_a_block(unsigned *csr_subvl)
{
    struct insn n = {.integer = &integers[below(UTIL_ARRAY_SIZE(integers))]};
    *csr_subvl = subvl = one_in(3) ? 1 + below(4) : 1;
    vl = 1 + below(24 / subvl);
    sv_text("vblock both:%u, subvl:%u, regs(x5", vl, subvl);
    n.rd = some_entry(true);
    sv_text(", x6");
    n.rs1 = some_entry(false);
    sv_text(", x7");
    n.rs2 = some_entry(false);
    sv_text(", none)");
    if (!one_in(3)) {
        n.dest = (struct mask){.there = true, .reg = 9 + below(3), .invert = one_in(2), .zero = one_in(2)};
        sv_text(", preds(x5=%sx%u%s)", n.dest.invert ? "!" : "", n.dest.reg, n.dest.zero ? ".z" : "");
    }
    sv_text(" { %s x5, x6, x7 ; c.nop }\n", n.integer->name);
    single(&n);
}

/* ---- programs ---- */

static uint64_t some_value(void)
{
    const uint64_t x = isa_random_next(&r);
    switch (below(6)) {
    case 0: return x;
    case 1: return (uint64_t)(int64_t)(int32_t)(x >> below(60));
    case 2: return ~0ull << below(64);
    case 3: return ~0ull << 32 | (x & 0x807fffff) | (120 + below(14)) << 23;
    case 4: return ((uint64_t)(120 + below(14)) << 55 | (x & 0x807fffff007fffff)) | (118 + below(14)) << 23;
    default: return (x & 0x800fffffffffffff) | (uint64_t)(1010 + below(30)) << 52;
    }
}

static void make(uint64_t seed)
{
    unsigned csr_subvl = 1;
    r = (struct isa_random){seed};
    memset(qemu_image, 0, sizeof qemu_image);
    qemu_code_bytes = QEMU_HEAD;
    sv_length = 0;
    for (unsigned n = 1; n < 256; n++)
        util_store64(qemu_at(FILES + 8 * n), some_value());
    for (unsigned n = 0; n < 20; n++)
        util_store64(qemu_at(FILES + 8 * (n < 4 ? BASE + n : ADDRESSES + n - 4)),
                     QEMU_MEMORY + 0x400 + below(QEMU_MEMORY_BYTES - 0x800));
    for (unsigned n = 0; n < QEMU_MEMORY_BYTES; n += 8)
        util_store64(qemu_at(QEMU_MEMORY + n), some_value());
    qemu_text("lui x31, %u", QEMU_DATA >> 12);
    for (unsigned n = 0; n < INSNS; n++) {
        begin(csr_subvl);
        switch (below(8)) {
        case 0:
        case 1: prefixed_integer(); break;
        case 2: prefixed_immediate(); break;
        case 3: prefixed_float(); break;
        case 4: prefixed_conversion(); break;
        case 5: prefixed_memory(); break;
        default: in_a_block(&csr_subvl); break;
        }
    }
    qemu_text("csrrs x5, fcsr, x0\nlui x6, 1\naddi x6, x6, -2048\nadd x6, x6, x31\nsd x5, 0(x6)");
    qemu_text("addi x17, x0, 64\naddi x10, x0, 1\naddi x11, x31, 0\nlui x12, %u\necall", RESULT_BYTES >> 12);
    qemu_text("addi x17, x0, 93\naddi x10, x0, 0\necall");
    qemu_put_head();
}

/* What programs are is too long for fail_msg. */
static void stop(const char *why)
{
    fputs(sv, stderr);
    fail_msg("%s", why);
}

/* Over the image's files and memory; false: it differs from `expected`. */
static bool interpret(const uint8_t *expected)
{
    static const struct simple_v_ports ports = {NULL, qemu_load, qemu_store, NULL};
    struct util_error error = {0};
    struct simple_v_program *program;
    struct simple_v_report report;
    static struct simple_v_state state;
    void *words;
    uint32_t count;
    if (simple_v_asm(sv, sv_length, &words, &count, &error))
        stop(error.text);
    assert_int_equal(simple_v_program_create(words, count, 0x1000, &program, NULL), 0);
    free(words);
    const struct simple_v_run run = {
        .program = program, .ports = &ports, .stop = 0x1000 + 2ull * count, .fuel = 10000};
    simple_v_start(&state, 0x1000);
    memcpy(state.x, qemu_at(FILES), sizeof state.x);
    memcpy(state.f, qemu_at(FILES + F_AT), sizeof state.f);
    if (simple_v_run(&run, &state, &report))
        stop(simple_v_faults[report.fault].text);
    simple_v_program_destroy(program);
    memcpy(qemu_at(FILES), state.x, sizeof state.x);
    memcpy(qemu_at(FILES + F_AT), state.f, sizeof state.f);
    util_store64(qemu_at(FCSR), state.fflags);
    return memcmp(qemu_at(QEMU_DATA), expected, RESULT_BYTES) == 0;
}

static void tell(uint64_t seed, const uint8_t *expected)
{
    for (unsigned n = 0; n < RESULT_BYTES; n += 8)
        if (memcmp(qemu_at(QEMU_DATA + n), expected + n, 8) != 0)
            fprintf(stderr, "%s%u: %016" PRIx64 ", not %016" PRIx64 "\n",
                    n < F_AT       ? "x"
                    : n < 2 * F_AT ? "f"
                                   : "at ",
                    n < 2 * F_AT ? n / 8 % 128 : n, util_load64(qemu_at(QEMU_DATA + n)),
                    util_load64(expected + n));
    fprintf(stderr, "again: VITRAIL_UNROLL_SEED=%" PRIu64 " VITRAIL_UNROLL_PROGRAMS=1\n", seed);
    stop("it differs");
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void vectors_are_their_elements(void **state)
{
    static uint8_t expected[RESULT_BYTES];
    const uint64_t first = setting("VITRAIL_UNROLL_SEED", 1),
                   count = setting("VITRAIL_UNROLL_PROGRAMS", PROGRAMS);
    for (uint64_t seed = first; seed < first + count; seed++) {
        make(seed);
        qemu_emulate(expected, RESULT_BYTES);
        if (!interpret(expected))
            tell(seed, expected);
    }
    print_message("%" PRIu64 " instructions\n", count * INSNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_are_their_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
