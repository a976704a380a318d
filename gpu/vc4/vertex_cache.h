/* Shaded vertices of one shader record, shared by all workers of a rendering list: each vertex is shaded
 * once, in units of 32 consecutive indices, by whichever worker needs one of them first. Internal to
 * gpu/vc4. */
#ifndef VITRAIL_GPU_VC4_VERTEX_CACHE_H
#define VITRAIL_GPU_VC4_VERTEX_CACHE_H

#include <stdatomic.h>

#include "gpu/vc4/vertex.h"
#include "util/arena.h"

/* A shaded vertex is its words in a row, those of struct vc4_vertex_batch (vertex program), 16-byte aligned.
 * Words that the program does not write are zero. */

#define VC4_CACHE_UNIT  32u /* vertices: two batches */
#define VC4_CACHE_PAGE  64u /* units */
#define VC4_CACHE_HEAD  4u  /* words before a unit's vertices: the first is vc4_vertex_cache_cost */
#define VC4_CACHE_TAIL  8u  /* words behind them that may be read: raster/triangles.h */
#define VC4_CACHE_ALONE (VC4_CACHE_HEAD + VC4_VPM_ROWS)
#define VC4_CACHE_PAGES 32u /* of 65536 vertices, as many as tile lists can name */

/* A unit goes from absent to busy to done; done is a pointer to its words. */
typedef _Atomic(uint32_t *) vc4_cache_unit;

struct vc4_cache_page {
    vc4_cache_unit unit[VC4_CACHE_PAGE];
};

struct vc4_cache_table {
    _Atomic(struct vc4_cache_page *) page[VC4_CACHE_PAGES];
};

/* By the upper 8 bits of 24-bit indices; the first one is unused. */
struct vc4_cache_tables {
    _Atomic(struct vc4_cache_table *) table[256];
};

struct vc4_vertex_cache {
    struct vc4_cache_table low; /* indices below 65536 */
    uint32_t stride;            /* words of a vertex in a unit, a multiple of 4 */
    uint32_t rows;              /* of those, the ones with a meaning */
    uint32_t max_index;         /* the last whose attributes lie in memory */
    uint32_t last_array;        /* address of the array that has no more */
    struct vc4_vertex_stage *stage;
    struct util_arena *arena;
    _Atomic uint64_t shaded, executed;
    _Atomic(struct vc4_cache_tables *) high; /* NULL until an index beyond `low` is met */
};

/* Prepares the vertex program of `state` (which must outlive the cache) for every index whose attributes lie
 * in memory. Keeps `rows` words of each vertex, 1..VC4_VPM_ROWS. The cache takes memory from `arena`, which
 * it borrows; finish gives back the rest. 0, -ENOMEM or a guest error, both with *fault. */
int vc4_vertex_cache_init(struct vc4_vertex_cache *cache, struct util_arena *arena,
                          const struct gpu_memory *memory, struct jit_engine *engine,
                          const struct vc4_shader_state *state, uint32_t rows, uint32_t fuel,
                          struct gpu_fault *fault);
void vc4_vertex_cache_finish(struct vc4_vertex_cache *cache); /* also of a cache that is all zero */

/* The vertex with that index, which may have to be shaded first. It lives as long as the cache, except that a
 * vertex whose neighbours' shading faulted is shaded alone into `alone` (the caller's, valid until its next
 * use). Thread-safe; the caller is in the guest floating-point environment. NULL with *fault. */
const uint32_t *vc4_vertex_cache_shade(struct vc4_vertex_cache *cache, uint32_t index,
                                       uint32_t alone[VC4_CACHE_ALONE], struct gpu_fault *fault);

/* The same, but NULL where it would have to be shaded alone, or cannot be. */
const uint32_t *vc4_vertex_cache_shared(struct vc4_vertex_cache *cache, uint32_t index);

#define VC4_CACHE_MARKS 64u /* pointers below are marks of units that are not done */

/* The vertex with that index if it is shaded already, else NULL. */
static inline const uint32_t *vc4_vertex_cache_find(struct vc4_vertex_cache *cache, uint32_t index)
{
    uint32_t page_number = index / (VC4_CACHE_UNIT * VC4_CACHE_PAGE);
    if (page_number < VC4_CACHE_PAGES && index <= cache->max_index) {
        struct vc4_cache_page *page =
            atomic_load_explicit(&cache->low.page[page_number], memory_order_acquire);
        uint32_t *unit = page ? atomic_load_explicit(&page->unit[index / VC4_CACHE_UNIT % VC4_CACHE_PAGE],
                                                     memory_order_acquire)
                              : NULL;
        if ((uintptr_t)unit >= VC4_CACHE_MARKS)
            return unit + index % VC4_CACHE_UNIT * cache->stride;
    }
    return NULL;
}

static inline const uint32_t *vc4_vertex_cache_get(struct vc4_vertex_cache *cache, uint32_t index,
                                                   uint32_t alone[VC4_CACHE_ALONE], struct gpu_fault *fault)
{
    const uint32_t *found = vc4_vertex_cache_find(cache, index);
    return found ? found : vc4_vertex_cache_shade(cache, index, alone, fault);
}

/* What each use of a vertex costs in instructions: half of the program, for strips use each twice and more.
 * *loops: the program may repeat instructions, which vc4_vertex_cache_cost knows. */
void vc4_vertex_cache_cost_of(const struct vc4_vertex_cache *cache, uint32_t *cost, bool *loops);

/* What each use of a vertex costs besides, as its program repeats instructions: again half of what a batch
 * takes. `words` is what vc4_vertex_cache_get returned for `index` and `alone`. */
static inline uint32_t vc4_vertex_cache_cost(const struct vc4_vertex_cache *cache, uint32_t index,
                                             const uint32_t alone[VC4_CACHE_ALONE], const uint32_t *words)
{
    if (words == alone + VC4_CACHE_HEAD)
        return alone[0];
    return *(words - index % VC4_CACHE_UNIT * cache->stride - VC4_CACHE_HEAD);
}

#endif
