/* raster/texture/texture_ir.c against texture.c: random keys and textures, coordinates of every kind (smooth,
 * far outside, NaN, infinite, denormal), at every vector level of the host. Zero differences; a difference
 * names the key, the lane and the coordinates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jit/builder.h"
#include "raster/texture/texture_ir.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define BATCH       8 /* keys in one function */
#define BATCHES     16
#define INPUTS      40
#define MEMORY_SIZE (4u << 20)

static uint64_t seed = 0x7e47;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static uint32_t below(uint32_t n)
{
    return random32() % n;
}

struct sampler {
    struct raster_texture_key key;
    struct raster_texture texture;
    bool has_t, has_r, has_bias;
};

struct io {
    _Alignas(64) float s[16], t[16], r[16], bias[16];
    _Alignas(64) uint32_t out[BATCH][RASTER_SAMPLED_WORDS][16];
    struct sampler sampler[BATCH];
};

static int emit(struct jit_builder *b, void *data)
{
    const struct io *keys = data;
    LLVMTypeRef params[1] = {b->ptr};
    LLVMValueRef io, c[4];

    jit_begin_function(b, b->void_, params, 1);
    io = jit_param(b, 0);
    for (unsigned k = 0; k < 4; k++)
        c[k] = jit_load(b, b->f32x16, jit_offset_const(b, io, k * 64), 64, false);
    for (unsigned i = 0; i < BATCH; i++) {
        const struct sampler *sampler = &keys->sampler[i];
        uint64_t at = offsetof(struct io, sampler) + i * sizeof *sampler + offsetof(struct sampler, texture);
        LLVMValueRef v = raster_texture_ir(b, &sampler->key, jit_offset_const(b, io, at), c[0],
                                           sampler->has_t ? c[1] : NULL, sampler->has_r ? c[2] : NULL,
                                           sampler->has_bias ? c[3] : NULL, i & 1 ? 100 : 1);

        if (!v)
            return -EDOM;
        for (unsigned n = 0; n < raster_sampled_words((enum raster_format)sampler->key.format); n++)
            jit_store(
                b, raster_texture_ir_word(b, v, n),
                jit_offset_const(b, io, offsetof(struct io, out[0][0]) + i * sizeof keys->out[0] + n * 64),
                64);
    }
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static uint32_t random_side(bool pot)
{
    uint32_t log = below(8);

    return pot ? 1u << log : 1 + below(1u << log);
}

/* Utiles a row and rows of 64 / row bytes; row and rows as raster/texture/README.md says. */
static void place_level(const struct raster_texture_key *key, struct raster_level *level, uint32_t align,
                        uint32_t *end)
{
    uint32_t bytes = raster_format_bytes(key->format), w = level->width, h = level->height;
    uint32_t row = bytes == 1 ? 8 : 16, rows = 64 / row, size;

    if (key->format == RASTER_ETC1_RGB8) {
        w = util_div_up(w, 4);
        h = util_div_up(h, 4);
    }
    if (level->layout == RASTER_LINEAR) {
        level->stride = (w + below(9)) * bytes;
        size = level->stride * h;
    } else if (level->layout == RASTER_UTGARD_TILED) {
        uint32_t side = key->format == RASTER_ETC1_RGB8 ? 4 : 16;

        level->stride = util_div_up(w, side) + below(3);
        size = level->stride * util_div_up(h, side) * side * side * bytes;
    } else if (level->layout == RASTER_VC4_LT) {
        level->stride = util_div_up(w * bytes, row) + below(3);
        size = level->stride * 64 * util_div_up(h, rows);
    } else {
        level->stride = util_div_up(w * bytes, row * 8) + below(3);
        size = level->stride * 4096 * util_div_up(h, rows * 8);
    }
    /* Texels do not straddle words; whole utiles, as real textures have, take a path of their own. */
    level->offset = (uint32_t)util_align(*end + below(70), align);
    *end = level->offset + size;
}

static void random_sampler(struct sampler *out, const uint8_t *memory)
{
    static const uint16_t formats[] = {RASTER_R8G8B8A8_UNORM, RASTER_R8G8B8A8_UNORM, RASTER_R8G8B8X8_UNORM,
                                       RASTER_A4B4G4R4_UNORM, RASTER_A1B5G5R5_UNORM, RASTER_B5G6R5_UNORM,
                                       RASTER_L8_UNORM,       RASTER_A8_UNORM,       RASTER_L8A8_UNORM,
                                       RASTER_ETC1_RGB8,      RASTER_R32_UINT,       RASTER_B5G5R5A1_UNORM,
                                       RASTER_R16_UINT};
    static const uint16_t halves[] = {RASTER_R16_FLOAT, RASTER_R16G16_FLOAT, RASTER_R16G16B16_FLOAT,
                                      RASTER_R16G16B16A16_FLOAT};
    struct raster_texture_key *key = &out->key;
    struct raster_texture *texture = &out->texture;
    bool pot = random32() & 1;
    uint32_t w, h, end = below(4096), align = random32() & 1 ? 64 : 8;

    memset(out, 0, sizeof *out);
    /* What most textures are has paths of its own. */
    key->format = random32() & 1 ? RASTER_R8G8B8X8_UNORM : formats[below(UTIL_ARRAY_SIZE(formats))];
    if (below(4) == 0)
        key->format = halves[below(UTIL_ARRAY_SIZE(halves))];
    key->layout = (uint8_t)below(RASTER_LAYOUT_MIXED + 1);
    if (key->format == RASTER_R16G16B16_FLOAT) /* utiles have none */
        key->layout = random32() & 1 ? RASTER_LINEAR : RASTER_UTGARD_TILED;
    key->wrap_s = (uint8_t)below(below(2) ? 4 : RASTER_WRAP_COUNT);
    key->wrap_t = (uint8_t)below(below(2) ? 4 : RASTER_WRAP_COUNT);
    key->lod_limits = below(4) == 0;
    key->smooth_log2 = below(3) == 0;
    key->minify_above_half = below(4) == 0;
    key->mag_linear = random32() & 1;
    key->min_linear = random32() & 3 ? key->mag_linear : !key->mag_linear;
    key->mip = (uint8_t)below(3);
    if (key->format == RASTER_R16_UINT) {
        key->mag_linear = key->min_linear = 0;
        key->mip &= 1;
    }
    key->lod = (uint8_t)below(3);
    key->cube = below(6) == 0;
    key->flip_y = below(4) == 0;
    key->etc_flip = random32() & 1;
    w = random_side(pot);
    h = key->cube ? w : random_side(pot);
    key->pot = !(w & (w - 1)) && !(h & (h - 1));
    if (below(8) == 0 && !key->cube) {
        key->unnormalized = 1;
        key->wrap_s = random32() & 1 ? RASTER_CLAMP : RASTER_BORDER;
        key->wrap_t = random32() & 1 ? RASTER_CLAMP : RASTER_BORDER;
    }
    texture->memory = memory;
    texture->memory_size = MEMORY_SIZE;
    texture->level_count = 1 + below(util_log2(UTIL_MAX(w, h)) + 1);
    texture->max_level = (float)(texture->level_count - 1);
    texture->width = (float)w;
    texture->height = (float)h;
    texture->border[0] = random32();
    texture->border[1] = random32();
    texture->lod_bias = (float)(int32_t)random32() * 0x1p-30f;
    texture->lod_min = (float)below(64) / 16;
    texture->lod_max = texture->lod_min + (float)below(64) / 16;
    for (uint32_t l = 0; l < texture->level_count; l++) {
        struct raster_level *level = &texture->level[l];

        level->width = UTIL_MAX(w >> l, 1u);
        level->height = UTIL_MAX(h >> l, 1u);
        level->layout = key->layout != RASTER_LAYOUT_MIXED ? key->layout : below(RASTER_MIXED_LAYOUTS);
        place_level(key, level, align, &end);
    }
    texture->face_stride = key->cube ? (end + 7) & ~7u : 0;
    for (uint32_t l = 0; key->cube && l < texture->level_count; l++)
        texture->level[l].face_stride = random32() & 1 ? 0 : ((end + 7) & ~7u) + 8 * below(100);
    out->has_t = below(10) != 0;
    out->has_r = key->cube || below(3) == 0;
    out->has_bias = key->lod != RASTER_LOD_IMPLICIT;
    struct util_error error = {0};
    if (raster_texture_validate(key, texture, &error))
        fail_msg("the test's texture is refused: %s", error.text);
}

static float random_coordinate(void)
{
    static const float special[] = {0.0f,   -0.0f,  1.0f,   -1.0f, 0.5f,    2.0f,   1e30f,
                                    -1e30f, 1e-40f, 3e9f,   -3e9f, 127.f,   -0.25f, 1e-8f,
                                    16.0f,  -1e-8f, 255.5f, 2e9f,  0.9999f, 65536};

    switch (below(12)) {
    case 0: return util_u2f(random32()); /* any pattern, NaN and infinities among them */
    case 1:
        return util_u2f((random32() & 1u << 31) | 0x7f800000 | (random32() & 1 ? random32() & 0x7fffff : 0));
    case 2: return special[below(UTIL_ARRAY_SIZE(special))];
    default: return (float)(int32_t)random32() * 0x1p-29f; /* -4..4 */
    }
}

static void random_inputs(struct io *io)
{
    float *c[4] = {io->s, io->t, io->r, io->bias};
    bool smooth = random32() & 3, copied = below(8) == 0; /* texel for texel, from a multiple of four on */

    for (unsigned k = 0; k < 4; k++) {
        float a = (float)(int32_t)random32() * 0x1p-30f, dx = (float)(int32_t)random32() * 0x1p-31f,
              dy = (float)(int32_t)random32() * 0x1p-31f;
        float scale = 1.0f / (float)(1u << below(12));

        for (unsigned l = 0; l < 16; l++) {
            float x = (float)((l & 1) | (l >> 1 & 2)), y = (float)((l >> 1 & 1) | (l >> 2 & 2));

            c[k][l] = smooth && below(40) ? a + (x * dx + y * dy) * scale : random_coordinate();
            if (k == 3)
                c[k][l] *= 3;
        }
        for (unsigned l = 0; copied && k < 2 && l < 16; l++)
            c[k][l] =
                (float)((l >> k & 1) | (l >> (k + 1) & 2)) + (l ? c[k][0] : 4 * (float)below(32) + 0.5f);
    }
}

/* Of halves that are no numbers the sign does not count. */
static bool same(const struct raster_texture_key *key, uint32_t want, uint32_t got)
{
    if (!raster_format_is_halves((enum raster_format)key->format))
        return want == got;
    for (unsigned shift = 0; shift < 32; shift += 16)
        if ((want >> shift & 0xffff) != (got >> shift & 0xffff) &&
            ((want >> shift & 0x7fff) != 0x7e00 || (got >> shift & 0x7fff) != 0x7e00))
            return false;
    return true;
}

static void compare(const struct io *io, const char *level)
{
    for (unsigned i = 0; i < BATCH; i++) {
        const struct sampler *sampler = &io->sampler[i];
        const struct raster_texture_key *k = &sampler->key;
        unsigned words = raster_sampled_words((enum raster_format)k->format);
        const uint32_t *out = io->out[i][0];
        uint32_t want[RASTER_SAMPLED_WORDS * 16];

        raster_texture_sample(k, &sampler->texture, io->s, sampler->has_t ? io->t : NULL,
                              sampler->has_r ? io->r : NULL, sampler->has_bias ? io->bias : NULL, want);
        for (unsigned n = 0, l = 0; n < 16 * words; l = ++n % 16)
            if (!same(k, want[n], out[n]))
                fail_msg(
                    "%s lane %u: want %08x, got %08x at s %a t %a r %a bias %a (format %u layout %u wraps "
                    "%u %u mag %u min %u mip %u lod %u limits %u smooth %u half %u cube %u flip %u pot %u "
                    "unnormalized %u, %gx%g, %u levels)",
                    level, l, want[n], out[n], io->s[l], io->t[l], io->r[l], io->bias[l], k->format,
                    k->layout, k->wrap_s, k->wrap_t, k->mag_linear, k->min_linear, k->mip, k->lod,
                    k->lod_limits, k->smooth_log2, k->minify_above_half, k->cube, k->flip_y, k->pot,
                    k->unnormalized, (double)sampler->texture.width, (double)sampler->texture.height,
                    sampler->texture.level_count);
    }
}

static void run_level(enum jit_level level, const uint8_t *memory)
{
    struct jit_options options = {.level = (int)level, .optimize = 2, .cache_dir = ""};
    struct jit_engine *engine;
    struct io *io = aligned_alloc(64, (sizeof *io + 63) & ~63ull);

    memset(io, 0, sizeof *io);
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    for (unsigned n = 0; n < BATCHES; n++) {
        for (unsigned i = 0; i < BATCH; i++)
            random_sampler(&io->sampler[i], memory);
        struct jit_request request = {
            .key = &n, .key_size = sizeof n, .name = "texture", .emit = emit, .data = io};
        struct util_error error = {0};
        void (*run)(struct io *);
        void *code;

        if (jit_engine_get(engine, &request, &code, &error))
            fail_msg("%s: %s", jit_level_name(level), error.text);
        memcpy(&run, &code, sizeof run);
        for (unsigned k = 0; k < INPUTS; k++) {
            unsigned saved = util_fpenv_enter();

            random_inputs(io);
            run(io);
            compare(io, jit_level_name(level));
            util_fpenv_leave(saved);
        }
    }
    jit_engine_destroy(engine);
    free(io);
}

static void test_levels(void **state)
{
    uint8_t *memory = malloc(MEMORY_SIZE);

    for (uint32_t i = 0; i < MEMORY_SIZE; i += 4)
        util_store32(memory + i, random32());
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++)
        if (jit_level_supported((enum jit_level)level))
            run_level((enum jit_level)level, memory);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
