/* Binning without coordinate programs: pre-shaded vertices give the lists that shaded ones give; VG lists
 * give lists of coordinates; tiles of half height. */
#include "tests/gpu/vc4/binner_scene.h"

/* ---- pre-shaded vertices ---- */

static uint32_t nv_record(uint32_t flags, uint32_t address)
{
    uint8_t record[16] = {(uint8_t)flags, sizeof *vertex};
    util_store32(record + 12, address);
    return guest_copy(record, sizeof record, 16);
}

struct kept {
    uint32_t count;
    struct {
        uint32_t index[3];
        uint8_t primitive, flags;
        struct vc4_clipped_vertex data[3];
    } p[MAX_PRIMITIVES];
};

static void keep_tile(const struct tile_list *t, struct kept *out)
{
    out->count = t->count;
    for (uint32_t i = 0; i < t->count; i++) {
        memcpy(out->p[i].index, t->p[i].index, sizeof out->p[i].index);
        out->p[i].primitive = t->p[i].primitive;
        out->p[i].flags = t->p[i].flags;
        memset(out->p[i].data, 0, sizeof out->p[i].data);
        memcpy(out->p[i].data, guest_memory.base + t->p[i].clipped,
               (uint32_t)__builtin_popcount(t->p[i].flags) * sizeof out->p[i].data[0]);
    }
}

/* The same vertices through a coordinate program and from memory, clipped ones too. */
static void preshaded(void **unused)
{
    static struct kept want[TILES * TILES], got;
    uint32_t records[] = {shader[2], nv_record(15, vertex_address)};
    uint32_t kinds[3] = {0}, clipped = 0;
    start_device(NULL);
    random_vertices(600, 400);
    for (uint32_t i = 0; i < 600; i += 11) /* some beyond the near plane */
        vertex[i].clip[2] = -1.5f;
    for (unsigned way = 0; way < 2; way++) {
        struct list l = {0};
        put_start(&l, &plain);
        put_clip(&l, 0, 0, 256, 256);
        put_state(&l, records[0], 3);
        if (way)
            put_record(&l, VC4_CL_NV_SHADER_STATE, 1, records[1], 0);
        put_array(&l, TILER_TRIANGLES, 300, 0);
        put_array(&l, TILER_LINE_STRIP, 100, 300);
        put_array(&l, TILER_POINTS, 200, 400);
        put_end(&l);
        run_well(&l);
        read_tiles(&plain);
        for (uint32_t t = 0; t < TILES * TILES; t++) {
            keep_tile(&tile_lists[t], way ? &got : &want[t]);
            assert_int_equal(tile_lists[t].records[VC4_CL_NV_SHADER_STATE] > 0, way && tile_lists[t].count);
            if (!way)
                continue;
            assert_int_equal(got.count, want[t].count);
            assert_memory_equal(got.p, want[t].p, got.count * sizeof got.p[0]);
            for (uint32_t i = 0; i < got.count; i++) {
                kinds[got.p[i].primitive]++;
                clipped += got.p[i].flags != 0;
            }
        }
    }
    assert_true(kinds[0] > 50 && kinds[1] > 50 && kinds[2] > 50 && clipped > 10);
}

/* Without the clipper (BXCF bit 1), and without the header, vertices are where they say. */
static void unclipped(void **unused)
{
    start_device(NULL);
    one_tile_triangle(0, 5);
    vertex[0].clip[2] = -1.5f;
    for (unsigned way = 0; way < 2; way++) {
        struct list l = {0};
        put_start(&l, &plain);
        put_clip(&l, 0, 0, 256, 256);
        put_state(&l, shader[1], 3);
        vc4_write(device, VC4_BXCF, way ? 2 : 0);
        assert_int_equal(vc4_read(device, VC4_BXCF), way ? 2 : 0);
        put_array(&l, TILER_TRIANGLES, 3, 0);
        put_end(&l);
        run_well(&l);
        read_tiles(&plain);
        assert_int_equal(tile_lists[5].records[VC4_CL_CLIPPED_PRIMITIVES] == 0, way);
        assert_true(way ? tile_lists[5].count == 1 : tile_lists[5].count != 0);
    }
}

/* ---- VG ---- */

struct triangle {
    int32_t x[3], y[3]; /* 1/16 pixel, window */
};

static bool covers_sample(const struct triangle *t, int32_t px, int32_t py)
{
    bool negative = false, positive = false;
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = (i + 1) % 3;
        int64_t e =
            (int64_t)(t->x[j] - t->x[i]) * (py - t->y[i]) - (int64_t)(t->y[j] - t->y[i]) * (px - t->x[i]);
        negative |= e <= 0;
        positive |= e >= 0;
    }
    return !(negative && positive);
}

static bool covers_tile(const struct triangle *t, int32_t left, int32_t top, int32_t width, int32_t height)
{
    for (int32_t y = top * 16; y < (top + height) * 16; y += 3)
        for (int32_t x = left * 16; x < (left + width) * 16; x += 3)
            if (covers_sample(t, x, y))
                return true;
    return false;
}

static bool outside(const struct triangle *t, int32_t left, int32_t top, int32_t width, int32_t height)
{
    int32_t min_x = UTIL_MIN(UTIL_MIN(t->x[0], t->x[1]), t->x[2]),
            max_x = UTIL_MAX(UTIL_MAX(t->x[0], t->x[1]), t->x[2]);
    int32_t min_y = UTIL_MIN(UTIL_MIN(t->y[0], t->y[1]), t->y[2]),
            max_y = UTIL_MAX(UTIL_MAX(t->y[0], t->y[1]), t->y[2]);
    return max_x < left * 16 - 16 || min_x > (left + width) * 16 + 16 || max_y < top * 16 - 16 ||
           min_y > (top + height) * 16 + 16;
}

/* The triangles of a tile's list of coordinates, in order; their number. */
static uint32_t read_coordinates(uint32_t tile, uint32_t (*out)[3], uint32_t room)
{
    uint32_t at = ALLOC + tile * 32, count = 0, shaders = 0, steps = 0;
    for (;;) {
        struct vc4_cl_record r;
        struct gpu_fault fault;
        struct vc4_list_reader reader;
        assert_true(++steps < 10000);
        assert_int_equal(vc4_cl_decode(guest_memory.base + at, 16, &r), VC4_CL_OK);
        at += r.size;
        switch (r.id) {
        case VC4_CL_RETURN: assert_true(!count || shaders); return count;
        case VC4_CL_BRANCH: at = (uint32_t)r.field[VC4_BRANCH_ADDRESS]; break;
        case VC4_CL_PRIMITIVE_LIST_FORMAT:
            assert_int_equal(r.field[VC4_FORMAT_DATA], 3);
            assert_int_equal(r.field[VC4_FORMAT_PRIMITIVE], 2);
            break;
        case VC4_CL_VG_INLINE_SHADER:
            shaders++;
            assert_int_equal(r.field[VC4_INLINE_CODE], 0x12340);
            assert_int_equal(r.field[VC4_INLINE_UNIFORMS], 0x5678);
            break;
        case VC4_CL_COMPRESSED_PRIMITIVES:
            vc4_list_reader_init(&reader, &guest_memory, at, VC4_TRIANGLES | VC4_LIST_COORDINATES, 10000);
            while (vc4_list_read(&reader, out[count], &fault) == 1)
                assert_true(++count < room);
            at = reader.at;
            break;
        default: break;
        }
    }
}

/* Every tile with a sample of a triangle lists it, in order; no tile far from it does. By arrays and inline,
 * in square tiles and in those of 64x32 pixels. */
static void coordinates(void **unused)
{
    enum { COUNT = 70 };
    static uint32_t listed[COUNT * 4][3];
    for (unsigned way = 0; way < 4; way++) {
        bool flat = way & 1, is_inline = way & 2;
        struct triangle t[COUNT];
        uint32_t words[COUNT * 3 + 3], n = 0, total = 0;
        struct list l = {0};
        start_device(NULL);
        for (uint32_t i = 0; i < COUNT; i++) {
            int32_t x = between(-300, 4300), y = between(-300, 4300), reach = i % 3 ? 300 : 3000;
            for (unsigned k = 0; k < 3; k++) {
                t[i].x[k] = x + between(-reach, reach);
                t[i].y[k] = y + between(-reach, reach);
                words[n++] = ((uint32_t)(t[i].x[k] - 2048) & 0xffff) | (uint32_t)(t[i].y[k] - 2048) << 16;
            }
        }
        words[n++] = 0, words[n++] = 0, words[n++] = 0xbfff0000;
        uint32_t array = guest_copy(words, n * 4, 4);
        put_config(&l, &plain);
        if (flat)
            l.bytes[l.size - 1] |= way == 1 ? 0x80 : 2; /* double buffer, or 64-bit colours */
        put(&l, VC4_CL_START_TILE_BINNING, 1);
        put_clip(&l, 0, 0, 256, flat ? 128 : 256);
        put(&l, VC4_CL_CONFIGURATION_BITS, 1);
        put(&l, 3 | 2u << 6 | 1u << 8, 3); /* 16x, coverage pipe */
        put_record(&l, VC4_CL_VIEWPORT_OFFSET, 1, 128 * 16 | 128 * 16 << 16, 0);
        put_record(&l, VC4_CL_VG_INLINE_SHADER, 2, 0x12341, 0x5678);
        if (is_inline) {
            put(&l, VC4_CL_VG_INLINE, 1);
            put(&l, 4, 1);
            for (uint32_t i = 0; i < n; i++)
                put(&l, words[i], 4);
        } else {
            put(&l, VC4_CL_VG_COORDINATE_ARRAY, 1);
            put(&l, 4, 1);
            put(&l, COUNT, 4);
            put(&l, array, 4);
        }
        put_end(&l);
        run_well(&l);
        for (uint32_t tile = 0; tile < TILES * TILES; tile++) {
            int32_t height = flat ? 32 : 64, left = (int32_t)(tile % TILES) * 64,
                    top = (int32_t)(tile / TILES) * height;
            uint32_t count = read_coordinates(tile, listed, COUNT * 4), at = 0;
            for (uint32_t i = 0; i < COUNT; i++) {
                bool there = at < count && !memcmp(listed[at], words + i * 3, sizeof listed[at]);
                if (covers_tile(&t[i], left, top, 64, height))
                    assert_true(there);
                if (outside(&t[i], left, top, 64, height))
                    assert_false(there);
                at += there;
            }
            assert_int_equal(at, count);
            total += count;
        }
        assert_true(total > COUNT);
    }
}

/* ---- performance counters of the binner ---- */

static uint32_t count(unsigned n)
{
    return vc4_read(device, VC4_PCTR + 8 * n);
}

static void events(void **unused)
{
    struct list l = {0};
    start_device(NULL);
    for (unsigned n = 0; n < 3; n++)
        vc4_write(device, VC4_PCTRS + 8 * n, 10 + n); /* outside, clipped, reversed */
    vc4_write(device, VC4_PCTRE, 7);
    one_tile_triangle(0, 5); /* seen */
    one_tile_triangle(3, 6); /* facing away */
    set_vertex(4, vertex[3].xs + 2048, vertex[3].ys + 2048 + 160);
    set_vertex(5, vertex[3].xs + 2048 + 160, vertex[3].ys + 2048);
    one_tile_triangle(6, 15); /* beyond the clip window */
    one_tile_triangle(9, 9);  /* cut by the near plane */
    vertex[9].clip[2] = -1.5f;
    one_tile_triangle(12, 9); /* all of it beyond the near plane */
    for (unsigned i = 12; i < 15; i++)
        vertex[i].clip[2] = -1.5f;
    put_start(&l, &plain);
    put_clip(&l, 0, 0, 192, 192);
    put_state(&l, shader[1], 1);
    put_array(&l, TILER_TRIANGLES, 15, 0);
    put_end(&l);
    run_well(&l);
    assert_int_equal(count(0), 2);
    assert_int_equal(count(1), 1);
    assert_int_equal(count(2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(preshaded), TEST(unclipped), TEST(coordinates), TEST(events)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
