/* Operands and formats as data: what text, decoder and encoder walk. */
#ifndef VITRAIL_ISA_SIMPLE_V_TABLE_H
#define VITRAIL_ISA_SIMPLE_V_TABLE_H

#include "isa/isa.h"
#include "isa/simple_v/insn.h"

/* How a value is written. */
enum simple_v_kind {
    SIMPLE_V_KIND_X,
    SIMPLE_V_KIND_F,
    SIMPLE_V_KIND_BASE, /* (x5) */
    SIMPLE_V_KIND_SIGNED,
    SIMPLE_V_KIND_UNSIGNED,
    SIMPLE_V_KIND_OFFSET,   /* a signed number that a BASE follows */
    SIMPLE_V_KIND_PLACE,    /* an unsigned one */
    SIMPLE_V_KIND_UPPER,    /* signed, of 20 bits in text, where it has no sign */
    SIMPLE_V_KIND_TARGET,   /* bytes from the instruction on, or a label */
    SIMPLE_V_KIND_RM,       /* not written if dynamic */
    SIMPLE_V_KIND_RM_EXACT, /* not written if to nearest, as nothing is rounded */
    SIMPLE_V_KIND_ORDER,    /* .aq, .rl behind the name */
    SIMPLE_V_KIND_FENCE,
    SIMPLE_V_KIND_CSR,
    SIMPLE_V_KIND_SWIZZLE,
    SIMPLE_V_KIND_HIDDEN
};
enum simple_v_rule_of_value { SIMPLE_V_ANY, SIMPLE_V_NONZERO, SIMPLE_V_NOT_SP, SIMPLE_V_ROUND };

struct simple_v_operand {
    const char *name;
    uint8_t kind, rule, bias;
    uint16_t member; /* offset of an int32_t in struct simple_v_insn */
    struct {
        uint8_t lo, count, at;
    } piece[8]; /* up to a count of 0 */
};
enum simple_v_operand_name {
#define OPERAND(name, kind, member, bias, rule, pieces) SIMPLE_V_OPERAND_##name,
#include "isa/simple_v/insns.inc"
    SIMPLE_V_OPERAND_COUNT
};
extern const struct simple_v_operand simple_v_operands[SIMPLE_V_OPERAND_COUNT];

struct simple_v_format {
    uint8_t form, count;
    uint8_t operand[6];
};
enum simple_v_format_name {
#define FORMAT(name, prefix, operands) SIMPLE_V_FORMAT_##name,
#include "isa/simple_v/insns.inc"
    SIMPLE_V_FORMAT_COUNT
};
extern const struct simple_v_format simple_v_formats[SIMPLE_V_FORMAT_COUNT];

/* An operand's value in an instruction. */
int32_t simple_v_get(const struct simple_v_operand *o, const struct simple_v_insn *insn);
void simple_v_put(const struct simple_v_operand *o, struct simple_v_insn *insn, int32_t value);
/* The least and the greatest value that its bits have, and the step between values. */
void simple_v_range(const struct simple_v_operand *o, int32_t *least, int32_t *most, int32_t *step);
/* What of the rules about its value it breaks, NULL: none. */
const char *simple_v_value_broken(const struct simple_v_operand *o, int32_t value);
/* Whether a row's format has an operand for the member at an offset. */
bool simple_v_has(uint16_t op, uint16_t member);
#define SIMPLE_V_HAS(op, member) simple_v_has(op, offsetof(struct simple_v_insn, member))
/* Whether the register there is of the integer file; meaningless where there is none. */
bool simple_v_is_integer(uint16_t op, uint16_t member);

/* The row of a name, SIMPLE_V_OP_COUNT: none. */
uint16_t simple_v_op_named(const char *text, size_t length);

/* The fields of a prefix (P48's, or P64's) of a form, from bits and back; extraction gives the bits that are fields. */
uint64_t simple_v_prefix_extract(enum simple_v_form form, bool is_long, uint64_t word,
                                 struct simple_v_prefix *out);
void simple_v_prefix_insert(enum simple_v_form form, bool is_long, const struct simple_v_prefix *in,
                            uint64_t *word);
/* The same of what a VBLOCK begins with: of HEADER and VL `out` is a struct simple_v_block, of the others an entry. */
enum simple_v_block_list {
    SIMPLE_V_LIST_HEADER,
    SIMPLE_V_LIST_VL,
    SIMPLE_V_LIST_REG_16,
    SIMPLE_V_LIST_REG_8,
    SIMPLE_V_LIST_PRED_16,
    SIMPLE_V_LIST_PRED_8
};
uint64_t simple_v_block_extract(enum simple_v_block_list list, uint64_t word, void *out);
void simple_v_block_insert(enum simple_v_block_list list, const void *in, uint64_t *word);

/* Names of rounding modes and of CSRs. */
extern const struct isa_names simple_v_rounding, simple_v_csrs;

#endif
