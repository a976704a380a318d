/* The tile list builder: what its lists hold against a plain search for covered pixels; all kinds of indices;
 * culling, clipping; growth of the heap; hostile lists. */
#include "utgard_guest.h"

#include <math.h>

#include "gpu/bin.h"
#include "tiler/list.h"

enum { LIST = 0x400000, RSW = 0x401000, BLOCKS = 0x402000, INDICES = 0x404000, POSITIONS = 0x500000 };
enum { LISTS = 0x600000, LISTS_BYTES = 0x40000, HEAP = 0x800000, HEAP_BYTES = 0x100000 };
enum { POSITIONS_BYTES = 0x20000, TILES = 16, SIDE = TILES * 16 };

struct world {
    struct guest guest;
    uint8_t *list, *rsw, *blocks, *indices, *positions, *lists, *heap;
    uint32_t words, shift_x, shift_y;
};

static void command(struct world *w, uint32_t value, uint32_t opcode)
{
    uint32_t pair[2] = {value, opcode};
    memcpy(w->list + w->words * 4, pair, sizeof pair);
    w->words += 2;
}

/* The head of a list for a frame of TILES x TILES tiles; a block for 2^x by 2^y of them. */
static void begin(struct world *w, uint32_t x, uint32_t y)
{
    w->words = 0;
    w->shift_x = x;
    w->shift_y = y;
    command(w, 0x200, 0x1000010b);
    command(w, y << 16 | x, 0x1000010c);
    command(w, (TILES - 1) << 24 | (TILES - 1) << 8, 0x10000109);
    command(w, TILES >> x, 0x30000000);
    command(w, BLOCKS, 0x28000000 | ((TILES >> x) * (TILES >> y) - 1));
    command(w, 0, 0x10000107);
    command(w, util_f2u(SIDE), 0x10000108);
    command(w, 0, 0x10000105);
    command(w, util_f2u(SIDE), 0x10000106);
    command(w, 0, 0x1000010e);
    command(w, util_f2u(1), 0x1000010f);
    command(w, RSW, 0x80000000 | POSITIONS >> 4);
    command(w, POSITIONS, 0x10000100);
    command(w, INDICES, 0x10000101);
}

static struct util_pool *pool;

static void create(struct world *w)
{
    struct utgard_options options = {.kind = UTGARD_MALI400, .gpu.packet_budget = 1 << 20, .gpu.pool = pool};
    guest_create(&w->guest, &options);
    w->list = guest_map(&w->guest, LIST, GPU_PAGE, RIGHT_READ);
    w->rsw = guest_map(&w->guest, RSW, GPU_PAGE, RIGHT_READ);
    w->blocks = guest_map(&w->guest, BLOCKS, GPU_PAGE, RIGHT_READ);
    w->indices = guest_map(&w->guest, INDICES, 0x4000, RIGHT_READ);
    w->positions = guest_map(&w->guest, POSITIONS, POSITIONS_BYTES, RIGHT_READ);
    w->lists = guest_map(&w->guest, LISTS, LISTS_BYTES, RIGHT_BOTH);
    w->heap = guest_map(&w->guest, HEAP, HEAP_BYTES, RIGHT_BOTH);
    for (uint32_t n = 0; n < TILES * TILES; n++) {
        uint32_t block = LISTS + n * 512;
        memcpy(w->blocks + n * 4, &block, 4);
    }
}

static uint32_t run(struct world *w, uint32_t heap_bytes)
{
    command(w, 0, 0x50000000);
    const uint32_t frame[6] = {0, 0, LIST, LIST + w->words * 4, HEAP, HEAP + heap_bytes};
    return guest_run(&w->guest, frame);
}

static void vertex(struct world *w, uint32_t n, float x, float y, float z, float inv_w)
{
    const float v[4] = {x, y, z, inv_w};
    memcpy(w->positions + n * 16, v, sizeof v);
}

static const uint8_t *at(const struct world *w, uint32_t address, uint32_t size)
{
    if (address >= HEAP && address + size <= HEAP + HEAP_BYTES)
        return w->heap + (address - HEAP);
    assert_true(address >= LISTS && address + size <= LISTS + LISTS_BYTES);
    return w->lists + (address - LISTS);
}

/* The primitives of a list, without states and addresses of blocks. */
struct contents {
    uint32_t count;
    struct tiler_entry entry[4096];
    struct gpu_bin_state state; /* the last */
};

static void read_list(const struct world *w, uint32_t block, struct contents *out)
{
    uint32_t address = LISTS + block * 512;
    out->count = 0;
    for (;;) {
        struct tiler_entry e;
        uint64_t word[2] = {0};
        memcpy(word, at(w, address, 8), 8);
        if (tiler_entry_words(word[0]) == 2)
            memcpy(word, at(w, address, 16), 16);
        tiler_entry_decode(word, &e);
        if (e.kind == TILER_ENTRY_END)
            return;
        address = e.kind == TILER_ENTRY_NEXT ? e.place : address + 8 * tiler_entry_words(word[0]);
        if (e.kind == TILER_ENTRY_STATE)
            memcpy(&out->state, at(w, e.place, sizeof out->state), sizeof out->state);
        else if (e.kind != TILER_ENTRY_NEXT)
            out->entry[out->count++] = e;
        assert_true(out->count < 4096);
    }
}

static uint32_t block_of(const struct world *w, uint32_t x, uint32_t y)
{
    return (y / 16 >> w->shift_y) * (TILES >> w->shift_x) + (x / 16 >> w->shift_x);
}

static uint32_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* ---- coverage ---- */

static double cross(const float *a, const float *b, double x, double y)
{
    return ((double)b[0] - (double)a[0]) * (y - (double)a[1]) -
           ((double)b[1] - (double)a[1]) * (x - (double)a[0]);
}

/* Whether the centre of a pixel lies well inside triangle n. */
static bool covers(const struct world *w, uint32_t n, double x, double y)
{
    float v[3][4];
    memcpy(v, w->positions + n * 48, sizeof v);
    double a = cross(v[0], v[1], x, y), b = cross(v[1], v[2], x, y), c = cross(v[2], v[0], x, y);
    return (a > 20 && b > 20 && c > 20) || (a < -20 && b < -20 && c < -20);
}

static bool lists_triangle(const struct contents *c, uint32_t n)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->entry[i].kind == TILER_ENTRY_TRIANGLE && c->entry[i].index[0] == 3 * n)
            return c->entry[i].index[1] == 3 * n + 1 && c->entry[i].index[2] == 3 * n + 2;
    return false;
}

static void check_coverage(const struct world *w, uint32_t triangles)
{
    static struct contents lists[TILES * TILES];
    uint32_t blocks = (TILES >> w->shift_x) * (TILES >> w->shift_y), in_lists = 0;
    for (uint32_t n = 0; n < blocks; n++) {
        read_list(w, n, &lists[n]);
        for (uint32_t i = 1; i < lists[n].count; i++)
            assert_true(lists[n].entry[i - 1].index[0] < lists[n].entry[i].index[0]);
        in_lists += lists[n].count;
    }
    assert_true(in_lists < triangles * blocks); /* not everything everywhere */
    for (uint32_t n = 0; n < triangles; n++)
        for (uint32_t y = 0; y < SIDE; y += 2)
            for (uint32_t x = 0; x < SIDE; x += 2)
                if (covers(w, n, x + 0.5, y + 0.5) && !lists_triangle(&lists[block_of(w, x, y)], n))
                    fail_msg("triangle %u is not in the list of pixel %u, %u", n, x, y);
}

static void random_triangles(struct world *w, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        float x = (float)below(SIDE + 100) - 50, y = (float)below(SIDE + 100) - 50;
        for (uint32_t k = 0; k < 3; k++)
            vertex(w, 3 * n + k, x + (float)below(2000) / 16 - 60, y + (float)below(2000) / 16 - 60, 0.5f,
                   0.25f + (float)below(8));
    }
}

static void test_coverage(void **data)
{
    (void)data;
    static const uint32_t shifts[][2] = {{0, 0}, {1, 0}, {0, 2}, {2, 2}};
    struct world w;
    create(&w);
    seed = 3;
    for (unsigned round = 0; round < 4; round++) {
        begin(&w, shifts[round][0], shifts[round][1]);
        random_triangles(&w, 60);
        command(&w, 180u << 24, 0x00040000);
        assert_int_equal(run(&w, HEAP_BYTES), 2);
        guest_expect_no_fault(&w.guest);
        check_coverage(&w, 60);
    }
    guest_destroy(&w.guest);
}

/* The same lists, whether the heap was large or grew in steps, but for addresses. */
static void test_growth(void **data)
{
    (void)data;
    static struct contents expected[TILES * TILES], got;
    struct world w;
    create(&w);
    seed = 9;
    random_triangles(&w, 2400);
    begin(&w, 2, 2);
    command(&w, (7200u & 0xff) << 24, 0x00040000 | 7200 >> 8);
    assert_int_equal(run(&w, HEAP_BYTES), 2);
    for (uint32_t n = 0; n < (TILES >> 2) * (TILES >> 2); n++)
        read_list(&w, n, &expected[n]);
    memset(w.heap, 0, HEAP_BYTES);
    w.words -= 2;
    w.guest.heap_step = 0x400;
    assert_int_equal(run(&w, 0x40), 2 | 4);
    assert_true(w.guest.growths > 3);
    for (uint32_t n = 0; n < (TILES >> 2) * (TILES >> 2); n++) {
        read_list(&w, n, &got);
        assert_int_equal(got.count, expected[n].count);
        for (uint32_t i = 0; i < got.count; i++)
            assert_memory_equal(&got.entry[i], &expected[n].entry[i], sizeof got.entry[i]);
    }
    w.guest.heap_step = 0; /* nobody gives more: the list stands still until a reset */
    w.words -= 2;
    assert_int_equal(run(&w, 0x40), 4);
    uint32_t gp = guest_base(&w.guest, UTGARD_IP_GP);
    assert_int_equal(utgard_read(w.guest.device, gp + GP_STATUS) & 8, 8);
    utgard_write(w.guest.device, gp + GP_CMD, GP_RESET);
    assert_int_equal(utgard_read(w.guest.device, gp + GP_STATUS) & 8, 0);
    guest_expect_no_fault(&w.guest);
    guest_destroy(&w.guest);
}

/* ---- indices, modes, culling ---- */

static void one_list(struct world *w, uint32_t x, uint32_t y, struct contents *out)
{
    assert_int_equal(run(w, HEAP_BYTES), 2);
    guest_expect_no_fault(&w->guest);
    read_list(w, block_of(w, x, y), out);
}

static void test_indices(void **data)
{
    (void)data;
    static struct contents c;
    static const uint32_t setups[] = {0x2000, 0x2600, 0x2a00};
    struct world w;
    create(&w);
    vertex(&w, 0, 20, 20, 0.5f, 1);
    vertex(&w, 1, 30, 20, 0.5f, 1);
    vertex(&w, 2, 20, 30, 0.5f, 1);
    for (unsigned size = 0; size < 3; size++) {
        const uint32_t values[3] = {102, 100, 101};
        for (unsigned n = 0; n < 3; n++)
            memcpy(w.indices + (n << size), &values[n], 1u << size);
        begin(&w, 0, 0);
        command(&w, setups[size] | 0x200, 0x1000010b);
        command(&w, 3u << 24 | 100, 0x00240000);
        one_list(&w, 22, 22, &c);
        assert_int_equal(c.count, 1);
        assert_int_equal(c.entry[0].index[0], 2);
        assert_int_equal(c.entry[0].index[1], 0);
        assert_int_equal(c.entry[0].index[2], 1);
    }
    begin(&w, 0, 0);
    command(&w, 0x2a00, 0x1000010b);
    command(&w, 3u << 24 | 102, 0x00240000); /* an index before the first vertex */
    assert_int_equal(run(&w, HEAP_BYTES), 1 << 14);
    assert_int_equal(guest_fault(&w.guest).kind, GPU_FAULT_PACKET);
    guest_destroy(&w.guest);
}

static void test_culling(void **data)
{
    (void)data;
    static struct contents c;
    struct world w;
    create(&w);
    vertex(&w, 0, 20, 20, 0.5f, 1); /* positive area with y down */
    vertex(&w, 1, 30, 20, 0.5f, 1);
    vertex(&w, 2, 20, 30, 0.5f, 1);
    vertex(&w, 3, 20, 20, 0.5f, 1); /* negative */
    vertex(&w, 4, 20, 30, 0.5f, 1);
    vertex(&w, 5, 30, 20, 0.5f, 1);
    for (uint32_t cull = 0; cull < 4; cull++) {
        begin(&w, 0, 0);
        command(&w, 0x2200 | cull << 17, 0x1000010b);
        command(&w, 6u << 24, 0x00040000);
        one_list(&w, 22, 22, &c);
        assert_int_equal(c.count, 2 - (cull & 1) - (cull >> 1));
        if (c.count == 1)
            assert_int_equal(c.entry[0].index[0], cull == 1 ? 3 : 0);
    }
    guest_destroy(&w.guest);
}

static void test_points_lines_rectangles(void **data)
{
    (void)data;
    static struct contents c;
    struct world w;
    create(&w);
    vertex(&w, 0, 40, 40, 0.5f, 1);
    begin(&w, 0, 0);
    command(&w, 0x3200, 0x1000010b);
    command(&w, util_f2u(20), 0x1000010d);
    command(&w, 1u << 24, 0);
    one_list(&w, 49, 49, &c); /* its corner: the next tile */
    assert_int_equal(c.count, 1);
    assert_int_equal(c.entry[0].kind, TILER_ENTRY_POINT);
    assert_true(c.state.size == 20 && c.state.point_sizes == 0 && c.state.state == RSW);
    read_list(&w, block_of(&w, 70, 40), &c);
    assert_int_equal(c.count, 0);

    vertex(&w, 1, 200, 100, 0.5f, 1);
    begin(&w, 0, 0);
    command(&w, 0x3200, 0x1000010b);
    command(&w, util_f2u(3), 0x1000010d);
    command(&w, 2u << 24, 0x00010000);
    one_list(&w, 120, 70, &c);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.entry[0].kind, TILER_ENTRY_LINE);
    assert_int_equal(c.entry[0].index[1], 1);
    read_list(&w, block_of(&w, 40, 100), &c);
    assert_int_equal(c.count, 0);

    const uint8_t indices[] = {0, 1, 2};
    vertex(&w, 0, SIDE, 0, 0, 1);
    vertex(&w, 1, 0, 0, 0, 1);
    vertex(&w, 2, 0, SIDE, 0, 1);
    memcpy(w.indices, indices, sizeof indices);
    begin(&w, 0, 0);
    command(&w, 3u << 24, 0x002f0000);
    assert_int_equal(run(&w, HEAP_BYTES), 2);
    for (uint32_t n = 0; n < TILES * TILES; n++) {
        read_list(&w, n, &c);
        assert_int_equal(c.count, 1);
        assert_int_equal(c.entry[0].kind, TILER_ENTRY_RECTANGLE);
        assert_int_equal(c.entry[0].index[2], 2);
    }
    guest_destroy(&w.guest);
}

static void test_scissor(void **data)
{
    (void)data;
    static struct contents c;
    struct world w;
    uint32_t listed = 0;
    create(&w);
    vertex(&w, 0, -100, -100, 0.5f, 1);
    vertex(&w, 1, 900, -100, 0.5f, 1);
    vertex(&w, 2, -100, 900, 0.5f, 1);
    begin(&w, 0, 0);
    command(&w, 33u << 30 | (96 - 1) << 15 | 48, 0x70000000 | (80 - 1) << 13 | 33 >> 2);
    command(&w, 3u << 24, 0x00040000);
    one_list(&w, 40, 50, &c);
    assert_true(c.state.x0 == 33 && c.state.x1 == 80 && c.state.y0 == 48 && c.state.y1 == 96);
    for (uint32_t n = 0; n < TILES * TILES; n++) {
        read_list(&w, n, &c);
        listed += c.count;
    }
    assert_int_equal(listed, 2 * 2 * 16); /* squares 0..1 by 0..1 of 4x4 tiles */
    guest_destroy(&w.guest);
}

/* ---- samples ---- */

static uint64_t first_entry(const struct world *w, uint32_t block)
{
    uint64_t word;
    memcpy(&word, at(w, LISTS + block * 512, 8), 8);
    return word;
}

/* Two draws in one list, the second in another one too: a list's first entry speaks for all of its draws. */
static void test_samples(void **data)
{
    (void)data;
    struct world w;
    create(&w);
    const float places[][2] = {{20, 20}, {30, 20}, {20, 30}, {20, 20}, {100, 20}, {20, 30}};
    for (uint32_t n = 0; n < 6; n++)
        vertex(&w, n, places[n][0], places[n][1], 0.5f, 1);
    for (unsigned four = 0; four < 4; four++) {
        for (uint32_t n = 0; n < 2; n++) {
            uint32_t samples = (four >> n & 1 ? 5 : 15) << 12;
            memcpy(w.rsw + n * 64 + 32, &samples, 4);
        }
        begin(&w, 0, 0);
        command(&w, 3u << 24, 0x00040000);
        command(&w, RSW + 64, 0x80000000 | (POSITIONS + 48) >> 4);
        command(&w, 3u << 24 | 3, 0x00040000);
        assert_int_equal(run(&w, HEAP_BYTES), 2);
        guest_expect_no_fault(&w.guest);
        assert_int_equal(!!(first_entry(&w, block_of(&w, 0, 0)) & TILER_ENTRY_FOUR_SAMPLES), four != 0);
        assert_int_equal(!!(first_entry(&w, block_of(&w, 64, 0)) & TILER_ENTRY_FOUR_SAMPLES), four >> 1);
        assert_int_equal(first_entry(&w, block_of(&w, 192, 192)), 0);
        assert_int_equal(first_entry(&w, block_of(&w, 127, 63)), /* in the square of 64, 0 */
                         tiler_entry_place(TILER_ENTRY_NEXT, LISTS + block_of(&w, 64, 0) * 512));
    }
    guest_destroy(&w.guest);
}

/* ---- clipping ---- */

/* A triangle with a vertex behind the eye: what is left is in front, between near and far, though the render
 * state says not to clip there, as lima has it when the depth range ends at 0 and 1. */
static void test_clipping(void **data)
{
    (void)data;
    static struct contents c;
    struct world w;
    uint32_t pieces = 0;
    create(&w);
    util_store32(w.rsw + 12, 1 << 4 | 1 << 5); /* no_clip_near, no_clip_far (rsw.inc) */
    /* Clip coordinates (x, y, z, w) by hand: window x = 128 + 128 x/w, depth (z/w + 1) / 2. */
    const float clip[3][4] = {{-1, 1, 0, 2}, {1, 1, 0, 2}, {0, -1, -1.5f, -1}};
    for (uint32_t n = 0; n < 3; n++) {
        const float *v = clip[n], w_inverse = 1 / v[3];
        vertex(&w, n, 128 + 128 * v[0] * w_inverse, 128 + 128 * v[1] * w_inverse,
               (v[2] * w_inverse + 1) * 0.5f, w_inverse);
    }
    begin(&w, 0, 0);
    command(&w, 3u << 24, 0x00040000);
    assert_int_equal(run(&w, HEAP_BYTES), 2);
    guest_expect_no_fault(&w.guest);
    for (uint32_t n = 0; n < TILES * TILES; n++) {
        read_list(&w, n, &c);
        for (uint32_t i = 0; i < c.count; i++, pieces++) {
            struct tiler_clipped piece;
            assert_int_equal(c.entry[i].kind, TILER_ENTRY_CLIPPED_TRIANGLE);
            memcpy(&piece, at(&w, c.entry[i].place, sizeof piece), sizeof piece);
            for (unsigned k = 0; k < 3; k++) {
                const float *weight = piece.vertex[k].weight;
                float x = 0, one = 0, over_w = 0;
                for (unsigned j = 0; j < 3; j++) {
                    x += weight[j] * clip[j][0];
                    one += weight[j];
                    over_w += weight[j] * clip[j][3];
                }
                assert_true(piece.vertex[k].inv_w > 0);
                assert_true(piece.vertex[k].z >= -1e-5f && piece.vertex[k].z <= 1.00001f);
                assert_float_equal(one, 1, 1e-5f);
                assert_float_equal(piece.vertex[k].inv_w * over_w, 1, 1e-4f);
                assert_float_equal(piece.vertex[k].x, 128 + 128 * x / over_w, 0.05f);
            }
        }
    }
    assert_true(pieces > 2);
    /* Wholly before near, then no number at all: nothing is left. */
    for (unsigned round = 0; round < 2; round++) {
        struct gpu_counters before, after;
        before = utgard_device_host(w.guest.device)->counters;
        for (uint32_t n = 0; n < 3; n++)
            vertex(&w, n, n == 1 ? 100 : 20, n == 2 ? 100 : 20, round ? 0.5f : -0.1f,
                   round && n == 2 ? NAN : 1);
        begin(&w, 0, 0);
        command(&w, 3u << 24, 0x00040000);
        assert_int_equal(run(&w, HEAP_BYTES), 2);
        after = utgard_device_host(w.guest.device)->counters;
        assert_int_equal(after.primitives_in - before.primitives_in, 1);
        assert_int_equal(after.primitives_binned, before.primitives_binned);
    }
    guest_destroy(&w.guest);
}

/* ---- a piece at a time, and one by one ---- */

enum { MANY = 0xa00000, MANY_VERTICES = 0x10001, MANY_INDICES = 0x1000000, INDICES_MOST = 80000 };

/* A coordinate: mostly near the frame; further out, at the ends of what is near, and no number at all. */
static float odd_coordinate(void)
{
    static const float odd[] = {-16256, 16512,  16512.0625f, -16400, 2176,  -1920,
                                1e9f,   -1e30f, INFINITY,    NAN,    1e-40f};
    uint32_t kind = below(40);
    return kind < UTIL_ARRAY_SIZE(odd) / 2 ? odd[below(UTIL_ARRAY_SIZE(odd))]
           : kind < 12                     ? (float)below(9000) - 4500
                                           : (float)below(16 * SIDE) / 16;
}

static void odd_vertices(uint8_t *many, uint32_t count, bool crowd)
{
    static const float depths[] = {0, 1, -0.1f, 1.1f, 0.5f, 1.0000001f, -1e-7f, 1.00001f};
    static const float inverses[] = {1, 0.25f, 8, -1, 0, 1e-39f, 1e30f, 1e-30f, -0.125f};
    for (uint32_t n = 0; n < count; n++) {
        bool plain = below(8);
        const float v[4] = {odd_coordinate(), odd_coordinate(), plain ? 0.5f : depths[below(8)],
                            plain ? 1 : inverses[below(9)]};
        const float near[4] = {100 + (float)below(60) / 16, 100 + (float)below(60) / 16, 0.5f, 1};
        memcpy(many + n * 16, crowd && below(2000) ? near : v, sizeof v);
    }
}

/* The bytes of all lists and of the heap after a draw of `count` indices. */
static void draw_many(struct world *w, uint32_t setup, uint32_t mode, uint32_t count, uint8_t *out)
{
    memset(w->lists, 0, LISTS_BYTES);
    memset(w->heap, 0, HEAP_BYTES);
    begin(w, 0, 0);
    command(w, setup, 0x1000010b);
    command(w, MANY, 0x10000100);
    command(w, MANY_INDICES, 0x10000101);
    command(w, count << 24, 0x00200000 | mode << 16 | count >> 8);
    w->guest.heap_step = 0x8000;
    assert_int_equal(run(w, 0x4000) & ~4u, 2);
    guest_expect_no_fault(&w->guest);
    memcpy(out, w->lists, LISTS_BYTES);
    memcpy(out + LISTS_BYTES, w->heap, HEAP_BYTES);
}

/* Triangles whose vertices have 16-bit numbers are culled in pieces by several workers; one number beyond, of
 * a vertex that is none, and all go one by one: the lists are the same to the byte. */
static void test_pieces(void **data)
{
    (void)data;
    static uint8_t fast[LISTS_BYTES + HEAP_BYTES], slow[LISTS_BYTES + HEAP_BYTES],
        words[INDICES_MOST * 4 + 16];
    struct world w;
    create(&w);
    uint8_t *many = guest_map(&w.guest, MANY, MANY_VERTICES * 16, RIGHT_READ);
    uint8_t *indices = guest_map(&w.guest, MANY_INDICES, sizeof words, RIGHT_READ);
    const float none[4] = {NAN, 0, 0, 1};
    memcpy(many + (MANY_VERTICES - 1) * 16, none, sizeof none);
    seed = 77;
    for (unsigned round = 0; round < 36; round++) {
        static const uint8_t modes[] = {4, 5, 6, 7, 8, 9};
        uint32_t mode = modes[round % 6], reach = round % 5 ? 2000 : MANY_VERTICES - 1;
        bool long_list = round == 12 || round == 25;
        uint32_t count = long_list ? INDICES_MOST / 12 * 12 : 12 * (1 + below(round % 4 ? 10 : 100));
        uint32_t cull = 0x2200 | below(4) << 17;
        odd_vertices(many, reach, long_list);
        for (uint32_t n = 0; n < count; n++) {
            uint32_t value = n > 2 && below(3) ? util_load16(words + (n - 1 - below(3)) * 2) : below(reach);
            memcpy(words + n * 2, &value, 2);
        }
        memcpy(indices, words, count * 2);
        draw_many(&w, cull | 0x400, mode, count, fast);
        for (uint32_t n = 0; n < count + 4; n++) {
            uint32_t value = n < count ? util_load16(words + n * 2) : MANY_VERTICES - 1;
            memcpy(indices + n * 4, &value, 4);
        }
        draw_many(&w, cull | 0x800, mode, count + (mode == 4 ? 3 : mode == 7 ? 4 : mode == 8 ? 2 : 1), slow);
        if (memcmp(fast, slow, sizeof fast) != 0)
            fail_msg("round %u: mode %u, %u indices", round, mode, count);
    }
    guest_destroy(&w.guest);
}

/* Positions that go while a list waits for heap: triangles have theirs, lines end in a fault. */
static void test_vanishing(void **data)
{
    (void)data;
    for (unsigned lines = 0; lines < 2; lines++) {
        struct world w;
        create(&w);
        seed = 5;
        random_triangles(&w, 100);
        begin(&w, 0, 0);
        command(&w, 255u << 24, lines ? 0x00030000 : 0x00040000);
        assert_int_equal(run(&w, 0x20), 4); /* not even a state */
        memset(guest_entry(&w.guest, POSITIONS), 0, 4);
        uint32_t gp = guest_base(&w.guest, UTGARD_IP_GP);
        w.guest.interrupts = 0;
        utgard_write(w.guest.device, gp + 0x14, HEAP + HEAP_BYTES);
        utgard_write(w.guest.device, gp + GP_CMD, GP_UPDATE);
        assert_int_equal(w.guest.interrupts, lines ? 0 : 2);
        assert_int_equal(guest_fault(&w.guest).kind, lines ? GPU_FAULT_MEMORY : GPU_FAULT_NONE);
        guest_destroy(&w.guest);
    }
}

/* ---- hostile lists ---- */

static void test_hostile(void **data)
{
    (void)data;
    static const uint32_t opcodes[] = {
        0x00040000, 0x00240000, 0x00260001, 0x00000000, 0x002f0000, 0x00010000, 0x10000100, 0x10000101,
        0x10000102, 0x10000105, 0x10000106, 0x10000107, 0x10000108, 0x10000109, 0x1000010b, 0x1000010c,
        0x1000010d, 0x1000010e, 0x1000010f, 0x28000000, 0x30000000, 0x70000000, 0x80000000, 0xf0000000};
    static const uint32_t places[] = {LIST, RSW, BLOCKS, INDICES, POSITIONS, LISTS, HEAP, 0xfffffff0};
    struct world w;
    unsigned good = 0, bad = 0;
    create(&w);
    seed = 21;
    for (unsigned round = 0; round < 400; round++) {
        for (uint32_t n = 0; n < POSITIONS_BYTES / 4; n += 1 + below(40)) {
            uint32_t word = below(3) ? util_f2u((float)below(600) - 100) : seed;
            memcpy(w.positions + n * 4, &word, 4);
        }
        begin(&w, 0, 0);
        for (unsigned n = below(30); n; n--) {
            uint32_t kind = below(4), value = kind == 0   ? seed
                                              : kind == 1 ? places[below(8)] + below(64)
                                              : kind == 2 ? below(200) << 24 | below(3)
                                                          : util_f2u((float)below(300));
            uint32_t opcode = opcodes[below(UTIL_ARRAY_SIZE(opcodes))];
            command(&w, value, below(10) ? opcode : opcode ^ seed >> below(28));
        }
        command(&w, (30 + below(200)) << 24, 0x00040000);
        uint32_t bits = run(&w, below(HEAP_BYTES));
        good += bits == 2;
        bad += guest_fault(&w.guest).kind != GPU_FAULT_NONE;
        uint32_t gp = guest_base(&w.guest, UTGARD_IP_GP);
        utgard_write(w.guest.device, gp + GP_CMD, GP_RESET);
        utgard_write(w.guest.device, gp + GP_MASK, 0x707e07);
        guest_start_mmu(&w.guest, UTGARD_IP_GPMMU);
        struct gpu_fault rest[64];
        gpu_host_faults(utgard_device_host(w.guest.device), rest, 64);
    }
    assert_true(good > 10 && bad > 100);
    guest_destroy(&w.guest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),  cmocka_unit_test(test_growth),
        cmocka_unit_test(test_indices),   cmocka_unit_test(test_culling),
        cmocka_unit_test(test_scissor),   cmocka_unit_test(test_points_lines_rectangles),
        cmocka_unit_test(test_clipping),  cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_samples),   cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_vanishing),
    };
    if (util_pool_create(3, &pool))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    util_pool_destroy(pool);
    return failed;
}
