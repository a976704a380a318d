/* The vertex cache: every index of a record's arrays, met in any order and by several threads, gives its
 * vertex, shaded once. */
#include "vc4_guest.h"

#include "gpu/vc4/vertex.h"
#include "jit/engine.h"
#include "util/fpenv.h"
#include "util/pool.h"

#define MEMORY_BYTES (4u << 20)
#define VERTICES     300000u /* some hundred thousand lie beyond the indices that 16 bits hold */
#define ROWS         4u

static struct jit_engine *engine;
static struct gpu_programs *programs;
static struct vc4_shader_state state;
static struct util_arena *arena;
static struct gpu_vertex_cache cache;

static uint32_t value_of(uint32_t index)
{
    return index * 2654435761u;
}

static void create_cache(void)
{
    struct gpu_fault fault;
    assert_int_equal(util_arena_create(&arena), 0);
    if (vc4_vertex_cache_init(&cache, arena, &guest_memory, engine, &state, ROWS, 1000, &fault))
        fail_msg("%s", fault.text);
}

static void destroy_cache(void)
{
    vc4_vertex_cache_finish(&cache);
    util_arena_destroy(arena);
}

static const uint32_t *shade(uint32_t index)
{
    uint32_t alone[GPU_CACHE_ALONE];
    struct gpu_fault fault;
    unsigned saved = util_fpenv_enter();
    const uint32_t *words = gpu_vertex_cache_shade(&cache, index, alone, &fault);
    util_fpenv_leave(saved);
    return words;
}

static void test_indices(void **unused)
{
    static const uint32_t some[] = {0, 31, 32, 65535, 65536, 65537, 131071, 131072, 200000, VERTICES - 1};
    create_cache();
    for (unsigned i = 0; i < sizeof some / sizeof some[0]; i++)
        for (unsigned again = 0; again < 2; again++) {
            const uint32_t *words = shade(some[i]);
            assert_non_null(words);
            assert_int_equal(words[0], value_of(some[i]));
        }
    /* Units of 32, each once: {0, 31}, {32}, {65535}, {65536, 65537}, {131071}, {131072}, {200000}, the last.
     */
    assert_int_equal(atomic_load(&cache.shaded), 8 * GPU_CACHE_UNIT);
    destroy_cache();
}

/* Memory for indices beyond 16 bits is taken when one is met, not for each record that might name one. */
static void test_small_records_are_small(void **unused)
{
    enum { RECORDS = 400 };
    static struct gpu_vertex_cache caches[RECORDS];
    size_t before;
    struct gpu_fault fault;

    assert_int_equal(util_arena_create(&arena), 0);
    before = util_arena_bytes(arena);
    for (unsigned i = 0; i < RECORDS; i++)
        assert_int_equal(
            vc4_vertex_cache_init(&caches[i], arena, &guest_memory, engine, &state, ROWS, 1000, &fault), 0);
    assert_int_equal(util_arena_bytes(arena), before);
    for (unsigned i = 0; i < RECORDS; i++)
        vc4_vertex_cache_finish(&caches[i]);
    util_arena_destroy(arena);
}

static _Atomic unsigned wrong;

static void shade_item(void *unused, uint32_t item, unsigned worker)
{
    uint32_t index = (item * 7919u) % VERTICES;
    const uint32_t *words = shade(index);
    if (!words || words[0] != value_of(index))
        wrong++;
}

static void test_threads(void **unused)
{
    struct util_pool *pool;
    create_cache();
    assert_int_equal(util_pool_create(3, &pool), 0);
    util_pool_run(pool, 20000, shade_item, NULL);
    assert_int_equal(wrong, 0);
    util_pool_destroy(pool);
    destroy_cache();
}

static int set_up(void **unused)
{
    const struct jit_options options = {.level = -1, .optimize = 0, .cache_dir = ""};
    struct util_error error = {0};
    struct gpu_fault fault;
    if (gpu_memory_create(MEMORY_BYTES, &guest_memory) || gpu_programs_create(&vc4_program_kind, &programs) ||
        jit_engine_create(&options, &engine, &error))
        return -1;
    uint32_t program = guest_copy_program(1);
    struct guest_shader s = {.flags = 1, .fs = guest_program(GUEST_END), .vs = program, .cs = program};
    s.cs_uniforms = s.vs_uniforms = guest_alloc(64, 16);
    s.attribute_count = 1;
    s.attribute[0] = (struct guest_attribute){guest_alloc(VERTICES * 4, 16), 4, 4, 0, 0};
    for (uint32_t i = 0; i < VERTICES; i++)
        util_store32(guest_memory.base + s.attribute[0].address + i * 4, value_of(i));
    return !vc4_shader_state_read(programs, &guest_memory, guest_shader_record(&s), 1, false, &state, &fault);
}

static int tear_down(void **unused)
{
    jit_engine_destroy(engine);
    gpu_programs_destroy(programs);
    gpu_memory_destroy(&guest_memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_small_records_are_small),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("vertex cache", tests, set_up, tear_down);
}
