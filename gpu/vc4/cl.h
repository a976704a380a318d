/* Control lists: records decoded from guest bytes into structs, and printed. Every record of Guide table 38
 * is known; the bits live in cl.inc only. Decoding copies: each record is fetched once into private memory,
 * then looked at. */
#ifndef VITRAIL_GPU_VC4_CL_H
#define VITRAIL_GPU_VC4_CL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu/field.h"

enum vc4_cl_id {
    VC4_CL_HALT = 0,
    VC4_CL_NOP = 1,
    VC4_CL_FLUSH = 4,
    VC4_CL_FLUSH_ALL = 5,
    VC4_CL_START_TILE_BINNING = 6,
    VC4_CL_INCREMENT_SEMAPHORE = 7,
    VC4_CL_WAIT_ON_SEMAPHORE = 8,
    VC4_CL_BRANCH = 16,
    VC4_CL_BRANCH_TO_SUB_LIST = 17,
    VC4_CL_RETURN = 18,
    VC4_CL_STORE_MS_TILE = 24,
    VC4_CL_STORE_MS_TILE_EOF = 25,
    VC4_CL_STORE_FULL_RES = 26,
    VC4_CL_LOAD_FULL_RES = 27,
    VC4_CL_STORE_GENERAL = 28,
    VC4_CL_LOAD_GENERAL = 29,
    VC4_CL_INDEXED_PRIMITIVES = 32,
    VC4_CL_ARRAY_PRIMITIVES = 33,
    VC4_CL_VG_COORDINATE_ARRAY = 41,
    VC4_CL_VG_INLINE = 42,
    VC4_CL_COMPRESSED_PRIMITIVES = 48,
    VC4_CL_CLIPPED_PRIMITIVES = 49,
    VC4_CL_PRIMITIVE_LIST_FORMAT = 56,
    VC4_CL_GL_SHADER_STATE = 64,
    VC4_CL_NV_SHADER_STATE = 65,
    VC4_CL_VG_SHADER_STATE = 66,
    VC4_CL_VG_INLINE_SHADER = 67,
    VC4_CL_CONFIGURATION_BITS = 96,
    VC4_CL_FLAT_SHADE_FLAGS = 97,
    VC4_CL_POINT_SIZE = 98,
    VC4_CL_LINE_WIDTH = 99,
    VC4_CL_RHT_X_BOUNDARY = 100,
    VC4_CL_DEPTH_OFFSET = 101,
    VC4_CL_CLIP_WINDOW = 102,
    VC4_CL_VIEWPORT_OFFSET = 103,
    VC4_CL_Z_CLIP = 104,
    VC4_CL_CLIPPER_XY_SCALING = 105,
    VC4_CL_CLIPPER_Z_SCALING = 106,
    VC4_CL_TILE_BINNING_CONFIG = 112,
    VC4_CL_TILE_RENDERING_CONFIG = 113,
    VC4_CL_CLEAR_COLORS = 114,
    VC4_CL_TILE_COORDINATES = 115,
};

#define VC4_CL_MAX_FIELDS 20

/* A decoded record: fields in the order of cl.inc, by the enums below. */
struct vc4_cl_record {
    uint8_t id;
    uint8_t size; /* bytes, the id included (fixed part for escape-terminated lists) */
    uint8_t field_count;
    uint64_t field[VC4_CL_MAX_FIELDS]; /* raw bits; floats and signed fields through the accessors below */
};

/* Field numbers per record; cl.inc is in the same order. */
enum { VC4_BRANCH_ADDRESS };
enum {
    VC4_FULL_RES_NO_COLOR,
    VC4_FULL_RES_NO_ZS,
    VC4_FULL_RES_NO_CLEAR,
    VC4_FULL_RES_LAST,
    VC4_FULL_RES_ADDRESS
};
enum {
    VC4_GENERAL_BUFFER,
    VC4_GENERAL_LAYOUT,
    VC4_GENERAL_MODE,
    VC4_GENERAL_COLOR_FORMAT,
    VC4_GENERAL_NO_SWAP,
    VC4_GENERAL_NO_COLOR_CLEAR,
    VC4_GENERAL_NO_ZS_CLEAR,
    VC4_GENERAL_NO_VG_CLEAR,
    VC4_GENERAL_NO_COLOR,
    VC4_GENERAL_NO_ZS,
    VC4_GENERAL_NO_VG,
    VC4_GENERAL_LAST,
    VC4_GENERAL_ADDRESS
};
enum { VC4_INDEXED_MODE, VC4_INDEXED_TYPE, VC4_INDEXED_LENGTH, VC4_INDEXED_ADDRESS, VC4_INDEXED_MAX };
enum { VC4_ARRAY_MODE, VC4_ARRAY_LENGTH, VC4_ARRAY_FIRST };
enum { VC4_VG_TYPE, VC4_VG_CONTINUATION, VC4_VG_LENGTH, VC4_VG_ADDRESS };
enum { VC4_CLIPPED_FLAGS, VC4_CLIPPED_ADDRESS };
enum { VC4_FORMAT_PRIMITIVE, VC4_FORMAT_DATA };
enum { VC4_SHADER_ATTRIBUTES, VC4_SHADER_EXTENDED, VC4_SHADER_ADDRESS };
enum { VC4_INLINE_SINGLE_THREADED, VC4_INLINE_CODE, VC4_INLINE_UNIFORMS };
enum {
    VC4_CONFIG_FORWARD,
    VC4_CONFIG_REVERSE,
    VC4_CONFIG_CLOCKWISE,
    VC4_CONFIG_DEPTH_OFFSET,
    VC4_CONFIG_AA_POINTS_LINES,
    VC4_CONFIG_COVERAGE_READ_TYPE,
    VC4_CONFIG_OVERSAMPLE,
    VC4_CONFIG_COVERAGE_PIPE,
    VC4_CONFIG_COVERAGE_UPDATE,
    VC4_CONFIG_COVERAGE_READ_MODE,
    VC4_CONFIG_DEPTH_FUNC,
    VC4_CONFIG_Z_UPDATES,
    VC4_CONFIG_EARLY_Z,
    VC4_CONFIG_EARLY_Z_UPDATES
};
enum { VC4_VALUE }; /* flat shade flags, point size, line width, RHT boundary */
enum { VC4_OFFSET_FACTOR, VC4_OFFSET_UNITS };
enum { VC4_CLIP_LEFT, VC4_CLIP_BOTTOM, VC4_CLIP_WIDTH, VC4_CLIP_HEIGHT };
enum { VC4_VIEWPORT_X, VC4_VIEWPORT_Y };
enum { VC4_ZCLIP_MIN, VC4_ZCLIP_MAX };
enum { VC4_XY_HALF_WIDTH, VC4_XY_HALF_HEIGHT };
enum { VC4_Z_SCALE, VC4_Z_OFFSET };
enum {
    VC4_BIN_ALLOC_ADDRESS,
    VC4_BIN_ALLOC_SIZE,
    VC4_BIN_STATE_ADDRESS,
    VC4_BIN_WIDTH,
    VC4_BIN_HEIGHT,
    VC4_BIN_MS,
    VC4_BIN_64BIT,
    VC4_BIN_AUTO_INIT,
    VC4_BIN_INITIAL_BLOCK,
    VC4_BIN_BLOCK,
    VC4_BIN_DOUBLE_BUFFER
};
enum {
    VC4_RENDER_ADDRESS,
    VC4_RENDER_WIDTH,
    VC4_RENDER_HEIGHT,
    VC4_RENDER_MS,
    VC4_RENDER_64BIT,
    VC4_RENDER_COLOR_FORMAT,
    VC4_RENDER_DECIMATE,
    VC4_RENDER_LAYOUT,
    VC4_RENDER_VG_MASK,
    VC4_RENDER_COVERAGE,
    VC4_RENDER_EARLY_Z_GREATER,
    VC4_RENDER_EARLY_Z_DISABLE,
    VC4_RENDER_DOUBLE_BUFFER
};
enum { VC4_CLEAR_COLOR, VC4_CLEAR_COLOR_ODD, VC4_CLEAR_Z, VC4_CLEAR_VG_MASK, VC4_CLEAR_STENCIL };
enum { VC4_TILE_X, VC4_TILE_Y };

enum vc4_cl_error { VC4_CL_OK = 0, VC4_CL_UNKNOWN = -1 /* reserved id */, VC4_CL_TRUNCATED = -2 };

/* Decodes the record at `bytes`, of which `size` are readable (>= 1). Addresses are full byte addresses
 * (fields of 28 and 29 bits come shifted). Returns enum vc4_cl_error. */
int vc4_cl_decode(const uint8_t *bytes, size_t size, struct vc4_cl_record *out);
const char *vc4_cl_name(unsigned id);             /* "Branch to sub-list", or NULL when reserved */
bool vc4_cl_allowed(unsigned id, bool rendering); /* in a binning or a rendering list */

static inline float vc4_cl_float(const struct vc4_cl_record *r, unsigned f)
{
    union {
        uint32_t u;
        float v;
    } pun = {(uint32_t)r->field[f]};
    return pun.v;
}
/* Depth offset fields: 1-8-7 floats, the upper half of a single. */
static inline float vc4_cl_float187(const struct vc4_cl_record *r, unsigned f)
{
    union {
        uint32_t u;
        float v;
    } pun = {(uint32_t)r->field[f] << 16};
    return pun.v;
}

/* The record's fields, those that it lacks left out; how many. */
unsigned vc4_cl_fields(const struct vc4_cl_record *record, struct gpu_field out[VC4_CL_MAX_FIELDS]);
/* One readable listing line (or several) per record: name, then every field with its meaning. */
void vc4_cl_print(FILE *out, uint32_t address, const struct vc4_cl_record *record);

#endif
