/* The reference path of fragment shading: interpreter and scalar raster, one block and one lane after the
 * other, in the order that frag_internal.h gives. */
#include <math.h>
#include <string.h>

#include "gpu/utgard/frag_ref_internal.h"
#include "raster/depth.h"
#include "util/bits.h"
#include "util/half.h"

/* The primitive's varying n, with perspective. */
static float varying(const struct utgard_ref_batch *batch, unsigned lane, unsigned n)
{
    float value = raster_vary_at(batch->prim, batch->px, batch->py, lane, n) * batch->w[lane];

    return value + batch->prim->vary_c[n];
}

static float clamp(float x, float top)
{
    x = x > 0.0f ? x : 0.0f;
    return x < top ? x : top;
}

/* ---- ports ---- */

static bool port_varying(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                         uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    int64_t size = offset ? batch->frag->state.slot_count * 4 : UTGARD_COMPONENTS;

    for (unsigned lane = 0; lane < 16; lane++) {
        int64_t at = (int64_t)first + (offset ? offset[lane] : 0);
        bool inside = at >= 0 && at + count <= size;

        if (!inside && lanes >> lane & 1) {
            *bad = lane;
            return false;
        }
        for (uint32_t n = 0; n < count; n++) {
            uint8_t v = inside ? batch->frag->head.vary[at + n] : UTGARD_NO_VARYING;

            out[n][lane] = v == UTGARD_NO_VARYING ? 0 : util_f2u(varying(batch, lane, v));
        }
    }
    return true;
}

static void port_fragcoord(void *ctx, uint32_t out[4][16])
{
    const struct utgard_ref_batch *batch = ctx;

    for (unsigned lane = 0; lane < 16; lane++) {
        out[0][lane] = util_f2u((float)(batch->px + (int32_t)raster_lane_x(lane)) + 0.5f);
        float y = (float)(batch->py + (int32_t)raster_lane_y(lane)) + 0.5f;

        y = y * batch->frag->args.y_scale;
        out[1][lane] = util_f2u(y + batch->frag->args.y_offset);
        out[2][lane] = util_f2u(raster_depth_z_at(batch->prim, batch->px, batch->py, lane));
        out[3][lane] = util_f2u(batch->w[lane]);
    }
}

static void port_pointcoord(void *ctx, uint32_t out[2][16])
{
    const struct utgard_ref_batch *batch = ctx;

    for (unsigned c = 0; c < 2; c++)
        for (unsigned lane = 0; lane < 16; lane++)
            out[c][lane] = batch->frag->head.points ? util_f2u(varying(batch, lane, c)) : 0;
}

static void port_frontface(void *ctx, uint32_t out[16])
{
    const struct utgard_ref_batch *batch = ctx;

    for (unsigned lane = 0; lane < 16; lane++)
        out[lane] = util_f2u(batch->prim->reverse ? 0.0f : 1.0f);
}

/* Each texture that lanes choose is sampled by all sixteen, whose neighbours derivatives need. */
static bool port_sample(void *ctx, uint32_t n, const int32_t *offset, const uint32_t coordinates[4][16],
                        const uint32_t lod[16], uint16_t lanes, uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    uint32_t choice[16], taken = UINT32_MAX;
    float c[3][16], level[16], channel[4][16] = {{0}};

    memcpy(c, coordinates, sizeof c);
    if (lod)
        memcpy(level, lod, sizeof level);
    for (unsigned lane = 0; lane < 16; lane++) {
        choice[lane] = utgard_frag_choice(batch->frag, n, offset ? offset[lane] : 0);
        if (choice[lane] == UINT32_MAX && lanes >> lane & 1) {
            *bad = lane;
            return false;
        }
    }
    memset(out, 0, sizeof channel);
    for (unsigned lane = 0; lane < 16; lane++) {
        if (choice[lane] == UINT32_MAX)
            continue;
        if (choice[lane] != taken)
            utgard_texture_sample(&batch->frag->keys[choice[lane]], &batch->frag->textures[choice[lane]], c,
                                  lod ? level : NULL, channel);
        taken = choice[lane];
        for (unsigned k = 0; k < 4; k++)
            out[k][lane] = util_f2u(channel[k][lane]);
    }
    return true;
}

static bool port_uniform(void *ctx, uint32_t first, const int32_t *offset, uint32_t count, uint16_t lanes,
                         uint32_t out[4][16], uint32_t *bad)
{
    const struct utgard_ref_batch *batch = ctx;
    int64_t size = batch->frag->head.uniform_count;

    for (unsigned lane = 0; lane < 16; lane++) {
        int64_t at = (int64_t)first + (offset ? offset[lane] : 0);
        bool inside = at >= 0 && at + count <= size;

        if (!inside && !offset && lanes >> lane & 1) {
            *bad = lane;
            return false;
        }
        for (uint32_t n = 0; n < count; n++)
            out[n][lane] = inside ? util_f2u(batch->frag->uniforms[at + n]) : 0;
    }
    return true;
}

/* Of several samples the first's. */
static void port_color(void *ctx, uint32_t out[4][16])
{
    const struct utgard_ref_batch *batch = ctx;

    for (unsigned c = 0; c < 4; c++)
        for (unsigned lane = 0; lane < 16; lane++)
            out[c][lane] = util_f2u(
                batch->frag->head.target == RASTER_TARGET_RGBA16F
                    ? util_half_to_float(util_half_flushed(*raster_stages_half(&batch->block, lane, c)))
                    : (float)(batch->block.tile->color[batch->block.index + lane] >> 8 * c & 255) / 255.0f);
}

static void port_depth(void *ctx, uint32_t out[16])
{
    const struct utgard_ref_batch *batch = ctx;

    for (unsigned lane = 0; lane < 16; lane++)
        out[lane] =
            util_f2u((float)(batch->block.tile->zs[batch->block.index + lane] >> 8) / UTGARD_DEPTH_MAX);
}

/* ---- after the program ---- */

/* A register's components; 0 of UTGARD_NO_COLOR. */
static void read_color(const struct utgard_pp_state *state, uint8_t reg, unsigned lane, float out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = reg == UTGARD_NO_COLOR ? 0.0f : util_u2f(state->reg[reg][c][lane]);
}

uint32_t utgard_ref_color(const struct utgard_pp_state *state, uint8_t reg, unsigned lane)
{
    float color[4];

    read_color(state, reg, lane, color);
    return raster_stages_word(color);
}

/* The stencil that the program gives. */
static uint32_t stencil_of(const struct utgard_frag_head *head, const struct utgard_pp_state *state,
                           unsigned lane)
{
    if (head->whole)
        return utgard_ref_color(state, head->depth_register, lane) >> 24;
    return (uint32_t)clamp(util_u2f(state->reg[head->depth_register][1][lane]), 255.0f);
}

static void test_samples(struct utgard_ref_batch *batch, const struct utgard_pp_state *state)
{
    const struct utgard_frag_head *head = &batch->frag->head;
    bool given = state && head->stencil_program;
    uint8_t stencil[16];

    for (unsigned lane = 0; given && lane < 16; lane++)
        stencil[lane] = (uint8_t)stencil_of(head, state, lane);
    raster_stages_test(&batch->stages, &batch->block, given ? stencil : NULL);
}

/* Tests the samples that are live; those that fail no longer are. `state` is the program's end, for its
 * stencil, or NULL. */
static void test(struct utgard_ref_batch *batch, const struct utgard_pp_state *state)
{
    if (batch->looking)
        utgard_ref_look_at_test(batch, state, test_samples);
    else
        test_samples(batch, state);
}

static void take_depth(struct utgard_ref_batch *batch, const struct utgard_pp_state *state)
{
    const struct utgard_frag_head *head = &batch->frag->head;

    for (unsigned lane = 0; head->depth_program && lane < 16; lane++) {
        float z = util_u2f(state->reg[head->depth_register][0][lane]);

        batch->block.depth[lane] =
            head->whole ? utgard_ref_color(state, head->depth_register, lane) & 0xffffff : raster_depth_of(z);
    }
}

uint64_t utgard_ref_halves(const struct utgard_pp_state *state, const struct utgard_frag_head *head,
                           unsigned lane)
{
    float source[4];
    uint64_t color = 0;

    read_color(state, head->color_register, lane, source);
    if (head->alpha_to_one)
        source[3] = 1.0f;
    for (unsigned c = 0; c < 4; c++)
        color |= (uint64_t)util_float_to_half(source[c]) << 16 * c;
    return color;
}

static void blend(const struct utgard_ref_batch *batch, const struct utgard_pp_state *state, unsigned sample,
                  unsigned lane, uint32_t word)
{
    const struct utgard_frag_head *head = &batch->frag->head;
    float color[4], second[4];

    read_color(state, head->second_register, lane, second);
    if (head->target == RASTER_TARGET_RGBA16F) {
        read_color(state, head->color_register, lane, color);
        raster_stages_blend_halves(&batch->stages, &batch->block, lane, color, second);
    } else {
        raster_stages_blend(&batch->stages, &batch->block, sample, lane, word, raster_stages_word(second));
    }
}

/* Steps 4 to 6. */
static void finish(struct utgard_ref_batch *batch, const struct utgard_pp_state *state)
{
    const struct utgard_frag *frag = batch->frag;
    const struct utgard_frag_head *head = &frag->head;
    uint32_t word[RASTER_MAX_SAMPLES][16];
    uint16_t left[RASTER_MAX_SAMPLES]; /* to alpha to coverage */
    uint16_t passed = 0;               /* the alpha test, some sample */

    for (unsigned k = 0; k < head->samples; k++) {
        for (unsigned lane = 0; lane < 16; lane++)
            word[k][lane] = utgard_ref_color(state, frag->state.color_register[k], lane);
        left[k] = raster_stages_alpha_left(&batch->stages, k, word[k]);
        passed |= raster_stages_alpha(&batch->stages, &batch->block, k, state->live, word[k]);
    }
    take_depth(batch, state);
    if (!head->early)
        test(batch, state);
    for (unsigned k = 0; k < head->samples; k++)
        for (unsigned lane = 0; lane < 16; lane++)
            if (batch->block.live[k] >> lane & 1)
                blend(batch, state, k, lane, word[k][lane]);
    if (batch->looking)
        utgard_ref_look_at_colors(batch, state, word[0], passed, left);
}

static bool any_live(const struct utgard_ref_batch *batch)
{
    const uint16_t *live = batch->block.live;

    return live[0] | live[1] | live[2] | live[3];
}

static struct raster_stages stages_of(const struct utgard_frag *frag)
{
    return (struct raster_stages){.zs = &frag->head.zs,
                                  .blend = &frag->head.blend,
                                  .constant = frag->args.blend_color,
                                  .samples = frag->head.samples,
                                  .alpha_func = frag->head.alpha_func,
                                  .alpha_ref = (uint8_t)frag->args.alpha_ref,
                                  .alpha_to_coverage = frag->head.alpha_to_coverage,
                                  .alpha_to_one = frag->head.alpha_to_one,
                                  .stencil_mask = frag->head.stencil_mask};
}

const struct utgard_pp_ports utgard_ref_ports = {.varying = port_varying,
                                                 .fragcoord = port_fragcoord,
                                                 .pointcoord = port_pointcoord,
                                                 .frontface = port_frontface,
                                                 .sample = port_sample,
                                                 .uniform = port_uniform,
                                                 .color = port_color,
                                                 .depth = port_depth};

static uint32_t run(struct utgard_ref_batch *batch)
{
    const struct utgard_frag *frag = batch->frag;
    struct utgard_pp_ports ports = utgard_ref_ports;
    struct utgard_pp_state state;
    struct utgard_pp_report said = {0};

    ports.ctx = batch;
    ports.numeric = (enum isa_numeric)frag->head.numeric;
    if (batch->looking)
        utgard_ref_look_at_program(batch, &ports, &state, &said);
    else
        utgard_pp_run(frag->program, &ports, 0xffff, frag->args.fuel, &state, &said, NULL, NULL);
    batch->executed += said.executed;
    if (said.fault)
        return isa_fault_pack(said.fault, said.lane, said.at);
    finish(batch, &state);
    return 0;
}

static uint32_t shade_block(struct utgard_ref_batch *batch, const struct raster_block *block)
{
    const struct utgard_frag *frag = batch->frag;
    uint32_t code;

    batch->px = batch->block.tile->x + block->x * 4;
    batch->py = batch->block.tile->y + block->y * 4;
    batch->block.index = raster_block_index(batch->block.tile, block->x * 4u, block->y * 4u, 0);
    for (unsigned k = 0; k < 4; k++)
        batch->block.live[k] =
            k < frag->head.samples && frag->head.sample_mask >> k & 1 ? block->sample[k] : 0;
    for (unsigned lane = 0; lane < 16; lane++) {
        batch->block.depth[lane] = raster_depth_at(batch->prim, batch->px, batch->py, lane);
        batch->w[lane] = raster_w_at(batch->prim, batch->px, batch->py, lane);
    }
    if (batch->watch)
        utgard_ref_look(batch, block);
    if (frag->head.early)
        test(batch, NULL);
    code = any_live(batch) ? run(batch) : 0;
    if (batch->looking)
        utgard_ref_look_away(batch, code);
    return code;
}

uint32_t utgard_frag_ref_watched(const struct utgard_frag *frag, const struct gpu_watch *watch,
                                 const struct raster_prim *prim, struct raster_tile *tile,
                                 const struct raster_block *blocks, uint32_t count, uint64_t *executed)
{
    struct utgard_ref_batch batch = {.frag = frag,
                                     .prim = prim,
                                     .stages = stages_of(frag),
                                     .block = {.tile = tile, .reverse = prim->reverse},
                                     .watch = watch};
    uint32_t code = 0;

    for (uint32_t n = 0; n < count && !code; n++)
        code = shade_block(&batch, &blocks[n]);
    *executed += batch.executed;
    return code;
}

uint32_t utgard_frag_ref(const struct utgard_frag *frag, const struct raster_prim *prim,
                         struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                         uint64_t *executed)
{
    return utgard_frag_ref_watched(frag, NULL, prim, tile, blocks, count, executed);
}
