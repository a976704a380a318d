/* Decoded words as instructions of isa/warp: operands, arithmetic, flow. */
#include "isa/valhall/names.h"
#include "isa/valhall/program.h"
#include "isa/warp/ops.h"

#define SAME(name, warp) _Static_assert((int)VALHALL_##name == (int)WARP_##warp, "values of " #name);
#include "isa/valhall/same.inc"

/* ---- operands ---- */

static void place(const struct valhall_source *s, struct warp_source *out)
{
    switch (s->kind) {
    case VALHALL_REGISTER: *out = (struct warp_source){.from = WARP_REGISTER, .index = s->index}; break;
    case VALHALL_UNIFORM: *out = (struct warp_source){.from = WARP_UNIFORM, .index = s->index}; break;
    case VALHALL_CONSTANT:
        *out = (struct warp_source){.from = WARP_CONSTANT, .value = valhall_constants[s->index]};
        break;
    default:
        *out = (struct warp_source){.from = s->index == VALHALL_SPECIAL_LANE_ID           ? WARP_LANE
                                            : s->index == VALHALL_SPECIAL_PROGRAM_COUNTER ? WARP_COUNTER
                                                                                          : WARP_SPECIAL,
                                    .index = (uint16_t)(s->index * 2u + s->word)};
        if (out->from != WARP_SPECIAL)
            out->index = s->word;
    }
    out->negate = s->negate;
    out->absolute = s->absolute;
    out->invert = s->invert;
}

/* Elements of a type. Where an operand takes fewer of them than the type has, they are taken again; distances of four
 * shifts that are written b02, as a whole register is, are the four bytes (README.md, "Doubtful"). */
static void select_elements(uint8_t select, uint8_t type, struct warp_source *out)
{
    const struct valhall_select_info *info = &valhall_selects[select];
    const enum isa_shape shape = (enum isa_shape)warp_types[type].shape;
    const unsigned elements = isa_shape_elements(shape);
    const bool whole = !info->bits || (elements == 4 && info->count == 2 && select == VALHALL_SELECT_B02);
    out->width = whole ? (uint8_t)isa_shape_width(shape) : info->bits;
    for (unsigned e = 0; e < 4; e++)
        out->lane[e] = (uint8_t)(e >= elements ? 0 : whole ? e : info->element[e % info->count]);
}

static struct warp_source constant(uint64_t value, uint8_t type)
{
    struct warp_source out = {.from = WARP_CONSTANT, .value = value};
    select_elements(VALHALL_SELECT_WHOLE, type, &out);
    return out;
}

static void unsupported(struct warp_insn *out, const char *name)
{
    *out = (struct warp_insn){.kind = WARP_UNSUPPORTED, .at = out->at, .flow = out->flow, .name = name};
}

/* ---- arithmetic ---- */

/* 0: none of isa/warp; else 1 + enum warp_op. */
static const uint16_t ops[VALHALL_OP_COUNT] = {
#define OP(name, class, op, second, type, a, b, c, d) [VALHALL_##name] = 1 + WARP_##name,
#define OP_BIFROST(name, class, op, second, type, a, b, c, d)
#include "isa/warp/ops.inc"
};

static void compute(const struct valhall_insn *i, struct warp_insn *out)
{
    const struct warp_row *row = &warp_rows[out->op];
    out->kind = WARP_COMPUTE;
    for (unsigned n = 0; n < warp_source_count((enum warp_op)out->op); n++) {
        place(&i->source[n], &out->source[n]);
        select_elements(i->source[n].select, row->source[n], &out->source[n]);
    }
    if (valhall_has_field(i->op, VALHALL_FIELD_CONSTANT))
        out->source[1] = constant(i->constant, row->source[1]);
    out->dest.to = WARP_REGISTER;
    out->dest.index = i->dest.reg;
    out->dest.mask = i->dest.mask;
    out->dest.pair = valhall_dest_is_pair(i);
    out->condition = i->condition;
    out->truth = i->result == VALHALL_RESULT_U1 ? WARP_I1 : i->result;
    out->clamp = i->clamp;
    out->round = i->round;
    out->mux = i->mux;
    out->shift = i->shift;
    out->saturate = i->saturate;
    out->up = i->rhadd;
    out->arithmetic = i->arithmetic;
    out->not_result = i->not_result;
    out->sqrt = i->sqrt;
    out->log = i->log;
    out->subtract = i->negate;
    out->preserve_null = i->preserve_null;
    out->nan = i->nan_mode;
    out->flush_subnormal = i->ftz;
    out->flush_infinite = i->flush_inf;
}

/* ---- other lanes ---- */

static uint64_t inactive(uint8_t value, bool wide)
{
    static const uint32_t words[] = {[VALHALL_INACTIVE_ZERO] = 0,
                                     [VALHALL_INACTIVE_UMAX] = 0xffffffff,
                                     [VALHALL_INACTIVE_I1] = 1,
                                     [VALHALL_INACTIVE_V2I1] = 0x00010001,
                                     [VALHALL_INACTIVE_SMIN] = 0x80000000,
                                     [VALHALL_INACTIVE_SMAX] = 0x7fffffff,
                                     [VALHALL_INACTIVE_V2SMIN] = 0x80008000,
                                     [VALHALL_INACTIVE_V2SMAX] = 0x7fff7fff,
                                     [VALHALL_INACTIVE_V4SMIN] = 0x80808080,
                                     [VALHALL_INACTIVE_V4SMAX] = 0x7f7f7f7f,
                                     [VALHALL_INACTIVE_F1] = 0x3f800000,
                                     [VALHALL_INACTIVE_V2F1] = 0x3c003c00,
                                     [VALHALL_INACTIVE_INFN] = 0xff800000,
                                     [VALHALL_INACTIVE_INF] = 0x7f800000,
                                     [VALHALL_INACTIVE_V2INFN] = 0xfc00fc00,
                                     [VALHALL_INACTIVE_V2INF] = 0x7c007c00};
    if (!wide)
        return words[value];
    switch (value) { /* of 64 bits, what the names say of them */
    case VALHALL_INACTIVE_UMAX: return UINT64_MAX;
    case VALHALL_INACTIVE_SMIN: return UINT64_C(1) << 63;
    case VALHALL_INACTIVE_SMAX: return UINT64_MAX >> 1;
    default: return words[value];
    }
}

static void crosses(const struct valhall_insn *i, struct warp_insn *out)
{
    static const uint8_t like[VALHALL_TYPE_COUNT] = {
        [VALHALL_TYPE_V2U16] = WARP_V2U16, [VALHALL_TYPE_V2S16] = WARP_V2U16, [VALHALL_TYPE_V4U8] = WARP_V4U8,
        [VALHALL_TYPE_V4S8] = WARP_V4U8,   [VALHALL_TYPE_U64] = WARP_U64,     [VALHALL_TYPE_S64] = WARP_U64};
    const uint8_t type = valhall_info(i->op)->type, as = like[type] ? like[type] : WARP_U32;
    out->kind = i->op == VALHALL_WMASK ? WARP_BALLOT : WARP_PERMUTE;
    out->subgroup = (uint8_t)(2u << i->subgroup);
    out->lane_op = i->lane_op == VALHALL_LANE_OP_XOR ? WARP_LANE_XOR : WARP_LANE_OF;
    out->elements = (uint8_t)isa_shape_elements((enum isa_shape)warp_types[as].shape);
    out->value = inactive(i->inactive, as == WARP_U64);
    place(&i->source[0], &out->source[0]);
    out->source[0].width = as == WARP_U64 ? 64 : 32;
    if (out->kind == WARP_PERMUTE) {
        place(&i->source[1], &out->source[1]);
        select_elements(i->source[1].select, as, &out->source[1]);
    }
    out->dest.to = WARP_REGISTER;
    out->dest.index = i->dest.reg;
    out->dest.mask = i->dest.mask;
    out->dest.pair = valhall_dest_is_pair(i);
    if (i->lane_op > VALHALL_LANE_OP_XOR)
        unsupported(out, "CLPER that accumulates or shifts");
}

/* ---- flow ---- */

/* What the operand takes, or both its halves together, as a bitwise operation without effect. */
static void branches(const struct valhall_insn *i, uint32_t at, struct warp_insn *out)
{
    const bool both = i->source[0].select == VALHALL_SELECT_AND;
    out->kind = i->op == VALHALL_BRANCHZ ? WARP_BRANCH : WARP_FAR;
    out->op = both ? WARP_LSHIFT_AND_I32 : WARP_LSHIFT_OR_I32;
    out->unless = i->eq;
    out->target = (uint32_t)valhall_target(i, at);
    place(&i->source[0], &out->source[0]);
    select_elements(both ? VALHALL_SELECT_H0 : i->source[0].select, WARP_U32, &out->source[0]);
    out->source[1] = out->source[2] = constant(0, WARP_U32);
    if (both) {
        place(&i->source[0], &out->source[2]);
        select_elements(VALHALL_SELECT_H1, WARP_U32, &out->source[2]);
    }
    if (i->op == VALHALL_BRANCHZI) {
        place(&i->source[1], &out->source[3]);
        out->source[3].width = 32;
        out->relative = !i->absolute;
    }
    if (i->source[0].select == VALHALL_SELECT_LOWBITS)
        unsupported(out, "a branch on .lowbits");
}

static void kills(const struct valhall_insn *i, struct warp_insn *out)
{
    out->kind = WARP_KILL;
    out->op = WARP_FCMP_OR_F32;
    out->truth = WARP_M1;
    out->condition = i->condition;
    for (unsigned n = 0; n < 2; n++) {
        place(&i->source[n], &out->source[n]);
        select_elements(i->source[n].select, WARP_F32, &out->source[n]);
    }
    out->source[2] = constant(0, WARP_U32);
}

static void message(const struct valhall_insn *i, uint32_t at, struct warp_insn *out)
{
    const struct valhall_info *info = valhall_info(i->op);
    for (unsigned n = 0; n < valhall_sources(info); n++) {
        place(&i->source[n], &out->source[n]);
        out->source[n].width = (uint8_t)valhall_source_bits(i, n);
    }
    if (valhall_reads_staging(info->format->operands))
        out->read = (struct warp_run){i->read.reg, i->read.count};
    if (valhall_writes_staging(info->format->operands))
        out->write = (struct warp_run){i->write.reg, i->write.count};
    out->target = WARP_NO_BLOCK;
    if (i->op == VALHALL_BLEND && i->flow != VALHALL_FLOW_END)
        out->target = (uint32_t)valhall_goes_to(i, at);
    valhall_lower_message(i, out);
}

void valhall_lower(const struct valhall_insn *i, uint32_t at, struct warp_insn *out)
{
    *out = (struct warp_insn){.at = at};
    out->flow = i->flow == VALHALL_FLOW_END       ? WARP_END
                : i->flow == VALHALL_FLOW_DISCARD ? WARP_END_HELPERS
                                                  : 0;
    if (ops[i->op]) {
        out->op = (uint16_t)(ops[i->op] - 1);
        compute(i, out);
        return;
    }
    switch (i->op) {
    case VALHALL_NOP: out->kind = WARP_NOTHING; break;
    case VALHALL_BARRIER: out->kind = WARP_BARRIER; break;
    case VALHALL_BRANCHZ:
    case VALHALL_BRANCHZI: branches(i, at, out); break;
    case VALHALL_DISCARD_F32: kills(i, out); break;
    default:
        if (valhall_is_message(i->op))
            message(i, at, out);
        else if (i->op == VALHALL_WMASK || (i->op >= VALHALL_CLPER_I32 && i->op <= VALHALL_CLPER_S64))
            crosses(i, out);
        else
            unsupported(out, valhall_info(i->op)->text);
    }
}
