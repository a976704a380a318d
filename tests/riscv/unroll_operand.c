/* What random vector instructions are made of: names, registers that are theirs, texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "isa/random.h"
#include "tests/riscv/unroll_random.h"
#include "util/bits.h"

enum { TEXT_BYTES = 16384 };

unsigned unroll_subvl;
static struct isa_random r;
static char sv[TEXT_BYTES];
static size_t sv_length;

const char *unroll_begin(uint64_t seed)
{
    r = (struct isa_random){seed};
    sv_length = 0;
    unroll_subvl = 1;
    return sv;
}

uint64_t unroll_bits(void)
{
    return isa_random_next(&r);
}

uint32_t unroll_below(uint32_t n)
{
    return isa_random_below(&r, n);
}

bool unroll_one_in(unsigned n)
{
    return isa_random_one_in(&r, n);
}

void unroll_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sv_length += (size_t)vsnprintf(sv + sv_length, sizeof sv - sv_length, format, args);
    va_end(args);
    assert_true(sv_length < sizeof sv);
}

void unroll_unsay(const char *text)
{
    assert_true(sv_length >= strlen(text));
    sv_length -= strlen(text);
}

/* ---- which there are ---- */

const struct unroll_name unroll_integers[] = {
    {"add", UNROLL_PLAIN, 1},        {"sub", UNROLL_PLAIN, 1},       {"and", UNROLL_PLAIN, 0},
    {"or", UNROLL_PLAIN, 0},         {"xor", UNROLL_PLAIN, 0},       {"andn", UNROLL_PLAIN, 0},
    {"orn", UNROLL_PLAIN, 0},        {"xnor", UNROLL_PLAIN, 0},      {"minu", UNROLL_PLAIN, 0},
    {"maxu", UNROLL_PLAIN, 0},       {"sltu", UNROLL_PLAIN, 0},      {"mul", UNROLL_PLAIN, 1},
    {"divu", UNROLL_PLAIN, 1},       {"remu", UNROLL_PLAIN, 1},      {"min", UNROLL_SIGNED, 0},
    {"max", UNROLL_SIGNED, 0},       {"slt", UNROLL_SIGNED, 0},      {"div", UNROLL_SIGNED, 1},
    {"rem", UNROLL_SIGNED, 1},       {"sll", UNROLL_SHIFT_LEFT, 1},  {"srl", UNROLL_SHIFT_RIGHT, 1},
    {"sra", UNROLL_SHIFT_SIGNED, 1}, {"rol", UNROLL_ROTATE_LEFT, 1}, {"ror", UNROLL_ROTATE_RIGHT, 1},
    {"mulhu", UNROLL_HIGH, 0},       {"mulh", UNROLL_SIGNED, 0},     {"mulhsu", UNROLL_SIGNED_FIRST, 0}};

const struct unroll_name unroll_shifts[] = {{"slli", UNROLL_SHIFT_LEFT, 1},
                                            {"srli", UNROLL_SHIFT_RIGHT, 1},
                                            {"srai", UNROLL_SHIFT_SIGNED, 1},
                                            {"rori", UNROLL_ROTATE_RIGHT, 1}};

const struct unroll_name unroll_immediates[] = {{"addi", UNROLL_PLAIN, 1},  {"xori", UNROLL_PLAIN, 0},
                                                {"ori", UNROLL_PLAIN, 0},   {"andi", UNROLL_PLAIN, 0},
                                                {"slti", UNROLL_SIGNED, 0}, {"sltiu", UNROLL_PLAIN, 0}};

const struct unroll_name unroll_unaries[] = {{"clz", UNROLL_PLAIN, 1},    {"ctz", UNROLL_PLAIN, 1},
                                             {"cpop", UNROLL_PLAIN, 1},   {"sext.b", UNROLL_PLAIN, 0},
                                             {"sext.h", UNROLL_PLAIN, 0}, {"orc.b", UNROLL_PLAIN, 0},
                                             {"rev8", UNROLL_PLAIN, 0},   {"zext.h", UNROLL_PLAIN, 0}};

const struct unroll_float_name unroll_float_names[] = {
    {"fadd", 2, 0},   {"fsub", 2, 0}, {"fmul", 2, 0}, {"fdiv", 2, 0},  {"fsgnj", 2, 0}, {"fsgnjn", 2, 0},
    {"fsgnjx", 2, 0}, {"fmin", 2, 0}, {"fmax", 2, 0}, {"fmadd", 3, 0}, {"fmsub", 3, 0}, {"fnmadd", 3, 0},
    {"fnmsub", 3, 0}, {"feq", 2, 1},  {"flt", 2, 1},  {"fle", 2, 1},   {"fsqrt", 1, 0}, {"fclass", 1, 1}};

const struct unroll_access_name unroll_accesses[] = {
    {"lb", 8, 1, 0, 0},   {"lbu", 8, 0, 0, 0},  {"lh", 16, 1, 0, 0},  {"lhu", 16, 0, 0, 0},
    {"lw", 32, 1, 0, 0},  {"lwu", 32, 0, 0, 0}, {"ld", 64, 1, 0, 0},  {"flh", 16, 0, 1, 0},
    {"flw", 32, 0, 1, 0}, {"fld", 64, 0, 1, 0}, {"sb", 8, 0, 0, 1},   {"sh", 16, 0, 0, 1},
    {"sw", 32, 0, 0, 1},  {"sd", 64, 0, 0, 1},  {"fsh", 16, 0, 1, 1}, {"fsw", 32, 0, 1, 1},
    {"fsd", 64, 0, 1, 1}};

const unsigned unroll_widths[] = {64, 8, 16, 32};
const char *const unroll_formats[] = {".s", ".d", ".h"};
const unsigned unroll_format_bits[] = {32, 64, 16};

void unroll_name(struct unroll_insn *n, const struct unroll_name *names, unsigned count)
{
    const struct unroll_name *name = &names[unroll_below(count)];
    n->name = name->name;
    n->how = name->how;
    n->word = name->word && unroll_one_in(3);
}

/* ---- operands ---- */

/* `first` on, before `end`, with room for all elements, and for a sub-vector that a swizzle reads beyond them. */
unsigned unroll_reg(const struct unroll_insn *n, unsigned first, unsigned end, bool vector, unsigned width)
{
    const unsigned regs = ((vector ? n->vl * n->subvl : n->subvl) * width / 8 + 7) / 8 + 4;
    assert_true(first + regs <= end);
    return first + unroll_below(end - first - regs + 1);
}

struct unroll_operand unroll_some_integer(const struct unroll_insn *n, bool vector, unsigned width,
                                          bool result)
{
    struct unroll_operand o = {.vector = vector, .tagged = true, .width = width, .given = width < 64};
    const bool zero = unroll_one_in(12) && (!result || !vector || n->vl * n->subvl * width <= 8 * 64);
    o.reg = zero ? 0 : unroll_reg(n, RESULTS, ADDRESSES, vector, 64);
    return o;
}

struct unroll_operand unroll_some_float(const struct unroll_insn *n, bool vector, unsigned width)
{
    struct unroll_operand o = {.is_float = true, .vector = vector, .tagged = true, .width = width};
    o.boxed = !vector && n->subvl == 1;
    o.reg = unroll_reg(n, 0, 128, vector, 64);
    return o;
}

void unroll_say_operand(const struct unroll_operand *o)
{
    unroll_say("%c%u%s", o->is_float ? 'f' : 'x', o->reg, o->vector ? "v" : "");
}

/* Operands in their order; the third, or NULL. */
void unroll_say_operands(const struct unroll_operand *a, const struct unroll_operand *b,
                         const struct unroll_operand *c)
{
    unroll_say_operand(a);
    unroll_say(", ");
    unroll_say_operand(b);
    if (c) {
        unroll_say(", ");
        unroll_say_operand(c);
    }
}

int unroll_number(const struct unroll_insn *n)
{
    if (n->kind == UNROLL_SHIFT)
        return (int)unroll_below(n->word ? 32 : 64);
    return (int)unroll_below(4096) - 2048;
}

/* Addresses, one or as many as elements. */
struct unroll_operand unroll_address(const struct unroll_insn *n, bool aligned)
{
    const unsigned first = aligned ? ALIGNED : ADDRESSES;
    const bool each = n->vl * n->subvl <= 128 - first && unroll_one_in(3);
    return (struct unroll_operand){.vector = each,
                                   .tagged = true,
                                   .width = 64,
                                   .reg = each      ? first
                                          : aligned ? ALIGNED + unroll_below(8 - n->subvl + 1)
                                                    : BASE + unroll_below(3)};
}

void unroll_begin_saturation(struct unroll_insn *n)
{
    n->saturate = unroll_one_in(4) ? 1 + unroll_below(2) : 0;
    if (n->saturate)
        unroll_say("csrrwi x0, svsat, %u\n", n->saturate);
}

void unroll_end_saturation(const struct unroll_insn *n)
{
    if (n->saturate)
        unroll_say("csrrwi x0, svsat, 0\n");
}
