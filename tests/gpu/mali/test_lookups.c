/* Textures asked for by compute programs: layouts, dimensions, filters, comparisons, orders, blocks; what cannot be
 * asked for. Expected values are worked out here. */
#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/dispatch.h"

enum { IN = DISPATCH_DATA, OUT = DISPATCH_DATA + 0x1000, TEXELS = DISPATCH_DATA + 0x10000, LOOKUPS = 64 };
enum {
    RGBA = 0x688,
    BGRA = 3 << 9 | 0 << 6 | 1 << 3 | 2,
    RGB1 = 5 << 9 | 2 << 6 | 1 << 3 | 0,
    R001 = 5 << 9 | 4 << 6 | 4 << 3
};
enum { RGBA8 = 187, R32F = 167, R32UI = 133, ETC2_RGB8 = 1 };
enum { CUBE, ONE, TWO, THREE };
enum { NEAREST = 3, NORMALIZED = 1 << 5, TRILINEAR = 3 << 3 };

/* Lookup n is of the four words at IN + 16 n. */
#define BEFORE                                                                                               \
    "mov r0, glid.x, zero.x, 0 ; nop ; next alu1\nvmul.imov.32 r26, r24.xxxx, r23 ; next alu1\n"             \
    "vmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next ldst\nld_128 r27, al0.x.64, al0.z.u32<<4, 0 ; nop ; "
#define AFTER       " ; next ldst\nst_128 al1, al0.x.64, al0.z.u32<<4, 4096 ; nop ; stop\n"
#define COORDINATES "mov r28, al1.x, zero.x, 0 ; nop ; next vtex\n"

static void begin(struct dispatch *d, enum mali_kind kind, const char *lookup)
{
    char text[1024];
    snprintf(text, sizeof text, BEFORE "next ldst\n%s\nvmul.imov.32 r27, r24.xxxx, %s" AFTER, lookup,
             kind == MALI_T720 ? "r2" : "r28");
    dispatch_begin(d, &(struct mali_options){.kind = kind}, MALI_JOB_TYPE_COMPUTE, text);
    dispatch_counts(d, 1, 1, 0, 0, 0);
    dispatch_set(d, DISPATCH_TEXTURES, 0, DISPATCH_TEXTURE);
}

static void texture(struct dispatch *d, uint32_t dimension, const uint32_t side[3], uint32_t layers,
                    uint32_t levels, uint32_t format, uint32_t order, bool tiled)
{
    dispatch_set(d, DISPATCH_TEXTURE, 0, (side[0] - 1) | (side[1] - 1) << 16);
    dispatch_set(d, DISPATCH_TEXTURE, 1, (side[2] - 1) | (layers - 1) << 16);
    dispatch_set(d, DISPATCH_TEXTURE, 2,
                 order | format << 12 | dimension << 22 | (tiled ? 1u : 2u) << 24 | 3u << 28);
    dispatch_set(d, DISPATCH_TEXTURE, 3, (levels - 1) << 24);
    dispatch_set(d, DISPATCH_TEXTURE, 4, RGBA);
}

static void surface(struct dispatch *d, uint32_t n, uint32_t address, uint32_t row, uint32_t slice)
{
    dispatch_set(d, DISPATCH_TEXTURE + 32, 4 * n, address);
    dispatch_set(d, DISPATCH_TEXTURE + 32, 4 * n + 1, 0);
    dispatch_set(d, DISPATCH_TEXTURE + 32, 4 * n + 2, row);
    dispatch_set(d, DISPATCH_TEXTURE + 32, 4 * n + 3, slice);
}

/* Along s as asked for, along t and r to the edge. */
static void wrap(struct dispatch *d, uint32_t s, uint32_t func)
{
    const uint32_t edge = MALI_WRAP_MODE_CLAMP_TO_EDGE;
    dispatch_set(d, DISPATCH_SAMPLERS, 2, s | edge << 4 | edge << 8 | func << 12);
}

static void sampler(struct dispatch *d, uint32_t flags, uint32_t lods, uint32_t func)
{
    dispatch_set(d, DISPATCH_SAMPLERS, 0, flags);
    dispatch_set(d, DISPATCH_SAMPLERS, 1, lods);
    wrap(d, MALI_WRAP_MODE_CLAMP_TO_EDGE, func);
}

static void ask(struct dispatch *d, uint32_t n, float x, float y, float z, float w)
{
    const float in[4] = {x, y, z, w};
    for (unsigned c = 0; c < 4; c++)
        dispatch_set(d, IN, 4 * n + c, util_f2u(in[c]));
}

static void ask_whole(struct dispatch *d, uint32_t n, uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    const uint32_t in[4] = {x, y, z, w};
    for (unsigned c = 0; c < 4; c++)
        dispatch_set(d, IN, 4 * n + c, in[c]);
}

static void run(struct dispatch *d, uint32_t count)
{
    dispatch_sizes(d, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){count, 1, 1});
    dispatch_run(d);
}

static float got(struct dispatch *d, uint32_t n, unsigned c)
{
    return util_u2f(dispatch_get(d, OUT, 4 * n + c));
}

static void put(struct dispatch *d, uint32_t address, float value)
{
    dispatch_set(d, address, 0, util_f2u(value));
}

/* ---- plain ones ---- */

/* Bytes in another order, and alpha that the swizzle makes 1; on all three GPUs. */
static void test_orders(void **state)
{
    static const char *const lookups[] = {
        /* its texture pipeline takes r26, which has to be made again, and gives r0 */
        [MALI_T720] =
            "mov r26, al1.x, zero.x, 0 ; nop ; next vtex\n"
            "tex.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1\n"
            "vmul.imov.32 r2, r24.xxxx, r0 ; next ldst\nmov r1, glid.x, zero.x, 0 ; nop ; next alu1\n"
            "vmul.imov.32 r26, r24.xxxx, r23 ; next alu1\n"
            "vmul.imov.32 r26.z, r24.xxxx, r1.xxxx ; next alu1",
        [MALI_T760] = COORDINATES "tex.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1",
        [MALI_T860] = COORDINATES "tex.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1"};
    for (unsigned kind = MALI_T720; kind <= MALI_T860; kind++) {
        struct dispatch d;
        begin(&d, (enum mali_kind)kind, lookups[kind]);
        texture(&d, TWO, (uint32_t[3]){8, 4, 1}, 1, 1, RGBA8, BGRA, false);
        dispatch_set(&d, DISPATCH_TEXTURE, 4, RGB1);
        surface(&d, 0, TEXELS, 64, 0);
        sampler(&d, NEAREST | NORMALIZED, 256 << 16, 0);
        for (uint32_t n = 0; n < 32; n++) {
            ask(&d, n, ((float)(n % 8) + 0.5f) / 8, ((float)(n / 8) + 0.5f) / 4, 0, 0);
            dispatch_set(&d, TEXELS + n / 8 * 64, n % 8, n | (n + 100) << 8 | (n + 200) << 16 | 7 << 24);
        }
        run(&d, 32);
        for (uint32_t n = 0; n < 32; n++) {
            assert_true(got(&d, n, 0) == (float)(n + 200) / 255.0f);
            assert_true(got(&d, n, 1) == (float)(n + 100) / 255.0f);
            assert_true(got(&d, n, 2) == (float)n / 255.0f);
            assert_true(got(&d, n, 3) == 1);
        }
        guest_destroy(&d.guest);
    }
}

/* Integers out of tiles of 16 by 16, by whole numbers; outside are zeros. */
static void test_tiles(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "texfetch.2d.1.u out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){20, 20, 1}, 1, 1, R32UI, RGBA, true);
    surface(&d, 0, TEXELS, 2 * 1024, 0);
    for (uint32_t n = 0; n < 0x1000 / 4; n++)
        dispatch_set(&d, TEXELS, n, n);
    for (uint32_t n = 0; n < LOOKUPS; n++)
        ask_whole(&d, n, n % 21, n / 3, 0, 0);
    run(&d, LOOKUPS);
    for (uint32_t n = 0; n < LOOKUPS; n++) {
        uint32_t x = n % 21, y = n / 3, place = 0;
        for (unsigned bit = 0; bit < 4; bit++)
            place |= ((x ^ y) >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
        place += y / 16 * 512 + x / 16 * 256;
        assert_int_equal(dispatch_get(&d, OUT, 4 * n), x < 20 && y < 20 ? place : 0);
    }
    guest_destroy(&d.guest);
}

/* Half-way between two texels; with a level given, half-way between two levels, within the sampler's limits. */
static void test_filters(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "texlod.2d.1.f out0, in0, 0, 0 ; lod 0.5 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){2, 1, 1}, 1, 2, R32F, R001, false);
    surface(&d, 0, TEXELS, 64, 0);
    surface(&d, 1, TEXELS + 64, 64, 0);
    put(&d, TEXELS, 2);
    put(&d, TEXELS + 4, 4);
    put(&d, TEXELS + 64, 11);
    ask(&d, 0, 0.5f, 0.5f, 0, 0);
    ask(&d, 1, 0, 0.5f, 0, 0);
    sampler(&d, NORMALIZED | TRILINEAR, 17 * 256 << 16, 0);
    run(&d, 2);
    assert_true(got(&d, 0, 0) == 7 && got(&d, 0, 1) == 0 && got(&d, 0, 3) == 1);
    assert_true(got(&d, 1, 0) == 6.5f);
    sampler(&d, NORMALIZED | TRILINEAR, 17u * 256 << 16 | 256, 0); /* at least 1 */
    run(&d, 2);
    assert_true(got(&d, 0, 0) == 11);
    sampler(&d, NORMALIZED | TRILINEAR, 64u << 16, 0); /* at most a quarter */
    run(&d, 2);
    assert_true(got(&d, 0, 0) == 3 + 8 * 0.25f);
    guest_destroy(&d.guest);
}

/* Coordinates in texels: "clamp" (GL_CLAMP) takes half of the border at the image's edge and everywhere beyond it. */
static void test_texel_coordinates(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "tex.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){2, 1, 1}, 1, 1, R32F, R001, false);
    surface(&d, 0, TEXELS, 64, 0);
    put(&d, TEXELS, 2);
    put(&d, TEXELS + 4, 4);
    sampler(&d, 0, 0, 0);
    wrap(&d, MALI_WRAP_MODE_CLAMP, 0);
    dispatch_set(&d, DISPATCH_SAMPLERS, 4, util_f2u(8)); /* the border's red */
    ask(&d, 0, 1, 0.5f, 0, 0);
    ask(&d, 1, -3, 0.5f, 0, 0);
    ask(&d, 2, 9, 0.5f, 0, 0);
    run(&d, 3);
    assert_true(got(&d, 0, 0) == 3 && got(&d, 1, 0) == 5 && got(&d, 2, 0) == 6);
    guest_destroy(&d.guest);
}

/* ---- dimensions ---- */

static void test_layers(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "tex.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){1, 1, 1}, 3, 1, R32F, R001, false);
    sampler(&d, NEAREST | NORMALIZED, 256 << 16, 0);
    for (uint32_t n = 0; n < 3; n++) {
        surface(&d, n, TEXELS + 256 * n, 64, 0);
        put(&d, TEXELS + 256 * n, (float)(10 + n));
        ask(&d, n, 0.5f, 0.5f, 0, (float)n);
    }
    run(&d, 3);
    for (uint32_t n = 0; n < 3; n++)
        assert_true(got(&d, n, 0) == (float)(10 + n));
    guest_destroy(&d.guest);
}

static void test_volumes(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "tex.3d.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, THREE, (uint32_t[3]){2, 2, 2}, 1, 1, R32F, R001, false);
    surface(&d, 0, TEXELS, 64, 1024);
    sampler(&d, NEAREST | NORMALIZED, 256 << 16, 0);
    for (uint32_t n = 0; n < 8; n++) {
        put(&d, TEXELS + n / 4 * 1024 + n / 2 % 2 * 64 + n % 2 * 4, (float)n);
        ask(&d, n, n & 1 ? 0.75f : 0.25f, n & 2 ? 0.75f : 0.25f, n & 4 ? 0.75f : 0.25f, 0);
    }
    run(&d, 8);
    for (uint32_t n = 0; n < 8; n++)
        assert_true(got(&d, n, 0) == (float)n);
    guest_destroy(&d.guest);
}

/* A face a direction, and where on it: of +X right is -z and down -y. */
static void test_cubes(void **state)
{
    static const float directions[][3] = {{2, 0.5f, 0.5f},  {-2, 0.5f, 0.5f}, {0.5f, 2, 0.5f},
                                          {0.5f, -2, 0.5f}, {0.5f, 0.5f, 2},  {0.5f, 0.5f, -2}};
    static const uint8_t place[] = {0, 1, 3, 1, 1, 0}; /* x + 2 y of the four texels */
    struct dispatch d;
    begin(&d, MALI_T860,
          "cubemap r28.xy, al1.x.64, zero.x, 0 ; nop ; next vtex\n"
          "tex.cube.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, CUBE, (uint32_t[3]){2, 2, 1}, 1, 1, R32F, R001, false);
    sampler(&d, NEAREST | NORMALIZED, 256 << 16, 0);
    for (uint32_t n = 0; n < 6; n++) {
        surface(&d, n, TEXELS + 256 * n, 64, 0);
        for (uint32_t k = 0; k < 4; k++)
            put(&d, TEXELS + 256 * n + k / 2 * 64 + k % 2 * 4, (float)(10 * n + k));
        ask(&d, n, directions[n][0], directions[n][1], directions[n][2], 0);
    }
    run(&d, 6);
    for (uint32_t n = 0; n < 6; n++)
        assert_true(got(&d, n, 0) == (float)(10 * n + place[n]));
    guest_destroy(&d.guest);
}

static void test_samples(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "texfetch.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){2, 1, 4}, 1, 1, R32F, R001, false);
    for (uint32_t n = 0; n < 4; n++) {
        surface(&d, n, TEXELS + 256 * n, 64, 0);
        put(&d, TEXELS + 256 * n + 4, (float)(20 + n));
        ask_whole(&d, n, 1, 0, n, 0);
    }
    run(&d, 4);
    for (uint32_t n = 0; n < 4; n++)
        assert_true(got(&d, n, 0) == (float)(20 + n));
    guest_destroy(&d.guest);
}

/* ---- modes ---- */

/* Comparisons stand with their operands exchanged: GREATER is true where the reference is below the texel. */
static void test_shadows(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "tex.2d.5.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){1, 1, 1}, 1, 1, R32F, 0, false);
    surface(&d, 0, TEXELS, 64, 0);
    put(&d, TEXELS, 0.5f);
    ask(&d, 0, 0.5f, 0.5f, 0.25f, 0);
    ask(&d, 1, 0.5f, 0.5f, 0.75f, 0);
    for (uint32_t func = MALI_FUNC_LESS; func <= MALI_FUNC_GREATER; func += 3) {
        sampler(&d, NEAREST | NORMALIZED, 256 << 16, func);
        run(&d, 2);
        assert_true(got(&d, 0, 0) == (func == MALI_FUNC_GREATER));
        assert_true(got(&d, 1, 0) == (func == MALI_FUNC_LESS));
    }
    guest_destroy(&d.guest);
}

static void test_gathers(void **state)
{
    static const float expected[4] = {0, 1, 2, 3}; /* row by row (mali_gathered) */
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "texlod.2d.8.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){2, 2, 1}, 1, 1, R32F, R001, false);
    surface(&d, 0, TEXELS, 64, 0);
    sampler(&d, NORMALIZED, 256 << 16, 0);
    for (uint32_t n = 0; n < 4; n++)
        put(&d, TEXELS + n / 2 * 64 + n % 2 * 4, (float)n);
    ask(&d, 0, 0.5f, 0.5f, 0, 0);
    run(&d, 1);
    for (unsigned c = 0; c < 4; c++)
        assert_true(got(&d, 0, c) == expected[c]);
    guest_destroy(&d.guest);
}

/* Two blocks of ETC in their tile of 4 by 4: a base of 8 or 4 (times 17), all pixels 2 above. */
static void test_blocks(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "tex.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){8, 4, 1}, 1, 1, ETC2_RGB8, RGB1, true);
    surface(&d, 0, TEXELS, 128, 0);
    sampler(&d, NEAREST | NORMALIZED, 256 << 16, 0);
    dispatch_set(&d, TEXELS, 0, 0x888888);
    dispatch_set(&d, TEXELS, 2, 0x444444);
    ask(&d, 0, 0.2f, 0.5f, 0, 0);
    ask(&d, 1, 0.7f, 0.5f, 0, 0);
    run(&d, 2);
    for (unsigned c = 0; c < 3; c++) {
        assert_true(got(&d, 0, c) == (8 * 17 + 2) / 255.0f);
        assert_true(got(&d, 1, c) == (4 * 17 + 2) / 255.0f);
    }
    guest_destroy(&d.guest);
}

/* A T720 heeds the sampler's limits only where the level is its own to find. */
static void test_limits(void **state)
{
    static const char lookup[] =
        "mov r26, al1.x, zero.x, 0 ; nop ; next vtex\n"
        "texlod.2d.1.f out0, in0, 0, 0 ; lod 0.5 ; as vtex ; next alu1\n"
        "vmul.imov.32 r2, r24.xxxx, r0 ; next alu1\n"
        "vmul.imov.32 r26, r24.xxxx, r23 ; next alu1\nvmul.imov.32 r26.z, r24.xxxx, #0 ; next alu1";
    struct dispatch d;
    begin(&d, MALI_T720, lookup);
    texture(&d, TWO, (uint32_t[3]){2, 1, 1}, 1, 2, R32F, R001, false);
    surface(&d, 0, TEXELS, 64, 0);
    surface(&d, 1, TEXELS + 64, 64, 0);
    put(&d, TEXELS, 2);
    put(&d, TEXELS + 64, 11);
    ask(&d, 0, 0.25f, 0.5f, 0, 0);
    sampler(&d, NEAREST | NORMALIZED | TRILINEAR, 17u * 256 << 16 | 256, 0);
    run(&d, 1);
    assert_true(got(&d, 0, 0) == 6.5f);
    guest_destroy(&d.guest);
}

/* Colours to words of RGB565 whose order is BGR, and back: word 64 << 12 | 0xa0a. */
static void test_packed(void **state)
{
    struct dispatch d;
    dispatch_begin(&d, &(struct mali_options){.kind = MALI_T860}, MALI_JOB_TYPE_COMPUTE,
                   BEFORE "next ldst\npack_f32 r27, al1.x.64, zero.x<<10, 16544 ; "
                          "unpack_f32 r1, al1.x.64, zero.x<<10, 16544 ; next ldst\n"
                          "st_128 al1, al0.x.64, al0.z.u32<<4, 4096 ; nop ; next alu1\n"
                          "vmul.imov.32 r27, r24.xxxx, r1 ; next ldst\n"
                          "st_128 al1, al0.x.64, al0.z.u32<<4, 8192 ; nop ; stop\n");
    ask(&d, 0, 1, 0, 0.5f, 0.25f);
    run(&d, 1);
    assert_int_equal(dispatch_get(&d, OUT, 0), 0xf810); /* red above, half of blue's 31 rounded to even */
    assert_true(got(&d, 256, 0) == 1 && got(&d, 256, 1) == 0 && got(&d, 256, 2) == 16 / 31.0f);
    assert_true(got(&d, 256, 3) == 1);
    guest_destroy(&d.guest);
}

/* Vertices of sixteen textures, which each makes where it asks first: the same bytes at any number of threads. */
static void run_vertices(struct util_pool *pool, uint8_t *out)
{
    enum { VERTICES = 700, TEXTURES = 16, RGBA32F = 191, FROM = DISPATCH_DATA, TO = DISPATCH_DATA + 0x4000 };
    struct dispatch d;
    dispatch_begin(&d, &(struct mali_options){.kind = MALI_T860, .gpu.pool = pool}, MALI_JOB_TYPE_VERTEX,
                   "ld_attr_32 r28, zero.x, zero.x, 0:0 ; ld_attr_32u r29, zero.x, zero.x, 1:0 ; next vtex\n"
                   "tex.2d.1.f out0, in0, in1.x, 0 ; as vtex ; next alu1\n"
                   "vmul.imov.32 r27, r24.xxxx, r28 ; next ldst\n"
                   "st_vary_32 al1, zero.x, zero.x.s32, 0:0 ; nop ; stop\n");
    dispatch_sizes(&d, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, VERTICES, 1});
    dispatch_counts(&d, TEXTURES, 1, 2, 1, 0);
    dispatch_array(&d, DISPATCH_ATTRIBUTES, 0, RGBA32F, RGBA, FROM, 0, 16);
    dispatch_array(&d, DISPATCH_ATTRIBUTES, 1, R32UI, R001, FROM + 0x1000, 4, 4 * VERTICES);
    dispatch_array(&d, DISPATCH_VARYINGS, 0, RGBA32F, RGBA, TO, 16, 16 * VERTICES);
    texture(&d, TWO, (uint32_t[3]){1, 1, 1}, 1, 1, R32F, R001, false);
    surface(&d, 0, TEXELS, 64, 0);
    sampler(&d, NEAREST | NORMALIZED, 256 << 16, 0);
    for (uint32_t n = 0; n < TEXTURES; n++) {
        uint32_t at = DISPATCH_TEXTURE + 64 * n;
        memcpy(dispatch_at(&d, at), dispatch_at(&d, DISPATCH_TEXTURE), 64);
        dispatch_set(&d, at + 32, 0, TEXELS + 64 * n);
        dispatch_set(&d, DISPATCH_TEXTURES, 2 * n, at);
        put(&d, TEXELS + 64 * n, (float)n);
    }
    for (uint32_t n = 0; n < VERTICES; n++)
        dispatch_set(&d, FROM + 0x1000, n, n / 3 % TEXTURES);
    dispatch_run(&d);
    for (uint32_t n = 0; n < VERTICES; n++)
        assert_int_equal(dispatch_get(&d, TO, 4 * n), util_f2u((float)(n / 3 % TEXTURES)));
    memcpy(out, d.data, DISPATCH_DATA_BYTES);
    guest_destroy(&d.guest);
}

static void test_threads(void **state)
{
    static const unsigned threads[] = {1, 2, 7};
    static uint8_t first[DISPATCH_DATA_BYTES], other[DISPATCH_DATA_BYTES];
    run_vertices(NULL, first);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(threads); n++) {
        struct util_pool *pool;
        assert_int_equal(util_pool_create(threads[n], &pool), 0);
        run_vertices(pool, other);
        assert_memory_equal(first, other, sizeof first);
        util_pool_destroy(pool);
    }
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    static const struct {
        uint32_t address, word, value;
        const char *part;
    } changes[] = {
        {DISPATCH_TEXTURES, 0, 0, "nothing is bound"},
        {DISPATCH_STATE, 2, 1 << 16, "a sampler that there is not"},
        {DISPATCH_TEXTURE, 2, RGBA | R32F << 12 | ONE << 22 | 2u << 24 | 3u << 28, "other dimensions"},
        {DISPATCH_TEXTURE, 2, RGBA | 134 << 12 | TWO << 22 | 2u << 24 | 3u << 28, "its format"},
        {DISPATCH_TEXTURE, 2, RGBA | R32F << 12 | TWO << 22 | 12u << 24 | 3u << 28, "AFBC"},
        {DISPATCH_TEXTURE + 32, 2, 0x80000000, "backwards"},
        {DISPATCH_TEXTURE, 3, 17u << 24, "more levels"},
        {DISPATCH_SAMPLERS, 2, 0, "wrap mode"}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(changes); n++) {
        struct dispatch d;
        begin(&d, MALI_T860, COORDINATES "tex.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
        texture(&d, TWO, (uint32_t[3]){2, 2, 1}, 1, 1, R32F, RGBA, false);
        surface(&d, 0, TEXELS, 64, 0);
        sampler(&d, NEAREST | NORMALIZED, 256 << 16, 0);
        run(&d, 1);
        dispatch_set(&d, changes[n].address, changes[n].word, changes[n].value);
        assert_int_equal(guest_run(&d.guest, 1, DISPATCH_JOB), 0x20000);
        struct gpu_fault fault = guest_fault(&d.guest);
        if (!strstr(fault.text, changes[n].part))
            fail_msg("change %u: %s", n, fault.text);
        guest_destroy(&d.guest);
    }
}

/* A texture's page that is not there is waited for. */
static void test_waits(void **state)
{
    struct dispatch d;
    begin(&d, MALI_T860, COORDINATES "texfetch.2d.1.f out0, in0, 0, 0 ; as vtex ; next alu1");
    texture(&d, TWO, (uint32_t[3]){1, 2, 1}, 1, 1, R32F, R001, false);
    surface(&d, 0, TEXELS, 4096, 0);
    put(&d, TEXELS + 4096, 5);
    ask_whole(&d, 0, 0, 1, 0, 0);
    uint64_t *entry = guest_entry(&d.guest, TEXELS + 4096), was = *entry;
    *entry = 0;
    guest_flush_as(&d.guest, 0);
    dispatch_sizes(&d, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1});
    guest_submit(&d.guest, 1, DISPATCH_JOB, 0x83300);
    assert_int_equal(mali_read(d.guest.device, guest_as(0, AS_FAULT_AT)), TEXELS + 4096);
    *entry = was;
    mali_write(d.guest.device, MMU_CLEAR, 1);
    guest_flush_as(&d.guest, 0);
    guest_expect_no_fault(&d.guest);
    assert_true(got(&d, 0, 0) == 5);
    guest_destroy(&d.guest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),  cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_filters), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_volumes), cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_samples), cmocka_unit_test(test_shadows),
        cmocka_unit_test(test_gathers), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_waits),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_packed),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_texel_coordinates),
    };
    return dispatch_run_group_tests(tests);
}
