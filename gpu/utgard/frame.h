/* A frame of the pixel processors (gpu/frame.h): the tiles that master lists name are cleared, drawn and
 * written back. */
#ifndef VITRAIL_GPU_UTGARD_FRAME_H
#define VITRAIL_GPU_UTGARD_FRAME_H

#include "gpu/frame.h"
#include "gpu/utgard/frag.h"
#include "gpu/utgard/writeback.h"

#define UTGARD_FRAME_WORDS 23u /* frame registers */

/* Frame registers by number, and flags in theirs, after the rows of frame.inc. */
enum utgard_frame_word {
#define FRAME_WORD(id, number, low, bits, kind, added, words, name, what) UTGARD_FRAME_##id = number,
#include "gpu/utgard/frame.inc"
};
enum utgard_frame_flag {
#define FRAME_FLAG(id, number, low, name, what) UTGARD_FRAME_##id = 1 << low,
#include "gpu/utgard/frame.inc"
};

/* Reads a master list: {0, B8 | x | y << 8}, {call, B0}, ... {0, BC}. Tiles are appended to tiles[*count],
 * as the owner's. False and *fault: not such a list, or more than GPU_FRAME_TILES tiles. */
bool utgard_frame_tiles(const struct gpu_space *space, uint32_t list, uint32_t owner, struct gpu_tile *tiles,
                        uint32_t *count, struct gpu_fault *fault);

struct utgard_pp_frame {
    /* The caller's but for family, list and units; its tiles are of what utgard_frame_tiles gives. */
    struct gpu_frame of;
    struct jit_engine *engine;     /* NULL: the reference path */
    struct gpu_programs *programs; /* of the kind utgard_pp_kind */
    uint32_t registers[UTGARD_FRAME_WORDS];
    uint32_t wb[UTGARD_WB_UNITS][UTGARD_WB_WORDS];
    uint32_t block_fuel;      /* what the loops of a block may repeat */
    enum isa_numeric numeric; /* of programs */
    bool in_order;            /* hidden pixels are shaded too, each in its turn; the same bytes */
    /* Of utgard_frame_render. */
    struct utgard_wb unit[UTGARD_WB_UNITS];
    float y_scale, y_offset; /* frag.h */
    struct utgard_frag_shared shared;
};

/* gpu_frame_render of the frame. */
bool utgard_frame_render(struct utgard_pp_frame *frame, struct gpu_fault *fault);

#endif
