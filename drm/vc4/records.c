/* Shader records and uniform streams (Guide table 45; layout of the streams: vc4_drm.h). Each record of the
 * program is preceded by buffer indices - fragment, vertex, coordinate program, then one an attribute - and
 * each program has its piece of the uniform stream: texture buffer indices, then the words themselves. */
#include "drm/vc4/internal.h"

#include <errno.h>

enum { PROGRAMS = 3, MAX_ATTRIBUTES = 8, SINGLE_THREAD_FS = 1 };

struct cursor {
    struct drm_vc4_exec *exec;
    const uint8_t *record, *uniforms;    /* as passed */
    uint32_t record_left, uniforms_left; /* bytes */
    uint32_t record_out, uniforms_out;   /* in exec->out */
};

static unsigned attribute_count(uint32_t bits)
{
    return bits & 7 ? bits & 7 : 8;
}

static bool is_extended(uint32_t bits)
{
    return bits & 8;
}

uint32_t drm_vc4_record_size(uint32_t bits)
{
    return is_extended(bits) ? 100 + attribute_count(bits) * 4 : 36 + attribute_count(bits) * 8;
}

static const struct drm_vc4_shader *shader_of(const struct cursor *c, uint32_t index, uint32_t *address)
{
    const struct drm_bo *bo = index < c->exec->job.buffer_count ? c->exec->job.buffers[index].bo : NULL;
    if (!bo)
        return NULL;
    *address = (uint32_t)bo->offset;
    return drm_vc4_shader_of(bo);
}

/* Copies a program's uniforms and puts addresses into them; advances both streams. */
static int place_uniforms(struct cursor *c, const struct drm_vc4_shader *shader)
{
    struct drm_vc4_exec *exec = c->exec;
    uint64_t handles = 4ull * shader->sample_count;
    if (handles + shader->uniform_bytes > c->uniforms_left) {
        drm_vc4_debug(exec, "uniform stream is too short");
        return -EINVAL;
    }
    const uint8_t *words = c->uniforms + handles;
    uint8_t *out = exec->out + c->uniforms_out;
    memcpy(out, words, shader->uniform_bytes);
    for (uint32_t i = 0; i < shader->sample_count; i++)
        if (!drm_vc4_relocate_texture(exec, &shader->samples[i], util_load32(c->uniforms + i * 4), words,
                                      out))
            return -EINVAL;
    for (uint32_t i = 0; i < shader->address_count; i++)
        util_store32(out + shader->addresses[i] * 4ull, exec->out_address + c->uniforms_out);
    c->uniforms += handles + shader->uniform_bytes;
    c->uniforms_left -= (uint32_t)handles + shader->uniform_bytes;
    c->uniforms_out += shader->uniform_bytes;
    return 0;
}

static int place_programs(struct cursor *c, const uint8_t *handles, const uint8_t *in, uint8_t *out)
{
    static const struct {
        const char *name;
        uint8_t code, uniforms; /* byte offsets in the record */
    } programs[PROGRAMS] = {{"fragment", 4, 8}, {"vertex", 16, 20}, {"coordinate", 28, 32}};
    for (unsigned i = 0; i < PROGRAMS; i++) {
        uint32_t address;
        const struct drm_vc4_shader *shader = shader_of(c, util_load32(handles + i * 4), &address);
        if (!shader) {
            drm_vc4_debug(c->exec, "no %s program in buffer index %u", programs[i].name,
                          util_load32(handles + i * 4));
            return -EINVAL;
        }
        bool threaded = i == 0 && !(util_load16(in) & SINGLE_THREAD_FS);
        if (shader->threaded != threaded) {
            drm_vc4_debug(c->exec, "%s program and record disagree about threading", programs[i].name);
            return -EINVAL;
        }
        if (util_load32(in + programs[i].code)) {
            drm_vc4_debug(c->exec, "%s program does not start its buffer", programs[i].name);
            return -EINVAL;
        }
        util_store32(out + programs[i].code, address);
        util_store32(out + programs[i].uniforms, c->exec->out_address + c->uniforms_out);
        int r = place_uniforms(c, shader);
        if (r)
            return r;
    }
    return 0;
}

static int place_attribute(struct cursor *c, const struct drm_vc4_state *state, unsigned i, uint32_t index,
                           const uint8_t *in, uint8_t *out)
{
    const struct drm_bo *bo = drm_vc4_use_bo(c->exec, index);
    if (!bo)
        return -EINVAL;
    uint32_t at = 36 + i * 8, offset = util_load32(in + at), size = in[at + 4] + 1u, stride = in[at + 5];
    if (is_extended(state->bits))
        stride |= util_load32(in + 100 + i * 4) & ~0xffu;
    if (!util_in_range(offset, size, bo->size)) {
        drm_vc4_debug(c->exec, "attribute %u starts outside its buffer", i);
        return -EINVAL;
    }
    uint64_t last = stride ? (bo->size - offset - size) / stride : UINT64_MAX;
    if (state->max_index > last) {
        drm_vc4_debug(c->exec, "vertex %u of attribute %u lies outside its buffer (last is %llu)",
                      state->max_index, i, (unsigned long long)last);
        return -EINVAL;
    }
    util_store32(out + at, (uint32_t)bo->offset + offset);
    return 0;
}

static int place_record(struct cursor *c, const struct drm_vc4_state *state)
{
    unsigned attributes = attribute_count(state->bits);
    uint32_t handle_bytes = (PROGRAMS + attributes) * 4, size = drm_vc4_record_size(state->bits);
    if (handle_bytes + size > c->record_left) {
        drm_vc4_debug(c->exec, "shader records are too short");
        return -EINVAL;
    }
    const uint8_t *handles = c->record, *in = c->record + handle_bytes;
    uint8_t *out = c->exec->out + c->record_out;
    memcpy(out, in, size);
    int r = place_programs(c, handles, in, out);
    for (unsigned i = 0; !r && i < attributes; i++)
        r = place_attribute(c, state, i, util_load32(handles + (PROGRAMS + i) * 4), in, out);
    c->record += handle_bytes + size;
    c->record_left -= handle_bytes + size;
    c->record_out += (uint32_t)util_align(size, 16); /* flags stand in the low bits of its address */
    return r;
}

int drm_vc4_validate_records(struct drm_vc4_exec *exec)
{
    struct cursor c = {exec,
                       exec->records,
                       exec->uniforms,
                       exec->args->shader_rec_size,
                       exec->args->uniforms_size,
                       exec->records_at,
                       exec->uniforms_at};
    int r = 0;
    for (uint32_t i = 0; !r && i < exec->state_count; i++)
        r = place_record(&c, &exec->states[i]);
    return r;
}
