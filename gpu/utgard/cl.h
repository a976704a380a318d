/* Command streams of the GP, decoded from 64 bits into structs, and printed: those that the vertex processor
 * reads (VS) and those that the tile list builder reads (PLBU). The bits live in cl.inc only. Pure functions:
 * no ownership, no state. */
#ifndef VITRAIL_GPU_UTGARD_CL_H
#define VITRAIL_GPU_UTGARD_CL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu/field.h"

#define UTGARD_CL_BYTES 8 /* of a command */

enum utgard_cl_list { UTGARD_VS, UTGARD_PLBU };

/* VS_DRAW ..., PLBU_DRAW_ARRAYS ...: one a row of cl.inc. */
enum utgard_cl_id {
#define COMMAND(list, id, name, mask, match, fields) UTGARD_##list##_##id,
#include "gpu/utgard/cl.inc"
#undef COMMAND
    UTGARD_CL_COUNT
};

#define UTGARD_CL_MAX_FIELDS 6

/* Fields by number, in the order of cl.inc; VALUE is that of commands that have one field. */
enum { UTGARD_CL_VALUE };
enum { UTGARD_DRAW_VERTICES, UTGARD_DRAW_INDEXED };
enum { UTGARD_INFO_INSTRUCTIONS, UTGARD_INFO_PREFETCH };
enum { UTGARD_COUNTS_VARYINGS, UTGARD_COUNTS_ATTRIBUTES };
enum { UTGARD_TABLE_AT, UTGARD_TABLE_SIZE }; /* tables in entries, uniforms and programs in bytes */
enum { UTGARD_PRIMITIVES_MODE, UTGARD_PRIMITIVES_START, UTGARD_PRIMITIVES_COUNT };
enum { UTGARD_TILES_WIDTH, UTGARD_TILES_HEIGHT };
enum {
    UTGARD_SETUP_BLOCK_SIZE, /* 128 bytes << this */
    UTGARD_SETUP_U16,
    UTGARD_SETUP_U32,
    UTGARD_SETUP_ONE_SIZE,
    UTGARD_SETUP_CULL_POSITIVE,
    UTGARD_SETUP_CULL_NEGATIVE
};
enum { UTGARD_STEP_X, UTGARD_STEP_Y, UTGARD_STEP_LEAST };
enum { UTGARD_BLOCKS_AT, UTGARD_BLOCKS_COUNT };
enum { UTGARD_SCISSOR_X0, UTGARD_SCISSOR_X1, UTGARD_SCISSOR_Y0, UTGARD_SCISSOR_Y1 };
enum { UTGARD_STATE_AT, UTGARD_STATE_POSITIONS };

struct utgard_cl_command {
    enum utgard_cl_id id;
    uint64_t word;
    uint32_t field[UTGARD_CL_MAX_FIELDS]; /* floats as their bits, addresses in bytes */
};

/* Decodes one command of a list; false: no row has its opcode. */
bool utgard_cl_decode(enum utgard_cl_list list, uint64_t word, struct utgard_cl_command *out);
const char *utgard_cl_name(enum utgard_cl_id id);
/* Its fields; how many. */
unsigned utgard_cl_fields(const struct utgard_cl_command *command,
                          struct gpu_field out[UTGARD_CL_MAX_FIELDS]);
/* One line: address, name, every field. */
void utgard_cl_print(FILE *out, uint32_t address, const struct utgard_cl_command *command);

#endif
