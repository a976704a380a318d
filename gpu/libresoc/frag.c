#include "gpu/libresoc/frag_internal.h"

#include <string.h>

#include "util/bits.h"

/* ---- stages ---- */

static bool launch(struct libresoc_tile *t, const struct libresoc_stage *stage, uint32_t in_bytes,
                   uint64_t *mask)
{
    const uint32_t x = (uint32_t)t->of->x + t->x, y = (uint32_t)t->of->y + t->y;
    struct libresoc_launch it = {.local = t->local,
                                 .in_bytes = in_bytes,
                                 .out_bytes = LIBRESOC_LANES * 4,
                                 .number = y / LIBRESOC_TILE * t->frag->columns + x / LIBRESOC_TILE,
                                 .lanes = LIBRESOC_LANES,
                                 .mask = *mask,
                                 .place = (uint64_t)y << 32 | x,
                                 .flags = t->prim->reverse,
                                 .fuel = t->work->fuel};
    if (t->looking)
        libresoc_looking_launch(t->looking, stage, &it);
    if (gpu_host_cancelled(t->frag->host)) {
        gpu_fault_set(t->work->fault, GPU_FAULT_TIMEOUT, libresoc_stage_name(stage->kind), stage->entry,
                      "cancelled");
        return false;
    }
    const bool done = libresoc_stage_run(stage, &it, t->work->fault);
    t->work->executed += it.executed;
    t->work->fuel -= UTIL_MIN(it.burnt, t->work->fuel);
    *mask &= it.left;
    return done;
}

/* Programs: *mask loses what they kill. */
static bool color(struct libresoc_tile *t, uint64_t *mask)
{
    const struct libresoc_frag *frag = t->frag;
    struct libresoc_local *local = t->local;
    libresoc_table_load(t->of, t->x, t->y, local->out[0]);
    libresoc_table_fill(frag->level, t->prim, t->of->x + (int32_t)t->x, t->of->y + (int32_t)t->y,
                        frag->varyings, local->in);
    if (!launch(t, &frag->fragment, (4 + frag->varyings) * (uint32_t)sizeof(libresoc_stream), mask))
        return false;
    if (t->looking)
        libresoc_looking_source(t->looking, local->out[0], *mask);
    if (frag->has_blend && *mask) {
        memcpy(local->in[0], local->out[0], sizeof local->in[0]);
        libresoc_table_load(t->of, t->x, t->y, local->out[0]);
        if (!launch(t, &frag->blend, sizeof local->in[0], mask))
            return false;
    }
    libresoc_table_store(t->of, t->x, t->y, local->out[0], *mask);
    return true;
}

/* ---- depth ---- */

static uint32_t test(const struct libresoc_frag_test *it, const struct raster_prim *prim,
                     struct raster_tile *tile, struct raster_block *blocks, uint32_t count)
{
    uint16_t common;
    if (raster_zs_is_idle(&it->zs))
        return count;
    if (!it->code)
        return raster_zs_blocks_ref(&it->zs, RASTER_DEPTH_UNORM24, prim, tile, blocks, count, &common);
    const raster_zs_blocks_fn code = (raster_zs_blocks_fn)jit_function_code(it->code);
    jit_function_ran(it->code, (uint64_t)count * RASTER_ZS_BLOCK_COST);
    return code(prim, tile, blocks, count, &common);
}

uint32_t libresoc_tile_blocks(const struct libresoc_tile *t, const uint16_t lanes[LIBRESOC_QUAD],
                              struct raster_block out[LIBRESOC_QUAD])
{
    uint32_t count = 0;
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        if (lanes[n])
            out[count++] = (struct raster_block){.x = (uint8_t)(t->x / 4 + n % 2),
                                                 .y = (uint8_t)(t->y / 4 + n / 2),
                                                 .mask = lanes[n],
                                                 .sample = {lanes[n]}};
    return count;
}

/* Of draws that kill: what programs have left is tested and written. */
static void test_late(struct libresoc_tile *t, uint64_t mask)
{
    struct raster_block blocks[LIBRESOC_QUAD];
    uint16_t lanes[LIBRESOC_QUAD];
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        lanes[n] = libresoc_table_lanes(mask, n);
    test(&t->frag->late, t->prim, t->of, blocks, libresoc_tile_blocks(t, lanes, blocks));
}

bool libresoc_tile_shade(struct libresoc_tile *t)
{
    uint64_t mask = libresoc_table_mask(t->live);
    if (!color(t, &mask))
        return false;
    if (t->frag->kills)
        test_late(t, mask);
    return true;
}

uint32_t libresoc_frag_test(const struct libresoc_frag *frag, const struct raster_prim *prim,
                            struct raster_tile *tile, struct raster_block *blocks, uint32_t count)
{
    return test(&frag->early, prim, tile, blocks, count);
}

/* ---- tiles ---- */

uint64_t libresoc_frag_group(const struct raster_block *blocks, uint32_t count,
                             uint16_t lanes[LIBRESOC_GROUPS * LIBRESOC_GROUPS][LIBRESOC_QUAD])
{
    uint64_t groups = 0;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t group = blocks[n].y / 2u * LIBRESOC_GROUPS + blocks[n].x / 2u;
        if (!(groups >> group & 1))
            memset(lanes[group], 0, sizeof lanes[group]);
        lanes[group][blocks[n].y % 2 * 2 + blocks[n].x % 2] = blocks[n].mask;
        groups |= 1ull << group;
    }
    return groups;
}

static uint32_t shade(const struct raster_shader *shader, const struct raster_prim *prim,
                      struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                      struct raster_shader_work *work)
{
    const struct libresoc_frag *frag = (const struct libresoc_frag *)shader;
    uint16_t live[LIBRESOC_GROUPS * LIBRESOC_GROUPS][LIBRESOC_QUAD];
    struct raster_block left[RASTER_BLOCKS_MAX];
    struct libresoc_local local;
    memcpy(left, blocks, count * sizeof *left);
    count = libresoc_frag_test(frag, prim, tile, left, count);
    uint64_t groups = frag->has_fragment ? libresoc_frag_group(left, count, live) : 0;
    for (; groups; groups &= groups - 1) {
        const uint32_t group = (uint32_t)__builtin_ctzll(groups);
        struct libresoc_tile t = {.frag = frag, .prim = prim, .of = tile, .work = work, .local = &local};
        libresoc_tile_place(&t, group);
        memcpy(t.live, live[group], sizeof t.live);
        if (!libresoc_tile_shade(&t))
            return 1;
    }
    return 0;
}

/* Programs are paid for as they run: blocks cost nothing, so none is unpaid. */
static void report(const struct raster_shader *shader, uint32_t code, uint64_t address, void *fault)
{
    const struct libresoc_frag *frag = (const struct libresoc_frag *)shader;
    gpu_fault_set(fault, GPU_FAULT_TIMEOUT, libresoc_stage_name(LIBRESOC_FRAGMENT), frag->fragment.entry,
                  "programs run longer than the tile's share of the job's fuel allows");
}

static const struct raster_shader_family family = {.shade = shade, .report = report};

/* What cannot be compiled is tested pixel by pixel. */
static void find_test(struct libresoc_frag_test *test, struct jit_engine *engine)
{
    if (raster_zs_blocks(engine, &test->zs, RASTER_DEPTH_UNORM24, &test->code, NULL))
        test->code = NULL;
}

bool libresoc_frag_init(struct libresoc_frag *out, const struct libresoc_draw_record *draw, uint32_t width,
                        const struct libresoc_stage *base, struct gpu_programs *programs,
                        struct jit_engine *engine, const struct gpu_host *host, struct gpu_fault *fault)
{
    const struct libresoc_program_record *fragment = &draw->stage[LIBRESOC_FRAGMENT],
                                         *blend = &draw->stage[LIBRESOC_BLEND];
    out->shader = (struct raster_shader){.family = &family, .varyings = draw->varying_count, .colors = true};
    out->has_fragment = fragment->address != 0;
    out->has_blend = out->has_fragment && blend->address;
    out->kills = draw->kills && out->has_fragment;
    out->late.zs =
        (struct raster_zs){.depth_write = draw->depth_write, .depth_func = (uint8_t)draw->depth_func};
    out->early = out->late;
    out->early.zs.depth_write &= !out->kills;
    if (engine && !raster_zs_is_idle(&out->early.zs))
        find_test(&out->early, engine);
    if (engine && out->kills)
        find_test(&out->late, engine);
    out->varyings = draw->varying_count;
    out->level = raster_cover_level();
    out->columns = util_div_up(width, LIBRESOC_TILE);
    out->host = host;
    out->fragment = out->blend = *base;
    out->fragment.kind = LIBRESOC_FRAGMENT;
    out->blend.kind = LIBRESOC_BLEND;
    return (!out->has_fragment || libresoc_stage_take(programs, engine, fragment, &out->fragment, fault)) &&
           (!out->has_blend || libresoc_stage_take(programs, engine, blend, &out->blend, fault));
}
