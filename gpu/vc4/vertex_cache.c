/* The vertex cache: a three-level table of batches, published without locks. */
#include "gpu/vc4/vertex_cache.h"

#include <errno.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device_internal.h"
#include "util/bits.h"

/* Indices are below 2^24: 16 in a batch, 64 batches in a page, 128 pages in a leaf, 128 leaves. */
#define BATCH      16u
#define PAGE       64u
#define LEAF       128u
#define LEAVES     128u
#define INDEX_MAX  ((1u << 24) - 1)
#define SPIN_LIMIT 20000u

/* A batch goes from absent to busy to done; done is a pointer to its rows. A worker that finds it busy spins
 * for a while, then shades for itself: waiting for another's compiler or scheduler could be long. */
typedef uint32_t rows16[16];
#define BUSY    ((rows16 *)(uintptr_t)8)
#define FAULTED ((rows16 *)(uintptr_t)16) /* some vertex of it faults: each is shaded alone */

struct page {
    _Atomic(rows16 *) batch[PAGE];
};

struct leaf {
    _Atomic(struct page *) page[LEAF];
};

struct vc4_vertex_cache {
    struct vc4_vertex_stage *stage;
    uint32_t rows, written; /* kept, and of those the ones that the program writes */
    uint32_t max_index;
    _Atomic uint64_t shaded;
    _Atomic(struct leaf *) leaf[LEAVES];
};

/* The largest index whose attributes lie in memory, for the arrays the program fetches. False when none
 * does. */
static bool largest_index(const struct gpu_memory *memory, const struct vc4_shader_state *state,
                          uint32_t *out)
{
    uint64_t limit = INDEX_MAX;
    for (uint32_t i = 0; i < state->attribute_count; i++) {
        const struct vc4_attribute *a = &state->attribute[i];
        if (!(state->vs.attribute_select & 1u << i))
            continue;
        uint64_t first_end = (uint64_t)a->address + a->bytes;
        if (first_end > memory->size)
            return false;
        if (a->stride)
            limit = UTIL_MIN(limit, (memory->size - first_end) / a->stride);
    }
    *out = (uint32_t)limit;
    return true;
}

int vc4_vertex_cache_create(const struct gpu_memory *memory, struct jit_engine *engine,
                            const struct vc4_shader_state *state, uint32_t rows, uint32_t fuel,
                            struct vc4_vertex_cache **out, struct gpu_fault *fault)
{
    uint32_t max_index = 0;
    struct vc4_vertex_cache *cache = calloc(1, sizeof *cache);
    if (!cache) {
        vc4_fault_set(fault, GPU_FAULT_MEMORY, "vertex program", state->address, "no host memory");
        return -ENOMEM;
    }
    /* When not even vertex 0 lies in memory, the preparation below names the array. */
    largest_index(memory, state, &max_index);
    int error = vc4_vertex_prepare(memory, engine, state, false, max_index, fuel, &cache->stage, fault);
    if (error) {
        free(cache);
        return error;
    }
    cache->max_index = max_index;
    cache->rows = rows;
    cache->written = UTIL_MIN(rows, vc4_vertex_rows(cache->stage));
    *out = cache;
    return 0;
}

void vc4_vertex_cache_destroy(struct vc4_vertex_cache *cache)
{
    if (!cache)
        return;
    for (unsigned l = 0; l < LEAVES; l++) {
        struct leaf *leaf = atomic_load(&cache->leaf[l]);
        for (unsigned p = 0; leaf && p < LEAF; p++) {
            struct page *page = atomic_load(&leaf->page[p]);
            for (unsigned b = 0; page && b < PAGE; b++) {
                rows16 *rows = atomic_load(&page->batch[b]);
                if (rows != BUSY && rows != FAULTED)
                    free(rows);
            }
            free(page);
        }
        free(leaf);
    }
    vc4_vertex_release(cache->stage);
    free(cache);
}

uint64_t vc4_vertex_cache_shaded(const struct vc4_vertex_cache *cache)
{
    return atomic_load_explicit(&cache->shaded, memory_order_relaxed);
}

/* The object behind *slot, made (zeroed) when absent; the loser of a race takes the winner's. */
#define GET_OR_MAKE(type, slot)                                                                              \
    ({                                                                                                       \
        type *it_ = atomic_load_explicit((slot), memory_order_acquire);                                      \
        if (!it_) {                                                                                          \
            type *made_ = calloc(1, sizeof *made_);                                                          \
            if (made_ && !atomic_compare_exchange_strong((slot), &it_, made_))                               \
                free(made_);                                                                                 \
            else                                                                                             \
                it_ = made_;                                                                                 \
        }                                                                                                    \
        it_;                                                                                                 \
    })

static _Atomic(rows16 *) *find_slot(struct vc4_vertex_cache *cache, uint32_t index)
{
    uint32_t batch = index / BATCH;
    struct leaf *leaf = GET_OR_MAKE(struct leaf, &cache->leaf[batch / PAGE / LEAF]);
    if (!leaf)
        return NULL;
    struct page *page = GET_OR_MAKE(struct page, &leaf->page[batch / PAGE % LEAF]);
    return page ? &page->batch[batch % PAGE] : NULL;
}

/* Shades the batch of `index` into *out. Indices past the last one whose attributes exist are replaced by
 * it: nobody may ask for them. */
static int shade_batch(struct vc4_vertex_cache *cache, uint32_t index, struct vc4_vertex_batch *out,
                       struct gpu_fault *fault)
{
    uint32_t lanes[16], first = index & ~(BATCH - 1);
    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = UTIL_MIN(first + l, cache->max_index);
    memset(out, 0, cache->rows * sizeof out->row[0]);
    atomic_fetch_add_explicit(&cache->shaded, 16, memory_order_relaxed);
    return vc4_vertex_shade(cache->stage, lanes, out, fault);
}

/* A neighbour that nobody draws may hold garbage and fault: then only this vertex counts. */
static int shade_alone(struct vc4_vertex_cache *cache, uint32_t index, struct vc4_vertex_batch *alone,
                       struct vc4_shaded_vertex *out, struct gpu_fault *fault)
{
    uint32_t lanes[16];
    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = index;
    memset(alone, 0, cache->rows * sizeof alone->row[0]);
    atomic_fetch_add_explicit(&cache->shaded, 1, memory_order_relaxed);
    int error = vc4_vertex_shade(cache->stage, lanes, alone, fault);
    out->row = alone->row[0];
    return error;
}

static rows16 *compact(const struct vc4_vertex_cache *cache, const struct vc4_vertex_batch *batch)
{
    rows16 *rows = aligned_alloc(64, cache->rows * sizeof *rows);
    if (!rows)
        return NULL;
    memcpy(rows, batch->row, cache->written * sizeof *rows);
    memset(rows + cache->written, 0, (cache->rows - cache->written) * sizeof *rows);
    return rows;
}

/* Waits a little for a busy batch; returns what is there then. */
static rows16 *spin(_Atomic(rows16 *) *slot)
{
    rows16 *rows = BUSY;
    for (unsigned i = 0; rows == BUSY && i < SPIN_LIMIT; i++) {
        _mm_pause();
        rows = atomic_load_explicit(slot, memory_order_acquire);
    }
    return rows;
}

int vc4_vertex_cache_get(struct vc4_vertex_cache *cache, uint32_t index, struct vc4_vertex_batch *alone,
                         struct vc4_shaded_vertex *out, struct gpu_fault *fault)
{
    if (index > cache->max_index) {
        vc4_fault_set(fault, GPU_FAULT_MEMORY, "vertex program", 0,
                      "vertex %u: attributes lie outside memory (the last that fits is %u)", index,
                      cache->max_index);
        return -EFAULT;
    }
    _Atomic(rows16 *) *slot = find_slot(cache, index);
    if (!slot)
        goto no_memory;

    rows16 *rows = atomic_load_explicit(slot, memory_order_acquire);
    bool mine = false;
    if (!rows) {
        mine = atomic_compare_exchange_strong(slot, &rows, BUSY);
        if (mine)
            rows = BUSY;
    }
    if (rows == BUSY && !mine)
        rows = spin(slot);
    if (rows == BUSY) {
        struct gpu_fault ignored;
        if (shade_batch(cache, index, alone, &ignored) < 0) {
            rows = FAULTED;
        } else if (!mine) {
            out->row = &alone->row[0][index % BATCH];
            return 0;
        } else if (!(rows = compact(cache, alone))) {
            atomic_store_explicit(slot, NULL, memory_order_release);
            goto no_memory;
        }
        if (mine)
            atomic_store_explicit(slot, rows, memory_order_release);
    }
    if (rows == FAULTED)
        return shade_alone(cache, index, alone, out, fault);
    out->row = &rows[0][index % BATCH];
    return 0;
no_memory:
    vc4_fault_set(fault, GPU_FAULT_MEMORY, "vertex program", 0, "no host memory for shaded vertices");
    return -ENOMEM;
}
