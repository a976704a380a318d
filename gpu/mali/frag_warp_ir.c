/* Fragment programs of isa/warp as IR: frag_ports_warp.c for sixteen lanes; what they do to the tile is frag_tile_ir.c's. */
#include <errno.h>
#include <string.h>

#include "gpu/mali/frag_ir.h"
#include "isa/valhall/insn.h"
#include "isa/warp/trans_call.h"
#include "raster/samples_ir.h"
#include "raster/shader_ir.h"

/* ---- varyings ---- */

/* A sample's number above the samples; two signed numbers of 8.8 bits. */
static struct mali_frag_ir_spot spot_of(const struct mali_frag_ir *e, struct jit_builder *b,
                                        const struct warp_ir_message *m)
{
    LLVMValueRef operand = m->operand[0][0], by = jit_splat_u32(b, 16);
    LLVMValueRef d[2] = {LLVMBuildAShr(b->ir, LLVMBuildShl(b->ir, operand, by, ""), by, ""),
                         LLVMBuildAShr(b->ir, operand, by, "")};
    switch (m->insn->sample) {
    case WARP_SAMPLE_CENTROID: return e->sampled;
    case WARP_SAMPLE_SAMPLE:
        operand = LLVMBuildLShr(b->ir, operand, jit_splat_u32(b, MALI_FRAG_SAMPLE_AT), "");
        operand = LLVMBuildAnd(b->ir, operand, jit_splat_u32(b, MALI_FRAG_SAMPLE_MASK), "");
        return mali_frag_ir_sample_spot(e, b, operand);
    case WARP_SAMPLE_EXPLICIT:
        for (unsigned k = 0; k < 2; k++) {
            d[k] = LLVMBuildFMul(b->ir, jit_i32_to_f32(b, d[k]), jit_splat_f32(b, 1 / 256.0f), "");
            d[k] = LLVMBuildFSub(b->ir, d[k], jit_splat_f32(b, 0.5f), "");
        }
        return (struct mali_frag_ir_spot){d[0], d[1]};
    default: return (struct mali_frag_ir_spot){NULL, NULL};
    }
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
    if (i->update != WARP_UPDATE_STORE && i->update != WARP_UPDATE_CLOBBER)
        e->refused = true;
    e->spot = spot_of(e, b, m);
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

/* ---- messages ---- */

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
    case WARP_BLEND:
    case WARP_ATEST:
    case WARP_ZS_EMIT:
    case WARP_TILE:
    case WARP_STORE_TILE: return mali_frag_ir_tile_message(e, b, m, mask, out, leave, address);
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
    for (unsigned k = 0; k < e->forms->known_count; k++)
        if (e->forms->known[k].word == n)
            return jit_i32(b, e->forms->known[k].value);
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
    LLVMValueRef number = e->sample ? e->sample : jit_splat_u32(b, 0);
    number = LLVMBuildShl(b->ir, number, jit_splat_u32(b, MALI_FRAG_SAMPLE_AT), "");
    reg[MALI_REG_FRAGMENT_FACING] = raster_block_ir_by_face(&e->at, b, 0, 1);
    reg[MALI_REG_FRAGMENT_POSITION] = LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, x, jit_splat_u32(b, 0xffff), ""),
                                                  LLVMBuildShl(b->ir, y, jit_splat_u32(b, 16), ""), "");
    reg[MALI_REG_FRAGMENT_COVERAGE] = samples;
    reg[MALI_REG_FRAGMENT_SAMPLES] = LLVMBuildOr(b->ir, samples, number, "");
}

/* ---- the program ---- */

void mali_frag_ir_warp_ports(struct mali_frag_ir *e, struct warp_ir_ports *ports)
{
    mali_world_ir_warp_ports(&e->world, ports);
    e->of_world = *ports;
    ports->special = special;
    ports->message = message;
    ports->uniform_word = uniform_word;
    ports->far = mali_frag_ir_far;
}

static struct mali_frag_ir_end end_of(const struct warp_ir_state *end)
{
    return (struct mali_frag_ir_end){end->live, end->executed, end->faults, end->faults_at_once};
}

bool mali_frag_ir_warp_is_straight(const struct mali_frag_ir *e)
{
    const struct warp_program *p = e->variant->program->warp;
    return p->straight || (e->forms->fixed_blends && p->fixed_count);
}

/* A block of the program begins, with all that it is given. `same`: all its lanes run the same, and may run. */
static void begin_program(struct mali_frag_ir *e, struct jit_builder *b, bool same,
                          struct warp_ir_ports *ports, struct warp_ir_input *input)
{
    *input = (struct warp_ir_input){
        .address = mali_frag_of_args(e, b, b->i64, offsetof(struct mali_frag_args, code.address)),
        .fixed_blends = e->forms->fixed_blends,
        .fuel = mali_frag_of_args(e, b, b->i32, offsetof(struct mali_frag_args, fuel))};
    mali_frag_ir_warp_ports(e, ports);
    set_registers(e, b, input->reg);
    jit_store(b, jit_splat_u32(b, UINT32_MAX), mali_frag_ir_slot(b, &e->left), 64);
    if (e->forms->at_once)
        mali_frag_ir_begin_now(e, b);
    const struct mali_frag_ir_lanes lanes = mali_frag_ir_lanes(e, b, same);
    input->lanes = lanes.run;
    input->helpers = lanes.helpers;
    input->named = lanes.named;
}

int mali_frag_ir_run_warp(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef *fault)
{
    struct warp_ir_ports ports;
    struct warp_ir_input input;
    struct warp_ir_state end;
    begin_program(e, b, mali_frag_ir_warp_is_straight(e), &ports, &input);
    int status = warp_translate(b, e->variant->program->warp, &ports, &input, fault, &end);
    if (status)
        return status;
    e->end = end_of(&end);
    if (end.faults) /* the report says which access it was */
        jit_store(b, end.fault_address,
                  jit_offset_const(b, e->call, offsetof(struct raster_shader_call, address)), 8);
    return 0;
}

int mali_frag_ir_run_warp_sides(struct mali_frag_ir *e, struct jit_builder *b, unsigned count,
                                LLVMBasicBlockRef leave)
{
    struct warp_ir_input input[RASTER_SHADER_SIDES] = {{.address = NULL}};
    struct warp_ir_ports ports[RASTER_SHADER_SIDES] = {{.ctx = NULL}};
    struct warp_ir_state end[RASTER_SHADER_SIDES];
    /* Which lane is the first without fuel shows only in a block that is run alone. */
    const bool same = mali_frag_ir_warp_is_straight(e) ||
                      warp_is_together(e->variant->program->warp, e->forms->fixed_blends, false);
    for (unsigned k = 0; k < count; k++)
        begin_program(&e[k], b, same, &ports[k], &input[k]);
    int status = warp_translate_sides(b, e->variant->program->warp, ports, input, count, leave, end);
    for (unsigned k = 0; k < count && !status; k++)
        e[k].end = end_of(&end[k]);
    return status;
}
