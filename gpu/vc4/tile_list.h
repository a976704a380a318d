/* Tile lists in guest memory: compressed primitive lists written by the binner and read by the renderer, in
 * the documented formats (Guide tables 38 to 44). */
#ifndef VITRAIL_GPU_VC4_TILE_LIST_H
#define VITRAIL_GPU_VC4_TILE_LIST_H

#include "gpu/fault.h"
#include "gpu/memory.h"

enum vc4_primitive { VC4_POINTS, VC4_LINES, VC4_TRIANGLES };

/* Reading: a cursor over the compressed list that follows a record 48 or 49. */
struct vc4_list_reader {
    const struct gpu_memory *memory;
    uint32_t at;       /* guest address of the next byte */
    uint8_t primitive; /* enum vc4_primitive */
    uint32_t previous[3];
    uint64_t budget; /* primitives and branches left: endless lists end in a fault */
};

void vc4_list_reader_init(struct vc4_list_reader *reader, const struct gpu_memory *memory, uint32_t address,
                          uint8_t primitive, uint64_t budget);
/* 1: a primitive's indices are in index[0..2]; 0: end of the list, reader->at is behind the escape code; -1:
 * *fault. */
int vc4_list_read(struct vc4_list_reader *reader, uint32_t index[3], struct gpu_fault *fault);

#endif
