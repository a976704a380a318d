/* Tile lists in guest memory: compressed primitive lists written by the binner and read by the renderer, in
 * the documented formats (Guide tables 38 to 44), with 16-bit indices or coordinates.
 *
 * A list stands behind a record 48 (compressed primitives) or 49 (the same; the first primitive is clipped)
 * and ends with the escape code. What the Guide leaves open is fixed here: the "previous" indices are zero at
 * the start of every list; index arithmetic wraps at 16 bits; a relative branch counts from the 32-byte line
 * that holds the branch code. */
#ifndef VITRAIL_GPU_VC4_TILE_LIST_H
#define VITRAIL_GPU_VC4_TILE_LIST_H

#include "gpu/fault.h"
#include "gpu/memory.h"
#include "util/walk.h"

/* Numbered as in record 56. No list holds RHTs here: the Guide does not say what they look like. */
enum vc4_primitive { VC4_POINTS, VC4_LINES, VC4_TRIANGLES, VC4_RHTS };

/* Pixels of the largest point: the driver advertises it and leaves larger ones that programs ask for to the
 * hardware (README.md). A NaN stays one. */
#define VC4_POINT_MAX 512.0f
static inline float vc4_point_size(float asked)
{
    return asked > VC4_POINT_MAX ? VC4_POINT_MAX : asked;
}

/* With VC4_TRIANGLES: the list holds screen coordinates in place of indices (table 42), each a word with x in
 * the low half and y in the high half. */
#define VC4_LIST_COORDINATES 0x30u

#define VC4_LIST_BRANCH   130u /* relative branch: this code, then 16 bits of signed 32-byte lines */
#define VC4_LIST_ESCAPE   128u
#define VC4_LIST_LINE     32u
#define VC4_LIST_MAX_CODE 7u  /* bytes of the longest coding of indices */
#define VC4_LIST_MAX_XY   13u /* of coordinates */

/* Reading: a cursor over the compressed list that follows a record 48 or 49. */
struct vc4_list_reader {
    const struct gpu_memory *memory;
    uint32_t at;       /* guest address of the next byte */
    uint8_t primitive; /* enum vc4_primitive, and VC4_LIST_COORDINATES */
    uint32_t previous[3];
    uint64_t budget; /* primitives and branches left */
    struct util_walk walk;
};

/* Lists that go round, and those that exceed the budget, end in a fault. */
void vc4_list_reader_init(struct vc4_list_reader *reader, const struct gpu_memory *memory, uint32_t address,
                          uint8_t primitive, uint64_t budget);
/* 1: a primitive's indices are in index[0..2]; 0: end of the list, reader->at is behind the escape code; -1:
 * *fault. */
int vc4_list_read(struct vc4_list_reader *reader, uint32_t index[3], struct gpu_fault *fault);

/* The next triangles of a list of indices, `room` at most, as so many calls of vc4_list_read give them; their
 * number. *got: what the last of these calls returned. */
uint32_t vc4_list_read_triangles(struct vc4_list_reader *reader, uint32_t (*index)[3], uint32_t room,
                                 int *got, struct gpu_fault *fault);

/* Where the next primitive's coding stands, behind any branches; for observers. */
uint32_t vc4_list_place(const struct vc4_list_reader *reader);

/* Writing: the shortest coding of one primitive after `previous`, which becomes `index`. Writes at most
 * VC4_LIST_MAX_CODE (coordinates: VC4_LIST_MAX_XY) bytes to `out` and returns their number. Indices are below
 * 65536; lines use two of them, points one. */
uint32_t vc4_list_code(uint8_t primitive, uint32_t previous[3], const uint32_t index[3], uint8_t *out);

/* A clipped primitive's data (Guide table 44): one of these for each vertex whose flag is set in record 49,
 * in vertex order. Such a vertex stands at (x, y) with depth zs and 1/Wc inv_w; a varying's value there is
 * the sum of coefficient[k] times its value at the primitive's own vertex k (lines: k < 2). A flat-shaded
 * varying keeps the value of the primitive's own last vertex. */
struct vc4_clipped_vertex {
    int16_t x, y; /* 1/16 pixel from the viewport centre */
    float zs, inv_w, coefficient[3];
    uint32_t unused[2];
};
_Static_assert(sizeof(struct vc4_clipped_vertex) == 32, "Guide table 44");

#endif
