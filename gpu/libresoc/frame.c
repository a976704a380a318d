/* A frame's tiles (gpu/frame.h): cleared or loaded, drawn out of the lists, stored. */
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/frag.h"
#include "gpu/libresoc/job.h"
#include "raster/depth.h"
#include "raster/texture/texture.h"
#include "util/bits.h"

#define UNIT "frame"

struct frame {
    struct gpu_frame of;
    struct libresoc_job *job;
    struct raster_surface color, depth; /* depth.base NULL: there is none */
};

static const struct frame *own(const struct gpu_frame *of)
{
    return (const struct frame *)of;
}

struct raster_surface libresoc_frame_surface(const struct libresoc_frame_record *record, bool depth)
{
    return (struct raster_surface){.width = record->width,
                                   .height = record->height,
                                   .layout = RASTER_LINEAR,
                                   .format = depth ? RASTER_S8_UINT_Z24_UNORM
                                                   : libresoc_image_format(record->color_format),
                                   .stride = depth ? record->depth_stride : record->color_stride,
                                   .plane = depth ? RASTER_PLANE_ZS : RASTER_PLANE_COLOR};
}

static bool begin(struct gpu_frame *of, struct gpu_fault *fault)
{
    struct frame *frame = (struct frame *)of;
    const struct libresoc_frame_record *record = &frame->job->frame;
    uint8_t *base = frame->job->machine->memory->base;
    frame->color = libresoc_frame_surface(record, false);
    frame->color.base = base + record->color;
    frame->depth = libresoc_frame_surface(record, true);
    frame->depth.base = record->depth ? base + record->depth : NULL;
    of->width = record->width;
    of->height = record->height;
    of->target = RASTER_TARGET_8888;
    of->clear_color = record->clear_color;
    of->clear_zs = raster_depth_of(record->clear_depth) << 8;
    return true;
}

/* Pixels beyond the image, which programs see, too, are as if there were nothing to load. */
static void clear(const struct gpu_frame *of, struct raster_tile *tile)
{
    const struct frame *frame = own(of);
    raster_tile_clear(tile, (uint32_t)of->clear_color, of->clear_zs);
    if (frame->job->frame.load_color)
        raster_surface_load(&frame->color, tile);
    if (frame->job->frame.load_depth)
        raster_surface_load(&frame->depth, tile);
}

/* ---- draws ---- */

static bool prepare(struct gpu_frame *of, struct gpu_frame_draw *draw, struct gpu_fault *fault)
{
    struct libresoc_job *job = ((struct frame *)of)->job;
    const struct libresoc_machine *m = job->machine;
    const struct libresoc_stage base = {
        .memory = m->memory, .written = &job->written, .fuel = m->options->fuel, .host = m->host};
    struct libresoc_draw_record record;
    if (!libresoc_draw_read(m->memory, draw->state, &record, fault))
        return false;
    struct libresoc_frag *frag = util_arena_alloc(of->arena, sizeof *frag);
    if (!frag)
        return gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, draw->state, "no host memory");
    memset(frag, 0, sizeof *frag);
    if (!libresoc_frag_init(frag, &record, of->width, &base, m->programs, m->options->engine, m->host, fault))
        return false;
    draw->shader = &frag->shader;
    draw->fragments = frag;
    draw->setup = (struct raster_setup){
        .flat_mask = record.flat,
        .flat_first = record.flat_first,
        .vary_count = record.varying_count,
        .depth_offset = record.offset_factor != 0 || record.offset_units != 0 ? RASTER_OFFSET_BOTH : 0,
        .offset_factor = record.offset_factor,
        .offset_units = record.offset_units,
        .clockwise_forward = !record.front_clockwise, /* of y up, as raster_setup has it */
        .point_down = true};
    draw->varyings = draw->varyings_at;
    draw->varying_stride = record.varying_count * (uint32_t)sizeof(float);
    return true;
}

static bool fetch(const struct gpu_frame_draw *draw, const struct gpu_space *space, struct gpu_space_run *run,
                  const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS],
                  struct gpu_fault *fault)
{
    for (unsigned n = 0; n < count && draw->varying_stride; n++) {
        const uint64_t address = draw->varyings + (uint64_t)index[n] * draw->varying_stride;
        const uint8_t *at = gpu_space_near(space, run, address, draw->varying_stride);
        if (!at)
            return gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, address,
                                 "the varyings of vertex %u are not in memory", index[n]);
        memcpy(out[n], at, draw->varying_stride);
    }
    return true;
}

/* ---- stores ---- */

static void store(const struct gpu_frame *of, unsigned unit, const struct raster_tile *tile)
{
    const struct raster_surface *surface = unit ? &own(of)->depth : &own(of)->color;
    raster_surface_store(surface, tile, (struct raster_resolve){.count = 1});
}

static bool fill(const struct gpu_frame *of, const struct raster_rect *pixels)
{
    const struct frame *frame = own(of);
    const struct raster_resolve one = {.count = 1};
    return (frame->job->frame.load_color ||
            raster_surface_fill(&frame->color, RASTER_TARGET_8888, of->clear_color, pixels, one)) &&
           (!frame->depth.base || frame->job->frame.load_depth ||
            raster_surface_fill(&frame->depth, RASTER_TARGET_8888, of->clear_zs, pixels, one));
}

/* Tiles are not asked whether they only bring another image back: programs may do anything. */
static bool image(const struct gpu_frame *of, struct gpu_frame_image *out)
{
    return false;
}

static bool copies(const struct gpu_frame_draw *draw, struct gpu_frame_copied *out)
{
    return false;
}

static uint32_t plan(const struct gpu_frame *of, unsigned unit, struct gpu_observed_op *out)
{
    const struct frame *frame = own(of);
    const struct raster_surface *surface = unit ? &frame->depth : &frame->color;
    *out = (struct gpu_observed_op){.number = GPU_FRAME_OP_STORE + unit,
                                    .kind = GPU_OBSERVED_STORE,
                                    .what = unit ? "depths" : "colours",
                                    .color = !unit,
                                    .zs = unit != 0,
                                    .surface = *surface,
                                    .resolve = {.count = 1},
                                    .image = unit ? frame->job->frame.depth : frame->job->frame.color,
                                    .pixel_bytes = raster_format_bytes((enum raster_format)surface->format),
                                    .red_low = true};
    return 1;
}

static void programs(const struct gpu_frame_draw *draw, struct gpu_frame_programs *out)
{
    const struct libresoc_frag *frag = draw->fragments;
    out->has = frag->has_fragment;
    out->compiled = frag->fragment.code != NULL;
    if (frag->has_fragment)
        out->program = libresoc_stage_observed(&frag->fragment);
    if (frag->has_blend) {
        out->shader[0] = libresoc_stage_observed(&frag->blend);
        out->blend[0] = &out->shader[0];
    }
}

static uint32_t shade_watched(const struct gpu_frame_draw *draw, const struct gpu_watch *watch,
                              const struct raster_prim *prim, struct raster_tile *tile,
                              const struct raster_block *blocks, uint32_t count,
                              struct raster_shader_work *work)
{
    return libresoc_frag_shade_watched(draw->fragments, watch, prim, tile, blocks, count, work);
}

static const struct gpu_frame_family family = {.state = "draw",
                                               .begin = begin,
                                               .prepare = prepare,
                                               .clear = clear,
                                               .fetch = fetch,
                                               .store = store,
                                               .fill = fill,
                                               .image = image,
                                               .copies = copies,
                                               .plan = plan,
                                               .programs = programs,
                                               .shade_watched = shade_watched};

/* ---- all of it ---- */

static struct gpu_tile *tiles_of(const struct libresoc_job *job, uint32_t *count)
{
    const uint32_t columns = util_div_up(job->frame.width, GPU_TILE),
                   rows = util_div_up(job->frame.height, GPU_TILE), share = LIBRESOC_LIST_PIXELS / GPU_TILE;
    struct gpu_tile *tiles = malloc((size_t)columns * rows * sizeof *tiles);
    *count = columns * rows;
    for (uint32_t n = 0; tiles && n < *count; n++) {
        const uint32_t x = n % columns, y = n / columns;
        tiles[n] = (struct gpu_tile){x, y, job->bin[y / share * job->columns + x / share].first, 0};
    }
    return tiles;
}

static void note_frame(const struct libresoc_job *job)
{
    const struct raster_surface surface = libresoc_frame_surface(&job->frame, false);
    const struct capture_frame frame = {.address = job->frame.color,
                                        .width = surface.width,
                                        .height = surface.height,
                                        .layout = surface.layout,
                                        .format = surface.format,
                                        .stride = surface.stride};
    gpu_host_set_frame(job->machine->host, &frame);
}

bool libresoc_frame_render(struct libresoc_job *job)
{
    const struct libresoc_machine *m = job->machine;
    uint32_t count;
    struct gpu_tile *tiles = tiles_of(job, &count);
    if (!tiles)
        return gpu_fault_set(job->fault, GPU_FAULT_LIST, UNIT, job->address, "no host memory for tiles");
    struct frame frame = {.job = job,
                          .of = {.family = &family,
                                 .space = m->space,
                                 .pool = m->options->pool,
                                 .workers = m->workers,
                                 .reader = gpu_tile_lists(m->space),
                                 .tiles = tiles,
                                 .tile_count = count,
                                 .list = (uint32_t)job->address,
                                 .units = job->frame.depth ? 2 : 1,
                                 .fuel = job->fuel,
                                 .packets = job->packets,
                                 .observer = m->options->observer,
                                 .batch = m->frame,
                                 .blocks = &m->host->counters.blocks_shaded,
                                 .instructions = &m->host->counters.instructions,
                                 .host = m->host,
                                 .reference = m->options->reference}};
    m->host->counters.tiles += count;
    struct gpu_fault fault[1] = {{0}};
    const bool done = gpu_frame_render(&frame.of, fault);
    free(tiles);
    if (!done)
        *job->fault = *fault;
    else
        note_frame(job);
    return done;
}
