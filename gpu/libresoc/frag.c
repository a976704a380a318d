#include "gpu/libresoc/frag_internal.h"

#include <string.h>

#include "raster/depth.h"
#include "util/bits.h"

/* ---- a tile's tables ---- */

/* x, y, depth and 1/w of a pixel's centre, then the varyings there. */
static void fill_lane(const struct libresoc_tile *t, unsigned n, unsigned lane)
{
    const int32_t px = t->of->x + (int32_t)(t->x + n % 2 * 4), py = t->of->y + (int32_t)(t->y + n / 2 * 4);
    const unsigned bit = libresoc_bit(n, lane);
    const float w = raster_w_at(t->prim, px, py, lane);
    libresoc_stream *in = t->local->in;
    in[0][bit] = util_f2u((float)(px + (int32_t)raster_lane_x(lane)) + 0.5f);
    in[1][bit] = util_f2u((float)(py + (int32_t)raster_lane_y(lane)) + 0.5f);
    in[2][bit] = util_f2u(raster_depth_z_at(t->prim, px, py, lane));
    in[3][bit] = util_f2u(raster_plane_at(t->prim, px, py, lane, t->prim->inv_w_a, t->prim->inv_w_b) +
                          t->prim->inv_w_c);
    for (uint32_t k = 0; k < t->frag->varyings; k++) {
        const float vary = raster_vary_at(t->prim, px, py, lane, k) * w;
        in[4 + k][bit] = util_f2u(vary + t->prim->vary_c[k]);
    }
}

static void fill(const struct libresoc_tile *t)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        for (unsigned lane = 0; lane < 16; lane++)
            fill_lane(t, n, lane);
}

/* The tile's colours as programs see them, and those of `mask` back. */
static void load_colors(const struct libresoc_tile *t, uint32_t *rows)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        for (unsigned lane = 0; lane < 16; lane++)
            rows[libresoc_bit(n, lane)] = t->of->color[t->block[n].index + lane];
}

static void store_colors(const struct libresoc_tile *t, const uint32_t *rows, uint64_t mask)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        for (unsigned lane = 0; lane < 16; lane++)
            if (mask >> libresoc_bit(n, lane) & 1)
                t->of->color[t->block[n].index + lane] = rows[libresoc_bit(n, lane)];
}

static uint64_t mask_of(const struct libresoc_tile *t)
{
    uint64_t mask = 0;
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        for (unsigned lane = 0; lane < 16; lane++)
            mask |= (uint64_t)(t->block[n].live[0] >> lane & 1) << libresoc_bit(n, lane);
    return mask;
}

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
                                 .fuel = t->work->fuel,
                                 .trace = t->looking ? libresoc_looking_trace(t->looking, stage) : NULL,
                                 .trace_data = t->looking};
    if (gpu_host_cancelled(t->frag->host)) {
        gpu_fault_set(t->work->fault, GPU_FAULT_TIMEOUT, libresoc_stage_name(stage->kind), stage->entry,
                      "cancelled");
        return false;
    }
    const bool done = libresoc_stage_run(stage, &it, t->work->fault);
    t->work->executed += it.executed;
    t->work->fuel -= UTIL_MIN(it.executed, t->work->fuel);
    *mask &= it.left;
    return done;
}

/* Programs: *mask loses what they kill. */
static bool color(struct libresoc_tile *t, uint64_t *mask)
{
    const struct libresoc_frag *frag = t->frag;
    struct libresoc_local *local = t->local;
    load_colors(t, local->out[0]);
    fill(t);
    if (!launch(t, &frag->fragment, (4 + frag->varyings) * (uint32_t)sizeof(libresoc_stream), mask))
        return false;
    if (t->looking)
        libresoc_looking_source(t->looking, local->out[0], *mask);
    if (frag->has_blend && *mask) {
        memcpy(local->in[0], local->out[0], sizeof local->in[0]);
        load_colors(t, local->out[0]);
        if (!launch(t, &frag->blend, sizeof local->in[0], mask))
            return false;
    }
    store_colors(t, local->out[0], *mask);
    return true;
}

static void test(struct libresoc_tile *t, const struct raster_zs *zs)
{
    const struct raster_stages stages = {.zs = zs, .samples = 1};
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        raster_stages_test(&stages, &t->block[n], NULL);
}

static void begin(struct libresoc_tile *t)
{
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++) {
        const uint32_t x = t->x + n % 2 * 4, y = t->y + n / 2 * 4;
        struct raster_stages_block *block = &t->block[n];
        *block = (struct raster_stages_block){.tile = t->of,
                                              .index = raster_block_index(t->of, x, y, 0),
                                              .reverse = t->prim->reverse,
                                              .live = {t->covered[n]}};
        for (unsigned lane = 0; lane < 16; lane++)
            block->depth[lane] = raster_depth_at(t->prim, t->of->x + (int32_t)x, t->of->y + (int32_t)y, lane);
    }
}

/* Depth is tested before the program; where that may kill, written behind it, of the pixels that it leaves. */
bool libresoc_tile_shade(struct libresoc_tile *t)
{
    begin(t);
    test(t, &t->frag->early);
    uint64_t mask = mask_of(t);
    if (!mask || !t->frag->has_fragment)
        return true;
    if (!color(t, &mask))
        return false;
    if (!t->frag->kills)
        return true;
    for (unsigned n = 0; n < LIBRESOC_QUAD; n++)
        for (unsigned lane = 0; lane < 16; lane++)
            if (!(mask >> libresoc_bit(n, lane) & 1))
                t->block[n].live[0] &= (uint16_t)~(1u << lane);
    test(t, &t->frag->zs);
    return true;
}

/* ---- the shader ---- */

#define GROUPS (64u / LIBRESOC_TILE) /* a side of the largest tile buffer */

uint32_t libresoc_frag_tiles(const struct libresoc_frag *frag, const struct gpu_watch *watch,
                             const struct raster_prim *prim, struct raster_tile *tile,
                             const struct raster_block *blocks, uint32_t count,
                             struct raster_shader_work *work)
{
    uint16_t covered[GROUPS * GROUPS][LIBRESOC_QUAD] = {{0}};
    uint64_t groups = 0;
    struct libresoc_local local;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t group = blocks[n].y / 2u * GROUPS + blocks[n].x / 2u;
        covered[group][blocks[n].y % 2 * 2 + blocks[n].x % 2] = blocks[n].mask;
        groups |= 1ull << group;
    }
    for (; groups; groups &= groups - 1) {
        const uint32_t group = (uint32_t)__builtin_ctzll(groups);
        struct libresoc_tile t = {.frag = frag,
                                  .prim = prim,
                                  .of = tile,
                                  .work = work,
                                  .local = &local,
                                  .x = group % GROUPS * LIBRESOC_TILE,
                                  .y = group / GROUPS * LIBRESOC_TILE};
        memcpy(t.covered, covered[group], sizeof t.covered);
        if (watch ? !libresoc_tile_shade_watched(&t, watch) : !libresoc_tile_shade(&t))
            return 1;
    }
    return 0;
}

static uint32_t shade(const struct raster_shader *shader, const struct raster_prim *prim,
                      struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                      struct raster_shader_work *work)
{
    return libresoc_frag_tiles((const struct libresoc_frag *)shader, NULL, prim, tile, blocks, count, work);
}

/* Programs are paid for as they run: blocks cost nothing, so none is unpaid. */
static void report(const struct raster_shader *shader, uint32_t code, uint64_t address, void *fault)
{
    const struct libresoc_frag *frag = (const struct libresoc_frag *)shader;
    gpu_fault_set(fault, GPU_FAULT_TIMEOUT, libresoc_stage_name(LIBRESOC_FRAGMENT), frag->fragment.entry,
                  "programs run longer than the tile's share of the job's fuel allows");
}

static const struct raster_shader_family family = {.shade = shade, .report = report};

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
    out->zs = (struct raster_zs){.depth_write = draw->depth_write, .depth_func = (uint8_t)draw->depth_func};
    out->early = out->zs;
    out->early.depth_write &= !out->kills;
    out->varyings = draw->varying_count;
    out->columns = util_div_up(width, LIBRESOC_TILE);
    out->host = host;
    out->fragment = out->blend = *base;
    out->fragment.kind = LIBRESOC_FRAGMENT;
    out->blend.kind = LIBRESOC_BLEND;
    return (!out->has_fragment || libresoc_stage_take(programs, engine, fragment, &out->fragment, fault)) &&
           (!out->has_blend || libresoc_stage_take(programs, engine, blend, &out->blend, fault));
}
