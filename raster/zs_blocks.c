#include "raster/zs_blocks.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "jit/builder.h"
#include "raster/depth_ir.h"
#include "raster/zs_ir.h"

enum { PRIM, TILE, BLOCKS, COUNT, COMMON, PARAMS };

bool raster_zs_is_idle(const struct raster_zs *zs)
{
    return zs->depth_func == RASTER_ALWAYS && !zs->depth_write && !zs->face[0].enable && !zs->face[1].enable;
}

/* ---- plain C ---- */

uint32_t raster_zs_blocks_ref(const struct raster_zs *zs, enum raster_depth_kind kind,
                              const struct raster_prim *prim, struct raster_tile *tile,
                              struct raster_block *blocks, uint32_t count, uint16_t *common)
{
    uint32_t kept = 0;
    *common = 0xffff;
    for (uint32_t i = 0; i < count; i++) {
        struct raster_block block = blocks[i];
        uint32_t passed = 0;
        int32_t px = tile->x + block.x * 4, py = tile->y + block.y * 4;
        for (uint32_t l = 0; l < 16; l++) {
            uint32_t x = block.x * 4u + raster_lane_x(l), y = block.y * 4u + raster_lane_y(l);
            uint32_t *word = &tile->zs[raster_pixel_index(tile, x, y, 0)];
            uint32_t depth = raster_depth_at(prim, px, py, l);
            if (!(block.mask >> l & 1))
                continue;
            depth = kind == RASTER_DEPTH_UNORM16 ? raster_depth_16(depth) : depth;
            passed |= (uint32_t)raster_zs_test(zs, prim->reverse, depth, word) << l;
        }
        block.mask = block.sample[0] = (uint16_t)passed;
        blocks[kept] = block;
        *common &= passed ? block.mask : 0xffff;
        kept += passed != 0;
    }
    return kept;
}

/* ---- compiled ---- */

/* The key: a mark and the configuration, without padding. */
struct key {
    char mark[16];
    struct raster_zs zs;
    uint8_t kind; /* enum raster_depth_kind */
};
static_assert(sizeof(struct key) == 16 + sizeof(struct raster_zs) + 1, "");

struct emit {
    const struct key *of;
    struct raster_depth_ir plane; /* of depth, as seen from the tile's first pixel */
    LLVMValueRef row;             /* blocks in a row of the tile */
    LLVMValueRef reverse;
    LLVMValueRef kept, common; /* slots: blocks so far, lanes that pass in all of them */
};

static LLVMValueRef word_of(struct jit_builder *b, unsigned param, size_t offset)
{
    return jit_load(b, b->i32, jit_offset_const(b, jit_param(b, param), offset), 4, true);
}

static void begin(struct emit *e, struct jit_builder *b)
{
    const LLVMTypeRef types[] = {b->ptr, b->ptr, b->ptr, b->i32, b->ptr};

    jit_begin_function(b, b->i32, types, PARAMS);
    for (unsigned i = 0; i < PARAMS; i++)
        if (i != COUNT)
            jit_param_noalias(b, i);
    e->plane =
        raster_depth_load_ir(b, jit_offset_const(b, jit_param(b, PRIM), offsetof(struct raster_prim, depth)));
    e->plane = raster_depth_move_ir(b, &e->plane, word_of(b, TILE, offsetof(struct raster_tile, x)),
                                    word_of(b, TILE, offsetof(struct raster_tile, y)));
    e->row = LLVMBuildLShr(b->ir, word_of(b, TILE, offsetof(struct raster_tile, width)), jit_i32(b, 2), "");
    e->reverse = word_of(b, PRIM, offsetof(struct raster_prim, reverse));
    e->reverse = LLVMBuildICmp(b->ir, LLVMIntNE, e->reverse, jit_i32(b, 0), "");
    e->kept = jit_alloca(b, b->i32, "kept");
    e->common = jit_alloca(b, b->i16, "common");
    jit_store(b, LLVMConstAllOnes(b->i16), e->common, 2);
    jit_store(b, jit_i32(b, 0), e->kept, 4);
}

static LLVMValueRef depths(const struct emit *e, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    struct raster_depth_ir plane = raster_depth_move_ir(
        b, &e->plane, LLVMBuildShl(b->ir, x, jit_i32(b, 2), ""), LLVMBuildShl(b->ir, y, jit_i32(b, 2), ""));
    struct raster_depth_sums_ir sums = raster_depth_block_ir(b, &plane);

    LLVMValueRef depth = raster_depth_of_sums_ir(b, &sums);

    return e->of->kind == RASTER_DEPTH_UNORM16 ? raster_depth_16_ir(b, depth) : depth;
}

/* Keeps the block, at most where it was found, with the lanes that pass. */
static void keep(struct emit *e, struct jit_builder *b, LLVMValueRef head, LLVMValueRef pass)
{
    LLVMValueRef bits = jit_mask_to_bits(b, pass), kept = jit_load(b, b->i32, e->kept, 4, false);
    LLVMValueRef block, at, some, common;

    at = LLVMBuildMul(b->ir, kept, jit_i32(b, sizeof(struct raster_block)), "");
    block = jit_offset(b, jit_param(b, BLOCKS), at);
    jit_store(b, head, block, 2);
    jit_store(b, bits, jit_offset_const(b, block, offsetof(struct raster_block, mask)), 2);
    jit_store(b, bits, jit_offset_const(b, block, offsetof(struct raster_block, sample)), 2);
    some = LLVMBuildICmp(b->ir, LLVMIntNE, bits, LLVMConstNull(b->i16), "");
    jit_store(b, LLVMBuildAdd(b->ir, kept, LLVMBuildZExt(b->ir, some, b->i32, ""), ""), e->kept, 4);
    common = LLVMBuildAnd(b->ir, jit_load(b, b->i16, e->common, 2, false), bits, "");
    common = LLVMBuildSelect(b->ir, some, common, jit_load(b, b->i16, e->common, 2, false), "");
    jit_store(b, common, e->common, 2);
}

static void test_block(struct emit *e, struct jit_builder *b, struct jit_loop *loop)
{
    const struct raster_zs *zs = &e->of->zs;
    LLVMValueRef at = LLVMBuildMul(b->ir, loop->index, jit_i32(b, sizeof(struct raster_block)), "");
    LLVMValueRef block = jit_offset(b, jit_param(b, BLOCKS), at), lanes, x, y, head, stored, word, pass,
                 touched;

    head = jit_load(b, b->i16, block, 2, false); /* x and y */
    lanes = jit_load(b, b->i16, jit_offset_const(b, block, offsetof(struct raster_block, mask)), 2, false);
    x = LLVMBuildAnd(b->ir, LLVMBuildZExt(b->ir, head, b->i32, ""), jit_i32(b, 255), "");
    y = LLVMBuildLShr(b->ir, LLVMBuildZExt(b->ir, head, b->i32, ""), jit_i32(b, 8), "");
    at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, e->row, ""), x, "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, 16 * sizeof(uint32_t)), "");
    at = jit_offset(b, jit_offset_const(b, jit_param(b, TILE), offsetof(struct raster_tile, zs)), at);
    stored = jit_load(b, b->i32x16, at, 64, false);
    pass = raster_zs_ir(b, zs, e->reverse, NULL, jit_mask_from_bits(b, lanes), depths(e, b, x, y), stored,
                        &word);
    touched = pass;
    if (zs->face[0].enable || zs->face[1].enable)
        touched = LLVMBuildOr(b->ir, touched, LLVMBuildICmp(b->ir, LLVMIntNE, word, stored, ""), "");
    touched = jit_mask_any(b, touched);
    jit_loop_continue_if(b, loop, LLVMBuildNot(b->ir, touched, ""));
    if (word != stored)
        jit_store(b, word, at, 64);
    keep(e, b, head, pass);
}

static int emit_blocks(struct jit_builder *b, void *data)
{
    struct emit e = {.of = data};
    struct jit_loop loop;

    static_assert(offsetof(struct raster_block, x) == 0 && offsetof(struct raster_block, y) == 1, "");
    begin(&e, b);
    jit_loop_begin(b, &loop, jit_param(b, COUNT));
    test_block(&e, b, &loop);
    jit_loop_end(b, &loop);
    jit_store(b, jit_load(b, b->i16, e.common, 2, false), jit_param(b, COMMON), 2);
    LLVMBuildRet(b->ir, jit_load(b, b->i32, e.kept, 4, false));
    return 0;
}

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct key of;

    memcpy(&of, key, sizeof of);
    return emit_blocks(b, &of);
}

int raster_zs_blocks(struct jit_engine *engine, const struct raster_zs *zs, enum raster_depth_kind kind,
                     struct jit_function **out, struct util_error *error)
{
    struct key key = {.mark = "raster zs 5", .zs = *zs, .kind = (uint8_t)kind};
    const struct jit_request request = {.key = &key,
                                        .key_size = sizeof key,
                                        .name = "raster_zs_blocks",
                                        .emit = emit_blocks,
                                        .data = &key,
                                        .emit_key = emit_key,
                                        .run_cost = RASTER_ZS_BLOCK_COST};
    return jit_engine_get_function(engine, &request, out, error);
}
