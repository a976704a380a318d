/* Rows, and which lane operation an instruction's modifiers make of them. */
#include "isa/warp/ops.h"

const struct warp_row warp_rows[WARP_OP_COUNT] = {
#define OP(name, class, op, second, type, a, b, c, d)                                                        \
    {#name,           WARP_##class, ISA_OP_##op,                                                             \
     ISA_OP_##second, WARP_##type,  {WARP_##a, WARP_##b, WARP_##c, WARP_##d}},
#include "isa/warp/ops.inc"
};

const struct warp_type_info warp_types[WARP_TYPE_COUNT] = {
    [WARP_F16] = {ISA_F16, true, false},     [WARP_F32] = {ISA_F32, true, false},
    [WARP_V2F16] = {ISA_V2F16, true, false}, [WARP_U8] = {ISA_I8, false, false},
    [WARP_U16] = {ISA_I16, false, false},    [WARP_U32] = {ISA_I32, false, false},
    [WARP_S32] = {ISA_I32, false, true},     [WARP_V2U16] = {ISA_V2I16, false, false},
    [WARP_V2S16] = {ISA_V2I16, false, true}, [WARP_V4U8] = {ISA_V4I8, false, false},
    [WARP_V4S8] = {ISA_V4I8, false, true},   [WARP_U64] = {ISA_I64, false, false},
    [WARP_S64] = {ISA_I64, false, true},
};

unsigned warp_source_count(enum warp_op op)
{
    unsigned n = 0;
    while (n < WARP_SOURCES && warp_rows[op].source[n] != WARP_NONE)
        n++;
    return n;
}

uint8_t warp_rounding(const struct warp_insn *i)
{
    static const uint8_t of[] = {[WARP_RTE] = ISA_OP_RTE,
                                 [WARP_RTP] = ISA_OP_RTP,
                                 [WARP_RTN] = ISA_OP_RTN,
                                 [WARP_RTZ] = ISA_OP_RTZ,
                                 [WARP_RTNA] = ISA_OP_RTE};
    return of[i->round];
}

static uint8_t integral(const struct warp_insn *i, const struct warp_row *row)
{
    switch (i->round) {
    case WARP_RTP: return ISA_OP_fceil;
    case WARP_RTN: return ISA_OP_ffloor;
    case WARP_RTZ: return ISA_OP_ftrunc;
    case WARP_RTNA: return row->second;
    default: return row->op;
    }
}

static uint8_t choose(const struct warp_insn *i, const struct warp_row *row)
{
    switch (row->class) {
    case WARP_ROUND: return integral(i, row);
    case WARP_AVERAGE: return i->up ? row->second : row->op;
    case WARP_SHIFT: return i->arithmetic && row->op == ISA_OP_ushr ? ISA_OP_ishr : row->op;
    default: return i->saturate ? row->second : row->op;
    }
}

struct isa_lane_op warp_lane_op(const struct warp_insn *i)
{
    const struct warp_row *row = &warp_rows[i->op];
    const bool rounds = row->class == WARP_CONVERT || row->class == WARP_PLAIN;
    struct isa_lane_op out = {choose(i, row), warp_types[row->source[0]].shape, ISA_OP_QUIET};
    out.policy |= rounds ? warp_rounding(i) : 0;
    out.policy |= i->propagate ? ISA_OP_PROPAGATE : 0;
    return out;
}

struct isa_lane_op warp_test(const struct warp_insn *i, enum warp_type type, enum warp_truth truth)
{
    static const uint8_t floats[] = {
        [WARP_EQ] = ISA_OP_feq, [WARP_GT] = ISA_OP_fgt, [WARP_GE] = ISA_OP_fge,   [WARP_NE] = ISA_OP_fne,
        [WARP_LT] = ISA_OP_flt, [WARP_LE] = ISA_OP_fle, [WARP_GTLT] = ISA_OP_flg, [WARP_TOTAL] = ISA_OP_ford};
    static const uint8_t ints[] = {
        [WARP_EQ] = ISA_OP_ieq,   [WARP_GT] = ISA_OP_igt,     [WARP_GE] = ISA_OP_ige,
        [WARP_NE] = ISA_OP_ine,   [WARP_LT] = ISA_OP_ilt,     [WARP_LE] = ISA_OP_ile,
        [WARP_GTLT] = ISA_OP_ine, [WARP_TOTAL] = ISA_OP_COUNT};
    static const uint8_t uints[] = {
        [WARP_EQ] = ISA_OP_ieq,   [WARP_GT] = ISA_OP_ugt,     [WARP_GE] = ISA_OP_uge,
        [WARP_NE] = ISA_OP_ine,   [WARP_LT] = ISA_OP_ult,     [WARP_LE] = ISA_OP_ule,
        [WARP_GTLT] = ISA_OP_ine, [WARP_TOTAL] = ISA_OP_COUNT};
    static const uint8_t policy[] = {[WARP_I1] = ISA_OP_I1, [WARP_F1] = ISA_OP_F1, [WARP_M1] = 0};
    const struct warp_type_info *t = &warp_types[type];
    const uint8_t *ops = t->is_float ? floats : t->is_signed ? ints : uints;
    return (struct isa_lane_op){ops[i->condition], t->shape, policy[truth]};
}

struct isa_lane_op warp_clamping(const struct warp_insn *i)
{
    static const uint8_t of[] = {[WARP_CLAMP_NONE] = ISA_OP_COUNT,
                                 [WARP_CLAMP_0_INF] = ISA_OP_fclamp_0_inf,
                                 [WARP_CLAMP_M1_1] = ISA_OP_fclamp_m1_1,
                                 [WARP_CLAMP_0_1] = ISA_OP_fclamp_0_1};
    const struct warp_type_info *t = &warp_types[warp_rows[i->op].type];
    return (struct isa_lane_op){t->is_float ? of[i->clamp] : ISA_OP_COUNT, t->shape, ISA_OP_QUIET};
}
