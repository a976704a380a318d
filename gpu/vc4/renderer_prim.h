/* A draw in a tile and its primitives: what renderer_list.c asks of renderer_prim.c. Not for others. */
#ifndef VITRAIL_GPU_VC4_RENDERER_PRIM_H
#define VITRAIL_GPU_VC4_RENDERER_PRIM_H

#include "gpu/vc4/renderer_internal.h"

struct vc4_draw_call {
    struct vc4_tile_run *run;
    const struct vc4_draw *draw;
    struct raster_draw raster;
    uint8_t primitive; /* enum vc4_primitive */
    uint64_t number;   /* of the primitive in hand, from 0 */
    uint32_t code;     /* address of its coding in a compressed list, else 0 */
    bool coverage;     /* the primitive counts in the coverage memory and is not shaded */
    bool z_clipped;    /* record 104 excludes depths of 0 to 1 */
    bool counted;      /* a performance counter follows the front end's events */
};

static inline uint32_t vc4_vertices_of(uint8_t primitive)
{
    return primitive == VC4_TRIANGLES ? 3 : primitive == VC4_LINES ? 2 : 1;
}

/* Each draws one primitive; false with the run's fault. Of shaded vertices by their indices; a triangle of
 * screen coordinates (vg_list.h); the first primitive of the list behind `record` (49) at `address`. */
bool vc4_draw_indices(const struct vc4_draw_call *call, const uint32_t index[3]);
bool vc4_draw_coordinates(const struct vc4_draw_call *call, const uint32_t xy[3]);
bool vc4_draw_clipped(const struct vc4_draw_call *call, const struct vc4_cl_record *record,
                      const uint32_t index[3], uint32_t address);

/* renderer_triangles.c: whether the triangles of a compressed list can be drawn several at a time; and the
 * next few of them: 1, or 0 at the list's end, or -1 with the run's fault. */
bool vc4_draws_together(const struct vc4_draw_call *call);
int vc4_draw_triangles(const struct vc4_draw_call *call, struct vc4_list_reader *reader);

/* What those need of renderer_prim.c. */
/* Pays for the vertices of a primitive. */
bool vc4_pay_vertices(const struct vc4_draw_call *call, uint64_t cost);

#endif
