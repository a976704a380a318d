/* The reference path of fragment shading: interpreter and scalar raster, one block after the other, in the
 * order that frag_internal.h gives. */
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag_code.h"
#include "raster/depth.h"
#include "util/bits.h"

/* ---- programs ---- */

/* Lookups are added to a world when a program first asks for them; otherwise it stays as it is. */
static struct mali_world *world_of(const struct mali_frag *f)
{
    return (struct mali_world *)(uintptr_t)&f->world;
}

/* Lanes of all quads that have one of these. */
static uint16_t quads_of(uint16_t lanes)
{
    uint16_t any = lanes | lanes >> 1;
    any = (any | any >> 2) & 0x1111;
    return (uint16_t)(any * 15u);
}

static uint16_t any_live(const struct mali_frag_batch *b)
{
    uint16_t lanes = 0;
    for (unsigned s = 0; s < b->frag->tile->samples; s++)
        lanes |= b->live[s];
    return lanes;
}

bool mali_frag_run(struct mali_frag_batch *b, union mali_sixteen *state, struct mali_report *report)
{
    b->threads.stop = (struct mali_stop){0};
    mali_frag_watch_insns(b);
    bool good = mali_interpret(&b->threads, state, report);
    b->executed += report->executed;
    if (b->looking)
        mali_frag_look_at_end(b, state);
    return good;
}

static bool run(struct mali_frag_batch *b, struct mali_world *world, union mali_sixteen *state,
                struct mali_stop *stop)
{
    struct mali_report report;
    b->threads.world = world;
    b->state = state;
    return mali_frag_run(b, state, &report) || mali_world_fault(&b->threads, &report, stop);
}

/* What a program of isa/warp finds: it is told of the samples for which it runs. */
static void begin_warp(struct mali_frag_batch *b, const uint16_t *covered, union mali_sixteen *state)
{
    memcpy(b->covered, covered, sizeof b->covered);
    b->tested = 0;
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        b->alpha[lane] = 1.0f;
    mali_frag_warp_registers(b, state->warp.reg);
}

/* The program of the draw; *lanes: those that it leaves. */
static bool run_program(struct mali_frag_batch *b, const uint16_t *covered, uint16_t *lanes,
                        struct mali_stop *stop)
{
    struct mali_world *world = world_of(b->frag);
    uint16_t all = quads_of(*lanes);
    union mali_sixteen state;
    b->threads.world = world;
    mali_sixteen_begin(&b->threads, all, all & (uint16_t)~*lanes, false, &state);
    if (world->program->warp)
        begin_warp(b, covered, &state);
    memset(b->written, 0, sizeof b->written);
    memset(b->stencil, 0, sizeof b->stencil);
    if (!run(b, world, &state, stop))
        return false;
    if (b->looking)
        mali_frag_look_at_discards(b, *lanes & (uint16_t)~mali_sixteen_live(world, &state));
    *lanes &= mali_sixteen_live(world, &state);
    return true;
}

/* A target's blend shader: r0 has the colour, r2 the second one. */
static bool run_blend_shader(struct mali_frag_batch *b, uint32_t t, uint16_t lanes, struct mali_stop *stop)
{
    struct mali_world *world = b->frag->target[t].shader;
    union mali_sixteen state;
    b->threads.world = world;
    mali_sixteen_begin(&b->threads, lanes, 0, false, &state);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned c = 0; c < 4; c++) {
            state.midgard.reg[0][c][l] = b->color[t][l].src[c];
            state.midgard.reg[2][c][l] = b->color[t][l].src1[c];
        }
    b->blending = t + 1;
    bool done = run(b, world, &state, stop);
    b->blending = 0;
    return done;
}

/* ---- tests ---- */

static bool test_sample(const struct mali_frag_batch *b, const struct raster_zs *zs, uint32_t sample,
                        unsigned lane)
{
    uint32_t at = raster_block_index(b->tile, b->x, b->y, sample) + lane;
    bool reverse = b->prim->reverse;
    if (raster_depth_is_32((enum raster_depth_kind)b->frag->tile->depth))
        return raster_zs_test_32(zs, reverse, b->depth[lane], &b->tile->zs[at], &b->tile->stencil[at]);
    return raster_zs_test(zs, reverse, b->depth[lane], &b->tile->zs[at]);
}

/* Tests the samples that are live; those that fail no longer are. */
static void test(struct mali_frag_batch *b, bool program)
{
    struct raster_zs zs = b->frag->zs;
    for (unsigned s = 0; s < b->frag->tile->samples; s++)
        for (uint16_t lanes = b->live[s]; lanes; lanes &= (uint16_t)(lanes - 1)) {
            unsigned lane = (unsigned)__builtin_ctz(lanes);
            if (program && b->frag->stencil_given)
                zs.face[0].ref = zs.face[1].ref = b->stencil[lane];
            if (!test_sample(b, &zs, s, lane))
                b->live[s] &= (uint16_t)~(1u << lane);
        }
}

static void test_samples(struct mali_frag_batch *b, bool program)
{
    if (b->looking)
        mali_frag_look_at_test(b, program, test);
    else
        test(b, program);
}

void mali_frag_test_late(struct mali_frag_batch *b, uint16_t lanes)
{
    uint16_t others[RASTER_TARGET_SAMPLES];
    lanes &= (uint16_t)~b->tested;
    b->tested |= lanes;
    if (b->frag->early || !lanes)
        return;
    for (unsigned s = 0; s < RASTER_TARGET_SAMPLES; s++) {
        others[s] = b->live[s] & (uint16_t)~lanes;
        b->live[s] &= lanes;
    }
    test_samples(b, true);
    for (unsigned s = 0; s < RASTER_TARGET_SAMPLES; s++)
        b->live[s] |= others[s];
}

float mali_frag_alpha(const struct mali_frag_batch *b, unsigned lane)
{
    if (b->frag->has_program && b->frag->world.program->warp)
        return b->alpha[lane];
    return b->written[0] >> lane & 1 ? util_u2f(b->color[0][lane].src[3]) : 1.0f;
}

bool mali_frag_passes_alpha(const struct mali_frag *f, float alpha)
{
    return f->alpha_func == RASTER_ALWAYS || (alpha < f->alpha_reference    ? f->alpha_func & 1
                                              : alpha == f->alpha_reference ? f->alpha_func & 2
                                                                            : f->alpha_func & 4);
}

/* The alpha test and alpha to coverage, by target 0's alpha. */
static void test_alpha(struct mali_frag_batch *b)
{
    const struct mali_frag *f = b->frag;
    if (f->alpha_func == RASTER_ALWAYS && !f->alpha_to_coverage)
        return;
    for (unsigned lane = 0; lane < 16; lane++) {
        float alpha = mali_frag_alpha(b, lane);
        bool passes = mali_frag_passes_alpha(f, alpha);
        for (unsigned s = 0; s < f->tile->samples; s++)
            if (!passes || (f->alpha_to_coverage && !raster_samples_alpha(f->tile->samples, s, alpha)))
                b->live[s] &= (uint16_t)~(1u << lane);
    }
}

static void count(const struct mali_frag_batch *b, uint64_t *passed)
{
    for (unsigned s = 0; s < b->frag->tile->samples; s++)
        raster_query_add(b->frag->query, b->live[s], passed);
}

/* ---- colours ---- */

static bool write_target(struct mali_frag_batch *b, uint32_t t, struct mali_stop *stop)
{
    const struct mali_frag *f = b->frag;
    const struct mali_frag_target *target = &f->target[t];
    uint16_t lanes = b->written[t] & any_live(b);
    if (!target->written || !lanes)
        return true;
    for (unsigned lane = 0; lane < 16; lane++) {
        if (target->alpha_to_one)
            b->color[t][lane].src[3] = util_f2u(1.0f);
        for (unsigned c = 0; c < 4; c++)
            b->color[t][lane].constant[c] = target->constant;
    }
    if (target->shader)
        return run_blend_shader(b, t, lanes, stop);
    for (unsigned s = 0; s < f->tile->samples; s++)
        raster_output_block(f->tile, b->tile, raster_targets_block(b->tile, b->x, b->y), t, s, &target->blend,
                            b->color[t], lanes & b->live[s]);
    return true;
}

/* ---- blocks ---- */

/* Steps 4 to 6 behind a program of Midgard or none, that left `lanes`. */
static bool finish(struct mali_frag_batch *b, uint16_t lanes, uint64_t *passed, struct mali_stop *stop)
{
    const struct mali_frag *f = b->frag;
    for (unsigned s = 0; s < f->tile->samples; s++)
        b->live[s] &= lanes;
    if (f->has_program)
        test_alpha(b);
    if (!f->early)
        test_samples(b, true);
    count(b, passed);
    if (b->looking)
        mali_frag_look_at_targets(b);
    for (uint32_t t = 0; f->has_program && t < f->tile->count; t++)
        if (!write_target(b, t, stop))
            return false;
    return true;
}

/* What a program of isa/warp has left to do: lanes that it discarded before they were tested drop out. */
static void finish_warp(struct mali_frag_batch *b, uint16_t lanes, uint64_t *passed)
{
    for (unsigned s = 0; s < b->frag->tile->samples; s++)
        b->live[s] &= lanes | b->tested;
    mali_frag_test_late(b, lanes);
    count(b, passed);
    if (b->looking)
        mali_frag_look_at_targets(b);
}

/* Steps 2 to 6 for the samples that are live. */
static bool shade_samples(struct mali_frag_batch *b, uint64_t *passed, struct mali_stop *stop)
{
    const struct mali_frag *f = b->frag;
    uint16_t covered[RASTER_TARGET_SAMPLES], lanes = any_live(b);
    memcpy(covered, b->live, sizeof covered);
    if (f->early)
        test_samples(b, false);
    if (!f->runs_failed) {
        memcpy(covered, b->live, sizeof covered);
        lanes = any_live(b);
    }
    if (!lanes)
        return true;
    if (f->has_program && !run_program(b, covered, &lanes, stop))
        return false;
    if (!f->has_program || !f->world.program->warp)
        return finish(b, lanes, passed, stop);
    finish_warp(b, lanes, passed);
    return true;
}

uint32_t mali_frag_depth(const struct mali_frag_batch *b, unsigned lane)
{
    enum raster_depth_kind kind = (enum raster_depth_kind)b->frag->tile->depth;
    if (raster_depth_is_32(kind))
        return raster_depth_encode(kind, raster_depth_z_at(b->prim, b->px, b->py, lane));
    uint32_t depth = raster_depth_at(b->prim, b->px, b->py, lane);
    return kind == RASTER_DEPTH_UNORM16 ? raster_depth_16(depth) : depth;
}

static void begin_samples(struct mali_frag_batch *b, const uint16_t *covered, unsigned first, unsigned end)
{
    for (unsigned s = 0; s < b->frag->tile->samples; s++)
        b->live[s] = s >= first && s < end && b->frag->sample_mask >> s & 1 ? covered[s] : 0;
    for (unsigned lane = 0; lane < 16; lane++)
        b->depth[lane] = mali_frag_depth(b, lane);
}

/* Sample by sample where the draw is shaded so. */
static bool shade_each(struct mali_frag_batch *b, const uint16_t *covered, uint64_t *passed,
                       struct mali_stop *stop)
{
    const unsigned samples = b->frag->tile->samples;
    if (!b->frag->per_sample) {
        begin_samples(b, covered, 0, samples);
        return shade_samples(b, passed, stop);
    }
    for (unsigned s = 0; s < samples; s++) {
        int32_t x, y;
        raster_samples_position(samples, s, &x, &y);
        b->sample = s;
        b->dx = (float)x / 16.0f - 0.5f;
        b->dy = (float)y / 16.0f - 0.5f;
        begin_samples(b, covered, s, s + 1);
        if (!shade_samples(b, passed, stop))
            return false;
    }
    return true;
}

static bool shade_block(struct mali_frag_batch *b, const struct raster_block *block, uint64_t *passed,
                        struct mali_stop *stop)
{
    const uint16_t *covered = raster_samples_covered(block, b->frag->tile->samples);
    b->x = block->x * 4u;
    b->y = block->y * 4u;
    b->px = b->tile->x + (int32_t)b->x;
    b->py = b->tile->y + (int32_t)b->y;
    if (b->watch)
        mali_frag_look(b, block, covered);
    bool done = shade_each(b, covered, passed, stop);
    if (b->looking)
        mali_frag_look_away(b, stop);
    return done;
}

/* Storage of sixteen threads, of programs that have any. NULL and a fault: no host memory. */
static bool take_storage(const struct mali_frag *f, struct mali_frag_batch *b, struct mali_stop *stop)
{
    uint32_t bytes = f->has_program ? f->world.thread_bytes : 0;
    if (!bytes)
        return true;
    b->threads.thread_storage = calloc(ISA_LANES, bytes);
    return b->threads.thread_storage || mali_stop_set(stop, MALI_OOM, GPU_FAULT_SHADER, FRAG_UNIT,
                                                      f->world.address, "no host memory for threads");
}

/* Code that calls ports: they need the threads. */
static bool run_called(struct mali_frag_batch *b, const struct raster_block *blocks, uint32_t count,
                       struct mali_stop *stop)
{
    struct jit_function *function = b->frag->called;
    raster_shader_fn code = (raster_shader_fn)jit_function_code(function);
    struct raster_shader_call call = {.fuel = UINT64_MAX, .scratch = &b->threads};
    uint32_t fault = code(b->frag->args, b->prim, b->tile, blocks, count, &call);
    jit_function_ran(function, call.executed);
    b->executed += call.executed;
    if (!fault)
        return true;
    return mali_frag_fault(b->frag, &b->threads, fault, call.address, stop);
}

/* A block of a long program takes its time. */
static bool may_go_on(const struct mali_frag *f, struct mali_stop *stop)
{
    return !gpu_host_cancelled(&f->shared->job->device->host) ||
           mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, FRAG_UNIT, f->world.address, "cancelled");
}

/* Of a batch without its own code; `called`: the code that calls ports is run. */
static bool shade_blocks(struct mali_frag_batch *b, const struct raster_block *blocks, uint32_t count,
                         bool called, struct mali_stop *stop)
{
    const struct mali_frag *f = b->frag;
    uint64_t passed = 0;
    bool done = take_storage(f, b, stop);
    if (called && done)
        done = run_called(b, blocks, count, stop);
    for (uint32_t n = 0; !called && n < count && done; n++)
        done = may_go_on(f, stop) &&
               shade_block(b, raster_samples_block_at(blocks, f->tile->samples, n), &passed, stop);
    if (passed)
        atomic_fetch_add(&((struct mali_frag *)(uintptr_t)f)->passed, passed);
    free(b->threads.thread_storage);
    return done;
}

/* `watch`: who may look on; NULL: nobody. */
static uint32_t shade_with(const struct mali_frag *f, const struct gpu_watch *watch,
                           const struct raster_prim *prim, struct raster_tile *tile,
                           const struct raster_block *blocks, uint32_t count, struct raster_shader_work *work)
{
    struct mali_frag_batch *b = calloc(1, sizeof *b);
    struct mali_stop stop = {0};
    bool done = b || mali_stop_set(&stop, MALI_OOM, GPU_FAULT_SHADER, FRAG_UNIT, 0, "no host memory");
    if (b) {
        b->frag = f;
        b->prim = prim;
        b->tile = tile;
        b->watch = watch;
        mali_frag_ports_begin(b, world_of(f));
        if (watch)
            mali_frag_watch_ports(b);
        done = shade_blocks(b, blocks, count, f->called && !watch, &stop);
        work->executed += b->executed;
    }
    free(b);
    if (!done)
        *(struct gpu_fault *)work->fault = stop.fault;
    return !done;
}

static uint32_t shade(const struct raster_shader *shader, const struct raster_prim *prim,
                      struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                      struct raster_shader_work *work)
{
    return shade_with((const struct mali_frag *)shader, NULL, prim, tile, blocks, count, work);
}

uint32_t mali_frag_shade_watched(const struct mali_frag *f, const struct gpu_watch *watch,
                                 const struct raster_prim *prim, struct raster_tile *tile,
                                 const struct raster_block *blocks, uint32_t count,
                                 struct raster_shader_work *work)
{
    if (!raster_shader_pay(&f->shader, count, work))
        return RASTER_SHADER_UNPAID;
    return shade_with(f, watch, prim, tile, blocks, count, work);
}

const struct raster_shader_family mali_frag_family = {
    .shade = shade, .report = mali_frag_report, .quads = mali_frag_quads};

void mali_frag_programs(const struct mali_frag *f, struct gpu_frame_programs *out)
{
    out->has = f->has_program;
    out->compiled = f->shader.in_order || f->shader.deferred || f->called;
    if (f->has_program)
        out->program = mali_world_observed(&f->world);
    for (unsigned t = 0; t < f->tile->count; t++) {
        if (!f->target[t].shader)
            continue;
        out->shader[t] = mali_world_observed(f->target[t].shader);
        out->blend[t] = &out->shader[t];
    }
}
