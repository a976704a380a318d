/* Command streams of the GP: words of the stock driver's, decoded and printed as its own dump reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/cl.h"
#include "isa/random.h"
#include "util/bits.h"

static void expect(enum utgard_cl_list list, uint32_t value, uint32_t opcode, const char *text)
{
    struct utgard_cl_command c;
    char *got = NULL;
    size_t size;
    FILE *out = open_memstream(&got, &size);
    assert_non_null(out);
    assert_true(utgard_cl_decode(list, (uint64_t)opcode << 32 | value, &c));
    utgard_cl_print(out, 0x100, &c);
    fclose(out);
    assert_string_equal(got, text);
    free(got);
}

static void test_vs(void **data)
{
    (void)data;
    expect(UTGARD_VS, 0x04479340, 0x30060000, "0x00000100  uniforms: at 0x04479340, bytes 96\n");
    expect(UTGARD_VS, 0x04589000, 0x400d0000, "0x00000100  program at: at 0x04589000, bytes 208\n");
    expect(UTGARD_VS, 0x00b03000, 0x10000040, "0x00000100  program: instructions 13, prefetch 11\n");
    expect(UTGARD_VS, 0x01000100, 0x10000042, "0x00000100  counts: varyings 2, attributes 2\n");
    expect(UTGARD_VS, 0x04479300, 0x20040000, "0x00000100  attribute table: at 0x04479300, entries 2\n");
    expect(UTGARD_VS, 0x044793c0, 0x20040008, "0x00000100  varying table: at 0x044793c0, entries 2\n");
    expect(UTGARD_VS, 0x18000001, 0x00000000, "0x00000100  draw: vertices 24, indexed yes\n");
    expect(UTGARD_VS, 0x00018000, 0x50000000, "0x00000100  semaphore: value 0x18000\n");
}

static void test_plbu(void **data)
{
    (void)data;
    expect(UTGARD_PLBU, 0x0f000f00, 0x10000109, "0x00000100  tiles: width 16, height 16\n");
    expect(UTGARD_PLBU, 0x04411000, 0x280000ff, "0x00000100  blocks: at 0x04411000, blocks 256\n");
    expect(UTGARD_PLBU, 0x43800000, 0x10000108, "0x00000100  viewport right: x 256\n");
    expect(UTGARD_PLBU, 0x04479480, 0x80458a00,
           "0x00000100  render state: at 0x04479480, positions 0x0458a000\n");
    expect(UTGARD_PLBU, 0x007f8000, 0x701fe000,
           "0x00000100  scissor: min x 0, max x 256, min y 0, max y 256\n");
    expect(UTGARD_PLBU, 0x24000000, 0x00240000, "0x00000100  draw elements: mode 4, start 0, indices 36\n");
    expect(UTGARD_PLBU, 0x00042600, 0x1000010b,
           "0x00000100  primitive setup: block size 2, 16-bit indices yes, 32-bit indices no, one size no, "
           "cull positive no, cull negative yes\n");
}

static void test_unknown(void **data)
{
    (void)data;
    struct utgard_cl_command c;
    assert_false(utgard_cl_decode(UTGARD_VS, 0x90000000ull << 32, &c));
    assert_false(utgard_cl_decode(UTGARD_VS, 0x28000000ull << 32, &c)); /* of the other list */
    assert_false(utgard_cl_decode(UTGARD_PLBU, 0x50000001ull << 32, &c));
    assert_false(utgard_cl_decode(UTGARD_PLBU, 0x10000110ull << 32, &c));
}

/* The decoder begins its search where the opcode says: it has to find what a search of all rows finds. */
static void test_search(void **data)
{
    static const struct {
        enum utgard_cl_list list;
        uint32_t mask, match;
    } rows[] = {
#define COMMAND(list, id, name, mask, match, fields) {UTGARD_##list, mask, match},
#include "gpu/utgard/cl.inc"
#undef COMMAND
    };
    struct isa_random seed = {1};
    unsigned known = 0;

    (void)data;
    for (unsigned n = 0; n < 400000; n++) {
        enum utgard_cl_list list = n & 1 ? UTGARD_PLBU : UTGARD_VS;
        uint32_t row = (uint32_t)isa_random_next(&seed) % UTIL_ARRAY_SIZE(rows), want = 0;
        uint32_t opcode = (rows[row].match & ~(n & 2)) | ((uint32_t)isa_random_next(&seed) & ~rows[row].mask);
        struct utgard_cl_command c;
        bool found;

        while (want < UTIL_ARRAY_SIZE(rows) &&
               (rows[want].list != list || (opcode & rows[want].mask) != rows[want].match))
            want++;
        found = utgard_cl_decode(list, (uint64_t)opcode << 32, &c);
        assert_int_equal(found, want < UTIL_ARRAY_SIZE(rows));
        if (found)
            assert_int_equal(c.id, want);
        known += found;
    }
    assert_in_range(known, 100000, 399999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vs), cmocka_unit_test(test_plbu),
                                       cmocka_unit_test(test_unknown), cmocka_unit_test(test_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
