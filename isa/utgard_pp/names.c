#include "isa/utgard_pp/names.h"

static const struct isa_name mul_ops[] = {
#define MUL_OP(value, text, operands, lane_op, shape) {value, text},
#include "isa/utgard_pp/insns.inc"
};
static const struct isa_name add_ops[] = {
#define ADD_OP(value, text, operands, lane_op, shape) {value, text},
#include "isa/utgard_pp/insns.inc"
};
static const struct isa_name combine_ops[] = {
#define COMBINE_OP(value, text, operands) {value, text},
#include "isa/utgard_pp/insns.inc"
};
static const uint8_t operands[3][32] = {
    {
#define MUL_OP(value, text, operands, lane_op, shape) [value] = operands,
#include "isa/utgard_pp/insns.inc"
    },
    {
#define ADD_OP(value, text, operands, lane_op, shape) [value] = operands,
#include "isa/utgard_pp/insns.inc"
    },
    {
#define COMBINE_OP(value, text, operands) [value] = operands,
#include "isa/utgard_pp/insns.inc"
    },
};

#define LANE_OP(op, shape) {ISA_OP_##op, ISA_##shape, ISA_OP_F1}
static const struct isa_lane_op lane_ops[2][32] = {
    {
#define MUL_OP(value, text, operands, lane_op, shape) [value] = LANE_OP(lane_op, shape),
#include "isa/utgard_pp/insns.inc"
    },
    {
#define ADD_OP(value, text, operands, lane_op, shape) [value] = LANE_OP(lane_op, shape),
#include "isa/utgard_pp/insns.inc"
    },
};

const struct isa_names utgard_pp_lists[] = {ISA_NAMES(mul_ops), ISA_NAMES(add_ops), ISA_NAMES(combine_ops)};

const char *const utgard_pp_registers[16] = {"r0", "r1", "r2",  "r3",  "r4", "r5", "r6",  "r7",
                                             "r8", "r9", "r10", "r11", "c0", "c1", "tex", "uni"};
const char *const utgard_pp_mods[4] = {"", ".sat", ".pos", ".int"};

unsigned utgard_pp_operands(enum utgard_pp_list list, uint32_t value)
{
    return value < 32 && operands[list][value] ? operands[list][value] : 2;
}

const struct isa_lane_op *utgard_pp_lane_op(enum utgard_pp_list list, uint32_t value)
{
    return value < 32 && operands[list][value] ? &lane_ops[list][value] : NULL;
}
