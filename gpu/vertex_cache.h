/* Shaded vertices of one set of arrays, shared by all workers: each vertex is shaded once, in units of 32
 * consecutive indices, by whichever worker needs one of them first. For GPUs that run what varyings need when
 * a tile does. */
#ifndef VITRAIL_GPU_VERTEX_CACHE_H
#define VITRAIL_GPU_VERTEX_CACHE_H

#include <stdatomic.h>

#include "gpu/fault.h"
#include "util/arena.h"

/* A shaded vertex is its words in a row, 16-byte aligned. Words that the program does not write are zero. */

#define GPU_CACHE_ROWS 64u /* words of a vertex at most */

#define GPU_CACHE_UNIT  32u /* vertices: two batches */
#define GPU_CACHE_PAGE  64u /* units */
#define GPU_CACHE_HEAD  4u  /* words before a unit's vertices: the first is gpu_vertex_cache_cost */
#define GPU_CACHE_TAIL  8u  /* words behind them that may be read: raster/triangles.h */
#define GPU_CACHE_ALONE (GPU_CACHE_HEAD + GPU_CACHE_ROWS)
#define GPU_CACHE_PAGES 32u /* of 65536 vertices, as many as tile lists can name */

/* A unit goes from absent to busy to done; done is a pointer to its words. */
typedef _Atomic(uint32_t *) gpu_cache_unit;

struct gpu_cache_page {
    gpu_cache_unit unit[GPU_CACHE_PAGE];
};

struct gpu_cache_table {
    _Atomic(struct gpu_cache_page *) page[GPU_CACHE_PAGES];
};

/* By the upper 8 bits of 24-bit indices; the first one is unused. */
struct gpu_cache_tables {
    _Atomic(struct gpu_cache_table *) table[256];
};

/* How a family shades. */
struct gpu_vertex_shader {
    /* `batches` batches of 16 vertices; batch n has rows out[n * rows] to out[n * rows + rows - 1]. *executed
     * grows by the instructions of those that ended. 0, or negative errno with *fault. Thread-safe. */
    int (*shade)(const void *stage, const uint32_t (*index)[16], uint32_t batches, uint32_t (*out)[16],
                 uint64_t *executed, struct gpu_fault *fault);
    void *stage;         /* the family's, which the cache only passes on */
    uint32_t rows;       /* that it writes, at most GPU_CACHE_ROWS */
    uint32_t insn_count; /* of its program */
    bool repeats;        /* which may run instructions more than once */
    uint32_t max_index;  /* the last whose attributes lie in memory */
    uint32_t last_array; /* address of the array that has no more */
};

struct gpu_vertex_cache {
    struct gpu_cache_table low; /* indices below 65536 */
    uint32_t stride;            /* words of a vertex in a unit, a multiple of 4 */
    uint32_t rows;              /* of those, the ones with a meaning */
    struct gpu_vertex_shader shader;
    struct util_arena *arena;
    _Atomic uint64_t shaded, executed;
    _Atomic(struct gpu_cache_tables *) high; /* NULL until an index beyond `low` is met */
};

/* An empty cache that keeps `rows` words of each vertex, 1..GPU_CACHE_ROWS; its shader is the caller's to set
 * and to end. Memory comes from `arena`, which is borrowed. */
void gpu_vertex_cache_init(struct gpu_vertex_cache *cache, struct util_arena *arena, uint32_t rows);

/* The vertex with that index, which may have to be shaded first. It lives as long as the cache, except that a
 * vertex whose neighbours' shading faulted is shaded alone into `alone` (the caller's, valid until its next
 * use). Thread-safe; the caller is in the guest floating-point environment. NULL with *fault. */
const uint32_t *gpu_vertex_cache_shade(struct gpu_vertex_cache *cache, uint32_t index,
                                       uint32_t alone[GPU_CACHE_ALONE], struct gpu_fault *fault);

/* The same, but NULL where it would have to be shaded alone, or cannot be. */
const uint32_t *gpu_vertex_cache_shared(struct gpu_vertex_cache *cache, uint32_t index);

#define GPU_CACHE_MARKS 64u /* pointers below are marks of units that are not done */

/* The vertex with that index if it is shaded already, else NULL. */
static inline const uint32_t *gpu_vertex_cache_find(struct gpu_vertex_cache *cache, uint32_t index)
{
    uint32_t page_number = index / (GPU_CACHE_UNIT * GPU_CACHE_PAGE);
    if (page_number < GPU_CACHE_PAGES && index <= cache->shader.max_index) {
        struct gpu_cache_page *page =
            atomic_load_explicit(&cache->low.page[page_number], memory_order_acquire);
        uint32_t *unit = page ? atomic_load_explicit(&page->unit[index / GPU_CACHE_UNIT % GPU_CACHE_PAGE],
                                                     memory_order_acquire)
                              : NULL;
        if ((uintptr_t)unit >= GPU_CACHE_MARKS)
            return unit + index % GPU_CACHE_UNIT * cache->stride;
    }
    return NULL;
}

static inline const uint32_t *gpu_vertex_cache_get(struct gpu_vertex_cache *cache, uint32_t index,
                                                   uint32_t alone[GPU_CACHE_ALONE], struct gpu_fault *fault)
{
    const uint32_t *found = gpu_vertex_cache_find(cache, index);
    return found ? found : gpu_vertex_cache_shade(cache, index, alone, fault);
}

/* What each use of a vertex costs in instructions: half of the program, for strips use each twice and more.
 * *loops: the program may repeat instructions, which gpu_vertex_cache_cost knows. */
void gpu_vertex_cache_cost_of(const struct gpu_vertex_cache *cache, uint32_t *cost, bool *loops);

/* What each use of a vertex costs besides, as its program repeats instructions: again half of what a batch
 * takes. `words` is what gpu_vertex_cache_get returned for `index` and `alone`. */
static inline uint32_t gpu_vertex_cache_cost(const struct gpu_vertex_cache *cache, uint32_t index,
                                             const uint32_t alone[GPU_CACHE_ALONE], const uint32_t *words)
{
    if (words == alone + GPU_CACHE_HEAD)
        return alone[0];
    return *(words - index % GPU_CACHE_UNIT * cache->stride - GPU_CACHE_HEAD);
}

#endif
