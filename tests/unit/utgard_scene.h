/* A frame of Utgard's for tests: 40x40 pixels in nine tiles, whose lists are arrays; images that lima's
 * reload draws; programs. */
#ifndef VITRAIL_TESTS_UTGARD_SCENE_H
#define VITRAIL_TESTS_UTGARD_SCENE_H

#include <stdlib.h>

#include "gpu/utgard/frame.h"
#include "isa/utgard_pp/asm.h"
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

struct script_item {
    enum tiler_item_kind kind;
    uint32_t index[3];
    struct gpu_tile_state state; /* of STATE */
};

struct script {
    const struct script_item *items;
    uint32_t count;
    bool fails; /* in the tile whose list is 0x20 */
    bool endless;
};

static inline bool next(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                        struct gpu_tile_state *state, struct gpu_fault *fault)
{
    const struct script *s = ctx;
    uint32_t n = (uint32_t)(cursor->at >> 32);

    if (s->fails && (uint32_t)cursor->at == 0x20) {
        *fault = (struct gpu_fault){.kind = GPU_FAULT_LIST, .address = 0x20};
        return false;
    }
    cursor->at += 1ull << 32;
    if (s->endless)
        n = 0;
    *item = (struct tiler_item){.kind = TILER_ITEM_END};
    if (n < s->count) {
        item->kind = s->items[n].kind;
        memcpy(item->index, s->items[n].index, sizeof item->index);
        if (item->kind == TILER_ITEM_STATE)
            *state = s->items[n].state;
    }
    return true;
}

/* ---- the scene: a frame of 40x40 in nine tiles ---- */

struct scene {
    struct guest g;
    struct utgard_pp_frame frame;
    struct gpu_tile tiles[9];
    struct script_item items[8];
    struct script script;
    struct jit_engine *engine;
    struct util_pool *pool;
    struct gpu_programs *programs;
};

static inline void put_master(struct scene *s)
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

static inline void scene_open(struct scene *s)
{
    struct jit_options options = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};
    const float positions[] = {SIDE, 0, 0, 1, 0, 0, 0, 1, 0, SIDE, 0, 1};
    const float varyings[] = {SIDE, 0, 0, 0, 0, SIDE, 0, 0};

    *s = (struct scene){0};
    guest_open(&s->g);
    assert_int_equal(jit_engine_create(&options, &s->engine, NULL), 0);
    assert_int_equal(util_pool_create(2, &s->pool), 0);
    assert_int_equal(gpu_programs_create(&utgard_pp_kind, &s->programs), 0);
    put_master(s);
    guest_put(&s->g, PROGRAM, program, sizeof program);
    guest_put(&s->g, POSITIONS, positions, sizeof positions);
    guest_put(&s->g, VARYINGS, varyings, sizeof varyings);
    s->frame = (struct utgard_pp_frame){.of = {.space = &s->g.space,
                                               .pool = s->pool,
                                               .reader = {.ctx = &s->script, .next = next},
                                               .tiles = s->tiles,
                                               .fuel = 1u << 30,
                                               .packets = 1u << 20},
                                        .engine = s->engine,
                                        .programs = s->programs,
                                        .block_fuel = 1000,
                                        .numeric = ISA_EXACT};
    s->frame.registers[4] = 0xffffff;
    s->frame.registers[6] = 0x80402010; /* red 0x10, green 0x20, blue 0x40, alpha 0x80 */
    s->frame.registers[10] = s->frame.registers[11] = SIDE - 1;
    assert_true(utgard_frame_tiles(&s->g.space, MASTER, 0, s->tiles, &s->frame.of.tile_count, NULL));
    assert_int_equal(s->frame.of.tile_count, 9);
    s->script.items = s->items;
}

static inline void scene_close(struct scene *s)
{
    guest_close(&s->g);
    gpu_programs_destroy(s->programs);
    util_pool_destroy(s->pool);
    jit_engine_destroy(s->engine);
}

static inline void put_word(struct guest *g, uint32_t address, uint32_t word)
{
    guest_put(g, address, &word, 4);
}

static inline void write_back(struct scene *s, unsigned unit, uint32_t source, uint32_t format,
                              uint32_t pitch)
{
    uint32_t *wb = s->frame.wb[unit];

    memset(wb, 0, UTGARD_WB_WORDS * 4);
    wb[0] = source;
    wb[1] = IMAGE;
    wb[2] = format;
    wb[5] = pitch;
}

/* A reload of the image at SOURCE + 0x8000 n into the samples of `mask`. */
static inline void add_reload(struct scene *s, unsigned n, uint32_t format, uint32_t mask,
                              const uint32_t *extra)
{
    uint32_t state[UTGARD_RSW_WORDS] = {
        0, 0,           0xf03b1ad2, 0x0000000e, 0xffff0000,       7,      7, 0,
        7, PROGRAM | 6, 1,          0,          TEXTURES + 4 * n, 0x4021, 0, VARYINGS};
    uint32_t words[16] = {0}, at = DESCRIPTOR + 64 * n;
    struct script_item *item = &s->items[s->script.count];

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
    item[0] = (struct script_item){.kind = TILER_ITEM_STATE,
                                   .state = {.state = STATE + 64 * n,
                                             .positions = POSITIONS,
                                             .clip = {0, 0, SIDE, SIDE},
                                             .four_samples = mask != 15}};
    item[1] = (struct script_item){.kind = TILER_ITEM_RECTANGLE, .index = {0, 1, 2}};
    s->script.count += 2;
}

static inline void fill_source(struct scene *s, unsigned planes)
{
    uint32_t word = 1;

    for (uint32_t at = 0; at < planes * 0x8000; at += 4) {
        word = word * 1664525 + 1013904223;
        guest_put(&s->g, SOURCE + at, &word, 4);
    }
}

static inline void render(struct scene *s)
{
    struct gpu_fault fault = {0};
    unsigned saved = util_fpenv_enter();

    if (!utgard_frame_render(&s->frame, &fault))
        fail_msg("%s", fault.text);
    util_fpenv_leave(saved);
}

/* Reloads: compiled code on workers, the reference path and one thread leave in IMAGE what SOURCE has. */
static inline void check_reload(struct scene *s, size_t bytes)
{
    for (unsigned way = 0; way < 3; way++) {
        memset(s->g.memory.base + IMAGE, 0, bytes);
        s->frame.engine = way == 1 ? NULL : s->engine;
        s->frame.of.pool = way == 2 ? NULL : s->pool;
        render(s);
        assert_memory_equal(s->g.memory.base + IMAGE, s->g.memory.base + SOURCE, bytes);
    }
}

/* The first state's. */
static inline void put_program(struct scene *s, const char *text)
{
    struct util_error error = {0};
    uint32_t *words, count;

    if (utgard_pp_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    guest_put(&s->g, PROGRAM + 64, words, count * 4ull);
    put_word(&s->g, STATE + 9 * 4, (PROGRAM + 64) | (words[0] & 31));
    free(words);
}

#endif
