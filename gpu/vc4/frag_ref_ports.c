/* What a block's program meets in the reference path: the ports of one block, in the order of Guide sections
 * 4 to 6. frag_watch.c puts itself between where somebody looks on. */
#include "gpu/vc4/frag_ref_internal.h"

#include <string.h>

#include "gpu/vc4/frag_internal.h"
#include "raster/coverage.h"
#include "util/bits.h"

#define LANES VC4_QPU_LANES

/* ---- uniforms, varyings, coordinates ---- */

static enum vc4_qpu_fault port_uniform(void *ctx, uint32_t address, uint32_t *value,
                                       struct vc4_qpu_report *report)
{
    const struct vc4_frag_ref *ref = ((struct vc4_ref_batch *)ctx)->ref;
    uint32_t offset = address - ref->uniforms_at;

    report->address = address;
    if (address & 3)
        return VC4_QPU_FAULT_UNIFORM;
    if (ref->uniforms && offset / 4 < ref->program->uniform_count) {
        *value = ref->uniforms[offset / 4];
        return VC4_QPU_OK;
    }
    const uint8_t *at = gpu_memory_at(ref->memory, address, 4);
    if (!at)
        return VC4_QPU_FAULT_UNIFORM;
    *value = util_load32(at);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_varying(void *ctx, uint32_t n, uint32_t vary[LANES], uint32_t c[LANES],
                                       struct vc4_qpu_report *report)
{
    const struct vc4_ref_batch *batch = ctx;
    const struct raster_prim *prim = batch->prim;

    if (n >= RASTER_MAX_VARYINGS)
        return VC4_QPU_FAULT_RESERVED;
    for (unsigned lane = 0; lane < LANES; lane++) {
        vary[lane] = util_f2u(raster_vary_at(prim, batch->px, batch->py, lane, n));
        c[lane] = util_f2u(prim->vary_c[n]);
    }
    return VC4_QPU_OK;
}

static void port_coordinates(void *ctx, uint32_t x[LANES], uint32_t y[LANES])
{
    const struct vc4_ref_batch *batch = ctx;

    for (unsigned lane = 0; lane < LANES; lane++) {
        x[lane] = (uint32_t)batch->px + raster_lane_x(lane);
        y[lane] = (uint32_t)batch->py + raster_lane_y(lane);
    }
}

static void port_flags(void *ctx, uint32_t ms_mask[LANES], uint32_t rev_flag[LANES])
{
    const struct vc4_ref_batch *batch = ctx;

    for (unsigned lane = 0; lane < LANES; lane++) {
        ms_mask[lane] = 0;
        for (unsigned k = 0; k < batch->tile->samples; k++)
            ms_mask[lane] |= (batch->live[k] >> lane & 1u) << k;
        rev_flag[lane] = batch->prim->reverse;
    }
}

/* A program may narrow the samples it writes, not widen them. */
static enum vc4_qpu_fault port_set_ms_mask(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                           struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;

    for (unsigned k = 0; k < batch->tile->samples; k++)
        for (unsigned lane = 0; lane < LANES; lane++)
            if ((lanes >> lane & 1) && !(value[lane] >> k & 1))
                batch->live[k] &= (uint16_t)~(1u << lane);
    return VC4_QPU_OK;
}

/* ---- the texture unit ---- */

/* Guide section 4: "the bottom two bits of the address are ignored". */
static enum vc4_qpu_fault raw_lookup(const struct vc4_ref_batch *batch, const uint32_t address[LANES],
                                     uint32_t out[LANES], struct vc4_qpu_report *report)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint8_t *at = gpu_memory_at(batch->ref->memory, address[lane] & ~3u, 4);
        if (!at) {
            report->lane = lane;
            report->address = address[lane];
            return VC4_QPU_FAULT_MEMORY;
        }
        out[lane] = util_load32(at);
    }
    return VC4_QPU_OK;
}

/* The decoded set-up of these words, from the draw's or into `scratch`; NULL when it is invalid. */
static const struct vc4_known_texture *find_texture(struct vc4_ref_batch *batch, const uint32_t *params,
                                                    unsigned count, bool has_r, bool has_b,
                                                    struct vc4_known_texture *scratch)
{
    const struct vc4_frag_ref *ref = batch->ref;

    for (uint32_t i = 0; i < ref->program->sample_count; i++) {
        const struct vc4_known_texture *known = &ref->textures[i];
        if (known->valid && known->param_count == count && known->has_r == has_r && known->has_b == has_b &&
            !memcmp(known->params, params, count * sizeof *params))
            return known;
    }
    if (!vc4_texture_decode(ref->memory, params, count, has_r, has_b, &scratch->key, &scratch->texture,
                            &batch->texture_fault))
        return NULL;
    return scratch;
}

static const float *as_floats(const uint32_t *words, float out[LANES])
{
    if (!words)
        return NULL;
    memcpy(out, words, LANES * sizeof *out);
    return out;
}

static enum vc4_qpu_fault port_tmu_request(void *ctx, unsigned unit, const uint32_t *s, const uint32_t *t,
                                           const uint32_t *r, const uint32_t *b, const uint32_t *params,
                                           unsigned param_count, struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    struct vc4_known_texture scratch;
    float coordinate[4][LANES];

    if (batch->counts)
        batch->counts->texture += LANES / 4;
    uint32_t *out = batch->tmu[unit].result[batch->tmu[unit].count++];
    if (!param_count)
        return raw_lookup(batch, s, out, report);
    const struct vc4_known_texture *known = find_texture(batch, params, param_count, r, b, &scratch);
    if (!known)
        return VC4_QPU_FAULT_MEMORY;
    raster_texture_sample(&known->key, &known->texture, as_floats(s, coordinate[0]),
                          as_floats(t, coordinate[1]), as_floats(r, coordinate[2]),
                          as_floats(b, coordinate[3]), out);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_tmu_load(void *ctx, unsigned unit, uint32_t out[LANES],
                                        struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    uint32_t(*result)[LANES] = batch->tmu[unit].result;

    memcpy(out, result[0], sizeof result[0]);
    memmove(result[0], result[1], --batch->tmu[unit].count * sizeof result[0]);
    return VC4_QPU_OK;
}

/* ---- the tile buffer ---- */

static enum vc4_qpu_fault port_stencil(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                       struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;

    if (lanes)
        vc4_frag_stencil_word(batch->test.face, value[__builtin_ctz(lanes)]);
    return VC4_QPU_OK;
}

/* What the tests to come will find. */
static void count_tests(const struct vc4_ref_batch *batch, const uint32_t value[LANES], uint16_t lanes)
{
    struct raster_zs stencil = batch->test;
    uint32_t tested = 0, stencil_pass = 0, pass = 0;

    stencil.depth_func = RASTER_ALWAYS;
    for (unsigned k = 0; k < batch->tile->samples; k++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t word = batch->zs[k * LANES + lane], other = word;

            if (!((lanes & batch->live[k]) >> lane & 1))
                continue;
            tested |= 1u << lane;
            stencil_pass |= (uint32_t)raster_zs_test(&stencil, batch->prim->reverse, 0, &word) << lane;
            pass |=
                (uint32_t)raster_zs_test(&batch->test, batch->prim->reverse, value[lane] & 0xffffff, &other)
                << lane;
        }
    batch->counts->stencil_fail += vc4_ref_quads(tested) - vc4_ref_quads(stencil_pass);
    batch->counts->zs_fail += vc4_ref_quads(tested) - vc4_ref_quads(pass);
    batch->counts->zs_pass += vc4_ref_quads(pass);
}

/* Tests each live sample of the lanes written; those that fail are live no more (Guide section 5). */
static enum vc4_qpu_fault port_z(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                 struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;

    if (batch->counts)
        count_tests(batch, value, lanes);
    for (unsigned k = 0; k < batch->tile->samples; k++)
        for (unsigned lane = 0; lane < LANES; lane++)
            if ((lanes & batch->live[k]) >> lane & 1 &&
                !raster_zs_test(&batch->test, batch->prim->reverse, value[lane] & 0xffffff,
                                &batch->zs[k * LANES + lane]))
                batch->live[k] &= (uint16_t)~(1u << lane);
    return VC4_QPU_OK;
}

/* A word of each pixel's sample; a sample of 64-bit colour has two, `part` 0 and 1. */
static uint32_t *color_words(const struct vc4_ref_batch *batch, unsigned sample, unsigned part)
{
    return batch->color + (size_t)(batch->ref->config.rgba16f ? sample * 2 + part : sample) * LANES;
}

static void write_sample(struct vc4_ref_batch *batch, unsigned sample, unsigned part,
                         const uint32_t value[LANES], uint16_t lanes)
{
    uint32_t *words = color_words(batch, sample, part);

    batch->written |= lanes & batch->live[sample];

    for (unsigned lane = 0; lane < LANES; lane++)
        if ((lanes & batch->live[sample]) >> lane & 1)
            words[lane] = value[lane];
}

static enum vc4_qpu_fault port_color_write(void *ctx, bool all, const uint32_t value[LANES], uint16_t lanes,
                                           struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    unsigned samples = batch->tile->samples, parts = batch->ref->config.rgba16f ? 2 : 1;
    unsigned n = all && parts == 1 ? 0 : batch->color_writes++;

    if (!all) {
        write_sample(batch, n / parts % samples, n % parts, value, lanes);
        return VC4_QPU_OK;
    }
    for (unsigned k = 0; k < samples; k++)
        write_sample(batch, k, n % parts, value, lanes);
    return VC4_QPU_OK;
}

static enum vc4_qpu_fault port_color_load(void *ctx, uint32_t out[LANES], struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    unsigned parts = batch->ref->config.rgba16f ? 2 : 1, n = batch->color_loads++;

    memcpy(out, color_words(batch, n / parts % batch->tile->samples, n % parts), LANES * sizeof *out);
    return VC4_QPU_OK;
}

/* ---- coverage and the VG mask: tiles of one sample ---- */

/* Guide section 5: "the existing contents may either be preserved or cleared"; of the pixels that the
 * primitive covers. */
static enum vc4_qpu_fault port_coverage_load(void *ctx, uint32_t out[LANES], struct vc4_qpu_report *report)
{
    struct vc4_ref_batch *batch = ctx;
    const struct vc4_frag_config *config = &batch->ref->config;
    uint32_t covered = 0;

    if (batch->tile->samples > 1) /* "undefined behavior" */
        return VC4_QPU_FAULT_UNSUPPORTED;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t word = batch->zs[lane];

        out[lane] =
            config->coverage_mask ? raster_coverage_mask(word) : raster_coverage_level(word) * 0x01010101u;
        covered |= (uint32_t)(word && batch->live[0] >> lane & 1) << lane;
        if (!config->coverage_leave && batch->live[0] >> lane & 1)
            batch->zs[lane] = 0;
    }
    if (batch->counts) {
        batch->counts->coverage += vc4_ref_quads(covered);
        batch->counts->no_coverage += vc4_ref_quads(batch->live[0]) - vc4_ref_quads(covered);
    }
    return VC4_QPU_OK;
}

static uint8_t *mask_of(const struct vc4_ref_batch *batch)
{
    return batch->tile->mask + (batch->zs - batch->tile->zs) / batch->tile->samples;
}

/* One byte in all four, as coverage comes; all ones when there is no mask buffer. */
static enum vc4_qpu_fault port_alpha_mask_load(void *ctx, uint32_t out[LANES], struct vc4_qpu_report *report)
{
    const struct vc4_ref_batch *batch = ctx;
    const uint8_t *mask = mask_of(batch);

    for (unsigned lane = 0; lane < LANES; lane++)
        out[lane] = batch->ref->config.has_mask ? mask[lane] * 0x01010101u : UINT32_MAX;
    return VC4_QPU_OK;
}

/* The low byte of what is written. */
static enum vc4_qpu_fault port_alpha_mask(void *ctx, const uint32_t value[LANES], uint16_t lanes,
                                          struct vc4_qpu_report *report)
{
    const struct vc4_ref_batch *batch = ctx;
    uint8_t *mask = mask_of(batch);
    uint16_t live = 0;

    for (unsigned k = 0; k < batch->tile->samples; k++)
        live |= batch->live[k];
    for (unsigned lane = 0; lane < LANES && batch->ref->config.has_mask; lane++)
        if ((lanes & live) >> lane & 1)
            mask[lane] = (uint8_t)value[lane];
    return VC4_QPU_OK;
}

const struct vc4_qpu_ports vc4_ref_ports = {
    .uniform = port_uniform,
    .varying = port_varying,
    .coordinates = port_coordinates,
    .flags = port_flags,
    .set_ms_mask = port_set_ms_mask,
    .tmu_request = port_tmu_request,
    .tmu_load = port_tmu_load,
    .tlb_stencil = port_stencil,
    .tlb_z = port_z,
    .color_write = port_color_write,
    .color_load = port_color_load,
    .coverage_load = port_coverage_load,
    .alpha_mask = port_alpha_mask,
    .alpha_mask_load = port_alpha_mask_load,
};
