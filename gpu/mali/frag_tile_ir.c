/* What a fragment program of isa/warp does to the tile, as IR: frag_blend_warp.c for sixteen lanes. Programs that act at once
 * (frag_warp_code.c) test and write as they come to it; of the others samples, depth and colours are kept until they have
 * ended. */
#include <string.h>

#include "gpu/mali/frag_ir.h"
#include "raster/samples_ir.h"
#include "raster/zs_ir.h"

static LLVMValueRef of_slot(struct jit_builder *b, LLVMValueRef slot)
{
    return jit_load(b, b->i32x16, slot, 64, false);
}

static LLVMValueRef words_where(struct jit_builder *b, LLVMValueRef lanes, uint32_t word)
{
    return jit_select(b, lanes, jit_splat_u32(b, word), jit_splat_u32(b, 0));
}

static LLVMValueRef where_not(struct jit_builder *b, LLVMValueRef lanes, LLVMValueRef but)
{
    return LLVMBuildAnd(b->ir, lanes, LLVMBuildNot(b->ir, but, ""), "");
}

static LLVMValueRef where_equal(struct jit_builder *b, LLVMValueRef words, uint32_t value)
{
    return LLVMBuildICmp(b->ir, LLVMIntEQ, words, jit_splat_u32(b, value), "");
}

/* ---- tests at once ---- */

void mali_frag_ir_begin_now(struct mali_frag_ir *e, struct jit_builder *b)
{
    LLVMValueRef live = jit_splat_u32(b, 0), none = jit_splat_u32(b, 0);
    for (unsigned s = 0; s < e->forms->tile.samples; s++)
        live = LLVMBuildOr(b->ir, live, words_where(b, e->live[s], 1u << s), "");
    jit_store(b, live, mali_frag_ir_slot(b, &e->now.live), 64);
    jit_store(b, e->covered, mali_frag_ir_slot(b, &e->now.covered), 64);
    jit_store(b, none, mali_frag_ir_slot(b, &e->now.tested), 64);
    jit_store(b, e->depth, mali_frag_ir_slot(b, &e->now.depth), 64);
    jit_store(b, none, mali_frag_ir_slot(b, &e->now.stencil), 64);
    if (!e->now.ran)
        e->now.ran = jit_alloca(b, b->i64, "ran");
    jit_store(b, jit_i64(b, 0), e->now.ran, 8);
}

/* mali_frag_test_late */
static void test_late(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef lanes)
{
    LLVMValueRef tested = of_slot(b, e->now.tested), live = of_slot(b, e->now.live), left = live;
    lanes = LLVMBuildAnd(b->ir, lanes, where_equal(b, tested, 0), "");
    tested = LLVMBuildOr(b->ir, tested, words_where(b, lanes, UINT32_MAX), "");
    jit_store(b, tested, e->now.tested, 64);
    if (e->forms->early)
        return;
    LLVMValueRef depth = of_slot(b, e->now.depth);
    LLVMValueRef ref = e->forms->stencil_given ? of_slot(b, e->now.stencil) : NULL;
    for (unsigned s = 0; s < e->forms->tile.samples; s++) {
        LLVMValueRef in = LLVMBuildAnd(b->ir, raster_samples_mask_ir(b, s, live), lanes, "");
        LLVMValueRef failed = where_not(b, in, mali_frag_ir_test(e, b, s, in, depth, ref));
        left = LLVMBuildAnd(b->ir, left, LLVMBuildNot(b->ir, words_where(b, failed, 1u << s), ""), "");
    }
    jit_store(b, left, e->now.live, 64);
}

void mali_frag_ir_end_now(struct mali_frag_ir *e, struct jit_builder *b)
{
    LLVMValueRef stay = words_where(b, e->end.live, UINT32_MAX);
    stay = LLVMBuildOr(b->ir, stay, of_slot(b, e->now.tested), "");
    jit_store(b, LLVMBuildAnd(b->ir, of_slot(b, e->now.live), stay, ""), e->now.live, 64);
    test_late(e, b, e->end.live);
    LLVMValueRef live = of_slot(b, e->now.live);
    for (unsigned s = 0; s < e->forms->tile.samples; s++)
        e->live[s] = raster_samples_mask_ir(b, s, live);
    e->ran = jit_load(b, b->i64, e->now.ran, 8, false);
}

/* ---- colours ---- */

/* What a lane has in registers, as its target takes it. */
struct color {
    uint32_t target;
    bool raw;
    LLVMValueRef value[4];
};

/* Halves that are known as singles are taken so where nobody sees which NaN one is. */
static void take_known(struct jit_builder *b, const struct warp_ir_message *m, LLVMValueRef value[4])
{
    for (unsigned c = 0; c < 4; c++)
        if (m->half[c / 2][c & 1])
            value[c] = jit_as_i32(b, m->half[c / 2][c & 1]);
}

static void color_of(struct jit_builder *b, const struct mali_frag_pixel *pixel,
                     const struct mali_register_format *r, const struct warp_ir_message *m, struct color *out)
{
    struct mali_code_form as = {.format = (uint16_t)pixel->format, .order = (uint16_t)pixel->order};
    LLVMValueRef value[4] = {m->value[0], m->value[1], m->value[2], m->value[3]};
    for (unsigned c = 0; c < 4; c++)
        out->value[c] = jit_splat_u32(b, 0);
    out->raw = pixel->raw;
    mali_ir_registers_widen(b, r, value);
    if (pixel->raw) {
        mali_ir_convert_back(b, &as, r->type, false, value, out->value);
    } else if (r->type == ISA_TYPE_F16) {
        as = (struct mali_code_form){.format = RASTER_R16G16B16A16_FLOAT, .order = MALI_ORDER_RGBA};
        mali_ir_convert(b, &as, ISA_TYPE_F32, false, value, out->value);
        if (raster_output_is_bytes(pixel->format))
            take_known(b, m, out->value);
    } else {
        memcpy(out->value, value, sizeof value);
    }
}

static void put(struct mali_frag_ir *e, struct jit_builder *b, const struct color *color,
                const struct raster_blend *blend, LLVMValueRef coverage, LLVMValueRef lanes)
{
    const struct mali_frag_forms *f = e->forms;
    const unsigned t = color->target;
    const size_t at = offsetof(struct mali_frag_args, constant) + t * sizeof(float);
    LLVMValueRef constant = jit_splat(b, mali_frag_of_args(e, b, b->f32, at));
    struct raster_output_ir colors;
    for (unsigned c = 0; c < 4; c++) {
        colors.src[c] = color->value[c];
        colors.src1[c] = jit_splat_u32(b, 0);
        colors.constant[c] = constant;
    }
    if (f->alpha_to_one >> t & 1 && !color->raw)
        colors.src[3] = jit_as_i32(b, jit_splat_f32(b, 1));
    LLVMValueRef here = LLVMBuildAnd(b->ir, of_slot(b, e->now.live), coverage, "");
    for (unsigned s = 0; s < f->tile.samples; s++)
        raster_output_ir_store(&e->at, b, &f->tile, t, s, blend, &colors,
                               LLVMBuildAnd(b->ir, raster_samples_mask_ir(b, s, here), lanes, ""));
}

static void keep(struct mali_frag_ir *e, struct jit_builder *b, const struct color *color,
                 LLVMValueRef coverage, LLVMValueRef lanes)
{
    const unsigned t = color->target;
    for (unsigned c = 0; c < 4; c++) {
        mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->color[t][c]), color->value[c], lanes);
        jit_store(b, jit_splat_u32(b, 0), mali_frag_ir_slot(b, &e->second[t][c]), 64);
    }
    mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->written[t]), coverage, lanes);
    memcpy(e->value[t], color->value, sizeof e->value[t]);
    e->writeouts[t]++;
}

/* Where registers are none of the target's it is the interpreter's to say so: false. Likewise below. */
static bool take(const struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                 const struct mali_internal_conversion *conversion, struct color *out)
{
    const struct mali_frag_forms *f = e->forms;
    const enum mali_version version = (enum mali_version)f->version;
    const struct warp_asked asked = warp_asked_of(m->insn);
    const struct mali_register_format r = mali_frag_registers_of(version, &asked, conversion);
    struct mali_frag_pixel pixel;
    if (!mali_frag_pixel_of(version, (enum raster_format)f->tile.format[out->target],
                            f->raw >> out->target & 1, conversion, &pixel) ||
        !mali_frag_may_convert(&pixel, &r))
        return false;
    color_of(b, &pixel, &r, m, out);
    return true;
}

static bool blend(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                  LLVMValueRef mask, LLVMValueRef *leave)
{
    const struct mali_frag_forms *f = e->forms;
    const enum mali_version version = (enum mali_version)f->version;
    const struct isa_ir_number words[2] = {warp_ir_number(m->operand[0][0]),
                                           warp_ir_number(m->operand[0][1])};
    if (words[0].lanes || words[1].lanes)
        return false;
    const struct mali_internal_blend descriptor =
        mali_frag_descriptor_of(version, (const uint32_t[2]){words[0].known, words[1].known});
    const struct mali_internal_conversion conversion = mali_frag_conversion_of(version, words[1].known);
    const bool fixed = descriptor.mode == MALI_BLEND_MODE_FIXED_FUNCTION;
    struct color color = {.target = descriptor.rt};
    if (descriptor.mode == MALI_BLEND_MODE_SHADER) {
        *leave = LLVMConstNull(b->i1x16);
        return !f->fixed_blends;
    }
    if (descriptor.mode == MALI_BLEND_MODE_OFF)
        return true;
    if (color.target >= f->tile.count || (fixed && f->raw >> color.target & 1))
        return false;
    if (!(f->written >> color.target & 1))
        return true;
    if (!take(e, b, m, &conversion, &color))
        return false;
    if (!f->at_once) {
        keep(e, b, &color, m->operand[1][0], mask);
        return true;
    }
    test_late(e, b, mask);
    put(e, b, &color, fixed ? &f->blend[color.target] : &raster_blend_replace, m->operand[1][0], mask);
    return true;
}

/* ---- the tile ---- */

#define OWN_Y 255u /* as in frag_blend_warp.c */

/* What an access names: known, or each lane's. */
struct spot {
    struct isa_ir_number pixel, sample;
    struct mali_internal_pixel known;
};

static struct spot spot_of(const struct mali_frag_ir *e, struct jit_builder *b,
                           const struct warp_ir_message *m)
{
    struct spot s = {.pixel = warp_ir_number(m->operand[0][0])};
    if (!s.pixel.lanes)
        mali_desc_unpack(&mali_desc_internal_pixel, (enum mali_version)e->forms->version, &s.pixel.known,
                         &s.known);
    s.sample.known = s.known.sample;
    if (s.pixel.lanes)
        s.sample.lanes = LLVMBuildAnd(b->ir, s.pixel.lanes, jit_splat_u32(b, 0xff), "");
    return s;
}

/* Lanes that mean the fragment's own pixel of target t; NULL: none does. The words are mali_desc_internal_pixel's. */
static LLVMValueRef in_target(struct jit_builder *b, const struct spot *s, uint32_t t)
{
    if (s->pixel.lanes)
        return where_equal(b, LLVMBuildLShr(b->ir, s->pixel.lanes, jit_splat_u32(b, 8), ""), OWN_Y << 16 | t);
    return !s->known.x && s->known.y == OWN_Y && s->known.rt == t ? LLVMConstAllOnes(b->i1x16) : NULL;
}

/* How registers and target t meet. False: they do not, or the conversion, which says so, is not known. */
static bool tile_of(struct mali_frag_ir *e, const struct warp_ir_message *m, uint32_t t,
                    struct mali_internal_conversion *conversion, struct mali_frag_pixel *pixel,
                    struct mali_register_format *r)
{
    const struct mali_frag_forms *f = e->forms;
    const enum mali_version version = (enum mali_version)f->version;
    const struct isa_ir_number by = warp_ir_number(m->operand[2][0]);
    const struct warp_asked asked = warp_asked_of(m->insn);
    const bool raw = f->raw >> t & 1;
    if (by.lanes && (raw || asked.any_type)) {
        e->refused = true;
        return false;
    }
    *conversion = mali_frag_conversion_of(version, by.known);
    *r = mali_frag_registers_of(version, &asked, conversion);
    return f->tile.words[t] &&
           mali_frag_pixel_of(version, (enum raster_format)f->tile.format[t], raw, conversion, pixel) &&
           mali_frag_may_convert(pixel, r);
}

/* Lanes whose access is none that is done; of programs that have one in any case it is the interpreter's to say so. */
static LLVMValueRef missing(struct mali_frag_ir *e, struct jit_builder *b, const struct spot *s,
                            LLVMValueRef found, LLVMValueRef *address)
{
    if (!s->pixel.lanes) {
        e->refused |= !found;
        return NULL;
    }
    *address = LLVMBuildZExt(b->ir, s->pixel.lanes, b->i64x16, "");
    return found ? LLVMBuildNot(b->ir, found, "") : LLVMConstAllOnes(b->i1x16);
}

static LLVMValueRef either(struct jit_builder *b, LLVMValueRef found, LLVMValueRef here)
{
    return found ? LLVMBuildOr(b->ir, found, here, "") : here;
}

static LLVMValueRef load_tile(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                              LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *address)
{
    const struct spot s = spot_of(e, b, m);
    LLVMValueRef found = NULL;
    for (uint32_t t = 0; t < e->forms->tile.count; t++) {
        LLVMValueRef here = in_target(b, &s, t), word[4], value[4];
        struct mali_internal_conversion conversion;
        struct mali_register_format r;
        struct mali_frag_pixel pixel;
        if (!here || !tile_of(e, m, t, &conversion, &pixel, &r))
            continue;
        const struct mali_code_form form = {.format = (uint16_t)pixel.format, .order = (uint16_t)pixel.order};
        mali_frag_ir_sample_words(e, b, t, s.sample, word);
        mali_ir_convert(b, &form, r.type, false, word, value);
        mali_ir_registers_narrow(b, &r, value);
        for (unsigned c = 0; c < 4; c++)
            out[c] = jit_select(b, here, value[c], out[c]);
        found = either(b, found, here);
    }
    return missing(e, b, &s, found, address);
}

/* Samples (a bit each) that an access means; none where there is no such sample. */
static LLVMValueRef samples_of(const struct mali_frag_ir *e, struct jit_builder *b, const struct spot *s)
{
    const unsigned samples = e->forms->tile.samples;
    LLVMValueRef bits = jit_splat_u32(b, 0);
    if (!s->sample.lanes)
        return jit_splat_u32(b, s->sample.known < samples ? 1u << s->sample.known : 0);
    for (unsigned n = 0; n < samples; n++)
        bits = LLVMBuildOr(b->ir, bits, words_where(b, where_equal(b, s->sample.lanes, n), 1u << n), "");
    return bits;
}

static LLVMValueRef store_tile(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                               LLVMValueRef mask, LLVMValueRef *address)
{
    const struct spot s = spot_of(e, b, m);
    LLVMValueRef found = NULL, samples = samples_of(e, b, &s);
    LLVMValueRef there = LLVMBuildICmp(b->ir, LLVMIntNE, samples, jit_splat_u32(b, 0), "");
    for (uint32_t t = 0; t < e->forms->tile.count; t++) {
        LLVMValueRef here = in_target(b, &s, t);
        struct color color = {.target = t};
        struct mali_internal_conversion conversion;
        struct mali_register_format r;
        struct mali_frag_pixel pixel;
        if (!here || !tile_of(e, m, t, &conversion, &pixel, &r))
            continue;
        found = either(b, found, here);
        here = LLVMBuildAnd(b->ir, LLVMBuildAnd(b->ir, here, there, ""), mask, "");
        if (!(e->forms->written >> t & 1))
            continue;
        color_of(b, &pixel, &r, m, &color);
        test_late(e, b, here);
        put(e, b, &color, &raster_blend_replace, LLVMBuildAnd(b->ir, m->operand[1][0], samples, ""), here);
    }
    return missing(e, b, &s, found, address);
}

/* ---- samples, depth ---- */

static LLVMValueRef atest(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                          LLVMValueRef mask)
{
    const struct mali_frag_forms *f = e->forms;
    LLVMValueRef left = m->operand[0][0], alpha = jit_as_f32(b, m->operand[1][0]);
    for (unsigned s = 0; f->alpha_to_coverage && s < f->tile.samples; s++) {
        LLVMValueRef stays = raster_samples_alpha_ir(b, f->tile.samples, s, alpha);
        left = jit_select(b, stays, left, LLVMBuildAnd(b->ir, left, jit_splat_u32(b, ~(1u << s)), ""));
    }
    if (!f->at_once) {
        mali_frag_ir_keep(b, e->left, left, mask);
        return LLVMBuildAnd(b->ir, left, e->covered, "");
    }
    left = jit_select(b, mask, left, jit_splat_u32(b, UINT32_MAX));
    LLVMValueRef covered = LLVMBuildAnd(b->ir, of_slot(b, e->now.covered), left, "");
    jit_store(b, covered, e->now.covered, 64);
    jit_store(b, LLVMBuildAnd(b->ir, of_slot(b, e->now.live), left, ""), e->now.live, 64);
    if (!(e->variant->program->warp->messages >> WARP_ZS_EMIT & 1))
        test_late(e, b, mask);
    return covered;
}

static LLVMValueRef zs_emit(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                            LLVMValueRef mask)
{
    const struct mali_frag_forms *f = e->forms;
    LLVMValueRef *depth = f->at_once ? &e->now.depth : &e->given_depth;
    LLVMValueRef *stencil = f->at_once ? &e->now.stencil : &e->given_stencil;
    if (f->depth_given && m->insn->z)
        mali_frag_ir_keep(
            b, mali_frag_ir_slot(b, depth),
            raster_depth_encode_ir(b, (enum raster_depth_kind)f->tile.depth, jit_as_f32(b, m->operand[0][0])),
            mask);
    if (f->stencil_given && m->insn->stencil)
        mali_frag_ir_keep(b, mali_frag_ir_slot(b, stencil),
                          LLVMBuildAnd(b->ir, m->operand[1][0], jit_splat_u32(b, 255), ""), mask);
    LLVMValueRef covered = f->at_once ? of_slot(b, e->now.covered) : e->covered;
    if (f->at_once)
        test_late(e, b, mask);
    return LLVMBuildAnd(b->ir, m->operand[2][0], covered, "");
}

LLVMValueRef mali_frag_ir_tile_message(struct mali_frag_ir *e, struct jit_builder *b,
                                       const struct warp_ir_message *m, LLVMValueRef mask,
                                       LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                                       LLVMValueRef *address)
{
    switch (m->insn->message) {
    case WARP_TILE: return load_tile(e, b, m, out, address);
    case WARP_STORE_TILE: return store_tile(e, b, m, mask, address);
    case WARP_BLEND: e->refused |= !blend(e, b, m, mask, leave); return NULL;
    case WARP_ATEST: out[0] = atest(e, b, m, mask); return NULL;
    default: out[0] = zs_emit(e, b, m, mask); return NULL;
    }
}
