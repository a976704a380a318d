/* Arrays of attributes and varyings, 16 vertices at a time: words to rows, and rows to numbers. */
#include "gpu/array.h"

#include <math.h>
#include <smmintrin.h>
#include <string.h>

#include "util/bits.h"

/* ---- words ---- */

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

static inline void put(uint32_t (*row)[16], uint32_t lane, __m128i value)
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
    put(in, lane, _mm_castps_si128(_mm_shuffle_ps(ab, cd, 0x88)));
    put(in + 1, lane, _mm_castps_si128(_mm_shuffle_ps(ab, cd, 0xdd)));
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
        put(in + i, lane, row[i]);
}

/* Any number of words, byte by byte where nothing is known of what stands behind an element. */
static void fetch_any(const struct gpu_array *a, const struct elements *e, uint32_t (*in)[16], uint32_t lane)
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
            put(in + word + i, lane, row[i]);
    }
}

static inline struct elements elements(const struct gpu_array *a, const uint32_t *index)
{
    struct elements e;
    for (unsigned i = 0; i < 4; i++)
        e.at[i] = a->base + a->stride * index[i];
    return e;
}

static void fetch_array(const struct gpu_array *a, const uint32_t index[16], uint32_t (*in)[16])
{
    in += a->row;
    for (uint32_t lane = 0; lane < 16; lane += 4) {
        struct elements e = elements(a, index + lane);
        switch (a->load) {
        case GPU_ARRAY_LOAD_1: fetch1(&e, in, lane); break;
        case GPU_ARRAY_LOAD_2: fetch2(&e, in, lane); break;
        case GPU_ARRAY_LOAD_3: fetch34(&e, in, lane, 3); break;
        case GPU_ARRAY_LOAD_4: fetch34(&e, in, lane, 4); break;
        default: fetch_any(a, &e, in, lane); break;
        }
    }
}

enum gpu_array_load gpu_array_load_of(const struct gpu_array *a, bool wide)
{
    if (a->bytes & 3 || !a->words || a->words > 4 || (a->words == 3 && !wide))
        return GPU_ARRAY_LOAD_ANY;
    return (enum gpu_array_load)(GPU_ARRAY_LOAD_1 + a->words - 1);
}

void gpu_array_words(const struct gpu_array *arrays, uint32_t count, const uint32_t index[16],
                     uint32_t (*row)[16])
{
    for (uint32_t i = 0; i < count; i++)
        fetch_array(&arrays[i], index, row);
}

/* ---- numbers ---- */

/* Whether components are singles that stand behind one another: words are their numbers. */
static bool is_singles(const struct raster_texel *texel)
{
    bool is = true;
    for (unsigned c = 0; c < texel->bits / 32u; c++)
        is &= texel->channel[c].kind == RASTER_KIND_FLOAT && texel->from[c] == c;
    return is && texel->channel[0].bits == 32;
}

static uint32_t flush(uint32_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint32_t scale(uint32_t bits, int exponent)
{
    return util_f2u(ldexpf(util_u2f(bits), exponent));
}

void gpu_array_fetch(const struct gpu_array *a, const uint32_t index[16], uint32_t out[4][16])
{
    const struct raster_texel *texel = &raster_texels[a->form.format];
    bool singles = is_singles(texel);
    uint32_t row[4][16];
    fetch_array(a, index, row);
    for (uint32_t l = 0; l < 16; l++) {
        uint32_t word[4], number[4];
        for (uint32_t c = 0; c < 4; c++)
            word[c] = c < a->words ? row[c][l] : 0;
        if (!singles)
            raster_texel_unpack(texel, word, number);
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t n = !singles                            ? number[c]
                         : c < a->words                      ? word[c]
                         : texel->from[c] == RASTER_FROM_ONE ? util_f2u(1.0f)
                                                             : 0;
            if (a->form.exponent && texel->from[c] < 4)
                n = scale(n, a->form.exponent);
            out[c][l] = a->form.flush ? flush(n) : n;
        }
    }
}

void gpu_array_store(const struct gpu_array *a, uint32_t first, uint32_t lanes, const uint32_t in[4][16])
{
    const struct raster_texel *texel = &raster_texels[a->form.format];
    bool singles = is_singles(texel);
    uint8_t *at = a->base + first * a->stride;
    for (uint32_t l = 0; l < lanes; l++, at += a->stride) {
        uint32_t number[4] = {in[0][l], in[1][l], in[2][l], in[3][l]}, word[4];
        if (!singles)
            raster_texel_pack(texel, number, word);
        memcpy(at, singles ? number : word, a->bytes);
    }
}

bool gpu_array_meets(const struct gpu_array *a, const struct gpu_array *b, uint32_t vertices)
{
    const struct gpu_array *low = a->address < b->address ? a : b, *high = low == a ? b : a;
    uint64_t gap = high->address - low->address, stride = low->stride;
    if (gap >= stride * (vertices - 1ull) + low->bytes)
        return false;
    if (stride != high->stride || !stride)
        return true;
    return gap % stride < low->bytes || stride - gap % stride < high->bytes;
}
