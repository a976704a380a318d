/* The binner's memory: blocks of all sizes, overspill, running out; the same bytes at any number of threads.
 */
#include "tests/gpu/vc4/binner_scene.h"

#include "gpu/vc4/binner_internal.h"

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

/* A host that resets the thread from inside the interrupt: the run unwinds, the next job starts afresh. */
static void reset_from_interrupt(void *data, uint32_t pending)
{
    vc4_write(device, VC4_CT0CS, 1u << 15);
    vc4_write(device, VC4_BPOA, OVERSPILL);
    vc4_write(device, VC4_BPOS, 65536);
    vc4_write(device, VC4_INTCTL, pending);
}

static void test_reset_while_out_of_memory(void **unused)
{
    struct list l;
    const struct config c = {16 * 32, 0, 0, false};
    start_device(NULL);
    heavy_list(&l, &c);
    gpu_host_set_irq(vc4_device_host(device), reset_from_interrupt, NULL);
    assert_int_equal(run(&l).kind, GPU_FAULT_TILE_MEMORY);
    gpu_host_set_irq(vc4_device_host(device), interrupt, &host);
    heavy_list(&l, &plain);
    run_well(&l);
    assert_int_equal(host.flush_done, 1);
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

/* Lists of several pieces, long enough for workers to fetch, shade and cull, in one tile and more memory than
 * it has. */
static void long_list(struct list *l, const struct config *c, uint32_t indices, uint32_t count)
{
    memset(l, 0, sizeof *l);
    put_start(l, c);
    put_clip(l, 0, 0, 64, 64);
    put_state(l, shader[1], 1); /* forward ones alone */
    put_indexed(l, TILER_TRIANGLES, true, count, indices, VERTICES - 1);
    put_state(l, shader[0], 6);
    put_indexed(l, TILER_TRIANGLE_STRIP, true, TILER_PIECE / 2 + 77, indices, VERTICES - 1);
    put_indexed(l, TILER_TRIANGLE_FAN, true, TILER_PIECE / 2 + 77, indices, VERTICES - 1);
    put_end(l);
}

/* Culled four at a time by any number of workers, or one by one because somebody watches: the same bytes,
 * interrupts and counts. */
static void test_same_bytes_however_culled(void **unused)
{
    enum { COUNT = TILER_PIECE + 12346, BYTES = 8u << 20 };
    static uint16_t index[COUNT];
    const struct gpu_observer watching = {0};
    struct config c = {16 * 32, 0, 2, false};
    uint8_t *first = malloc(BYTES);
    struct gpu_counters counters = {0};
    uint64_t events[UTIL_ARRAY_SIZE(device->perf.event)];
    struct host first_host = {0};
    struct list l;
    random_vertices(VERTICES, 400);
    for (uint32_t i = 0; i < VERTICES; i += 50) /* some to be clipped */
        vertex[i].clip[2] = 1.25f;
    for (uint32_t i = 0; i < COUNT; i++)
        index[i] = (uint16_t)(random32() % VERTICES);
    long_list(&l, &c, guest_copy(index, sizeof index, 16), COUNT);
    for (unsigned number = 0; number < 4; number++) {
        struct util_pool *pool = NULL;
        if (number == 2 || number == 3)
            assert_int_equal(util_pool_create(number - 1, &pool), 0);
        start_observed(pool, number == 1 ? &watching : NULL);
        host = (struct host){.next = OVERSPILL, .chunk = 65536, .left = BYTES / 65536};
        memset(guest_memory.base + OVERSPILL, 0, BYTES);
        run_well(&l);
        if (!number) {
            memcpy(first, guest_memory.base + OVERSPILL, BYTES);
            counters = device->host.counters;
            memcpy(events, device->perf.event, sizeof events);
            first_host = host;
        }
        assert_memory_equal(first, guest_memory.base + OVERSPILL, BYTES);
        assert_memory_equal(&counters, &device->host.counters, sizeof counters);
        assert_memory_equal(events, device->perf.event, sizeof events);
        assert_int_equal(host.given, first_host.given);
        vc4_device_destroy(device);
        device = NULL;
        util_pool_destroy(pool);
    }
    assert_true(counters.primitives_binned > 1000 && first_host.given > 0);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_blocks_and_overspill),      TEST(test_out_of_memory),
        TEST(test_reset_while_out_of_memory), TEST(test_overspill_in_advance),
        TEST(test_same_bytes_with_threads),   TEST(test_same_bytes_however_culled),
    };
    return cmocka_run_group_tests_name("binner memory", tests, set_up, tear_down);
}
