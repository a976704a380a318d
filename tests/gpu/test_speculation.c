/* Speculative runs against units one after the other: random programs of loads and stores on workers that take turns
 * by chance, and each reason for which a run has to be undone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/speculation.h"
#include "util/bits.h"
#include "util/pool.h"

enum { PAGES = 32, WORDS = GPU_PAGE / 4, WORKERS = 3, FIRST = 0x400000, ALIAS = 0x800000 };

struct fixture {
    struct gpu_memory memory;
    struct gpu_space space;
    struct gpu_speculation *speculation;
};

static uint32_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* All pages at FIRST, the last read-only; the first ones a second time at ALIAS. */
static void setup(struct fixture *f)
{
    assert_int_equal(gpu_memory_create(PAGES * GPU_PAGE, &f->memory), 0);
    assert_int_equal(gpu_space_create(&f->memory, &f->space), 0);
    gpu_space_begin(&f->space);
    for (uint32_t n = 0; n < PAGES; n++) {
        uint32_t rights = n == PAGES - 1 ? GPU_RIGHT_READ : GPU_RIGHT_READ | GPU_RIGHT_WRITE;
        assert_true(gpu_space_map(&f->space, FIRST + n * GPU_PAGE, n * GPU_PAGE, rights));
        if (n < 4)
            assert_true(gpu_space_map(&f->space, ALIAS + n * GPU_PAGE, n * GPU_PAGE, rights));
    }
    assert_int_equal(gpu_space_end(&f->space), 0);
    for (uint32_t n = 0; n < PAGES * WORDS; n++)
        util_store32(f->memory.base + 4 * n, n * 2654435761u);
    assert_int_equal(gpu_speculation_create(WORKERS, &f->speculation), 0);
    assert_int_equal(gpu_speculation_open(f->speculation, &f->space), 0);
}

static void teardown(struct fixture *f)
{
    gpu_speculation_close(f->speculation);
    gpu_speculation_destroy(f->speculation);
    gpu_space_destroy(&f->space);
    gpu_memory_destroy(&f->memory);
}

static uint32_t get(const struct fixture *f, uint32_t address)
{
    return util_load32(f->space.window.base + address);
}

static void put(struct fixture *f, uint32_t address, uint32_t value)
{
    util_store32(f->space.window.base + address, value);
}

/* ---- random programs ---- */

enum { UNITS = 40, STEPS = 12 };

struct program {
    struct fixture *of;
    uint32_t address[UNITS][STEPS];
    bool stores[UNITS][STEPS];
};

static void run_unit(void *data, uint32_t unit, unsigned worker)
{
    struct program *p = data;
    uint32_t value = unit;
    for (unsigned n = 0; n < STEPS; n++) {
        uint32_t address = p->address[unit][n];
        if (!p->stores[unit][n]) {
            if (!gpu_speculation_load(p->of->speculation, worker, address, 4))
                return;
            value += get(p->of, address);
        } else {
            if (!gpu_speculation_store(p->of->speculation, worker, address, 4))
                return;
            put(p->of, address, value * 3 + n);
        }
    }
}

/* Loads from the upper pages, stores to the lower ones; of `odds` programs one anywhere to anywhere. */
static void make(struct program *p, uint32_t odds, bool apart)
{
    for (uint32_t u = 0; u < UNITS; u++)
        for (unsigned n = 0; n < STEPS; n++) {
            p->stores[u][n] = below(2);
            uint32_t page = p->stores[u][n] ? below(PAGES / 2) : PAGES / 2 + below(PAGES / 2);
            uint32_t word = p->stores[u][n] && apart ? u * STEPS + n : below(WORDS);
            if (odds && !below(odds))
                page = below(PAGES - 1);
            p->address[u][n] = FIRST + page * GPU_PAGE + word * 4;
        }
}

/* Whether it was as in order. */
static bool check(struct fixture *f, struct program *p, uint64_t chance)
{
    const size_t bytes = PAGES * GPU_PAGE;
    struct util_pool *pool;
    uint8_t *before = malloc(bytes), *after = malloc(bytes);
    assert_true(before && after);
    memcpy(before, f->memory.base, bytes);
    for (uint32_t u = 0; u < UNITS; u++)
        run_unit(p, u, 0);
    memcpy(after, f->memory.base, bytes);
    memcpy(f->memory.base, before, bytes);
    assert_int_equal(util_pool_create_shuffled(WORKERS, chance, &pool), 0);
    gpu_speculation_begin(f->speculation);
    util_pool_run_spans(pool, UNITS, run_unit, p);
    bool good = gpu_speculation_end(f->speculation);
    assert_memory_equal(f->memory.base, good ? after : before, bytes);
    util_pool_destroy(pool);
    free(before);
    free(after);
    return good;
}

static void test_random(void **state)
{
    (void)state;
    struct fixture f;
    struct program p = {.of = &f};
    unsigned good = 0, apart = 0;
    setup(&f);
    seed = 7;
    for (unsigned n = 0; n < 300; n++) {
        make(&p, 0, true);
        apart += check(&f, &p, n + 1);
        make(&p, n % 3 ? 400 : 0, n % 2);
        good += check(&f, &p, n + 1);
    }
    assert_int_equal(apart, 300); /* what is apart never fails */
    assert_in_range(good, 30, 270);
    teardown(&f);
}

/* ---- reasons to undo ---- */

static void begin(struct fixture *f)
{
    setup(f);
    gpu_speculation_begin(f->speculation);
}

static void store(struct fixture *f, unsigned worker, uint32_t address, uint32_t value)
{
    assert_true(gpu_speculation_store(f->speculation, worker, address, 4));
    put(f, address, value);
}

static void end(struct fixture *f, bool good)
{
    assert_int_equal(gpu_speculation_end(f->speculation), good);
    teardown(f);
}

/* One worker may store a word twice, two may not; words beside each other are apart. */
static void test_words(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t was = get(&f, FIRST + 8);
    store(&f, 0, FIRST, 1);
    store(&f, 0, FIRST, 2);
    store(&f, 1, FIRST + 4, 3);
    assert_true(gpu_speculation_end(f.speculation));
    assert_int_equal(get(&f, FIRST), 2);
    assert_int_equal(get(&f, FIRST + 4), 3);
    gpu_speculation_begin(f.speculation);
    store(&f, 2, FIRST + 8, 5);
    store(&f, 1, FIRST + 8, 6);
    put(&f, FIRST + 12, 99); /* somebody else's, who is not in the run */
    assert_false(gpu_speculation_end(f.speculation));
    assert_int_equal(get(&f, FIRST + 8), was);
    assert_int_equal(get(&f, FIRST + 12), 99);
    gpu_speculation_begin(f.speculation); /* nothing is left of a run that failed */
    store(&f, 2, FIRST + 8, 7);
    end(&f, true);
}

static void test_pages(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f); /* read, then stored to */
    assert_true(gpu_speculation_load(f.speculation, 0, FIRST + 100, 16));
    assert_false(gpu_speculation_store(f.speculation, 0, FIRST + 200, 4));
    assert_true(gpu_speculation_failed(f.speculation));
    end(&f, false);
    begin(&f); /* stored to, then read, across a page's end */
    store(&f, 0, FIRST + GPU_PAGE, 1);
    assert_false(gpu_speculation_load(f.speculation, 0, FIRST + GPU_PAGE - 4, 8));
    end(&f, false);
    begin(&f); /* a page under two addresses */
    store(&f, 0, FIRST + GPU_PAGE, 1);
    assert_false(gpu_speculation_load(f.speculation, 0, ALIAS + GPU_PAGE, 4));
    end(&f, false);
    begin(&f); /* read by who does not ask */
    gpu_speculation_end(f.speculation);
    gpu_speculation_reads(f.speculation, FIRST + GPU_PAGE, 2 * GPU_PAGE);
    for (unsigned n = 0; n < 2; n++) {
        gpu_speculation_begin(f.speculation);
        assert_true(gpu_speculation_load(f.speculation, 0, FIRST + 2 * GPU_PAGE, 4));
        store(&f, 1, FIRST + 3 * GPU_PAGE, 1);
        assert_false(gpu_speculation_store(f.speculation, 1, FIRST + 2 * GPU_PAGE, 4));
        assert_false(gpu_speculation_end(f.speculation));
    }
    gpu_speculation_begin(f.speculation); /* or that has been stored to when he begins: now, and for good */
    store(&f, 0, FIRST, 1);
    gpu_speculation_reads(f.speculation, FIRST, 4);
    assert_false(gpu_speculation_end(f.speculation));
    gpu_speculation_begin(f.speculation);
    end(&f, false);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t address, bytes;
    } stores[] = {{FIRST + 2, 4}, {FIRST, 2}, {FIRST + (PAGES - 1) * GPU_PAGE, 4}, {FIRST - 4, 4}};
    struct fixture f;
    for (unsigned n = 0; n < sizeof stores / sizeof *stores; n++) {
        begin(&f);
        assert_false(gpu_speculation_store(f.speculation, 0, stores[n].address, stores[n].bytes));
        end(&f, false);
    }
    begin(&f);
    assert_false(gpu_speculation_load(f.speculation, 0, UINT64_C(1) << 32, 4));
    end(&f, false);
    begin(&f);
    gpu_speculation_fail(f.speculation);
    end(&f, false);
    setup(&f); /* outside of runs nobody is in the way */
    assert_true(gpu_speculation_load(f.speculation, 0, FIRST, 4));
    assert_true(gpu_speculation_store(f.speculation, 0, FIRST + 1, 1));
    teardown(&f);
}

/* What code sees: rights granted, and the page's marks. */
static void test_code(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const uint32_t *page = gpu_speculation_pages(f.speculation);
    assert_int_equal(page[FIRST / GPU_PAGE], 0);
    store(&f, 1, FIRST + 5 * GPU_PAGE, 1);
    store(&f, 2, FIRST + 12, 1);
    assert_true(gpu_speculation_load(f.speculation, 0, FIRST + GPU_PAGE, 4));
    assert_int_equal(page[FIRST / GPU_PAGE] & 15, GPU_RIGHT_WRITE);
    assert_int_equal(page[FIRST / GPU_PAGE + 1], GPU_RIGHT_READ);
    size_t at = (size_t)(page[FIRST / GPU_PAGE] >> GPU_SPACE_SHIFT) * GPU_SPECULATION_MARKS;
    assert_int_equal(gpu_speculation_marks(f.speculation, 2)[at], 8);
    assert_int_equal(gpu_speculation_marks(f.speculation, 1)[at], 0);
    gpu_speculation_marks(f.speculation, 1)[at] = 8;
    end(&f, false);
    begin(&f); /* asked for, which fails nothing and marks nothing */
    assert_true(gpu_speculation_ask(f.speculation, 1, FIRST + 4, 8, GPU_RIGHT_WRITE));
    assert_true(gpu_speculation_ask(f.speculation, 2, FIRST + GPU_PAGE, 8, GPU_RIGHT_READ));
    assert_false(gpu_speculation_ask(f.speculation, 0, FIRST, 8, GPU_RIGHT_READ));
    assert_false(gpu_speculation_ask(f.speculation, 0, FIRST + (PAGES - 1) * GPU_PAGE, 8, GPU_RIGHT_WRITE));
    store(&f, 0, FIRST + 4, 1);
    end(&f, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_pages), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
