#include "raster/centre_ir.h"

#include "raster/tile.h"

#define BLOCKS 16 /* in a row or column of a tile */

/* The tile's pixels that stand where the first block's lanes do (tile.h). */
static LLVMValueRef first_pixels(struct jit_builder *b, bool vertical, LLVMValueRef origin)
{
    uint32_t lane[16];

    for (uint32_t l = 0; l < 16; l++)
        lane[l] = vertical ? raster_lane_y(l) : raster_lane_x(l);
    return LLVMBuildAdd(b->ir, jit_splat(b, origin), jit_vector_u32(b, lane), "");
}

/* Pixels from the tile's edge to a block, by its number: a conversion would take longer than a load. */
static LLVMValueRef distances(struct jit_builder *b)
{
    static const char name[] = "block_distances";
    LLVMValueRef table = LLVMGetNamedGlobal(b->module, name), values[BLOCKS], all;

    if (table)
        return table;
    for (unsigned i = 0; i < BLOCKS; i++)
        values[i] = jit_f32(b, (float)(4 * i));
    all = LLVMConstArray2(b->f32, values, BLOCKS);
    table = LLVMAddGlobal(b->module, LLVMTypeOf(all), name);
    LLVMSetInitializer(table, all);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, 64);
    return table;
}

LLVMValueRef raster_centre_ir(struct jit_builder *b, bool vertical, LLVMValueRef origin, LLVMValueRef at)
{
    LLVMValueRef first = jit_i32_to_f32(b, first_pixels(b, vertical, origin)), far;

    first = LLVMBuildFAdd(b->ir, first, jit_splat_f32(b, 0.5f), "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, sizeof(float)), "");
    far = jit_load(b, b->f32, jit_offset(b, distances(b), at), 4, true);
    return LLVMBuildFAdd(b->ir, first, jit_splat(b, far), "");
}

LLVMValueRef raster_pixel_ir(struct jit_builder *b, bool vertical, LLVMValueRef origin, LLVMValueRef at)
{
    LLVMValueRef far = LLVMBuildShl(b->ir, at, jit_i32(b, 2), "");

    return LLVMBuildAdd(b->ir, first_pixels(b, vertical, origin), jit_splat(b, far), "");
}
