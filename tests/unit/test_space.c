/* A GPU's address space: random sets of pages against a plain table, rights, pieces, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/space.h"

enum { GUEST_PAGES = 64, GPU_PAGES = 3000, FIRST = 0x3ff000 / GPU_PAGE };

static uint32_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static void setup(struct gpu_memory *memory, struct gpu_space *space)
{
    assert_int_equal(gpu_memory_create(GUEST_PAGES * GPU_PAGE, memory), 0);
    for (uint32_t n = 0; n < GUEST_PAGES; n++)
        memory->base[n * GPU_PAGE] = (uint8_t)(n + 1);
    assert_int_equal(gpu_space_create(memory, space), 0);
}

static void teardown(struct gpu_memory *memory, struct gpu_space *space)
{
    gpu_space_destroy(space);
    gpu_memory_destroy(memory);
}

static uint32_t address_of(uint32_t n)
{
    return (FIRST + n) * GPU_PAGE;
}

/* Every page of the table stands where it should, with its rights; all others are out of reach. */
static void check(const struct gpu_space *space, const struct gpu_memory *memory, const uint32_t *entry)
{
    for (uint32_t n = 0; n < GPU_PAGES; n++) {
        uint32_t rights = entry[n] & 3, page = entry[n] >> 2;
        uint64_t physical;
        for (uint32_t asked = 1; asked < 4; asked++) {
            uint8_t *at = gpu_space_at(space, address_of(n) + 5, 7, asked);
            assert_int_equal(at != NULL, rights && (rights & asked) == asked);
            assert_true(!at || at == space->window.base + address_of(n) + 5);
        }
        assert_int_equal(gpu_space_physical(space, address_of(n) + 9, &physical), rights != 0);
        if (!rights)
            continue;
        assert_int_equal(physical, page * GPU_PAGE + 9);
        assert_int_equal(space->window.base[address_of(n)], page + 1);
        if (rights & GPU_RIGHT_WRITE) {
            space->window.base[address_of(n) + 1] = (uint8_t)n;
            assert_int_equal(memory->base[page * GPU_PAGE + 1], (uint8_t)n);
        }
    }
}

static void test_random(void **data)
{
    (void)data;
    struct gpu_memory memory;
    struct gpu_space space;
    static uint32_t entry[GPU_PAGES];
    setup(&memory, &space);
    seed = 5;
    for (unsigned round = 0; round < 12; round++) {
        gpu_space_begin(&space);
        if (round % 4 == 0)
            memset(entry, 0, sizeof entry);
        for (unsigned runs = 0; runs < 40; runs++) {
            uint32_t n = below(GPU_PAGES - 40), count = 1 + below(40), page = below(GUEST_PAGES - 40);
            uint32_t rights = below(5) ? 1 + 2 * below(2) : 0;
            for (uint32_t i = 0; i < count; i++)
                entry[n + i] = rights ? (page + i) << 2 | rights : 0;
        }
        for (uint32_t n = 0; n < GPU_PAGES; n++)
            if (entry[n])
                assert_true(gpu_space_map(&space, address_of(n), (entry[n] >> 2) * GPU_PAGE, entry[n] & 3));
        assert_int_equal(gpu_space_end(&space), 0);
        check(&space, &memory, entry);
    }
    gpu_space_begin(&space);
    assert_int_equal(gpu_space_end(&space), 0);
    memset(entry, 0, sizeof entry);
    check(&space, &memory, entry);
    assert_int_equal(space.pieces, 0);
    teardown(&memory, &space);
}

/* A range is allowed when all its pages are, up to the very end of the space. */
static void test_ranges(void **data)
{
    (void)data;
    struct gpu_memory memory;
    struct gpu_space space;
    uint64_t where = 0;
    setup(&memory, &space);
    gpu_space_begin(&space);
    assert_true(gpu_space_map(&space, 0xffffe000, 3 * GPU_PAGE, GPU_RIGHT_READ | GPU_RIGHT_WRITE));
    assert_true(gpu_space_map(&space, 0xfffff123, 4 * GPU_PAGE, GPU_RIGHT_READ));
    assert_false(gpu_space_map(&space, 0, GUEST_PAGES * GPU_PAGE, GPU_RIGHT_READ));
    assert_false(gpu_space_map(&space, 0, 1ull << 40, GPU_RIGHT_READ));
    assert_true(gpu_space_map(&space, 0, 1ull << 40, 0)); /* no page stands nowhere */
    assert_int_equal(gpu_space_end(&space), 0);
    assert_int_equal(space.pieces, 2);
    assert_true(gpu_space_allows(&space, 0xffffe010, 0x1ff0, GPU_RIGHT_READ, &where));
    assert_false(gpu_space_allows(&space, 0xffffe010, 0x1ff0, GPU_RIGHT_WRITE, &where));
    assert_int_equal(where, 0xfffff000);
    assert_false(gpu_space_allows(&space, 0xffffe010, 0x1ff1, GPU_RIGHT_READ, &where));
    assert_int_equal(where, 1ull << 32);
    assert_false(gpu_space_allows(&space, 0xffffdfff, 2, GPU_RIGHT_READ, &where));
    assert_int_equal(where, 0xffffdfff);
    assert_false(gpu_space_allows(&space, 0xffffe000, 0, GPU_RIGHT_READ, NULL));
    /* A run knows what may be read about an address, and nothing else. */
    struct gpu_space_run run = {0};
    assert_null(gpu_space_near(&space, &run, 0xffffdfff, 2));
    assert_ptr_equal(gpu_space_near(&space, &run, 0xffffe010, 4), space.window.base + 0xffffe010);
    assert_true(run.from == 0xffffe000 && run.to == 1ull << 32);
    assert_ptr_equal(gpu_space_near(&space, &run, 0xfffffffc, 4), space.window.base + 0xfffffffc);
    assert_null(gpu_space_near(&space, &run, 0xfffffffc, 5));
    assert_null(gpu_space_near(&space, &run, 0xffffdffc, 4));
    assert_false(gpu_space_allows(&space, 0xffffe000, UINT64_MAX, GPU_RIGHT_READ, NULL));
    assert_false(gpu_space_allows(&space, UINT64_MAX, 1, GPU_RIGHT_READ, NULL));
    teardown(&memory, &space);
}

/* Pages scattered beyond the cap leave an empty space that can be used again. */
static void test_pieces(void **data)
{
    (void)data;
    struct gpu_memory memory;
    struct gpu_space space;
    setup(&memory, &space);
    gpu_space_begin(&space);
    for (uint32_t n = 0; n <= GPU_SPACE_PIECES; n++)
        assert_true(gpu_space_map(&space, n * 2 * GPU_PAGE, 0, GPU_RIGHT_READ));
    assert_int_equal(gpu_space_end(&space), -E2BIG);
    assert_null(gpu_space_at(&space, 0, 1, GPU_RIGHT_READ));
    gpu_space_begin(&space);
    assert_true(gpu_space_map(&space, 0, 0, GPU_RIGHT_READ));
    assert_int_equal(gpu_space_end(&space), 0);
    assert_int_equal(*gpu_space_at(&space, 0, 1, GPU_RIGHT_READ), 1);
    teardown(&memory, &space);
}

/* Part of a file, as an embedder gives it; memory without a file cannot be mapped twice. */
static void test_files(void **data)
{
    (void)data;
    struct gpu_memory file, part, borrowed;
    struct gpu_space space;
    assert_int_equal(gpu_memory_create(8 * GPU_PAGE, &file), 0);
    file.base[5 * GPU_PAGE] = 77;
    assert_int_equal(gpu_memory_import(file.fd, 4 * GPU_PAGE, 4 * GPU_PAGE, false, &part), 0);
    assert_int_equal(gpu_space_create(&part, &space), 0);
    gpu_space_begin(&space);
    assert_true(gpu_space_map(&space, 0x10000, GPU_PAGE, GPU_RIGHT_READ));
    assert_int_equal(gpu_space_end(&space), 0);
    assert_int_equal(*gpu_space_at(&space, 0x10000, 1, GPU_RIGHT_READ), 77);
    gpu_space_destroy(&space);
    assert_int_equal(gpu_memory_borrow(file.base, GPU_PAGE, &borrowed), 0);
    assert_int_equal(gpu_space_create(&borrowed, &space), -ENOTSUP);
    gpu_memory_destroy(&part);
    gpu_memory_destroy(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
