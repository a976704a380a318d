/* A draw's fragment stage, prepared: program, uniforms, textures, varyings, and code. */
#include "gpu/utgard/frag.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "gpu/utgard/frag_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"
#include "util/half.h"

#define UNIT "fragment program"

void *utgard_frag_alloc(struct utgard_frag_shared *shared, size_t size)
{
    void *memory = util_arena_alloc(shared->arena, size);

    return memory ? memset(memory, 0, size) : NULL;
}

/* ---- uniforms ---- */

static int read_uniforms(struct utgard_frag *frag, const struct gpu_space *space,
                         struct utgard_frag_shared *shared, struct gpu_fault *fault)
{
    const struct utgard_pp_program *program = frag->program;
    uint32_t count = program->indexed_uniforms ? frag->state.uniform_bytes / 2 : program->uniforms;
    const uint8_t *at = NULL;
    uint32_t address = 0;

    count = UTIL_MAX(count, program->uniforms);
    if (!count)
        return 0;
    at = frag->state.uniforms ? gpu_space_at(space, frag->state.uniforms, 4, GPU_RIGHT_READ) : NULL;
    if (at) {
        address = util_load32(at);
        at = gpu_space_at(space, address, count * 2ull, GPU_RIGHT_READ);
    }
    if (!at) {
        utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, address, "%u uniforms are not in memory", count);
        return -EFAULT;
    }
    frag->uniforms = utgard_frag_alloc(shared, count * sizeof(float));
    if (!frag->uniforms)
        return -ENOMEM;
    for (uint32_t n = 0; n < count; n++)
        frag->uniforms[n] = util_half_to_float(util_half_flushed(util_load16(at + 2ull * n)));
    frag->head.uniform_count = count;
    return 0;
}

/* ---- textures ---- */

static uint8_t lod_of(const struct utgard_pp_sample *sample)
{
    if (!sample->has_lod)
        return RASTER_LOD_IMPLICIT;
    return sample->explicit_lod ? RASTER_LOD_EXPLICIT : RASTER_LOD_BIAS;
}

/* Texture `number` of the state's as the sample asks for it, to place `at`. */
static int read_texture(struct utgard_frag *frag, const struct gpu_space *space,
                        const struct utgard_pp_sample *sample, uint32_t number, uint32_t at,
                        struct gpu_fault *fault)
{
    const uint8_t *entry;

    if (number >= frag->state.texture_count) {
        utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, frag->address, "sampler %u of %u", number,
                         frag->state.texture_count);
        return -EFAULT;
    }
    entry = gpu_space_at(space, frag->state.textures + number * 4ull, 4, GPU_RIGHT_READ);
    if (!entry) {
        utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, frag->state.textures,
                         "the list of textures is outside memory");
        return -EFAULT;
    }
    return utgard_texture_read(space, util_load32(entry), lod_of(sample), sample->cube, &frag->keys[at],
                               &frag->textures[at], fault)
               ? 0
               : -EFAULT;
}

/* Where those begin that a register chooses from, for all samples that ask alike. */
static uint32_t choices(const struct utgard_frag *frag, const struct utgard_pp_sample *sample)
{
    return frag->program->sample_count + (lod_of(sample) * 2u + sample->cube) * UTGARD_MAX_TEXTURES;
}

uint32_t utgard_frag_choice(const struct utgard_frag *frag, uint32_t n, int32_t offset)
{
    const struct utgard_pp_sample *sample = &frag->program->samples[n];
    int64_t number = (int64_t)sample->sampler + offset;
    uint32_t at;

    if (!sample->indexed)
        return n;
    if (number < 0 || number >= frag->state.texture_count)
        return UINT32_MAX;
    at = choices(frag, sample) + (uint32_t)number;
    return frag->textures[at].level_count ? at : UINT32_MAX;
}

/* All that there are: which of them are asked for is not known before. Those that cannot be are without
 * levels; that is a fault of who chooses them. */
static void read_choices(struct utgard_frag *frag, const struct gpu_space *space,
                         const struct utgard_pp_sample *sample)
{
    struct gpu_fault unheard;

    for (uint32_t n = 0; n < frag->state.texture_count; n++)
        if (read_texture(frag, space, sample, n, choices(frag, sample) + n, &unheard))
            frag->textures[choices(frag, sample) + n].level_count = 0;
}

static int read_textures(struct utgard_frag *frag, const struct gpu_space *space,
                         struct utgard_frag_shared *shared, struct gpu_fault *fault)
{
    const struct utgard_pp_program *program = frag->program;
    uint32_t count = program->sample_count, asked = 0;
    int status = 0;

    if (!count)
        return 0;
    if (program->indexed_samplers)
        count += UTGARD_LOOKUP_VARIANTS * UTGARD_MAX_TEXTURES;
    frag->keys = utgard_frag_alloc(shared, count * sizeof *frag->keys);
    frag->textures = utgard_frag_alloc(shared, count * sizeof *frag->textures);
    if (!frag->keys || !frag->textures)
        return -ENOMEM;
    for (uint32_t n = 0; n < program->sample_count && !status; n++) {
        const struct utgard_pp_sample *sample = &program->samples[n];
        uint32_t variant = 1u << (lod_of(sample) * 2 + sample->cube);

        if (!sample->indexed)
            status = read_texture(frag, space, sample, sample->sampler, n, fault);
        else if (!(asked & variant))
            read_choices(frag, space, sample);
        asked |= sample->indexed ? variant : 0;
    }
    return status;
}

/* ---- varyings ---- */

static uint32_t slot_components(uint8_t type)
{
    return type == UTGARD_VARYING_F32X4 || type == UTGARD_VARYING_F16X4 ? 4 : 2;
}

/* Which of the vertices' components the program reads get a place among the primitive's varyings. What it
 * reads of components that no slot has is zero. */
static void place_varyings(struct utgard_frag *frag, bool points)
{
    const struct utgard_pp_program *program = frag->program;
    uint32_t first = points && program->pointcoord ? 2 : 0;

    static_assert(2 + UTGARD_MAX_SLOTS * 4 + 3 <= RASTER_MAX_VARYINGS,
                  "room for all slots and a point's coordinates");
    frag->head.points = first != 0;
    memset(frag->head.vary, UTGARD_NO_VARYING, sizeof frag->head.vary);
    for (uint32_t c = 0; c < frag->state.slot_count * 4; c++) {
        bool exists = (c & 3) < slot_components(frag->state.slot[c / 4].type);

        if (!exists || !(program->indexed_varyings || program->varyings >> c & 1))
            continue;
        frag->head.vary[c] = (uint8_t)(first + frag->vary_count);
        frag->component[frag->vary_count++] = (uint8_t)c;
    }
    utgard_frag_plan_fetch(frag);
}

/* ---- all of it ---- */

static void fill_head(struct utgard_frag *frag, const struct utgard_frag_config *config)
{
    const struct utgard_state *state = &frag->state;
    struct utgard_frag_head *head = &frag->head;

    head->zs = state->zs;
    head->blend = state->blend;
    head->samples = (uint8_t)config->samples;
    head->numeric = (uint8_t)config->numeric;
    head->version = UTGARD_FRAG_VERSION;
    head->target = config->rgba16f ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
    head->sample_mask = state->sample_mask;
    head->alpha_func = state->alpha_func;
    head->alpha_to_coverage = state->alpha_to_coverage && config->samples > 1;
    head->alpha_to_one = state->alpha_to_one;
    head->depth_program = state->depth_program;
    head->stencil_program = state->stencil_program;
    head->whole = state->whole;
    head->depth_register = state->depth_register;
    head->color_register = state->color_register[0];
    head->second_register = state->second_register < UTGARD_PP_REGISTERS ? state->second_register : 0;
    if (head->stencil_program) {
        head->stencil_mask = state->zs.face[0].enable ? state->zs.face[0].write_mask : 0;
        memset(head->zs.face, 0, sizeof head->zs.face);
    }
    head->early = !frag->program->discards && state->alpha_func == RASTER_ALWAYS && !state->depth_program &&
                  !state->stencil_program && !head->alpha_to_coverage && !frag->program->reads_depth;
    head->sample_count = frag->program->sample_count;
    head->word_count = frag->program->word_count;
}

static int prepare(struct utgard_frag *frag, const struct gpu_space *space,
                   const struct utgard_frag_config *config, struct gpu_fault *fault)
{
    int status = utgard_frag_take_program(frag, space, config->shared, fault);

    if (!status)
        status = read_uniforms(frag, space, config->shared, fault);
    if (!status)
        status = read_textures(frag, space, config->shared, fault);
    if (status)
        return status;
    place_varyings(frag, config->points);
    fill_head(frag, config);
    return 0;
}

/* What compiled code has no way to do. */
static bool for_reference(const struct utgard_frag *frag)
{
    bool apart = false;

    for (unsigned k = 1; k < frag->head.samples; k++)
        apart |= frag->state.color_register[k] != frag->head.color_register;
    return apart || frag->program->indexed_samplers;
}

int utgard_frag_prepare(const struct gpu_space *space, struct jit_engine *engine,
                        const struct utgard_state *state, const struct utgard_frag_config *config,
                        struct utgard_frag **out, struct gpu_fault *fault)
{
    struct utgard_frag *frag = utgard_frag_alloc(config->shared, sizeof *frag);
    int status = -ENOMEM;

    *out = NULL;
    if (frag) {
        frag->state = *state;
        frag->address = state->program;
        fault->kind = GPU_FAULT_NONE;
        status = prepare(frag, space, config, fault);
    }
    if (status) {
        if (status == -ENOMEM)
            utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, state->program, "no host memory");
        return status;
    }
    frag->args = (struct utgard_frag_args){.uniforms = frag->uniforms,
                                           .textures = frag->textures,
                                           .blend_color = state->blend_color,
                                           .alpha_ref = state->alpha_ref,
                                           .fuel = config->fuel,
                                           .y_scale = config->y_scale,
                                           .y_offset = config->y_offset};
    utgard_frag_begin_shader(frag);
    /* Whatever it is that keeps it from being compiled, the reference path serves. */
    frag->engine = for_reference(frag) ? NULL : engine;
    if (frag->engine && !utgard_frag_take_code(frag, config->in_order))
        frag->engine = NULL;
    *out = frag;
    return 0;
}

bool utgard_frag_compiled(const struct utgard_frag *frag)
{
    return frag->engine;
}

const struct utgard_state *utgard_frag_state(const struct utgard_frag *frag)
{
    return &frag->state;
}

const struct raster_shader *utgard_frag_shader(const struct utgard_frag *frag)
{
    return &frag->shader;
}

uint32_t utgard_frag_varyings(const struct utgard_frag *frag)
{
    return frag->vary_count;
}

bool utgard_frag_wants_point(const struct utgard_frag *frag)
{
    return frag->head.points;
}
