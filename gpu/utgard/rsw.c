/* Render states: words to fields, fields to raster/'s terms. */
#include "gpu/utgard/rsw.h"

#include <assert.h>
#include <string.h>

#include "gpu/record.h"
#include "gpu/utgard/pp_fault.h"
#include "isa/utgard_pp/insn.h"
#include "util/bits.h"

#define UNIT "render state"

GPU_NAMES(functions, "never", "less", "equal", "less or equal", "greater", "not equal", "greater or equal",
          "always");
GPU_NAMES(operations, "keep", "replace", "zero", "invert", "increment wrapping", "decrement wrapping",
          "increment", "decrement");
GPU_NAMES(blends, "subtract", "reverse subtract", "add", "logic operation", "least", "greatest");
GPU_NAMES(kinds, "points", "lines", "triangles");
/* Bit 3 inverts, bit 4 takes alpha. */
#define COLOR_FACTORS                                                                                        \
    "source", "destination", "constant", "zero", "source alpha saturated", "second source", NULL, NULL,      \
        "1 - source", "1 - destination", "1 - constant", "one", "1 - source alpha saturated",                \
        "1 - second source", NULL, NULL
#define ALPHA_FACTORS                                                                                        \
    "source alpha", "destination alpha", "constant alpha", "zero", "source alpha saturated",                 \
        "second source alpha", NULL, NULL, "1 - source alpha", "1 - destination alpha",                      \
        "1 - constant alpha", "one", "1 - source alpha saturated", "1 - second source alpha"
GPU_NAMES(factors, COLOR_FACTORS, ALPHA_FACTORS);
GPU_NAMES(alpha_factors, ALPHA_FACTORS);

static const struct gpu_record_field fields[] = {
#define FIELD(name, word, low, bits, kind, names, what)                                                      \
    {#name,                                                                                                  \
     what,                                                                                                   \
     names,                                                                                                  \
     (word) * 32 + (low),                                                                                    \
     0,                                                                                                      \
     bits,                                                                                                   \
     0,                                                                                                      \
     GPU_RECORD_##kind,                                                                                      \
     .to = offsetof(struct utgard_rsw, name)},
#include "gpu/utgard/rsw.inc"
#undef FIELD
};

void utgard_rsw_unpack(const uint32_t words[UTGARD_RSW_WORDS], struct utgard_rsw *out)
{
#define FIELD(name, word, low, bits, kind, names, what)                                                      \
    out->name = (uint32_t)util_bits(words[word], low, bits);
#include "gpu/utgard/rsw.inc"
#undef FIELD
}

void utgard_rsw_pack(const struct utgard_rsw *rsw, uint32_t words[UTGARD_RSW_WORDS])
{
    memset(words, 0, UTGARD_RSW_BYTES);
    gpu_record_pack(fields, UTIL_ARRAY_SIZE(fields), rsw, words);
}

/* Of a logic operation the factor's bits are its number. */
unsigned utgard_rsw_fields(const uint32_t words[UTGARD_RSW_WORDS], struct gpu_field out[UTGARD_RSW_FIELDS])
{
    static_assert(UTIL_ARRAY_SIZE(fields) <= UTGARD_RSW_FIELDS, "room for all fields");
    unsigned count = gpu_record_list(fields, UTIL_ARRAY_SIZE(fields), words, out);
    for (unsigned n = 0; n < count && (words[2] & 7) == 3; n++)
        if (!strcmp(out[n].name, "color_src"))
            out[n].kind = GPU_FIELD_HEX;
    return count;
}

/* ---- blending ---- */

/* Low three bits of a factor; bit 3 inverts, bit 4 takes alpha. */
static bool factor(uint32_t v, uint8_t *out)
{
    static const uint8_t color[] = {RASTER_FACTOR_SRC,
                                    RASTER_FACTOR_DST,
                                    RASTER_FACTOR_CONST,
                                    RASTER_FACTOR_ZERO,
                                    RASTER_FACTOR_ALPHA_SATURATE,
                                    RASTER_FACTOR_SRC1};
    static const uint8_t alpha[] = {RASTER_FACTOR_SRC_ALPHA,      RASTER_FACTOR_DST_ALPHA,
                                    RASTER_FACTOR_CONST_ALPHA,    RASTER_FACTOR_ZERO,
                                    RASTER_FACTOR_ALPHA_SATURATE, RASTER_FACTOR_SRC1_ALPHA};

    if ((v & 7) >= UTIL_ARRAY_SIZE(color))
        return false;
    *out = (v & 16 ? alpha : color)[v & 7];
    if (v & 8)
        *out |= RASTER_FACTOR_INVERT;
    return true;
}

static bool equation(uint32_t func, uint32_t src, uint32_t dst, struct raster_equation *out)
{
    static const uint8_t funcs[8] = {[0] = RASTER_BLEND_SUB,
                                     [1] = RASTER_BLEND_RSUB,
                                     [2] = RASTER_BLEND_ADD,
                                     [4] = RASTER_BLEND_MIN,
                                     [5] = RASTER_BLEND_MAX};

    if (func == 3 || func > 5)
        return false;
    out->func = funcs[func];
    return factor(src, &out->src) && factor(dst, &out->dst);
}

/* The second parts: a factor's numbers of the alpha equation are those of the colour with the alpha bit. */
static bool blending(const struct utgard_rsw *r, struct raster_blend *out)
{
    out->write_mask = (uint8_t)r->color_mask;
    if (r->color_func == 3) {
        out->logic = true;
        out->logic_op = (uint8_t)(r->color_src & 15);
        return !(r->color_src & 16);
    }
    return equation(r->color_func, r->color_src, r->color_dst, &out->color) &&
           equation(r->alpha_blend_func, r->alpha_src | 16, r->alpha_dst | 16, &out->alpha);
}

/* ---- depth and stencil ---- */

static const uint8_t stencil_ops[8] = {RASTER_OP_KEEP,     RASTER_OP_REPLACE, RASTER_OP_ZERO,
                                       RASTER_OP_INVERT,   RASTER_OP_INCR,    RASTER_OP_DECR,
                                       RASTER_OP_INCR_SAT, RASTER_OP_DECR_SAT};

static void stencil(uint32_t func, uint32_t fail, uint32_t zfail, uint32_t zpass, uint32_t ref, uint32_t mask,
                    uint32_t write, struct raster_stencil *out)
{
    bool keeps = fail == 0 && zfail == 0 && zpass == 0;

    if (func == RASTER_ALWAYS && (keeps || !write)) /* what does nothing is off, whatever else it says */
        return;
    *out = (struct raster_stencil){.enable = true,
                                   .func = (uint8_t)func,
                                   .fail = stencil_ops[fail],
                                   .zfail = stencil_ops[zfail],
                                   .zpass = stencil_ops[zpass],
                                   .ref = (uint8_t)ref,
                                   .func_mask = (uint8_t)mask,
                                   .write_mask = (uint8_t)write};
}

static void depth(const struct utgard_rsw *r, struct utgard_state *out)
{
    out->zs.depth_write = r->depth_write;
    out->zs.depth_func = (uint8_t)r->depth_func;
    stencil(r->front_func, r->front_fail, r->front_zfail, r->front_zpass, r->front_ref, r->front_mask,
            r->front_write, &out->zs.face[0]);
    stencil(r->back_func, r->back_fail, r->back_zfail, r->back_zpass, r->back_ref, r->back_mask,
            r->back_write, &out->zs.face[1]);
    out->depth_program = r->depth_program;
    out->stencil_program = r->stencil_program;
    out->whole = r->depth_whole;
    out->depth_register = (uint8_t)r->depth_register;
    out->offset_factor = (float)util_sext(r->offset_factor, 8) / 4.0f;
    out->offset_units = (float)util_sext(r->offset_units, 8) / 2.0f;
}

/* ---- varyings ---- */

/* Slots stand behind one another in the order of their numbers, those of singles on 16 bytes; there are as
 * many as the stride has room for. */
static void varyings(const struct utgard_rsw *r, struct utgard_state *out)
{
    static const uint8_t sizes[4] = {16, 8, 8, 4};
    uint64_t types = r->varying_types | (uint64_t)r->varying_types2 << 32;
    uint32_t at = 0;

    out->varyings = r->varyings << 4;
    out->varying_stride = r->varying_stride * 8;
    for (uint32_t n = 0; n < UTGARD_MAX_SLOTS; n++) {
        uint32_t type = (uint32_t)(types >> 3 * n & 7);

        if (type < UTGARD_VARYING_F16X4)
            at = (uint32_t)util_align(at, 16);
        if (type > UTGARD_VARYING_F16X2 || at + sizes[type] > out->varying_stride)
            return;
        out->slot[n].type = (uint8_t)type;
        out->slot[n].offset = (uint16_t)at;
        out->slot_count = n + 1;
        at += sizes[type];
    }
}

bool utgard_rsw_four_samples(const uint32_t words[UTGARD_RSW_WORDS])
{
#define GET(name) (words[UTGARD_RSW_AT_##name / 32] >> UTGARD_RSW_AT_##name % 32)
    return (GET(samples_a) & 1 && (GET(samples_b) & 3) == 3) || GET(alpha_to_coverage) & 1 ||
           (GET(sample_mask) & 15) != 15;
#undef GET
}

/* ---- all of it ---- */

static bool known(const struct utgard_rsw *r, uint32_t address, struct gpu_fault *fault)
{
    const uint32_t rest[] = {r->depth_rest,  r->front_rest,  r->back_rest, r->samples_rest2,
                             r->state_rest2, r->state_rest3, r->aux_rest};
    const uint32_t registers[] = {r->color_register0, r->color_register1, r->color_register2,
                                  r->color_register3, r->depth_register};

    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rest); n++)
        if (rest[n])
            return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address,
                                    "bits that are not known are set");
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(registers); n++)
        if (registers[n] >= UTGARD_PP_REGISTERS && (n == 4 || registers[n] != UTGARD_NO_COLOR))
            return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "result in register %u",
                                    registers[n]);
    if (r->texture_count > UTGARD_MAX_TEXTURES)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "%u textures", r->texture_count);
    if (r->stencil_program &&
        (r->front_func != RASTER_ALWAYS || r->front_fail != 1 || r->front_zfail != 1 || r->front_zpass != 1))
        return utgard_pp_refuse(fault, GPU_FAULT_UNSUPPORTED, UNIT, address,
                                "a stencil value of the program's that does not just replace");
    return true;
}

bool utgard_rsw_decode(const uint32_t words[UTGARD_RSW_WORDS], uint32_t address, struct utgard_state *out,
                       struct gpu_fault *fault)
{
    struct utgard_rsw r;

    *out = (struct utgard_state){0};
    utgard_rsw_unpack(words, &r);
    if (!known(&r, address, fault))
        return false;
    if (!blending(&r, &out->blend))
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, address, "blending 0x%08x is not known",
                                words[2]);
    out->blend_color = (r.blend_red & 255) | (r.blend_green & 255) << 8 | (r.blend_blue & 255) << 16 |
                       (r.blend_alpha & 255) << 24;
    depth(&r, out);
    out->color_register[0] = (uint8_t)r.color_register0;
    out->color_register[1] = (uint8_t)r.color_register1;
    out->color_register[2] = (uint8_t)r.color_register2;
    out->color_register[3] = (uint8_t)r.color_register3;
    out->alpha_func = (uint8_t)r.alpha_func;
    out->alpha_ref = (uint8_t)r.alpha_ref;
    out->multisample = r.samples_a && r.samples_b == 3;
    out->alpha_to_coverage = r.alpha_to_coverage;
    out->alpha_to_one = r.alpha_to_one;
    out->sample_mask = (uint8_t)r.sample_mask;
    out->early_z = r.early_z == 3;
    out->pixel_kill = r.pixel_kill;
    out->ccw = r.ccw;
    out->dither = r.dither;
    out->program = r.program << 5;
    varyings(&r, out);
    out->uniforms = r.has_uniforms || r.aux_uniforms ? r.uniforms << 4 : 0;
    out->uniform_bytes = out->uniforms ? 8u << r.uniform_size : 0;
    out->textures = r.textures;
    out->texture_count = r.texture_count;
    /* The second colour's register shares its bits with nothing else that lima sets. */
    out->second_register = (uint8_t)r.second_register;
    return true;
}

bool utgard_rsw_read(const struct gpu_space *space, uint32_t address, struct utgard_state *out,
                     struct gpu_fault *fault)
{
    const uint8_t *at = gpu_space_at(space, address, UTGARD_RSW_BYTES, GPU_RIGHT_READ);
    uint32_t words[UTGARD_RSW_WORDS];

    if (!at)
        return utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, address, "the render state is outside memory");
    memcpy(words, at, sizeof words);
    return utgard_rsw_decode(words, address, out, fault);
}
