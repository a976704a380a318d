/* Attributes, varyings and images; specials and the tile (README.md, rules 13 and 14). */
#include <string.h>

#include "isa/midgard/trans_internal.h"

static void zeros(struct midgard_trans *t, LLVMValueRef out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_splat_u32(t->b, 0);
}

/* ---- descriptors ---- */

/* Sixteen bits each, of two words, or of four if wide. */
static void coordinates(struct midgard_trans *t, const struct midgard_memory *x,
                        const LLVMValueRef argument[4], LLVMValueRef out[4])
{
    zeros(t, out);
    for (unsigned c = 0; c < (x->wide ? 4u : 2u); c++) {
        LLVMValueRef word = argument[(x->arg_comp + c / 2) & 3];
        out[c] = c & 1 ? midgard_trans_shift(t, word, -16) : midgard_trans_band(t, word, 0xffff);
    }
}

static struct isa_ir_attribute describe(struct midgard_trans *t, const struct midgard_memory *x,
                                        const struct midgard_memory_info *info)
{
    const bool halves = midgard_makes_varying_halves(x, info);
    struct isa_ir_attribute a = {.type = halves ? ISA_TYPE_F32 : (enum isa_type)info->type,
                                 .any_type = x->index_format & 1,
                                 .secondary = x->index_format >> 1,
                                 .index = midgard_trans_index(t, x, (uint32_t)midgard_offset_index(x))};
    uint32_t rest = midgard_offset_rest(x);
    LLVMValueRef argument[4];
    midgard_trans_argument(t, x->arg_reg, argument);
    switch (info->class) {
    case MIDGARD_IMAGE:
    case MIDGARD_STORE_IMAGE:
    case MIDGARD_IMAGE_ADDRESS: coordinates(t, x, argument, a.coordinate); return a;
    case MIDGARD_VARYING:
        a.interpolation = (uint8_t)(rest & (MIDGARD_VARYING_FLAT | MIDGARD_VARYING_PERSPECTIVE |
                                            MIDGARD_VARYING_CENTROID | MIDGARD_VARYING_SAMPLE));
        if (x->arg_reg != MIDGARD_A_ZERO)
            a.position = midgard_trans_band(t, midgard_trans_shift(t, argument[x->arg_comp], -8), 255);
        return a;
    default:
        if (x->wide)
            a.vertex = LLVMBuildAdd(t->b->ir, argument[x->arg_comp],
                                    jit_splat_u32(t->b, rest < 256 ? rest : rest - 512), "");
        return a;
    }
}

/* ---- attributes ---- */

/* What a varying's modifier makes of it. */
static void modify(struct midgard_trans *t, const struct midgard_memory *x, bool halves,
                   LLVMValueRef words[4])
{
    unsigned modifier = midgard_offset_rest(x) & MIDGARD_VARYING_MOD;
    LLVMValueRef in[4];
    memcpy(in, words, sizeof in);
    if (modifier > MIDGARD_VARYING_CUBE)
        midgard_trans_fault(t, MIDGARD_FAULT_RESERVED, NULL, NULL);
    else if (modifier == MIDGARD_VARYING_CUBE)
        midgard_trans_cube(t, halves, in, words);
    else if (modifier != MIDGARD_VARYING_PLAIN)
        midgard_trans_divide(t, modifier, halves, in, words);
}

static LLVMValueRef image_address(struct midgard_trans *t, const struct isa_ir_attribute *a,
                                  LLVMValueRef words[4], LLVMValueRef *address)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef at = midgard_trans_splat(t, 64, 0);
    LLVMValueRef missing = t->ports->image_address(t->ports->ctx, t->b, a, t->mask, &at, address);
    words[0] = LLVMBuildTrunc(ir, at, t->b->i32x16, "");
    at = LLVMBuildLShr(ir, at, midgard_trans_splat(t, 64, 32), "");
    words[1] = LLVMBuildTrunc(ir, at, t->b->i32x16, "");
    return missing;
}

static LLVMValueRef loaded(struct midgard_trans *t, const struct midgard_memory_info *info,
                           const struct isa_ir_attribute *a, LLVMValueRef words[4], LLVMValueRef *address)
{
    const struct midgard_ir_ports *ports = t->ports;
    switch (info->class) {
    case MIDGARD_ATTRIBUTE: return ports->attribute(ports->ctx, t->b, a, t->mask, words, address);
    case MIDGARD_VARYING: return ports->varying(ports->ctx, t->b, a, t->mask, words, address);
    case MIDGARD_IMAGE: return ports->image(ports->ctx, t->b, a, t->mask, words, address);
    default: return image_address(t, a, words, address);
    }
}

static void store(struct midgard_trans *t, const struct midgard_memory *x,
                  const struct midgard_memory_info *info, const struct isa_ir_attribute *a)
{
    const struct midgard_ir_ports *ports = t->ports;
    LLVMValueRef words[4], value[4], address = NULL, lanes = midgard_trans_visible(t, t->mask), missing;
    midgard_trans_argument(t, x->reg, words);
    midgard_trans_swizzled(x->swizzle, words, value);
    missing = info->class == MIDGARD_STORE_IMAGE
                  ? ports->store_image(ports->ctx, t->b, a, lanes, value, &address)
                  : ports->store_varying(ports->ctx, t->b, a, lanes, value, &address);
    midgard_trans_check(t, missing, lanes, address);
}

/* Two halves to a word, the lower two words of those that the swizzle chooses from; the upper two are zeros. */
static void write_halves(struct midgard_trans *t, const struct midgard_memory *x,
                         const LLVMValueRef single[4])
{
    LLVMValueRef half[4], word[2];
    for (unsigned n = 0; n < 4; n++)
        half[n] = isa_trans_half_of_single(t->b, midgard_trans_lanes(t, single[n]), t->rounds);
    for (unsigned n = 0; n < 2; n++) {
        LLVMValueRef high = isa_trans_half_bits(t->b, half[2 * n + 1]);
        word[n] = LLVMBuildZExt(t->b->ir, isa_trans_half_bits(t->b, half[2 * n]), t->b->i32x16, "");
        high = midgard_trans_shift(t, LLVMBuildZExt(t->b->ir, high, t->b->i32x16, ""), 16);
        word[n] = LLVMBuildOr(t->b->ir, word[n], high, "");
    }
    for (unsigned c = 0; c < 4; c++) {
        const unsigned from = x->swizzle >> 2 * c & 3;
        if (!(x->mask >> c & 1))
            continue;
        midgard_trans_set(t, x->reg, c, from < 2 ? word[from] : jit_splat_u32(t->b, 0));
        for (unsigned n = 0; n < 2 && from < 2; n++)
            t->half[x->reg][2 * c + n] = half[2 * from + n];
    }
}

void midgard_trans_attribute(struct midgard_trans *t, const struct midgard_memory *x,
                             const struct midgard_memory_info *info)
{
    struct isa_ir_attribute a = describe(t, x, info);
    LLVMValueRef words[4], value[4], address = NULL, missing;
    if (midgard_is_store((enum midgard_class)info->class)) {
        store(t, x, info, &a);
        return;
    }
    zeros(t, words);
    missing = loaded(t, info, &a, words, &address);
    midgard_trans_check(t, missing, t->mask, address);
    if (midgard_makes_varying_halves(x, info)) {
        write_halves(t, x, words);
        return;
    }
    for (unsigned c = 0; c < 4; c++)
        words[c] = midgard_trans_lanes(t, words[c]);
    if (info->class == MIDGARD_VARYING)
        modify(t, x, info->type == ISA_TYPE_F16 && !a.any_type, words);
    midgard_trans_swizzled(x->swizzle, words, value);
    midgard_trans_write(t, x->reg, x->mask, value);
}

/* ---- specials and the tile ---- */

static enum midgard_tile form_of(const struct midgard_memory_info *info)
{
    return info->type == ISA_TYPE_F32   ? MIDGARD_TILE_F32
           : info->type == ISA_TYPE_F16 ? MIDGARD_TILE_F16
                                        : MIDGARD_TILE_RAW;
}

/* A tile buffer access, or false: a special one. */
static bool is_tile(struct midgard_trans *t, const struct midgard_memory *x,
                    const struct midgard_memory_info *info)
{
    int32_t selector = midgard_offset_index(x);
    if (info->class == MIDGARD_TILE || info->class == MIDGARD_STORE_TILE)
        return true;
    return t->program->traits.tile_by_special && x->index_reg == MIDGARD_A_ZERO &&
           (selector == MIDGARD_SPECIAL_TILE || selector == MIDGARD_SPECIAL_TILE_RAW);
}

struct tile {
    enum midgard_tile form;
    uint32_t target;
    struct isa_ir_number sample;
};

static struct tile describe_tile(struct midgard_trans *t, const struct midgard_memory *x,
                                 const struct midgard_memory_info *info)
{
    bool special = info->class == MIDGARD_SPECIAL || info->class == MIDGARD_STORE_SPECIAL;
    struct tile out = {form_of(info), midgard_tile_target(x), {NULL, midgard_tile_sample(x)}};
    if (special) {
        out.target = 0;
        if (midgard_offset_index(x) == MIDGARD_SPECIAL_TILE_RAW)
            out.form = MIDGARD_TILE_RAW;
    }
    if (special || x->offset & 1)
        out.sample = midgard_trans_component(t, x->arg_reg, x->arg_comp);
    return out;
}

static void store_tile(struct midgard_trans *t, const struct midgard_memory *x, const struct tile *a)
{
    const struct midgard_ir_ports *ports = t->ports;
    LLVMValueRef words[4], value[4], address = NULL, lanes = midgard_trans_visible(t, t->mask), missing;
    midgard_trans_argument(t, x->reg, words);
    midgard_trans_swizzled(x->swizzle, words, value);
    missing = ports->store_tile(ports->ctx, t->b, a->form, a->target, a->sample, lanes, value, &address);
    midgard_trans_check(t, missing, lanes, address);
}

void midgard_trans_tile(struct midgard_trans *t, const struct midgard_memory *x,
                        const struct midgard_memory_info *info)
{
    const struct midgard_ir_ports *ports = t->ports;
    bool in_tile = is_tile(t, x, info), stores = midgard_is_store((enum midgard_class)info->class);
    LLVMValueRef words[4], value[4], address = NULL, missing;
    if (stores && !in_tile) {
        midgard_trans_fault(t, MIDGARD_FAULT_UNSUPPORTED, NULL, NULL);
        return;
    }
    struct tile a = describe_tile(t, x, info);
    if (stores) {
        store_tile(t, x, &a);
        return;
    }
    zeros(t, words);
    missing = in_tile ? ports->tile(ports->ctx, t->b, a.form, a.target, a.sample, t->mask, words, &address)
                      : ports->special(ports->ctx, t->b,
                                       midgard_trans_index(t, x, (uint32_t)midgard_offset_index(x)),
                                       (enum isa_type)info->type, t->mask, words, &address);
    midgard_trans_check(t, missing, t->mask, address);
    midgard_trans_swizzled(x->swizzle, words, value);
    midgard_trans_write(t, x->reg, x->mask, value);
}
