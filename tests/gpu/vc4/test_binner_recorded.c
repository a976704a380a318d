/* Binning lists of the stock driver, recorded in tests/data/vc4 as its submit ioctls handed them over, made
 * ready as the kernel does and binned: interpreted and compiled code must leave the same bytes, and the lists
 * must hold what the scenes are. */
#include "tests/gpu/recorded.h"
#include "tests/gpu/vc4/guest.h"

#include "gpu/vc4/cl.h"
#include "gpu/vc4/tile_list.h"
#include "gpu/vc4/vertex.h"
#include "jit/engine.h"
#include "raster/prim.h"
#include "util/fpenv.h"

#define MEMORY_BYTES (64u << 20)
#define ALLOC        (48u << 20)
#define ALLOC_BYTES  (512u << 10)
#define STATE_ARRAY  (50u << 20)
#define OURS         (52u << 20) /* record, uniforms, list */
#define HANDLES      254u        /* kernel's own packet: two buffer numbers for the next record's addresses */

static struct jit_engine *engine;

struct submission {
    uint32_t buffer[64]; /* guest addresses */
    uint8_t list[4096], record[512], uniforms[8192];
    uint32_t list_size, record_size, uniforms_size;
};

static uint8_t *place_buffer(void *submission, unsigned number, uint32_t address)
{
    struct submission *s = submission;
    assert_true(number < UTIL_ARRAY_SIZE(s->buffer));
    s->buffer[number] = address;
    return guest_memory.base + address;
}

static void load(const char *name, struct submission *s)
{
    char scene[64];
    snprintf(scene, sizeof scene, "vc4/%s", name);
    recorded_buffers(scene, "index.txt", place_buffer, s);
    s->list_size = recorded_file(scene, "bin_cl.bin", s->list, sizeof s->list);
    s->record_size = recorded_file(scene, "shader_rec.bin", s->record, sizeof s->record);
    s->uniforms_size = recorded_file(scene, "uniforms.bin", s->uniforms, sizeof s->uniforms);
}

/* The shader record with its buffers' addresses, its uniform streams behind it; returns its address. */
static uint32_t make_record(struct submission *s, struct gpu_programs *programs, unsigned attributes)
{
    const uint32_t *handle = (const uint32_t *)s->record;
    uint8_t *record = guest_memory.base + OURS;
    uint32_t uniforms = OURS + 4096, from = 0;
    assert_int_equal(s->record_size, (3 + attributes) * 4 + 36 + attributes * 8);
    memcpy(record, s->record + (3 + attributes) * 4, 36 + attributes * 8);
    for (unsigned stage = 0; stage < 3; stage++) { /* fragment, vertex, coordinate program */
        uint32_t code = s->buffer[handle[stage]], at = 4 + stage * 12;
        struct gpu_fault fault;
        const struct vc4_qpu_program *program = vc4_programs_get(programs, &guest_memory, code, NULL, &fault);
        if (!program)
            fail_msg("%s", fault.text);
        from += program->sample_count * 4; /* textures' buffer numbers */
        memcpy(guest_memory.base + uniforms, s->uniforms + from, program->uniform_count * 4);
        from += program->uniform_count * 4;
        util_store32(record + at, code);
        util_store32(record + at + 4, uniforms);
        uniforms += program->uniform_count * 4;
    }
    assert_int_equal(from, s->uniforms_size);
    for (unsigned i = 0; i < attributes; i++) {
        uint8_t *address = record + 36 + i * 8;
        util_store32(address, util_load32(address) + s->buffer[handle[3 + i]]);
    }
    return OURS;
}

/* The list as the kernel rewrites it (vc4_validate.c); returns its end. */
static uint32_t make_list(struct submission *s, struct gpu_programs *programs)
{
    uint32_t to = OURS + 32768, index_buffer = 0;
    for (uint32_t at = 0, size; at < s->list_size; at += size) {
        uint8_t *out = guest_memory.base + to;
        struct vc4_cl_record r;
        if (s->list[at] == HANDLES) {
            index_buffer = s->buffer[util_load32(s->list + at + 1)];
            size = 9;
            continue;
        }
        assert_int_equal(vc4_cl_decode(s->list + at, s->list_size - at, &r), VC4_CL_OK);
        size = r.size;
        memcpy(out, s->list + at, size);
        if (r.id == VC4_CL_TILE_BINNING_CONFIG) {
            util_store32(out + 1, ALLOC);
            util_store32(out + 5, ALLOC_BYTES);
            util_store32(out + 9, STATE_ARRAY);
            out[15] = (uint8_t)((out[15] & ~0x78) | 1u << 2 | 2u << 5);
        } else if (r.id == VC4_CL_GL_SHADER_STATE) {
            uint32_t attributes = out[1] & 7u ? out[1] & 7u : 8;
            util_store32(out + 1, make_record(s, programs, attributes) | (out[1] & 15u));
        } else if (r.id == VC4_CL_INDEXED_PRIMITIVES) {
            util_store32(out + 6, util_load32(out + 6) + index_buffer);
        }
        to += size;
    }
    return to;
}

enum { TILES = 16, MOST = 64 };

struct result {
    uint32_t count[TILES];
    uint32_t index[TILES][MOST][3];
    uint64_t in, binned, vertices;
    uint8_t *bytes; /* tile memory */
};

/* Primitives of a tile's list. */
static uint32_t read_list(uint32_t at, uint32_t (*out)[3])
{
    uint32_t count = 0;
    uint8_t format = 0xff;
    for (unsigned step = 0; step < 10000; step++) {
        struct vc4_cl_record r;
        struct vc4_list_reader reader;
        struct gpu_fault fault;
        assert_int_equal(vc4_cl_decode(guest_memory.base + at, 16, &r), VC4_CL_OK);
        at += r.size;
        if (r.id == VC4_CL_RETURN)
            return count;
        if (r.id == VC4_CL_BRANCH)
            at = (uint32_t)r.field[VC4_BRANCH_ADDRESS];
        if (r.id == VC4_CL_PRIMITIVE_LIST_FORMAT)
            format = (uint8_t)r.field[VC4_FORMAT_PRIMITIVE];
        if (r.id != VC4_CL_COMPRESSED_PRIMITIVES)
            continue;
        assert_int_equal(format, VC4_TRIANGLES);
        vc4_list_reader_init(&reader, &guest_memory, at, format, 10000);
        for (int more; assert_true(count < MOST), (more = vc4_list_read(&reader, out[count], &fault));
             count++)
            assert_int_equal(more, 1);
        at = reader.at;
    }
    fail_msg("endless list");
    return 0;
}

static void bin(const char *scene, struct jit_engine *with, struct result *out)
{
    const struct gpu_options options = {.engine = with};
    static struct submission s;
    struct vc4_device *device;
    struct gpu_fault fault;
    struct gpu_counters counters;
    memset(&s, 0, sizeof s);
    memset(guest_memory.base + ALLOC, 0, MEMORY_BYTES - ALLOC);
    load(scene, &s);
    assert_int_equal(vc4_device_create(&guest_memory, &options, &device), 0);
    uint32_t end = make_list(&s, device->programs);
    vc4_write(device, VC4_CT0CA, OURS + 32768);
    vc4_write(device, VC4_CT0EA, end);
    if (gpu_host_faults(vc4_device_host(device), &fault, 1))
        fail_msg("%s: %s", scene, fault.text);
    assert_int_equal(vc4_read(device, VC4_CT0CA), end);
    assert_int_equal(vc4_read(device, VC4_BFC), 1);
    counters = vc4_device_host(device)->counters;
    vc4_device_destroy(device);
    *out = (struct result){.in = counters.primitives_in,
                           .binned = counters.primitives_binned,
                           .vertices = counters.vertices,
                           .bytes = malloc(ALLOC_BYTES)};
    memcpy(out->bytes, guest_memory.base + ALLOC, ALLOC_BYTES);
    for (uint32_t tile = 0; tile < TILES; tile++)
        out->count[tile] = read_list(ALLOC + tile * 32, out->index[tile]);
}

/* ---- the lists against the vertex program and the rasterizer ---- */

static void place_triangle(const struct vc4_vertex_stage *stage, const uint32_t index[3],
                           struct raster_vertex v[3])
{
    static const float none[RASTER_MAX_VARYINGS];
    static struct vc4_vertex_batch batch;
    struct gpu_fault fault;
    uint32_t lanes[16] = {index[0], index[1], index[2]};
    unsigned saved = util_fpenv_enter();
    assert_int_equal(vc4_vertex_shade(stage, lanes, &batch, &fault), 0);
    util_fpenv_leave(saved);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t xy = batch.row[0][i];
        v[i] = (struct raster_vertex){
            (int16_t)xy + 128 * 16, (int16_t)(xy >> 16) + 128 * 16, 0.5f, 1.0f, none, 1};
    }
}

static bool covers(const struct raster_vertex v[3], uint32_t tile)
{
    static struct raster_tile t;
    static struct raster_block blocks[RASTER_BLOCKS_MAX];
    const struct raster_setup setup = {0};
    const struct raster_rect everything = {0, 0, 256, 256};
    struct raster_prim prim;
    t.width = t.height = 64;
    t.samples = 1;
    t.x = (int32_t)(tile % 4 * 64);
    t.y = (int32_t)(tile / 4 * 64);
    return raster_setup_triangle(&prim, &setup, v) && raster_cover_ref(&prim, &t, &everything, blocks);
}

static bool listed(const struct result *r, uint32_t tile, const uint32_t index[3])
{
    for (uint32_t i = 0; i < r->count[tile]; i++)
        if (!memcmp(r->index[tile][i], index, 12))
            return true;
    return false;
}

/* Every triangle of any list is in the lists of all tiles where its vertex program puts something. Returns
 * how many pairs of triangle and tile there must be. */
static uint32_t check_coverage(const struct result *r, unsigned attributes)
{
    struct gpu_programs *programs;
    struct vc4_shader_state state;
    struct vc4_vertex_stage *stage;
    struct gpu_fault fault;
    uint32_t needed = 0;
    assert_int_equal(gpu_programs_create(&vc4_program_kind, &programs), 0);
    assert_true(vc4_shader_state_read(programs, &guest_memory, OURS, attributes, false, &state, &fault));
    assert_int_equal(vc4_vertex_prepare(&guest_memory, NULL, &state, false, 23, 1000, NULL, &stage, &fault),
                     0);
    for (uint32_t from = 0; from < TILES; from++)
        for (uint32_t i = 0; i < r->count[from]; i++) {
            struct raster_vertex v[3];
            const uint32_t *index = r->index[from][i];
            place_triangle(stage, index, v);
            needed += covers(v, from);
            for (uint32_t tile = 0; tile < TILES; tile++)
                assert_true(!covers(v, tile) || listed(r, tile, index));
        }
    vc4_vertex_release(stage);
    gpu_programs_destroy(programs);
    return needed;
}

static const struct scene {
    const char *name;
    uint32_t in, vertices; /* triangles given, all of them visible or facing away; vertices */
    unsigned attributes;
} scenes[] = {
    {"clear", 0, 0, 0},
    {"triangle", 1, 3, 2},
    {"cube", 12, 24, 2},
    {"loop", 2, 4, 1},
};

static void test_scenes(void **unused)
{
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(scenes); i++) {
        const struct scene *s = &scenes[i];
        static struct result interpreted, compiled;
        bin(s->name, NULL, &interpreted);
        bin(s->name, engine, &compiled);
        assert_memory_equal(interpreted.bytes, compiled.bytes, ALLOC_BYTES);
        assert_int_equal(compiled.in, s->in);
        assert_int_equal(compiled.binned, s->in);
        assert_int_equal(compiled.vertices, s->vertices);
        uint32_t listed_pairs = 0;
        for (uint32_t tile = 0; tile < TILES; tile++)
            listed_pairs += compiled.count[tile];
        if (s->in) {
            uint32_t needed = check_coverage(&compiled, s->attributes);
            assert_true(needed >= s->in * 4 && listed_pairs <= needed + needed / 8);
        } else {
            assert_int_equal(listed_pairs, 0);
        }
        free(interpreted.bytes);
        free(compiled.bytes);
    }
}

static int set_up(void **unused)
{
    const struct jit_options options = {.level = -1, .optimize = 0, .cache_dir = ""};
    struct util_error error = {0};
    return gpu_memory_create(MEMORY_BYTES, &guest_memory) || jit_engine_create(&options, &engine, &error);
}

static int tear_down(void **unused)
{
    jit_engine_destroy(engine);
    gpu_memory_destroy(&guest_memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests_name("recorded binning lists", tests, set_up, tear_down);
}
