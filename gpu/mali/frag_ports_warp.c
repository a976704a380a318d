/* What a fragment program of isa/warp meets besides what all programs of that machine do: registers that it begins with,
 * varyings, special values. Sources: Mesa's bifrost_compile.c (how a place in the pixel is given) and
 * valhall_ISA.xml as documentation. */
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/frag_internal.h"
#include "gpu/mali/payload.h"
#include "isa/valhall/insn.h"
#include "raster/samples.h"
#include "util/bits.h"
#include "util/half.h"

/* ---- registers ---- */

uint32_t mali_frag_coverage(const uint16_t samples[RASTER_TARGET_SAMPLES], unsigned lane)
{
    uint32_t mask = 0;
    for (unsigned s = 0; s < RASTER_TARGET_SAMPLES; s++)
        mask |= (uint32_t)(samples[s] >> lane & 1) << s;
    return mask;
}

void mali_frag_warp_registers(const struct mali_frag_batch *b, uint32_t reg[WARP_REGISTERS][ISA_LANES])
{
    memset(reg, 0, sizeof(uint32_t[WARP_REGISTERS][ISA_LANES]));
    for (unsigned lane = 0; lane < ISA_LANES; lane++) {
        const uint32_t x = (uint32_t)b->px + raster_lane_x(lane), y = (uint32_t)b->py + raster_lane_y(lane);
        reg[MALI_REG_FRAGMENT_FACING][lane] = b->prim->reverse;
        reg[MALI_REG_FRAGMENT_POSITION][lane] = (x & 0xffff) | y << 16;
        reg[MALI_REG_FRAGMENT_COVERAGE][lane] = mali_frag_coverage(b->covered, lane);
        reg[MALI_REG_FRAGMENT_SAMPLES][lane] =
            reg[MALI_REG_FRAGMENT_COVERAGE][lane] | b->sample << MALI_FRAG_SAMPLE_AT;
    }
}

/* ---- where varyings are taken ---- */

/* The operand has a sample's number above the mask, or two signed numbers of 8.8 bits from the pixel's corner. Centroids
 * are where the batch takes its values, as on Midgard. */
static struct mali_frag_spot spot_of(const struct mali_frag_batch *b, uint8_t how, uint32_t operand,
                                     unsigned lane)
{
    struct mali_frag_spot s = {.lane = lane};
    int32_t x, y;
    switch (how) {
    case WARP_SAMPLE_CENTROID:
        s.dx = b->dx;
        s.dy = b->dy;
        break;
    case WARP_SAMPLE_SAMPLE:
        raster_samples_position(b->frag->tile->samples,
                                mali_frag_sample(b, operand >> MALI_FRAG_SAMPLE_AT & MALI_FRAG_SAMPLE_MASK),
                                &x, &y);
        s.dx = (float)x / 16.0f - 0.5f;
        s.dy = (float)y / 16.0f - 0.5f;
        break;
    case WARP_SAMPLE_EXPLICIT:
        s.dx = (float)(int16_t)operand / 256.0f - 0.5f;
        s.dy = (float)(int16_t)(operand >> 16) / 256.0f - 0.5f;
        break;
    default: break;
    }
    return s;
}

/* ---- varyings ---- */

static void halve_floats(uint32_t value[4])
{
    for (unsigned n = 0; n < 2; n++)
        value[n] = util_float_to_half(util_u2f(value[2 * n])) |
                   (uint32_t)util_float_to_half(util_u2f(value[2 * n + 1])) << 16;
    value[2] = value[3] = 0;
}

/* Words of a vertex: those beyond what it has are zeros (ours). */
static void words_at(const struct mali_frag_batch *b, bool flat, uint32_t offset,
                     const struct mali_frag_spot *s, unsigned count, uint32_t value[4])
{
    for (unsigned c = 0; c < count; c++) {
        const uint32_t word = offset / 4 + c;
        const uint8_t n = mali_frag_word_of(b->frag, flat, word);
        const unsigned at = b->frag->ahead + n;
        value[c] = n == FRAG_NO_SLOT ? 0
                   : flat            ? util_f2u(b->prim->vary_c[at])
                                     : util_f2u(mali_frag_interpolated(b, s, at));
    }
}

static bool is_known(const struct warp_asked *a, uint32_t offset)
{
    const bool words =
        a->source_format == VALHALL_SOURCE_FORMAT_FLAT32 || a->source_format == VALHALL_SOURCE_FORMAT_F32;
    return words && !(offset & 3) && (!a->halves || a->type == ISA_TYPE_F16);
}

static bool take_words(struct mali_frag_batch *b, const struct warp_message *m, unsigned lane,
                       const struct mali_frag_spot *s, uint32_t value[4], struct mali_stop *stop)
{
    const struct warp_asked *a = &m->asked;
    const uint32_t offset = m->operand[1][0][lane];
    if (!is_known(a, offset))
        return mali_stop_set(
            stop, MALI_ADDR_RANGE_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT, b->frag->world.address,
            "a varying at byte %u, of format %u, as type %u is not done", offset, a->source_format, a->type);
    words_at(b, a->source_format == VALHALL_SOURCE_FORMAT_FLAT32, offset, s, a->components, value);
    if (a->type == ISA_TYPE_F16 && !a->any_type)
        halve_floats(value);
    return true;
}

bool mali_frag_point_up(const struct mali_frag *f)
{
    const struct mali_frame *frame = &f->shared->payload->frame;
    return f->shared->job->version >= MALI_V9 ? frame->several.point_sprite_coord_origin_max_y
                                              : f->job.bindings.state.point_sprite_coord_origin_max_y;
}

/* x and y of the point, 1/w, z: as many as are asked for, from one on. */
static bool take_special(struct mali_frag_batch *b, const struct warp_message *m, unsigned lane,
                         const struct mali_frag_spot *s, uint32_t value[4], struct mali_stop *stop)
{
    const uint32_t which = m->operand[1][0][lane];
    uint32_t point[4], coord[4];
    if (which >= 4 || m->asked.halves)
        return mali_stop_set(stop, MALI_ADDR_RANGE_FAULT, GPU_FAULT_UNSUPPORTED, FRAG_UNIT,
                             b->frag->world.address, "special varying %u is not done", which);
    mali_frag_point(b, s, mali_frag_point_up(b->frag), point);
    mali_frag_coord(b, s, coord);
    const uint32_t all[4] = {point[0], point[1], coord[3], coord[2]};
    for (unsigned c = 0; c < 4 && which + c < 4; c++)
        value[c] = all[which + c];
    return true;
}

static bool take_varying(struct mali_frag_batch *b, const struct warp_message *m, unsigned lane,
                         const struct mali_frag_spot *s, uint32_t value[4], struct mali_stop *stop)
{
    const struct warp_asked *a = &m->asked;
    const struct mali_register_format as = mali_asked_format(a);
    switch (a->message) {
    case WARP_VARYING_BYTES: return take_words(b, m, lane, s, value, stop);
    case WARP_VARYING_SPECIAL: return take_special(b, m, lane, s, value, stop);
    default:
        if (!mali_frag_varying(b, m->operand[1][0][lane], s, (enum isa_type)a->type, a->any_type, value,
                               stop))
            return false;
        mali_registers_narrow(&as, value);
        return true;
    }
}

static bool varying(struct mali_frag_batch *b, const struct warp_message *m, uint16_t lanes,
                    uint32_t out[WARP_MESSAGE_WORDS][16], struct isa_place *place)
{
    if (m->asked.update == WARP_UPDATE_RETRIEVE || m->asked.update == WARP_UPDATE_CONDITIONAL)
        return mali_frag_refuse(b, lanes, "a varying where the one before was taken is not done, update",
                                m->asked.update, place);
    for (; lanes; lanes &= (uint16_t)(lanes - 1)) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        const struct mali_frag_spot spot = spot_of(b, m->asked.sample, m->operand[0][0][lane], lane);
        struct mali_stop stop = {0};
        uint32_t value[4] = {0};
        if (!take_varying(b, m, lane, &spot, value, &stop))
            return mali_world_refuse(&b->threads, lane, &stop, place);
        for (unsigned c = 0; c < 4; c++)
            out[c][lane] = value[c];
    }
    return true;
}

static bool message(void *ctx, const struct warp_message *m, uint16_t lanes,
                    uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *place)
{
    struct mali_frag_batch *b = ctx;
    switch (m->asked.message) {
    case WARP_VARYING:
    case WARP_VARYING_FLAT:
    case WARP_VARYING_BYTES:
    case WARP_VARYING_SPECIAL: return varying(b, m, lanes, out, place);
    case WARP_TILE:
    case WARP_STORE_TILE:
    case WARP_BLEND:
    case WARP_ATEST:
    case WARP_ZS_EMIT: return mali_frag_warp_message(b, m, lanes, out, leave, place);
    default: return b->all.message(ctx, m, lanes, out, leave, place);
    }
}

/* ---- special values ---- */

/* What ATEST is given is nothing that anybody else looks at. Width and height stand as two halves (ours). */
void mali_frag_special_words(const struct mali_frag *f, enum mali_special which, uint32_t word[2])
{
    const uint32_t t = mali_frag_special_target(which);
    const struct mali_targets *targets = f->shared->targets;
    const uint64_t places = f->shared->payload->frame.several.sample_locations;
    word[0] = word[1] = 0;
    if (t < MALI_TARGETS) {
        memcpy(word, f->target[t].words, sizeof f->target->words);
    } else if (which == MALI_SPECIAL_SIZE) {
        word[0] = (targets->width & 0xffff) | targets->height << 16;
    } else if (which == MALI_SPECIAL_SAMPLES) {
        word[0] = (uint32_t)places;
        word[1] = (uint32_t)(places >> 32);
    }
}

static void special(void *ctx, unsigned which, uint32_t out[2][16])
{
    const struct mali_frag_batch *b = ctx;
    const enum mali_special as = mali_special_of(b->frag->shared->job->version, which);
    uint32_t word[2];
    if (!mali_frag_has_special(as)) {
        b->all.special(ctx, which, out);
        return;
    }
    mali_frag_special_words(b->frag, as, word);
    for (unsigned lane = 0; lane < ISA_LANES; lane++)
        for (unsigned k = 0; k < 2; k++)
            out[k][lane] = word[k];
}

/* ---- all of them ---- */

void mali_frag_warp_ports(struct mali_frag_batch *b)
{
    b->all = b->threads.warp;
    b->threads.warp.special = special;
    b->threads.warp.message = message;
    b->threads.warp.far = mali_frag_warp_far;
}
