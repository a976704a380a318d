/* Binning lists for tests: written, run on a device, and the tile lists read back with the renderer's reader.
 */
#ifndef VITRAIL_TESTS_GPU_VC4_BINNER_SCENE_H
#define VITRAIL_TESTS_GPU_VC4_BINNER_SCENE_H

#include "tests/gpu/vc4/guest.h"

#include "gpu/vc4/cl.h"
#include "gpu/vc4/tile_list.h"
#include "tiler/assemble.h"

#define MEMORY_BYTES (16u << 20)
#define TILES        4u
#define ALLOC        (4u << 20) /* tile memory, and the state array behind it */
#define ALLOC_BYTES  (1u << 20)
#define STATE_ARRAY  (6u << 20)
#define OVERSPILL    (8u << 20) /* more than a relative branch reaches away from ALLOC */

static struct vc4_device *device;
static uint64_t seed = 5;

static inline uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static inline int32_t between(int32_t lo, int32_t hi) /* inclusive */
{
    return lo + (int32_t)(random32() % ((uint32_t)(hi - lo) + 1));
}

/* ---- writing lists ---- */

struct list {
    uint8_t bytes[1024];
    uint32_t size;
};

static inline void put(struct list *l, uint64_t value, uint32_t size)
{
    memcpy(l->bytes + l->size, &value, size);
    l->size += size;
}

static inline void put_record(struct list *l, uint8_t id, uint32_t words, uint32_t a, uint32_t b)
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

static inline void put_config(struct list *l, const struct config *c)
{
    put(l, VC4_CL_TILE_BINNING_CONFIG, 1);
    put(l, ALLOC, 4);
    put(l, c->alloc_size, 4);
    put(l, STATE_ARRAY, 4);
    put(l, TILES | TILES << 8, 2);
    put(l, c->ms | 1u << 2 | c->initial << 3 | c->block << 5, 1);
}

static inline void put_clip(struct list *l, uint32_t x, uint32_t y, uint32_t w, uint32_t h)
{
    put_record(l, VC4_CL_CLIP_WINDOW, 2, x | y << 16, w | h << 16);
}

static inline void put_state(struct list *l, uint32_t shader, uint32_t config_bits)
{
    put_record(l, VC4_CL_GL_SHADER_STATE, 1, shader | 1, 0);
    put(l, VC4_CL_CONFIGURATION_BITS, 1);
    put(l, config_bits, 3);
    put_record(l, VC4_CL_VIEWPORT_OFFSET, 1, 128 * 16 | 128 * 16 << 16, 0);
    put_record(l, VC4_CL_CLIPPER_XY_SCALING, 2, util_f2u(128 * 16), util_f2u(-128 * 16));
    put_record(l, VC4_CL_CLIPPER_Z_SCALING, 2, util_f2u(0.5f), util_f2u(0.5f));
}

static inline void put_start(struct list *l, const struct config *c)
{
    put_config(l, c);
    put(l, VC4_CL_START_TILE_BINNING, 1);
    put(l, VC4_CL_PRIMITIVE_LIST_FORMAT, 1);
    put(l, 0x12, 1);
}

static inline void put_indexed(struct list *l, uint32_t mode, bool is_16bit, uint32_t length,
                               uint32_t address, uint32_t max)
{
    put(l, VC4_CL_INDEXED_PRIMITIVES, 1);
    put(l, mode | (uint32_t)is_16bit << 4, 1);
    put(l, length, 4);
    put(l, address, 4);
    put(l, max, 4);
}

static inline void put_array(struct list *l, uint32_t mode, uint32_t length, uint32_t first)
{
    put(l, VC4_CL_ARRAY_PRIMITIVES, 1);
    put(l, mode, 1);
    put(l, length, 4);
    put(l, first, 4);
}

static inline void put_end(struct list *l)
{
    put(l, VC4_CL_INCREMENT_SEMAPHORE, 1);
    put(l, VC4_CL_FLUSH, 1);
}

/* ---- running them ---- */

struct host {
    uint32_t next, chunk, left; /* overspill memory to give */
    uint32_t given, flush_done;
};

static inline void interrupt(void *data, uint32_t pending)
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

static inline void start_observed(struct util_pool *pool, const struct gpu_observer *observer)
{
    const struct gpu_options options = {
        .pool = pool, .observer = observer, .packet_budget = 100000, .fuel = 1000};
    vc4_device_destroy(device);
    assert_int_equal(vc4_device_create(&guest_memory, &options, &device), 0);
    host = (struct host){0};
    gpu_host_set_irq(vc4_device_host(device), interrupt, &host);
    vc4_write(device, VC4_INTENA, VC4_INT_FLDONE | VC4_INT_OUTOMEM);
}

static inline void start_device(struct util_pool *pool)
{
    start_observed(pool, NULL);
}

/* Runs the list; the first fault, or kind NONE. */
static inline struct gpu_fault run(const struct list *l)
{
    struct gpu_fault fault = {0}, more[8];
    uint32_t top = guest_top, at = guest_copy(l->bytes, l->size, 16);
    vc4_write(device, VC4_CT0CA, at);
    vc4_write(device, VC4_CT0EA, at + l->size);
    if (gpu_host_faults(vc4_device_host(device), more, 8))
        fault = more[0];
    guest_top = top;
    return fault;
}

static inline void run_well(const struct list *l)
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

static inline void read_tile(uint32_t tile, uint32_t initial_block)
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
        case VC4_CL_NV_SHADER_STATE:
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

static inline void read_tiles(const struct config *c)
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

static inline void make_shaders(void)
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
static inline void set_vertex(uint32_t n, int32_t x, int32_t y)
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

static inline void random_vertices(uint32_t count, int32_t reach)
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

/* A small triangle in one tile's middle. */
static inline void one_tile_triangle(uint32_t first, uint32_t tile)
{
    int32_t x = (int32_t)(tile % TILES * 64 + 32) * 16, y = (int32_t)(tile / TILES * 64 + 32) * 16;
    set_vertex(first, x, y);
    set_vertex(first + 1, x + 160, y);
    set_vertex(first + 2, x, y + 160);
}

/* ---- groups of tests ---- */

static uint8_t *pristine;

static inline int restore(void **unused)
{
    memcpy(guest_memory.base, pristine, ALLOC);
    return 0;
}

static inline int set_up(void **unused)
{
    if (gpu_memory_create(MEMORY_BYTES, &guest_memory))
        return -1;
    make_shaders();
    pristine = malloc(ALLOC);
    memcpy(pristine, guest_memory.base, ALLOC);
    return 0;
}

static inline int tear_down(void **unused)
{
    for (uint32_t i = 0; i < TILES * TILES; i++)
        free(tile_lists[i].p);
    vc4_device_destroy(device);
    free(pristine);
    gpu_memory_destroy(&guest_memory);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, restore)

#endif
