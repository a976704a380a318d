#include <math.h>

#include "isa/utgard_pp/trans_internal.h"

static uint32_t width_of(uint8_t align)
{
    return align == UTGARD_PP_FLOAT ? 1 : align == UTGARD_PP_VEC2 ? 2 : 4;
}

/* Toward zero, within 16 bits, NaN the least; times `width`. */
static LLVMValueRef offsets(struct utgard_pp_trans *t, uint8_t reg, uint32_t width)
{
    struct jit_builder *b = t->b;
    LLVMValueRef low = jit_splat_f32(b, -32768.0f), high = jit_splat_f32(b, 32767.0f);
    LLVMValueRef f = jit_as_f32(b, utgard_pp_trans_scalar(t, reg));
    f = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, f, low, ""), f, low);
    f = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, f, high, ""), f, high);
    return LLVMBuildMul(b->ir, jit_f32_to_i32(b, f), jit_splat_u32(b, width), "");
}

/* What a port found not to be there. */
static void check(struct utgard_pp_trans *t, LLVMValueRef missing)
{
    if (missing)
        utgard_pp_trans_fault(t, missing, UTGARD_PP_FAULT_ADDRESS);
}

static LLVMValueRef scaled(struct utgard_pp_trans *t, LLVMValueRef x, LLVMValueRef by)
{
    return jit_as_i32(t->b, LLVMBuildFMul(t->b->ir, jit_as_f32(t->b, x), by, ""));
}

static LLVMValueRef one_over(struct utgard_pp_trans *t, LLVMValueRef f)
{
    return LLVMBuildFDiv(t->b->ir, jit_splat_f32(t->b, 1.0f), f, "");
}

/* ---- varyings ---- */

static void plane(struct utgard_pp_trans *t, LLVMValueRef v[4])
{
    const struct utgard_pp_insn *i = t->insn;
    uint32_t width = width_of(i->varying.align);
    bool indexed = i->varying.vector != 15;
    LLVMValueRef offset =
        indexed ? offsets(t, (uint8_t)(i->varying.vector << 2 | i->varying.scalar), width) : NULL;
    check(t, t->ports->varying(t->ports->ctx, t->b, i->varying.index * width, offset, width, t->mask, v));
}

static void from_register(struct utgard_pp_trans *t, LLVMValueRef v[4])
{
    const struct utgard_pp_insn *i = t->insn;
    uint8_t swizzle = (uint8_t)(i->varying.scalar | i->varying.index << 2);
    for (unsigned n = 0; n < 4; n++) {
        v[n] = t->reg[i->varying.vector][swizzle >> 2 * n & 3];
        if (i->varying.absolute)
            v[n] = LLVMBuildAnd(t->b->ir, v[n], jit_splat_u32(t->b, 0x7fffffff), "");
        if (i->varying.negate)
            v[n] = LLVMBuildXor(t->b->ir, v[n], jit_splat_u32(t->b, 0x80000000), "");
    }
}

/* The number of the two where one is none. */
static LLVMValueRef larger(struct utgard_pp_trans *t, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef none = LLVMBuildFCmp(ir, LLVMRealUNO, y, y, "");
    return jit_select(t->b, LLVMBuildOr(ir, LLVMBuildFCmp(ir, LLVMRealOGT, x, y, ""), none, ""), x, y);
}

static void to_cube(struct utgard_pp_trans *t, LLVMValueRef v[4])
{
    LLVMValueRef magnitude[3];
    for (unsigned n = 0; n < 3; n++)
        magnitude[n] = jit_as_f32(t->b, LLVMBuildAnd(t->b->ir, v[n], jit_splat_u32(t->b, 0x7fffffff), ""));
    LLVMValueRef by = one_over(t, larger(t, larger(t, magnitude[0], magnitude[1]), magnitude[2]));
    for (unsigned n = 0; n < 3; n++)
        v[n] = scaled(t, v[n], by);
}

static void normalize(struct utgard_pp_trans *t, LLVMValueRef v[4])
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef square = NULL;
    for (unsigned n = 0; n < 3; n++) {
        LLVMValueRef f = jit_as_f32(t->b, v[n]), term = LLVMBuildFMul(ir, f, f, "");
        square = n ? LLVMBuildFAdd(ir, square, term, "") : term;
    }
    LLVMValueRef by = one_over(t, jit_sqrt(t->b, square));
    for (unsigned n = 0; n < 3; n++)
        v[n] = scaled(t, v[n], by);
}

static void cube_or_position(struct utgard_pp_trans *t, LLVMValueRef v[4])
{
    uint8_t perspective = t->insn->varying.perspective;
    if (perspective == 3) {
        t->ports->fragcoord(t->ports->ctx, t->b, v);
        return;
    }
    if (perspective == 0)
        plane(t, v);
    else
        from_register(t, v);
    if (perspective == 2)
        normalize(t, v);
    else
        to_cube(t, v);
}

void utgard_pp_trans_varying(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    LLVMValueRef v[4];
    for (unsigned n = 0; n < 4; n++)
        v[n] = jit_splat_u32(t->b, 0);
    switch (i->varying.type) {
    case UTGARD_PP_VARYING_CUBE: cube_or_position(t, v); break;
    case UTGARD_PP_VARYING_POINT:
        if (i->varying.perspective == 0)
            t->ports->pointcoord(t->ports->ctx, t->b, v);
        else
            v[0] = t->ports->frontface(t->ports->ctx, t->b);
        break;
    case UTGARD_PP_VARYING_PLANE: plane(t, v); break;
    default: from_register(t, v);
    }
    if (i->varying.type < UTGARD_PP_VARYING_CUBE && i->varying.perspective >= UTGARD_PP_DIVIDE_Z) {
        LLVMValueRef by = one_over(t, jit_as_f32(t->b, v[i->varying.perspective]));
        for (unsigned n = 0; n < 4; n++)
            v[n] = scaled(t, v[n], by);
    }
    bool moved = i->varying.type == UTGARD_PP_VARYING_REGISTER && i->varying.perspective < UTGARD_PP_DIVIDE_Z;
    for (unsigned n = 0; n < 4; n++) {
        t->coordinates[n] = v[n];
        if (i->varying.dest != UTGARD_PP_R_COORDINATES && i->varying.mask >> n & 1)
            utgard_pp_trans_write(t, i->varying.dest, n, moved ? v[n] : utgard_pp_trans_result(t, v[n]));
    }
}

/* ---- textures ---- */

void utgard_pp_trans_sample(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    LLVMValueRef offset = i->sampler.has_offset ? offsets(t, i->sampler.offset, 1) : NULL;
    LLVMValueRef lod =
        i->sampler.has_lod ? utgard_pp_trans_fill_quads(t, utgard_pp_trans_scalar(t, i->sampler.lod)) : NULL;
    LLVMValueRef coordinates[4];
    uint32_t n = 0;
    while (n + 1 < t->program->sample_count && t->program->samples[n].insn != t->number)
        n++;
    for (unsigned c = 0; c < 4; c++)
        coordinates[c] = utgard_pp_trans_fill_quads(t, t->coordinates[c]);
    check(t, t->ports->sample(t->ports->ctx, t->b, n, offset, coordinates, lod, t->mask,
                              t->reg[UTGARD_PP_R_TEXTURE]));
    for (unsigned c = 0; c < 4; c++)
        t->limit[UTGARD_PP_R_TEXTURE][c] =
            t->ports->sample_limit ? t->ports->sample_limit(t->ports->ctx, n) : INFINITY;
}

/* ---- memory ---- */

/* Byte offset of the first component of a place, i32x16, 0 where it is outside: those lanes fault. The lowest
 * place is that of index -UTGARD_PP_TEMPORARIES / 2; what is below it wraps round to more than there are. */
static LLVMValueRef temporary_at(struct utgard_pp_trans *t, uint16_t index, LLVMValueRef offset,
                                 uint32_t width)
{
    struct jit_builder *b = t->b;
    uint32_t first = (uint32_t)((int32_t)(int16_t)index * (int32_t)width + UTGARD_PP_TEMPORARIES / 2 * 4);
    LLVMValueRef place = jit_splat_u32(b, first), inside;
    if (offset)
        place = LLVMBuildAdd(b->ir, place, offset, "");
    inside = jit_splat_u32(b, UTGARD_PP_TEMPORARIES * 4 - width);
    inside = LLVMBuildICmp(b->ir, LLVMIntULE, place, inside, "");
    if (offset || first > UTGARD_PP_TEMPORARIES * 4 - width)
        utgard_pp_trans_fault(t, LLVMBuildNot(b->ir, inside, ""), UTGARD_PP_FAULT_ADDRESS);
    place = jit_select(b, inside, place, jit_splat_u32(b, 0));
    place = LLVMBuildMul(b->ir, place, jit_splat_u32(b, sizeof(uint32_t) * JIT_LANES), "");
    return LLVMBuildAdd(b->ir, place, LLVMBuildShl(b->ir, jit_lane_ids(b), jit_splat_u32(b, 2), ""), "");
}

/* A place that all lanes share: the first component's sixteen words, or NULL where it is outside. */
static LLVMValueRef temporary_row(struct utgard_pp_trans *t, uint16_t index, LLVMValueRef offset,
                                  uint32_t width)
{
    int32_t first = (int32_t)(int16_t)index * (int32_t)width + UTGARD_PP_TEMPORARIES / 2 * 4;
    if (offset || first < 0 || first + (int32_t)width > UTGARD_PP_TEMPORARIES * 4)
        return NULL;
    return jit_offset_const(t->b, t->ports->temporaries, (uint64_t)first * sizeof(uint32_t) * JIT_LANES);
}

static LLVMValueRef row_at(struct utgard_pp_trans *t, LLVMValueRef row, uint32_t n)
{
    return jit_offset_const(t->b, row, (uint64_t)n * sizeof(uint32_t) * JIT_LANES);
}

static LLVMValueRef component_at(struct utgard_pp_trans *t, LLVMValueRef place, uint32_t n)
{
    return LLVMBuildAdd(t->b->ir, place, jit_splat_u32(t->b, n * sizeof(uint32_t) * JIT_LANES), "");
}

static void load_temporary(struct utgard_pp_trans *t, const struct utgard_pp_insn *i, LLVMValueRef offset,
                           uint32_t width, LLVMValueRef *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef row = temporary_row(t, i->load.index, offset, width), place = NULL;
    if (!row)
        place = temporary_at(t, i->load.index, offset, width);
    for (uint32_t n = 0; n < width; n++)
        out[n] = row ? jit_select(b, t->mask, jit_load(b, b->i32x16, row_at(t, row, n), 4, false),
                                  jit_splat_u32(b, 0))
                     : jit_gather_u32(b, t->ports->temporaries, component_at(t, place, n), t->mask);
}

static void store_temporary(struct utgard_pp_trans *t, const struct utgard_pp_insn *i, LLVMValueRef offset,
                            uint32_t width, uint8_t from)
{
    struct jit_builder *b = t->b;
    LLVMValueRef row = temporary_row(t, i->store.index, offset, width), place = NULL;
    if (!row)
        place = temporary_at(t, i->store.index, offset, width);
    for (uint32_t n = 0; n < width; n++) {
        LLVMValueRef value = utgard_pp_trans_scalar(t, (uint8_t)(from + n));
        if (!row) {
            jit_scatter_u32(b, t->ports->temporaries, component_at(t, place, n), value, t->mask);
            continue;
        }
        LLVMValueRef at = row_at(t, row, n);
        jit_store(b, jit_select(b, t->mask, value, jit_load(b, b->i32x16, at, 4, false)), at, 4);
    }
}

void utgard_pp_trans_load(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    uint32_t width = width_of(i->load.align), first = i->load.index * width;
    LLVMValueRef offset = i->load.has_offset ? offsets(t, i->load.offset, width) : NULL, *out;
    out = t->reg[UTGARD_PP_R_UNIFORM];
    for (uint32_t n = 0; n < 4; n++)
        t->limit[UTGARD_PP_R_UNIFORM][n] = INFINITY;
    if (i->load.source == UTGARD_PP_SOURCE_TEMPORARY) {
        load_temporary(t, i, offset, width, out);
    } else if (i->load.source != UTGARD_PP_SOURCE_UNIFORM) {
        utgard_pp_trans_fault(t, NULL, UTGARD_PP_FAULT_RESERVED);
    } else {
        check(t, t->ports->uniform(t->ports->ctx, t->b, first, offset, width, t->mask, out));
        for (uint32_t n = 0; n < width; n++)
            out[n] = utgard_pp_trans_lanes(t, out[n]);
    }
}

static void read_frame_buffer(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    LLVMValueRef color[4];
    if (!i->store.fb_source) {
        utgard_pp_trans_write(t, i->store.fb_dest, 0,
                              utgard_pp_trans_result(t, t->ports->depth(t->ports->ctx, t->b)));
        return;
    }
    t->ports->color(t->ports->ctx, t->b, color);
    for (unsigned n = 0; n < 4; n++)
        utgard_pp_trans_write(t, i->store.fb_dest, n, utgard_pp_trans_result(t, color[n]));
}

void utgard_pp_trans_store(struct utgard_pp_trans *t)
{
    const struct utgard_pp_insn *i = t->insn;
    uint32_t width = width_of(i->store.align);
    uint8_t from = width == 1   ? i->store.source
                   : width == 2 ? i->store.source & 0x3e
                                : i->store.source & 0x3c;
    if (i->store.frame_buffer) {
        read_frame_buffer(t);
        return;
    }
    if (i->store.dest != 3) {
        utgard_pp_trans_fault(t, NULL, UTGARD_PP_FAULT_RESERVED);
        return;
    }
    LLVMValueRef offset = i->store.has_offset ? offsets(t, i->store.offset, width) : NULL;
    store_temporary(t, i, offset, width, from);
}
