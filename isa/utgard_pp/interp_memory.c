/* Varyings, textures, uniforms, temporaries, frame buffer (README.md rules 7 to 10). */
#include <math.h>
#include <string.h>

#include "isa/utgard_pp/interp_internal.h"
#include "util/bits.h"

static uint32_t width_of(uint8_t align)
{
    return align == UTGARD_PP_FLOAT ? 1 : align == UTGARD_PP_VEC2 ? 2 : 4;
}

/* A scalar register as an index: toward zero, held to 16 bits; NaN is the least. Times `width`. */
static void offsets(const struct utgard_pp_machine *m, uint8_t reg, uint32_t width, int32_t out[16])
{
    for (unsigned l = 0; l < 16; l++) {
        float f = util_u2f(utgard_pp_machine_scalar(m, reg, l));
        f = f > -32768.0f ? f : -32768.0f;
        f = f < 32767.0f ? f : 32767.0f;
        out[l] = (int32_t)f * (int32_t)width;
    }
}

/* ---- varyings ---- */

static void divide(uint8_t perspective, uint32_t v[4][16])
{
    unsigned by = perspective == UTGARD_PP_DIVIDE_Z ? 2 : 3;
    for (unsigned l = 0; l < 16; l++) {
        float one_over = 1.0f / util_u2f(v[by][l]);
        for (unsigned n = 0; n < 4; n++)
            v[n][l] = util_f2u(util_u2f(v[n][l]) * one_over);
    }
}

static void plane(struct utgard_pp_machine *m, const struct utgard_pp_insn *i, uint32_t v[4][16])
{
    uint32_t width = width_of(i->varying.align), lane = 0;
    bool indexed = i->varying.vector != 15;
    int32_t offset[16];
    if (indexed)
        offsets(m, (uint8_t)(i->varying.vector << 2 | i->varying.scalar), width, offset);
    if (!m->ports->varying(m->ports->ctx, i->varying.index * width, indexed ? offset : NULL, width, m->lanes,
                           v, &lane))
        utgard_pp_machine_fault(m, UTGARD_PP_FAULT_ADDRESS, lane);
}

static void from_register(const struct utgard_pp_machine *m, const struct utgard_pp_insn *i,
                          uint32_t v[4][16])
{
    uint8_t swizzle = (uint8_t)(i->varying.scalar | i->varying.index << 2);
    for (unsigned n = 0; n < 4; n++)
        for (unsigned l = 0; l < 16; l++) {
            uint32_t x =
                utgard_pp_machine_scalar(m, (uint8_t)(i->varying.vector << 2 | (swizzle >> 2 * n & 3)), l);
            x = i->varying.absolute ? x & 0x7fffffff : x;
            v[n][l] = i->varying.negate ? x ^ 0x80000000 : x;
        }
}

/* Divided by the largest magnitude. */
/* The number of the two where one is none. */
static float larger(float x, float y)
{
    return x > y || isnan(y) ? x : y;
}

static void to_cube(uint32_t v[4][16])
{
    for (unsigned l = 0; l < 16; l++) {
        float x = fabsf(util_u2f(v[0][l])), y = fabsf(util_u2f(v[1][l])), z = fabsf(util_u2f(v[2][l]));
        float one_over = 1.0f / larger(larger(x, y), z);
        for (unsigned n = 0; n < 3; n++)
            v[n][l] = util_f2u(util_u2f(v[n][l]) * one_over);
    }
}

static void normalize(uint32_t v[4][16])
{
    for (unsigned l = 0; l < 16; l++) {
        float x = util_u2f(v[0][l]), y = util_u2f(v[1][l]), z = util_u2f(v[2][l]);
        float square = x * x, yy = y * y, zz = z * z;
        square = square + yy;
        square = square + zz;
        float one_over = 1.0f / sqrtf(square);
        for (unsigned n = 0; n < 3; n++)
            v[n][l] = util_f2u(util_u2f(v[n][l]) * one_over);
    }
}

static void cube_or_position(struct utgard_pp_machine *m, const struct utgard_pp_insn *i, uint32_t v[4][16])
{
    switch (i->varying.perspective) {
    case 0: plane(m, i, v); break;
    case 3: m->ports->fragcoord(m->ports->ctx, v); return;
    default: from_register(m, i, v);
    }
    if (i->varying.perspective == 2)
        normalize(v);
    else
        to_cube(v);
}

void utgard_pp_machine_varying(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    uint32_t v[4][16] = {{0}};
    switch (i->varying.type) {
    case UTGARD_PP_VARYING_CUBE: cube_or_position(m, i, v); break;
    case UTGARD_PP_VARYING_POINT:
        if (i->varying.perspective == 0)
            m->ports->pointcoord(m->ports->ctx, v);
        else
            m->ports->frontface(m->ports->ctx, v[0]);
        break;
    default:
        if (i->varying.type == UTGARD_PP_VARYING_PLANE)
            plane(m, i, v);
        else
            from_register(m, i, v);
        if (i->varying.perspective >= UTGARD_PP_DIVIDE_Z)
            divide(i->varying.perspective, v);
    }
    memcpy(m->coordinates, v, sizeof v);
    for (unsigned n = 0; i->varying.dest != UTGARD_PP_R_COORDINATES && n < 4; n++)
        if (i->varying.mask >> n & 1)
            utgard_pp_machine_write(m, i->varying.dest, n, v[n]);
}

/* ---- textures ---- */

static uint32_t sample_number(const struct utgard_pp_machine *m)
{
    for (uint32_t n = 0; n < m->program->sample_count; n++)
        if (m->program->samples[n].insn == m->insn)
            return n;
    return 0;
}

void utgard_pp_machine_sample(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    uint32_t lod[16], lane = 0, (*texel)[16] = m->special[UTGARD_PP_R_TEXTURE - UTGARD_PP_REGISTERS];
    int32_t offset[16];
    if (i->sampler.has_offset)
        offsets(m, i->sampler.offset, 1, offset);
    for (unsigned l = 0; l < 16; l++)
        lod[l] = utgard_pp_machine_scalar(m, i->sampler.lod, l);
    for (unsigned n = 0; n < 4; n++)
        utgard_pp_machine_fill_quads(m, m->coordinates[n]);
    utgard_pp_machine_fill_quads(m, lod);
    if (!m->ports->sample(m->ports->ctx, sample_number(m), i->sampler.has_offset ? offset : NULL,
                          m->coordinates, i->sampler.has_lod ? lod : NULL, m->lanes, texel, &lane))
        utgard_pp_machine_fault(m, UTGARD_PP_FAULT_ADDRESS, lane);
    for (unsigned n = 0; n < 4; n++)
        for (unsigned l = 0; l < 16; l++)
            texel[n][l] = utgard_pp_machine_result(m, texel[n][l]);
}

/* ---- memory ---- */

/* Vec4 and first component of a place in the temporaries, for one lane; false outside. */
static bool temporary_at(int64_t first, uint32_t width, uint32_t *vec4, uint32_t *component)
{
    first += UTGARD_PP_TEMPORARIES / 2 * 4;
    if (first < 0 || first + width > UTGARD_PP_TEMPORARIES * 4)
        return false;
    *vec4 = (uint32_t)first / 4;
    *component = (uint32_t)first % 4;
    return true;
}

static void load_temporary(struct utgard_pp_machine *m, const struct utgard_pp_insn *i,
                           const int32_t offset[16], uint32_t out[4][16])
{
    uint32_t width = width_of(i->load.align), vec4, c;
    for (unsigned l = 0; l < 16; l++) {
        int64_t first = (int64_t)(int16_t)i->load.index * width + offset[l];
        if (!(m->lanes >> l & 1))
            continue;
        if (!temporary_at(first, width, &vec4, &c)) {
            utgard_pp_machine_fault(m, UTGARD_PP_FAULT_ADDRESS, l);
            continue;
        }
        for (uint32_t n = 0; n < width; n++)
            out[n][l] = m->temporary[vec4][c + n][l];
    }
}

void utgard_pp_machine_load(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    uint32_t width = width_of(i->load.align), lane = 0;
    uint32_t(*out)[16] = m->special[UTGARD_PP_R_UNIFORM - UTGARD_PP_REGISTERS];
    int32_t offset[16] = {0};
    if (i->load.has_offset)
        offsets(m, i->load.offset, width, offset);
    if (i->load.source == UTGARD_PP_SOURCE_TEMPORARY)
        load_temporary(m, i, offset, out);
    else if (i->load.source != UTGARD_PP_SOURCE_UNIFORM)
        utgard_pp_machine_fault(m, UTGARD_PP_FAULT_RESERVED, (unsigned)__builtin_ctz(m->lanes));
    else if (!m->ports->uniform(m->ports->ctx, i->load.index * width, i->load.has_offset ? offset : NULL,
                                width, m->lanes, out, &lane))
        utgard_pp_machine_fault(m, UTGARD_PP_FAULT_ADDRESS, lane);
}

static void read_frame_buffer(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    uint32_t color[4][16];
    if (!i->store.fb_source) {
        m->ports->depth(m->ports->ctx, color[0]);
        utgard_pp_machine_write(m, i->store.fb_dest, 0, color[0]);
        return;
    }
    m->ports->color(m->ports->ctx, color);
    for (unsigned n = 0; n < 4; n++)
        utgard_pp_machine_write(m, i->store.fb_dest, n, color[n]);
}

void utgard_pp_machine_store(struct utgard_pp_machine *m, const struct utgard_pp_insn *i)
{
    uint32_t width = width_of(i->store.align), vec4, c;
    int32_t offset[16] = {0};
    if (i->store.frame_buffer) {
        read_frame_buffer(m, i);
        return;
    }
    if (i->store.dest != 3) {
        utgard_pp_machine_fault(m, UTGARD_PP_FAULT_RESERVED, (unsigned)__builtin_ctz(m->lanes));
        return;
    }
    if (i->store.has_offset)
        offsets(m, i->store.offset, width, offset);
    for (unsigned l = 0; l < 16; l++) {
        int64_t first = (int64_t)(int16_t)i->store.index * width + offset[l];
        uint8_t from = width == 1   ? i->store.source
                       : width == 2 ? i->store.source & 0x3e
                                    : i->store.source & 0x3c;
        if (!(m->lanes >> l & 1))
            continue;
        if (!temporary_at(first, width, &vec4, &c)) {
            utgard_pp_machine_fault(m, UTGARD_PP_FAULT_ADDRESS, l);
            continue;
        }
        for (uint32_t n = 0; n < width; n++)
            m->temporary[vec4][c + n][l] = utgard_pp_machine_scalar(m, (uint8_t)(from + n), l);
    }
}
