/* Fragment programs of isa/warp as IR: frag_ports_warp.c and frag_blend_warp.c for sixteen lanes at pixels' centres. What
 * is done to the tile is kept until the program has ended (frag_warp_code.c). */
#include <errno.h>
#include <string.h>

#include "gpu/mali/frag_ir.h"
#include "isa/valhall/insn.h"
#include "isa/warp/trans_call.h"
#include "raster/samples_ir.h"
#include "raster/zs_ir.h"

/* ---- varyings ---- */

/* At pixels' centres alone. */
static bool at_centre(const struct mali_frag_ir *e, const struct warp_insn *i)
{
    return (i->update == WARP_UPDATE_STORE || i->update == WARP_UPDATE_CLOBBER) &&
           (i->sample == WARP_SAMPLE_CENTER || i->sample == WARP_SAMPLE_CENTROID ||
            (i->sample == WARP_SAMPLE_SAMPLE && e->forms->tile.samples == 1));
}

static void of_words(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_insn *i,
                     LLVMValueRef out[4])
{
    const bool flat = i->source_format == VALHALL_SOURCE_FORMAT_FLAT32;
    const uint64_t offset = i->source[1].value;
    if (i->source[1].from != WARP_CONSTANT || (!flat && i->source_format != VALHALL_SOURCE_FORMAT_F32) ||
        offset & 3 || (i->halves && i->type != ISA_TYPE_F16)) {
        e->refused = true;
        return;
    }
    for (unsigned c = 0; c < i->components; c++) {
        const uint64_t word = offset / 4 + c;
        const unsigned n = word < FRAG_WORDS_MOST ? e->forms->word[flat][word] : FRAG_NO_SLOT;
        const unsigned at = e->forms->ahead + n;
        if (n == FRAG_NO_SLOT)
            continue;
        out[c] = jit_as_i32(b, flat ? raster_block_ir_coefficient(&e->at, b, RASTER_VALUE_VARY + at, 2)
                                    : mali_frag_ir_interpolated(e, b, at));
    }
    const struct mali_code_form singles = {.format = RASTER_R32G32B32A32_FLOAT, .order = MALI_ORDER_RGBA};
    if (i->type == ISA_TYPE_F16 && !i->any_type)
        mali_ir_convert(b, &singles, ISA_TYPE_F16, false, (LLVMValueRef[]){out[0], out[1], out[2], out[3]},
                        out);
}

static void of_special(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_insn *i,
                       LLVMValueRef out[4])
{
    LLVMValueRef point[4], coord[4];
    if (i->source[1].from != WARP_CONSTANT || i->source[1].value >= 4 || i->halves) {
        e->refused = true;
        return;
    }
    mali_frag_ir_point(e, b, e->forms->point_up, point);
    mali_frag_ir_coord(e, b, coord);
    const LLVMValueRef all[4] = {point[0], point[1], coord[3], coord[2]};
    for (unsigned c = 0, first = (unsigned)i->source[1].value; first + c < 4; c++)
        out[c] = all[first + c];
}

static LLVMValueRef varying(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                            LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    const struct warp_insn *i = m->insn;
    struct isa_ir_attribute a;
    LLVMValueRef instance;
    if (!at_centre(e, i))
        e->refused = true;
    if (i->message == WARP_VARYING_BYTES) {
        of_words(e, b, i, out);
    } else if (i->message == WARP_VARYING_SPECIAL) {
        of_special(e, b, i, out);
    } else {
        warp_ir_message_attribute(b, m, &a, &instance);
        mali_frag_ir_varying(e, b, &a, mask, out, address);
        const struct warp_asked asked = warp_asked_of(i);
        const struct mali_register_format as = mali_asked_format(&asked);
        mali_ir_registers_narrow(b, &as, out);
    }
    return NULL;
}

/* ---- colours ---- */

static void color_of(struct jit_builder *b, const struct mali_frag_pixel *pixel,
                     const struct mali_register_format *r, LLVMValueRef value[4], LLVMValueRef out[4])
{
    struct mali_code_form as = {.format = (uint16_t)pixel->format, .order = (uint16_t)pixel->order};
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_splat_u32(b, 0);
    mali_ir_registers_widen(b, r, value);
    if (pixel->raw) {
        mali_ir_convert_back(b, &as, r->type, false, value, out);
    } else if (r->type == ISA_TYPE_F16) {
        as = (struct mali_code_form){.format = RASTER_R16G16B16A16_FLOAT, .order = MALI_ORDER_RGBA};
        mali_ir_convert(b, &as, ISA_TYPE_F32, false, value, out);
    } else {
        memcpy(out, value, sizeof(LLVMValueRef[4]));
    }
}

static void blend(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                  LLVMValueRef mask)
{
    const struct mali_frag_forms *f = e->forms;
    const enum mali_version version = (enum mali_version)f->version;
    const uint32_t t = mali_frag_special_target(mali_special_of(version, m->insn->source[0].index / 2u));
    const struct mali_internal_blend descriptor = mali_frag_descriptor_of(version, f->words[t]);
    const struct mali_internal_conversion conversion = mali_frag_conversion_of(version, f->words[t][1]);
    const struct warp_asked asked = warp_asked_of(m->insn);
    const struct mali_register_format r = mali_frag_registers_of(version, &asked, &conversion);
    struct mali_frag_pixel pixel;
    LLVMValueRef value[4], color[4];
    if (descriptor.mode == MALI_BLEND_MODE_OFF)
        return;
    const bool raw = f->raw >> t & 1;
    if (t >= f->tile.count || (raw && descriptor.mode == MALI_BLEND_MODE_FIXED_FUNCTION) ||
        (f->written >> t & 1 &&
         (!mali_frag_pixel_of(version, (enum raster_format)f->tile.format[t], raw, &conversion, &pixel) ||
          !mali_frag_may_convert(&pixel, &r)))) {
        e->refused = true;
        return;
    }
    if (!(f->written >> t & 1))
        return;
    memcpy(value, m->value, sizeof value);
    color_of(b, &pixel, &r, value, color);
    for (unsigned c = 0; c < 4; c++) {
        mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->color[t][c]), color[c], mask);
        jit_store(b, jit_splat_u32(b, 0), mali_frag_ir_slot(b, &e->second[t][c]), 64);
    }
    mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->written[t]), m->operand[1][0], mask);
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
    mali_frag_ir_keep(b, e->left, left, mask);
    return LLVMBuildAnd(b->ir, left, e->covered, "");
}

static LLVMValueRef zs_emit(struct mali_frag_ir *e, struct jit_builder *b, const struct warp_ir_message *m,
                            LLVMValueRef mask)
{
    const enum raster_depth_kind kind = (enum raster_depth_kind)e->forms->tile.depth;
    if (e->forms->depth_given && m->insn->z)
        mali_frag_ir_keep(b, mali_frag_ir_slot(b, &e->given_depth),
                          raster_depth_encode_ir(b, kind, jit_as_f32(b, m->operand[0][0])), mask);
    return LLVMBuildAnd(b->ir, m->operand[2][0], e->covered, "");
}

static LLVMValueRef message(void *ctx, struct jit_builder *b, const struct warp_ir_message *m,
                            LLVMValueRef mask, LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                            LLVMValueRef *address)
{
    struct mali_frag_ir *e = ctx;
    switch (m->insn->message) {
    case WARP_VARYING:
    case WARP_VARYING_FLAT:
    case WARP_VARYING_BYTES:
    case WARP_VARYING_SPECIAL: return varying(e, b, m, mask, out, address);
    case WARP_BLEND: blend(e, b, m, mask); return NULL;
    case WARP_ATEST: out[0] = atest(e, b, m, mask); return NULL;
    case WARP_ZS_EMIT: out[0] = zs_emit(e, b, m, mask); return NULL;
    case WARP_TILE:
    case WARP_STORE_TILE: e->refused = true; return NULL;
    default: return e->of_world.message(ctx, b, m, mask, out, leave, address);
    }
}

void mali_frag_ir_warp_samples(struct mali_frag_ir *e, struct jit_builder *b)
{
    LLVMValueRef left = jit_load(b, b->i32x16, e->left, 64, false);
    for (unsigned s = 0; s < e->forms->tile.samples; s++) {
        LLVMValueRef bit = LLVMBuildAnd(b->ir, left, jit_splat_u32(b, 1u << s), "");
        bit = LLVMBuildICmp(b->ir, LLVMIntNE, bit, jit_splat_u32(b, 0), "");
        e->live[s] = LLVMBuildAnd(b->ir, e->live[s], LLVMBuildAnd(b->ir, bit, e->end.live, ""), "");
    }
}

/* ---- registers, special values ---- */

static void special(void *ctx, struct jit_builder *b, unsigned which, LLVMValueRef out[2])
{
    struct mali_frag_ir *e = ctx;
    const enum mali_special as = mali_special_of((enum mali_version)e->forms->version, which);
    const uint32_t t = mali_frag_special_target(as);
    const size_t at = offsetof(struct mali_frag_args, special) + as * sizeof(uint32_t[2]);
    if (!mali_frag_has_special(as)) {
        e->of_world.special(ctx, b, which, out);
        return;
    }
    for (unsigned k = 0; k < 2; k++)
        out[k] = t < MALI_TARGETS ? jit_splat_u32(b, e->forms->words[t][k])
                                  : jit_splat(b, mali_frag_of_args(e, b, b->i32, at + k * sizeof(uint32_t)));
}

static LLVMValueRef uniform_word(void *ctx, struct jit_builder *b, uint32_t n)
{
    const struct mali_frag_ir *e = ctx;
    if (n >= e->forms->world.uniform_count)
        return jit_i32(b, 0);
    return mali_frag_of_args(e, b, b->i32,
                             offsetof(struct mali_frag_args, code.uniform) + n * sizeof(uint32_t));
}

/* Pixels' numbers of a block: of their centres, less a half. */
static LLVMValueRef whole(struct jit_builder *b, LLVMValueRef centre)
{
    LLVMValueRef corner = LLVMBuildFSub(b->ir, centre, jit_splat_f32(b, 0.5f), "");
    return LLVMBuildFPToSI(b->ir, corner, b->i32x16, "");
}

static void set_registers(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef reg[WARP_REGISTERS])
{
    LLVMValueRef samples = jit_splat_u32(b, 0), x = whole(b, e->at.cx), y = whole(b, e->at.cy);
    for (unsigned s = 0; s < e->forms->tile.samples; s++) {
        LLVMValueRef bit = jit_select(b, e->runs[s], jit_splat_u32(b, 1u << s), jit_splat_u32(b, 0));
        samples = LLVMBuildOr(b->ir, samples, bit, "");
    }
    e->covered = samples;
    reg[MALI_REG_FRAGMENT_FACING] = raster_block_ir_by_face(&e->at, b, 0, 1);
    reg[MALI_REG_FRAGMENT_POSITION] = LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, x, jit_splat_u32(b, 0xffff), ""),
                                                  LLVMBuildShl(b->ir, y, jit_splat_u32(b, 16), ""), "");
    reg[MALI_REG_FRAGMENT_COVERAGE] = reg[MALI_REG_FRAGMENT_SAMPLES] = samples;
}

/* ---- the program ---- */

int mali_frag_ir_run_warp(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef *fault)
{
    const struct warp_program *p = e->variant->program->warp;
    struct warp_ir_ports ports;
    struct warp_ir_input input = {
        .address = mali_frag_of_args(e, b, b->i64, offsetof(struct mali_frag_args, code.address)),
        .fixed_blends = true,
        .fuel = mali_frag_of_args(e, b, b->i32, offsetof(struct mali_frag_args, fuel))};
    struct warp_ir_state end;
    mali_world_ir_warp_ports(&e->world, &ports);
    e->of_world = ports;
    ports.special = special;
    ports.message = message;
    ports.uniform_word = uniform_word;
    set_registers(e, b, input.reg);
    jit_store(b, jit_splat_u32(b, UINT32_MAX), mali_frag_ir_slot(b, &e->left), 64);
    mali_frag_ir_lanes(e, b, p->straight || p->fixed_count, &input.lanes, &input.helpers);
    int status = warp_translate(b, p, &ports, &input, fault, &end);
    if (!status)
        e->end = (struct mali_frag_ir_end){end.live, end.executed, end.faults, true};
    return status;
}
