/* VS draws: attribute types against their meaning, and random programs over random formats, where compiled
 * code on several threads must leave the bytes and the faults of the interpreter on one. */
#include "tests/gpu/utgard/guest.h"

#include "isa/utgard_gp/asm.h"

enum { LIST = 0x400000, CODE = 0x401000, UNIFORMS = 0x404000, TABLES = 0x406000, DATA = 0x410000 };
enum { DATA_BYTES = 0x20000, RESULTS = 0x440000, RESULT_BYTES = 0x20000, UNIFORM_BYTES = 0x2000 };

static struct util_pool *pool;

/* A guest with everything that one draw needs. */
struct world {
    struct guest guest;
    uint8_t *list, *code, *uniforms, *tables, *data, *results;
};

static void create(struct world *w, const struct utgard_options *options)
{
    guest_create(&w->guest, options);
    w->list = guest_map(&w->guest, LIST, GPU_PAGE, RIGHT_READ);
    w->code = guest_map(&w->guest, CODE, 0x2000, RIGHT_READ);
    w->uniforms = guest_map(&w->guest, UNIFORMS, UNIFORM_BYTES, RIGHT_READ);
    w->tables = guest_map(&w->guest, TABLES, GPU_PAGE, RIGHT_READ);
    w->data = guest_map(&w->guest, DATA, DATA_BYTES, RIGHT_READ);
    w->results = guest_map(&w->guest, RESULTS, RESULT_BYTES, RIGHT_BOTH);
}

static uint32_t run(struct world *w, uint32_t instructions, uint32_t attributes, uint32_t varyings,
                    uint32_t vertices)
{
    const uint32_t list[] = {CODE,
                             0x40000000 | instructions << 16,
                             (instructions - 1) << 10,
                             0x10000040,
                             (varyings - 1) << 8 | (attributes - 1) << 24,
                             0x10000042,
                             UNIFORMS,
                             0x30000000 | UNIFORM_BYTES << 12,
                             TABLES,
                             0x20000000 | attributes << 17,
                             TABLES + 0x100,
                             0x20000008 | varyings << 17,
                             vertices << 24,
                             vertices >> 8,
                             0,
                             0x60000000};
    const uint32_t frame[6] = {LIST, LIST + sizeof list, 0, 0, 0, 0};
    memcpy(w->list, list, sizeof list);
    return guest_run(&w->guest, frame);
}

/* ---- formats ---- */

static const char passes_on[] = "attr 0 ; mul.0 f0.x, 1 ; mul.1 f0.y, 1 ; add.0 f0.z, -0 ; add.1 f0.w, -0 ; "
                                "store.xy v0, mul0, mul1 ; store.zw v0, acc0, acc1\n";

static uint32_t put_program(uint8_t *code, const char *text)
{
    struct util_error error = {0};
    uint64_t *words;
    uint32_t count;
    if (utgard_gp_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memcpy(code, words, count * 16);
    free(words);
    return count;
}

/* One vertex of one attribute through the program in memory. */
static void shade_one(struct world *w, uint32_t count, uint32_t type, uint32_t components, const void *bytes,
                      float out[4])
{
    const uint32_t attribute[] = {DATA, 16 << 11 | type << 2 | (components - 1)};
    const uint32_t varying[] = {RESULTS, 16 << 11 | 3};
    memcpy(w->tables, attribute, sizeof attribute);
    memcpy(w->tables + 0x100, varying, sizeof varying);
    memcpy(w->data, bytes, 16);
    assert_int_equal(run(w, count, 1, 1, 1), 1);
    guest_expect_no_fault(&w->guest);
    memcpy(out, w->results, 16);
}

/* Through a program that passes it on. */
static void pass(struct world *w, uint32_t type, uint32_t components, const void *bytes, float out[4])
{
    shade_one(w, put_program(w->code, passes_on), type, components, bytes, out);
}

static void expect(struct world *w, uint32_t type, uint32_t components, const void *bytes, float x, float y,
                   float z, float last)
{
    const float expected[] = {x, y, z, last};
    float got[4];
    uint8_t padded[16] = {0};
    memcpy(padded, bytes, 8);
    pass(w, type, components, padded, got);
    for (unsigned c = 0; c < 4; c++)
        if (memcmp(&got[c], &expected[c], 4) != 0)
            fail_msg("type 0x%x component %u: %.9g, not %.9g", type, c, (double)got[c], (double)expected[c]);
}

static void test_formats(void **data)
{
    (void)data;
    struct utgard_options options = {.kind = UTGARD_MALI400};
    struct world w;
    create(&w, &options);
    expect(&w, 0, 1, &(float[2]){2.5f, 7}, 2.5f, 0, 0, 1);
    expect(&w, 0, 2, &(uint32_t[2]){1, 0x80000001}, 0.0f, -0.0f, 0, 1);
    expect(&w, 1, 2, &(int32_t[2]){-5, 16777217}, -5, 16777216, 0, 1);
    expect(&w, 2, 2, &(uint32_t[2]){0xffffffff, 3}, 4294967296.0f, 3, 0, 1);
    expect(&w, 3, 4, &(uint16_t[4]){0x3c00, 0xc000, 0x0001, 0x7bff}, 1, -2, 0x1p-24f, 65504);
    expect(&w, 4, 3, &(int16_t[4]){-32768, 32767, 1, 9}, -32768, 32767, 1, 1);
    expect(&w, 5, 4, &(uint16_t[4]){0, 65535, 1, 9}, 0, 65535, 1, 9);
    expect(&w, 6, 4, &(int8_t[8]){-128, 127, 1, -1}, -128, 127, 1, -1);
    expect(&w, 7, 2, &(uint8_t[8]){255, 7, 1, 2}, 255, 7, 0, 1);
    expect(&w, 8, 4, &(int8_t[8]){-128, -127, 127, 0}, -1, -1, 1, 0);
    expect(&w, 9, 4, &(uint8_t[8]){0, 255, 51, 102}, 0, 1, 0.2f, 0.4f);
    expect(&w, 10, 3, &(int16_t[4]){-32768, 32767, -32767}, -1, 1, -1, 1);
    expect(&w, 11, 2, &(uint16_t[4]){65535, 13107}, 1, 0.2f, 0, 1);
    expect(&w, 13, 2, &(int32_t[2]){INT32_MAX, INT32_MIN}, 1, -1, 0, 1);
    expect(&w, 14, 2, &(uint32_t[2]){UINT32_MAX, 1u << 31}, 1, 0.5f, 0, 1);
    expect(&w, 0x101, 2, &(int32_t[2]){0x18000, -0x8000}, 1.5f, -0.5f, 0, 1);
    guest_destroy(&w.guest);
}

/* ---- programs that change ---- */

enum { SPARE = 0x480000 };

static void expect_order(struct world *w, bool swapped)
{
    const float in[4] = {1, 2, 3, 4};
    float out[4];
    memset(w->results, 0, 16);
    shade_one(w, 1, 0, 4, in, out);
    if (out[0] != in[swapped] || out[1] != in[!swapped] || out[2] != 3 || out[3] != 4)
        fail_msg("%g %g %g %g, %s", (double)out[0], (double)out[1], (double)out[2], (double)out[3],
                 swapped ? "swapped" : "in order");
}

static void exchange_pages(struct guest *g, uint32_t a, uint32_t b)
{
    uint8_t *at = guest_entry(g, a), *bt = guest_entry(g, b);
    uint32_t word = util_load32(at);
    memcpy(at, bt, 4);
    memcpy(bt, &word, 4);
}

/* A program is what stands there when the draw comes: rewritten in place, and by other pages at its address.
 */
static void programs_change(const struct utgard_options *options)
{
    static const char swaps[] = "attr 0 ; mul.0 f0.x, 1 ; mul.1 f0.y, 1 ; add.0 f0.z, -0 ; add.1 f0.w, -0 ; "
                                "store.xy v0, mul1, mul0 ; store.zw v0, acc0, acc1\n";
    struct world w;
    create(&w, options);
    uint8_t *spare = guest_map(&w.guest, SPARE, GPU_PAGE, RIGHT_READ);
    for (unsigned round = 0; round < 3; round++) {
        put_program(w.code, passes_on);
        expect_order(&w, false);
        expect_order(&w, false);
        put_program(w.code, swaps);
        expect_order(&w, true);
        put_program(spare, passes_on);
        exchange_pages(&w.guest, CODE, SPARE);
        expect_order(&w, false);
        exchange_pages(&w.guest, CODE, SPARE);
        expect_order(&w, true);
    }
    guest_destroy(&w.guest);
}

static void test_programs_change(void **data)
{
    const struct jit_options jit = {.level = -1, .optimize = JIT_QUICK, .cache_dir = ""};
    struct utgard_options options = {.kind = UTGARD_MALI400};
    struct jit_stats stats;
    (void)data;
    programs_change(&options);
    assert_int_equal(jit_engine_create(&jit, &options.gpu.engine, NULL), 0);
    programs_change(&options);
    jit_engine_stats(options.gpu.engine, &stats);
    assert_int_equal(stats.compiled, 2);
    assert_int_equal(stats.memory_hits, 0); /* each is asked for once */
    jit_engine_destroy(options.gpu.engine);
}

/* ---- random draws ---- */

static uint64_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) * n >> 31);
}

struct draw {
    uint64_t code[128 * UTGARD_GP_WORDS];
    uint32_t instructions, attributes, varyings, vertices, table[64], varying_table[32];
    uint8_t data[DATA_BYTES];
    uint32_t uniforms[UNIFORM_BYTES / 4];
};

static void make(struct draw *d, uint64_t number)
{
    static const uint16_t types[] = {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 0x101};
    seed = number * 77 + 1;
    d->instructions = utgard_gp_random(number, number % 2 ? UTGARD_GP_RANDOM_FULL : UTGARD_GP_RANDOM_STRAIGHT,
                                       d->code, 20 + below(100));
    d->attributes = d->varyings = 16;
    d->vertices = 1 + below(below(4) ? 100 : 900);
    for (uint32_t n = 0; n < 16; n++) {
        d->table[2 * n] = DATA + below(0x800);
        d->table[2 * n + 1] = below(60) << 11 | (uint32_t)types[below(17)] << 2 | below(4);
        d->varying_table[2 * n] = RESULTS + n * 0x1000;
        d->varying_table[2 * n + 1] = below(3) ? 4u << 11 | 0u << 2 : 4u << 11 | 3u << 2 | below(2);
        if (d->vertices <= 200) /* any number of components; now and then over those of other vertices */
            d->varying_table[2 * n + 1] = below(21) << 11 | (below(2) ? 3u : 0u) << 2 | below(4);
        if (d->vertices <= 200 && number % 3 == 0) { /* records of all varyings */
            d->varying_table[2 * n] = RESULTS + 0x14000 + n * 8;
            d->varying_table[2 * n + 1] = 128 << 11 | (below(2) ? 1u : 3u << 2 | below(4));
        }
    }
    d->varying_table[0] = RESULTS + 0x10000;
    d->varying_table[1] = 0x8020;
    for (uint32_t n = 0; n < DATA_BYTES / 4; n++) {
        float f = (float)((int32_t)below(4000) - 2000) / 64;
        memcpy(d->data + n * 4, &f, 4);
    }
    for (uint32_t n = 0; n < UNIFORM_BYTES / 4; n++)
        d->uniforms[n] = util_f2u((float)((int32_t)below(64) - 16) / 4);
}

static uint32_t run_draw(struct world *w, const struct draw *d, struct gpu_fault *fault)
{
    memcpy(w->code, d->code, sizeof d->code);
    memcpy(w->uniforms, d->uniforms, sizeof d->uniforms);
    memcpy(w->tables, d->table, sizeof d->table);
    memcpy(w->tables + 0x100, d->varying_table, sizeof d->varying_table);
    memcpy(w->data, d->data, sizeof d->data);
    memset(w->results, 0x5a, RESULT_BYTES);
    uint32_t interrupts = run(w, d->instructions, d->attributes, d->varyings, d->vertices);
    *fault = guest_fault(&w->guest);
    utgard_write(w->guest.device, guest_base(&w->guest, UTGARD_IP_GP) + GP_CLEAR, UINT32_MAX);
    return interrupts;
}

/* The interpreter on one thread, and compiled code on several; *stopped: those that the job's fuel was too
 * little for. */
static unsigned compare(struct jit_engine *engine, uint64_t job_fuel, uint64_t first, uint64_t count,
                        unsigned *stopped)
{
    static struct draw draw;
    struct utgard_options slow = {.kind = UTGARD_MALI400, .gpu.fuel = 500, .gpu.job_fuel = job_fuel},
                          fast = slow;
    struct world reference, w;
    unsigned ended = 0;
    fast.kind = UTGARD_MALI450;
    fast.gpu.engine = engine;
    fast.gpu.pool = pool;
    create(&reference, &slow);
    create(&w, &fast);
    for (uint64_t n = first; n < first + count; n++) {
        struct gpu_fault expected, got;
        make(&draw, n);
        uint32_t bits = run_draw(&reference, &draw, &expected);
        assert_int_equal(run_draw(&w, &draw, &got), bits);
        assert_string_equal(expected.text, got.text);
        assert_int_equal(expected.pc, got.pc);
        for (uint32_t at = 0; at < RESULT_BYTES; at++)
            if (reference.results[at] != w.results[at])
                fail_msg("program %llu: byte 0x%x of the results is %02x, not %02x", (unsigned long long)n,
                         at, w.results[at], reference.results[at]);
        ended += bits == 1;
        *stopped += strstr(got.text, "job's fuel") != NULL;
    }
    guest_destroy(&reference.guest);
    guest_destroy(&w.guest);
    return ended;
}

static void test_random(void **data)
{
    unsigned stopped = 0;
    (void)data;
    for (unsigned n = 0; n < 2 * JIT_LEVEL_COUNT; n++) { /* each level; quick code, and optimised */
        struct jit_options options = {
            .level = (int)n / 2, .optimize = n % 2 ? JIT_OPTIMISED : JIT_QUICK, .cache_dir = ""};
        struct jit_engine *engine;
        if (!jit_level_supported((enum jit_level)(n / 2)))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        assert_true(compare(engine, 0, n * 12, 16, &stopped) > 8);
        jit_engine_destroy(engine);
    }
}

/* What the compiler refuses is interpreted with the same fuel. */
static void test_refused(void **data)
{
    const struct jit_options options = {.level = -1, .cache_dir = "", .max_insns = 1};
    struct jit_engine *engine;
    struct jit_stats stats;
    unsigned stopped = 0;
    (void)data;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    assert_true(compare(engine, 700, 500, 40, &stopped) > 8);
    jit_engine_stats(engine, &stats);
    assert_int_equal(stats.compiled, 0);
    assert_in_range(stopped, 2, 30);
    jit_engine_destroy(engine);
}

/* ---- refusals ---- */

static void expect_fault(struct world *w, enum gpu_fault_kind kind, uint32_t attributes, uint32_t vertices)
{
    uint32_t bits = run(w, 1, attributes, 1, vertices);
    struct gpu_fault fault = guest_fault(&w->guest);
    assert_int_equal(fault.kind, kind);
    assert_int_equal(bits, kind == GPU_FAULT_MEMORY ? 0 : 1 << 13);
    utgard_write(w->guest.device, guest_base(&w->guest, UTGARD_IP_GP) + GP_CMD, GP_RESET);
    utgard_write(w->guest.device, guest_base(&w->guest, UTGARD_IP_GP) + GP_MASK, 0x707e07);
    guest_start_mmu(&w->guest, UTGARD_IP_GPMMU);
}

static void test_refusals(void **data)
{
    (void)data;
    struct utgard_options options = {
        .kind = UTGARD_MALI400, .gpu.job_fuel = 1000, .gpu.packet_budget = 100000};
    struct world w;
    float out[4];
    create(&w, &options);
    pass(&w, 0, 4, &(float[4]){1, 2, 3, 4}, out);
    const uint32_t good[] = {DATA, 16 << 11 | 3}, unknown[] = {DATA, 16 << 11 | 12 << 2};
    const uint32_t far[] = {DATA + DATA_BYTES - 16, 16 << 11 | 3};
    assert_int_equal(run(&w, 1, 1, 1, 100), 1);
    memcpy(w.tables, unknown, sizeof unknown);
    expect_fault(&w, GPU_FAULT_UNSUPPORTED, 1, 1);
    memcpy(w.tables, far, sizeof far);
    assert_int_equal(run(&w, 1, 1, 1, 1), 1);
    expect_fault(&w, GPU_FAULT_MEMORY, 1, 2);
    memcpy(w.tables, good, sizeof good);
    expect_fault(&w, GPU_FAULT_PACKET, 200, 1);
    const uint32_t still[] = {DATA, 3}, still_too[] = {RESULTS, 3};
    memcpy(w.tables, still, sizeof still);
    memcpy(w.tables + 0x100, still_too, sizeof still_too);
    assert_int_equal(run(&w, 1, 1, 1, 16000), 1);
    expect_fault(&w, GPU_FAULT_TIMEOUT, 1, 16001);
    const uint32_t command[] = {0, 0x90000000};
    const uint32_t frame[6] = {LIST, LIST + 8, 0, 0, 0, 0};
    memcpy(w.list, command, sizeof command);
    assert_int_equal(guest_run(&w.guest, frame), 1 << 13);
    assert_int_equal(guest_fault(&w.guest).kind, GPU_FAULT_PACKET);
    const uint32_t loop[] = {LIST, 0xf0000000};
    memcpy(w.list, loop, sizeof loop);
    assert_int_equal(guest_run(&w.guest, frame), 1 << 13);
    assert_int_equal(guest_fault(&w.guest).kind, GPU_FAULT_TIMEOUT);
    guest_destroy(&w.guest);
}

static int start(void **data)
{
    (void)data;
    return util_pool_create(3, &pool);
}

static int finish(void **data)
{
    (void)data;
    util_pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats), cmocka_unit_test(test_programs_change),
                                       cmocka_unit_test(test_random), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, start, finish);
}
