/* What the files of the tiler share. Internal to gpu/mali/tiling*.c. */
#ifndef VITRAIL_GPU_MALI_TILING_INTERNAL_H
#define VITRAIL_GPU_MALI_TILING_INTERNAL_H

#include "gpu/bin.h"
#include "gpu/mali/device_internal.h"
#include "gpu/mali/shading.h"
#include "gpu/mali/tile_lists.h"
#include "util/bits.h"

#define TILING_UNIT "tiler"

/* How far a job is that shades its own vertices. */
enum mali_tiling_stage {
    TILING_FIND,     /* which vertices there are, and room for them */
    TILING_POSITION, /* programs */
    TILING_VARYING,  /* likewise, unless they come behind the draw */
    TILING_DRAW,     /* of other jobs the first */
    TILING_DRAWN     /* varyings of the vertices that lists name */
};

/* A tiler job under way; a slot's. */
struct mali_tiling {
    /* For the length of a call: */
    struct mali_job *job;
    const struct mali_tiler_job *payload;
    const struct mali_vertex_job
        *vertex;  /* of jobs that shade their own vertices: payload is its part; or NULL */
    bool in_heap; /* and that is where these stand (v9) */
    struct mali_stop *stop;
    /* The frame's lists, in private memory while the job works. */
    bool listed;     /* they are there */
    bool alone;      /* as the header has it */
    uint64_t header; /* where it stands */
    uint32_t width, height;
    uint32_t columns, rows;
    uint32_t heap_at, heap_end, table;
    struct tiler_bin bin[MALI_LISTS_MOST];
    /* Those that were written to, by their numbers: they are marked as the family's own. */
    uint16_t written[MALI_LISTS_MOST];
    uint32_t written_count;
    /* The table as the last job has left it, where `bin` is of it: so many lists. */
    struct mali_list kept[MALI_LISTS_MOST];
    uint32_t kept_count;
    /* Vertices of its own: */
    enum mali_tiling_stage stage;
    struct mali_shading shading;
    uint8_t *named; /* of each place whether a list names it; NULL: varyings come before the draw. malloc */
    /* The draw, and how far it is. */
    bool drawing; /* it has begun */
    struct tiler_draw draw;
    struct gpu_bin_state record;
    bool sizes, restarts;
    uint32_t count, index_log2, restart;
    uint32_t ahead; /* vertices between that of number 0 and that of index 0 */
    uint32_t instances, instance;
    uint32_t run_at, next; /* index numbers: where the run at hand begins; of the next one */
    struct tiler_bins bins;
};

/* t->count, index_log2, restarts and restart, of the draw's indices. */
void mali_tiling_take_indices(struct mali_tiling *tiling);
/* Of versions up to v7. */
uint32_t mali_tiling_instances(const struct mali_tiler_job *job);
/* tiling_vertices.c: shades what t->vertex has, from t->stage on. MALI_END_DONE: they stand in the heap, or where the
 * job says. */
enum mali_end mali_tiling_shade(struct mali_tiling *tiling);
/* Behind the draw: varyings that are still to come. */
enum mali_end mali_tiling_shade_drawn(struct mali_tiling *tiling);
/* What is kept of the host's memory of a draw's vertices. */
void mali_tiling_forget(struct mali_tiling *tiling);

/* Takes `cost` from the packet budget; false with a fault when it is used up. */
bool mali_tiling_pay(struct mali_tiling *tiling, uint64_t cost);

/* tiling_lists.c. The frame's lists out of guest memory, or new ones; back into it, whatever end the job
 * comes to, which is returned where that can be done. */
enum mali_end mali_tiling_lists_begin(struct mali_tiling *tiling);
enum mali_end mali_tiling_lists_end(struct mali_tiling *tiling, enum mali_end end);
/* What lists take of guest memory; their context is the struct mali_tiling. */
extern const struct tiler_bins_ports mali_tiling_ports;
/* Index n of `1 << log2` bytes. */
static inline uint32_t mali_tiling_index(const uint8_t *at, uint32_t log2, uint32_t n)
{
    return log2 == 2 ? util_load32(at + n * 4) : log2 == 1 ? util_load16(at + n * 2) : at[n];
}

#endif
