/* Utgard's frames: master lists, clears, lima's reload draws, samples apart and averaged, textures that
 * registers choose, colours of samples apart, faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>

#include "gpu/utgard/frame.h"
#include "isa/utgard_pp/asm.h"
#include "raster/texture.h"
#include "tests/unit/utgard_space.h"
#include "util/fpenv.h"

enum {
    MASTER = 0x1000,
    PROGRAM = 0x2000,
    STATE = 0x3000,
    TEXTURES = 0x4000,
    DESCRIPTOR = 0x4100,
    POSITIONS = 0x5000,
    VARYINGS = 0x5100,
    IMAGE = 0x10000,
    PLANE = 0x8000,
    SOURCE = 0x80000,
    SIDE = 40
};

/* load.v $1 0.xy, texld 0, mov.v0 $0 ^tex: lima_screen.c's reload program. */
static const uint32_t program[] = {0x000005e6, 0xf1003c20, 0, 0x39001000, 0x00000e4e, 0x000007cf, 0, 0};

/* ---- lists as arrays ---- */

struct script {
    const struct utgard_tile_item *items;
    uint32_t count;
    bool fails; /* in the tile whose list is 0x20 */
    bool endless;
};

static bool next(void *ctx, uint64_t *at, struct utgard_tile_item *item, struct gpu_fault *fault)
{
    const struct script *s = ctx;
    uint32_t n = (uint32_t)(*at >> 32);

    if (s->fails && (uint32_t)*at == 0x20) {
        *fault = (struct gpu_fault){.kind = GPU_FAULT_LIST, .address = 0x20};
        return false;
    }
    *at += 1ull << 32;
    if (s->endless)
        n = 0;
    *item = n < s->count ? s->items[n] : (struct utgard_tile_item){.kind = UTGARD_TILE_END};
    return true;
}

/* ---- the scene: a frame of 40x40 in nine tiles ---- */

struct scene {
    struct guest g;
    struct utgard_pp_frame frame;
    struct utgard_tile tiles[9];
    struct utgard_tile_item items[8];
    struct script script;
    struct jit_engine *engine;
    struct util_pool *pool;
};

static void put_master(struct scene *s)
{
    uint32_t words[9 * 4 + 2], n = 0;

    for (uint32_t t = 0; t < 9; t++) {
        words[n++] = 0;
        words[n++] = 0xb8000000 | t % 3 | t / 3 << 8;
        words[n++] = 0xe0000002 | (t * 0x20) >> 3;
        words[n++] = 0xb0000000;
    }
    words[n++] = 0;
    words[n] = 0xbc000000;
    guest_put(&s->g, MASTER, words, sizeof words);
}

static void scene_open(struct scene *s)
{
    struct jit_options options = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};
    const float positions[] = {SIDE, 0, 0, 1, 0, 0, 0, 1, 0, SIDE, 0, 1};
    const float varyings[] = {SIDE, 0, 0, 0, 0, SIDE, 0, 0};

    *s = (struct scene){0};
    guest_open(&s->g);
    assert_int_equal(jit_engine_create(&options, &s->engine, NULL), 0);
    assert_int_equal(util_pool_create(2, &s->pool), 0);
    put_master(s);
    guest_put(&s->g, PROGRAM, program, sizeof program);
    guest_put(&s->g, POSITIONS, positions, sizeof positions);
    guest_put(&s->g, VARYINGS, varyings, sizeof varyings);
    s->frame = (struct utgard_pp_frame){.space = &s->g.space,
                                        .engine = s->engine,
                                        .pool = s->pool,
                                        .reader = {.ctx = &s->script, .next = next},
                                        .tiles = s->tiles,
                                        .fuel = 1u << 30,
                                        .packets = 1u << 20,
                                        .block_fuel = 1000,
                                        .numeric = ISA_EXACT};
    s->frame.registers[4] = 0xffffff;
    s->frame.registers[6] = 0x80402010; /* red 0x10, green 0x20, blue 0x40, alpha 0x80 */
    s->frame.registers[10] = s->frame.registers[11] = SIDE - 1;
    assert_true(utgard_frame_tiles(&s->g.space, MASTER, 0, s->tiles, &s->frame.tile_count, NULL));
    assert_int_equal(s->frame.tile_count, 9);
    s->script.items = s->items;
}

static void scene_close(struct scene *s)
{
    guest_close(&s->g);
    util_pool_destroy(s->pool);
    jit_engine_destroy(s->engine);
}

static void put_word(struct guest *g, uint32_t address, uint32_t word)
{
    guest_put(g, address, &word, 4);
}

static void write_back(struct scene *s, unsigned unit, uint32_t source, uint32_t format, uint32_t pitch)
{
    uint32_t *wb = s->frame.wb[unit];

    memset(wb, 0, UTGARD_WB_WORDS * 4);
    wb[0] = source;
    wb[1] = IMAGE;
    wb[2] = format;
    wb[5] = pitch;
}

/* A reload of the image at SOURCE + 0x8000 n into the samples of `mask`. */
static void add_reload(struct scene *s, unsigned n, uint32_t format, uint32_t mask, const uint32_t *extra)
{
    uint32_t state[UTGARD_RSW_WORDS] = {
        0, 0,           0xf03b1ad2, 0x0000000e, 0xffff0000,       7,      7, 0,
        7, PROGRAM | 6, 1,          0,          TEXTURES + 4 * n, 0x4021, 0, VARYINGS};
    uint32_t words[16] = {0}, at = DESCRIPTOR + 64 * n;
    struct utgard_tile_item *item = &s->items[s->script.count];

    state[8] |= mask << 12;
    for (unsigned w = 0; extra && w < UTGARD_RSW_WORDS; w++)
        state[w] |= extra[w];
    if (extra)
        state[2] &= 0x0fffffff;
    guest_put(&s->g, STATE + 64 * n, state, sizeof state);
    guest_field(words, 0, 6, format);
    guest_field(words, 16, 15, SIDE * 4);
    guest_field(words, 39, 1, 1);
    guest_field(words, 42, 2, 1);
    guest_field(words, 72, 1, 1);
    guest_field(words, 75, 2, 3);
    guest_field(words, 77, 9, 0111);
    guest_field(words, 86, 13, SIDE);
    guest_field(words, 99, 13, SIDE);
    guest_field(words, 222, 26, (SOURCE + 0x8000 * n) >> 6);
    guest_put(&s->g, at, words, sizeof words);
    guest_put(&s->g, TEXTURES + 4 * n, &at, 4);
    item[0] = (struct utgard_tile_item){.kind = UTGARD_TILE_STATE,
                                        .state = {.rsw = STATE + 64 * n,
                                                  .positions = POSITIONS,
                                                  .clip = {0, 0, SIDE, SIDE},
                                                  .four_samples = mask != 15}};
    item[1] = (struct utgard_tile_item){.kind = UTGARD_TILE_RECTANGLE, .index = {0, 1, 2}};
    s->script.count += 2;
}

static void fill_source(struct scene *s, unsigned planes)
{
    uint32_t word = 1;

    for (uint32_t at = 0; at < planes * 0x8000; at += 4) {
        word = word * 1664525 + 1013904223;
        guest_put(&s->g, SOURCE + at, &word, 4);
    }
}

static void render(struct scene *s)
{
    struct gpu_fault fault = {0};
    unsigned saved = util_fpenv_enter();

    if (!utgard_frame_render(&s->frame, &fault))
        fail_msg("%s", fault.text);
    util_fpenv_leave(saved);
}

/* ---- tests ---- */

static void test_clear(void **unused)
{
    struct scene s;

    (void)unused;
    scene_open(&s);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    render(&s);
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        assert_int_equal(guest_word(&s.g, IMAGE + 4 * n), 0x80102040);
    assert_int_equal(guest_word(&s.g, IMAGE + 4 * SIDE * SIDE), 0); /* nothing beyond */
    s.frame.wb[0][6] = 4;                                           /* red first */
    render(&s);
    assert_int_equal(guest_word(&s.g, IMAGE), 0x80402010);
    /* 565, tiled in three tiles a row, as textures are read. */
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGR565, 3);
    s.frame.wb[0][4] = 2;
    render(&s);
    uint32_t at = raster_texel_offset(RASTER_UTGARD_TILED, 2, 3, 39, 39);
    assert_int_equal(util_load16(s.g.memory.base + IMAGE + at), 0x1108);
    scene_close(&s);
}

/* What a reload draws is what memory held, bit by bit: compiled and not, on any number of threads. */
static void test_reload(void **unused)
{
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    add_reload(&s, 0, 0x16, 15, NULL);
    for (unsigned way = 0; way < 3; way++) {
        memset(s.g.memory.base + IMAGE, 0, SIDE * SIDE * 4);
        s.frame.engine = way == 1 ? NULL : s.engine;
        s.frame.pool = way == 2 ? NULL : s.pool;
        render(&s);
        assert_memory_equal(s.g.memory.base + IMAGE, s.g.memory.base + SOURCE, SIDE * SIDE * 4);
    }
    scene_close(&s);
}

/* Depths and stencils too, through the texel format of reloads and lima's state for them. */
static void test_reload_depth(void **unused)
{
    static const uint32_t extra[UTGARD_RSW_WORDS] = {
        [3] = 0x400 | 0x801 | 0x1000, [5] = 0x24f, [6] = 0x24f, [7] = 0xffff};
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    write_back(&s, 0, UTGARD_WB_ZS, UTGARD_WB_Z24S8, SIDE * 4 / 8);
    add_reload(&s, 0, 0x32, 15, extra);
    for (unsigned way = 0; way < 2; way++) {
        memset(s.g.memory.base + IMAGE, 0, SIDE * SIDE * 4);
        s.frame.engine = way ? NULL : s.engine;
        render(&s);
        assert_memory_equal(s.g.memory.base + IMAGE, s.g.memory.base + SOURCE, SIDE * SIDE * 4);
    }
    scene_close(&s);
}

/* Four planes into four samples, and out again as planes, or as their average. */
static void test_samples(void **unused)
{
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 4);
    for (unsigned n = 0; n < 4; n++)
        add_reload(&s, n, 0x16, 1u << n, NULL);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    s.frame.wb[0][7] = 15;
    s.frame.wb[0][8] = PLANE;
    render(&s);
    for (unsigned n = 0; n < 4; n++)
        assert_memory_equal(s.g.memory.base + IMAGE + PLANE * n, s.g.memory.base + SOURCE + 0x8000 * n,
                            SIDE * SIDE * 4);
    s.frame.wb[0][7] = 0;
    render(&s);
    for (uint32_t byte = 0; byte < SIDE * SIDE * 4; byte++) {
        uint32_t sum = 2;

        for (unsigned n = 0; n < 4; n++)
            sum += s.g.memory.base[SOURCE + 0x8000 * n + byte];
        assert_int_equal(s.g.memory.base[IMAGE + byte], sum >> 2);
    }
    scene_close(&s);
}

/* The first state's. */
static void put_program(struct scene *s, const char *text)
{
    struct util_error error = {0};
    uint32_t *words, count;

    if (utgard_pp_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    guest_put(&s->g, PROGRAM + 64, words, count * 4ull);
    put_word(&s->g, STATE + 9 * 4, (PROGRAM + 64) | (words[0] & 31));
    free(words);
}

/* A register chooses the texture, in each fragment its own: stripes ten wide of four images. */
static void test_chosen(void **unused)
{
    static const char text[] = "c0 0.0999755859375, 0.0, 0.0, 0.0 ; var r1.xy, v0.xy ; mul.v0 r1.x, r1, c0\n"
                               "var coords.xy, v0.xy ; tex2d 0+r1.x ; mov.v0 r0, tex ; sync ; stop\n";
    const uint32_t nothing = GUEST_SIZE;
    struct gpu_fault fault = {0};
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 4);
    for (unsigned n = 0; n < 4; n++)
        add_reload(&s, n, 0x16, 15, NULL);
    s.script.count = 2; /* the first alone */
    put_program(&s, text);
    put_word(&s.g, STATE + 13 * 4, 4u << 14 | 0x21);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    render(&s);
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        assert_int_equal(guest_word(&s.g, IMAGE + 4 * n),
                         guest_word(&s.g, SOURCE + n % SIDE / 10 * 0x8000 + 4 * n));
    /* What is no texture is a fault of those that choose it; what none chooses is no fault. */
    put_word(&s.g, STATE + 13 * 4, 5u << 14 | 0x21);
    guest_put(&s.g, TEXTURES + 16, &nothing, 4);
    render(&s);
    for (uint32_t way = 0; way < 2; way++) {
        unsigned saved = util_fpenv_enter();

        if (way)
            put_word(&s.g, STATE + 13 * 4, 3u << 14 | 0x21);
        else
            guest_put(&s.g, TEXTURES + 12, &nothing, 4);
        put_word(&s.g, IMAGE, 0);
        put_word(&s.g, IMAGE + 39 * 4, 0);
        assert_false(utgard_frame_render(&s.frame, &fault));
        util_fpenv_leave(saved);
        assert_int_equal(fault.kind, GPU_FAULT_SHADER);
        assert_int_equal(guest_word(&s.g, IMAGE), guest_word(&s.g, SOURCE));
        assert_int_equal(guest_word(&s.g, IMAGE + 39 * 4), 0);
    }
    scene_close(&s);
}

/* Each sample's colour out of a register of its own, and its own alpha test. */
static void test_colors_apart(void **unused)
{
    static const char text[] = "c0 1.0, 0.0, 0.0, 1.0 ; var coords.xy, v0.xy ; tex2d 0 ; mov.v0 r0, tex ; "
                               "mov.v1 r1, c0 ; sync ; stop\n";
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    add_reload(&s, 0, 0x16, 15, NULL);
    put_program(&s, text);
    put_word(&s.g, STATE + 7 * 4, 100u << 16);
    put_word(&s.g, STATE + 8 * 4, 0x1010f000 | RASTER_GREATER);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    s.frame.wb[0][7] = 15;
    s.frame.wb[0][8] = PLANE;
    render(&s);
    for (uint32_t at = 0; at < SIDE * SIDE * 4; at += 4) {
        uint32_t texel = guest_word(&s.g, SOURCE + at);

        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(guest_word(&s.g, IMAGE + PLANE * k + at), k & 1               ? 0xffff0000
                                                                       : texel >> 24 > 100 ? texel
                                                                                           : 0x80102040);
    }
    scene_close(&s);
}

static void test_faults(void **unused)
{
    static const uint32_t strange[] = {0, 0xb8000000, 5, 0xb0000000};
    struct gpu_fault fault = {0};
    struct scene s;

    (void)unused;
    scene_open(&s);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    s.script.fails = true; /* tile 1 alone: the others are stored */
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, 0x20);
    assert_int_equal(guest_word(&s.g, IMAGE), 0x80102040);
    assert_int_equal(guest_word(&s.g, IMAGE + 4 * 16), 0);
    s.frame.wb[0][1] = GUEST_SIZE - 4;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    s.frame.wb[0][1] = IMAGE;
    s.frame.wb[0][2] = 6;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_UNSUPPORTED);
    s.frame.wb[0][2] = 11;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_PACKET);
    s.frame.wb[0][2] = UTGARD_WB_BGRA8888;
    s.script = (struct script){.items = s.items, .endless = true};
    add_reload(&s, 0, 0x16, 15, NULL);
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_TIMEOUT);
    guest_put(&s.g, MASTER, strange, sizeof strange);
    s.frame.tile_count = 0;
    assert_false(utgard_frame_tiles(&s.g.space, MASTER, 0, s.tiles, &s.frame.tile_count, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, MASTER + 8);
    assert_false(utgard_frame_tiles(&s.g.space, GUEST_SIZE, 0, s.tiles, &s.frame.tile_count, &fault));
    scene_close(&s);
}

/* Tiles that share lists, in shapes that are rectangles and not, of several owners: the same picture; who
 * owns a tile with a fault hears of it, and of no other. */
static void test_areas(void **unused)
{
    static const char *const shapes[] = {"aaaaaaaaa", "aabaabccc", "aaabaaaac", "abababaab"};
    struct gpu_fault fault[3];
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    add_reload(&s, 0, 0x16, 15, NULL);
    s.frame.last_owner = 2;
    for (unsigned n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        unsigned saved = util_fpenv_enter();

        for (unsigned t = 0; t < 9; t++) {
            s.tiles[t].list = (uint32_t)(shapes[n][t] - 'a') * 0x20;
            s.tiles[t].owner = t % 2;
        }
        memset(s.g.memory.base + IMAGE, 0, SIDE * SIDE * 4);
        s.script.fails = false;
        assert_true(utgard_frame_render(&s.frame, fault));
        assert_memory_equal(s.g.memory.base + IMAGE, s.g.memory.base + SOURCE, SIDE * SIDE * 4);
        memset(s.g.memory.base + IMAGE, 0, SIDE * SIDE * 4);
        s.script.fails = true; /* list b */
        s.tiles[8].owner = 2;
        assert_int_equal(utgard_frame_render(&s.frame, fault), n == 0);
        for (unsigned owner = 0; owner < 3; owner++) {
            bool has = false;

            for (unsigned t = 0; t < 9; t++)
                has |= s.tiles[t].owner == owner && shapes[n][t] == 'b';
            assert_int_equal(fault[owner].kind, has ? GPU_FAULT_LIST : GPU_FAULT_NONE);
        }
        for (unsigned t = 0; t < 9; t++) {
            uint32_t at = 4 * (t / 3 * 16 * SIDE + t % 3 * 16);

            assert_int_equal(guest_word(&s.g, IMAGE + at),
                             shapes[n][t] == 'b' ? 0 : guest_word(&s.g, SOURCE + at));
        }
        util_fpenv_leave(saved);
    }
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear),   cmocka_unit_test(test_reload), cmocka_unit_test(test_reload_depth),
        cmocka_unit_test(test_samples), cmocka_unit_test(test_chosen), cmocka_unit_test(test_colors_apart),
        cmocka_unit_test(test_faults),  cmocka_unit_test(test_areas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
