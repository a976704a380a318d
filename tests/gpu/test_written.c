/* Written pages: of spaces that change while they are written to, in memory that stands above 4 GiB; a kernel that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/memory.h"
#include "gpu/space.h"
#include "gpu/written.h"

enum { PAGES = 96, GPU_PAGES = 2500, LOWER = 32, SPACES = 3 };
#define HIGH 0x7ff000000ull

/* In the file the upper pages come first. */
static const struct gpu_memory_region regions[] = {
    {0x40000000, LOWER *GPU_PAGE, (PAGES - LOWER) * GPU_PAGE},
    {HIGH, (PAGES - LOWER) * GPU_PAGE, 0},
};

struct fixture {
    struct gpu_memory memory;
    struct gpu_space space[SPACES];
    uint32_t entry[SPACES][GPU_PAGES]; /* page number << 2 | rights */
    bool dirty[PAGES];
    int fd;
};

static uint32_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static uint64_t address_of(uint32_t page)
{
    const bool low = page < LOWER;
    return regions[!low].address + (uint64_t)(low ? page : page - LOWER) * GPU_PAGE;
}

static uint32_t page_of(uint64_t address)
{
    return (uint32_t)(address < HIGH ? (address - regions[0].address) / GPU_PAGE
                                     : LOWER + (address - HIGH) / GPU_PAGE);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->fd = memfd_create("written", MFD_ALLOW_SEALING);
    if (ftruncate(f->fd, (off_t)PAGES * GPU_PAGE) || fcntl(f->fd, F_ADD_SEALS, F_SEAL_SHRINK) ||
        gpu_memory_import_regions(f->fd, regions, 2, false, false, &f->memory) ||
        gpu_written_create(&f->memory, &f->memory.written))
        return -1;
    for (unsigned n = 0; n < SPACES; n++)
        if (gpu_space_create(&f->memory, &f->space[n]))
            return -1;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    for (unsigned n = 0; n < SPACES; n++)
        gpu_space_destroy(&f->space[n]);
    gpu_written_destroy(f->memory.written);
    gpu_memory_destroy(&f->memory);
    close(f->fd);
    free(f);
    return 0;
}

static void begin(struct fixture *f)
{
    const int code = gpu_written_begin(f->memory.written);
    if (code == -ENOTSUP) {
        print_message("left out: this kernel cannot tell\n");
        skip();
    }
    assert_int_equal(code, 0);
}

/* What is given is what was written. */
static void check(struct fixture *f)
{
    struct gpu_memory_region run;
    bool given[PAGES] = {false};
    assert_int_equal(gpu_written_gather(f->memory.written), 0);
    for (uint32_t left = gpu_written_left(f->memory.written); left--;) {
        assert_true(gpu_written_next(f->memory.written, &run));
        for (uint64_t n = 0; n < run.size / GPU_PAGE; n++) {
            const uint32_t page = page_of(run.address) + (uint32_t)n;
            assert_in_range(page, 0, PAGES - 1);
            assert_int_equal(run.offset / GPU_PAGE + n, (page + PAGES - LOWER) % PAGES);
            given[page] = true;
        }
    }
    assert_false(gpu_written_next(f->memory.written, &run));
    for (uint32_t n = 0; n < PAGES; n++)
        if (given[n] != f->dirty[n])
            fail_msg("page %u was %s", n, given[n] ? "given" : "not given");
    memset(f->dirty, 0, sizeof f->dirty);
}

/* New tables: some pages stay, some go, some come. */
static void change(struct fixture *f, unsigned n)
{
    const bool anew = below(4) == 0;
    gpu_space_begin(&f->space[n]);
    for (uint32_t p = 0; p < GPU_PAGES; p++) {
        uint32_t *entry = &f->entry[n][p];
        if (anew || below(30) == 0)
            *entry = below(3) ? 0 : below(PAGES) << 2 | (below(4) ? 3 : 1);
        if (*entry)
            assert_true(
                gpu_space_map(&f->space[n], (uint64_t)p * GPU_PAGE, address_of(*entry >> 2), *entry & 3));
    }
    assert_int_equal(gpu_space_end(&f->space[n]), 0);
}

static void write_some(struct fixture *f)
{
    for (unsigned n = below(12); n--;) {
        const unsigned s = below(SPACES);
        const uint32_t p = below(GPU_PAGES), entry = f->entry[s][p];
        if (!(entry & GPU_RIGHT_WRITE))
            continue;
        f->space[s].window.base[(uint64_t)p * GPU_PAGE + below(GPU_PAGE)]++;
        f->dirty[entry >> 2] = true;
    }
    if (below(4) == 0) {
        const uint32_t page = below(PAGES);
        f->memory.base[address_of(page) + below(GPU_PAGE)]++;
        f->dirty[page] = true;
    }
    const uint8_t byte = (uint8_t)below(256); /* another's write is not noted */
    assert_int_equal(pwrite(f->fd, &byte, 1, below(PAGES * GPU_PAGE)), 1);
}

static void changing_spaces(void **state)
{
    struct fixture *f = *state;
    seed = 7;
    for (unsigned n = 0; n < SPACES; n++)
        change(f, n);
    begin(f); /* amid it all */
    check(f);
    for (unsigned step = 0; step < 400; step++) {
        const unsigned n = below(SPACES);
        write_some(f);
        if (below(3) == 0)
            change(f, n);
        if (below(12) == 0) {
            gpu_space_destroy(&f->space[n]);
            assert_int_equal(gpu_space_create(&f->memory, &f->space[n]), 0);
            memset(f->entry[n], 0, sizeof f->entry[n]);
        }
        if (below(40) == 0) {
            gpu_written_end(f->memory.written);
            assert_int_equal(gpu_written_gather(f->memory.written), -ENODATA);
            memset(f->dirty, 0, sizeof f->dirty);
            begin(f);
        }
        if (below(3) == 0)
            check(f);
    }
    check(f);
}

/* More runs than a space may have: it becomes empty, and what was written there is known. */
static void space_becomes_empty(void **state)
{
    struct fixture *f = *state;
    change(f, 0);
    begin(f);
    for (uint32_t p = 0; p < GPU_PAGES; p++)
        if (f->entry[0][p] & GPU_RIGHT_WRITE) {
            f->space[0].window.base[(uint64_t)p * GPU_PAGE]++;
            f->dirty[f->entry[0][p] >> 2] = true;
        }
    gpu_space_begin(&f->space[0]);
    for (uint64_t p = 0; p <= GPU_SPACE_PIECES; p++)
        assert_true(gpu_space_map(&f->space[0], 2 * p * GPU_PAGE, HIGH, 3));
    assert_int_equal(gpu_space_end(&f->space[0]), -E2BIG);
    check(f);
}

/* The descriptor by which the kernel is asked becomes useless: everything counts, again and again. */
static void kernel_fails(void **state)
{
    struct fixture *f = *state;
    unsigned found = 0;
    begin(f);
    const int nothing = open("/dev/null", O_RDONLY);
    for (int fd = 3; fd < nothing; fd++) {
        char name[32], path[64];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        const ssize_t length = readlink(name, path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        if (strstr(path, "/pagemap"))
            found += dup2(nothing, fd) == fd;
    }
    close(nothing);
    assert_int_equal(found, 1);
    for (unsigned again = 0; again < 2; again++) {
        memset(f->dirty, 1, sizeof f->dirty);
        check(f);
    }
    gpu_written_end(f->memory.written);
    begin(f);
    check(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(changing_spaces, setup, teardown),
        cmocka_unit_test_setup_teardown(space_becomes_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(kernel_fails, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
