/* A draw's vertices: attributes fetched as streams, the vertex program launched for 64 at a time, clip coordinates divided and
 * brought to the window. Each vertex once, whatever indices name it. */
#ifndef VITRAIL_GPU_LIBRESOC_VERTICES_H
#define VITRAIL_GPU_LIBRESOC_VERTICES_H

#include "gpu/array.h"
#include "gpu/host.h"
#include "gpu/libresoc/stage.h"
#include "util/pool.h"

struct libresoc_attribute {
    struct gpu_array array;
    uint32_t components, divisor;
};

struct libresoc_vertices {
    const struct libresoc_draw_record *draw;
    const struct libresoc_stage *stage;
    const struct gpu_host *host; /* may cancel */
    struct util_pool *pool;      /* NULL: on the caller */
    struct libresoc_attribute attribute[LIBRESOC_ATTRIBUTES];
    uint32_t streams; /* of all attributes */
    uint32_t instance;
    uint64_t fuel;            /* of each launch */
    float (*positions)[4];    /* out: x, y, z, 1/w in the window, host memory */
    float *varyings;          /* out: draw->varying_count a vertex */
    uint64_t executed, burnt; /* grow: instructions, fuel */
};

/* The attributes of the draw's record, checked for all vertices and instances. False and *fault. */
bool libresoc_vertices_begin(struct libresoc_vertices *vertices, struct gpu_fault *fault);
/* Shades an instance. False and *fault: that of the first batch that has one. Cancelled it ends early. */
bool libresoc_vertices_run(struct libresoc_vertices *vertices, struct gpu_fault *fault);

#endif
