/* The binner: lists in, tile lists out. Every tile's list is read back with the renderer's reader and
 * compared with what the rasterizer covers; then memory running out, semaphores, clipping, and lists that
 * mean harm. */
#include <math.h>

#include "vc4_guest.h"

#include "gpu/vc4/cl.h"
#include "gpu/vc4/tile_list.h"
#include "raster/prim.h"
#include "tiler/assemble.h"

#define MEMORY_BYTES (16u << 20)
#define TILES        4u
#define ALLOC        (4u << 20) /* tile memory, and the state array behind it */
#define ALLOC_BYTES  (1u << 20)
#define STATE_ARRAY  (6u << 20)
#define OVERSPILL    (8u << 20) /* more than a relative branch reaches away from ALLOC */

static struct vc4_device *device;
static uint64_t seed = 5;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static int32_t between(int32_t lo, int32_t hi) /* inclusive */
{
    return lo + (int32_t)(random32() % ((uint32_t)(hi - lo) + 1));
}

/* ---- writing lists ---- */

struct list {
    uint8_t bytes[1024];
    uint32_t size;
};

static void put(struct list *l, uint64_t value, uint32_t size)
{
    memcpy(l->bytes + l->size, &value, size);
    l->size += size;
}

static void put_record(struct list *l, uint8_t id, uint32_t words, uint32_t a, uint32_t b)
{
    put(l, id, 1);
    if (words > 0)
        put(l, a, 4);
    if (words > 1)
        put(l, b, 4);
}

struct config {
    uint32_t alloc_size, initial, block; /* block codes: 32 << n */
    bool ms;
};
static const struct config plain = {ALLOC_BYTES, 0, 2, false};

static void put_config(struct list *l, const struct config *c)
{
    put(l, VC4_CL_TILE_BINNING_CONFIG, 1);
    put(l, ALLOC, 4);
    put(l, c->alloc_size, 4);
    put(l, STATE_ARRAY, 4);
    put(l, TILES | TILES << 8, 2);
    put(l, c->ms | 1u << 2 | c->initial << 3 | c->block << 5, 1);
}

static void put_clip(struct list *l, uint32_t x, uint32_t y, uint32_t w, uint32_t h)
{
    put_record(l, VC4_CL_CLIP_WINDOW, 2, x | y << 16, w | h << 16);
}

static void put_state(struct list *l, uint32_t shader, uint32_t config_bits)
{
    put_record(l, VC4_CL_GL_SHADER_STATE, 1, shader | 1, 0);
    put(l, VC4_CL_CONFIGURATION_BITS, 1);
    put(l, config_bits, 3);
    put_record(l, VC4_CL_VIEWPORT_OFFSET, 1, 128 * 16 | 128 * 16 << 16, 0);
    put_record(l, VC4_CL_CLIPPER_XY_SCALING, 2, util_f2u(128 * 16), util_f2u(-128 * 16));
    put_record(l, VC4_CL_CLIPPER_Z_SCALING, 2, util_f2u(0.5f), util_f2u(0.5f));
}

static void put_start(struct list *l, const struct config *c)
{
    put_config(l, c);
    put(l, VC4_CL_START_TILE_BINNING, 1);
    put(l, VC4_CL_PRIMITIVE_LIST_FORMAT, 1);
    put(l, 0x12, 1);
}

static void put_indexed(struct list *l, uint32_t mode, bool is_16bit, uint32_t length, uint32_t address,
                        uint32_t max)
{
    put(l, VC4_CL_INDEXED_PRIMITIVES, 1);
    put(l, mode | (uint32_t)is_16bit << 4, 1);
    put(l, length, 4);
    put(l, address, 4);
    put(l, max, 4);
}

static void put_array(struct list *l, uint32_t mode, uint32_t length, uint32_t first)
{
    put(l, VC4_CL_ARRAY_PRIMITIVES, 1);
    put(l, mode, 1);
    put(l, length, 4);
    put(l, first, 4);
}

static void put_end(struct list *l)
{
    put(l, VC4_CL_INCREMENT_SEMAPHORE, 1);
    put(l, VC4_CL_FLUSH, 1);
}

/* ---- running them ---- */

struct host {
    uint32_t next, chunk, left; /* overspill memory to give */
    uint32_t given, flush_done;
};

static void interrupt(void *data, uint32_t pending)
{
    struct host *host = data;
    if (pending & VC4_INT_FLDONE) {
        host->flush_done++;
        vc4_write(device, VC4_INTCTL, VC4_INT_FLDONE);
    }
    if (pending & VC4_INT_OUTOMEM && host->left) {
        host->left--;
        host->given++;
        vc4_write(device, VC4_BPOA, host->next);
        vc4_write(device, VC4_BPOS, host->chunk);
        vc4_write(device, VC4_INTCTL, VC4_INT_OUTOMEM);
        host->next += host->chunk;
    }
}

static struct host host;

static void start_device(struct util_pool *pool)
{
    const struct vc4_options options = {.pool = pool, .packet_budget = 100000, .fuel = 1000};
    vc4_device_destroy(device);
    assert_int_equal(vc4_device_create(&guest_memory, &options, &device), 0);
    host = (struct host){0};
    vc4_device_set_irq(device, interrupt, &host);
    vc4_write(device, VC4_INTENA, VC4_INT_FLDONE | VC4_INT_OUTOMEM);
}

/* Runs the list; the first fault, or kind NONE. */
static struct gpu_fault run(const struct list *l)
{
    struct gpu_fault fault = {0}, more[8];
    uint32_t top = guest_top, at = guest_copy(l->bytes, l->size, 16);
    vc4_write(device, VC4_CT0CA, at);
    vc4_write(device, VC4_CT0EA, at + l->size);
    if (vc4_device_faults(device, more, 8))
        fault = more[0];
    guest_top = top;
    return fault;
}

static void run_well(const struct list *l)
{
    struct gpu_fault fault = run(l);
    if (fault.kind != GPU_FAULT_NONE)
        fail_msg("%s", fault.text);
}

/* ---- reading tile lists ---- */

enum { MAX_PRIMITIVES = 20000 };

struct tile_list {
    uint32_t count, records[256]; /* primitives; how often each record occurs */
    struct {
        uint32_t index[3], clipped, shader, config, point_size, line_width, clip_window;
        uint8_t primitive, flags;
    } *p;
};

static struct tile_list tile_lists[TILES * TILES];

static void read_tile(uint32_t tile, uint32_t initial_block)
{
    struct tile_list *t = &tile_lists[tile];
    uint32_t at = ALLOC + tile * initial_block, shader = 0, config = 0, size = 0, width = 0, window = 0,
             steps = 0;
    uint8_t format = 0xff;
    bool done = false;
    t->count = 0;
    memset(t->records, 0, sizeof t->records);
    if (!t->p)
        t->p = malloc(MAX_PRIMITIVES * sizeof *t->p);
    while (!done) {
        struct vc4_cl_record r;
        struct gpu_fault fault;
        assert_true(++steps < 100000);
        assert_int_equal(vc4_cl_decode(guest_memory.base + at, 16, &r), VC4_CL_OK);
        t->records[r.id]++;
        at += r.size;
        switch (r.id) {
        case VC4_CL_RETURN: done = true; break;
        case VC4_CL_BRANCH: at = (uint32_t)r.field[VC4_BRANCH_ADDRESS]; break;
        case VC4_CL_PRIMITIVE_LIST_FORMAT:
            assert_int_equal(r.field[VC4_FORMAT_DATA], 1);
            format = (uint8_t)r.field[VC4_FORMAT_PRIMITIVE];
            shader = 0; /* a shader state must follow */
            break;
        case VC4_CL_GL_SHADER_STATE: shader = (uint32_t)r.field[VC4_SHADER_ADDRESS]; break;
        case VC4_CL_CONFIGURATION_BITS: config = util_load32(guest_memory.base + at - 3) & 0xffffff; break;
        case VC4_CL_POINT_SIZE: size = (uint32_t)r.field[VC4_VALUE]; break;
        case VC4_CL_LINE_WIDTH: width = (uint32_t)r.field[VC4_VALUE]; break;
        case VC4_CL_CLIP_WINDOW: window = (uint32_t)r.field[VC4_CLIP_LEFT]; break;
        case VC4_CL_COMPRESSED_PRIMITIVES:
        case VC4_CL_CLIPPED_PRIMITIVES: {
            struct vc4_list_reader reader;
            uint32_t index[3];
            int more;
            bool clipped = r.id == VC4_CL_CLIPPED_PRIMITIVES;
            assert_true(format <= VC4_TRIANGLES && shader);
            vc4_list_reader_init(&reader, &guest_memory, at, format, MAX_PRIMITIVES);
            while ((more = vc4_list_read(&reader, index, &fault)) == 1) {
                assert_true(t->count < MAX_PRIMITIVES);
                memcpy(t->p[t->count].index, index, sizeof index);
                t->p[t->count].primitive = format;
                t->p[t->count].flags = clipped ? (uint8_t)r.field[VC4_CLIPPED_FLAGS] : 0;
                t->p[t->count].clipped = (uint32_t)r.field[VC4_CLIPPED_ADDRESS];
                t->p[t->count].shader = shader;
                t->p[t->count].config = config;
                t->p[t->count].point_size = size;
                t->p[t->count].line_width = width;
                t->p[t->count].clip_window = window;
                t->count++;
                clipped = false;
            }
            assert_int_equal(more, 0);
            at = reader.at;
            break;
        }
        default: break;
        }
    }
}

static void read_tiles(const struct config *c)
{
    for (uint32_t i = 0; i < TILES * TILES; i++)
        read_tile(i, 32u << c->initial);
}

/* ---- the shader and its vertices: rows of the coordinate format as attributes ---- */

#define VERTICES 3000u

struct coordinate {
    float clip[4];
    int16_t xs, ys;
    float zs, inv_w, size;
};

static struct coordinate *vertex; /* in guest memory */
static uint32_t vertex_address;
static uint32_t shader[3]; /* plain, with clipping, with point size and clipping */

static void make_shaders(void)
{
    vertex_address = guest_alloc(VERTICES * sizeof *vertex, 16);
    vertex = (struct coordinate *)(guest_memory.base + vertex_address);
    uint32_t nothing = guest_program(GUEST_END);
    struct guest_shader s = {.flags = 1, .fs = nothing, .vs = nothing, .cs = guest_copy_program(8)};
    s.attribute_count = 1;
    s.attribute[0] = (struct guest_attribute){vertex_address, sizeof *vertex, sizeof *vertex, 0, 0};
    shader[0] = guest_shader_record(&s);
    s.flags = 5;
    shader[1] = guest_shader_record(&s);
    s.flags = 7;
    shader[2] = guest_shader_record(&s);
}

/* At (x, y) in 1/16 pixel of the 256x256 window. */
static void set_vertex(uint32_t n, int32_t x, int32_t y)
{
    vertex[n] = (struct coordinate){
        .clip = {(float)(x - 2048) / 2048.0f, (float)(y - 2048) / -2048.0f, 0.25f, 1.0f},
        .xs = (int16_t)(x - 2048),
        .ys = (int16_t)(y - 2048),
        .zs = 0.625f,
        .inv_w = 1.0f,
        .size = (float)(1 + n % 60),
    };
}

static void random_vertices(uint32_t count, int32_t reach)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t x = between(-500, 4600), y = between(-500, 4600);
        if (reach && i) {
            x = vertex[i - 1].xs + 2048 + between(-reach, reach);
            y = vertex[i - 1].ys + 2048 + between(-reach, reach);
            if (x < -500 || x > 4600 || y < -500 || y > 4600)
                x = between(0, 4095), y = between(0, 4095);
        }
        set_vertex(i, x, y);
    }
}

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
    return drawn && raster_cover_ref(&prim, &t, clip, blocks);
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
    for (uint32_t mode = 0; mode < TILER_MODE_COUNT; mode++)
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

/* A small triangle in one tile's middle. */
static void one_tile_triangle(uint32_t first, uint32_t tile)
{
    int32_t x = (int32_t)(tile % TILES * 64 + 32) * 16, y = (int32_t)(tile / TILES * 64 + 32) * 16;
    set_vertex(first, x, y);
    set_vertex(first + 1, x + 160, y);
    set_vertex(first + 2, x, y + 160);
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

/* ---- memory ---- */

static void heavy_list(struct list *l, const struct config *c)
{
    memset(l, 0, sizeof *l);
    put_start(l, c);
    put_clip(l, 0, 0, 256, 256);
    put_state(l, shader[1], 3);
    put_array(l, TILER_TRIANGLES, 2997, 0);
    put_state(l, shader[0], 7);
    put_array(l, TILER_TRIANGLE_STRIP, 3000, 0);
    put_array(l, TILER_LINE_STRIP, 500, 3);
    put_end(l);
}

static struct tile_list keep_list(uint32_t tile)
{
    struct tile_list copy = tile_lists[tile];
    copy.p = malloc(MAX_PRIMITIVES * sizeof *copy.p);
    memcpy(copy.p, tile_lists[tile].p, copy.count * sizeof *copy.p);
    return copy;
}

/* The same primitives in the same order and state, whatever the blocks. */
static void test_blocks_and_overspill(void **unused)
{
    struct tile_list want[TILES * TILES];
    struct list l;
    start_device(NULL);
    random_vertices(VERTICES, 400);
    for (uint32_t i = 0; i < VERTICES; i += 50) /* some to be clipped */
        vertex[i].clip[2] = 1.25f;
    heavy_list(&l, &plain);
    run_well(&l);
    read_tiles(&plain);
    for (uint32_t i = 0; i < TILES * TILES; i++) {
        want[i] = keep_list(i);
        assert_true(want[i].count > 50);
    }
    for (unsigned number = 0; number < 16 + 6; number++) {
        struct config c = {ALLOC_BYTES, number / 4 % 4, number % 4, false};
        unsigned short_of = number >= 16 ? number - 16 : 0;
        start_device(NULL);
        if (number >= 16) {
            c = (struct config){short_of == 5 ? 4096u : 16u * 32 + short_of * 40, 0, short_of % 4, false};
            /* Far away, near by; in pieces that fit and that do not; off the line. */
            host = (struct host){.next = short_of & 1 ? ALLOC + (c.alloc_size | 63) + 1 : OVERSPILL,
                                 .chunk = short_of == 4 ? 1000 : 65536,
                                 .left = 10000};
            if (short_of == 2)
                host.next += 8;
        }
        heavy_list(&l, &c);
        run_well(&l);
        assert_true((host.given > 0) == (number >= 16));
        read_tiles(&c);
        for (uint32_t i = 0; i < TILES * TILES; i++) {
            assert_int_equal(tile_lists[i].count, want[i].count);
            for (uint32_t k = 0; k < want[i].count; k++) {
                assert_memory_equal(tile_lists[i].p[k].index, want[i].p[k].index, 12);
                assert_int_equal(tile_lists[i].p[k].flags, want[i].p[k].flags);
                assert_int_equal(tile_lists[i].p[k].shader, want[i].p[k].shader);
                assert_int_equal(tile_lists[i].p[k].config, want[i].p[k].config);
                if (want[i].p[k].flags)
                    assert_memory_equal(guest_memory.base + tile_lists[i].p[k].clipped,
                                        guest_memory.base + tile_lists[i].p[k].clipped, 32);
            }
        }
    }
    for (uint32_t i = 0; i < TILES * TILES; i++)
        free(want[i].p);
}

static void test_out_of_memory(void **unused)
{
    struct list l;
    struct config c = {16 * 32, 0, 0, false};
    heavy_list(&l, &c);
    for (unsigned number = 0; number < 4; number++) {
        start_device(NULL);
        if (number == 1)
            host = (struct host){.next = OVERSPILL, .chunk = 256, .left = 3}; /* then no more */
        if (number == 2)
            host = (struct host){.next = OVERSPILL, .chunk = 8, .left = UINT32_MAX}; /* of no use */
        if (number == 3)
            host = (struct host){.next = MEMORY_BYTES, .chunk = 65536, .left = 10};
        struct gpu_fault fault = run(&l);
        assert_int_equal(fault.kind, number == 3 ? GPU_FAULT_MEMORY : GPU_FAULT_TILE_MEMORY);
        assert_string_equal(fault.unit, "binner");
        assert_in_range(fault.draw, 1, 3);
        assert_int_equal(host.flush_done, 0);
        assert_int_equal(device->semaphore, 0);
        /* The next job starts afresh. */
        struct list good;
        heavy_list(&good, &plain);
        run_well(&good);
        assert_int_equal(host.flush_done, 1);
    }
}

/* Overspill memory that stands ready is taken without an interrupt to ask for it. */
static void test_overspill_in_advance(void **unused)
{
    struct list l;
    struct config c = {16 * 32, 0, 3, false};
    start_device(NULL);
    vc4_write(device, VC4_BPOA, OVERSPILL);
    vc4_write(device, VC4_BPOS, 1u << 20);
    heavy_list(&l, &c);
    run_well(&l);
    assert_int_equal(host.given, 0);
    assert_int_equal(vc4_read(device, VC4_BPOS), 0);
    uint32_t left = vc4_read(device, VC4_BPCS);
    assert_true(left && left < 1u << 20);
    assert_int_equal(vc4_read(device, VC4_BPCA), OVERSPILL + (1u << 20) - left);
    assert_true(vc4_read(device, VC4_INTCTL) & VC4_INT_SPILLUSE);
}

static void test_same_bytes_with_threads(void **unused)
{
    struct list l;
    uint8_t *first = malloc(ALLOC_BYTES);
    random_vertices(VERTICES, 400);
    for (unsigned threads = 0; threads < 4; threads++) {
        struct util_pool *pool = NULL;
        if (threads)
            assert_int_equal(util_pool_create(threads, &pool), 0);
        start_device(pool);
        memset(guest_memory.base + ALLOC, 0, ALLOC_BYTES);
        heavy_list(&l, &plain);
        run_well(&l);
        if (threads)
            assert_memory_equal(first, guest_memory.base + ALLOC, ALLOC_BYTES);
        else
            memcpy(first, guest_memory.base + ALLOC, ALLOC_BYTES);
        vc4_device_destroy(device);
        device = NULL;
        util_pool_destroy(pool);
    }
    free(first);
}

/* ---- control flow ---- */

static void test_flow(void **unused)
{
    struct list inner = {0}, middle = {0}, main_list = {0};
    start_device(NULL);
    one_tile_triangle(0, 5);
    uint32_t top = guest_top;
    put_array(&inner, TILER_TRIANGLES, 3, 0);
    put(&inner, VC4_CL_RETURN, 1);
    uint32_t inner_at = guest_copy(inner.bytes, inner.size, 1);
    put_record(&middle, VC4_CL_BRANCH_TO_SUB_LIST, 1, inner_at, 0);
    put_record(&middle, VC4_CL_BRANCH_TO_SUB_LIST, 1, inner_at, 0);
    put(&middle, VC4_CL_RETURN, 1);
    uint32_t middle_at = guest_copy(middle.bytes, middle.size, 1);
    put(&main_list, VC4_CL_NOP, 1);
    put(&main_list, VC4_CL_RETURN, 1); /* nothing on the stack: ignored */
    put_start(&main_list, &plain);
    put_clip(&main_list, 0, 0, 256, 256);
    put_state(&main_list, shader[0], 3);
    put_record(&main_list, VC4_CL_BRANCH_TO_SUB_LIST, 1, middle_at, 0);
    put_end(&main_list);
    run_well(&main_list);
    read_tiles(&plain);
    assert_int_equal(tile_lists[5].count, 2);
    assert_int_equal(vc4_read(device, VC4_CT0LC), 1u << 16 | 3);

    struct list deep = {0}; /* a list that calls itself */
    uint32_t at = guest_alloc(16, 16);
    put_record(&deep, VC4_CL_BRANCH_TO_SUB_LIST, 1, at, 0);
    memcpy(guest_memory.base + at, deep.bytes, deep.size);
    struct gpu_fault fault = run(&deep);
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, at);
    guest_memory.base[at] = VC4_CL_BRANCH; /* an endless one */
    fault = run(&deep);
    assert_int_equal(fault.kind, GPU_FAULT_TIMEOUT);
    deep.size = 0;
    put_record(&deep, VC4_CL_BRANCH, 1, MEMORY_BYTES, 0);
    fault = run(&deep);
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, MEMORY_BYTES);
    guest_top = top;
}

static void test_waiting_and_extending(void **unused)
{
    struct list l = {0};
    start_device(NULL);
    one_tile_triangle(0, 5);
    put_start(&l, &plain);
    put_clip(&l, 0, 0, 256, 256);
    put_state(&l, shader[0], 3);
    uint32_t pause = l.size;
    put_array(&l, TILER_TRIANGLES, 3, 0);
    put(&l, VC4_CL_WAIT_ON_SEMAPHORE, 1);
    uint32_t wait = l.size - 1;
    put_end(&l);
    uint32_t top = guest_top, at = guest_copy(l.bytes, l.size, 16);
    vc4_write(device, VC4_CT0CA, at);
    vc4_write(device, VC4_CT0EA, at + pause); /* the list is not all there yet */
    assert_int_equal(vc4_read(device, VC4_CT0CA), at + pause);
    assert_int_equal(host.flush_done, 0);
    vc4_write(device, VC4_CT0EA, at + l.size);
    assert_int_equal(vc4_read(device, VC4_CT0CA), at + wait); /* waits for the renderer */
    assert_int_equal(host.flush_done, 0);
    uint32_t signal = guest_alloc(1, 1);
    guest_memory.base[signal] = VC4_CL_INCREMENT_SEMAPHORE;
    vc4_write(device, VC4_CT1CA, signal);
    vc4_write(device, VC4_CT1EA, signal + 1);
    assert_int_equal(vc4_read(device, VC4_CT0CA), at + l.size);
    assert_int_equal(host.flush_done, 1);
    read_tiles(&plain);
    assert_int_equal(tile_lists[5].count, 1);
    guest_top = top;
}

/* ---- what is refused ---- */

enum step { AT_ONCE, AFTER_CONFIG, AFTER_START, AFTER_STATE };

static void expect(enum step step, const uint8_t *bytes, uint32_t size, enum gpu_fault_kind kind)
{
    struct list l = {0};
    start_device(NULL);
    if (step == AFTER_CONFIG)
        put_config(&l, &plain);
    if (step >= AFTER_START)
        put_start(&l, &plain);
    if (step == AFTER_STATE)
        put_state(&l, shader[0], 3);
    memcpy(l.bytes + l.size, bytes, size);
    l.size += size;
    struct gpu_fault fault = run(&l);
    if (fault.kind != kind)
        fail_msg("record %u: fault %d (%s), not %d", bytes[0], fault.kind, fault.text, kind);
    assert_true(fault.text[0]);
    assert_string_equal(fault.gpu, "vc4");
    assert_true(vc4_read(device, VC4_CT0CS) & 1u << 3); /* CTERR */
}

#define EXPECT(step, kind, ...)                                                                              \
    do {                                                                                                     \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                              \
        expect(step, bytes_, sizeof bytes_, kind);                                                           \
    } while (0)

static void test_refusals(void **unused)
{
    for (unsigned id = 0; id < 256; id++)
        if (!vc4_cl_name(id))
            EXPECT(AFTER_START, GPU_FAULT_PACKET, (uint8_t)id, 0, 0, 0, 0, 0, 0, 0, 0);
        else if (!vc4_cl_allowed(id, false) && id != VC4_CL_PRIMITIVE_LIST_FORMAT)
            EXPECT(AFTER_START, GPU_FAULT_PACKET, (uint8_t)id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_START_TILE_BINNING);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_START_TILE_BINNING);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_FLUSH);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_PRIMITIVE_LIST_FORMAT, 0x32);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_PRIMITIVE_LIST_FORMAT, 0x13);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_VG_COORDINATE_ARRAY, 4, 0, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_VG_INLINE, 4);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_NV_SHADER_STATE, 0, 0, 0, 0);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_VG_SHADER_STATE, 0, 0, 0, 0);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_VG_INLINE_SHADER, 0, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_CONFIGURATION_BITS, 3, 1, 0);    /* coverage pipe */
    EXPECT(AFTER_START, GPU_FAULT_UNSUPPORTED, VC4_CL_CONFIGURATION_BITS, 0x83, 0, 0); /* 16x */
    EXPECT(AFTER_CONFIG, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_START, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 7, 3, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0xfe, 0xff, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_ARRAY_PRIMITIVES, 4, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0);
    /* indices: outside memory, of a reserved type, greater than the maximum, attributes outside memory */
    EXPECT(AFTER_STATE, GPU_FAULT_MEMORY, VC4_CL_INDEXED_PRIMITIVES, 0x14, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
           3, 0, 0, 0);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_INDEXED_PRIMITIVES, 0x24, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0,
           0);
    util_store32(guest_memory.base, 0x00020001);
    EXPECT(AFTER_STATE, GPU_FAULT_PACKET, VC4_CL_INDEXED_PRIMITIVES, 0x14, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
           0);
    EXPECT(AFTER_STATE, GPU_FAULT_MEMORY, VC4_CL_GL_SHADER_STATE, 0xf1, 0xff, 0xff, 0xff,
           VC4_CL_ARRAY_PRIMITIVES, 4, 3, 0, 0, 0, 0, 0, 0, 0);
    /* configurations: 64-bit, double buffer, not initialised, no tiles, not aligned, too little memory */
    EXPECT(AT_ONCE, GPU_FAULT_UNSUPPORTED, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0,
           4, 4, 6);
    EXPECT(AT_ONCE, GPU_FAULT_UNSUPPORTED, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0,
           4, 4, 0x84);
    EXPECT(AT_ONCE, GPU_FAULT_UNSUPPORTED, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0,
           4, 4, 0);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0, 0, 4,
           4);
    EXPECT(AT_ONCE, GPU_FAULT_PACKET, VC4_CL_TILE_BINNING_CONFIG, 4, 0, 64, 0, 0, 0, 16, 0, 0, 0, 96, 0, 4, 4,
           4);
    EXPECT(AT_ONCE, GPU_FAULT_TILE_MEMORY, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0xff, 1, 0, 0, 0, 0, 96,
           0, 4, 4, 4, VC4_CL_START_TILE_BINNING);
    EXPECT(AT_ONCE, GPU_FAULT_MEMORY, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 0, 0xff, 0, 0, 16, 0, 0, 0, 96, 0, 4,
           4, 4, VC4_CL_START_TILE_BINNING);
    EXPECT(AT_ONCE, GPU_FAULT_MEMORY, VC4_CL_TILE_BINNING_CONFIG, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 0, 0xff, 4,
           4, 4, VC4_CL_START_TILE_BINNING);
}

/* Valid lists with bytes changed: whatever happens is a fault or a picture, never a crash or a hang. */
static void test_mutations(void **unused)
{
    unsigned faults = 0, fine = 0;
    start_device(NULL);
    random_vertices(200, 300);
    for (unsigned number = 0; number < 3000; number++) {
        struct list l = {0};
        put_start(&l, &plain);
        put_clip(&l, 0, 0, 256, 256);
        put_state(&l, shader[number % 3], 3);
        put_array(&l, number % 7, 60, number % 50);
        put_indexed(&l, 4, number & 1, 90, vertex_address, 0xffff);
        put_end(&l);
        for (unsigned changes = random32() % 4; changes; changes--)
            l.bytes[random32() % l.size] =
                random32() % 3 ? (uint8_t)random32() : (uint8_t)(1u << random32() % 8);
        host.left = 4;
        host.next = OVERSPILL;
        host.chunk = 4096;
        struct gpu_fault fault = run(&l);
        faults += fault.kind != GPU_FAULT_NONE;
        fine += fault.kind == GPU_FAULT_NONE;
        if (fault.kind != GPU_FAULT_NONE)
            assert_true(fault.text[0] && fault.unit);
        /* A write to tile memory may have gone anywhere: put the guest back. */
        if (number % 100 == 99)
            start_device(NULL);
    }
    assert_true(faults > 200 && fine > 200);
}

static uint8_t *pristine;

static int restore(void **unused)
{
    memcpy(guest_memory.base, pristine, ALLOC);
    return 0;
}

static int set_up(void **unused)
{
    if (gpu_memory_create(MEMORY_BYTES, &guest_memory))
        return -1;
    make_shaders();
    pristine = malloc(ALLOC);
    memcpy(pristine, guest_memory.base, ALLOC);
    return 0;
}

static int tear_down(void **unused)
{
    for (uint32_t i = 0; i < TILES * TILES; i++)
        free(tile_lists[i].p);
    vc4_device_destroy(device);
    free(pristine);
    gpu_memory_destroy(&guest_memory);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, restore)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_modes),
        TEST(test_culling_and_window),
        TEST(test_lazy_state),
        TEST(test_flush_all_state),
        TEST(test_clipping),
        TEST(test_rejection),
        TEST(test_blocks_and_overspill),
        TEST(test_out_of_memory),
        TEST(test_overspill_in_advance),
        TEST(test_same_bytes_with_threads),
        TEST(test_flow),
        TEST(test_waiting_and_extending),
        TEST(test_refusals),
        TEST(test_mutations),
    };
    return cmocka_run_group_tests_name("binner", tests, set_up, tear_down);
}
