#include "isa/midgard/names.h"

/* Units, as rows name them. */
enum {
    UNITS_VMUL = 1 << MIDGARD_VMUL,
    UNITS_VADD = 1 << MIDGARD_VADD,
    UNITS_LUT = 1 << MIDGARD_VLUT,
    UNITS_MUL = UNITS_VMUL | 1 << MIDGARD_SMUL,
    UNITS_ADD = UNITS_VADD | 1 << MIDGARD_SADD,
    UNITS_MOST = UNITS_MUL | UNITS_ADD,
    UNITS_ALL = UNITS_MOST | UNITS_LUT,
    UNITS_MUL_LUT = UNITS_MUL | UNITS_LUT,
    UNITS_VECTOR = UNITS_VMUL | UNITS_VADD,
    UNITS_SECOND = UNITS_VADD | 1 << MIDGARD_SMUL
};

/* What a row's types and form say of the modes that there are. */
#define IN_FF               true
#define IN_FI               true
#define IN_IF               false
#define IN_II               false
#define OUT_FF              true
#define OUT_FI              false
#define OUT_IF              true
#define OUT_II              false
#define LUT_OF(units, mode) ((units) != UNITS_LUT || (mode) != MIDGARD_MODE_64)
#define WIDE_OF(form)                                                                                        \
    ((form) == MIDGARD_FORM_WIDE || (form) == MIDGARD_FORM_WIDE_UNSIGNED || (form) == MIDGARD_FORM_WIDE_MIXED)
#define SHAPE(in, bits)                 ((in) ? ISA_F##bits : ISA_I##bits)
#define LANE(lane_op, in, bits, policy) {ISA_OP_##lane_op, SHAPE(in, bits), ISA_OP_##policy | ISA_OP_QUIET}
#define LANE_8(lane_op, policy)         {ISA_OP_##lane_op, ISA_I8, ISA_OP_##policy}
#define ROW_OF(text, units, form, types, eight, modes_8, op16, op32, op64, policy)                           \
    {                                                                                                        \
        text, UNITS_##units, form, IN_##types, OUT_##types,                                                  \
            {modes_8, true, true, LUT_OF(UNITS_##units, MIDGARD_MODE_64)},                                   \
        {                                                                                                    \
            LANE_8(eight, policy), LANE(op16, IN_##types, 16, policy), LANE(op32, IN_##types, 32, policy),   \
                LANE(op64, IN_##types, 64, policy)                                                           \
        }                                                                                                    \
    }

static const struct midgard_alu_info alu[256] = {
#define ALU_OP(value, text, units, form, types, lane_op, policy)                                             \
    [value] = ROW_OF(text, units, MIDGARD_FORM_##form, types, lane_op,                                       \
                     !IN_##types && !WIDE_OF(MIDGARD_FORM_##form), lane_op, lane_op, lane_op, policy),
#define ALU_CONVERT(value, text, units, types, op16, op32, op64, policy)                                     \
    [value] = ROW_OF(text, units, MIDGARD_FORM_CONVERT, types, mov, false, op16, op32, op64, policy),
#include "isa/midgard/insns.inc"
};

#define ATOMIC_ROWS(value, text, kind)                                                                       \
    [value] = {text, MIDGARD_ATOMIC, ISA_TYPE_RAW, 4, 1, kind},                                              \
    [(value) + 1] = {text "64", MIDGARD_ATOMIC, ISA_TYPE_RAW, 8, 1, kind},                                   \
    [(value) + 2] = {text "_be", MIDGARD_ATOMIC, ISA_TYPE_RAW, 4, 4, kind},                                  \
    [(value) + 3] = {text "64_be", MIDGARD_ATOMIC, ISA_TYPE_RAW, 8, 8, kind},

static const struct midgard_memory_info memory[256] = {
#define MEMORY_OP(value, text, class, type, bytes, swap)                                                     \
    [value] = {text, MIDGARD_##class, ISA_TYPE_##type, bytes, swap, 0},
#define ATOMIC_OP(value, text, op) ATOMIC_ROWS(value, text, ISA_ATOMIC_##op)
#include "isa/midgard/insns.inc"
};

static const char *const texture[16] = {
#define TEXTURE_OP(value, text) [value] = text,
#include "isa/midgard/insns.inc"
};

static const struct isa_name alu_names[] = {
#define ALU_OP(value, text, units, form, types, lane_op, policy)         {value, text},
#define ALU_CONVERT(value, text, units, types, op16, op32, op64, policy) {value, text},
#include "isa/midgard/insns.inc"
};
static const struct isa_name memory_names[] = {
#define MEMORY_OP(value, text, class, type, bytes, swap) {value, text},
#define ATOMIC_OP(value, text, op)                                                                           \
    {value, text}, {(value) + 1, text "64"}, {(value) + 2, text "_be"}, {(value) + 3, text "64_be"},
#include "isa/midgard/insns.inc"
};
static const struct isa_name texture_names[] = {
#define TEXTURE_OP(value, text) {value, text},
#include "isa/midgard/insns.inc"
};

const struct isa_names midgard_lists[] = {ISA_NAMES(alu_names), ISA_NAMES(memory_names),
                                          ISA_NAMES(texture_names)};

const uint8_t midgard_clamps[4] = {[MIDGARD_CLAMP_0_INF] = ISA_OP_fclamp_0_inf,
                                   [MIDGARD_CLAMP_M1_1] = ISA_OP_fclamp_m1_1,
                                   [MIDGARD_CLAMP_0_1] = ISA_OP_fclamp_0_1};

const char *const midgard_unit_names[MIDGARD_ALU_UNITS] = {"vmul", "sadd", "vadd", "smul", "vlut"};
const char *const midgard_tag_names[16] = {NULL,    "stop",  "vtex",  "tex",  "bar",  "ldst",
                                           NULL,    NULL,    "alu1",  "alu2", "alu3", "alu4",
                                           "alu1w", "alu2w", "alu3w", "alu4w"};
const char *const midgard_argument_names[8] = {"al0", "al1", "pc", "storage", "lid", "gid", "glid", "zero"};
const char *const midgard_conditions[4] = {"never", "false", "true", "always"};

const struct midgard_alu_info *midgard_alu_info(uint8_t op)
{
    return alu[op].text ? &alu[op] : NULL;
}

bool midgard_by_singles(const struct midgard_alu_info *info, enum midgard_clamp clamp)
{
    if (!info->float_in)
        return false;
    switch (info->form) {
    case MIDGARD_FORM_MOVE: return clamp != MIDGARD_CLAMP_NONE; /* which leaves no NaN */
    case MIDGARD_FORM_CONVERT: return false;
    case MIDGARD_FORM_EXP2:
    case MIDGARD_FORM_LOG2:
    case MIDGARD_FORM_SIN:
    case MIDGARD_FORM_COS:
    case MIDGARD_FORM_ARC_FIRST:
    case MIDGARD_FORM_ARC_SECOND: return true;
    default: return isa_op_by_singles(info->op[MIDGARD_MODE_16]);
    }
}

const struct midgard_memory_info *midgard_memory_info(uint8_t op)
{
    return memory[op].text ? &memory[op] : NULL;
}

const char *midgard_texture_name(uint8_t op)
{
    return op < 16 ? texture[op] : NULL;
}
