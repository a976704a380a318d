/* Where lanes go: branches, DISCARD, the ends of clauses; and what they tell each other. */
#include "isa/bifrost/lower_internal.h"

/* ---- decisions ---- */

/* How it is compared, with the second operand or with 0: 1 + enum warp_op; 0: as JUMP, nothing. */
static const uint16_t branches[BIFROST_OP_COUNT] = {
    [BIFROST_OP_BRANCH_F16] = 1 + WARP_FCMP_OR_F32,  [BIFROST_OP_BRANCH_F32] = 1 + WARP_FCMP_OR_F32,
    [BIFROST_OP_BRANCH_I16] = 1 + WARP_ICMP_OR_U32,  [BIFROST_OP_BRANCH_I32] = 1 + WARP_ICMP_OR_U32,
    [BIFROST_OP_BRANCH_S16] = 1 + WARP_ICMP_OR_S32,  [BIFROST_OP_BRANCH_S32] = 1 + WARP_ICMP_OR_S32,
    [BIFROST_OP_BRANCH_U16] = 1 + WARP_ICMP_OR_U32,  [BIFROST_OP_BRANCH_U32] = 1 + WARP_ICMP_OR_U32,
    [BIFROST_OP_BRANCHZ_F16] = 1 + WARP_FCMP_OR_F32, [BIFROST_OP_BRANCHZ_F32] = 1 + WARP_FCMP_OR_F32,
    [BIFROST_OP_BRANCHZ_I16] = 1 + WARP_ICMP_OR_U32, [BIFROST_OP_BRANCHZ_I32] = 1 + WARP_ICMP_OR_U32,
    [BIFROST_OP_BRANCHZ_S16] = 1 + WARP_ICMP_OR_S32, [BIFROST_OP_BRANCHZ_S32] = 1 + WARP_ICMP_OR_S32,
    [BIFROST_OP_BRANCHZ_U16] = 1 + WARP_ICMP_OR_U32, [BIFROST_OP_BRANCHZ_U32] = 1 + WARP_ICMP_OR_U32};

/* All ones in temporary n where the comparison of the first `count` sources holds, of one with 0. */
static void decide(struct bifrost_lowering *l, const struct bifrost_insn *i, enum warp_op op, unsigned count,
                   unsigned n)
{
    const uint8_t type = warp_rows[op].source[0];
    struct warp_source s[2] = {bifrost_constant(0), bifrost_constant(0)};
    for (unsigned k = 0; k < count; k++) {
        s[k] = bifrost_word_of(l, &i->source[k]);
        bifrost_select(i->source[k].mod[BIFROST_SOURCE_SELECT], type, &s[k]);
    }
    struct warp_insn *out = bifrost_compute(l, op, n, s[0], s[1], bifrost_constant(0));
    out->condition = bifrost_condition(i->mod[BIFROST_MOD_CMPF]);
    out->truth = WARP_M1;
}

static const struct bifrost_source *target_of(const struct bifrost_insn *i)
{
    return &i->source[i->source_count - 1];
}

static bool is_known(const struct bifrost_source *s)
{
    return s->from == BIFROST_FROM_ZERO || s->from == BIFROST_FROM_CONSTANT;
}

/* Addresses that a register has are JUMP's alone. */
static bool lower_branch(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    const uint16_t op = branches[i->op];
    const struct bifrost_source *target = target_of(i);
    const bool jumps = i->op == BIFROST_OP_JUMP, local = l->target != BIFROST_NO_CLAUSE;
    if ((!jumps && !op) || (!local && target->from == BIFROST_FROM_RELATIVE) ||
        (!local && !jumps && !is_known(target)) || l->tuple + 1u < l->clause->tuple_count)
        return false;
    if (!jumps)
        decide(l, i, (enum warp_op)(op - 1), i->source_count - 1u, TEMPORARY_BRANCH);
    if (!local && !is_known(target))
        bifrost_move(l, TEMPORARY_TARGET, bifrost_word_of(l, target));
    l->branch = i;
    l->branch_part = l->part;
    return true;
}

/* ---- other lanes ---- */

static uint32_t inactive(uint8_t word)
{
    switch (word) {
    case BIFROST_UMAX: return UINT32_MAX;
    case BIFROST_I1: return 1;
    case BIFROST_V2I1: return 0x00010001;
    case BIFROST_SMIN: return 0x80000000;
    case BIFROST_SMAX: return 0x7fffffff;
    case BIFROST_V2SMIN: return 0x80008000;
    case BIFROST_V2SMAX: return 0x7fff7fff;
    case BIFROST_V4SMIN: return 0x80808080;
    case BIFROST_V4SMAX: return 0x7f7f7f7f;
    case BIFROST_F1: return 0x3f800000;
    case BIFROST_V2F1: return 0x3c003c00;
    case BIFROST_INFN: return 0xff800000;
    case BIFROST_INF: return 0x7f800000;
    case BIFROST_V2INFN: return 0xfc00fc00;
    case BIFROST_V2INF: return 0x7c007c00;
    default: return 0;
    }
}

static uint8_t subgroup(uint8_t word)
{
    switch (word) {
    case BIFROST_SUBGROUP2: return 2;
    case BIFROST_SUBGROUP8: return 8;
    case BIFROST_SUBGROUP16: return 16;
    default: return 4; /* of CLPER_OLD (Mesa: bi_quirks.h) */
    }
}

static bool lower_lanes(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned unit)
{
    const uint8_t how = i->mod[BIFROST_MOD_LANE_OP];
    if ((how && how != BIFROST_XOR) || i->immediate[BIFROST_IMM_FILL])
        return false;
    struct warp_insn *out = bifrost_emit(l);
    out->kind = i->op == BIFROST_OP_WMASK ? WARP_BALLOT : WARP_PERMUTE;
    out->subgroup = subgroup(i->mod[BIFROST_MOD_SUBGROUP]);
    out->lane_op = how == BIFROST_XOR ? WARP_LANE_XOR : WARP_LANE_OF;
    out->elements = 1;
    out->value = inactive(i->mod[BIFROST_MOD_INACTIVE_RESULT]);
    out->source[0] = bifrost_word_of(l, &i->source[0]);
    if (out->kind == WARP_PERMUTE)
        out->source[1] = bifrost_word_of(l, &i->source[1]);
    out->dest.to = WARP_TEMPORARY;
    out->dest.index = (uint8_t)bifrost_result_of(l, unit);
    out->dest.mask = 3;
    return true;
}

bool bifrost_lower_flow(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned unit)
{
    if (bifrost_branches(i))
        return lower_branch(l, i);
    switch (i->op) {
    case BIFROST_OP_DISCARD_F32:
        decide(l, i, WARP_FCMP_OR_F32, 2, TEMPORARY_DISCARD);
        l->discards = true;
        l->discard_part = l->part;
        return true;
    case BIFROST_OP_BARRIER:
        l->barrier = true;
        l->barrier_part = l->part;
        return true;
    case BIFROST_OP_CLPER_I32:
    case BIFROST_OP_CLPER_OLD_I32:
    case BIFROST_OP_WMASK: return lower_lanes(l, i, unit);
    default: return false;
    }
}

/* ---- ends of clauses ---- */

/* Where temporary n is not 0; n 0: always. */
static struct warp_insn *where(struct bifrost_lowering *l, enum warp_kind kind, unsigned n)
{
    struct warp_insn *out = bifrost_emit(l);
    const struct warp_source zero = bifrost_constant(0);
    out->kind = (uint8_t)kind;
    out->op = WARP_ICMP_OR_U32;
    out->condition = n ? WARP_NE : WARP_EQ;
    out->truth = WARP_M1;
    out->source[0] = n ? bifrost_temporary(n) : zero;
    out->source[1] = out->source[2] = out->source[3] = zero;
    return out;
}

/* To a clause; or to an address in the program's 4 GB, of which 0 is nobody's: lanes end there (Mesa:
 * bi_emit_fragment_out). */
static void leave(struct bifrost_lowering *l, uint8_t flow)
{
    const struct bifrost_source *target = target_of(l->branch);
    const unsigned decided = l->branch->op == BIFROST_OP_JUMP ? 0 : TEMPORARY_BRANCH;
    const bool known = is_known(target), ends = known && !target->value;
    struct warp_insn *out;
    if (l->target != BIFROST_NO_CLAUSE || ends) {
        out = where(l, WARP_BRANCH, decided);
        out->target = ends ? l->end : l->target;
        out->flow = flow;
        return;
    }
    out = where(l, WARP_FAR, known ? decided : TEMPORARY_TARGET);
    out->source[3] = known ? bifrost_constant(target->value) : bifrost_temporary(TEMPORARY_TARGET);
    out->flow = decided ? flow : WARP_END;
}

/* Lanes that BLEND lets go run the shader whose address the descriptor has, and come back to the clause behind, or not
 * at all. */
static void call_blend_shader(struct bifrost_lowering *l, struct warp_source address, uint8_t flow)
{
    struct warp_insn *out = where(l, WARP_FAR, 0);
    out->source[3] = address;
    out->more = (uint8_t)(l->behind - out->at - 1); /* they come back to the clause behind */
    out->flow = flow;
}

void bifrost_lower_end(struct bifrost_lowering *l)
{
    const uint8_t flow = l->clause->flow == BIFROST_FLOW_END ? WARP_END : WARP_GO_ON;
    if (l->discards) {
        l->part = l->discard_part;
        where(l, WARP_KILL, TEMPORARY_DISCARD);
    }
    if (l->barrier) {
        l->part = l->barrier_part;
        bifrost_emit(l)->kind = WARP_BARRIER;
    }
    l->part = l->message.blends ? l->message.part : l->branch_part;
    if (l->message.blends)
        call_blend_shader(l, l->message.shader, flow);
    else if (l->branch)
        leave(l, flow);
    else if (flow == WARP_END)
        bifrost_emit(l)->flow = WARP_END;
}
