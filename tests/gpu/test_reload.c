/* Areas of a frame whose lists begin with a copy of the frame's own image (frame_reload.c): left alone, loaded from it
 * and drawn on, or drawn, by what exactly is copied and what of the area it covers. Of a family that counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "gpu/frame.h"
#include "util/bits.h"

enum {
    WIDTH = 64,
    HEIGHT = 64,
    POSITIONS = 0x1000,
    IMAGE = 0x40000,
    CLEARED = 0x11111111,
    LOADED = 0x22222222
};
enum { COST = 3, ITEMS = 6, VERTICES = 8 };
enum { STATE = TILER_ITEM_STATE, RECTANGLE = TILER_ITEM_RECTANGLE, TRIANGLE = TILER_ITEM_TRIANGLE };

enum done { LEFT, LOADS, DRAWN };

/* What a list has, of vertices in pixels. */
struct listed {
    const char *name;
    enum done done;
    uint8_t kind[ITEMS];
    uint8_t index[ITEMS][3];
    float at[VERTICES][2];
};

struct counting {
    struct gpu_frame of; /* first: the family's functions get it */
    const struct listed *list;
    struct gpu_frame_image image;
    struct gpu_frame_copied from;
    struct raster_rect clip;
    float inv_w, shift; /* of vertices; of the varying s from x */
    bool clipped;       /* items are */
    unsigned loads, shaded, stores;
    uint32_t stored; /* the first pixel */
};

static struct counting *own(const struct gpu_frame *of)
{
    return (struct counting *)(uintptr_t)of;
}

/* ---- the list ---- */

static bool next(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                 struct gpu_tile_state *state, struct gpu_fault *fault)
{
    const struct counting *c = ctx;
    const uint32_t n = (uint32_t)(cursor->at >> 32);
    (void)fault;
    *item = (struct tiler_item){.kind = TILER_ITEM_END};
    if (n >= ITEMS || c->list->kind[n] == TILER_ITEM_END)
        return true;
    cursor->at += 1ull << 32;
    item->kind = c->list->kind[n];
    item->clipped = c->clipped;
    for (unsigned k = 0; k < 3; k++)
        item->index[k] = c->list->index[n][k];
    if (item->kind == TILER_ITEM_STATE)
        *state = (struct gpu_tile_state){.state = n + 1,
                                         .positions = POSITIONS,
                                         .size = 1,
                                         .clip = n ? (struct raster_rect){0, 0, WIDTH, HEIGHT} : c->clip};
    return true;
}

/* ---- the family ---- */

static unsigned *shaded_now;

static uint32_t shade(const struct raster_shader *shader, const struct raster_prim *prim,
                      struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                      struct raster_shader_work *work)
{
    *shaded_now += count;
    return 0;
}

static const struct raster_shader_family shading = {.shade = shade};
static const struct raster_shader shader = {.family = &shading, .cost = COST};

static bool begin(struct gpu_frame *of, struct gpu_fault *fault)
{
    of->width = WIDTH;
    of->height = HEIGHT;
    of->samples = 1;
    of->part_width = of->part_height = 64;
    return true;
}

static bool prepare(struct gpu_frame *of, struct gpu_frame_draw *draw, struct gpu_fault *fault)
{
    draw->shader = &shader;
    draw->setup = (struct raster_setup){.vary_count = 2};
    draw->fragments = own(of);
    return true;
}

static void clear(const struct gpu_frame *of, struct raster_tile *tile)
{
    raster_tile_clear_zs(tile, 0, UINT32_MAX);
    raster_tile_clear_color(tile, CLEARED);
}

static bool fetch(const struct gpu_frame_draw *draw, const struct gpu_space *space, struct gpu_space_run *run,
                  const uint32_t index[], unsigned count, float (*out)[RASTER_MAX_VARYINGS],
                  struct gpu_fault *fault)
{
    const struct counting *c = draw->fragments;
    for (unsigned n = 0; n < count; n++) {
        out[n][0] = c->list->at[index[n]][0] + c->shift;
        out[n][1] = c->list->at[index[n]][1];
    }
    return true;
}

static void store(const struct gpu_frame *of, unsigned unit, const struct raster_tile *tile)
{
    own(of)->stored = tile->color[0];
    own(of)->stores++;
}

static bool fill(const struct gpu_frame *of, const struct raster_rect *pixels)
{
    return false;
}

static bool image(const struct gpu_frame *of, struct gpu_frame_image *out)
{
    *out = own(of)->image;
    return true;
}

static bool copies(const struct gpu_frame_draw *draw, struct gpu_frame_copied *out)
{
    const struct counting *c = draw->fragments;
    *out = c->from;
    return draw->state == 1;
}

static void load(const struct gpu_frame *of, struct raster_tile *tile)
{
    raster_tile_clear_color(tile, LOADED);
    own(of)->loads++;
}

static const struct gpu_frame_family family = {.state = "state",
                                               .begin = begin,
                                               .prepare = prepare,
                                               .clear = clear,
                                               .fetch = fetch,
                                               .store = store,
                                               .fill = fill,
                                               .image = image,
                                               .copies = copies,
                                               .load = load};

/* ---- frames ---- */

static struct gpu_memory memory;
static struct gpu_space space;

static int setup(void **unused)
{
    assert_int_equal(gpu_memory_create(2 * GPU_PAGE, &memory), 0);
    assert_int_equal(gpu_space_create(&memory, &space), 0);
    gpu_space_begin(&space);
    assert_true(gpu_space_map(&space, POSITIONS, 0, GPU_RIGHT_READ | GPU_RIGHT_WRITE));
    assert_int_equal(gpu_space_end(&space), 0);
    return 0;
}

static int teardown(void **unused)
{
    gpu_space_destroy(&space);
    gpu_memory_destroy(&memory);
    return 0;
}

static const uint8_t as_is[4] = {0, 1, 2, 3}, turned[4] = {2, 1, 0, 3};

static void open(struct counting *c, const struct listed *list)
{
    *c = (struct counting){.list = list,
                           .image = {.address = IMAGE,
                                     .pitch = WIDTH * 4,
                                     .width = WIDTH,
                                     .height = HEIGHT,
                                     .layout = RASTER_LINEAR,
                                     .channel = {0, 1, 2, 3},
                                     .loads = true},
                           .from = {.address = IMAGE,
                                    .pitch = WIDTH * 4,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .layout = RASTER_LINEAR,
                                    .swizzle = as_is,
                                    .s = 0,
                                    .t = 1},
                           .clip = {0, 0, WIDTH, HEIGHT},
                           .inv_w = 1};
}

static enum done render(struct counting *c, uint64_t *executed)
{
    static struct gpu_tile tiles[WIDTH / GPU_TILE * (HEIGHT / GPU_TILE)];
    struct gpu_fault fault;
    for (uint32_t n = 0; n < UTIL_ARRAY_SIZE(tiles); n++)
        tiles[n] = (struct gpu_tile){n % (WIDTH / GPU_TILE), n / (WIDTH / GPU_TILE), 0x10, 0};
    for (uint32_t n = 0; n < VERTICES; n++) {
        const float at[4] = {c->list->at[n][0], c->list->at[n][1], 0.5f, c->inv_w};
        memcpy(space.window.base + POSITIONS + n * sizeof at, at, sizeof at);
    }
    *executed = 0;
    shaded_now = &c->shaded;
    c->of = (struct gpu_frame){.family = &family,
                               .space = &space,
                               .reader = {.ctx = c, .next = next},
                               .tiles = tiles,
                               .tile_count = UTIL_ARRAY_SIZE(tiles),
                               .units = 1,
                               .fuel = 1u << 30,
                               .packets = 1u << 20,
                               .instructions = executed};
    if (!gpu_frame_render(&c->of, &fault))
        fail_msg("%s: %s", c->list->name, fault.text);
    if (!c->stores)
        return LEFT;
    assert_int_equal(c->stores, 1);
    assert_int_equal(c->stored, c->loads ? LOADED : CLEARED);
    return c->loads ? LOADS : DRAWN;
}

/* ---- what is covered ---- */

#define RIGHT_BOX                                                                                            \
    {                                                                                                        \
        {0, 0}, {WIDTH, 0}, {0, HEIGHT},                                                                     \
        {                                                                                                    \
            WIDTH, HEIGHT                                                                                    \
        }                                                                                                    \
    }

static const struct listed lists[] = {
    {"a rectangle", LEFT, {STATE, RECTANGLE}, {{0}, {1, 0, 2}}, RIGHT_BOX},
    {"a rectangle by another corner", LEFT, {STATE, RECTANGLE}, {{0}, {0, 1, 3}}, RIGHT_BOX},
    {"a rectangle, then others' state", LOADS, {STATE, RECTANGLE, STATE}, {{0}, {1, 0, 2}}, RIGHT_BOX},
    {"two triangles of a strip", LEFT, {STATE, TRIANGLE, TRIANGLE}, {{0}, {0, 1, 2}, {2, 1, 3}}, RIGHT_BOX},
    {"two triangles of a fan", LEFT, {STATE, TRIANGLE, TRIANGLE}, {{0}, {0, 1, 3}, {0, 3, 2}}, RIGHT_BOX},
    {"two triangles, then another's",
     LOADS,
     {STATE, TRIANGLE, TRIANGLE, STATE, TRIANGLE},
     {{0}, {0, 1, 2}, {2, 1, 3}, {0}, {4, 5, 6}},
     {{0, 0}, {WIDTH, 0}, {0, HEIGHT}, {WIDTH, HEIGHT}, {8, 8}, {40, 8}, {8, 40}}},
    {"half of a large rectangle", LEFT, {STATE, TRIANGLE}, {{0}, {0, 1, 2}}, {{0, 0}, {1000, 0}, {0, 1000}}},
    {"its other half", LEFT, {STATE, TRIANGLE}, {{0}, {0, 1, 2}}, {{1000, 900}, {-2000, 900}, {1000, -2000}}},
    {"a half that just holds it", LEFT, {STATE, TRIANGLE}, {{0}, {0, 1, 2}}, {{0, 0}, {132, 0}, {0, 132}}},
    {"half of the rectangle", DRAWN, {STATE, TRIANGLE}, {{0}, {0, 1, 2}}, RIGHT_BOX},
    {"a half whose edge is at its corner",
     DRAWN,
     {STATE, TRIANGLE},
     {{0}, {0, 1, 2}},
     {{0, 0}, {128, 0}, {0, 128}}},
    {"one half twice", DRAWN, {STATE, TRIANGLE, TRIANGLE}, {{0}, {0, 1, 2}, {1, 2, 0}}, RIGHT_BOX},
    {"halves that overlap", DRAWN, {STATE, TRIANGLE, TRIANGLE}, {{0}, {0, 1, 2}, {0, 1, 3}}, RIGHT_BOX},
    {"a triangle of none's corners",
     DRAWN,
     {STATE, TRIANGLE},
     {{0}, {0, 1, 2}},
     {{-1000, -10}, {2000, -10}, {0, 3000}}},
    {"a slanted parallelogram",
     DRAWN,
     {STATE, RECTANGLE},
     {{0}, {1, 0, 2}},
     {{0, 0}, {WIDTH, 8}, {0, HEIGHT}}},
    {"a rectangle that folds", DRAWN, {STATE, RECTANGLE}, {{0}, {0, 1, 2}}, RIGHT_BOX},
    {"a rectangle that ends before",
     DRAWN,
     {STATE, RECTANGLE},
     {{0}, {1, 0, 2}},
     {{0, 0}, {WIDTH, 0}, {0, HEIGHT - 1}}},
    {"one more of the same state",
     DRAWN,
     {STATE, RECTANGLE, TRIANGLE, STATE},
     {{0}, {1, 0, 2}, {0, 1, 2}},
     RIGHT_BOX},
    {"three triangles",
     DRAWN,
     {STATE, TRIANGLE, TRIANGLE, TRIANGLE},
     {{0}, {0, 1, 2}, {2, 1, 3}, {0, 1, 3}},
     RIGHT_BOX},
    {"nothing but a state", DRAWN, {STATE, STATE}, {{0}}, RIGHT_BOX},
};

static void coverage(void **unused)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(lists); n++) {
        struct counting c;
        uint64_t executed;
        open(&c, &lists[n]);
        const enum done done = render(&c, &executed);
        if (done != lists[n].done)
            fail_msg("%s: %u in place of %u", lists[n].name, done, lists[n].done);
        if (done != DRAWN && !c.shaded)
            assert_int_equal(executed, WIDTH * HEIGHT / 16 * COST); /* as if they had been */
        if (done == LEFT)
            assert_int_equal(c.shaded, 0);
    }
}

/* ---- what is copied ---- */

static void elsewhere(struct counting *c)
{
    c->from.address += 4;
}
static void longer_rows(struct counting *c)
{
    c->from.pitch += 16;
}
static void other_layout(struct counting *c)
{
    c->from.layout = RASTER_UTGARD_TILED;
}
static void other_order(struct counting *c)
{
    c->from.swizzle = turned;
}
static void narrower(struct counting *c)
{
    c->from.width--;
}
static void lower(struct counting *c)
{
    c->from.height--;
}
static void shifted(struct counting *c)
{
    c->shift = 1;
}
static void perspective(struct counting *c)
{
    c->inv_w = 0.5f;
}
static void cut(struct counting *c)
{
    c->clip.x1 = WIDTH - 1;
}
static void exchanged(struct counting *c)
{
    c->from.s = 1;
    c->from.t = 0;
}
static void not_loaded(struct counting *c)
{
    c->image.loads = false;
}

static void (*const differences[])(struct counting *) = {elsewhere, longer_rows, other_layout, other_order,
                                                         narrower,  lower,       shifted,      perspective,
                                                         cut,       exchanged,   not_loaded};

static void content(void **unused)
{
    static const struct listed list = {
        "a rectangle, then others' state", LOADS, {STATE, RECTANGLE, STATE}, {{0}, {1, 0, 2}}, RIGHT_BOX};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(differences); n++) {
        struct counting c;
        uint64_t executed;
        open(&c, &list);
        differences[n](&c);
        if (render(&c, &executed) != DRAWN || !c.shaded)
            fail_msg("difference %zu: not drawn", n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coverage), cmocka_unit_test(content)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
