/* The vocabulary of the assembler language, and what insns.inc says of each operation. */
#ifndef VITRAIL_ISA_MIDGARD_NAMES_H
#define VITRAIL_ISA_MIDGARD_NAMES_H

#include "isa/isa.h"
#include "isa/midgard/insn.h"
#include "isa/op.h"

/* Of what an operation is computed (README.md, rule 6); a and b are operands, e the element at hand. */
enum midgard_form {
    MIDGARD_FORM_PAIR,       /* op(a e, b e) */
    MIDGARD_FORM_ONE,        /* op(a e) */
    MIDGARD_FORM_MOVE,       /* b e */
    MIDGARD_FORM_MAGNITUDES, /* op(|a e|, |b e|) */
    MIDGARD_FORM_DOUBLED,    /* op(2 a e, b e) */
    MIDGARD_FORM_FUSED,      /* a 0 * a 1 + b e */
    MIDGARD_FORM_DOT3,       /* a 0 * b 0 + a 1 * b 1 + a 2 * b 2 */
    MIDGARD_FORM_DOT3_REVERSE,
    MIDGARD_FORM_DOT4,
    MIDGARD_FORM_SUM4,          /* a 0 + a 1 + a 2 + a 3 */
    MIDGARD_FORM_WIDE,          /* the product of lower halves, signed */
    MIDGARD_FORM_WIDE_UNSIGNED, /* of unsigned ones */
    MIDGARD_FORM_WIDE_MIXED,    /* a signed, b unsigned */
    MIDGARD_FORM_CHOOSE,        /* of a the element that b e says */
    MIDGARD_FORM_CONVERT,       /* op(a e) */
    MIDGARD_FORM_ALL,           /* op of each of four: all of them, any of them */
    MIDGARD_FORM_ANY,
    MIDGARD_FORM_SELECT,      /* r31.w ? a e : b e */
    MIDGARD_FORM_SELECT_EACH, /* r31 e ? a e : b e */
    MIDGARD_FORM_SELECT_BITS, /* the same of each bit */
    MIDGARD_FORM_EXP2,        /* of a e */
    MIDGARD_FORM_LOG2,
    MIDGARD_FORM_SIN,
    MIDGARD_FORM_COS,
    MIDGARD_FORM_ARC_FIRST,
    MIDGARD_FORM_ARC_SECOND,
    MIDGARD_FORM_UNKNOWN /* UNSUPPORTED */
};

struct midgard_alu_info {
    const char *text;
    uint8_t units; /* bits of enum midgard_unit that have it */
    uint8_t form;
    bool float_in, float_out;
    bool modes[4];            /* by enum midgard_mode: it is there */
    struct isa_lane_op op[4]; /* the same: of operands of that width; results are as wide */
};
struct midgard_memory_info {
    const char *text;
    uint8_t class, type;
    uint8_t bytes, swap; /* moved; in reverse order at a time, 1: none */
    uint8_t atomic;
};

/* NULL: the operation is reserved. */
const struct midgard_alu_info *midgard_alu_info(uint8_t op);
/* Whether in mode 16 it is computed with singles, of halves that are rounded once, sooner or later (README.md, "Numeric
 * policy"). */
bool midgard_by_singles(const struct midgard_alu_info *info, enum midgard_clamp clamp);
const struct midgard_memory_info *midgard_memory_info(uint8_t op);
const char *midgard_texture_name(uint8_t op);

/* Whether it loads a varying as halves that nothing changes: the port is asked for singles, which become halves. */
static inline bool midgard_makes_varying_halves(const struct midgard_memory *m,
                                                const struct midgard_memory_info *info)
{
    return info->class == MIDGARD_VARYING && info->type == ISA_TYPE_F16 && !(m->index_format & 1) &&
           (midgard_offset_rest(m) & MIDGARD_VARYING_MOD) == MIDGARD_VARYING_PLAIN;
}

static inline bool midgard_is_store(enum midgard_class class)
{
    return class == MIDGARD_STORE || class == MIDGARD_STORE_VARYING || class == MIDGARD_STORE_IMAGE ||
           class == MIDGARD_STORE_SPECIAL || class == MIDGARD_STORE_TILE;
}

enum midgard_list { MIDGARD_ALU_OPS, MIDGARD_MEMORY_OPS, MIDGARD_TEXTURE_OPS };
/* By enum midgard_list. */
extern const struct isa_names midgard_lists[];

extern const uint8_t midgard_clamps[4]; /* enum isa_op by enum midgard_clamp, but NONE */

extern const char *const midgard_unit_names[MIDGARD_ALU_UNITS]; /* "vmul", ... */
extern const char *const midgard_tag_names[16];                 /* "stop", "tex", "alu1", ...; NULL: none */
extern const char *const midgard_argument_names[8];             /* "al0", "al1", "pc", "storage", ... */
extern const char *const midgard_conditions[4];                 /* "never", "false", "true", "always" */

#endif
