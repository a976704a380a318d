#include "raster/shader.h"

#include <string.h>

#include "raster/zs_blocks.h"

/* ---- code ---- */

static uint32_t run_deferred(const struct raster_shader *shader, struct jit_function *function,
                             const uint8_t *planes, struct raster_tile *tile, const void *blocks,
                             uint32_t count, uint64_t *executed)
{
    raster_shader_fn run = (raster_shader_fn)jit_function_code(function);
    struct raster_shader_call call = {.fuel = UINT64_MAX}; /* it is paid for, and does not repeat */
    uint32_t code = run(shader->args, planes, tile, blocks, count, &call);
    jit_function_ran(function, call.executed);
    *executed += call.executed;
    return code;
}

/* Programs that may end in a fault do so when their turn comes. */
static bool may_fault(const struct raster_shader *shader)
{
    uint64_t executed = 0;
    return run_deferred(shader, shader->deferred, NULL, NULL, NULL, 0, &executed) != 0;
}

int raster_shader_find(struct raster_shader *shader, bool opaque,
                       int (*find)(void *ctx, enum raster_ir_form form, struct jit_function **code,
                                   struct jit_function **test),
                       void *ctx)
{
    struct jit_function *none = NULL;
    shader->opaque =
        opaque && find(ctx, RASTER_IR_DEFERRED, &shader->deferred, &shader->test) == 0 && !may_fault(shader);
    if (shader->opaque && !shader->cheap)
        return 0;
    int status = find(ctx, RASTER_IR_PRIM, &shader->in_order, &none);
    if (status)
        shader->in_order = NULL;
    return shader->opaque ? 0 : status;
}

/* Few draws are of small primitives; others do with blocks meanwhile. */
static struct jit_function *quads_code(const struct raster_shader *shader)
{
    struct raster_shader_quads *quads = shader->quads;
    struct jit_function *code = atomic_load_explicit(&quads->code, memory_order_acquire);
    if (code || atomic_exchange(&quads->wanted, true))
        return code;
    code = shader->family->quads(shader);
    atomic_store_explicit(&quads->code, code, memory_order_release);
    return code;
}

/* ---- fuel ---- */

bool raster_shader_pay(const struct raster_shader *shader, uint32_t blocks, struct raster_shader_work *work)
{
    uint64_t cost = shader->cost * blocks;
    work->blocks += blocks;
    if (cost > work->fuel) {
        shader->family->report(shader, RASTER_SHADER_UNPAID, 0, work->fault);
        return false;
    }
    work->fuel -= cost;
    return true;
}

/* ---- opaque ones ---- */

uint32_t raster_shader_test(const struct raster_shader *shader, const struct raster_prim *prim,
                            struct raster_tile *tile, struct raster_block *blocks, uint32_t *count,
                            uint16_t *common, struct raster_shader_work *work)
{
    *common = 0xffff;
    if (!raster_shader_pay(shader, *count, work))
        return RASTER_SHADER_UNPAID;
    if (shader->test) {
        raster_zs_blocks_fn test = (raster_zs_blocks_fn)jit_function_code(shader->test);
        uint32_t tested = *count;
        *count = test(prim, tile, blocks, tested, common);
        jit_function_ran(shader->test, tested * RASTER_ZS_BLOCK_COST);
    }
    for (uint32_t i = 0; shader->query && i < *count; i++)
        raster_query_add((enum raster_query)shader->query, blocks[i].mask, &work->passed);
    if (!shader->colors)
        *count = 0;
    return 0;
}

/* What is counted are blocks, whichever way they are shaded. */
void raster_shader_color(const struct raster_shader *shader, struct raster_tile *tile, const uint8_t *planes,
                         const struct raster_deferred_block *blocks, uint32_t count,
                         struct raster_shader_work *work)
{
    struct raster_deferred_quads fours[RASTER_DEFERRED_BATCH];
    struct jit_function *code =
        shader->quads && raster_deferred_is_sparse(blocks, count) ? quads_code(shader) : NULL;
    if (code) {
        uint32_t packed = raster_deferred_pack(tile, blocks, count, fours);
        uint64_t executed = 0;
        run_deferred(shader, code, planes, tile, fours, packed, &executed);
        work->executed += executed / packed * count;
    } else {
        run_deferred(shader, shader->deferred, planes, tile, blocks, count, &work->executed);
    }
}

/* Tests, then colours, of one primitive. */
static uint32_t shade_opaque(const struct raster_shader *shader, const struct raster_prim *prim,
                             struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                             struct raster_shader_work *work)
{
    alignas(16) uint8_t planes[sizeof(struct raster_planes) + RASTER_MAX_VARYINGS * 4 * sizeof(float)];
    struct raster_deferred_block left[RASTER_BLOCKS_MAX];
    struct raster_block tested[RASTER_BLOCKS_MAX];
    uint16_t common;
    memcpy(tested, blocks, count * sizeof *blocks);
    uint32_t code = raster_shader_test(shader, prim, tile, tested, &count, &common, work);
    if (code || !count)
        return code;
    raster_planes_copy(prim, shader->varyings, (struct raster_planes *)planes);
    for (uint32_t i = 0; i < count; i++)
        left[i] = (struct raster_deferred_block){tested[i].x, tested[i].y, tested[i].mask, 0};
    raster_shader_color(shader, tile, planes, left, count, work);
    return 0;
}

/* ---- in order ---- */

uint32_t raster_shader_shade(const struct raster_shader *shader, const struct raster_prim *prim,
                             struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                             struct raster_shader_work *work)
{
    struct jit_function *function = shader->in_order;
    if (!function && shader->opaque)
        return shade_opaque(shader, prim, tile, blocks, count, work);
    if (!raster_shader_pay(shader, count, work))
        return RASTER_SHADER_UNPAID;
    if (!function)
        return shader->family->shade(shader, prim, tile, blocks, count, work);
    raster_shader_fn run = (raster_shader_fn)jit_function_code(function);
    struct raster_shader_call call = {.fuel = work->fuel};
    uint32_t code = run(shader->args, prim, tile, blocks, count, &call);
    jit_function_ran(function, call.executed);
    work->executed += call.executed;
    work->passed += call.passed;
    if (shader->counted)
        work->fuel = call.fuel;
    if (code)
        shader->family->report(shader, code, call.address, work->fault);
    return code;
}
