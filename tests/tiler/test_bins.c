/* Tile lists as any family has them: written by draws of all kinds, read back; the same bytes when memory
 * runs out at each single request and at all of them; ports that refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tiler/list_memory.h"
#include "tiler/bins.h"
#include "util/bits.h"

enum {
    SIDE = 256, /* pixels of the frame */
    LIST = 64,  /* of a list's square */
    LISTS = (SIDE / LIST) * (SIDE / LIST),
    BLOCK = 64, /* bytes */
    FIRST = 0x100,
    HEAP = FIRST + LISTS * BLOCK,
    MEMORY = 0x400000,
    VERTICES = 70000,
    INDICES = 100000,
};

/* ---- a family ---- */

struct family {
    struct tiler_bins bins;
    struct tiler_bin bin[LISTS];
    uint8_t *memory;
    uint32_t heap;
    /* Room is refused once: at request `refuse`, or with `refuse_all` at each. */
    uint32_t requests, refuse, refusals;
    bool refuse_all, refused;
    /* What is given stands in one of two places; the other one is spoilt. */
    uint8_t *positions[2], *sizes[2], *index[2];
    unsigned place;
    uint64_t paid, told;
    uint32_t index_log2;
    bool no_memory, no_indices, no_vertices;
    uint64_t pay_most;
    uint64_t record; /* of the draw */
};

static bool refuses(struct family *f)
{
    bool refuse = f->refuse_all ? !f->refused : f->requests == f->refuse && !f->refused;
    f->refused = refuse;
    f->refusals += refuse;
    f->requests += !refuse;
    return refuse;
}

static enum tiler_end take(struct family *f, uint32_t bytes, uint32_t *place)
{
    if (refuses(f))
        return TILER_NO_ROOM;
    *place = f->heap;
    f->heap += bytes;
    assert_true(f->heap <= MEMORY);
    return TILER_DONE;
}

static enum tiler_end record(void *ctx, uint32_t bytes, uint32_t *place)
{
    return take(ctx, util_align(bytes, 8), place);
}

static enum tiler_end block(void *ctx, struct tiler_bin *bin, uint32_t *place, uint32_t *bytes)
{
    *bytes = BLOCK;
    bin->family++;
    return take(ctx, BLOCK, place);
}

static bool writable(void *ctx, struct tiler_bin *bin, uint32_t place, uint32_t bytes)
{
    const struct family *f = ctx;
    assert_true(place >= FIRST && place + bytes <= MEMORY);
    return !f->no_memory;
}

static bool pay(void *ctx, uint64_t cost)
{
    struct family *f = ctx;
    f->paid += cost;
    return f->paid <= f->pay_most;
}

static const uint8_t *indices(void *ctx, uint32_t first, uint32_t count)
{
    const struct family *f = ctx;
    assert_true(first + count <= INDICES);
    return f->no_indices ? NULL : f->index[f->place] + ((size_t)first << f->index_log2);
}

static bool vertices(void *ctx, uint32_t least, uint32_t greatest, struct tiler_arrays *out)
{
    const struct family *f = ctx;
    assert_true(least <= greatest && greatest < VERTICES);
    *out = (struct tiler_arrays){f->positions[f->place], f->sizes[0] ? f->sizes[f->place] : NULL, false};
    return !f->no_vertices;
}

static void binned(void *ctx, uint32_t place, uint64_t primitive)
{
    struct family *f = ctx;
    assert_true(place >= FIRST && place % 8 == 0);
    f->told++;
    (void)primitive;
}

static void culled(void *ctx, uint64_t primitive, const int32_t x[3], const int32_t y[3])
{
    (void)ctx;
    (void)primitive;
    assert_true((int64_t)(x[1] - x[0]) * (y[2] - y[0]) != (int64_t)(x[2] - x[0]) * (y[1] - y[0]));
}

static const struct tiler_bins_ports ports = {record,  block,    writable, pay,
                                              indices, vertices, binned,   culled};

static void family_open(struct family *f)
{
    memset(f, 0, sizeof *f);
    f->memory = calloc(1, MEMORY);
    f->bins.ports = &ports;
    f->bins.ctx = f;
    f->bins.base = f->memory;
    f->bins.bin = f->bin;
    f->bins.room = aligned_alloc(64, util_align(sizeof *f->bins.room, 64));
    memset(&f->bins.room->piece.marks, 0, sizeof f->bins.room->piece.marks);
    for (unsigned n = 0; n < 2; n++) {
        f->positions[n] = calloc(VERTICES, TILER_POSITION);
        f->index[n] = calloc(INDICES, 4);
    }
}

static void family_close(struct family *f)
{
    for (unsigned n = 0; n < 2; n++) {
        free(f->positions[n]);
        free(f->sizes[n]);
        free(f->index[n]);
    }
    free(f->bins.room);
    free(f->memory);
}

static void lists_begin(struct family *f)
{
    memset(f->memory, 0, MEMORY);
    f->heap = HEAP;
    f->requests = f->refusals = 0;
    f->paid = f->told = 0;
    f->pay_most = UINT64_MAX;
    f->refused = false;
    for (uint32_t n = 0; n < LISTS; n++)
        tiler_bin_begin(&f->bin[n], FIRST + n * BLOCK, BLOCK);
}

static void lists_end(struct family *f)
{
    for (uint32_t n = 0; n < LISTS; n++)
        assert_int_equal(tiler_bin_end(&f->bins, &f->bin[n], NULL), TILER_DONE);
}

/* What the draw has been given moves. */
static void move(struct family *f)
{
    unsigned from = f->place, to = !from;
    memcpy(f->positions[to], f->positions[from], VERTICES * TILER_POSITION);
    memset(f->positions[from], 0x55, VERTICES * TILER_POSITION);
    if (f->sizes[0]) {
        memcpy(f->sizes[to], f->sizes[from], VERTICES * 4);
        memset(f->sizes[from], 0x55, VERTICES * 4);
    }
    memcpy(f->index[to], f->index[from], INDICES * 4);
    memset(f->index[from], 0x55, INDICES * 4);
    f->place = to;
}

static void draw(struct family *f, struct tiler_draw *d)
{
    enum tiler_end end;
    d->record = &f->record;
    d->record_bytes = sizeof f->record;
    f->index_log2 = d->index_log2;
    f->record++;
    tiler_bins_draw_begin(&f->bins, d);
    while ((end = tiler_bins_draw(&f->bins)) == TILER_NO_ROOM) {
        move(f);
        tiler_bins_resume(&f->bins, LISTS);
    }
    assert_int_equal(end, TILER_DONE);
}

/* ---- draws ---- */

static void put_vertex(struct family *f, uint32_t n, float x, float y, float z, float inv_w)
{
    const float v[4] = {x, y, z, inv_w};
    memcpy(f->positions[f->place] + (size_t)n * TILER_POSITION, v, sizeof v);
}

/* Mostly about the frame; some behind the eye, beyond near and far, far out, no numbers. */
static void put_vertices(struct family *f, uint32_t count)
{
    static const float odd[] = {-16256, 17000, -1e9f, 1e30f, INFINITY, NAN, 30000, -20000};
    for (uint32_t n = 0; n < count; n++) {
        bool plain = below(12);
        float x = (float)below(16 * (SIDE + 60)) / 16 - 30, y = (float)below(16 * (SIDE + 60)) / 16 - 30;
        put_vertex(f, n, plain ? x : odd[below(8)], y, below(9) ? 0.5f : (float)below(5) - 2,
                   below(9) ? 1 : (float)below(5) - 2);
    }
}

static void put_index(struct family *f, uint32_t n, uint32_t log2, uint32_t value)
{
    memcpy(f->index[f->place] + ((size_t)n << log2), &value, 1u << log2);
}

static struct tiler_draw plain_draw(enum tiler_mode mode, uint32_t count)
{
    return (struct tiler_draw){
        .mode = mode,
        .count = tiler_mode_whole(mode, count),
        .size = 3,
        .keep_positive = true,
        .keep_negative = true,
        .window = {SIDE * 0.5f, SIDE * 0.5f, 0, 1, {.scale_x = 1, .scale_y = 1, .limit = 16384}},
        .grid = {.shift = 5, .x1 = SIDE, .y1 = SIDE, .inset = 2},
        .shift_x = 1, /* two tiles of the grid by two share a list */
        .shift_y = 1,
        .column = 1,
        .row = SIDE / LIST,
    };
}

/* Draws of all kinds, the same for a seed. `told`: primitives one by one. */
static void draw_all(struct family *f, uint32_t from, unsigned draws, bool told)
{
    seed = from;
    lists_begin(f);
    put_vertices(f, 300);
    for (unsigned n = 0; n < draws; n++) {
        struct tiler_draw d = plain_draw((enum tiler_mode)below(TILER_MODE_COUNT), 3 + below(60));
        d.rectangles = d.mode == TILER_TRIANGLES && !below(3);
        d.indexed = below(3);
        d.index_log2 = below(3);
        d.base = d.indexed ? below(40) : 0;
        d.keep_positive = below(4);
        d.keep_negative = below(4);
        d.four_samples = !below(3);
        d.told = told;
        for (uint32_t i = 0; i < d.count; i++)
            put_index(f, i, d.index_log2, d.base + below(d.index_log2 ? 300 : 200));
        draw(f, &d);
    }
    lists_end(f);
}

/* ---- reading ---- */

static const uint32_t memory_end = MEMORY;

static struct tiler_item next_item(const struct tiler_list_memory *m, struct tiler_cursor *c)
{
    struct tiler_item item;
    struct tiler_read_error error;
    assert_int_equal(tiler_list_next(m, c, &item, &error), TILER_READ_ITEM);
    return item;
}

/* All lists, item by item and triangles several at a time: the same. Counts items but states and ends. */
static uint64_t check_ways(const struct family *f)
{
    const struct tiler_list_memory m = reader(f->memory, &memory_end);
    uint64_t items = 0;
    for (uint32_t n = 0; n < LISTS; n++) {
        struct tiler_cursor slow = tiler_list_begin(FIRST + n * BLOCK), fast = slow;
        uint64_t draw_before = 0;
        bool four = false, first_four = false;
        for (unsigned first = 1;; first = 0) {
            uint32_t index[5][3], count = tiler_list_triangles(&m, &fast, index, 1 + below(5));
            for (uint32_t i = 0; i < count; i++, items++) {
                const struct tiler_item one = next_item(&m, &slow);
                assert_int_equal(one.kind, TILER_ITEM_TRIANGLE);
                assert_false(one.clipped);
                assert_memory_equal(one.index, index[i], sizeof one.index);
            }
            if (count)
                continue;
            struct tiler_item a = next_item(&m, &slow), b = next_item(&m, &fast);
            assert_int_equal(a.kind, b.kind);
            assert_int_equal(a.place, b.place);
            assert_memory_equal(a.index, b.index, sizeof a.index);
            if (first)
                first_four = a.four_samples && a.kind == TILER_ITEM_STATE;
            if (a.kind == TILER_ITEM_END)
                break;
            items += a.kind != TILER_ITEM_STATE;
            assert_true(!first || a.kind == TILER_ITEM_STATE);
            if (a.kind == TILER_ITEM_STATE) {
                uint64_t number = util_load64(f->memory + a.record);
                assert_true(number > draw_before && number <= f->record);
                draw_before = number;
                four |= a.four_samples;
            }
        }
        assert_int_equal(four, first_four);
    }
    return items;
}

/* ---- tests ---- */

static double cross(const float *a, const float *b, double x, double y)
{
    return ((double)b[0] - (double)a[0]) * (y - (double)a[1]) -
           ((double)b[1] - (double)a[1]) * (x - (double)a[0]);
}

static bool covers(const struct family *f, uint32_t n, double x, double y)
{
    float v[3][4];
    memcpy(v, f->positions[f->place] + (size_t)n * 3 * TILER_POSITION, sizeof v);
    double a = cross(v[0], v[1], x, y), b = cross(v[1], v[2], x, y), c = cross(v[2], v[0], x, y);
    return (a > 20 && b > 20 && c > 20) || (a < -20 && b < -20 && c < -20);
}

/* Each pixel's list has the triangles that cover it, in order, and not all have all. */
static void test_coverage(void **data)
{
    (void)data;
    enum { COUNT = 90 };
    static struct family f;
    static bool has[LISTS][COUNT];
    uint32_t entries = 0;
    family_open(&f);
    seed = 4;
    lists_begin(&f);
    for (uint32_t n = 0; n < COUNT; n++) {
        float x = (float)below(SIDE), y = (float)below(SIDE);
        for (uint32_t k = 0; k < 3; k++)
            put_vertex(&f, 3 * n + k, x + (float)below(1600) / 16 - 50, y + (float)below(1600) / 16 - 50,
                       0.5f, 1);
    }
    struct tiler_draw d = plain_draw(TILER_TRIANGLES, 3 * COUNT);
    draw(&f, &d);
    lists_end(&f);
    const struct tiler_list_memory m = reader(f.memory, &memory_end);
    for (uint32_t n = 0; n < LISTS; n++) {
        struct tiler_cursor c = tiler_list_begin(FIRST + n * BLOCK);
        uint32_t last = 0;
        for (;;) {
            struct tiler_item item = next_item(&m, &c);
            if (item.kind == TILER_ITEM_END)
                break;
            if (item.kind != TILER_ITEM_TRIANGLE)
                continue;
            assert_true(item.index[0] >= last && item.index[1] == item.index[0] + 1);
            last = item.index[0] + 1;
            has[n][item.index[0] / 3] = true;
            entries++;
        }
    }
    assert_true(entries < LISTS * COUNT / 2);
    for (uint32_t n = 0; n < COUNT; n++)
        for (uint32_t y = 0; y < SIDE; y += 2)
            for (uint32_t x = 0; x < SIDE; x += 2)
                if (covers(&f, n, x + 0.5, y + 0.5) && !has[y / LIST * (SIDE / LIST) + x / LIST][n])
                    fail_msg("triangle %u is not in the list of pixel %u, %u", n, x, y);
    family_close(&f);
}

/* Room refused at one request, for each of them; then at every one. */
static void test_no_room(void **data)
{
    (void)data;
    static struct family f;
    family_open(&f);
    for (unsigned round = 0; round < 6; round++) {
        f.refuse_all = false;
        f.refuse = UINT32_MAX;
        f.record = 0;
        f.sizes[0] = f.sizes[1] = NULL;
        draw_all(&f, 100 + round, 12, round & 1);
        uint8_t *expected = malloc(MEMORY);
        uint32_t requests = f.requests, heap = f.heap;
        uint64_t binned_count = f.bins.primitives_binned, in = f.bins.primitives_in;
        memcpy(expected, f.memory, MEMORY);
        assert_true(requests > 100 && check_ways(&f) > 200);
        for (uint32_t n = 0; n <= requests; n++) {
            f.refuse = n;
            f.refuse_all = n == requests;
            f.record = 0;
            f.bins.primitives_binned = f.bins.primitives_in = 0;
            draw_all(&f, 100 + round, 12, round & 1);
            assert_int_equal(f.refusals, f.refuse_all ? requests : 1);
            assert_int_equal(f.heap, heap);
            if (!round) { /* the others begin where earlier rounds ended */
                assert_int_equal(f.bins.primitives_binned, binned_count);
                assert_int_equal(f.bins.primitives_in, in);
            }
            if (memcmp(expected, f.memory, heap) != 0)
                fail_msg("round %u: other lists when request %u of %u waits", round, n, requests);
        }
        f.bins.primitives_binned = f.bins.primitives_in = 0;
        free(expected);
    }
    family_close(&f);
}

/* Triangles by the piece and one by one, with a pool and without, leave the same bytes; who is told of
 * primitives is told of each entry. */
static void test_ways(void **data)
{
    (void)data;
    static struct family f;
    struct util_pool *pool;
    uint8_t *expected = malloc(MEMORY);
    assert_int_equal(util_pool_create(3, &pool), 0);
    family_open(&f);
    f.refuse = UINT32_MAX;
    for (unsigned round = 0; round < 40; round++) {
        f.record = 0;
        draw_all(&f, 500 + round, 8, false);
        memcpy(expected, f.memory, MEMORY);
        assert_int_equal(f.told, 0);
        f.record = 0;
        draw_all(&f, 500 + round, 8, true);
        assert_memory_equal(expected, f.memory, f.heap);
        assert_int_equal(f.told, check_ways(&f));
    }
    seed = 8;
    put_vertices(&f, VERTICES);
    for (uint32_t n = 0; n < INDICES; n++)
        put_index(&f, n, 2, n % 3 ? (seed >> 8 & 0x3fff) + n % 3 : below(0x3ff0));
    for (unsigned round = 0; round < 3; round++) { /* the last: an index that culling by the piece has not */
        struct tiler_draw d = plain_draw(TILER_TRIANGLES, INDICES / 3 * 3);
        d.indexed = true;
        d.index_log2 = 2;
        d.window.near = d.window.far = 0;
        d.grid.x1 = LIST / 2; /* so that few are left */
        if (round == 2) {
            put_vertex(&f, 69999, NAN, 0, 0, 1);
            for (uint32_t n = 0; n < 3; n++)
                put_index(&f, INDICES / 3 * 3 - 3 + n, 2, 69999);
        } else {
            for (uint32_t n = 0; n < 3; n++)
                put_index(&f, INDICES / 3 * 3 - 3 + n, 2, 0);
        }
        f.record = 0;
        f.bins.pool = round ? pool : NULL;
        lists_begin(&f);
        draw(&f, &d);
        lists_end(&f);
        if (!round)
            memcpy(expected, f.memory, MEMORY);
        assert_true(f.heap > HEAP + 0x1000);
        assert_memory_equal(expected, f.memory, f.heap);
    }
    family_close(&f);
    util_pool_destroy(pool);
    free(expected);
}

/* Vertices of numbers that 16 bits do not tell apart: near each other and far out, in strips and fans that go on
 * across pieces, with a hub far away, anywhere. By the piece and one by one they leave the same. */
static void test_far_numbers(void **data)
{
    (void)data;
    static struct family f;
    uint8_t *expected = malloc(MEMORY);
    family_open(&f);
    f.refuse = UINT32_MAX;
    seed = 21;
    put_vertices(&f, VERTICES);
    for (enum tiler_mode mode = TILER_TRIANGLES; mode < TILER_MODE_COUNT; mode++)
        for (unsigned kind = 0; kind < 4; kind++) {
            struct tiler_draw d = plain_draw(mode, kind ? 8000 : VERTICES);
            d.indexed = kind;
            d.index_log2 = 2;
            d.grid.x1 = LIST / 2; /* so that few are left */
            d.grid.y1 = LIST / 2;
            for (uint32_t n = 0; n < d.count && kind; n++)
                put_index(&f, n, 2,
                          kind == 3             ? below(VERTICES)
                          : kind == 2 && n == 0 ? 0
                          : below(100)          ? VERTICES - 300 + below(300)
                                                : VERTICES - 40000 + below(40000));
            for (unsigned told = 0; told < 2; told++) {
                f.record = 0;
                d.told = told;
                lists_begin(&f);
                draw(&f, &d);
                lists_end(&f);
                if (!told)
                    memcpy(expected, f.memory, MEMORY);
                assert_true(f.heap > HEAP + 0x1000);
                assert_memory_equal(expected, f.memory, f.heap);
            }
        }
    family_close(&f);
    free(expected);
}

/* Sizes of their own decide which lists a point is in. */
static void test_points(void **data)
{
    (void)data;
    static struct family f;
    family_open(&f);
    f.refuse = UINT32_MAX;
    put_vertex(&f, 0, LIST - 8, LIST * 0.5f, 0.5f, 1);
    for (unsigned large = 0; large < 2; large++) {
        float size = large ? 20 : 4;
        for (unsigned n = 0; n < 2; n++) {
            f.sizes[n] = calloc(VERTICES, 4);
            memcpy(f.sizes[n], &size, 4);
        }
        lists_begin(&f);
        struct tiler_draw d = plain_draw(TILER_POINTS, 1);
        draw(&f, &d);
        lists_end(&f);
        assert_int_equal(check_ways(&f), 1 + large);
        for (unsigned n = 0; n < 2; n++) {
            free(f.sizes[n]);
            f.sizes[n] = NULL;
        }
    }
    family_close(&f);
}

static enum tiler_end draw_once(struct family *f, const struct tiler_draw *d)
{
    struct tiler_draw draw = *d;
    lists_begin(f);
    draw.record = &f->record;
    draw.record_bytes = sizeof f->record;
    f->index_log2 = d->index_log2;
    tiler_bins_draw_begin(&f->bins, &draw);
    return tiler_bins_draw(&f->bins);
}

/* Each port that can refuse ends the draw, by the piece and one by one. */
static void test_refused(void **data)
{
    (void)data;
    static struct family f;
    family_open(&f);
    f.refuse = UINT32_MAX;
    for (unsigned told = 0; told < 2; told++) {
        struct tiler_draw d = plain_draw(TILER_TRIANGLES, 3);
        d.indexed = true;
        d.index_log2 = 1;
        d.told = told;
        d.base = 5;
        put_vertex(&f, 0, 20, 20, 0.5f, 1);
        put_vertex(&f, 1, 30, 20, 0.5f, 1);
        put_vertex(&f, 2, 20, 30, 0.5f, 1);
        for (uint32_t n = 0; n < 3; n++)
            put_index(&f, n, 1, 5 + n);
        assert_int_equal(draw_once(&f, &d), TILER_DONE);
        for (unsigned n = 0; n < 3; n++) {
            bool *refusal = n == 0 ? &f.no_memory : n == 1 ? &f.no_indices : &f.no_vertices;
            *refusal = true;
            assert_int_equal(draw_once(&f, &d), TILER_REFUSED);
            *refusal = false;
        }
        lists_begin(&f);
        f.pay_most = 2;
        d.record = &f.record;
        tiler_bins_draw_begin(&f.bins, &d);
        assert_int_equal(tiler_bins_draw(&f.bins), TILER_REFUSED);
        put_index(&f, 1, 1, 4);
        assert_int_equal(draw_once(&f, &d), TILER_BAD_INDEX);
        assert_int_equal(f.bins.bad_index, 4);
        d.index_log2 = 2;
        for (uint32_t n = 0; n < 3; n++)
            put_index(&f, n, 2, n == 2 ? TILER_INDEX_MAX + 6 : 5 + n);
        assert_int_equal(draw_once(&f, &d), TILER_BAD_INDEX);
        assert_int_equal(f.bins.bad_index, TILER_INDEX_MAX + 6);
    }
    family_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),    cmocka_unit_test(test_no_room), cmocka_unit_test(test_ways),
        cmocka_unit_test(test_far_numbers), cmocka_unit_test(test_points),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
