/* Draws of a frame: their tiler jobs, read anew where their lists name them, and all that shading needs. */
#include "gpu/mali/frag.h"

#include <stddef.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag_code.h"
#include "gpu/mali/frag_preload.h"
#include "gpu/mali/frame_draws.h"
#include "raster/depth.h"
#include "util/bits.h"

/* Of programs without textures: a block takes some ten nanoseconds. Those of isa/warp have one operation each. */
enum { CHEAP_INSNS = 6, CHEAP_WARP_INSNS = 24 };
#define LOOP_SHARE 16u /* of the instructions that loops may repeat, what a block that has any pays */
/* An address with no more than a tag: the draw has no program (Mesa's pan_cmdstream.c). */
#define NO_PROGRAM 15u

/* ---- the tiler job ---- */

/* Several draws may be read at a time, each with all that was left. */
static void spend(struct mali_frag_shared *shared, uint64_t packets)
{
    uint64_t left = atomic_load(&shared->packets);
    while (!atomic_compare_exchange_weak(&shared->packets, &left, left - UTIL_MIN(left, packets)))
        ;
}

/* Of v6 and v7 a job that shades vertices may be one with a tiler's payload; so is each of v9's (payload.h). */
static bool draws(enum mali_version version, uint32_t type)
{
    return type == MALI_JOB_TYPE_TILER ||
           (type == MALI_JOB_TYPE_INDEXED_VERTEX && version >= MALI_V6 && version <= MALI_V7) ||
           (type == MALI_JOB_TYPE_MALLOC_VERTEX && version >= MALI_V9);
}

static bool read_job(struct mali_frag *f, uint32_t address, struct mali_stop *stop)
{
    struct mali_frag_shared *shared = f->shared;
    uint64_t packets = atomic_load(&shared->packets); /* of all draws of the frame */
    const uint64_t before = packets;
    const struct mali_reader reader = {shared->job->space, shared->job->version, FRAG_UNIT, &packets};
    struct mali_job_header header;
    bool read = mali_desc_read(&reader, &mali_desc_job_header, address, &header, stop);
    if (read)
        mali_job_header_settle(reader.version, &header);
    if (read && (!draws(reader.version, header.type) || !header.is_64b))
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_LIST, FRAG_UNIT, address,
                             "the draw's job is none of the tiler's");
    read = read && mali_drawn_read(&reader, address, &header, shared->payload->frame.target_count,
                                   shared->arena, &f->job, stop);
    spend(shared, before - packets);
    return read;
}

/* ---- all of it ---- */

static bool take_program(struct mali_frag *f, struct mali_stop *stop)
{
    uint64_t shader = f->job.bindings.state.shader;
    f->has_program = shader > NO_PROGRAM;
    if (!f->has_program) {
        f->world = (struct mali_world){.address = 0};
        return true;
    }
    if (!mali_world_begin(&f->world, f->shared->job, &f->job.draw, &f->job.bindings, f->shared->arena,
                          FRAG_UNIT, stop))
        return false;
    return f->world.program->midgard || mali_frag_preload(f, stop);
}

/* What programs store comes in the order of tiles: where the tiler did not hear of it, they may not (ours). */
static bool stores_in_order(const struct mali_frag *f, struct mali_stop *stop)
{
    bool shares = f->has_program && f->world.program->shares;
    for (uint32_t n = 0; n < f->tile->count; n++)
        shares |= f->target[n].shader && f->target[n].shader->program->shares;
    return !shares || f->shared->alone ||
           mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, FRAG_UNIT, f->job.draw.state,
                         "its program stores to memory, its state says nothing of side effects");
}

static bool reads_points(const struct mali_frag *f)
{
    const struct mali_bindings *b = &f->job.bindings;
    if (f->world.program->warp)
        return mali_frag_reads_point(f->world.program->warp);
    for (uint32_t n = 0; n < b->varying_buffer_count; n++)
        if (b->varying_buffer[n].kind == MALI_ARRAY_POINT_COORD_MIN_Y ||
            b->varying_buffer[n].kind == MALI_ARRAY_POINT_COORD_MAX_Y)
            return true;
    return false;
}

/* Fuel of a program in a block. What loops repeat is not counted: a share of what they may is. */
static uint64_t cost_of(const struct mali_world *world)
{
    const struct mali_decoded *p = world->program;
    return p->insn_count + (p->repeats ? world->fuel / LOOP_SHARE : 0);
}

static uint64_t cost_of_block(const struct mali_frag *f)
{
    uint64_t cost = f->has_program ? cost_of(&f->world) : 1;
    for (uint32_t t = 0; t < f->tile->count; t++)
        cost += f->target[t].shader ? cost_of(f->target[t].shader) : 0;
    return cost * (f->per_sample ? f->tile->samples : 1);
}

static bool is_cheap(const struct mali_decoded *p)
{
    return p->insn_count <= (p->warp ? CHEAP_WARP_INSNS : CHEAP_INSNS) && !p->textures;
}

static void begin_shader(struct mali_frag *f)
{
    const struct mali_decoded *p = f->world.program;
    f->shader = (struct raster_shader){.family = &mali_frag_family,
                                       .cost = cost_of_block(f),
                                       .varyings = f->vary_count + f->ahead,
                                       .colors = f->has_program && f->target[0].written,
                                       .cheap = !f->has_program || is_cheap(p),
                                       .query = (uint8_t)f->query};
}

/* Of lines another field says which vertex provokes, the other way round since v6; of v9 the frame (Mesa's
 * pan_cmdstream.c, pan_cs.c). */
static bool first_provokes(const struct mali_frag *f)
{
    const enum mali_version version = f->shared->job->version;
    const struct mali_drawn *job = &f->job;
    if (version >= MALI_V9)
        return f->shared->payload->frame.several.first_provoking_vertex;
    bool lines = job->draw_mode >= MALI_DRAW_MODE_LINES && job->draw_mode <= MALI_DRAW_MODE_LINE_LOOP;
    return lines ? job->draw.flat_shading_vertex == (version >= MALI_V6) : job->first_provokes;
}

static void fill(const struct mali_frag *f, struct gpu_frame_draw *draw)
{
    const struct mali_state *s = &f->job.bindings.state;
    /* Mesa gives twice the units of OpenGL: half of them are steps of 24 bits, those of 16 are 256. */
    float steps = f->tile->depth == RASTER_DEPTH_UNORM16 ? 128.0f : 0.5f;
    uint8_t offsets = (s->front_facing_depth_bias ? RASTER_OFFSET_FORWARD : 0) |
                      (s->back_facing_depth_bias ? RASTER_OFFSET_REVERSE : 0);
    draw->shader = &f->shader;
    draw->setup = (struct raster_setup){.flat_below = f->flat,
                                        .flat_first = first_provokes(f),
                                        .vary_count = f->vary_count,
                                        .depth_offset = offsets,
                                        .offset_factor = s->depth_factor,
                                        .offset_units = s->depth_units * steps,
                                        .offset_clamp = (float)(s->depth_bias_clamp * RASTER_DEPTH_STEPS),
                                        .clockwise_forward = f->job.draw.front_face_ccw,
                                        .point_down = true};
    draw->setup.sixteen = raster_samples_is_many(f->tile->samples);
    draw->fragments = f;
    mali_frag_say_varyings(f, draw);
    draw->wants_point = f->ahead;
    draw->centre_only = f->tile->samples > 1 && !s->multisample_enable;
}

/* Frames add its counts to memory when they are done. */
static void count(struct mali_frag *f)
{
    struct mali_frag *first = atomic_load(&f->shared->counted);
    do
        f->next = first;
    while (!atomic_compare_exchange_weak(&f->shared->counted, &first, f));
}

/* NULL: no host memory. */
static struct mali_frag *begin(struct mali_frag_shared *shared, uint64_t address, struct mali_stop *stop)
{
    struct mali_frag *f = util_arena_alloc(shared->arena, sizeof *f);
    if (!f) {
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_SHADER, FRAG_UNIT, address, "no host memory");
        return NULL;
    }
    memset(f, 0, offsetof(struct mali_frag, world));
    f->shared = shared;
    f->tile = &shared->targets->tile;
    return f;
}

/* Out of f->job, which was read. */
static bool prepare(struct mali_frag *f, struct gpu_frame_draw *draw, struct mali_stop *stop)
{
    struct jit_engine *engine = f->shared->engine;
    if (!take_program(f, stop))
        return false;
    f->ahead = draw->points && f->has_program && reads_points(f) ? 2 : 0;
    if (!mali_frag_place_varyings(f, stop) || !mali_frag_set_tests(f, stop) ||
        !mali_frag_set_targets(f, stop) || !stores_in_order(f, stop))
        return false;
    mali_frag_find_halves(f, engine && jit_engine_level(engine) > JIT_SSE41);
    begin_shader(f);
    mali_frag_take_code(f, engine, f->shared->in_order);
    fill(f, draw);
    if (f->query != RASTER_QUERY_NONE)
        count(f);
    return true;
}

bool mali_frag_prepare(struct mali_frag_shared *shared, struct gpu_frame_draw *draw, struct mali_stop *stop)
{
    const enum mali_frame_draw whole =
        mali_frame_draws_find(shared->job->version, shared->payload, draw->state);
    struct mali_frag *f = begin(shared, draw->state, stop);
    if (!f)
        return false;
    f->vertices = draw->varyings_at;
    if (whole == MALI_FRAME_DRAWS)
        return read_job(f, draw->state, stop) && prepare(f, draw, stop);
    f->job = (struct mali_drawn){.draw = shared->payload->whole[whole].draw,
                                 .bindings = shared->payload->whole[whole].bindings};
    return prepare(f, draw, stop);
}

/* ---- occlusion queries ---- */

/* Before v6 samples of pixels that have one count four times (Mesa's pan_context.c divides). */
static unsigned count_of_one(const struct mali_frag *f)
{
    return f->shared->job->version < MALI_V6 && f->tile->samples == 1 ? 4 : 1;
}

bool mali_frag_store_queries(struct mali_frag_shared *shared, struct mali_stop *stop)
{
    for (struct mali_frag *f = atomic_load(&shared->counted); f; f = f->next) {
        uint64_t passed = atomic_load(&f->passed);
        if (!passed)
            continue;
        uint8_t *bytes = mali_at(shared->job->space, f->job.draw.occlusion, sizeof passed, GPU_RIGHT_WRITE,
                                 FRAG_UNIT, "occlusion query", stop);
        if (!bytes)
            return false;
        if (f->query == RASTER_QUERY_ANY)
            passed = 1;
        else
            passed = util_load64(bytes) + passed * count_of_one(f);
        util_store64(bytes, passed);
    }
    return true;
}
