/* One element of an instruction. Of the host program's registers x5 to x7 and x28 are an element's, x29 and x30 a loop's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "tests/riscv/qemu.h"
#include "tests/riscv/unroll.h"
#include "util/bits.h"

enum { XLEN = 64, IMMEDIATE = 12, WORD_BITS = 32 };

unsigned unroll_place(const struct unroll_insn *n, const struct unroll_operand *o, unsigned i, unsigned s)
{
    const unsigned index = o->vector ? i * n->subvl + s : o->tagged ? s : 0;
    return (o->is_float ? UNROLL_F : UNROLL_FILES) + o->reg * 8 + index * (o->boxed ? 8 : o->width / 8);
}

/* ---- integers ---- */

static const char *load_of(unsigned width, bool sign)
{
    return width == 8    ? (sign ? "lb" : "lbu")
           : width == 16 ? (sign ? "lh" : "lhu")
           : width == 32 ? (sign ? "lw" : "lwu")
                         : "ld";
}

static const char *store_of(unsigned width)
{
    return width == 8 ? "sb" : width == 16 ? "sh" : width == 32 ? "sw" : "sd";
}

/* The low `width` bits of an element. */
static void load_integer(const struct unroll_insn *n, unsigned to, const struct unroll_operand *o, unsigned i,
                         unsigned s, unsigned width, bool sign)
{
    qemu_text("%s x%u, %u(x31)", load_of(width, sign), to, unroll_place(n, o, i, s));
}

static void extend(unsigned reg, unsigned width, bool sign)
{
    if (width < XLEN)
        qemu_text("slli x%u, x%u, %u\n%s x%u, x%u, %u", reg, reg, XLEN - width, sign ? "srai" : "srli", reg,
                  reg, XLEN - width);
}

/* x5, of `width` bits, to an element. */
static void store_integer(const struct unroll_insn *n, const struct unroll_operand *o, unsigned i, unsigned s,
                          unsigned width, bool sign)
{
    const bool alone = !o->vector && !(o->tagged && n->subvl > 1);
    const unsigned at = unroll_place(n, o, i, s);
    if (at < 8) /* x0 */
        return;
    extend(5, width, sign);
    if (alone)
        extend(5, o->width, sign);
    qemu_text("%s x5, %u(x31)", alone ? "sd" : store_of(o->width), at);
}

/* Bits of a source that count. */
static unsigned counts(const struct unroll_insn *n, const struct unroll_operand *o)
{
    return n->word && !o->given ? WORD_BITS : o->width;
}

static void source(const struct unroll_insn *n, unsigned to, const struct unroll_operand *o, unsigned i,
                   unsigned s, bool sign)
{
    load_integer(n, to, o, i, s, counts(n, o), sign || n->word);
}

/* x5, with or without a sign, to what is nearest among elements of rd. */
static void clamp(const struct unroll_insn *n, bool negative)
{
    const bool sign = n->saturate == 2;
    if (!sign && negative)
        qemu_text("max x5, x5, x0");
    if (n->rd.width == XLEN)
        return;
    qemu_text("addi x6, x0, -1\nsrli x6, x6, %u", XLEN + sign - n->rd.width);
    if (sign)
        qemu_text("min x5, x5, x6\nxori x6, x6, -1\nmax x5, x5, x6");
    else
        qemu_text("minu x5, x5, x6");
}

static bool saturates(const struct unroll_insn *n)
{
    return n->saturate && unroll_loops(n);
}

/* x5, of `width` bits, is what the element becomes. */
static void result(const struct unroll_insn *n, unsigned j, unsigned s, unsigned width)
{
    if (!saturates(n)) {
        store_integer(n, &n->rd, j, s, width, n->word);
        return;
    }
    extend(5, width, n->saturate == 2);
    clamp(n, false);
    store_integer(n, &n->rd, j, s, n->rd.width, n->saturate == 2);
}

static bool is_exact(const struct unroll_insn *n)
{
    return strcmp(n->name, "add") == 0 || strcmp(n->name, "sub") == 0 || strcmp(n->name, "mul") == 0 ||
           strcmp(n->name, "addi") == 0;
}

/* Of registers, or of one and a number. */
static void exact(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    const bool sign = n->saturate == 2;
    load_integer(n, 5, &n->rs1, i, s, counts(n, &n->rs1), sign);
    if (n->kind == UNROLL_IMMEDIATE) {
        qemu_text("addi x5, x5, %d", n->imm);
    } else {
        load_integer(n, 6, &n->rs2, i, s, counts(n, &n->rs2), sign);
        qemu_text("%s x5, x5, x6", n->name);
    }
    clamp(n, strcmp(n->name, "mul") != 0);
    store_integer(n, &n->rd, j, s, n->rd.width, sign);
}

/* x5 = x5 rotated left by x6, or right, at a width below that of registers. */
static void rotate(unsigned width, bool left)
{
    qemu_text("andi x6, x6, %u\naddi x7, x0, %u\nsub x7, x7, x6", width - 1, width);
    qemu_text("%s x7, x5, x7\n%s x5, x5, x6\nor x5, x5, x7", left ? "srl" : "sll", left ? "sll" : "srl");
}

/* x5 and x6 to x5 at a width below that of registers. Words come with their signs, whether the operation has one or not. */
static void narrow(const struct unroll_insn *n, unsigned width)
{
    const bool divides = strncmp(n->name, "div", 3) == 0 || strncmp(n->name, "rem", 3) == 0;
    const bool without = n->how == UNROLL_SHIFT_RIGHT || n->how == UNROLL_ROTATE_LEFT ||
                         n->how == UNROLL_ROTATE_RIGHT || (divides && n->how == UNROLL_PLAIN);
    if (n->word && without) {
        extend(5, width, false);
        extend(6, width, false);
    }
    switch (n->how) {
    case UNROLL_SHIFT_LEFT:
    case UNROLL_SHIFT_RIGHT:
    case UNROLL_SHIFT_SIGNED: qemu_text("andi x6, x6, %u\n%s x5, x5, x6", width - 1, n->name); return;
    case UNROLL_ROTATE_LEFT: rotate(width, true); return;
    case UNROLL_ROTATE_RIGHT: rotate(width, false); return;
    default: break;
    }
    if (memcmp(n->name, "mulh", 4) == 0) /* a register holds the product */
        qemu_text("mul x5, x5, x6\nsrai x5, x5, %u", width);
    else
        qemu_text("%s x5, x5, x6", n->name);
}

static void integer(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    const enum unroll_how how = n->how;
    const unsigned w = UTIL_MAX(counts(n, &n->rs1), counts(n, &n->rs2));
    source(n, 5, &n->rs1, i, s,
           how == UNROLL_SIGNED || how == UNROLL_SIGNED_FIRST || how == UNROLL_SHIFT_SIGNED);
    source(n, 6, &n->rs2, i, s, how == UNROLL_SIGNED || how == UNROLL_SHIFT_SIGNED);
    if (w == XLEN)
        qemu_text("%s x5, x5, x6", n->name);
    else if (w == WORD_BITS && n->word)
        qemu_text("%sw x5, x5, x6", n->name);
    else
        narrow(n, w);
    result(n, j, s, w);
}

/* At 12 bits beside a byte. */
static void immediate(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    const unsigned w = UTIL_MAX(counts(n, &n->rs1), IMMEDIATE);
    source(n, 5, &n->rs1, i, s, strcmp(n->name, "slti") == 0);
    if (strcmp(n->name, "sltiu") == 0 && w < XLEN) {
        qemu_text("addi x6, x0, %d", n->imm);
        extend(6, w, false);
        qemu_text("sltu x5, x5, x6");
    } else {
        qemu_text("%s%s x5, x5, %d", n->name, n->word && w == WORD_BITS ? "w" : "", n->imm);
    }
    result(n, j, s, w);
}

/* The amount is no operand: there are no odd widths. */
static void shift(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    const unsigned w = counts(n, &n->rs1);
    source(n, 5, &n->rs1, i, s, n->how == UNROLL_SHIFT_SIGNED);
    if (w == XLEN || (w == WORD_BITS && n->word)) {
        qemu_text("%s%s x5, x5, %d", n->name, n->word ? "w" : "", n->imm);
    } else {
        const int by = n->imm & (int)(w - 1);
        if (n->word && n->how != UNROLL_SHIFT_SIGNED)
            extend(5, w, false);
        if (n->how == UNROLL_ROTATE_RIGHT) {
            qemu_text("addi x6, x0, %d", by);
            rotate(w, false);
        } else {
            qemu_text("%s x5, x5, %d", n->name, by);
        }
    }
    result(n, j, s, w);
}

/* qemu 7.2 counts CTZW on beyond 32 bits, which the manual does not: a bit ends it here. */
static void unary(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    const unsigned w = counts(n, &n->rs1);
    source(n, 5, &n->rs1, i, s, false);
    extend(5, w, false);
    if (strcmp(n->name, "ctz") == 0 && w < XLEN)
        qemu_text("addi x6, x0, 1\nslli x6, x6, %u\nor x5, x5, x6", w);
    qemu_text("%s x5, x5", n->name);
    if (strcmp(n->name, "clz") == 0)
        qemu_text("addi x5, x5, -%u", XLEN - w);
    else if (strcmp(n->name, "rev8") == 0)
        qemu_text("srli x5, x5, %u", XLEN - w);
    result(n, j, s, w);
}

/* ---- floats ---- */

static const char *format_of(unsigned width)
{
    return width == 16 ? "h" : width == 32 ? "s" : "d";
}

static const char *access_of(unsigned width)
{
    return width == 16 ? "h" : width == 32 ? "w" : "d";
}

/* What is boxed is a register, whose box the opcode looks at. */
static void load_float(const struct unroll_insn *n, unsigned to, const struct unroll_operand *o, unsigned i,
                       unsigned s)
{
    qemu_text("fl%s f%u, %u(x31)", access_of(o->boxed ? XLEN : o->width), to, unroll_place(n, o, i, s));
}

static void store_float(const struct unroll_insn *n, const struct unroll_operand *o, unsigned i, unsigned s)
{
    qemu_text("fs%s f0, %u(x31)", access_of(o->boxed ? XLEN : o->width), unroll_place(n, o, i, s));
}

static void convert(unsigned reg, unsigned from, unsigned to)
{
    if (from != to)
        qemu_text("fcvt.%s.%s f%u, f%u", format_of(to), format_of(from), reg, reg);
}

unsigned unroll_float_width(const struct unroll_insn *n)
{
    return UTIL_MAX(n->rs1.width, UTIL_MAX(n->has_2 ? n->rs2.width : 0, n->has_3 ? n->rs3.width : 0));
}

static void floats(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    const struct unroll_operand *const sources[] = {&n->rs1, &n->rs2, &n->rs3};
    const unsigned count = 1u + n->has_2 + n->has_3, width = unroll_float_width(n);
    for (unsigned k = 0; k < count; k++) {
        load_float(n, k + 1, sources[k], i, s);
        convert(k + 1, sources[k]->width, width);
    }
    qemu_text("%s.%s %s, f1%s%s", n->name, format_of(width), n->rd.is_float ? "f0" : "x5",
              n->has_2 ? ", f2" : "", n->has_3 ? ", f3" : "");
    if (!n->rd.is_float) {
        store_integer(n, &n->rd, j, s, XLEN, false);
        return;
    }
    convert(0, width, n->rd.width);
    store_float(n, &n->rd, j, s);
}

/* From an integer of any width: what that is extended to has 64 bits. */
static void conversion(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    if (n->rs1.is_float) {
        load_float(n, 1, &n->rs1, i, s);
    } else {
        load_integer(n, 5, &n->rs1, i, s, n->rs1.width, n->sign);
    }
    qemu_text("%s %s, %s", n->name, n->rd.is_float ? "f0" : "x5", n->rs1.is_float ? "f1" : "x5");
    if (n->rd.is_float)
        store_float(n, &n->rd, j, s);
    else
        store_integer(n, &n->rd, j, s, XLEN, n->sign);
}

/* ---- moves ---- */

static void move(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    load_integer(n, 5, &n->rs1, i, s, n->rs1.width, false);
    result(n, j, s, n->rs1.width);
}

/* Bits; of floats both are of one width. */
static void put_bits(const struct unroll_insn *n, unsigned i, unsigned s)
{
    if (n->rd.is_float)
        qemu_text("%s x5, %u(x31)", store_of(n->rd.width), unroll_place(n, &n->rd, i, s));
    else
        store_integer(n, &n->rd, i, s, n->rs1.width, false);
}

void unroll_swizzle(const struct unroll_insn *n, unsigned i, unsigned j)
{
    static const unsigned to[] = {5, 6, 7, 28};
    for (unsigned s = 0; s < n->subvl; s++)
        load_integer(n, to[s], &n->rs1, i, n->subvl > 1 ? (unsigned)n->imm >> 2 * s & 3 : 0, n->rs1.width,
                     false);
    for (unsigned s = 0; s < n->subvl; s++) {
        qemu_text("addi x5, x%u, 0", to[s]);
        put_bits(n, j, s);
    }
}

/* The index counts elements from where rs1 begins. */
static void indexed(const struct unroll_insn *n, unsigned i, unsigned s)
{
    load_integer(n, 6, &n->rs2, i, s, n->rs2.width, false);
    qemu_text("slli x6, x6, %u\nadd x6, x6, x31", (unsigned)__builtin_ctz(n->rs1.width / 8));
    qemu_text("%s x5, %u(x6)", load_of(n->rs1.width, false),
              (n->rs1.is_float ? UNROLL_F : UNROLL_FILES) + n->rs1.reg * 8);
    put_bits(n, i, s);
}

/* ---- memory ---- */

/* With a vector of addresses each has as many elements as the opcode has room for. *base: the register's place. */
static int64_t offset_of(const struct unroll_insn *n, unsigned at, unsigned s, unsigned *base)
{
    const unsigned element = at * n->subvl + s, per = UTIL_MAX(1u, n->opcode / n->memory);
    *base = n->rs1.reg * 8 + (n->rs1.vector ? element / per * 8 : 0);
    return n->imm + (int64_t)(n->rs1.vector ? element % per : element) * n->memory / 8;
}

bool unroll_is_there(const struct unroll_insn *n, unsigned at, unsigned s)
{
    unsigned base;
    const int64_t offset = offset_of(n, at, s, &base);
    const uint64_t address = util_load64(qemu_at(QEMU_DATA + base)) + (uint64_t)offset - QEMU_MEMORY;
    const unsigned low = n->kind == UNROLL_LOAD ? 0 : WORLD_SIMPLE_V_READ_ONLY;
    return address >= low && address <= QEMU_MEMORY_BYTES - UTIL_MIN(n->memory, n->opcode) / 8;
}

void unroll_access(const struct unroll_insn *n, unsigned at, unsigned data, unsigned s, bool zeroed)
{
    const unsigned bits = UTIL_MIN(n->memory, n->opcode);
    const bool load = n->kind == UNROLL_LOAD;
    const struct unroll_operand *o = load ? &n->rd : &n->rs2;
    unsigned base;
    const int64_t offset = offset_of(n, at, s, &base);
    if (load && zeroed) {
        unroll_zero(n, o, data, s);
        return;
    }
    qemu_text("ld x28, %u(x31)\naddi x28, x28, %d", base, (int)offset);
    if (load && o->is_float) {
        qemu_text("fl%s f0, 0(x28)", access_of(bits));
        convert(0, bits, o->width);
        store_float(n, o, data, s);
    } else if (load) {
        qemu_text("%s x5, 0(x28)", load_of(bits, n->sign));
        store_integer(n, o, data, s, XLEN, n->sign);
    } else if (o->is_float && !zeroed) {
        /* of what is boxed the low bits, with or without a box */
        qemu_text("fl%s f1, %u(x31)", access_of(o->width), unroll_place(n, o, data, s));
        convert(1, o->width, bits);
        qemu_text("fs%s f1, 0(x28)", access_of(bits));
    } else {
        if (zeroed)
            qemu_text("addi x5, x0, 0");
        else
            load_integer(n, 5, o, data, s, o->width, false);
        qemu_text("%s x5, 0(x28)", store_of(bits));
    }
}

static void atomic(const struct unroll_insn *n, unsigned i, unsigned s)
{
    qemu_text("ld x28, %u(x31)", unroll_place(n, &n->rs1, i, s));
    load_integer(n, 6, &n->rs2, i, s, n->rs2.width, false);
    qemu_text("%s x5, x6, (x28)", n->name);
    store_integer(n, &n->rd, i, s, n->opcode, true);
}

/* ---- all ---- */

void unroll_zero(const struct unroll_insn *n, const struct unroll_operand *o, unsigned i, unsigned s)
{
    if (o->is_float) {
        const bool boxes = o->boxed && o->width < XLEN;
        qemu_text("fmv.%s.x f0, x0", !boxes ? "d" : o->width == 16 ? "h" : "w");
        store_float(n, o, i, s);
        return;
    }
    qemu_text("addi x5, x0, 0");
    store_integer(n, o, i, s, XLEN, false);
}

void unroll_element(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s)
{
    if ((n->kind == UNROLL_INTEGER || n->kind == UNROLL_IMMEDIATE) && is_exact(n) && saturates(n)) {
        exact(n, i, j, s);
        return;
    }
    switch (n->kind) {
    case UNROLL_INTEGER: integer(n, i, j, s); return;
    case UNROLL_IMMEDIATE: immediate(n, i, j, s); return;
    case UNROLL_SHIFT: shift(n, i, j, s); return;
    case UNROLL_UNARY: unary(n, i, j, s); return;
    case UNROLL_UPPER:
        qemu_text("lui x5, %d", n->imm);
        result(n, j, s, XLEN);
        return;
    case UNROLL_MOVE: move(n, i, j, s); return;
    case UNROLL_CONVERT: conversion(n, i, j, s); return;
    case UNROLL_ATOMIC: atomic(n, i, s); return;
    case UNROLL_INDEXED: indexed(n, i, s); return;
    default: floats(n, i, j, s); return;
    }
}

void unroll_compare(const struct unroll_insn *n, unsigned i, unsigned s)
{
    const bool sign = n->how == UNROLL_SIGNED;
    load_integer(n, 5, &n->rs1, i, s, n->rs1.width, sign);
    load_integer(n, 6, &n->rs2, i, s, n->rs2.width, sign);
    if (strcmp(n->name, "beq") == 0)
        qemu_text("xor x7, x5, x6\nsltiu x7, x7, 1");
    else if (strcmp(n->name, "bne") == 0)
        qemu_text("xor x7, x5, x6\nsltu x7, x0, x7");
    else
        qemu_text("%s x7, x5, x6", sign ? "slt" : "sltu");
    if (strncmp(n->name, "bge", 3) == 0)
        qemu_text("xori x7, x7, 1");
}
