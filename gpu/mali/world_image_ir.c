/* Images as IR (world_image.c is the definition), of those whose texels all lie in memory that may be used so. */
#include "gpu/mali/world_ir_internal.h"

#include <stddef.h>

#include "gpu/array_ir.h"
#include "util/bits.h"

struct image {
    const struct mali_code_form *form; /* NULL: the port is to be called */
    size_t array;                      /* its place in struct mali_code */
    uint32_t bytes;                    /* of a texel */
};

/* `second`: of the varyings' places. */
static struct image find_number(const struct mali_world_ir *e, bool second, uint32_t number)
{
    struct image out = {.form = NULL};
    if (number >= MALI_CODE_ARRAYS)
        return out;
    const struct mali_code_form *form = second ? &e->forms->varying[number] : &e->forms->attribute[number];
    if (form->reach != MALI_REACH_IMAGE && form->reach != MALI_REACH_IMAGE_TILED)
        return out;
    out.form = form;
    out.array = (second ? offsetof(struct mali_code, varying) : offsetof(struct mali_code, attribute)) +
                number * sizeof(struct mali_code_array);
    out.bytes = raster_format_bytes((enum raster_format)form->format);
    return out;
}

static struct image find(const struct mali_world_ir *e, const struct isa_ir_attribute *a)
{
    return a->secondary || a->index.lanes ? (struct image){.form = NULL}
                                          : find_number(e, false, a->index.known);
}

#define FIELD(type, name)                                                                                    \
    mali_ir_place(e, b, type, image->array + offsetof(struct mali_code_array, image.name))

static LLVMValueRef times(struct jit_builder *b, LLVMValueRef v, LLVMValueRef by)
{
    return LLVMBuildMul(b->ir, v, jit_splat(b, by), "");
}

static LLVMValueRef shifted(struct jit_builder *b, LLVMValueRef v, int left)
{
    return left > 0 ? LLVMBuildShl(b->ir, v, jit_splat_u32(b, (uint32_t)left), "")
                    : LLVMBuildLShr(b->ir, v, jit_splat_u32(b, (uint32_t)-left), "");
}

/* Bits 0 to 3 to places 0, 2, 4, 6. */
static LLVMValueRef spread(struct jit_builder *b, LLVMValueRef v)
{
    v = LLVMBuildAnd(b->ir, v, jit_splat_u32(b, MALI_IMAGE_TILE - 1), "");
    v = LLVMBuildAnd(b->ir, LLVMBuildOr(b->ir, v, shifted(b, v, 2), ""), jit_splat_u32(b, 0x33), "");
    return LLVMBuildAnd(b->ir, LLVMBuildOr(b->ir, v, shifted(b, v, 1), ""), jit_splat_u32(b, 0x55), "");
}

/* Texels from a tile's row on: of x the tile's, and x's and y's places in it. */
static LLVMValueRef tiled_x(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef low = spread(b, y), in = LLVMBuildOr(b->ir, low, shifted(b, low, 1), "");
    in = LLVMBuildXor(b->ir, in, spread(b, x), "");
    LLVMValueRef tile = LLVMBuildAnd(b->ir, x, jit_splat_u32(b, ~(MALI_IMAGE_TILE - 1)), "");
    return LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, tile, jit_splat_u32(b, MALI_IMAGE_TILE), ""), in, "");
}

/* Bytes from the base on (i32x16), and the lanes that have a texel. Beyond those the offset means nothing. */
static LLVMValueRef offset_of(const struct mali_world_ir *e, struct jit_builder *b, const struct image *image,
                              const LLVMValueRef xyz[3], LLVMValueRef *inside)
{
    LLVMValueRef x = xyz[0], y = xyz[1], stride = FIELD(b->i32, texel_stride);
    *inside = NULL;
    for (unsigned n = 0; n < 3; n++) {
        LLVMValueRef extent = FIELD(b->i32, extent[n]);
        LLVMValueRef in = LLVMBuildICmp(b->ir, LLVMIntULT, xyz[n], jit_splat(b, extent), "");
        *inside = *inside ? LLVMBuildAnd(b->ir, *inside, in, "") : in;
    }
    if (image->form->reach == MALI_REACH_IMAGE_TILED) {
        x = tiled_x(b, x, y);
        y = LLVMBuildUDiv(b->ir, y, jit_splat_u32(b, MALI_IMAGE_TILE), "");
    }
    LLVMValueRef at = LLVMBuildAdd(b->ir, times(b, x, stride), times(b, y, FIELD(b->i32, row_stride)), "");
    return LLVMBuildAdd(b->ir, at, times(b, xyz[2], FIELD(b->i32, slice_stride)), "");
}

static LLVMValueRef base_of(const struct mali_world_ir *e, struct jit_builder *b, const struct image *image)
{
    return mali_ir_place(e, b, b->ptr, image->array + offsetof(struct mali_code_array, base));
}

LLVMValueRef mali_ir_image(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                           LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    const struct image image = find(e, a);
    LLVMValueRef word[4], at[16], inside;
    if (!image.form)
        return midgard_ir_call_ports.image(e, b, a, mask, out, address);
    for (unsigned c = 0; c < 4; c++)
        word[c] = jit_splat_u32(b, 0);
    LLVMValueRef offset = offset_of(e, b, &image, a->coordinate, &inside);
    mali_ir_addresses(b, base_of(e, b, &image), offset, inside, mali_ir_zeros(e, b), at);
    gpu_array_ir_load(b, at, image.bytes, word);
    mali_ir_convert(b, image.form, a->type, a->any_type, word, out);
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_select(b, inside, out[c], jit_splat_u32(b, 0));
    return NULL;
}

/* i64x16: guest addresses of texels at offsets from the base. */
static LLVMValueRef addresses_of(const struct mali_world_ir *e, struct jit_builder *b,
                                 const struct image *image, LLVMValueRef offset)
{
    LLVMValueRef base = mali_ir_guest_base(e, b, image->array);
    return LLVMBuildAdd(b->ir, LLVMBuildZExt(b->ir, offset, b->i64x16, ""), jit_splat(b, base), "");
}

/* Texels stored as memory is, page by page, with marks. */
static LLVMValueRef store_tracked(struct mali_world_ir *e, struct jit_builder *b, const struct image *image,
                                  const struct isa_ir_attribute *a, LLVMValueRef mask,
                                  const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_ir_ways w = {.count = 0};
    LLVMValueRef word[4], inside, offset = offset_of(e, b, image, a->coordinate, &inside);
    const struct isa_ir_access access = {.space = ISA_SPACE_GLOBAL,
                                         .bytes = (uint8_t)image->bytes,
                                         .enable = (uint16_t)((1u << image->bytes) - 1),
                                         .address = addresses_of(e, b, image, offset)};
    mali_ir_convert_back(b, image->form, a->type, a->any_type, value, word);
    mali_ir_store_ways(e, b, &access, LLVMBuildAnd(b->ir, inside, mask, ""), word, &w);
    LLVMValueRef bad = midgard_ir_call_ports.store_image(e, b, a, mask, value, address);
    return w.count ? mali_ir_ways_fault(b, &w, bad, address) : bad;
}

LLVMValueRef mali_ir_store_image(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                 LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    const struct image image = find(e, a);
    LLVMValueRef word[4], at[16], inside;
    if (!image.form || (e->forms->tracks && b->quick))
        return midgard_ir_call_ports.store_image(e, b, a, mask, value, address);
    if (e->forms->tracks)
        return store_tracked(e, b, &image, a, mask, value, address);
    LLVMValueRef offset = offset_of(e, b, &image, a->coordinate, &inside);
    inside = LLVMBuildAnd(b->ir, inside, mask, "");
    mali_ir_addresses(b, base_of(e, b, &image), offset, inside, mali_ir_scratch(e, b), at);
    mali_ir_convert_back(b, image.form, a->type, a->any_type, value, word);
    gpu_array_ir_put(b, at, image.bytes, word);
    return NULL;
}

LLVMValueRef mali_ir_image_address(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                   LLVMValueRef mask, LLVMValueRef *out, LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    const struct image image = find(e, a);
    LLVMValueRef inside;
    if (!image.form)
        return midgard_ir_call_ports.image_address(e, b, a, mask, out, address);
    LLVMValueRef offset = offset_of(e, b, &image, a->coordinate, &inside);
    *out = jit_select(b, inside, addresses_of(e, b, &image, offset), jit_splat(b, jit_i64(b, MALI_NOWHERE)));
    return NULL;
}

const struct mali_code_form *mali_ir_texel_address(const struct mali_world_ir *e, struct jit_builder *b,
                                                   bool second, uint32_t number, const LLVMValueRef xyz[3],
                                                   LLVMValueRef *at)
{
    const struct image image = find_number(e, second, number);
    LLVMValueRef inside;
    if (!image.form)
        return NULL;
    LLVMValueRef offset = offset_of(e, b, &image, xyz, &inside);
    *at = jit_select(b, inside, addresses_of(e, b, &image, offset), jit_splat(b, jit_i64(b, MALI_NOWHERE)));
    return image.form;
}
