/* The queue of deferred.h. Sixteen owners are two SSE vectors; no wider level gains anything here. */
#include "raster/deferred.h"

#include <string.h>

#include <smmintrin.h>

#define OWNER_MAX UINT16_MAX

/* Forgets what waits. The numbers to come are new to the map of owners; it is cleared when they run out. */
static void empty(struct raster_deferred *queue)
{
    queue->first_owner += queue->prim_count;
    queue->prim_count = queue->block_count = queue->plane_bytes = 0;
    queue->covered = false;
    if (queue->first_owner && queue->first_owner <= OWNER_MAX / 2)
        return;
    memset(queue->owner, 0, sizeof queue->owner);
    queue->first_owner = 1;
}

void raster_deferred_begin(struct raster_deferred *queue, uint32_t width, uint32_t height)
{
    uint32_t columns = width / 4, blocks = columns * (height / 4);
    if (queue->columns != columns || queue->tile_blocks != blocks)
        for (uint32_t i = 0; i < blocks; i++)
            queue->whole[i] = (struct raster_block){
                .x = (uint8_t)(i % columns), .y = (uint8_t)(i / columns), .mask = 0xffff, .sample = {0xffff}};
    queue->columns = columns;
    queue->tile_blocks = blocks;
    empty(queue);
}

/* ---- primitives that cover the tile ---- */

bool raster_deferred_fills(const struct raster_prim *prim, const struct raster_tile *tile,
                           const struct raster_rect *clip)
{
    int32_t right = tile->x + (int32_t)tile->width - 1, bottom = tile->y + (int32_t)tile->height - 1;
    if (prim->min_x > tile->x || prim->min_y > tile->y || prim->max_x < right || prim->max_y < bottom ||
        clip->x0 > tile->x || clip->y0 > tile->y || clip->x1 <= right || clip->y1 <= bottom)
        return false;
    for (uint32_t i = 0; i < prim->edge_count; i++) {
        int64_t a = prim->edge[i].a, b = prim->edge[i].b; /* least at one of the corners' centres */
        int64_t x = (a < 0 ? right : tile->x) * 16 + 8, y = (b < 0 ? bottom : tile->y) * 16 + 8;
        if (a * x + b * y + prim->edge[i].c < 0)
            return false;
    }
    return true;
}

/* ---- adding ---- */

void raster_planes_copy(const struct raster_prim *prim, uint32_t varyings, struct raster_planes *out)
{
    out->x0 = prim->x0;
    out->y0 = prim->y0;
    out->reverse = prim->reverse;
    out->unused = 0;
    _mm_store_ps(out->inv_w, _mm_setr_ps(prim->inv_w_a, prim->inv_w_b, prim->inv_w_c, 0));
    out->depth = prim->depth;
    for (uint32_t n = 0; n < varyings; n++)
        _mm_store_ps(out->vary[n], _mm_setr_ps(prim->vary_a[n], prim->vary_b[n], prim->vary_c[n], 0));
}

/* Lanes 0 to 7 of a mask as words of all ones or none. */
static inline __m128i lanes_of(uint32_t mask)
{
    const __m128i bit = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((short)mask), bit), bit);
}

static inline void own(__m128i *owner, uint32_t mask, __m128i number)
{
    if (mask == 0xffff) {
        owner[0] = owner[1] = number;
        return;
    }
    owner[0] = _mm_blendv_epi8(owner[0], number, lanes_of(mask));
    owner[1] = _mm_blendv_epi8(owner[1], number, lanes_of(mask >> 8));
}

static inline __m128i *owners_of(struct raster_deferred *queue, uint32_t x, uint32_t y)
{
    return (__m128i *)&queue->owner[(y * queue->columns + x) * 16];
}

static void take_blocks(struct raster_deferred *queue, uint32_t number, const struct raster_block *blocks,
                        uint32_t count)
{
    __m128i owner = _mm_set1_epi16((short)number);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = queue->block_count + i;
        queue->blocks[at].x = blocks[i].x;
        queue->blocks[at].y = blocks[i].y;
        queue->blocks[at].mask = blocks[i].mask;
        own(owners_of(queue, blocks[i].x, blocks[i].y), blocks[i].mask, owner);
    }
    queue->block_count += count;
}

bool raster_deferred_add(struct raster_deferred *queue, const void *shader, const struct raster_prim *prim,
                         uint32_t varyings, const struct raster_block *blocks, uint32_t count)
{
    uint32_t bytes = raster_planes_bytes(varyings);
    bool whole = !blocks;
    if (queue->first_owner + queue->prim_count > OWNER_MAX)
        return false;
    if (whole) { /* nothing that waits will be seen */
        queue->first_owner += queue->prim_count;
        queue->prim_count = queue->block_count = queue->plane_bytes = 0;
        queue->covered = true;
    } else if (queue->prim_count == RASTER_DEFERRED_PRIMS ||
               RASTER_DEFERRED_BLOCKS - queue->block_count < count ||
               RASTER_DEFERRED_BYTES - queue->plane_bytes < bytes) {
        return false;
    }
    uint32_t number = queue->prim_count++;
    queue->prims[number] = (struct raster_deferred_prim){.shader = shader,
                                                         .planes = queue->plane_bytes,
                                                         .first = queue->block_count,
                                                         .count = whole ? 0 : count};
    raster_planes_copy(prim, varyings, (struct raster_planes *)&queue->planes[queue->plane_bytes]);
    queue->plane_bytes += bytes;
    if (!whole)
        take_blocks(queue, queue->first_owner + number, blocks, count);
    return true;
}

/* ---- shading ---- */

struct pass {
    struct raster_deferred *queue;
    raster_deferred_fn shade;
    void *data;
    const void *shader;
    uint32_t count; /* of the batch */
};

static void end_batch(struct pass *pass)
{
    if (pass->count)
        pass->shade(pass->data, pass->shader, pass->queue->planes, pass->queue->batch, pass->count);
    pass->count = 0;
}

static inline void put(struct pass *pass, uint32_t x, uint32_t y, uint32_t mask, uint32_t planes)
{
    pass->queue->batch[pass->count] = (struct raster_deferred_block){
        .x = (uint8_t)x, .y = (uint8_t)y, .mask = (uint16_t)mask, .planes = planes};
    pass->count += mask != 0;
    if (pass->count == RASTER_DEFERRED_BATCH)
        end_batch(pass);
}

static inline uint32_t equal_lanes(__m128i low, __m128i high)
{
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

/* What the primitives behind the first, which covers the tile, have left to it. */
static void shade_tile(struct pass *pass, const struct raster_deferred_prim *prim, __m128i number)
{
    struct raster_deferred *queue = pass->queue;
    bool alone = queue->prim_count == 1;
    for (uint32_t y = 0, at = 0; at < queue->tile_blocks; y++)
        for (uint32_t x = 0; x < queue->columns; x++, at++) {
            const __m128i *owner = owners_of(queue, x, y);
            uint32_t mask = 0xffff;
            if (!alone)
                mask = equal_lanes(_mm_cmpeq_epi16(_mm_max_epu16(owner[0], number), number),
                                   _mm_cmpeq_epi16(_mm_max_epu16(owner[1], number), number));
            put(pass, x, y, mask, prim->planes);
        }
}

static void shade_blocks(struct pass *pass, const struct raster_deferred_prim *prim, __m128i number)
{
    struct raster_deferred *queue = pass->queue;
    for (uint32_t i = prim->first; i < prim->first + prim->count; i++) {
        uint32_t x = queue->blocks[i].x, y = queue->blocks[i].y;
        const __m128i *owner = owners_of(queue, x, y);
        uint32_t mask = equal_lanes(_mm_cmpeq_epi16(owner[0], number), _mm_cmpeq_epi16(owner[1], number));
        put(pass, x, y, mask & queue->blocks[i].mask, prim->planes);
    }
}

void raster_deferred_shade(struct raster_deferred *queue, raster_deferred_fn shade, void *data)
{
    struct pass pass = {.queue = queue, .shade = shade, .data = data};
    for (uint32_t i = 0; i < queue->prim_count; i++) {
        const struct raster_deferred_prim *prim = &queue->prims[i];
        __m128i number = _mm_set1_epi16((short)(queue->first_owner + i));
        if (prim->shader != pass.shader)
            end_batch(&pass);
        pass.shader = prim->shader;
        if (i == 0 && queue->covered)
            shade_tile(&pass, prim, number);
        else
            shade_blocks(&pass, prim, number);
    }
    end_batch(&pass);
    empty(queue);
}

/* ---- quads ---- */

bool raster_deferred_is_sparse(const struct raster_deferred_block *blocks, uint32_t count)
{
    uint32_t quads = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lanes = blocks[i].mask | blocks[i].mask >> 1;
        lanes = (lanes | lanes >> 2) & 0x1111;
        quads += lanes * 0x1111 >> 12 & 7; /* their sum: not every host level counts bits */
    }
    return (quads + 3) / 4 * 3 <= count * 2;
}

uint32_t raster_deferred_pack(const struct raster_tile *tile, const struct raster_deferred_block *blocks,
                              uint32_t count, struct raster_deferred_quads *out)
{
    uint32_t quads = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct raster_deferred_block *block = &blocks[i];
        uint32_t at = raster_block_index(tile, block->x * 4u, block->y * 4u, 0) * sizeof(uint32_t);
        uint32_t used = block->mask | block->mask >> 1;
        for (used = (used | used >> 2) & 0x1111; used; used &= used - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(used), q = lane / 4, n = quads++ % 4;
            struct raster_deferred_quads *four = &out[(quads - 1) / 4];
            four->mask = (uint16_t)((n ? four->mask : 0) | (block->mask >> lane & 15) << 4 * n);
            four->planes[n] = (uint16_t)(block->planes / 16);
            four->at[n] = (uint16_t)(at + lane * sizeof(uint32_t));
            four->x[n] = (uint8_t)(block->x * 2 + (q & 1));
            four->y[n] = (uint8_t)(block->y * 2 + (q >> 1));
        }
    }
    for (uint32_t n = quads % 4; n && n < 4; n++) {
        struct raster_deferred_quads *last = &out[quads / 4];
        last->planes[n] = last->planes[0];
        last->at[n] = last->at[0];
        last->x[n] = last->x[0];
        last->y[n] = last->y[0];
    }
    return (quads + 3) / 4;
}
