/* The rows of insns.inc and fields.inc as data. */
#include "isa/simple_v/table.h"

#include <string.h>

#include "util/bits.h"

/* Which bits operands and formats have: every other is fixed by a row's match. */
enum {
#define P(lo, count, at)                                | (((1u << (count)) - 1u) << (lo))
#define OPERAND(name, kind, member, bias, rule, pieces) COVER_##name = (int)(0u pieces),
#include "isa/simple_v/insns.inc"
#undef P
#define O(name)                        | (uint32_t)COVER_##name
#define FORMAT(name, prefix, operands) COVERS_##name = (int)(0u operands),
#include "isa/simple_v/insns.inc"
#undef O
};

#define P(lo, count, at) {lo, count, at},
const struct simple_v_operand simple_v_operands[SIMPLE_V_OPERAND_COUNT] = {
#define OPERAND(name, kind, member, bias, rule, pieces)                                                      \
    {#name, SIMPLE_V_KIND_##kind, SIMPLE_V_##rule, bias, offsetof(struct simple_v_insn, member), {pieces}},
#include "isa/simple_v/insns.inc"
};
#undef P

#define O(name) SIMPLE_V_OPERAND_##name,
/* The operands, and one more that ends them: a list is never empty. */
#define FORMAT(name, prefix, operands) static const uint8_t list_##name[] = {operands SIMPLE_V_OPERAND_COUNT};
#include "isa/simple_v/insns.inc"
const struct simple_v_format simple_v_formats[SIMPLE_V_FORMAT_COUNT] = {
#define FORMAT(name, prefix, operands) {SIMPLE_V_FORM_##prefix, sizeof list_##name - 1, {operands}},
#include "isa/simple_v/insns.inc"
};
#undef O

#define NOTHING      .bits = 0
#define LANE(name)   .op = ISA_OP_##name
#define OWN(name)    .op = SIMPLE_V_OWN_##name
#define FLOAT(name)  .is_float = true, .op = SIMPLE_V_FLOAT_##name
#define SIGNED       .signed_1 = true, .signed_2 = true
#define SIGNED_FIRST .signed_1 = true
#define WORD         .word = true
#define MEMORY(n)    .bits = (n)
#define FROM(name)   .from = SIMPLE_V_TYPE_##name
#define TO(name)     .to = SIMPLE_V_TYPE_##name
const struct simple_v_row simple_v_rows[SIMPLE_V_OP_COUNT] = {
#define INSN(id, name, layout, bits_of, kind, ...)                                                           \
    [SIMPLE_V_##id] = {.text = (name),                                                                       \
                       .match = (bits_of),                                                                   \
                       .mask = ~(uint32_t)COVERS_##layout,                                                   \
                       .format = SIMPLE_V_FORMAT_##layout,                                                   \
                       .class = SIMPLE_V_##kind,                                                             \
                       .as = SIMPLE_V_##id,                                                                  \
                       __VA_ARGS__},
#define COMPRESSED(id, name, layout, bits_of, like, kind)                                                    \
    [SIMPLE_V_##id] = {.text = (name),                                                                       \
                       .match = (bits_of),                                                                   \
                       .mask = 0xffff & ~(uint32_t)COVERS_##layout,                                          \
                       .format = SIMPLE_V_FORMAT_##layout,                                                   \
                       .class = SIMPLE_V_##kind,                                                             \
                       .as = SIMPLE_V_##like},
#include "isa/simple_v/insns.inc"
};

/* ---- values ---- */

static int32_t *member(const struct simple_v_operand *o, struct simple_v_insn *insn)
{
    return (int32_t *)((char *)insn + o->member);
}

int32_t simple_v_get(const struct simple_v_operand *o, const struct simple_v_insn *insn)
{
    int32_t value;
    memcpy(&value, (const char *)insn + o->member, sizeof value);
    return value;
}

void simple_v_put(const struct simple_v_operand *o, struct simple_v_insn *insn, int32_t value)
{
    *member(o, insn) = value;
}

static bool is_signed(const struct simple_v_operand *o)
{
    return o->kind == SIMPLE_V_KIND_SIGNED || o->kind == SIMPLE_V_KIND_OFFSET ||
           o->kind == SIMPLE_V_KIND_UPPER || o->kind == SIMPLE_V_KIND_TARGET;
}

void simple_v_range(const struct simple_v_operand *o, int32_t *least, int32_t *most, int32_t *step)
{
    unsigned top = 0, bottom = 31;
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(o->piece) && o->piece[n].count; n++) {
        top = UTIL_MAX(top, o->piece[n].at + (unsigned)o->piece[n].count);
        bottom = UTIL_MIN(bottom, o->piece[n].at);
    }
    const int32_t values = 1 << top;
    *step = 1 << (top ? bottom : 0);
    *least = is_signed(o) ? -(values / 2) : o->bias;
    *most = (is_signed(o) ? values / 2 : o->bias + values) - *step;
}

const char *simple_v_value_broken(const struct simple_v_operand *o, int32_t value)
{
    switch (o->rule) {
    case SIMPLE_V_NONZERO: return value ? NULL : "0 is reserved here";
    case SIMPLE_V_NOT_SP: return value != 2 ? NULL : "x2 is reserved here";
    case SIMPLE_V_ROUND: return value == 5 || value == 6 ? "this rounding mode is reserved" : NULL;
    default: return NULL;
    }
}

static const struct simple_v_operand *operand_of(uint16_t op, uint16_t offset)
{
    const struct simple_v_format *f = &simple_v_formats[simple_v_rows[op].format];
    for (unsigned n = 0; n < f->count; n++)
        if (simple_v_operands[f->operand[n]].member == offset)
            return &simple_v_operands[f->operand[n]];
    return NULL;
}

bool simple_v_has(uint16_t op, uint16_t offset)
{
    return operand_of(op, offset);
}

bool simple_v_is_integer(uint16_t op, uint16_t offset)
{
    const struct simple_v_operand *o = operand_of(op, offset);
    return !o || o->kind != SIMPLE_V_KIND_F;
}

uint16_t simple_v_op_named(const char *text, size_t length)
{
    uint16_t op = 0;
    while (op < SIMPLE_V_OP_COUNT &&
           (strlen(simple_v_rows[op].text) != length || memcmp(simple_v_rows[op].text, text, length) != 0))
        op++;
    return op;
}

enum simple_v_form simple_v_form_of(uint16_t op)
{
    return (enum simple_v_form)simple_v_formats[simple_v_rows[op].format].form;
}

/* ---- what is around instructions ---- */

struct around {
    uint8_t list;
    struct isa_field field;
};
/* ISA_FIELD takes a member's size of an object that there is not. */
static const struct around prefixes[] = {
#define PREFIX(form, member, lo, count)                                                                      \
    {SIMPLE_V_FORM_##form, ISA_FIELD(struct simple_v_prefix, member, lo, count)},
#include "isa/simple_v/fields.inc"
};
static const struct around longs[] = {
#define SIMPLE_V_FORM_ALL 0
#define LONG(form, member, lo, count)                                                                        \
    {SIMPLE_V_FORM_##form, ISA_FIELD(struct simple_v_prefix, member, lo, count)},
#include "isa/simple_v/fields.inc"
};
/* Entries are of one structure by list; the lists of each are asked for apart. */
typedef struct simple_v_block TYPE_HEADER, TYPE_VL;
typedef struct simple_v_reg_entry TYPE_REG_16, TYPE_REG_8;
typedef struct simple_v_pred_entry TYPE_PRED_16, TYPE_PRED_8;
static const struct around blocks[] = {
#define BLOCK(list, member, lo, count) {SIMPLE_V_LIST_##list, ISA_FIELD(TYPE_##list, member, lo, count)},
#include "isa/simple_v/fields.inc"
};

static uint64_t extract(const struct around *rows, size_t n, unsigned list, uint64_t word, void *out)
{
    uint64_t covered = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].list == list) {
            isa_extract(&rows[i].field, 1, &word, out);
            isa_coverage(&rows[i].field, 1, &covered);
        }
    return covered;
}

static void insert(const struct around *rows, size_t n, unsigned list, const void *in, uint64_t *word)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].list == list)
            isa_insert(&rows[i].field, 1, in, word);
}

/* Forms I and FI have the bits of LD. */
static unsigned list_of(enum simple_v_form form)
{
    return form == SIMPLE_V_FORM_I || form == SIMPLE_V_FORM_FI ? SIMPLE_V_FORM_LD : form;
}

uint64_t simple_v_prefix_extract(enum simple_v_form form, bool is_long, uint64_t word,
                                 struct simple_v_prefix *out)
{
    const unsigned list = list_of(form);
    uint64_t covered = extract(prefixes, UTIL_ARRAY_SIZE(prefixes), list, word, out);
    if (is_long) {
        covered |= extract(longs, UTIL_ARRAY_SIZE(longs), SIMPLE_V_FORM_ALL, word, out);
        covered |= extract(longs, UTIL_ARRAY_SIZE(longs), list, word, out);
    }
    return covered;
}

void simple_v_prefix_insert(enum simple_v_form form, bool is_long, const struct simple_v_prefix *in,
                            uint64_t *word)
{
    const unsigned list = list_of(form);
    insert(prefixes, UTIL_ARRAY_SIZE(prefixes), list, in, word);
    if (is_long) {
        insert(longs, UTIL_ARRAY_SIZE(longs), SIMPLE_V_FORM_ALL, in, word);
        insert(longs, UTIL_ARRAY_SIZE(longs), list, in, word);
    }
}

uint64_t simple_v_block_extract(enum simple_v_block_list list, uint64_t word, void *out)
{
    return extract(blocks, UTIL_ARRAY_SIZE(blocks), list, word, out);
}

void simple_v_block_insert(enum simple_v_block_list list, const void *in, uint64_t *word)
{
    insert(blocks, UTIL_ARRAY_SIZE(blocks), list, in, word);
}

/* ---- names ---- */

static const struct isa_name rounding[] = {{0, "rne"}, {1, "rtz"}, {2, "rdn"},
                                           {3, "rup"}, {4, "rmm"}, {7, "dyn"}};
const struct isa_names simple_v_rounding = ISA_NAMES(rounding);

static const struct isa_name csrs[] = {
#define CSR(name, number, text) {number, text},
#include "isa/simple_v/csrs.inc"
};
const struct isa_names simple_v_csrs = ISA_NAMES(csrs);
