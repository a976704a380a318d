/* Frames: master lists, registers, and what gpu/frame.h asks of a family. */
#include "gpu/utgard/frame.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#define UNIT "frame"

/* ---- master lists ---- */

enum { CALL = 0xe0000002, RETURN = 0xb0000000, TILE = 0xb8000000, END = 0xbc000000 };

bool utgard_frame_tiles(const struct gpu_space *space, uint32_t list, uint32_t owner, struct gpu_tile *tiles,
                        uint32_t *count, struct gpu_fault *fault)
{
    uint32_t x = 0, y = 0;
    bool placed = false;

    for (uint32_t at = list;; at += 8) {
        const uint8_t *bytes = gpu_space_at(space, at, 8, GPU_RIGHT_READ);
        uint32_t low, high;

        if (!bytes)
            return gpu_fault_set(fault, GPU_FAULT_LIST, UNIT, at, "the list of tiles leaves memory");
        low = util_load32(bytes);
        high = util_load32(bytes + 4);
        if (high == END)
            return true;
        if ((high & 0xffff0000) == TILE && !low) {
            x = high & 255;
            y = high >> 8 & 255;
            placed = true;
        } else if (high == RETURN && (low & 0xe0000003) == CALL && placed) {
            if (*count == GPU_FRAME_TILES)
                return gpu_fault_set(fault, GPU_FAULT_LIST, UNIT, at, "more than %u tiles", GPU_FRAME_TILES);
            tiles[(*count)++] = (struct gpu_tile){x, y, (low & ~0xe0000003u) << 3, owner};
        } else {
            return gpu_fault_set(fault, GPU_FAULT_LIST, UNIT, at, "0x%08x 0x%08x in a list of tiles", low,
                                 high);
        }
    }
}

/* ---- the frame ---- */

/* Clear values of tiles of halves: fractions of 65535, as lima packs them. */
static uint64_t halves_of(const uint32_t words[2])
{
    uint64_t color = 0;

    for (unsigned c = 0; c < 4; c++) {
        uint32_t value = words[c / 2] >> c % 2 * 16 & 0xffff;

        color |= (uint64_t)util_float_to_half((float)value / 65535.0f) << 16 * c;
    }
    return color;
}

/* The frame that gpu/frame.h hands about. */
static const struct utgard_pp_frame *own(const struct gpu_frame *of)
{
    return (const struct utgard_pp_frame *)of;
}

static void decode(struct utgard_pp_frame *frame)
{
    const uint32_t *r = frame->registers;
    bool lower_left = r[UTGARD_FRAME_FLAGS] & UTGARD_FRAME_LOWER_LEFT;
    bool halves = r[UTGARD_FRAME_FLAGS] & UTGARD_FRAME_HALVES;

    frame->of.width = r[UTGARD_FRAME_WIDTH] + 1;
    frame->of.height = r[UTGARD_FRAME_HEIGHT] + 1;
    /* From the lower left: programs count rows from the bottom, whose origin is given in half pixels. */
    frame->y_scale = lower_left ? -1.0f : 1.0f;
    frame->y_offset = lower_left ? (float)((r[UTGARD_FRAME_ORIGIN_Y] & 0xffff) + 1) / 2.0f : 0.0f;
    frame->of.target = halves ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
    frame->of.clear_color = halves ? halves_of(&r[UTGARD_FRAME_CLEAR_COLOR]) : r[UTGARD_FRAME_CLEAR_COLOR];
    frame->of.clear_zs =
        (r[UTGARD_FRAME_CLEAR_DEPTH] & 0xffffff) << 8 | (r[UTGARD_FRAME_CLEAR_STENCIL] & 255);
    frame->of.multisampled = false;
}

static bool begin(struct gpu_frame *of, struct gpu_fault *fault)
{
    struct utgard_pp_frame *frame = (struct utgard_pp_frame *)of;
    const uint32_t *r = frame->registers;

    decode(frame);
    utgard_frag_shared_begin(&frame->shared, &of->maker, of->arena, frame->programs);
    if (r[UTGARD_FRAME_WIDTH] > 4095 || r[UTGARD_FRAME_HEIGHT] > 4095)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, UNIT, r[0], "a frame of %ux%u", of->width, of->height);
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        struct utgard_wb *wb = &frame->unit[n];

        if (!utgard_wb_decode(frame->wb[n], of->width, of->height, of->space, wb, fault) ||
            !utgard_wb_fits(wb, of->target == RASTER_TARGET_RGBA16F, fault))
            return false;
        of->multisampled |= wb->source != UTGARD_WB_OFF && wb->samples != 0;
    }
    return true;
}

/* ---- draws ---- */

static bool prepare(struct gpu_frame *of, struct gpu_frame_draw *draw, struct gpu_fault *fault)
{
    struct utgard_pp_frame *frame = (struct utgard_pp_frame *)of;
    const struct utgard_frag_config config = {.samples = draw->samples,
                                              .rgba16f = of->target == RASTER_TARGET_RGBA16F,
                                              .points = draw->points,
                                              .fuel = frame->block_fuel,
                                              .y_scale = frame->y_scale,
                                              .y_offset = frame->y_offset,
                                              .shared = &frame->shared,
                                              .numeric = frame->numeric,
                                              .in_order = frame->in_order};
    struct utgard_state state;
    struct utgard_frag *frag;

    if (!utgard_rsw_read(of->space, draw->state, &state, fault) ||
        utgard_frag_prepare(of->space, frame->engine, &state, &config, &frag, fault))
        return false;
    bool offset = state.offset_factor != 0 || state.offset_units != 0;
    draw->shader = utgard_frag_shader(frag);
    draw->setup = (struct raster_setup){.vary_count = utgard_frag_varyings(frag),
                                        .depth_offset = offset ? RASTER_OFFSET_BOTH : 0,
                                        .offset_factor = state.offset_factor,
                                        .offset_units = state.offset_units,
                                        .clockwise_forward = state.ccw,
                                        .point_down = true};
    draw->fragments = frag;
    draw->varyings = state.varyings;
    draw->varying_stride = state.varying_stride;
    draw->wants_point = utgard_frag_wants_point(frag);
    return true;
}

static bool fetch(const struct gpu_frame_draw *draw, const struct gpu_space *space, struct gpu_space_run *run,
                  const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS],
                  struct gpu_fault *fault)
{
    for (unsigned n = 0; n < count; n++)
        if (!utgard_frag_fetch(draw->fragments, space, run, index[n], out[n], fault))
            return false;
    return true;
}

static bool copies(const struct gpu_frame_draw *draw, struct gpu_frame_copied *out)
{
    return utgard_frag_copies(draw->fragments, out);
}

static void programs(const struct gpu_frame_draw *draw, struct gpu_frame_programs *out)
{
    out->has = true;
    out->compiled = utgard_frag_compiled(draw->fragments);
    out->program = utgard_frag_program(draw->fragments);
}

static uint32_t shade_watched(const struct gpu_frame_draw *draw, const struct gpu_watch *watch,
                              const struct raster_prim *prim, struct raster_tile *tile,
                              const struct raster_block *blocks, uint32_t count,
                              struct raster_shader_work *work)
{
    return utgard_frag_shade_watched(draw->fragments, watch, prim, tile, blocks, count, work);
}

/* ---- stores ---- */

static void store(const struct gpu_frame *of, unsigned unit, const struct raster_tile *tile)
{
    utgard_wb_store(&own(of)->unit[unit], of->space->window.base, tile);
}

static bool fill(const struct gpu_frame *of, const struct raster_rect *pixels)
{
    bool done = true;

    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        const struct utgard_wb *wb = &own(of)->unit[n];

        done &= utgard_wb_fill(wb, of->space->window.base, (enum raster_target)of->target,
                               wb->source == UTGARD_WB_ZS ? of->clear_zs : of->clear_color, pixels);
    }
    return done;
}

static bool image(const struct gpu_frame *of, struct gpu_frame_image *out)
{
    static const uint8_t turned[4] = {2, 1, 0, 3}, as_is[4] = {0, 1, 2, 3};
    const struct utgard_wb *only = NULL;

    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        const struct utgard_wb *wb = &own(of)->unit[n];

        if (wb->source == UTGARD_WB_OFF)
            continue;
        if (only || wb->source != UTGARD_WB_COLOR || wb->image.format != RASTER_R8G8B8A8_UNORM ||
            wb->image.big_endian || wb->average.shrink_x || wb->average.shrink_y)
            return false;
        only = wb;
    }
    if (!only)
        return false;
    *out = (struct gpu_frame_image){.address = only->address,
                                    .pitch = only->image.stride,
                                    .width = only->image.width,
                                    .height = only->image.height,
                                    .layout = (uint8_t)only->image.layout};
    memcpy(out->channel, only->image.swap ? turned : as_is, sizeof out->channel);
    return true;
}

/* ---- stores, told ---- */

#define AVERAGE (-1) /* instead of a plane's number */

/* Of a plane (AVERAGE: of all of them). An image in pages that do not follow each other, or made smaller by
 * more in one direction, has no pixels that could be looked for. */
static struct gpu_observed_op plan_store(const struct utgard_pp_frame *frame, unsigned unit, int plane)
{
    static const char *const units[UTGARD_WB_UNITS] = {"write-back unit 0", "write-back unit 1",
                                                       "write-back unit 2"};
    const struct utgard_wb *wb = &frame->unit[unit];
    unsigned at = plane > 0 ? (unsigned)plane : 0;
    struct gpu_observed_op op = {.number = GPU_FRAME_OP_STORE + unit * RASTER_MAX_SAMPLES + at,
                                 .kind = GPU_OBSERVED_STORE,
                                 .what = units[unit],
                                 .color = wb->source == UTGARD_WB_COLOR,
                                 .zs = wb->source == UTGARD_WB_ZS,
                                 .surface = wb->image,
                                 .resolve = utgard_wb_plane(wb, plane),
                                 .averaged = plane == AVERAGE || wb->average.shrink_x || wb->average.shrink_y,
                                 .red_low = true};

    if (wb->average.shrink_x == wb->average.shrink_y &&
        utgard_wb_physical(wb, frame->of.space, at, &op.image))
        op.pixel_bytes = raster_format_bytes((enum raster_format)wb->image.format);
    return op;
}

static uint32_t plan(const struct gpu_frame *of, unsigned unit, struct gpu_observed_op *out)
{
    const struct utgard_wb *wb = &own(of)->unit[unit];
    uint32_t count = 0;

    for (int plane = AVERAGE; wb->source != UTGARD_WB_OFF && plane < (int)RASTER_MAX_SAMPLES; plane++)
        if (plane == AVERAGE ? !wb->samples : wb->samples >> plane & 1)
            out[count++] = plan_store(own(of), unit, plane);
    return count;
}

/* ---- all of it ---- */

static const struct gpu_frame_family family = {.state = "render state",
                                               .begin = begin,
                                               .prepare = prepare,
                                               .fetch = fetch,
                                               .store = store,
                                               .fill = fill,
                                               .image = image,
                                               .copies = copies,
                                               .plan = plan,
                                               .programs = programs,
                                               .shade_watched = shade_watched};

bool utgard_frame_render(struct utgard_pp_frame *frame, struct gpu_fault *fault)
{
    frame->of.family = &family;
    frame->of.list = frame->registers[UTGARD_FRAME_LIST];
    frame->of.units = UTGARD_WB_UNITS;
    frame->of.reference = !frame->engine;
    return gpu_frame_render(&frame->of, fault);
}
