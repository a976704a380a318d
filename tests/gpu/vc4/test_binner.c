/* The binner: every tile's list compared with what the rasterizer covers, for all primitive modes; the state
 * that goes into lists; clipping. */
#include <math.h>

#include "tests/gpu/vc4/binner_scene.h"

#include "raster/prim.h"

/* ---- the definition: what the rasterizer covers ---- */

static bool covers(uint8_t primitive, const uint32_t index[3], uint32_t tile,
                   const struct raster_setup *setup, uint32_t samples, float point_size,
                   const struct raster_rect *clip)
{
    static struct raster_tile t;
    static struct raster_block blocks[RASTER_BLOCKS_MAX];
    struct raster_prim prim;
    struct raster_vertex v[3];
    uint32_t side = samples == 4 ? 32 : 64;
    static const float none[RASTER_MAX_VARYINGS];
    for (unsigned i = 0; i < 3; i++) {
        const struct coordinate *c = &vertex[index[i]];
        v[i] = (struct raster_vertex){c->xs + 2048, c->ys + 2048, 0.5f, 1.0f, none, 1};
    }
    bool drawn = primitive == VC4_TRIANGLES ? raster_setup_triangle(&prim, setup, v)
                 : primitive == VC4_LINES   ? raster_setup_line(&prim, setup, v, false)
                                            : raster_setup_point(&prim, setup, v, point_size, false);
    t.width = t.height = side;
    t.samples = samples;
    t.x = (int32_t)(tile % TILES * side);
    t.y = (int32_t)(tile / TILES * side);
    return drawn && raster_cover(&prim, &t, clip, blocks);
}

/* Every tile holds, in order, all primitives that cover something of it, and few others. Returns the excess.
 */
static uint32_t check_lists(uint8_t primitive, const uint32_t (*want)[3], uint32_t count,
                            const struct raster_setup *setup, uint32_t samples, float point_size,
                            const struct raster_rect *clip, uint32_t *needed)
{
    uint32_t excess = 0;
    for (uint32_t tile = 0; tile < TILES * TILES; tile++) {
        const struct tile_list *t = &tile_lists[tile];
        uint32_t at = 0;
        for (uint32_t i = 0; i < count; i++) {
            float size = point_size ? point_size : vertex[want[i][0]].size;
            bool must = covers(primitive, want[i], tile, setup, samples, size, clip);
            bool has = at < t->count && !memcmp(t->p[at].index, want[i], sizeof want[i]);
            if (must && !has)
                fail_msg("tile %u lacks primitive %u (%u %u %u); list has %u", tile, i, want[i][0],
                         want[i][1], want[i][2], t->count);
            if (has) {
                assert_int_equal(t->p[at].primitive, primitive);
                at++;
            }
            excess += has && !must;
            *needed += must;
        }
        assert_int_equal(at, t->count); /* nothing else, nothing out of order */
    }
    return excess;
}

static const struct raster_rect everything = {0, 0, 256, 256};

/* ---- tests ---- */

static void test_modes(void **unused)
{
    static uint32_t index[2000], want[2001][3];
    for (uint32_t mode = 0; mode <= TILER_TRIANGLE_FAN; mode++)
        for (uint32_t how = 0; how < 6; how++) { /* 16-bit, 8-bit, arrays; small or large primitives; MS */
            struct config c = plain;
            struct list l = {0};
            struct tiler_assembler a;
            uint32_t count = how % 3 == 1 ? 250 : 400, address = ALLOC - 65536, needed = 0;
            c.ms = how >= 3 && mode & 1;
            start_device(NULL);
            random_vertices(1000, how >= 3 ? 0 : 200);
            for (uint32_t i = 0; i < count; i++) {
                index[i] = how % 3 == 2 ? i + 5 : how % 3 == 1 ? random32() % 250 : random32() % 1000;
                if (how % 3 == 1)
                    guest_memory.base[address + i] = (uint8_t)index[i];
                else
                    ((uint16_t *)(guest_memory.base + address))[i] = (uint16_t)index[i];
            }
            put_start(&l, &c);
            put_clip(&l, 0, 0, 256, 256);
            put_state(&l, shader[mode == TILER_POINTS ? 2 : 0], 3);
            put_record(&l, VC4_CL_LINE_WIDTH, 1, util_f2u(3.0f), 0);
            if (how % 3 == 2)
                put_array(&l, mode, count, 5);
            else
                put_indexed(&l, mode, how % 3 == 0, count, address, 999);
            put_end(&l);
            run_well(&l);
            assert_int_equal(host.flush_done, 1);
            assert_int_equal(device->semaphore, 1);
            read_tiles(&c);

            tiler_assemble_begin(&a, mode);
            uint32_t primitives = tiler_assemble(&a, index, count, want);
            primitives += tiler_assemble_end(&a, want + primitives);
            const struct raster_setup setup = {.line_width = 3.0f};
            uint32_t excess = check_lists(mode == TILER_POINTS     ? VC4_POINTS
                                          : mode < TILER_TRIANGLES ? VC4_LINES
                                                                   : VC4_TRIANGLES,
                                          (const uint32_t(*)[3])want, primitives, &setup, c.ms ? 4 : 1, 0,
                                          &everything, &needed);
            assert_true(needed > 50);
            assert_true(excess < needed / 2 + 20);
        }
}

/* Twice the signed area in window coordinates. */
static int64_t area_of(const uint32_t index[3])
{
    const struct coordinate *a = &vertex[index[0]], *b = &vertex[index[1]], *c = &vertex[index[2]];
    return (int64_t)(b->xs - a->xs) * (c->ys - a->ys) - (int64_t)(c->xs - a->xs) * (b->ys - a->ys);
}

static void test_culling_and_window(void **unused)
{
    for (uint32_t bits = 0; bits < 8; bits++) {
        static uint32_t index[600], want[200][3];
        struct list l = {0};
        struct tiler_assembler a;
        uint32_t needed = 0;
        const struct raster_rect clip = {70, 30, 200, 140};
        const struct raster_setup setup = {
            .cull_forward = !(bits & 1), .cull_reverse = !(bits & 2), .clockwise_forward = bits & 4};
        start_device(NULL);
        random_vertices(600, 600);
        for (uint32_t i = 0; i < 600; i++)
            index[i] = i;
        put_start(&l, &plain);
        put_clip(&l, 70, 30, 130, 110);
        put_state(&l, shader[0], bits);
        put_array(&l, TILER_TRIANGLES, 600, 0);
        put_end(&l);
        run_well(&l);
        read_tiles(&plain);
        tiler_assemble_begin(&a, TILER_TRIANGLES);
        tiler_assemble(&a, index, 600, want);
        uint32_t excess =
            check_lists(VC4_TRIANGLES, (const uint32_t(*)[3])want, 200, &setup, 1, 0, &clip, &needed);
        assert_true(bits & 3 ? needed > 20 : needed == 0);
        assert_true(excess <= needed / 2 + 20); /* a tile may be touched outside the window only */
        for (uint32_t tile = 0; tile < TILES * TILES; tile++)
            for (uint32_t i = 0; i < tile_lists[tile].count; i++)
                assert_true(bits & ((area_of(tile_lists[tile].p[i].index) < 0) == !(bits & 4) ? 2 : 1));
        for (uint32_t tile = 0; tile < TILES * TILES; tile++)
            if (tile / TILES > 2 || tile % TILES == 0)
                assert_int_equal(tile_lists[tile].count, 0);
    }
}

static void test_lazy_state(void **unused)
{
    struct list l = {0};
    start_device(NULL);
    for (uint32_t i = 0; i < 6; i++)
        one_tile_triangle(i * 3, i == 0 || i == 3 ? 5 : i == 1 ? 6 : i == 2 ? 7 : 9);
    put_config(&l, &plain);
    put_clip(&l, 0, 0, 256, 256); /* before the start: every list begins with it, none holds it */
    put(&l, VC4_CL_START_TILE_BINNING, 1);
    put_state(&l, shader[0], 3);
    put_record(&l, VC4_CL_POINT_SIZE, 1, util_f2u(2.0f), 0);
    put_record(&l, VC4_CL_LINE_WIDTH, 1, util_f2u(5.0f), 0);
    put_array(&l, TILER_TRIANGLES, 3, 0); /* tile 5 */
    put_state(&l, shader[0], 3);          /* the same again: no change */
    put_array(&l, TILER_TRIANGLES, 3, 9); /* tile 5 */
    put_state(&l, shader[1], 7);
    put_array(&l, TILER_TRIANGLES, 3, 3); /* tile 6 */
    put_array(&l, TILER_LINES, 2, 12);    /* tile 9 */
    put_array(&l, TILER_TRIANGLES, 3, 12);
    put_end(&l);
    run_well(&l);
    read_tiles(&plain);

    const struct tile_list *t = &tile_lists[5];
    assert_int_equal(t->count, 2);
    assert_int_equal(t->records[VC4_CL_GL_SHADER_STATE], 1);
    assert_int_equal(t->records[VC4_CL_CONFIGURATION_BITS], 1);
    assert_int_equal(t->records[VC4_CL_COMPRESSED_PRIMITIVES], 1);
    assert_int_equal(t->records[VC4_CL_CLIP_WINDOW], 0);
    assert_int_equal(t->records[VC4_CL_LINE_WIDTH] + t->records[VC4_CL_POINT_SIZE], 0);
    assert_int_equal(t->records[VC4_CL_CLIPPER_XY_SCALING], 0);
    assert_true(t->p[0].shader == shader[0] && t->p[1].shader == shader[0] && t->p[0].config == 3);
    t = &tile_lists[6];
    assert_int_equal(t->count, 1);
    assert_true(t->p[0].shader == shader[1] && t->p[0].config == 7);
    assert_int_equal(t->records[VC4_CL_GL_SHADER_STATE], 1);
    t = &tile_lists[9];
    assert_int_equal(t->count, 2);
    assert_int_equal(t->records[VC4_CL_LINE_WIDTH], 1);
    assert_int_equal(t->records[VC4_CL_POINT_SIZE], 0);
    assert_int_equal(t->records[VC4_CL_CONFIGURATION_BITS], 1);
    assert_int_equal(t->records[VC4_CL_PRIMITIVE_LIST_FORMAT], 2);
    assert_int_equal(t->p[0].line_width, util_f2u(5.0f));
    assert_int_equal(tile_lists[0].records[VC4_CL_RETURN], 1);
    for (unsigned id = 0; id < 256; id++) /* an empty tile's list is a return and nothing else */
        assert_true(id == VC4_CL_RETURN || !tile_lists[0].records[id]);
}

static void test_flush_all_state(void **unused)
{
    struct list l = {0};
    start_device(NULL);
    one_tile_triangle(0, 5);
    put_start(&l, &plain);
    put_clip(&l, 0, 0, 256, 256);
    put_state(&l, shader[0], 3);
    put_array(&l, TILER_TRIANGLES, 3, 0);
    put_clip(&l, 7, 0, 256, 256);
    put_record(&l, VC4_CL_LINE_WIDTH, 1, util_f2u(5.0f), 0);
    put(&l, VC4_CL_FLUSH_ALL, 1);
    run_well(&l);
    read_tiles(&plain);
    assert_int_equal(tile_lists[5].records[VC4_CL_CLIP_WINDOW], 2);
    assert_int_equal(tile_lists[5].records[VC4_CL_LINE_WIDTH], 1);
    assert_int_equal(tile_lists[5].records[VC4_CL_CONFIGURATION_BITS], 1);
    assert_int_equal(tile_lists[0].records[VC4_CL_CLIP_WINDOW], 1);
    assert_int_equal(tile_lists[0].records[VC4_CL_GL_SHADER_STATE], 1);
    assert_int_equal(tile_lists[0].records[VC4_CL_LINE_WIDTH], 1);
}

/* ---- clipping ---- */

static void clip_vertex(uint32_t n, float x, float y, float z, float w)
{
    vertex[n] = (struct coordinate){.clip = {x, y, z, w}, .zs = z / w * 0.5f + 0.5f, .inv_w = 1 / w};
    if (w > 0 && fabsf(x / w) < 15 && fabsf(y / w) < 15) {
        vertex[n].xs = (int16_t)lrintf(x / w * 2048);
        vertex[n].ys = (int16_t)lrintf(y / w * -2048);
    }
}

/* Tiles that list something of a line of so many pixels between two places of clip space. */
static unsigned tiles_of_line(float width, const float a[2], const float b[2])
{
    struct list l = {0};
    unsigned tiles = 0;
    start_device(NULL);
    clip_vertex(0, a[0], a[1], 0, 1);
    clip_vertex(1, b[0], b[1], 0, 1);
    put_start(&l, &plain);
    put_clip(&l, 0, 0, 256, 256);
    put_state(&l, shader[1], 3);
    put_record(&l, VC4_CL_LINE_WIDTH, 1, util_f2u(width), 0);
    put_array(&l, TILER_LINES, 2, 0);
    put_end(&l);
    run_well(&l);
    read_tiles(&plain);
    for (uint32_t tile = 0; tile < TILES * TILES; tile++)
        tiles += tile_lists[tile].count != 0;
    return tiles;
}

/* A wide line whose middle is outside of the viewport would have pixels inside: boards draw none. One that leaves it ends at its
 * side, though it goes on along it. */
static void lines_end_at_the_viewport(void **unused)
{
    for (unsigned axis = 0; axis < 2; axis++)
        for (int side = -1; side <= 1; side += 2) {
            float a[2], b[2];
            a[axis] = b[axis] = 0.99f * (float)side;
            a[!axis] = -0.9f;
            b[!axis] = 0.9f;
            assert_int_equal(tiles_of_line(21, a, b), TILES);
            a[axis] = b[axis] = 1.01f * (float)side;
            assert_int_equal(tiles_of_line(21, a, b), 0);
            b[axis] = 0.99f * (float)side; /* the first half of it is outside */
            assert_int_equal(tiles_of_line(21, a, b), TILES / 2 + 1);
        }
}

/* Every clipped vertex is the weighted sum that it claims to be, and the pieces stand where they should. */
static void test_clipping(void **unused)
{
    unsigned records = 0, pieces = 0, kept = 0;
    for (unsigned number = 0; number < 300; number++) {
        struct list l = {0};
        bool line = number % 4 == 3;
        start_device(NULL);
        for (uint32_t i = 0; i < 3; i++)
            clip_vertex(i, (float)between(-3000, 3000) / 1000, (float)between(-3000, 3000) / 1000,
                        (float)between(-2000, 2000) / 1000, (float)between(-500, 2000) / 1000);
        put_start(&l, &plain);
        put_clip(&l, 0, 0, 256, 256);
        put_state(&l, shader[1], 3);
        put_array(&l, line ? TILER_LINES : TILER_TRIANGLES, line ? 2 : 3, 0);
        put_end(&l);
        run_well(&l);
        read_tiles(&plain);
        for (uint32_t tile = 0; tile < TILES * TILES; tile++)
            for (uint32_t i = 0; i < tile_lists[tile].count; i++) {
                const uint32_t *index = tile_lists[tile].p[i].index;
                uint32_t flags = tile_lists[tile].p[i].flags, at = tile_lists[tile].p[i].clipped;
                assert_true(index[0] == 0 && index[1] == 1 && index[2] == (line ? 0 : 2));
                assert_true(flags < (line ? 4 : 8));
                for (uint32_t k = 0; k < 3; k++) {
                    struct vc4_clipped_vertex c;
                    double p[4] = {0}, sum = 0;
                    if (!(flags >> k & 1)) {
                        if (k < (line ? 2u : 3u)) /* an own vertex must be drawable */
                            assert_true(vertex[k].clip[3] > 0 &&
                                        fabsf(vertex[k].clip[2]) <= vertex[k].clip[3]);
                        continue;
                    }
                    memcpy(&c, guest_memory.base + at, sizeof c);
                    at += sizeof c;
                    for (unsigned m = 0; m < 3; m++) {
                        sum += c.coefficient[m];
                        for (unsigned n = 0; n < 4; n++)
                            p[n] += (double)c.coefficient[m] * vertex[m].clip[n];
                    }
                    assert_true(fabs(sum - 1) < 1e-6);
                    double tolerance = 1e-4 / p[3] + 1e-4; /* weights are floats */
                    assert_true(fabs(c.inv_w - 1 / p[3]) < tolerance / p[3]);
                    assert_true(fabs(c.zs - (p[2] / p[3] * 0.5 + 0.5)) < tolerance);
                    assert_true(c.zs > -1e-4 && c.zs < 1 + 1e-4); /* between near and far */
                    assert_true(fabs(c.x - p[0] / p[3] * 2048) < 1 + 2048 * tolerance);
                    assert_true(fabs(c.y + p[1] / p[3] * 2048) < 1 + 2048 * tolerance);
                    records++;
                }
                pieces += flags != 0;
                kept += flags == 0;
            }
    }
    assert_true(records > 200 && pieces > 100 && kept > 20);
}

/* What is outside one plane altogether, or has odd numbers, leaves no trace. */
static void test_rejection(void **unused)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    for (unsigned number = 0; number < 9; number++) {
        struct list l = {0};
        start_device(NULL);
        for (uint32_t i = 0; i < 3; i++)
            clip_vertex(i, i == 1, i == 2, 0, 1);
        if (number < 3)
            vertex[1].clip[number] = odd[number];
        for (uint32_t i = 0; i < 3; i++) {
            if (number == 3)
                vertex[i].clip[2] = -1.5f;
            if (number == 4)
                vertex[i].clip[2] = 1.5f;
            if (number == 5)
                vertex[i].clip[3] = -1;
            if (number == 6)
                vertex[i].clip[0] = 100;
            if (number == 7)
                memset(vertex[i].clip, 0, sizeof vertex[i].clip);
        }
        put_start(&l, &plain);
        put_clip(&l, 0, 0, 256, 256);
        put_state(&l, shader[1], 3);
        put_array(&l, TILER_TRIANGLES, 3, 0);
        put_array(&l, TILER_LINE_LOOP, 3, 0);
        put_array(&l, TILER_POINTS, 1, 1);
        put_end(&l);
        run_well(&l);
        read_tiles(&plain);
        uint32_t triangles = 0;
        for (uint32_t tile = 0; tile < TILES * TILES; tile++)
            for (uint32_t i = 0; i < tile_lists[tile].count; i++)
                triangles += tile_lists[tile].p[i].primitive == VC4_TRIANGLES;
        assert_true(number == 8 ? triangles > 0 : triangles == 0);
    }
}

/* Points larger than 512 pixels are binned as points of 512: seen from 240 to the left of the window. */
static void test_largest_point(void **unused)
{
    static const float sizes[] = {500, 512, 513, 4096, INFINITY};
    for (uint32_t n = 0; n < 2 * UTIL_ARRAY_SIZE(sizes); n++) {
        static const uint32_t want[1][3] = {{0}};
        float size = sizes[n / 2];
        const struct raster_setup setup = {0};
        struct list l = {0};
        uint32_t needed = 0;
        start_device(NULL);
        set_vertex(0, 128 * 16, 128 * 16);
        vertex[0].xs = (int16_t)((-240 - 128) * 16);
        vertex[0].size = n & 1 ? size : 1;
        put_start(&l, &plain);
        put_clip(&l, 0, 0, 256, 256);
        put_state(&l, shader[n & 1 ? 2 : 0], 3);
        put_record(&l, VC4_CL_POINT_SIZE, 1, util_f2u(size), 0);
        put_array(&l, TILER_POINTS, 1, 0);
        put_end(&l);
        run_well(&l);
        read_tiles(&plain);
        size = fminf(size, 512);
        assert_int_equal(check_lists(VC4_POINTS, want, 1, &setup, 1, size, &everything, &needed), 0);
        assert_int_equal(needed, TILES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_modes),         TEST(test_culling_and_window),
        TEST(test_lazy_state),    TEST(test_flush_all_state),
        TEST(test_clipping),      TEST(test_rejection),
        TEST(test_largest_point), TEST(lines_end_at_the_viewport),
    };
    return cmocka_run_group_tests_name("binner", tests, set_up, tear_down);
}
