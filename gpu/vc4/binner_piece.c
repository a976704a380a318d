/* Primitive lists, a piece at a time: indices fetched once, vertices shaded once, primitives assembled and
 * culled, all three by several threads where that pays; then binned in order. */
#include <assert.h>
#include <smmintrin.h>
#include <string.h>

#include "gpu/vc4/binner_internal.h"
#include "util/bits.h"

#define INDEX_COST   16u  /* indices for one unit of the packet budget */
#define FEW          256u /* indices for which looking at each costs less than looking for those marked */
#define FETCH_CHUNKS 48u  /* chunks worth waking the workers for, to fetch */
#define CULL_CHUNKS  24u  /* and to cull */

static_assert(VC4_BIN_CHUNK % 6 == 0 && VC4_BIN_CHUNK % 8 == 0, "chunks hold whole primitives");

/* ---- indices ---- */

struct fetching {
    struct vc4_bin_piece *piece;
    const struct vc4_bin_source *source;
    uint64_t at; /* of the piece's first index in the list */
    bool marks;
    struct {
        uint32_t least, greatest;
    } range[UTIL_POOL_MAX + 1]; /* one a worker */
};

static uint32_t chunk_size(const struct vc4_bin_piece *p, uint32_t number)
{
    return UTIL_MIN(p->count - number * VC4_BIN_CHUNK, VC4_BIN_CHUNK);
}

/* The least and the greatest of eight words into lane 0 of each. */
static inline void fold(__m128i least, __m128i greatest, uint32_t *low, uint32_t *high)
{
    const __m128i ones = _mm_set1_epi16(-1);
    uint32_t l = (uint32_t)_mm_extract_epi16(_mm_minpos_epu16(least), 0);
    uint32_t g = 0xffffu ^ (uint32_t)_mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(greatest, ones)), 0);
    *low = UTIL_MIN(*low, l);
    *high = UTIL_MAX(*high, g);
}

/* `count` indices from guest memory into private memory, once. */
static void fetch_indices(const uint8_t *from, bool is_16bit, uint32_t count, uint16_t *out, uint32_t *low,
                          uint32_t *high)
{
    __m128i least = _mm_set1_epi16(-1), greatest = _mm_setzero_si128();
    uint32_t i = 0;
    for (; count - i >= 8; i += 8) {
        __m128i eight = is_16bit ? _mm_loadu_si128((const __m128i *)(from + i * 2))
                                 : _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(from + i)));
        least = _mm_min_epu16(least, eight);
        greatest = _mm_max_epu16(greatest, eight);
        _mm_storeu_si128((__m128i *)(out + i), eight);
    }
    fold(least, greatest, low, high);
    for (; i < count; i++) {
        out[i] = is_16bit ? util_load16(from + i * 2) : from[i];
        *low = UTIL_MIN(*low, (uint32_t)out[i]);
        *high = UTIL_MAX(*high, (uint32_t)out[i]);
    }
}

static void fetch_chunk(void *data, uint32_t number, unsigned worker)
{
    struct fetching *f = data;
    struct vc4_bin_piece *p = f->piece;
    uint32_t first = number * VC4_BIN_CHUNK, count = chunk_size(p, number);
    fetch_indices(f->source->bytes + ((f->at + first) << f->source->is_16bit), f->source->is_16bit, count,
                  p->index + first, &f->range[worker].least, &f->range[worker].greatest);
    if (f->marks)
        tiler_marks_name(&p->marks, p->index + first, count);
}

static bool index_too_great(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at)
{
    uint32_t i = 0;
    while (b->piece->index[i] <= s->max_index)
        i++;
    return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address,
                           "index %u (number %llu) is greater than the maximum, %u", b->piece->index[i],
                           (unsigned long long)at + i, s->max_index);
}

/* Fetches the piece's indices; their range. */
static void fetch_piece(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at, uint32_t *least,
                        uint32_t *greatest)
{
    struct vc4_bin_piece *p = b->piece;
    struct fetching f; /* most of it is not needed */
    uint32_t chunks = util_div_up(p->count, VC4_BIN_CHUNK);
    struct util_pool *pool = chunks >= FETCH_CHUNKS ? b->device->options.pool : NULL;
    unsigned workers = util_pool_workers(pool);
    f.piece = p;
    f.source = s;
    f.at = at;
    f.marks = p->count > FEW;
    for (unsigned i = 0; i < workers; i++) {
        f.range[i].least = UINT32_MAX;
        f.range[i].greatest = 0;
    }
    util_pool_run_spans(pool, chunks, fetch_chunk, &f);
    *least = f.range[0].least;
    *greatest = f.range[0].greatest;
    for (unsigned i = 1; i < workers; i++) {
        *least = UTIL_MIN(*least, f.range[i].least);
        *greatest = UTIL_MAX(*greatest, f.range[i].greatest);
    }
}

/* Indices taken, and their vertices shaded. */
static bool take_indexed(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at)
{
    struct vc4_bin_piece *p = b->piece;
    uint32_t least, greatest;
    fetch_piece(b, s, at, &least, &greatest);
    uint32_t fresh = p->count > FEW ? tiler_marks_take(&p->marks, least, greatest, p->fresh)
                                    : tiler_marks_take_few(&p->marks, p->index, p->count, p->fresh);
    if (greatest > s->max_index)
        return index_too_great(b, s, at);
    return vc4_binner_prepare_stage(b, greatest) && (!fresh || vc4_binner_shade(b, p->fresh, 0, fresh));
}

static bool take(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at, uint32_t count)
{
    struct vc4_bin_piece *p = b->piece;
    p->count = count;
    p->indexed = s->bytes;
    p->first = s->first + (uint32_t)at;
    return p->indexed ? take_indexed(b, s, at)
                      : vc4_binner_prepare_stage(b, p->first + count - 1) &&
                            vc4_binner_shade(b, NULL, p->first, count);
}

/* ---- primitives ---- */

static uint32_t index_at(const struct vc4_bin_piece *p, uint32_t i)
{
    return p->indexed ? p->index[i] : p->first + i;
}

static void widen(const struct vc4_bin_piece *p, uint32_t first, uint32_t count, uint32_t out[VC4_BIN_CHUNK])
{
    if (p->indexed)
        for (uint32_t i = 0; i < count; i++)
            out[i] = p->index[first + i];
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = p->first + first + i;
}

/* The assembler as it stands `count` indices further on in the piece. */
static struct tiler_assembler assembler_at(const struct vc4_binner *b, uint32_t count)
{
    struct tiler_assembler a = b->assembler;
    if (count && !a.taken)
        a.first = index_at(b->piece, 0);
    if (count)
        a.before[0] = count >= 2 ? index_at(b->piece, count - 2) : a.before[1];
    if (count)
        a.before[1] = index_at(b->piece, count - 1);
    a.taken += count;
    return a;
}

/* The primitives that a chunk's indices complete; returns their number. */
static uint32_t assemble(const struct vc4_binner *b, uint32_t number, uint32_t out[VC4_BIN_CHUNK][3])
{
    uint32_t first = number * VC4_BIN_CHUNK, count = chunk_size(b->piece, number), wide[VC4_BIN_CHUNK];
    struct tiler_assembler a = assembler_at(b, first);
    widen(b->piece, first, count, wide);
    return tiler_assemble(&a, wide, count, out);
}

/* A chunk's triangles: those of a list stand there already, but for one that is not whole. */
static const uint16_t (*triangles(const struct vc4_binner *b, uint32_t number,
                                  uint16_t made[VC4_BIN_CHUNK][3], uint32_t *count))[3]
{
    const struct vc4_bin_piece *p = b->piece;
    uint32_t first = number * VC4_BIN_CHUNK, size = chunk_size(p, number), assembled[VC4_BIN_CHUNK][3];
    uint16_t *consecutive = &made[0][0];
    if (b->assembler.mode == TILER_TRIANGLES) {
        *count = size / 3;
        for (uint32_t i = 0; !p->indexed && i < size; i++)
            consecutive[i] = (uint16_t)(p->first + first + i);
        return p->indexed ? (const uint16_t(*)[3])(p->index + first) : (const uint16_t(*)[3])made;
    }
    *count = assemble(b, number, assembled);
    for (uint32_t i = 0; i < *count; i++)
        for (unsigned k = 0; k < 3; k++)
            made[i][k] = (uint16_t)assembled[i][k];
    return (const uint16_t(*)[3])made;
}

static void cull_chunk(void *data, uint32_t number, unsigned worker)
{
    const struct vc4_binner *b = data;
    struct vc4_bin_chunk *chunk = &b->piece->chunk[number];
    uint16_t made[VC4_BIN_CHUNK][3];
    const uint16_t(*index)[3] = triangles(b, number, made, &chunk->primitives);
    chunk->culled = (struct tiler_culled){0};
    chunk->kept = tiler_cull(&b->cull, index, chunk->primitives, b->piece->kept + number * VC4_BIN_CHUNK,
                             &chunk->culled);
}

/* Triangles that nobody watches: culled in any order, binned in theirs. */
static bool bin_triangles(struct vc4_binner *b, uint32_t chunks)
{
    struct vc4_bin_piece *p = b->piece;
    util_pool_run_spans(chunks >= CULL_CHUNKS ? b->device->options.pool : NULL, chunks, cull_chunk, b);
    for (uint32_t i = 0; i < chunks; i++) {
        const struct vc4_bin_chunk *chunk = &p->chunk[i];
        b->primitives_in += chunk->primitives;
        b->outside += chunk->culled.outside;
        b->reversed += chunk->culled.reversed;
        if (!vc4_binner_triangles(b, p->kept + i * VC4_BIN_CHUNK, chunk->kept))
            return false;
    }
    return true;
}

static bool bin_others(struct vc4_binner *b, uint32_t chunks)
{
    uint32_t made[VC4_BIN_CHUNK][3];
    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t count = assemble(b, i, made);
        if (!vc4_binner_primitives(b, (const uint32_t(*)[3])made, count))
            return false;
    }
    return true;
}

/* ---- the list ---- */

static bool draw_piece(struct vc4_binner *b, const struct vc4_bin_source *s, uint64_t at)
{
    uint32_t count = (uint32_t)UTIL_MIN(s->length - at, (uint64_t)VC4_BIN_PIECE);
    if (!vc4_binner_spend(b, count / INDEX_COST, b->draw_address) || !take(b, s, at, count))
        return false;
    uint32_t chunks = util_div_up(count, VC4_BIN_CHUNK);
    bool culls = b->primitive == VC4_TRIANGLES && !b->observer;
    if (!(culls ? bin_triangles(b, chunks) : bin_others(b, chunks)))
        return false;
    b->assembler = assembler_at(b, count);
    return true;
}

bool vc4_binner_draw_source(struct vc4_binner *b, const struct vc4_bin_source *s, enum tiler_mode mode)
{
    uint32_t last[1][3];
    tiler_assemble_begin(&b->assembler, mode);
    tiler_marks_begin(&b->piece->marks);
    for (uint64_t at = 0; at < s->length; at += VC4_BIN_PIECE)
        if (!draw_piece(b, s, at))
            return false;
    uint32_t n = tiler_assemble_end(&b->assembler, last);
    return vc4_binner_primitives(b, (const uint32_t(*)[3])last, n);
}
