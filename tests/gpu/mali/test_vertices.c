/* Vertex jobs: the positions and varyings of the stock driver's scenes (tests/data) against what their programs
 * compute, worked out here in the same order; instances and special records; the same bytes at any number of
 * threads. */
#include "gpu/mali/device_internal.h"
#include "gpu/mali/threads.h"
#include "tests/gpu/mali/dispatch.h"
#include "tests/gpu/mali/scene.h"
#include "util/half.h"

/* ---- scenes ---- */

static uint8_t *at(struct scene *s, uint64_t address)
{
    return s->guest.memory.base + (*guest_entry(&s->guest, address) & 0xfffff000u) + address % GPU_PAGE;
}

struct drawn {
    struct scene scene;
    struct util_arena *arena;
    union mali_payload payload; /* of the vertex job */
    const struct mali_bindings *b;
    const float *uniform;
};

static void draw(struct drawn *d, const char *folder, enum mali_kind kind)
{
    struct mali_stop stop = {0};
    struct mali_job_header header;
    scene_load(&d->scene, folder, &(struct mali_options){.kind = kind});
    struct mali_device *device = d->scene.guest.device;
    const struct mali_reader reader = {mali_as_space(device, 0, &stop), device->version, "test", NULL};
    assert_int_equal(util_arena_create(&d->arena), 0);
    assert_true(mali_desc_read(&reader, &mali_desc_job_header, d->scene.chain[1], &header, &stop));
    uint64_t vertices = header.next;
    assert_true(mali_desc_read(&reader, &mali_desc_job_header, vertices, &header, &stop));
    assert_true(mali_payload_read(&reader, vertices, &header, d->arena, &d->payload, &stop));
    d->b = &d->payload.compute.bindings;
    d->uniform = (const float *)at(&d->scene, d->payload.compute.draw.push_uniforms);
    assert_int_equal(guest_run(&d->scene.guest, 1, d->scene.chain[1]), 2);
    guest_expect_no_fault(&d->scene.guest);
}

static void end(struct drawn *d)
{
    util_arena_destroy(d->arena);
    guest_destroy(&d->scene.guest);
}

/* Clip coordinates as the window's: scale and offset are the first two uniforms. */
static void expect_position(struct drawn *d, uint32_t n, const float clip[4])
{
    const struct mali_array *a = &d->b->varying_buffer[1];
    const float *stored = (const float *)at(&d->scene, a->pointer + (uint64_t)n * a->stride), *u = d->uniform;
    float over = 1.0f / clip[3];
    for (unsigned c = 0; c < 3; c++)
        assert_true(stored[c] == clip[c] * over * u[c] + u[4 + c]);
    assert_true(stored[3] == over);
}

static void test_triangles(void **state)
{
    static const struct {
        const char *folder;
        enum mali_kind kind;
    } scenes[] = {{"t720/triangle", MALI_T720}, {"t760/triangle", MALI_T760}, {"t860/triangle", MALI_T860}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(scenes); n++) {
        struct drawn d;
        draw(&d, scenes[n].folder, scenes[n].kind);
        const float *first = (const float *)at(&d.scene, d.b->attribute_buffer[0].pointer);
        for (uint32_t v = 0; v < 3;
             v++) { /* four singles of position, to which a uniform is added, and of colour */
            const float *p = first + 8 * v, *u = d.uniform + 8;
            expect_position(&d, v, (const float[4]){p[0] + u[0], p[1] + u[1], p[2] + u[2], p[3] + u[3]});
            const uint8_t *color = at(&d.scene, d.b->varying_buffer[0].pointer + 8 * v);
            for (unsigned c = 0; c < 4; c++)
                assert_true(util_half_to_float((uint16_t)(color[2 * c] | color[2 * c + 1] << 8)) == p[4 + c]);
        }
        end(&d);
    }
}

/* 24 vertices: a matrix times the position, column by column; two texture coordinates as halves. */
static void test_cubes(void **state)
{
    static const struct {
        const char *folder;
        enum mali_kind kind;
    } scenes[] = {{"t720/cube", MALI_T720}, {"t860/cube", MALI_T860}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(scenes); n++) {
        struct drawn d;
        draw(&d, scenes[n].folder, scenes[n].kind);
        const float *first = (const float *)at(&d.scene, d.b->attribute_buffer[0].pointer),
                    *m = d.uniform + 8;
        for (uint32_t v = 0; v < 24; v++) {
            const float *p = first + 5 * v;
            float clip[4];
            for (unsigned c = 0; c < 4; c++)
                clip[c] = m[c] * p[0] + m[4 + c] * p[1] + m[8 + c] * p[2] + m[12 + c];
            expect_position(&d, v, clip);
            const struct mali_array *a = &d.b->varying_buffer[0];
            const uint8_t *uv = at(&d.scene, a->pointer + (uint64_t)v * a->stride);
            for (unsigned c = 0; c < 2; c++)
                assert_true(util_half_to_float((uint16_t)(uv[2 * c] | uv[2 * c + 1] << 8)) == p[3 + c]);
        }
        end(&d);
    }
}

/* ---- jobs of our own ---- */

enum {
    VERTICES = 1500,
    INSTANCES = 3,
    PADDED = 3 << 9,
    RGBA32F = 191,
    R32UI = 133,
    RGBA8_UNORM = 187,
    RGBA = 0x688
};
enum { FROM = DISPATCH_DATA, TO = DISPATCH_DATA + 0x10000 };

/* A vertex doubles its attribute, and stores the numbers of its own that special records give. Attribute 0 is one
 * a vertex and repeats with instances, 1 and 2 are special. */
static void vertices_begin(struct dispatch *d, const struct mali_options *options, uint32_t instances)
{
    dispatch_begin(
        d, options, MALI_JOB_TYPE_VERTEX,
        "ld_attr_32 r0, zero.x, zero.x, 0:0 ; ld_attr_32u r1.x, zero.x, zero.x, 1:0 ; next ldst\n"
        "ld_attr_32u r2.x, zero.x, zero.x, 2:0 ; nop ; next alu1\n"
        "vadd.fadd.32 r27, r0, r0 ; next alu1\n"
        "vmul.imov.32 r26.x, r24.xxxx, r1.xxxx ; next alu1\n"
        "vmul.imov.32 r26.y, r24.xxxx, r2.xxxx ; next ldst\n"
        "st_vary_32 al1, zero.x, zero.x.s32, 0:0 ; st_vary_32u al0, zero.x, zero.x.s32, 1:0 ; stop\n");
    dispatch_sizes(d, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, VERTICES, instances});
    dispatch_counts(d, 0, 0, 3, 2, 0);
    if (instances > 1) /* 3 << 9 numbers each; else one, as Mesa has it */
        dispatch_set(d, DISPATCH_JOB + 64, 0, 6 | (9 | 1 << 5) << 16);
    dispatch_array(d, DISPATCH_ATTRIBUTES, 0, RGBA8_UNORM, RGBA, FROM, 4, 4 * VERTICES);
    dispatch_set(d, DISPATCH_ATTRIBUTE_BUFFERS, 0, FROM | 3); /* modulus */
    dispatch_set(d, DISPATCH_ATTRIBUTE_BUFFERS, 1, (9u | 1 << 5) << 24);
    dispatch_array(d, DISPATCH_ATTRIBUTES, 1, R32UI, 0, 0, 0, 0);
    dispatch_set(d, DISPATCH_ATTRIBUTE_BUFFERS, 4, 0x22); /* vertices' numbers */
    dispatch_set(d, DISPATCH_ATTRIBUTE_BUFFERS, 5, (9u | 1 << 5) << 24);
    dispatch_array(d, DISPATCH_ATTRIBUTES, 2, R32UI, 0, 0, 0, 0);
    dispatch_set(d, DISPATCH_ATTRIBUTE_BUFFERS, 8, 0x24);        /* instances': over 3 << 9, as */
    dispatch_set(d, DISPATCH_ATTRIBUTE_BUFFERS, 9, 10u << 24);   /* (2^31 + numerator) >> (32 + 10) */
    dispatch_set(d, DISPATCH_ATTRIBUTE_BUFFERS, 10, 0x2aaaaaab); /* 2^42 / 1536, rounded up */
    dispatch_array(d, DISPATCH_VARYINGS, 0, RGBA32F, RGBA, TO, 16, 16 * PADDED * INSTANCES);
    dispatch_array(d, DISPATCH_VARYINGS, 1, 141 /* RG32UI */, RGBA, TO + 0x20000 - 0x2000, 8,
                   8 * PADDED * INSTANCES);
    for (uint32_t n = 0; n < VERTICES; n++)
        dispatch_set(d, FROM, n, n * 2654435761u);
}

static void expect_vertices(struct dispatch *d, uint32_t instances)
{
    for (uint32_t i = 0; i < instances; i++)
        for (uint32_t v = 0; v < VERTICES; v++) {
            uint32_t number = i * PADDED + v, packed = v * 2654435761u;
            for (unsigned c = 0; c < 4; c++) {
                float x = (float)(packed >> 8 * c & 255) / 255.0f;
                assert_int_equal(dispatch_get(d, TO, 4 * number + c), util_f2u(x + x));
            }
            assert_int_equal(dispatch_get(d, TO + 0x1e000, 2 * number), v);
            assert_int_equal(dispatch_get(d, TO + 0x1e000, 2 * number + 1), i);
        }
}

static void test_instances(void **state)
{
    (void)state;
    for (uint32_t instances = 1; instances <= INSTANCES; instances += INSTANCES - 1) {
        struct dispatch d;
        vertices_begin(&d, &(struct mali_options){.kind = MALI_T860}, instances);
        dispatch_run(&d);
        expect_vertices(&d, instances);
        assert_int_equal(mali_device_host(d.guest.device)->counters.vertices, VERTICES * instances);
        guest_destroy(&d.guest);
    }
}

/* In order and in parallel: memory, instructions, and where a fault is - of vertex 800 on the attribute's page is
 * not there - do not depend on threads. */
static void run_with(struct util_pool *pool, uint32_t instances, bool whole, uint8_t *memory,
                     uint64_t *instructions)
{
    struct dispatch d;
    vertices_begin(&d, &(struct mali_options){.kind = MALI_T860, .gpu.pool = pool}, instances);
    uint64_t *entry = guest_entry(&d.guest, FROM + 4096), was = *entry;
    if (!whole) {
        *entry = 0;
        guest_flush_as(&d.guest, 0);
    }
    guest_submit(&d.guest, 1, DISPATCH_JOB, 0x83300);
    assert_int_equal(guest_status(&d.guest, 1), whole ? STATUS_DONE : STATUS_ACTIVE);
    if (!whole)
        assert_int_equal(mali_read(d.guest.device, guest_as(0, AS_FAULT_AT)), FROM + 4096);
    memcpy(memory, d.data, DISPATCH_DATA_BYTES);
    *instructions = mali_device_host(d.guest.device)->counters.instructions;
    if (!whole) { /* the page comes, and all is done */
        *entry = was;
        mali_write(d.guest.device, MMU_CLEAR, 1);
        guest_flush_as(&d.guest, 0);
        guest_expect_no_fault(&d.guest);
        assert_int_equal(guest_status(&d.guest, 1), STATUS_DONE);
        expect_vertices(&d, instances);
    }
    guest_destroy(&d.guest);
}

/* Which jobs run on several workers at all: those whose threads have a number each. A single instance is of one
 * vertex for Mesa (pan_cmdstream.c: instance_size), whatever there are. */
static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        uint32_t groups[3];
        uint64_t instance;
        bool own;
    } cases[] = {
        {{1, 1500, 1}, 1, true},        {{1, 1500, 3}, 1536, true}, {{1, 1500, 3}, 1500, true},
        {{1, 1500, 3}, 1499, false},    {{1, 1500, 3}, 1, false},   {{1, 1500, 3}, 1u << 31, false},
        {{1, 1500, 3}, 1u << 30, true}, {{4, 5, 6}, 0, true},
    };
    struct dispatch d;
    vertices_begin(&d, &(struct mali_options){.kind = MALI_T860}, 1);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        const uint32_t *words = (const uint32_t *)dispatch_at(&d, DISPATCH_JOB + 32);
        struct mali_invocation invocation;
        struct mali_grid grid;
        struct mali_stop stop = {0};
        dispatch_sizes(&d, (uint32_t[3]){1, 1, 1}, cases[n].groups);
        mali_desc_unpack(&mali_desc_invocation, MALI_V5, words, &invocation);
        assert_true(mali_grid_set(&grid, &invocation, cases[n].instance, false, "test", 0, &stop));
        assert_int_equal(grid.own, cases[n].own);
    }
    guest_destroy(&d.guest);
}

static void test_threads(void **state)
{
    static const unsigned threads[] = {0, 1, 2, 7};
    static uint8_t first[DISPATCH_DATA_BYTES], other[DISPATCH_DATA_BYTES];
    for (unsigned c = 0; c < 4; c++)
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(threads) + 2; n++) {
            const bool whole = c % 2;
            const uint32_t instances = c / 2 ? INSTANCES : 1;
            struct util_pool *pool;
            uint64_t expected = 0, executed;
            if (n < UTIL_ARRAY_SIZE(threads))
                assert_int_equal(util_pool_create(threads[n], &pool), 0);
            else
                assert_int_equal(util_pool_create_shuffled(5, n, &pool), 0);
            run_with(NULL, instances, whole, first, &expected);
            run_with(pool, instances, whole, other, &executed);
            assert_memory_equal(first, other, sizeof first);
            assert_int_equal(executed, expected);
            util_pool_destroy(pool);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles), cmocka_unit_test(test_cubes),   cmocka_unit_test(test_instances),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_threads),
    };
    return dispatch_run_group_tests(tests);
}
