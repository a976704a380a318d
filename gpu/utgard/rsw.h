/* The render state ("RSW") that each primitive of a tile list names: sixteen words, taken apart by one table
 * (rsw.inc) and put into the terms of raster/. */
#ifndef VITRAIL_GPU_UTGARD_RSW_H
#define VITRAIL_GPU_UTGARD_RSW_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/fault.h"
#include "gpu/field.h"
#include "gpu/space.h"
#include "raster/blend.h"
#include "raster/zs.h"

#define UTGARD_RSW_WORDS    16u
#define UTGARD_RSW_BYTES    64u
#define UTGARD_MAX_SLOTS    12u /* of varyings, four components each */
#define UTGARD_MAX_TEXTURES 16u
#define UTGARD_NO_COLOR     15u /* for a register: the program gives no colour, which is 0 then */

/* The fields as they stand. */
struct utgard_rsw {
#define FIELD(name, word, low, bits, kind, names, what) uint32_t name;
#include "gpu/utgard/rsw.inc"
#undef FIELD
};

/* Where each field begins: its word times 32, plus its lowest bit. */
enum {
#define FIELD(name, word, low, bits, kind, names, what) UTGARD_RSW_AT_##name = (word) * 32 + (low),
#include "gpu/utgard/rsw.inc"
#undef FIELD
};

void utgard_rsw_unpack(const uint32_t words[UTGARD_RSW_WORDS], struct utgard_rsw *out);
/* Whether a draw with this state needs tiles of four samples: it asks for them, or writes only some. */
bool utgard_rsw_four_samples(const uint32_t words[UTGARD_RSW_WORDS]);
void utgard_rsw_pack(const struct utgard_rsw *rsw, uint32_t words[UTGARD_RSW_WORDS]);
/* The fields that are not zero, with names for their values; how many. */
#define UTGARD_RSW_FIELDS 96
unsigned utgard_rsw_fields(const uint32_t words[UTGARD_RSW_WORDS], struct gpu_field out[UTGARD_RSW_FIELDS]);

enum utgard_varying_type {
    UTGARD_VARYING_F32X4,
    UTGARD_VARYING_F32X2,
    UTGARD_VARYING_F16X4,
    UTGARD_VARYING_F16X2
};

/* What the fields mean. Addresses are the GPU's. */
struct utgard_state {
    struct raster_blend blend;
    uint32_t blend_color;                /* 8888 word */
    struct raster_zs zs;                 /* face 0 front */
    bool depth_program, stencil_program; /* the program's register says; `whole`: as the buffer's bytes */
    bool whole;
    float offset_factor, offset_units; /* units in steps of depth */
    uint8_t depth_register;
    uint8_t color_register[4]; /* of each sample, or UTGARD_NO_COLOR; the first's, where a tile has one */
    uint8_t second_register;
    uint8_t alpha_func, alpha_ref; /* enum raster_func, of 255 */
    bool multisample, alpha_to_coverage, alpha_to_one;
    uint8_t sample_mask; /* bit n: sample n */
    bool early_z, pixel_kill;
    bool ccw, dither; /* ccw: counter-clockwise is front. Dither is not done: tiles keep 8 bits a channel */
    uint32_t program;
    uint32_t varyings, varying_stride; /* bytes */
    uint32_t slot_count;               /* that fit into the stride */
    struct {
        uint8_t type;    /* enum utgard_varying_type */
        uint16_t offset; /* bytes from the vertex's first */
    } slot[UTGARD_MAX_SLOTS];
    uint32_t uniforms, uniform_bytes; /* address of the halves' address; their room */
    uint32_t textures, texture_count;
};

/* False and *fault (PACKET, or UNSUPPORTED what is known but not done) when a field holds what is not known;
 * `address` is the state's, for the report. */
bool utgard_rsw_decode(const uint32_t words[UTGARD_RSW_WORDS], uint32_t address, struct utgard_state *out,
                       struct gpu_fault *fault);
/* The same of guest memory. */
bool utgard_rsw_read(const struct gpu_space *space, uint32_t address, struct utgard_state *out,
                     struct gpu_fault *fault);

#endif
