/* What a draw's entries in tile lists name (tiler/list.h): its record, in the heap. The format is ours: no
 * driver reads it. */
#ifndef VITRAIL_GPU_BIN_H
#define VITRAIL_GPU_BIN_H

#include <stdint.h>

struct gpu_bin_state {
    uint32_t state;          /* address of the state that it is drawn with */
    uint32_t positions;      /* vertex n: x, y, z, 1/w as four floats at positions + 16 n */
    uint32_t point_sizes;    /* a float at point_sizes + 4 n; 0: all points have `size` */
    float size;              /* of points, or the width of lines, in pixels */
    uint16_t x0, y0, x1, y1; /* pixels that may be drawn; x1 and y1 exclusive: scissor, viewport and frame */
    float near, far;         /* depth range */
    uint32_t draw;           /* number in the job, from 1, for faults */
    uint32_t first;          /* the number that vertex 0 has where its varyings stand */
    uint32_t half_sizes;     /* 1: point sizes are halves, at point_sizes + 2 n */
    uint32_t varyings;       /* address of number 0's varyings; 0: the state says where they stand */
    uint32_t reserved[4];
};

_Static_assert(sizeof(struct gpu_bin_state) == 64, "it is laid out in guest memory");

#endif
