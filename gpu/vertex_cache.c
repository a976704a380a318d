/* The vertex cache: tables of units, published without locks. */
#include "gpu/vertex_cache.h"

#include <errno.h>
#include <smmintrin.h>
#include <stdalign.h>
#include <string.h>

#include "util/bits.h"

#define LOW        (GPU_CACHE_UNIT * GPU_CACHE_PAGE * GPU_CACHE_PAGES)
#define SPIN_LIMIT 20000u
#define BATCHES    (GPU_CACHE_UNIT / 16)

/* A worker that finds a unit busy spins for a while, then shades for itself: waiting for another's scheduler
 * could be long. */
#define BUSY    ((uint32_t *)(uintptr_t)8)
#define FAULTED ((uint32_t *)(uintptr_t)16) /* some vertex of it faults: each is shaded alone */

/* ---- life ---- */

static void *zeroed(struct util_arena *arena, size_t size)
{
    void *it = util_arena_alloc(arena, size);
    return it ? memset(it, 0, size) : NULL;
}

static int no_memory(struct gpu_fault *fault)
{
    gpu_fault_set(fault, GPU_FAULT_MEMORY, "vertex program", 0, "no host memory for shaded vertices");
    return -ENOMEM;
}

void gpu_vertex_cache_init(struct gpu_vertex_cache *cache, struct util_arena *arena, uint32_t rows)
{
    memset(cache, 0, sizeof *cache);
    cache->arena = arena;
    cache->rows = rows;
    cache->stride = util_align(rows, 4);
}

/* ---- finding a unit ---- */

/* The object behind *slot, made (zeroed) when absent; the loser of a race leaves its own to the arena. */
#define GET_OR_MAKE(type, slot)                                                                              \
    ({                                                                                                       \
        type *it_ = atomic_load_explicit((slot), memory_order_acquire);                                      \
        if (!it_) {                                                                                          \
            type *made_ = zeroed(cache->arena, sizeof *made_);                                               \
            if (made_ && atomic_compare_exchange_strong((slot), &it_, made_))                                \
                it_ = made_;                                                                                 \
        }                                                                                                    \
        it_;                                                                                                 \
    })

static struct gpu_cache_table *find_table(struct gpu_vertex_cache *cache, uint32_t index)
{
    if (index < LOW)
        return &cache->low;
    struct gpu_cache_tables *high = GET_OR_MAKE(struct gpu_cache_tables, &cache->high);
    return high ? GET_OR_MAKE(struct gpu_cache_table, &high->table[index / LOW]) : NULL;
}

static gpu_cache_unit *find_unit(struct gpu_vertex_cache *cache, uint32_t index)
{
    struct gpu_cache_table *table = find_table(cache, index);
    uint32_t unit = index % LOW / GPU_CACHE_UNIT;
    if (!table)
        return NULL;
    struct gpu_cache_page *page = GET_OR_MAKE(struct gpu_cache_page, &table->page[unit / GPU_CACHE_PAGE]);
    return page ? &page->unit[unit % GPU_CACHE_PAGE] : NULL;
}

/* ---- shading ---- */

/* A batch's rows to one run of words a vertex. */
static void transpose(const struct gpu_vertex_cache *cache, const uint32_t (*row)[16], uint32_t *out)
{
    uint32_t written = UTIL_MIN(cache->rows, cache->shader.rows);
    for (uint32_t r = 0; r < cache->stride; r += 4)
        for (uint32_t l = 0; l < 16; l += 4) {
            __m128i w[4], a, b, c, d;
            for (uint32_t i = 0; i < 4; i++)
                w[i] =
                    r + i < written ? _mm_loadu_si128((const __m128i *)&row[r + i][l]) : _mm_setzero_si128();
            a = _mm_unpacklo_epi32(w[0], w[1]), b = _mm_unpackhi_epi32(w[0], w[1]);
            c = _mm_unpacklo_epi32(w[2], w[3]), d = _mm_unpackhi_epi32(w[2], w[3]);
            w[0] = _mm_unpacklo_epi64(a, c), w[1] = _mm_unpackhi_epi64(a, c);
            w[2] = _mm_unpacklo_epi64(b, d), w[3] = _mm_unpackhi_epi64(b, d);
            for (uint32_t i = 0; i < 4; i++)
                _mm_store_si128((__m128i *)(out + (l + i) * cache->stride + r), w[i]);
        }
}

/* Half of what a batch took, on the average of so many, beyond one straight run of the program. */
static uint32_t beyond(const struct gpu_vertex_cache *cache, uint64_t executed, uint32_t batches)
{
    uint64_t straight = (uint64_t)cache->shader.insn_count * batches;
    uint64_t cost = executed > straight ? executed - straight : 0;
    return (uint32_t)UTIL_MIN(cost / (2 * batches), (uint64_t)UINT32_MAX);
}

void gpu_vertex_cache_cost_of(const struct gpu_vertex_cache *cache, uint32_t *cost, bool *loops)
{
    *cost = cache->shader.insn_count / 2;
    *loops = cache->shader.repeats;
}

static int shade(struct gpu_vertex_cache *cache, const uint32_t (*lanes)[16], uint32_t batches,
                 uint32_t (*rows)[16], uint64_t *executed, struct gpu_fault *fault)
{
    return cache->shader.shade(cache->shader.stage, lanes, batches, rows, executed, fault);
}

/* Shades the unit of `index` into words of the arena. Indices past the last one whose attributes exist are
 * replaced by it: nobody may ask for them. What is counted does not depend on who shades how often. */
static int shade_unit(struct gpu_vertex_cache *cache, uint32_t index, bool counts, uint32_t **out)
{
    alignas(64) uint32_t rows[BATCHES * GPU_CACHE_ROWS][16];
    uint32_t lanes[BATCHES][16], first = index & ~(GPU_CACHE_UNIT - 1);
    uint64_t executed = 0;
    struct gpu_fault ignored;
    for (uint32_t l = 0; l < GPU_CACHE_UNIT; l++)
        lanes[l / 16][l % 16] = UTIL_MIN(first + l, cache->shader.max_index);
    int error = shade(cache, (const uint32_t(*)[16])lanes, BATCHES, rows, &executed, &ignored);
    if (counts) {
        atomic_fetch_add_explicit(&cache->shaded, GPU_CACHE_UNIT, memory_order_relaxed);
        atomic_fetch_add_explicit(&cache->executed, executed, memory_order_relaxed);
    }
    if (error)
        return error;
    size_t size = (GPU_CACHE_HEAD + GPU_CACHE_UNIT * cache->stride + GPU_CACHE_TAIL) * sizeof(uint32_t);
    uint32_t *words = util_arena_alloc(cache->arena, size);
    if (!words)
        return -ENOMEM;
    words[0] = beyond(cache, executed, BATCHES);
    words += GPU_CACHE_HEAD;
    for (uint32_t b = 0; b < BATCHES; b++)
        transpose(cache, (const uint32_t(*)[16])rows + b * cache->shader.rows,
                  words + b * 16 * cache->stride);
    *out = words;
    return 0;
}

/* A neighbour that nobody draws may hold garbage and fault: then only this vertex counts. */
static const uint32_t *shade_alone(struct gpu_vertex_cache *cache, uint32_t index,
                                   uint32_t alone[GPU_CACHE_ALONE], struct gpu_fault *fault)
{
    alignas(64) uint32_t rows[GPU_CACHE_ROWS][16];
    uint32_t lanes[1][16], written = UTIL_MIN(cache->rows, cache->shader.rows);
    uint64_t executed = 0;
    for (uint32_t l = 0; l < 16; l++)
        lanes[0][l] = index;
    int error = shade(cache, (const uint32_t(*)[16])lanes, 1, rows, &executed, fault);
    atomic_fetch_add_explicit(&cache->shaded, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&cache->executed, executed, memory_order_relaxed);
    if (error)
        return NULL;
    alone[0] = beyond(cache, executed, 1);
    alone += GPU_CACHE_HEAD;
    for (uint32_t r = 0; r < cache->rows; r++)
        alone[r] = r < written ? rows[r][0] : 0;
    return alone;
}

/* Waits a little for a busy unit; returns what is there then. */
static uint32_t *spin(gpu_cache_unit *unit)
{
    uint32_t *words = BUSY;
    for (unsigned i = 0; words == BUSY && i < SPIN_LIMIT; i++) {
        _mm_pause();
        words = atomic_load_explicit(unit, memory_order_acquire);
    }
    return words;
}

/* The words of the unit that holds `index`, shaded now if need be; FAULTED; or NULL, out of memory. */
static uint32_t *get_unit(struct gpu_vertex_cache *cache, uint32_t index)
{
    gpu_cache_unit *unit = find_unit(cache, index);
    uint32_t *words = NULL;
    if (!unit)
        return NULL;
    bool mine = atomic_compare_exchange_strong(unit, &words, BUSY);
    if (!mine && words == BUSY)
        words = spin(unit);
    if (mine || words == BUSY) {
        int error = shade_unit(cache, index, mine, &words);
        if (error)
            words = error == -ENOMEM ? NULL : FAULTED;
        if (mine)
            atomic_store_explicit(unit, words, memory_order_release);
    }
    return words;
}

const uint32_t *gpu_vertex_cache_shared(struct gpu_vertex_cache *cache, uint32_t index)
{
    const uint32_t *words = index <= cache->shader.max_index ? get_unit(cache, index) : NULL;
    return words && words != FAULTED ? words + index % GPU_CACHE_UNIT * cache->stride : NULL;
}

const uint32_t *gpu_vertex_cache_shade(struct gpu_vertex_cache *cache, uint32_t index,
                                       uint32_t alone[GPU_CACHE_ALONE], struct gpu_fault *fault)
{
    if (index > cache->shader.max_index) {
        gpu_fault_set(fault, GPU_FAULT_MEMORY, "vertex program", cache->shader.last_array,
                      "vertex %u: attributes lie outside memory (the last that fits is %u)", index,
                      cache->shader.max_index);
        return NULL;
    }
    const uint32_t *words = get_unit(cache, index);
    if (words == FAULTED)
        return shade_alone(cache, index, alone, fault);
    if (!words)
        no_memory(fault);
    return words ? words + index % GPU_CACHE_UNIT * cache->stride : NULL;
}
