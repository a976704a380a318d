/* What a fragment program of isa/warp does to the tile: ATEST and ZS_EMIT, which tell of samples and depth; BLEND, by the
 * descriptor that it is given, and the blend shaders to which that sends lanes; the tile, read and written. Sources: as
 * frag_ports_warp.c; pixels' words and descriptors' are those of Mesa's bifrost.h and of desc_shader.inc. */
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag_internal.h"
#include "gpu/mali/world_internal.h"
#include "raster/texture/sampler.h"
#include "util/bits.h"

/* ---- colours ---- */

struct mali_internal_blend mali_frag_descriptor_of(enum mali_version version, const uint32_t words[2])
{
    struct mali_internal_blend blend;
    mali_desc_unpack(&mali_desc_internal_blend, version, words, &blend);
    return blend;
}

struct mali_internal_conversion mali_frag_conversion_of(enum mali_version version, uint32_t word)
{
    struct mali_internal_conversion conversion;
    mali_desc_unpack(&mali_desc_internal_conversion, version, &word, &conversion);
    return conversion;
}

/* Formats that there are not stand for the first of all (ours). */
struct mali_register_format mali_frag_registers_of(enum mali_version version, const struct warp_asked *a,
                                                   const struct mali_internal_conversion *conversion)
{
    const uint32_t format = conversion->register_format;
    if (!a->any_type)
        return mali_asked_format(a);
    if (version >= MALI_V9)
        return mali_register_formats[MALI_REGISTER_FILE_FORMAT_F32];
    return format < UTIL_ARRAY_SIZE(mali_register_formats) ? mali_register_formats[format]
                                                           : (struct mali_register_format){0};
}

bool mali_frag_pixel_of(enum mali_version version, enum raster_format tile, bool raw,
                        const struct mali_internal_conversion *conversion, struct mali_frag_pixel *out)
{
    *out = (struct mali_frag_pixel){.format = tile, .order = MALI_ORDER_RGBA, .raw = raw};
    if (!raw)
        return true;
    out->format = mali_format_of(version, conversion->memory_format, conversion->memory_srgb);
    return raster_sampler_plain(out->format) &&
           raster_format_bytes(out->format) <= raster_format_bytes(tile) &&
           mali_order_of(version, conversion->memory_order, &out->order);
}

static bool pixel_of(const struct mali_frag *f, uint32_t t, const struct mali_internal_conversion *conversion,
                     struct mali_frag_pixel *out)
{
    return mali_frag_pixel_of(f->shared->job->version, (enum raster_format)f->tile->format[t],
                              f->shared->targets->raw[t], conversion, out);
}

bool mali_frag_may_convert(const struct mali_frag_pixel *pixel, const struct mali_register_format *r)
{
    const bool floats = r->type == ISA_TYPE_F32 || r->type == ISA_TYPE_F16;
    return floats == !raster_sampler_integer(pixel->format);
}

/* A colour out of registers, as targets take it: numbers, or of raw ones the bits. */
static void color_of(const struct mali_frag_pixel *pixel, const struct mali_register_format *r,
                     const uint32_t in[4], uint32_t out[4])
{
    uint32_t value[4];
    memcpy(value, in, sizeof value);
    mali_registers_widen(r, value);
    if (pixel->raw)
        mali_world_convert_back(pixel->format, pixel->order, r->type, false, value, out);
    else if (r->type == ISA_TYPE_F16)
        mali_world_convert(RASTER_R16G16B16A16_FLOAT, MALI_ORDER_RGBA, ISA_TYPE_F32, false, value, out);
    else
        memcpy(out, value, sizeof value);
}

/* ---- writing ---- */

/* A lane's colour, to samples that are left and covered. */
static void put(struct mali_frag_batch *b, uint32_t t, unsigned lane, const struct raster_blend *blend,
                uint32_t coverage)
{
    const struct mali_frag *f = b->frag;
    for (unsigned s = 0; s < f->tile->samples; s++)
        if (coverage >> s & 1 && b->live[s] >> lane & 1)
            raster_output_block(f->tile, b->tile, raster_targets_block(b->tile, b->x, b->y), t, s, blend,
                                b->color[t], (uint16_t)(1u << lane));
}

/* Takes a lane's colour. False: what registers have is none of the target's. */
static bool take(struct mali_frag_batch *b, const struct warp_message *m, unsigned lane, uint32_t t,
                 const struct mali_internal_conversion *conversion)
{
    const struct mali_frag *f = b->frag;
    const struct mali_register_format r =
        mali_frag_registers_of(f->shared->job->version, &m->asked, conversion);
    struct raster_output_colors *to = &b->color[t][lane];
    struct mali_frag_pixel pixel;
    uint32_t in[4];
    if (!pixel_of(f, t, conversion, &pixel) || !mali_frag_may_convert(&pixel, &r))
        return false;
    for (unsigned c = 0; c < 4; c++)
        in[c] = m->value[c][lane];
    *to = (struct raster_output_colors){.src = {0}};
    color_of(&pixel, &r, in, to->src);
    for (unsigned c = 0; c < 4; c++)
        to->constant[c] = f->target[t].constant;
    if (f->target[t].alpha_to_one && !pixel.raw)
        to->src[3] = util_f2u(1.0f);
    b->written[t] |= (uint16_t)(1u << lane);
    return true;
}

/* By a descriptor that blends. */
static bool blend_lane(struct mali_frag_batch *b, const struct warp_message *m, unsigned lane,
                       const struct mali_internal_blend *descriptor, struct isa_place *place)
{
    const struct mali_frag *f = b->frag;
    const struct mali_internal_conversion conversion =
        mali_frag_conversion_of(f->shared->job->version, m->operand[0][1][lane]);
    const uint32_t t = descriptor->rt;
    const bool fixed = descriptor->mode == MALI_BLEND_MODE_FIXED_FUNCTION;
    const uint16_t bit = (uint16_t)(1u << lane);
    if (t >= f->tile->count || (fixed && f->shared->targets->raw[t]))
        return mali_frag_refuse(b, bit, "BLEND does not blend target", t, place);
    if (!f->target[t].written)
        return true;
    if (!take(b, m, lane, t, &conversion))
        return mali_frag_refuse(b, bit, "BLEND has no colours that are target", t, place);
    mali_frag_test_late(b, bit);
    put(b, t, lane, fixed ? &f->target[t].blend : &raster_blend_replace, m->operand[1][0][lane]);
    return true;
}

static bool blend(struct mali_frag_batch *b, const struct warp_message *m, uint16_t lanes, uint16_t *leave,
                  struct isa_place *place)
{
    for (uint16_t rest = *leave; rest; rest &= (uint16_t)(rest - 1)) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint32_t words[2] = {m->operand[0][0][lane], m->operand[0][1][lane]};
        const struct mali_internal_blend descriptor =
            mali_frag_descriptor_of(b->frag->shared->job->version, words);
        if (descriptor.mode == MALI_BLEND_MODE_SHADER) {
            *leave &= (uint16_t)~(1u << lane);
            continue;
        }
        if (lanes >> lane & 1 && descriptor.mode != MALI_BLEND_MODE_OFF &&
            !blend_lane(b, m, lane, &descriptor, place))
            return false;
    }
    return true;
}

/* ---- the tile ---- */

#define OWN_Y 255u /* of a pixel that is the fragment's own: none else is done */

/* What a lane asks of the tile. False: nothing that is done. */
static bool is_tile(const struct mali_frag *f, const struct warp_message *m, unsigned lane,
                    struct mali_internal_pixel *which, struct mali_frag_pixel *pixel,
                    struct mali_register_format *r)
{
    const enum mali_version version = f->shared->job->version;
    const struct mali_internal_conversion conversion =
        mali_frag_conversion_of(version, m->operand[2][0][lane]);
    mali_desc_unpack(&mali_desc_internal_pixel, version, &m->operand[0][0][lane], which);
    *r = mali_frag_registers_of(version, &m->asked, &conversion);
    return which->x == 0 && which->y == OWN_Y && which->rt < f->tile->count && f->tile->words[which->rt] &&
           pixel_of(f, which->rt, &conversion, pixel) && mali_frag_may_convert(pixel, r);
}

static bool load_tile(struct mali_frag_batch *b, const struct warp_message *m, uint16_t lanes,
                      uint32_t out[WARP_MESSAGE_WORDS][16], struct isa_place *place)
{
    for (; lanes; lanes &= (uint16_t)(lanes - 1)) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        struct mali_register_format r;
        struct mali_frag_pixel pixel;
        struct mali_internal_pixel which;
        uint32_t word[4] = {0}, value[4];
        if (!is_tile(b->frag, m, lane, &which, &pixel, &r))
            return mali_frag_refuse(b, (uint16_t)(1u << lane), "the tile is not read so, pixel",
                                    m->operand[0][0][lane], place);
        raster_targets_get(b->frag->tile, b->tile, which.rt, b->x + raster_lane_x(lane),
                           b->y + raster_lane_y(lane), mali_frag_sample(b, which.sample), word);
        mali_world_convert(pixel.format, pixel.order, r.type, false, word, value);
        mali_registers_narrow(&r, value);
        for (unsigned c = 0; c < 4; c++)
            out[c][lane] = value[c];
    }
    return true;
}

static bool store_tile(struct mali_frag_batch *b, const struct warp_message *m, uint16_t lanes,
                       struct isa_place *place)
{
    for (; lanes; lanes &= (uint16_t)(lanes - 1)) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        const struct mali_internal_conversion conversion =
            mali_frag_conversion_of(b->frag->shared->job->version, m->operand[2][0][lane]);
        struct mali_register_format r;
        struct mali_frag_pixel pixel;
        struct mali_internal_pixel which;
        if (!is_tile(b->frag, m, lane, &which, &pixel, &r))
            return mali_frag_refuse(b, (uint16_t)(1u << lane), "the tile is not written so, pixel",
                                    m->operand[0][0][lane], place);
        if (!b->frag->target[which.rt].written || which.sample >= b->frag->tile->samples)
            continue;
        (void)take(b, m, lane, which.rt, &conversion);
        mali_frag_test_late(b, (uint16_t)(1u << lane));
        put(b, which.rt, lane, &raster_blend_replace, m->operand[1][0][lane] & 1u << which.sample);
    }
    return true;
}

/* ---- samples, depth ---- */

/* A program that gives depth or stencil tests by its ZS_EMIT, which comes behind its ATEST (Mesa's
 * bifrost_compile.c); all others by their ATEST. */
static bool emits(const struct mali_frag *f)
{
    return f->world.program->warp->messages >> WARP_ZS_EMIT & 1;
}

/* Samples that the operand leaves, and of these those that alpha does. */
static void atest(struct mali_frag_batch *b, const struct warp_message *m, uint16_t lanes,
                  uint32_t out[WARP_MESSAGE_WORDS][16])
{
    const struct mali_frag *f = b->frag;
    for (uint16_t rest = lanes; rest; rest &= (uint16_t)(rest - 1)) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint16_t bit = (uint16_t)(1u << lane);
        b->alpha[lane] = util_u2f(m->operand[1][0][lane]);
        for (unsigned s = 0; s < f->tile->samples; s++) {
            const bool stays =
                m->operand[0][0][lane] >> s & 1 &&
                (!f->alpha_to_coverage || raster_samples_alpha(f->tile->samples, s, b->alpha[lane]));
            b->covered[s] &= (uint16_t)~(stays ? 0 : bit);
            b->live[s] &= (uint16_t)~(stays ? 0 : bit);
        }
        out[0][lane] = mali_frag_coverage(b->covered, lane);
    }
    if (!emits(f))
        mali_frag_test_late(b, lanes);
}

static bool zs_emit(struct mali_frag_batch *b, const struct warp_message *m, uint16_t lanes,
                    uint32_t out[WARP_MESSAGE_WORDS][16], struct isa_place *place)
{
    const struct mali_frag *f = b->frag;
    const uint16_t late = f->early ? 0 : lanes & b->tested;
    if (late)
        return mali_frag_refuse(b, late, "depth or stencil is given behind the tests, draw", 0, place);
    for (uint16_t rest = lanes; rest; rest &= (uint16_t)(rest - 1)) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        if (m->asked.z && f->depth_given)
            b->depth[lane] =
                raster_depth_encode((enum raster_depth_kind)f->tile->depth, util_u2f(m->operand[0][0][lane]));
        if (m->asked.stencil && f->stencil_given)
            b->stencil[lane] = (uint8_t)m->operand[1][0][lane];
        out[0][lane] = m->operand[2][0][lane] & mali_frag_coverage(b->covered, lane);
    }
    mali_frag_test_late(b, lanes);
    return true;
}

bool mali_frag_warp_message(struct mali_frag_batch *b, const struct warp_message *m, uint16_t lanes,
                            uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *place)
{
    switch (m->asked.message) {
    case WARP_TILE: return load_tile(b, m, lanes, out, place);
    case WARP_STORE_TILE: return store_tile(b, m, lanes, place);
    case WARP_BLEND: return blend(b, m, lanes, leave, place);
    case WARP_ZS_EMIT: return zs_emit(b, m, lanes, out, place);
    default: atest(b, m, lanes, out); return true;
    }
}

/* ---- blend shaders ---- */

/* The target whose blend shader stands at `address`; MALI_TARGETS: none. */
static uint32_t target_at(const struct mali_frag *f, uint64_t address)
{
    uint32_t t = 0;
    while (t < MALI_TARGETS && (!f->target[t].shader || f->target[t].shader->address != address))
        t++;
    return t;
}

/* Runs target t's blend shader in `lanes`, which are there or helpers as in the program that they left. */
static bool run_shader(struct mali_frag_batch *b, uint32_t t, uint64_t behind, uint16_t lanes,
                       uint32_t reg[WARP_REGISTERS][16], uint16_t *back, struct isa_place *place)
{
    struct mali_world *world = b->frag->target[t].shader, *outer_world = b->threads.world;
    union mali_sixteen *outer = b->state, state;
    const struct warp_input input = {.uniform = world->uniform,
                                     .uniform_count = world->uniform_count,
                                     .address = world->address,
                                     .back = behind,
                                     .lanes = lanes,
                                     .helpers = outer->warp.helpers & lanes,
                                     .fuel = world->fuel};
    struct mali_report report;
    struct mali_stop stop;
    warp_start(&input, &state.warp);
    memcpy(state.warp.reg, reg, sizeof state.warp.reg);
    b->threads.world = world;
    b->state = &state;
    b->blending = t + 1;
    const bool done = mali_frag_run(b, &state, &report);
    if (!done)
        mali_world_fault(&b->threads, &report, &stop);
    b->blending = 0;
    b->state = outer;
    b->threads.world = outer_world;
    if (!done)
        return mali_world_refuse(&b->threads, report.place.lane, &stop, place);
    outer->warp.live &= (uint16_t)(state.warp.live | ~lanes);
    outer->warp.helpers |= state.warp.helpers;
    *back |= state.warp.returned;
    for (unsigned r = 0; r < WARP_REGISTERS; r++)
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            reg[r][lane] = lanes >> lane & 1 ? state.warp.reg[r][lane] : reg[r][lane];
    return true;
}

bool mali_frag_warp_far(void *ctx, const struct warp_far *to, uint16_t lanes,
                        uint32_t reg[WARP_REGISTERS][16], uint16_t *back, struct isa_place *place)
{
    struct mali_frag_batch *b = ctx;
    while (lanes) {
        const uint64_t address = to->target[__builtin_ctz(lanes)];
        const uint32_t t = target_at(b->frag, address);
        uint16_t these = 0;
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            these |= (uint16_t)((lanes >> lane & 1 && to->target[lane] == address) << lane);
        if (t == MALI_TARGETS || b->blending)
            return mali_frag_refuse(b, these, "a branch to what is no blend shader, target", t, place);
        if (!run_shader(b, t, to->back, these, reg, back, place))
            return false;
        lanes &= (uint16_t)~these;
    }
    return true;
}
