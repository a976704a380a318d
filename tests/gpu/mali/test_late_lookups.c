/* Textures and samplers of v6, v7 and v9: formats and orders, layouts, arrays, cubes, volumes, samples, levels; what is
 * refused. Expected values are worked out here. */
#include "tests/gpu/mali/late_lookup.h"

enum { TWO = 2, THREE = 3, ONE = 1 };

#define EACH_KIND(l, width, height, format)                                                                  \
    for (unsigned k = 0; k < LATE_KINDS && (look_begin(l, late_kinds[k], width, height, format), true);      \
         look_end(l), k++)

static float channel(uint32_t byte)
{
    return (float)byte / 255.0f;
}

static const uint32_t origin[3];

/* ---- orders and formats ---- */

/* Of a pixel 0x44332211 in each order. */
static void test_orders(void **state)
{
    (void)state;
    static const struct {
        uint32_t early, late; /* v6's bits; since v7 the number */
        uint32_t byte[4];     /* 256: one */
    } orders[] = {
        {0x688, MALI_RGB_COMPONENT_ORDER_RGBA, {0x11, 0x22, 0x33, 0x44}},
        {0x60a, MALI_RGB_COMPONENT_ORDER_BGRA, {0x33, 0x22, 0x11, 0x44}},
        {0xa0a, MALI_RGB_COMPONENT_ORDER_BGR1, {0x33, 0x22, 0x11, 255}},
        {0xa88, MALI_RGB_COMPONENT_ORDER_RGB1, {0x11, 0x22, 0x33, 255}},
        {0x0d1, MALI_RGB_COMPONENT_ORDER_ARGB, {0x22, 0x33, 0x44, 0x11}},
        {0xad1, MALI_RGB_COMPONENT_ORDER_1RGB, {0x22, 0x33, 0x44, 255}},
        {0x053, MALI_RGB_COMPONENT_ORDER_ABGR, {0x44, 0x33, 0x22, 0x11}},
        {0xa53, MALI_RGB_COMPONENT_ORDER_1BGR, {0x44, 0x33, 0x22, 255}},
        {0x681, MALI_RGB_COMPONENT_ORDER_GRBA, {0x22, 0x11, 0x33, 0x44}},
        {0x000, MALI_RGB_COMPONENT_ORDER_RRRR, {0x11, 0x11, 0x11, 0x11}},
        {0xa00, MALI_RGB_COMPONENT_ORDER_RRR1, {0x11, 0x11, 0x11, 255}},
        {0x600, MALI_RGB_COMPONENT_ORDER_RRRA, {0x11, 0x11, 0x11, 0x44}},
        {0x724, MALI_RGB_COMPONENT_ORDER_000A, {0, 0, 0, 0x44}},
        {0xb24, MALI_RGB_COMPONENT_ORDER_0001, {0, 0, 0, 255}},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(orders); n++) {
        struct look l;
        EACH_KIND(&l, 1, 1, MALI_FORMAT_RGBA8_UNORM)
        {
            uint32_t out[4];
            look_texture(&l, "order", l.version >= MALI_V7 ? orders[n].late : orders[n].early);
            look_surface(&l, 0, LOOK_DATA, 64, 0);
            look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW32);
            util_store32(l.data, 0x44332211);
            look_fetch(&l, TWO, origin, 0, 0, 0, out);
            for (unsigned c = 0; c < 4; c++)
                if (util_u2f(out[c]) != channel(orders[n].byte[c]))
                    fail_msg("order %u, kind %u, channel %u is %g", n, k, c, (double)util_u2f(out[c]));
        }
    }
}

/* Formats that v7 and v9 have of their own; integers as they are. */
static void test_formats(void **state)
{
    (void)state;
    enum { EARLY = 1, MIDDLE = 2, LATE = 4, FLOAT = 8, SRGB = 16 };
    static const struct {
        uint32_t format, order, order6, clump, where;
        uint64_t texel;
        uint32_t red, alpha;
    } formats[] = {
        {MALI_FORMAT_Z16_UNORM, 0, 0, MALI_CLUMP_FORMAT_RAW16, MIDDLE | LATE | FLOAT, 0xffff, 0x3f800000, 0},
        {MALI_FORMAT_S8, MALI_RGB_COMPONENT_ORDER_GRBA, 0, MALI_CLUMP_FORMAT_S8, MIDDLE | LATE, 0x5a, 0x5a,
         0},
        {MALI_FORMAT_S8, MALI_RGB_COMPONENT_ORDER_GRBA, 0, MALI_CLUMP_FORMAT_X24S8, LATE, 0x5a112233, 0x5a,
         0},
        {MALI_FORMAT_X24S8, MALI_RGB_COMPONENT_ORDER_GRBA, 0, 0, MIDDLE, 0x5a112233, 0x5a, 0},
        {MALI_FORMAT_X32_S8X24, 0, 0x249, 0, EARLY, 0x1122335a44444444, 0x5a, 0x5a},
        {MALI_FORMAT_X32_S8X24, MALI_RGB_COMPONENT_ORDER_GRBA, 0, 0, MIDDLE, 0x1122335a44444444, 0x5a, 0},
        {MALI_FORMAT_Z32_X32, 0, 0, 0, MIDDLE | FLOAT, 0xffffffff3f000000, 0x3f000000, 0},
        {MALI_FORMAT_A8_UNORM, MALI_RGB_COMPONENT_ORDER_000A, 0, 0, MIDDLE | FLOAT, 0xff, 0, 0x3f800000},
        {MALI_FORMAT_R8A8_UNORM, MALI_RGB_COMPONENT_ORDER_RRRA, 0, 0, MIDDLE | FLOAT, 0x00ff, 0x3f800000, 0},
        {MALI_FORMAT_R32UI, MALI_RGB_COMPONENT_ORDER_RGB1, 0xb20, MALI_CLUMP_FORMAT_RAW32,
         EARLY | MIDDLE | LATE, 0x12345678, 0x12345678, 1},
        {MALI_FORMAT_RGB565, MALI_RGB_COMPONENT_ORDER_BGR1, 0xa0a, MALI_CLUMP_FORMAT_RAW16,
         EARLY | MIDDLE | LATE | FLOAT, 0xf800, 0x3f800000, 0x3f800000},
        {MALI_FORMAT_RGBA8_UNORM, MALI_RGB_COMPONENT_ORDER_RGBA, 0x688, MALI_CLUMP_FORMAT_RAW32,
         EARLY | MIDDLE | LATE | SRGB, 0xff000037, 0x3d1c7c30, 0x3f800000},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(formats); n++) {
        struct look l;
        EACH_KIND(&l, 1, 1, formats[n].format)
        {
            uint32_t out[4];
            if (!(formats[n].where >> k & 1))
                continue;
            look_texture(&l, "order", l.version >= MALI_V7 ? formats[n].order : formats[n].order6);
            look_texture(&l, "sRGB", !!(formats[n].where & SRGB));
            look_surface(&l, 0, LOOK_DATA, 64, 0);
            look_layout(&l, false, 1, formats[n].clump);
            util_store64(l.data, formats[n].texel);
            look_fetch(&l, TWO, origin, 0, 0, 0, out);
            const float apart = util_u2f(out[0]) - util_u2f(formats[n].red);
            const bool near =
                formats[n].where & SRGB ? apart > -1e-6f && apart < 1e-6f : out[0] == formats[n].red;
            if (!near || out[3] != formats[n].alpha)
                fail_msg("format %u of kind %u: %x and %x", formats[n].format, k, out[0], out[3]);
        }
    }
}

/* Formats whose numbers are another's, or nobody's, in a version. */
static void test_unknown_formats(void **state)
{
    (void)state;
    static const uint32_t none[][3] = {
        {MALI_FORMAT_RGB332_UNORM, 0, 0}, /* of v6: of later ones it is Z16 */
        {MALI_FORMAT_YUV8, MALI_FORMAT_YUV8, MALI_FORMAT_YUV8},
        {MALI_FORMAT_ASTC_3D_LDR, MALI_FORMAT_ASTC_3D_LDR, MALI_FORMAT_ASTC_3D_LDR}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(none); n++) {
        struct look l;
        EACH_KIND(&l, 4, 4, none[n][k])
        {
            if (!none[n][k])
                continue;
            look_surface(&l, 0, LOOK_DATA, 64, 0);
            look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW32);
            look_refused(&l, ISA_TEXTURE_FETCH, TWO, "its format is not known");
        }
    }
}

/* ---- where texels stand ---- */

static void test_tiled(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 40, 20, MALI_FORMAT_R32UI)
    {
        look_surface(&l, 0, LOOK_DATA, 3 * 1024, 0);
        look_layout(&l, true, 1, MALI_CLUMP_FORMAT_RAW32);
        for (uint32_t n = 0; n < 6 * 256; n++)
            util_store32(l.data + n * 4, n);
        for (uint32_t n = 0; n < 60; n++) {
            const uint32_t at[3] = {n * 2 % 40, n * 7 % 20, 0};
            uint32_t place = at[1] / 16 * 768 + at[0] / 16 * 256, out[4];
            for (unsigned bit = 0; bit < 4; bit++)
                place |= ((at[0] ^ at[1]) >> bit & 1) << 2 * bit | (at[1] >> bit & 1) << (2 * bit + 1);
            look_fetch(&l, TWO, at, 0, 0, 0, out);
            assert_int_equal(out[0], place);
        }
    }
}

/* Two layers of three levels of four samples or faces or one of each: surfaces in v6's order and in that of later ones,
 * where levels change fastest; of v9 a plane has all samples, one behind the other. Each texel is what it is of. */
static void test_surfaces(void **state)
{
    (void)state;
    enum { LAYERS = 2, LEVELS = 3, SIDE = 4, EACH = 64 };
    for (unsigned n = 0; n < 2; n++) {
        struct look l;
        EACH_KIND(&l, SIDE, SIDE, MALI_FORMAT_R32UI)
        {
            const uint32_t samples = n ? 4 : 1, levels = n ? 1 : LEVELS,
                           own = l.version >= MALI_V9 ? 1 : samples;
            uint32_t surfaces = 0;
            look_texture(&l, "array size", LAYERS);
            look_texture(&l, "levels", levels);
            look_texture(&l, "maximum LOD", (levels - 1) * 256);
            look_texture(&l, "sample count", samples);
            for (uint32_t layer = 0; layer < LAYERS; layer++)
                for (uint32_t level = 0; level < levels; level++)
                    for (uint32_t sample = 0; sample < samples; sample++) {
                        const uint32_t at = ((layer * levels + level) * samples + sample) * EACH,
                                       place = l.version >= MALI_V7 ? (layer * own + sample) * levels + level
                                                                    : (layer * levels + level) * own + sample;
                        for (uint32_t t = 0; t < EACH / 4; t++)
                            util_store32(l.data + at + t * 4,
                                         layer * 100 + level * 10 + sample + 1000 * (t & 1));
                        if (sample < own)
                            look_surface(&l, place, LOOK_DATA + at, 16, EACH);
                        surfaces = UTIL_MAX(surfaces, place + 1);
                    }
            look_layout(&l, false, surfaces, MALI_CLUMP_FORMAT_RAW32);
            for (uint32_t layer = 0; layer < LAYERS; layer++)
                for (uint32_t level = 0; level < levels; level++)
                    for (uint32_t sample = 0; sample < samples; sample++) {
                        uint32_t out[4];
                        look_fetch(&l, TWO, origin, layer, level, sample, out);
                        assert_int_equal(out[0], layer * 100 + level * 10 + sample);
                    }
        }
    }
}

/* Six faces of two levels, in two layers: a plane or surface each. */
static void test_cubes(void **state)
{
    (void)state;
    enum { LAYERS = 2, FACES = 6, LEVELS = 2, EACH = 64 };
    struct look l;
    EACH_KIND(&l, 4, 4, MALI_FORMAT_R32F)
    {
        look_texture(&l, "dimension", MALI_TEXTURE_DIMENSION_CUBE);
        look_texture(&l, "array size", LAYERS);
        look_texture(&l, "levels", LEVELS);
        look_texture(&l, "maximum LOD", (LEVELS - 1) * 256);
        look_sampler(&l, "mipmap mode", MALI_MIPMAP_MODE_NEAREST);
        for (uint32_t n = 0; n < LAYERS * FACES * LEVELS; n++) {
            const uint32_t level = n % LEVELS, face = n / LEVELS % FACES, layer = n / LEVELS / FACES,
                           place = l.version >= MALI_V7 ? n : (layer * LEVELS + level) * FACES + face;
            for (uint32_t t = 0; t < EACH / 4; t++)
                util_store32(l.data + n * EACH + t * 4, util_f2u((float)(layer * 100 + face * 10 + level)));
            look_surface(&l, place, LOOK_DATA + n * EACH, 16, EACH);
        }
        look_layout(&l, false, LAYERS * FACES * LEVELS, MALI_CLUMP_FORMAT_RAW32);
        for (uint32_t n = 0; n < LAYERS * FACES * LEVELS; n++) {
            struct raster_lookup_lanes in = {0};
            struct mali_stop stop;
            uint32_t out[4][16];
            in.coordinate[0][0] = in.coordinate[1][0] = util_f2u(0.4f);
            in.coordinate[2][0] = n / LEVELS % FACES;
            in.layer[0] = util_f2u((float)(n / LEVELS / FACES));
            in.lod[0] = util_f2u((float)(n % LEVELS));
            if (!look_try(&l, ISA_TEXTURE_LOD, ISA_TEXTURE_PLAIN, 0, true, &in, out, &stop))
                fail_msg("%s", stop.fault.text);
            const uint32_t expected = n / LEVELS / FACES * 100 + n / LEVELS % FACES * 10 + n % LEVELS;
            assert_true(util_u2f(out[0][0]) == (float)expected);
        }
    }
}

static void test_volume(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 4, 2, MALI_FORMAT_R32UI)
    {
        look_texture(&l, "dimension", MALI_TEXTURE_DIMENSION_3D);
        look_texture(&l, "depth", 3);
        look_surface(&l, 0, LOOK_DATA, 16, 256);
        look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW32);
        for (uint32_t z = 0; z < 3; z++) {
            const uint32_t at[3] = {1, 1, z};
            uint32_t out[4];
            util_store32(l.data + z * 256 + 16 + 4, z + 40);
            look_fetch(&l, THREE, at, 0, 0, 0, out);
            assert_int_equal(out[0], z + 40);
        }
    }
}

/* A buffer is an image of one row. */
static void test_buffer(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 5000, 1, MALI_FORMAT_RGBA32UI)
    {
        const uint32_t at[3] = {4999};
        uint32_t out[4];
        look_texture(&l, "dimension", MALI_TEXTURE_DIMENSION_1D);
        look_surface(&l, 0, LOOK_DATA, 5000 * 16, 0);
        look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW128);
        util_store64(l.data + 4999 * 16, 7 | 8ull << 32);
        look_fetch(&l, ONE, at, 0, 0, 0, out);
        assert_true(out[0] == 7 && out[1] == 8);
    }
}

/* A block of each: ETC2's first colour throughout; ASTC's, whose size the pointer or the plane has, of one colour. */
static void test_blocks(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 8, 8, late_kinds[k] == MALI_G57 ? MALI_FORMAT_RGBA8_UNORM : MALI_FORMAT_ETC2_RGB8)
    {
        const uint32_t at[3] = {5, 6};
        uint32_t out[4];
        look_surface(&l, 0, LOOK_DATA, 32, 0);
        look_layout(&l, true, 1, MALI_CLUMP_FORMAT_ETC2_RGB8);
        for (uint32_t n = 0; n < 16; n++) /* block (1, 1) is number 2 of its tile */
            util_store64(l.data + n * 8, n == 2 ? 0x0000000000203088 : 0);
        look_fetch(&l, TWO, at, 0, 0, 0, out);
        assert_true(util_u2f(out[0]) > 0.5f && util_u2f(out[1]) < 0.3f && util_u2f(out[3]) == 1);
    }
    EACH_KIND(&l, 6, 5, late_kinds[k] == MALI_G57 ? MALI_FORMAT_RGBA16F : MALI_FORMAT_ASTC_2D_HDR)
    {
        const uint32_t at[3] = {5, 4};
        uint32_t out[4];
        const bool plane = l.version >= MALI_V9;
        look_surface(
            &l, 0, LOOK_DATA | (plane ? 0 : MALI_ASTC_2D_DIMENSION_5 << 3 | MALI_ASTC_2D_DIMENSION_6), 16, 0);
        look_layout(&l, false, 1, 0);
        if (plane) {
            look_plane(&l, 0, "plane type", MALI_PLANE_TYPE_ASTC_2D);
            look_plane(&l, 0, "ASTC decode wide", 1);
            look_plane(&l, 0, "ASTC 2D block width", MALI_ASTC_2D_DIMENSION_6);
            look_plane(&l, 0, "ASTC 2D block height", MALI_ASTC_2D_DIMENSION_5);
        }
        util_store64(l.data, 0xfffffffffffffdfc); /* void extent, without one */
        util_store64(l.data + 8, 0xffff00008000ffff);
        look_fetch(&l, TWO, at, 0, 0, 0, out);
        assert_true(util_u2f(out[0]) == 1 && util_u2f(out[1]) == 0.5f && util_u2f(out[2]) == 0);
        if (!plane)
            continue;
        /* narrow: eight bits of it, which are those of sRGB where the texture says so */
        util_store64(l.data + 8, 0xffff000040004000);
        look_plane(&l, 0, "ASTC decode wide", 0);
        look_fetch(&l, TWO, at, 0, 0, 0, out);
        assert_true(util_u2f(out[0]) == 64 / 255.0f && util_u2f(out[1]) == 64 / 255.0f);
        look_texture(&l, "sRGB", 1);
        look_fetch(&l, TWO, at, 0, 0, 0, out);
        assert_true(util_u2f(out[0]) > 0.05126f && util_u2f(out[0]) < 0.05128f && util_u2f(out[3]) == 1);
    }
}

/* ---- samplers ---- */

static void test_samplers(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 2, 1, MALI_FORMAT_R32F)
    {
        look_texture(&l, "levels", 2);
        look_texture(&l, "maximum LOD", 256);
        look_surface(&l, 0, LOOK_DATA, 64, 0);
        look_surface(&l, 1, LOOK_DATA + 64, 64, 0);
        look_layout(&l, false, 2, MALI_CLUMP_FORMAT_RAW32);
        const float texels[] = {2, 4}, level1 = 11;
        memcpy(l.data, texels, sizeof texels);
        memcpy(l.data + 64, &level1, sizeof level1);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.3f, 0.5f, 0, 1) == 2); /* no levels but the first */
        look_sampler(&l, "mipmap mode", MALI_MIPMAP_MODE_NEAREST);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.3f, 0.5f, 0, 1) == 11);
        look_sampler(&l, "mipmap mode", MALI_MIPMAP_MODE_TRILINEAR);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.3f, 0.5f, 0, 0.5f) == 6.5f);
        look_sampler(&l, "LOD bias", 128);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.3f, 0.5f, 0, 0) == 6.5f);
        look_sampler(&l, "LOD bias", (uint16_t)-256);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.3f, 0.5f, 0, 1) == 2);
        look_sampler(&l, "minimum LOD", 256);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.3f, 0.5f, 0, 0) == 11);
        look_sampler(&l, "minimum LOD", 0);
        look_sampler(&l, "LOD bias", 0);
        look_sampler(&l, "magnify nearest", 0);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.5f, 0.5f, 0, 0) == 3);
        look_sampler(&l, "wrap mode S", MALI_WRAP_MODE_CLAMP_TO_BORDER);
        look_sampler(&l, "border color R", util_f2u(8));
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0, 0.5f, 0, 0) == 5);
        look_sampler(&l, "wrap mode S", MALI_WRAP_MODE_REPEAT);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 1, 0.5f, 0, 0) == 3);
        look_sampler(&l, "normalized coordinates", 0);
        look_sampler(&l, "wrap mode S", MALI_WRAP_MODE_CLAMP_TO_EDGE);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 1, 0.5f, 0, 0) == 3);
        look_sampler(&l, "normalized coordinates", 1);
        look_sampler(&l, "mipmap mode", MALI_MIPMAP_MODE_NEAREST);
        look_sampler(&l, "minify nearest", 1); /* magnified up to 0.5 or up to 0 */
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.49f, 0.5f, 0, 0.25f) == 2);
        look_sampler(&l, "magnify cutoff", 1);
        assert_true(look_sample(&l, ISA_TEXTURE_PLAIN, 0.5f, 0.5f, 0, 0.25f) == 3);
    }
}

/* Comparisons stand with their operands exchanged. */
static void test_compare(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 1, 1, late_kinds[k] == MALI_G72 ? MALI_FORMAT_R16_UNORM : MALI_FORMAT_Z16_UNORM)
    {
        look_surface(&l, 0, LOOK_DATA, 64, 0);
        look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW16);
        util_store32(l.data, 0x8000);
        look_sampler(&l, "compare function", MALI_FUNC_LESS);
        assert_true(look_sample(&l, ISA_TEXTURE_SHADOW, 0.5f, 0.5f, 0.75f, 0) == 1);
        assert_true(look_sample(&l, ISA_TEXTURE_SHADOW, 0.5f, 0.5f, 0.25f, 0) == 0);
    }
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        enum { TEXTURE, SAMPLER, PLANE } where;
        const char *name;
        uint64_t value;
        enum mali_version least, most;
        const char *why;
    } cases[] = {
        {TEXTURE, "sample corner position", 1, MALI_V6, MALI_V9, "corners"},
        {TEXTURE, "normalize coordinates", 1, MALI_V6, MALI_V9, "corners"},
        {TEXTURE, "minimum level", 1, MALI_V6, MALI_V9, "first level"},
        {TEXTURE, "minimum LOD", 1, MALI_V6, MALI_V9, "limits of its own"},
        {TEXTURE, "sample count", 64, MALI_V6, MALI_V9, "more than 16 samples"},
        {TEXTURE, "array size", 65536, MALI_V6, MALI_V9, "cannot be read"},
        {TEXTURE, "width", 65536, MALI_V6, MALI_V9, "leaves memory"},
        {TEXTURE, "height", 65536, MALI_V6, MALI_V7, "cannot be read"},
        {TEXTURE, "height", 65536, MALI_V9, MALI_V9, "smaller than its texels"},
        {TEXTURE, "surfaces", 0x7000000, MALI_V6, MALI_V9, "cannot be read"},
        {TEXTURE, "dimension", MALI_TEXTURE_DIMENSION_3D, MALI_V6, MALI_V9, "other dimensions"},
        {TEXTURE, "order", 7, MALI_V7, MALI_V9, "order of its channels"},
        {SAMPLER, "sRGB override", 1, MALI_V6, MALI_V9, "sRGB taken as linear"},
        {PLANE, "plane type", MALI_PLANE_TYPE_AFBC, MALI_V9, MALI_V9, "format is not known"},
        {PLANE, "plane type", MALI_PLANE_TYPE_CHROMA_2P, MALI_V9, MALI_V9, "format is not known"},
        {PLANE, "plane type", MALI_PLANE_TYPE_ASTC_3D, MALI_V9, MALI_V9, "format is not known"},
        {PLANE, "clump format", MALI_CLUMP_FORMAT_RAW16, MALI_V9, MALI_V9, "format is not known"},
        {PLANE, "clump ordering", 7, MALI_V9, MALI_V9, "order of its texels"},
        {PLANE, "size", 64 * 7 + 15, MALI_V9, MALI_V9, "smaller than its texels"},
        {PLANE, "row stride", 0x80000000, MALI_V9, MALI_V9, "backwards"},
        {PLANE, "slice stride", 0x80000000, MALI_V9, MALI_V9, "backwards"},
        {PLANE, "pointer", 0xfffffffffffff000, MALI_V9, MALI_V9, "cannot be read"},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        struct look l;
        EACH_KIND(&l, 4, 8, MALI_FORMAT_RGBA8_UNORM)
        {
            if (l.version < cases[n].least || l.version > cases[n].most)
                continue;
            look_surface(&l, 0, LOOK_DATA, 64, 0);
            look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW32);
            if (cases[n].where == PLANE)
                look_plane(&l, 0, cases[n].name, cases[n].value);
            else
                (cases[n].where == TEXTURE ? look_texture : look_sampler)(&l, cases[n].name, cases[n].value);
            look_refused(&l, ISA_TEXTURE_LOD, TWO, cases[n].why);
        }
    }
}

/* A level more than the largest texture has. */
static void test_levels(void **state)
{
    (void)state;
    for (uint32_t levels = RASTER_IMAGE_LEVELS; levels <= RASTER_IMAGE_LEVELS + 1; levels++) {
        struct look l;
        EACH_KIND(&l, 1, 1, MALI_FORMAT_RGBA8_UNORM)
        {
            uint32_t out[4];
            look_texture(&l, "levels", levels);
            look_texture(&l, "maximum LOD", (levels - 1) * 256);
            for (uint32_t n = 0; n < levels; n++)
                look_surface(&l, n, LOOK_DATA, 64, 0);
            look_layout(&l, false, levels, MALI_CLUMP_FORMAT_RAW32);
            if (levels > RASTER_IMAGE_LEVELS)
                look_refused(&l, ISA_TEXTURE_FETCH, TWO, "more levels");
            else
                look_fetch(&l, TWO, origin, 0, 0, 0, out);
        }
    }
}

/* Levels of detail alone, of given derivatives: within the sampler's limits and the image's, and without. */
static void test_levels_alone(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 8, 8, MALI_FORMAT_RGBA8_UNORM)
    {
        struct raster_lookup_lanes in = {0};
        struct mali_stop stop;
        uint32_t all[4][16] = {{0}};
        for (unsigned n = 0; n < 4; n++)
            look_surface(&l, n, LOOK_DATA + 0x400 * n, 32u >> n, 0);
        look_layout(&l, false, 4, MALI_CLUMP_FORMAT_RAW32);
        look_texture(&l, "levels", 4);
        look_texture(&l, "maximum LOD", 3 * 256);
        look_sampler(&l, "LOD bias", 128);
        look_sampler(&l, "minimum LOD", 256);
        look_sampler(&l, "maximum LOD", 512);
        for (unsigned lane = 0; lane < 16; lane++) /* 1 to 8 texels along x, fewer along y */
            in.gradient[0][0][lane] = util_f2u((float)(1u << lane % 4) / 8),
            in.gradient[1][1][lane] = 0x3d000000;
        if (!look_try(&l, ISA_TEXTURE_LEVEL, ISA_TEXTURE_PLAIN, TWO, false, &in, all, &stop))
            fail_msg("%s", stop.fault.text);
        for (unsigned lane = 0; lane < 16; lane++) {
            const float level = (float)(lane % 4) + 0.5f, held = level < 1 ? 1 : level > 2 ? 2 : level;
            assert_int_equal(all[1][lane], util_f2u(level));
            assert_int_equal(all[0][lane], util_f2u(held));
        }
        look_texture(&l, "dimension", MALI_TEXTURE_DIMENSION_CUBE);
        look_refused(&l, ISA_TEXTURE_LEVEL, 0, "a level of detail of given derivatives on a cube");
    }
}

/* What is not done is named. */
static void test_not_done(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 4, 4, MALI_FORMAT_RGBA8_UNORM)
    {
        const struct raster_lookup_lanes in = {0};
        struct mali_stop stop;
        uint32_t all[4][16] = {{0}};
        look_surface(&l, 0, LOOK_DATA, 64, 0);
        look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW32);
        assert_false(look_try(&l, ISA_TEXTURE_FETCH, ISA_TEXTURE_GATHER + 1, TWO, true, &in, all, &stop));
        assert_non_null(strstr(stop.fault.text, "a gather at whole coordinates"));
    }
}

/* Strides that wrap, whatever they are of; surfaces that end where memory does. */
static void test_strides(void **state)
{
    (void)state;
    struct look l;
    EACH_KIND(&l, 4, 8, MALI_FORMAT_RGBA8_UNORM)
    {
        const char *const beyond = l.version >= MALI_V9 ? "smaller than its texels" : "cannot be read";
        const struct {
            uint32_t row;
            const char *why;
        } strides[] = {{0x7fffffff, "slices too far apart"}, {0xfffffff0, "backwards"}, {0x10000000, beyond}};
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(strides); n++) {
            look_surface(&l, 0, LOOK_DATA, strides[n].row, 0);
            look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW32);
            look_refused(&l, ISA_TEXTURE_FETCH, TWO, strides[n].why);
        }
        look_surface(&l, 0, LOOK_DATA + LOOK_BYTES - 7 * 64 - 12, 64, 0);
        look_refused(&l, ISA_TEXTURE_FETCH, TWO, beyond);
        uint32_t out[4];
        look_surface(&l, 0, LOOK_DATA + LOOK_BYTES - 7 * 64 - 16, 64, 0);
        look_fetch(&l, TWO, origin, 0, 0, 0, out);
    }
}

/* v9: what a handle names is none of the type. */
static void test_entries(void **state)
{
    (void)state;
    struct look l;
    look_begin(&l, MALI_G57, 4, 4, MALI_FORMAT_RGBA8_UNORM);
    look_surface(&l, 0, LOOK_DATA, 64, 0);
    look_layout(&l, false, 1, MALI_CLUMP_FORMAT_RAW32);
    look_texture(&l, "type", 0);
    look_refused(&l, ISA_TEXTURE_FETCH, TWO, "there is none");
    look_texture(&l, "type", MALI_DESCRIPTOR_TYPE_TEXTURE);
    look_sampler(&l, "type", 0);
    look_refused(&l, ISA_TEXTURE_LOD, TWO, "a sampler that there is not");
    look_end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),          cmocka_unit_test(test_formats),
        cmocka_unit_test(test_unknown_formats), cmocka_unit_test(test_tiled),
        cmocka_unit_test(test_surfaces),        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_volume),          cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_blocks),          cmocka_unit_test(test_samplers),
        cmocka_unit_test(test_compare),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_levels),          cmocka_unit_test(test_strides),
        cmocka_unit_test(test_entries),         cmocka_unit_test(test_levels_alone),
        cmocka_unit_test(test_not_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
