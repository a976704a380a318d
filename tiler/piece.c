/* Pieces of primitive lists. */
#include "tiler/piece.h"

#include <assert.h>
#include <smmintrin.h>

#include "util/bits.h"

#define FETCH_CHUNKS 48u /* worth waking the workers for, to fetch */
#define CULL_CHUNKS  24u /* and to cull */

static_assert(TILER_CHUNK % 6 == 0 && TILER_CHUNK % 8 == 0, "chunks hold whole primitives");

static uint32_t chunk_size(const struct tiler_piece *p, uint32_t number)
{
    return UTIL_MIN(p->count - number * TILER_CHUNK, TILER_CHUNK);
}

/* ---- indices ---- */

struct fetching {
    struct tiler_piece *piece;
    const struct tiler_source *source;
    uint64_t at; /* of the piece's first index in the list */
    bool name;
    struct tiler_range range[UTIL_POOL_MAX + 1]; /* one a worker */
};

static inline void widen_range(struct tiler_range *range, uint32_t least, uint32_t greatest)
{
    range->least = UTIL_MIN(range->least, least);
    range->greatest = UTIL_MAX(range->greatest, greatest);
}

/* The least and the greatest of eight words. */
static inline void fold(__m128i least, __m128i greatest, struct tiler_range *range)
{
    const __m128i ones = _mm_set1_epi16(-1);
    uint32_t l = (uint32_t)_mm_extract_epi16(_mm_minpos_epu16(least), 0);
    uint32_t g = 0xffffu ^ (uint32_t)_mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(greatest, ones)), 0);
    widen_range(range, l, g);
}

static inline uint32_t load_index(const uint8_t *from, uint32_t log2)
{
    return log2 == 0 ? *from : log2 == 1 ? util_load16(from) : util_load32(from);
}

/* Indices one by one, from guest memory into private memory, once. */
static void fetch_few(const uint8_t *from, const struct tiler_source *s, uint32_t count, uint16_t *out,
                      struct tiler_range *range)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = load_index(from + ((size_t)i << s->log2), s->log2);
        out[i] = (uint16_t)(value - s->base);
        widen_range(range, value, value);
    }
}

/* Eight at a time, of one or two bytes. */
static void fetch_many(const uint8_t *from, const struct tiler_source *s, uint32_t count, uint16_t *out,
                       struct tiler_range *range)
{
    const __m128i base = _mm_set1_epi16((short)s->base);
    __m128i least = _mm_set1_epi16(-1), greatest = _mm_setzero_si128();
    uint32_t i = 0;
    for (; count - i >= 8; i += 8) {
        __m128i eight = s->log2 ? _mm_loadu_si128((const __m128i *)(from + i * 2))
                                : _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(from + i)));
        least = _mm_min_epu16(least, eight);
        greatest = _mm_max_epu16(greatest, eight);
        _mm_storeu_si128((__m128i *)(out + i), _mm_sub_epi16(eight, base));
    }
    if (i)
        fold(least, greatest, range);
    fetch_few(from + ((size_t)i << s->log2), s, count - i, out + i, range);
}

static void fetch_chunk(void *data, uint32_t number, unsigned worker)
{
    struct fetching *f = data;
    const struct tiler_source *s = f->source;
    uint32_t first = number * TILER_CHUNK, count = chunk_size(f->piece, number);
    const uint8_t *from = s->bytes + ((f->at + first) << s->log2);
    uint16_t *out = f->piece->index + first;
    (s->log2 == 2 ? fetch_few : fetch_many)(from, s, count, out, &f->range[worker]);
    if (f->name)
        tiler_marks_name(&f->piece->marks, out, count);
}

struct tiler_range tiler_piece_fetch(struct tiler_piece *p, const struct tiler_source *s, uint64_t at,
                                     uint32_t count, bool name, struct util_pool *pool)
{
    struct fetching f; /* most of it is not needed */
    p->count = count;
    p->indexed = s->bytes;
    p->first = s->first + (uint32_t)at;
    if (!p->indexed)
        return (struct tiler_range){p->first, p->first + count - 1};
    uint32_t chunks = tiler_piece_chunks(p);
    struct util_pool *workers = chunks >= FETCH_CHUNKS ? pool : NULL;
    f.piece = p;
    f.source = s;
    f.at = at;
    f.name = name;
    for (unsigned i = 0; i < util_pool_workers(workers); i++)
        f.range[i] = (struct tiler_range){UINT32_MAX, 0};
    util_pool_run_spans(workers, chunks, fetch_chunk, &f);
    for (unsigned i = 1; i < util_pool_workers(workers); i++)
        widen_range(&f.range[0], f.range[i].least, f.range[i].greatest);
    return f.range[0];
}

void tiler_piece_number_from(struct tiler_piece *p, uint32_t origin)
{
    p->first -= origin;
    for (uint32_t i = 0; origin && p->indexed && i < p->count; i++)
        p->index[i] = (uint16_t)(p->index[i] - origin);
}

/* ---- primitives ---- */

struct tiler_assembler tiler_piece_assembler(const struct tiler_piece *p, const struct tiler_assembler *begin,
                                             uint32_t count)
{
    struct tiler_assembler a = *begin;
    if (count && !a.taken)
        a.first = tiler_piece_index(p, 0);
    for (uint32_t k = 0; k < 3 && count; k++)
        a.before[k] = count + k >= 3 ? tiler_piece_index(p, count + k - 3) : begin->before[k + count];
    a.taken += count;
    return a;
}

static void widen(const struct tiler_piece *p, uint32_t first, uint32_t count, uint32_t out[TILER_CHUNK])
{
    if (p->indexed)
        for (uint32_t i = 0; i < count; i++)
            out[i] = p->index[first + i];
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = p->first + first + i;
}

uint32_t tiler_piece_assemble(const struct tiler_piece *p, const struct tiler_assembler *begin,
                              uint32_t number, uint32_t out[TILER_CHUNK][3])
{
    uint32_t first = number * TILER_CHUNK, count = chunk_size(p, number), wide[TILER_CHUNK];
    struct tiler_assembler a = tiler_piece_assembler(p, begin, first);
    widen(p, first, count, wide);
    return tiler_assemble(&a, wide, count, out);
}

struct culling {
    struct tiler_piece *piece;
    const struct tiler_assembler *begin;
    const struct tiler_cull *cull;
};

/* A chunk's triangles: those of a list stand there already, but for one that is not whole. */
static const uint16_t (*triangles(const struct culling *c, uint32_t number, uint16_t made[TILER_CHUNK][3],
                                  uint32_t *count))[3]
{
    const struct tiler_piece *p = c->piece;
    uint32_t first = number * TILER_CHUNK, size = chunk_size(p, number), assembled[TILER_CHUNK][3];
    uint16_t *consecutive = &made[0][0];
    if (c->begin->mode == TILER_TRIANGLES && c->begin->taken % 3 == 0) {
        *count = size / 3;
        for (uint32_t i = 0; !p->indexed && i < size; i++)
            consecutive[i] = (uint16_t)(p->first + first + i);
        return p->indexed ? (const uint16_t(*)[3])(p->index + first) : (const uint16_t(*)[3])made;
    }
    *count = tiler_piece_assemble(p, c->begin, number, assembled);
    for (uint32_t i = 0; i < *count; i++)
        for (unsigned k = 0; k < 3; k++)
            made[i][k] = (uint16_t)assembled[i][k];
    return (const uint16_t(*)[3])made;
}

static void cull_chunk(void *data, uint32_t number, unsigned worker)
{
    const struct culling *c = data;
    struct tiler_chunk *chunk = &c->piece->chunk[number];
    uint16_t made[TILER_CHUNK][3];
    const uint16_t(*index)[3] = triangles(c, number, made, &chunk->primitives);
    (void)worker;
    chunk->culled = (struct tiler_culled){0};
    chunk->kept =
        tiler_cull(c->cull, index, chunk->primitives, c->piece->kept + number * TILER_CHUNK, &chunk->culled);
}

void tiler_piece_cull(struct tiler_piece *p, const struct tiler_assembler *begin,
                      const struct tiler_cull *cull, struct util_pool *pool)
{
    struct culling c = {p, begin, cull};
    uint32_t chunks = tiler_piece_chunks(p);
    util_pool_run_spans(chunks >= CULL_CHUNKS ? pool : NULL, chunks, cull_chunk, &c);
}
