/* A small world for rendering lists: guest memory with two programs, a shader record and vertices, and
 * builders for the records of Guide table 38. */
#ifndef VITRAIL_TESTS_GPU_VC4_RENDERER_SCENE_H
#define VITRAIL_TESTS_GPU_VC4_RENDERER_SCENE_H

#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/device.h"
#include "gpu/vc4/tile_list.h"
#include "isa/vc4_qpu/asm.h"
#include "jit/engine.h"
#include "util/bits.h"

enum {
    MEMORY = 8 << 20,
    AT_FS = 0x1000,
    AT_VS = 0x2000,
    AT_UNIFORMS = 0x3000,
    AT_RECORD = 0x4000,
    AT_VERTICES = 0x5000,
    AT_CLIPPED = 0x8000,
    AT_INDICES = 0x9000,
    AT_LISTS = 0x10000, /* sub-lists, 0x1000 apart */
    AT_MAIN = 0x80000,
    AT_COLOR = 0x100000,
    AT_ZS = 0x200000,
    AT_RAW = 0x300000,
};

/* The way the same list is run. With `shuffled` not 0 jobs run in an order that it decides. */
struct way {
    unsigned threads, shuffled;
    bool jit, reference;
};

struct scene {
    struct gpu_memory memory;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct vc4_device *device;
    uint32_t at;    /* where the next record goes */
    uint32_t width; /* of the colour image, pixels */
};

/* ---- records ---- */

static inline void put8(struct scene *s, uint32_t v)
{
    s->memory.base[s->at++] = (uint8_t)v;
}
static inline void put16(struct scene *s, uint32_t v)
{
    put8(s, v);
    put8(s, v >> 8);
}
static inline void put32(struct scene *s, uint32_t v)
{
    put16(s, v);
    put16(s, v >> 16);
}
static inline void put_float(struct scene *s, float v)
{
    put32(s, util_f2u(v));
}

#define RGBA_LINEAR (1u << 2) /* record 113: rgba8888, raster format */
#define MS4X        (1u | 1u << 4)

static inline void config(struct scene *s, uint32_t width, uint32_t height, uint32_t bits)
{
    s->width = width;
    put8(s, 113);
    put32(s, AT_COLOR);
    put16(s, width);
    put16(s, height);
    put16(s, bits);
}
static inline void clear_values(struct scene *s, uint32_t color, uint32_t z, uint32_t stencil)
{
    put8(s, 114);
    put32(s, color);
    put32(s, color);
    put32(s, z & 0xffffff);
    put8(s, stencil);
}
static inline void tile(struct scene *s, uint32_t x, uint32_t y)
{
    put8(s, 115);
    put8(s, x);
    put8(s, y);
}
#define GENERAL_NONE           0u
#define GENERAL_COLOR          1u
#define GENERAL_ZS             2u
#define GENERAL_NO_COLOR_CLEAR (1u << 13)
#define GENERAL_NO_ZS_CLEAR    (1u << 14)
static inline void general(struct scene *s, uint32_t id, uint32_t bits, uint32_t address, bool last)
{
    put8(s, id);
    put16(s, bits);
    put32(s, address | (last ? 8 : 0));
}
/* As the kernel does it: the clear values reach the tile buffer through a store of nothing. */
static inline void clear_first(struct scene *s, uint32_t color, uint32_t z, uint32_t stencil)
{
    clear_values(s, color, z, stencil);
    tile(s, 0, 0);
    general(s, 28, GENERAL_NONE, 0, false);
}
static inline void store(struct scene *s, bool last)
{
    put8(s, last ? 25 : 24);
}
static inline void sub_list(struct scene *s, unsigned n)
{
    put8(s, 17);
    put32(s, AT_LISTS + n * 0x1000);
}

/* All of a picture of one tile: list 0. */
static inline void one_tile(struct scene *s)
{
    tile(s, 0, 0);
    sub_list(s, 0);
    store(s, true);
}

#define CONFIG_BOTH_FACES 3u
#define CONFIG_CLOCKWISE  4u
#define CONFIG_OVERSAMPLE (1u << 6)
#define CONFIG_DEPTH(f)   ((uint32_t)(f) << 12)
#define CONFIG_Z_UPDATES  (1u << 15)

/* Format and shader record, configuration bits, whole clip window, viewport at the origin. */
static inline void draw_state(struct scene *s, uint8_t primitive, uint32_t bits)
{
    put8(s, 56);
    put8(s, 1u << 4 | primitive);
    put8(s, 64);
    put32(s, AT_RECORD | 1);
    put8(s, 96);
    put16(s, bits);
    put8(s, bits >> 16);
    put8(s, 102);
    put16(s, 0);
    put16(s, 0);
    put16(s, 2048);
    put16(s, 2048);
    put8(s, 103);
    put32(s, 0);
}
static inline void codes(struct scene *s, uint8_t primitive, const uint32_t (*index)[3], unsigned count)
{
    uint32_t previous[3] = {0, 0, 0};
    for (unsigned i = 0; i < count; i++)
        s->at += vc4_list_code(primitive, previous, index[i], s->memory.base + s->at);
    put8(s, 128);
}
static inline void primitives(struct scene *s, uint8_t primitive, const uint32_t (*index)[3], unsigned count)
{
    put8(s, 48);
    codes(s, primitive, index, count);
}

/* ---- programs and vertices ---- */

static inline bool assemble(struct scene *s, uint32_t at, const char *text)
{
    uint64_t *words;
    uint32_t count;
    struct util_error error = {0};
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    memcpy(s->memory.base + at, words, count * sizeof *words);
    free(words);
    return true;
}

#define FS_UNIFORM "mov tlb_z, rb15 ; sbwait\n mov tlb_color, unif\n nop ; thrend\n nop\n nop ; sbdone\n"
/* One varying, 0 to 1, into all four channels. */
#define FS_VARYING                                                                                           \
    "mov r2, ra15\n nop ; fmul r0, vary, r2\n fadd r0, r0, r5\n nop ; fmul r1.c8888, r0, 1.0\n"              \
    "mov tlb_z, rb15 ; sbwait\n mov tlb_color, r1\n nop ; thrend\n nop\n nop ; sbdone\n"
/* Four words in, the same out: position, depth, 1/w, one varying. */
#define VS_COPY                                                                                              \
    "ldi vr_setup, 0x00401a00\n ldi vw_setup, 0x1a00\n mov vpm, vpm\n mov vpm, vpm\n mov vpm, vpm\n"         \
    "mov vpm, vpm\n nop ; thrend\n nop\n nop\n"

static inline void shader_record(struct scene *s, uint8_t varyings)
{
    uint32_t back = s->at;
    s->at = AT_RECORD;
    put16(s, 1); /* single-threaded */
    put8(s, 0);
    put8(s, varyings);
    put32(s, AT_FS);
    put32(s, AT_UNIFORMS);
    for (unsigned i = 0; i < 2; i++) { /* vertex and coordinate program are the same */
        put16(s, 0);
        put8(s, 1);
        put8(s, 16);
        put32(s, AT_VS);
        put32(s, AT_UNIFORMS);
    }
    put32(s, AT_VERTICES);
    put8(s, 15);
    put8(s, 16);
    put16(s, 0);
    s->at = back;
}

/* Vertex n at pixel (x, y). */
static inline void vertex(struct scene *s, uint32_t n, float x, float y, float z, float vary)
{
    uint32_t back = s->at;
    s->at = AT_VERTICES + n * 16;
    put16(s, (uint32_t)(int32_t)(x * 16));
    put16(s, (uint32_t)(int32_t)(y * 16));
    put_float(s, z);
    put_float(s, 1.0f);
    put_float(s, vary);
    s->at = back;
}

/* ---- running ---- */

static inline int scene_pool(struct way way, struct util_pool **pool)
{
    return way.shuffled ? util_pool_create_shuffled(3, way.shuffled, pool)
                        : util_pool_create(way.threads, pool);
}

static inline bool scene_open(struct scene *s, struct way way)
{
    struct gpu_options options = {.reference = way.reference, .packet_budget = 100000};
    struct jit_options jit = {.level = -1, .optimize = 2, .cache_dir = ""};
    memset(s, 0, sizeof *s);
    if (gpu_memory_create(MEMORY, &s->memory) || scene_pool(way, &s->pool) ||
        (way.jit && jit_engine_create(&jit, &s->engine, NULL)))
        return false;
    options.pool = s->pool;
    options.engine = s->engine;
    shader_record(s, 0);
    s->at = AT_MAIN;
    return !vc4_device_create(&s->memory, &options, &s->device) && assemble(s, AT_FS, FS_UNIFORM) &&
           assemble(s, AT_VS, VS_COPY);
}

static inline void scene_close(struct scene *s)
{
    vc4_device_destroy(s->device);
    jit_engine_destroy(s->engine);
    util_pool_destroy(s->pool);
    gpu_memory_destroy(&s->memory);
}

/* Runs what was put at AT_MAIN since then; the next list starts there again. */
static inline void render(struct scene *s)
{
    uint32_t end = s->at;
    vc4_write(s->device, VC4_CT1CA, AT_MAIN);
    vc4_write(s->device, VC4_CT1EA, end);
    s->at = AT_MAIN;
}

static inline uint32_t pixel(const struct scene *s, uint32_t x, uint32_t y)
{
    return util_load32(s->memory.base + AT_COLOR + (y * s->width + x) * 4);
}
static inline uint32_t depth_pixel(const struct scene *s, uint32_t x, uint32_t y)
{
    return util_load32(s->memory.base + AT_ZS + (y * s->width + x) * 4);
}

/* ---- what the tests share ---- */

#define RED   0xff0000ffu
#define GREEN 0xff00ff00u
#define BLUE  0xffff0000u

static const struct way plain = {0};
static const struct way ways[] = {{0},
                                  {.threads = 3},
                                  {.jit = true},
                                  {.threads = 3, .jit = true},
                                  {.shuffled = 7, .jit = true},
                                  {.reference = true}};

static inline void no_faults(struct scene *s)
{
    struct gpu_fault f;
    char text[512] = "";
    if (gpu_host_faults(vc4_device_host(s->device), &f, 1))
        gpu_fault_format(&f, text, sizeof text);
    assert_string_equal(text, "");
}

static inline void render_well(struct scene *s)
{
    render(s);
    no_faults(s);
}

static inline struct gpu_fault one_fault(struct scene *s)
{
    struct gpu_fault f[2];
    assert_int_equal(gpu_host_faults(vc4_device_host(s->device), f, 2), 1);
    return f[0];
}

static const uint32_t one_triangle[1][3] = {{0, 1, 2}};

/* A right triangle over two tiles; uniform colour. */
static inline void triangle_scene(struct scene *s, uint32_t config_bits)
{
    util_store32(s->memory.base + AT_UNIFORMS, BLUE);
    vertex(s, 0, 8, 8, 0.25f, 0.0f);
    vertex(s, 1, 88, 8, 0.25f, 1.0f);
    vertex(s, 2, 8, 58, 0.25f, 1.0f);
    s->at = AT_LISTS;
    draw_state(s, VC4_TRIANGLES, config_bits);
    primitives(s, VC4_TRIANGLES, one_triangle, 1);
    put8(s, 18);
    s->at = AT_MAIN;
    clear_first(s, RED, 0x800000, 7);
    config(s, 128, 64, RGBA_LINEAR);
    for (uint32_t x = 0; x < 2; x++) {
        tile(s, x, 0);
        sub_list(s, 0);
        general(s, 28, GENERAL_ZS | GENERAL_NO_COLOR_CLEAR, AT_ZS, false);
        tile(s, x, 0);
        store(s, x == 1);
    }
}

static inline bool inside(uint32_t x, uint32_t y)
{
    /* pixel centre, top and left edges included; the slope from (88, 8) to (8, 58) is neither */
    int32_t px = (int32_t)x * 2 + 1 - 16, py = (int32_t)y * 2 + 1 - 16;
    return px >= 0 && py >= 0 && px * 50 + py * 80 < 2 * 80 * 50;
}

#endif
