/* Blocks that somebody looks at: the reference path's ports, each followed by what it did (frag_watch.h). */
#include "gpu/vc4/frag_watch.h"

#include <string.h>

#include "gpu/vc4/frag_ref_internal.h"

#define LANES VC4_QPU_LANES

static void tell(const struct vc4_ref_batch *batch, const struct vc4_watched_port *port)
{
    for (uint32_t i = 0; i < batch->looking->count; i++)
        vc4_follow_port(gpu_following_at(batch->looking, i), port, batch->tile->samples);
}

static void on_insn(void *data, uint32_t pc, const struct vc4_qpu_insn *insn,
                    const struct vc4_qpu_state *state)
{
    const struct gpu_following *looking = data;

    gpu_following_step(looking, pc);
    for (uint32_t i = 0; i < looking->count; i++)
        vc4_follow_insn(gpu_following_at(looking, i), pc, insn, state);
}

static enum vc4_qpu_fault watched_uniform(void *ctx, uint32_t address, uint32_t *value,
                                          struct vc4_qpu_report *report)
{
    enum vc4_qpu_fault fault = vc4_ref_ports.uniform(ctx, address, value, report);

    if (!fault)
        tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_UNIFORM, .uniform = {address, *value}});
    return fault;
}

static enum vc4_qpu_fault watched_varying(void *ctx, uint32_t n, uint32_t vary[LANES], uint32_t c[LANES],
                                          struct vc4_qpu_report *report)
{
    enum vc4_qpu_fault fault = vc4_ref_ports.varying(ctx, n, vary, c, report);

    if (!fault)
        tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_VARYING, .varying = {n, vary, c}});
    return fault;
}

static void watched_coordinates(void *ctx, uint32_t x[LANES], uint32_t y[LANES])
{
    vc4_ref_ports.coordinates(ctx, x, y);
    tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_COORDINATES, .pair = {x, y}});
}

static void watched_flags(void *ctx, uint32_t ms_mask[LANES], uint32_t rev_flag[LANES])
{
    vc4_ref_ports.flags(ctx, ms_mask, rev_flag);
    tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_FLAGS, .pair = {ms_mask, rev_flag}});
}

static enum vc4_qpu_fault watched_ms_mask(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                          struct vc4_qpu_report *report)
{
    enum vc4_qpu_fault fault = vc4_ref_ports.set_ms_mask(ctx, value, lanes, report);

    tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_MS_MASK, .lanes = lanes, .value = value});
    return fault;
}

static enum vc4_qpu_fault watched_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                          const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                          unsigned param_count, struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    uint32_t slot = batch->tmu[unit].count;
    enum vc4_qpu_fault fault = vc4_ref_ports.tmu_request(ctx, unit, s, t, r, b, params, param_count, report);
    struct raster_texture_key key;
    struct raster_texture texture;
    struct gpu_fault ignored;

    if (fault)
        return fault;
    bool raw = !param_count ||
               !vc4_texture_decode(batch->ref->memory, params, param_count, r, b, &key, &texture, &ignored);
    tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_REQUEST,
                                         .request = {.unit = unit,
                                                     .param_count = param_count,
                                                     .s = s,
                                                     .t = t,
                                                     .r = r,
                                                     .b = b,
                                                     .params = params,
                                                     .key = raw ? NULL : &key,
                                                     .texture = raw ? NULL : &texture,
                                                     .result = batch->tmu[unit].result[slot]}});
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault watched_load(void *ctx, unsigned unit, uint32_t out[LANES],
                                       struct vc4_qpu_report *report)
{
    enum vc4_qpu_fault fault = vc4_ref_ports.tmu_load(ctx, unit, out, report);

    if (!fault)
        tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_RESULT, .result = {unit, out}});
    return fault;
}

static enum vc4_qpu_fault watched_stencil(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                          struct vc4_qpu_report *report)
{
    enum vc4_qpu_fault fault = vc4_ref_ports.tlb_stencil(ctx, value, lanes, report);

    tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_STENCIL, .lanes = lanes, .value = value});
    return fault;
}

static enum vc4_qpu_fault watched_z(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                    struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    uint32_t before[RASTER_MAX_SAMPLES * LANES];
    uint16_t live[RASTER_MAX_SAMPLES];

    memcpy(before, batch->zs, batch->tile->samples * LANES * sizeof *before);
    memcpy(live, batch->live, sizeof live);
    enum vc4_qpu_fault fault = vc4_ref_ports.tlb_z(ctx, value, lanes, report);
    tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_DEPTH,
                                         .lanes = lanes,
                                         .depth = {.value = value,
                                                   .before = before,
                                                   .after = batch->zs,
                                                   .live_before = live,
                                                   .live_after = batch->live,
                                                   .test = &batch->test}});
    return fault;
}

static enum vc4_qpu_fault watched_color_write(void *ctx, bool all, const uint32_t value[LANES],
                                              uint16_t lanes, struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    unsigned sample = batch->color_writes % batch->tile->samples;
    enum vc4_qpu_fault fault = vc4_ref_ports.color_write(ctx, all, value, lanes, report);

    tell(ctx, &(struct vc4_watched_port){
                  .kind = VC4_WATCHED_COLOR_WRITE,
                  .lanes = lanes,
                  .color = {.all = all, .sample = sample, .value = value, .live = batch->live}});
    return fault;
}

static enum vc4_qpu_fault watched_color_load(void *ctx, uint32_t out[LANES], struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    unsigned sample = batch->color_loads % batch->tile->samples;
    enum vc4_qpu_fault fault = vc4_ref_ports.color_load(ctx, out, report);

    tell(ctx, &(struct vc4_watched_port){.kind = VC4_WATCHED_COLOR_LOAD,
                                         .color = {.sample = sample, .value = out, .live = batch->live}});
    return fault;
}

bool vc4_ref_watched(struct vc4_ref_batch *batch, const struct raster_block *block,
                     const struct vc4_qpu_start *start, bool counts, struct vc4_qpu_report *report)
{
    const struct vc4_qpu_ports ports = {
        .ctx = batch,
        .uniform = watched_uniform,
        .varying = watched_varying,
        .coordinates = watched_coordinates,
        .flags = watched_flags,
        .set_ms_mask = watched_ms_mask,
        .tmu_request = watched_request,
        .tmu_load = watched_load,
        .tlb_stencil = watched_stencil,
        .tlb_z = watched_z,
        .color_write = watched_color_write,
        .color_load = watched_color_load,
        .coverage_load = vc4_ref_ports.coverage_load,
        .alpha_mask = vc4_ref_ports.alpha_mask,
        .alpha_mask_load = vc4_ref_ports.alpha_mask_load,
    };
    const struct gpu_watched_block it = {.block = block, .tile = batch->tile, .counts = counts};
    struct gpu_following looking;
    struct vc4_qpu_state state;

    if (!batch->watch || !gpu_following_begin(&looking, batch->watch, &it, sizeof(struct vc4_follower)))
        return false;
    for (uint32_t i = 0; i < looking.count; i++) {
        struct gpu_lane *lane = ((struct vc4_follower *)gpu_following_at(&looking, i))->of.lane;

        lane->w = start->ra15[lane->number];
        lane->z = start->rb15[lane->number] & 0xffffff;
    }
    batch->looking = &looking;
    vc4_qpu_interp(batch->ref->program, start, &ports, &state, on_insn, &looking, report);
    for (uint32_t i = 0; i < looking.count; i++)
        vc4_follow_end(gpu_following_at(&looking, i), &state, report);
    gpu_following_end(&looking, report->executed);
    batch->looking = NULL;
    return true;
}
