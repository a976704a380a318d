/* What a fragment program meets, as IR: frag_ports.c for sixteen lanes at pixels' centres. */
#include "gpu/mali/frag_ir.h"

#include <string.h>

#include "raster/texture/texel_ir.h"
#include "raster/zs_ir.h"

/* ---- varyings ---- */

/* A plane at the spot: exactly the centre's value where that is it. */
static LLVMValueRef plane(struct mali_frag_ir *e, struct jit_builder *b, unsigned value)
{
    LLVMValueRef centre = raster_block_ir_plane(&e->at, b, value), v = centre, zero = jit_splat_f32(b, 0);
    const LLVMValueRef d[2] = {e->spot.dx, e->spot.dy};
    LLVMValueRef aside = LLVMConstNull(b->i1x16);
    for (unsigned k = 0; d[0] && k < 2; k++) {
        LLVMValueRef step = LLVMBuildFMul(b->ir, raster_block_ir_coefficient(&e->at, b, value, k), d[k], "");
        v = LLVMBuildFAdd(b->ir, v, step, "");
        aside = LLVMBuildOr(b->ir, aside, LLVMBuildFCmp(b->ir, LLVMRealUNE, d[k], zero, ""), "");
    }
    return d[0] ? jit_select(b, aside, v, centre) : centre;
}

static LLVMValueRef inv_w(struct mali_frag_ir *e, struct jit_builder *b)
{
    LLVMValueRef v = plane(e, b, RASTER_VALUE_INV_W);
    return LLVMBuildFAdd(b->ir, v, raster_block_ir_coefficient(&e->at, b, RASTER_VALUE_INV_W, 2), "");
}

LLVMValueRef mali_frag_ir_interpolated(struct mali_frag_ir *e, struct jit_builder *b, unsigned n)
{
    LLVMValueRef v = plane(e, b, RASTER_VALUE_VARY + n);
    LLVMValueRef w = e->spot.dx ? LLVMBuildFDiv(b->ir, jit_splat_f32(b, 1), inv_w(e, b), "") : e->w;
    v = LLVMBuildFMul(b->ir, v, w, "");
    return LLVMBuildFAdd(b->ir, v, raster_block_ir_coefficient(&e->at, b, RASTER_VALUE_VARY + n, 2), "");
}

static void of_vertices(struct mali_frag_ir *e, struct jit_builder *b, const struct mali_frag_varying_form *v,
                        LLVMValueRef word[4])
{
    for (unsigned c = 0; c < v->count; c++) {
        unsigned n = (unsigned)e->forms->ahead + v->first + c;
        LLVMValueRef value = v->flat ? raster_block_ir_coefficient(&e->at, b, RASTER_VALUE_VARY + n, 2)
                                     : mali_frag_ir_interpolated(e, b, n);
        word[c] = jit_as_i32(b, value);
    }
}

void mali_frag_ir_coord(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef word[4])
{
    const struct mali_frag_ir_spot *s = &e->spot;
    word[0] = jit_as_i32(b, s->dx ? LLVMBuildFAdd(b->ir, e->at.cx, s->dx, "") : e->at.cx);
    word[1] = jit_as_i32(b, s->dx ? LLVMBuildFAdd(b->ir, e->at.cy, s->dy, "") : e->at.cy);
    word[2] = jit_as_i32(b, raster_block_ir_z(&e->at, b));
    word[3] = jit_as_i32(b, inv_w(e, b));
}

void mali_frag_ir_point(struct mali_frag_ir *e, struct jit_builder *b, bool up, LLVMValueRef word[4])
{
    bool point = e->forms->ahead;
    LLVMValueRef zero = jit_splat_f32(b, 0), y = point ? mali_frag_ir_interpolated(e, b, 1) : zero;
    word[0] = jit_as_i32(b, point ? mali_frag_ir_interpolated(e, b, 0) : zero);
    word[1] = jit_as_i32(b, up ? LLVMBuildFSub(b->ir, jit_splat_f32(b, 1), y, "") : y);
    word[2] = jit_splat_u32(b, 0);
}

/* As frag_ports.c has it. */
LLVMValueRef mali_frag_ir_varying(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                  LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_frag_ir *e = ctx;
    const uint32_t number = a->index.known ^ e->forms->varying_table;
    bool known = !a->index.lanes && number < MALI_CODE_ARRAYS && a->secondary;
    const struct mali_frag_varying_form *v = known ? &e->forms->varying[number] : NULL;
    struct mali_code_form as = {.format = RASTER_R32G32B32A32_FLOAT};
    LLVMValueRef word[4] = {jit_splat_u32(b, 0), jit_splat_u32(b, 0), jit_splat_u32(b, 0),
                            jit_splat_f32(b, 1)};
    (void)mask;
    (void)address;
    word[3] = jit_as_i32(b, word[3]);
    switch (v ? v->kind : FRAG_VARYING_NONE) {
    case FRAG_VARYING_SLOT:
        of_vertices(e, b, v, word);
        if (v->flat)
            as.format = v->format;
        break;
    case FRAG_VARYING_CONSTANT: word[3] = jit_splat_u32(b, 0); break;
    case FRAG_VARYING_COORD: mali_frag_ir_coord(e, b, word); break;
    case FRAG_VARYING_POINT: mali_frag_ir_point(e, b, false, word); break;
    case FRAG_VARYING_POINT_UP: mali_frag_ir_point(e, b, true, word); break;
    case FRAG_VARYING_FACING:
        word[0] = raster_block_ir_by_face(&e->at, b, UINT32_MAX, 0);
        as.format = RASTER_R32_SINT;
        break;
    default: e->refused = true;
    }
    as.order = v ? v->order : 0;
    mali_ir_convert(b, &as, a->type, a->any_type, word, out);
    return NULL;
}

/* Sixteenths of a pixel from its corner: four bits of each direction. */
static struct mali_frag_ir_spot spot_at(struct jit_builder *b, LLVMValueRef position)
{
    const LLVMValueRef at[2] = {LLVMBuildAnd(b->ir, position, jit_splat_u32(b, 15), ""),
                                LLVMBuildLShr(b->ir, position, jit_splat_u32(b, 4), "")};
    LLVMValueRef d[2];
    for (unsigned k = 0; k < 2; k++) {
        d[k] = LLVMBuildFMul(b->ir, jit_i32_to_f32(b, at[k]), jit_splat_f32(b, 1 / 16.0f), "");
        d[k] = LLVMBuildFSub(b->ir, d[k], jit_splat_f32(b, 0.5f), "");
    }
    return (struct mali_frag_ir_spot){d[0], d[1]};
}

static LLVMValueRef varying(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                            LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_frag_ir *e = ctx;
    e->spot = a->position ? spot_at(b, a->position) : e->sampled;
    return mali_frag_ir_varying(e, b, a, mask, out, address);
}

/* ---- special registers, the tile ---- */

static LLVMValueRef special(void *ctx, struct jit_builder *b, struct isa_ir_number selector,
                            enum isa_type type, LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_frag_ir *e = ctx;
    (void)type;
    (void)mask;
    (void)address;
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_splat_u32(b, 0);
    if (selector.lanes ||
        (selector.known != MIDGARD_SPECIAL_SAMPLE_MASK && selector.known != MIDGARD_SPECIAL_SAMPLE_NUMBER))
        e->refused = true;
    for (unsigned s = 0; selector.known == MIDGARD_SPECIAL_SAMPLE_MASK && s < e->forms->tile.samples; s++) {
        LLVMValueRef bit = jit_select(b, e->live[s], jit_splat_u32(b, 1u << s), jit_splat_u32(b, 0));
        out[0] = LLVMBuildOr(b->ir, out[0], bit, "");
    }
    if (selector.known == MIDGARD_SPECIAL_SAMPLE_NUMBER && e->sample)
        out[0] = e->sample;
    return NULL;
}

void mali_frag_ir_sample_words(struct mali_frag_ir *e, struct jit_builder *b, uint32_t target,
                               struct isa_ir_number sample, LLVMValueRef word[4])
{
    const struct raster_targets *t = &e->forms->tile;
    const unsigned first = !sample.lanes && sample.known < t->samples ? sample.known : 0;
    raster_output_ir_get(&e->at, b, t, target, first, word);
    for (unsigned s = 1; sample.lanes && s < t->samples; s++) {
        LLVMValueRef here = LLVMBuildICmp(b->ir, LLVMIntEQ, sample.lanes, jit_splat_u32(b, s), ""), other[4];
        raster_output_ir_get(&e->at, b, t, target, s, other);
        for (unsigned n = 0; n < t->words[target]; n++)
            word[n] = jit_select(b, here, other[n], word[n]);
    }
}

static LLVMValueRef tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                         struct isa_ir_number sample, LLVMValueRef mask, LLVMValueRef out[4],
                         LLVMValueRef *address)
{
    struct mali_frag_ir *e = ctx;
    const struct raster_targets *t = &e->forms->tile;
    const enum raster_format format = (enum raster_format)(target < t->count ? t->format[target] : 0);
    LLVMValueRef word[4], value[4];
    (void)mask;
    (void)address;
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_splat_u32(b, 0);
    if (target >= t->count || !t->words[target] ||
        (form == MIDGARD_TILE_RAW && !mali_targets_is_plain(format))) {
        e->refused = true;
        return NULL;
    }
    mali_frag_ir_sample_words(e, b, target, sample, word);
    if (form == MIDGARD_TILE_RAW) {
        for (unsigned n = 0; n < t->words[target]; n++)
            out[n] = word[n];
        return NULL;
    }
    raster_texel_unpack_ir(b, &raster_texels[format], word, value);
    mali_ir_to_register(b, format, form == MIDGARD_TILE_F16 ? ISA_TYPE_F16 : ISA_TYPE_F32, false, value, out);
    return NULL;
}

/* ---- writeouts ---- */

void mali_frag_ir_keep(struct jit_builder *b, LLVMValueRef slot, LLVMValueRef value, LLVMValueRef lanes)
{
    LLVMValueRef before = jit_load(b, b->i32x16, slot, 64, false);
    jit_store(b, jit_select(b, lanes, value, before), slot, 64);
}

LLVMValueRef mali_frag_ir_slot(struct jit_builder *b, LLVMValueRef *slot)
{
    if (!*slot)
        *slot = jit_alloca(b, b->i32x16, "written");
    return *slot;
}

static void keep_color(struct mali_frag_ir *e, struct jit_builder *b, const struct midgard_ir_writeout *w,
                       unsigned t, LLVMValueRef lanes)
{
    LLVMValueRef all = jit_splat_u32(b, UINT32_MAX);
    for (unsigned c = 0; c < 4; c++) {
        mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->color[t][c]), w->color[c], lanes);
        mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->second[t][c]), w->second[c], lanes);
    }
    mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->written[t]), all, lanes);
    memcpy(e->value[t], w->color, sizeof e->value[t]);
    e->writeouts[t]++;
}

/* Whether what is written out for a target counts: of target 0 alpha does, where it is tested, in frames without
 * colour too. */
static bool is_kept(const struct mali_frag_forms *f, unsigned t)
{
    bool alpha = f->alpha_func != RASTER_ALWAYS || f->alpha_to_coverage;
    return f->written >> t & 1 || (!t && alpha);
}

/* What the program writes to each target, and depth; it is put into the tile when the program has ended. */
static LLVMValueRef writeout(void *ctx, struct jit_builder *b, const struct midgard_ir_writeout *w,
                             LLVMValueRef mask, LLVMValueRef *address)
{
    struct mali_frag_ir *e = ctx;
    uint32_t known = w->write->select;
    (void)address;
    if (e->forms->depth_given && w->depth)
        mali_frag_ir_keep(
            b, mali_frag_ir_slot(b, &e->given_depth),
            raster_depth_encode_ir(b, (enum raster_depth_kind)e->forms->tile.depth, jit_as_f32(b, w->depth)),
            mask);
    if (e->forms->stencil_given && w->stencil)
        mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->given_stencil),
                          LLVMBuildAnd(b->ir, w->stencil, jit_splat_u32(b, 255), ""), mask);
    for (unsigned t = 0; t < e->forms->tile.count; t++) {
        LLVMValueRef lanes = mask;
        if (!is_kept(e->forms, t) || (known != MIDGARD_NO_SELECT && known >> 8 != t) ||
            known == MIDGARD_SELECT_NO_COLOR)
            continue;
        if (known == MIDGARD_NO_SELECT) {
            LLVMValueRef number = LLVMBuildLShr(b->ir, w->select, jit_splat_u32(b, 8), "");
            LLVMValueRef color =
                LLVMBuildICmp(b->ir, LLVMIntNE, w->select, jit_splat_u32(b, MIDGARD_SELECT_NO_COLOR), "");
            lanes = LLVMBuildAnd(b->ir, lanes, color, "");
            lanes = LLVMBuildAnd(b->ir, lanes,
                                 LLVMBuildICmp(b->ir, LLVMIntEQ, number, jit_splat_u32(b, t), ""), "");
        }
        keep_color(e, b, w, t, lanes);
    }
    return NULL;
}

void mali_frag_begin_slots(struct mali_frag_ir *e, struct jit_builder *b)
{
    for (unsigned t = 0; t < e->forms->tile.count; t++)
        if (is_kept(e->forms, t))
            jit_store(b, jit_splat_u32(b, 0), mali_frag_ir_slot(b, &e->written[t]), 64);
    if (e->forms->depth_given)
        jit_store(b, e->depth, mali_frag_ir_slot(b, &e->given_depth), 64);
    if (e->forms->stencil_given)
        jit_store(b, jit_splat_u32(b, 0), mali_frag_ir_slot(b, &e->given_stencil), 64);
    memset(e->writeouts, 0, sizeof e->writeouts);
}

void mali_frag_ir_ports(struct mali_frag_ir *e, struct midgard_ir_ports *ports)
{
    mali_world_ir_ports(&e->world, ports);
    ports->varying = varying;
    ports->special = special;
    ports->tile = tile;
    ports->writeout = writeout;
}
