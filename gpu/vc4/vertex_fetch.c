/* Attributes as the VCD fetches them (Guide section 7): each element's bytes packed from its first row on;
 * what a last partial word lacks is zero. Sixteen vertices at a time, a row a word. */
#include <smmintrin.h>
#include <string.h>

#include "gpu/vc4/vertex_internal.h"
#include "util/bits.h"

/* Where four elements stand. */
struct elements {
    const uint8_t *at[4];
};

static inline __m128i low64(__m128i a, __m128i b)
{
    return _mm_unpacklo_epi64(a, b);
}

static inline __m128i eight_bytes(const uint8_t *a, const uint8_t *b)
{
    return low64(_mm_loadl_epi64((const __m128i *)a), _mm_loadl_epi64((const __m128i *)b));
}

static inline void store(uint32_t (*row)[16], uint32_t lane, __m128i value)
{
    _mm_storeu_si128((__m128i *)&row[0][lane], value);
}

/* Four elements' one, two, or three and four words, whole; of the latter, 16 bytes may be loaded. */
static inline void fetch1(const struct elements *e, uint32_t (*in)[16], uint32_t lane)
{
    for (unsigned i = 0; i < 4; i++)
        memcpy(&in[0][lane + i], e->at[i], 4);
}

static inline void fetch2(const struct elements *e, uint32_t (*in)[16], uint32_t lane)
{
    __m128 ab = _mm_castsi128_ps(eight_bytes(e->at[0], e->at[1]));
    __m128 cd = _mm_castsi128_ps(eight_bytes(e->at[2], e->at[3]));
    store(in, lane, _mm_castps_si128(_mm_shuffle_ps(ab, cd, 0x88)));
    store(in + 1, lane, _mm_castps_si128(_mm_shuffle_ps(ab, cd, 0xdd)));
}

static inline void transpose(__m128i row[4])
{
    __m128i ab = _mm_unpacklo_epi32(row[0], row[1]), cd = _mm_unpacklo_epi32(row[2], row[3]);
    __m128i ef = _mm_unpackhi_epi32(row[0], row[1]), gh = _mm_unpackhi_epi32(row[2], row[3]);
    row[0] = low64(ab, cd);
    row[1] = _mm_unpackhi_epi64(ab, cd);
    row[2] = low64(ef, gh);
    row[3] = _mm_unpackhi_epi64(ef, gh);
}

static inline void fetch34(const struct elements *e, uint32_t (*in)[16], uint32_t lane, uint32_t words)
{
    __m128i row[4];
    for (unsigned i = 0; i < 4; i++)
        row[i] = _mm_loadu_si128((const __m128i *)e->at[i]);
    transpose(row);
    for (unsigned i = 0; i < words; i++)
        store(in + i, lane, row[i]);
}

/* Any number of words, byte by byte where nothing is known of what stands behind an element. */
static void fetch_any(const struct vc4_vertex_array *a, const struct elements *e, uint32_t (*in)[16],
                      uint32_t lane)
{
    for (uint32_t word = 0; word < a->words; word += 4) {
        uint32_t bytes = UTIL_MIN(a->bytes - word * 4, 16u), words = UTIL_MIN(a->words - word, 4u);
        __m128i row[4];
        for (unsigned i = 0; i < 4; i++) {
            uint8_t piece[16] = {0};
            memcpy(piece, e->at[i] + word * 4, bytes);
            row[i] = _mm_loadu_si128((const __m128i *)piece);
        }
        transpose(row);
        for (uint32_t i = 0; i < words; i++)
            store(in + word + i, lane, row[i]);
    }
}

static inline struct elements elements(const struct vc4_vertex_array *a, const uint32_t *index)
{
    struct elements e;
    for (unsigned i = 0; i < 4; i++)
        e.at[i] = a->base + a->stride * index[i];
    return e;
}

static void fetch_array(const struct vc4_vertex_array *a, const uint32_t index[16], uint32_t (*in)[16])
{
    in += a->row;
    for (uint32_t lane = 0; lane < 16; lane += 4) {
        struct elements e = elements(a, index + lane);
        switch (a->form) {
        case VC4_FETCH_1: fetch1(&e, in, lane); break;
        case VC4_FETCH_2: fetch2(&e, in, lane); break;
        case VC4_FETCH_3: fetch34(&e, in, lane, 3); break;
        case VC4_FETCH_4: fetch34(&e, in, lane, 4); break;
        default: fetch_any(a, &e, in, lane); break;
        }
    }
}

enum vc4_fetch_form vc4_vertex_fetch_form(const struct vc4_vertex_array *a, bool wide)
{
    if (a->bytes & 3 || a->words > 4 || (a->words > 2 && !wide))
        return VC4_FETCH_ANY;
    return (enum vc4_fetch_form)(VC4_FETCH_1 + a->words - 1);
}

void vc4_vertex_fetch(const struct vc4_vertex_stage *stage, const uint32_t index[16], uint32_t (*in)[16])
{
    for (uint64_t rows = stage->clear_rows; rows; rows &= rows - 1)
        memset(in[__builtin_ctzll(rows)], 0, sizeof in[0]);
    for (uint32_t i = 0; i < stage->array_count; i++)
        fetch_array(&stage->array[i], index, in);
}
