/* Loads and stores of sixteen threads whose places follow each other, are the same, cross pages, or are anywhere:
 * of guest memory and of a workgroup's storage, interpreted and compiled. Expected bytes are worked out here. */
#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/dispatch.h"

enum {
    THREADS = 40, /* two times sixteen, and eight */
    TABLE = DISPATCH_DATA + 0x1000,
    SOURCE = DISPATCH_DATA + 0x10000,
    TARGET = DISPATCH_DATA + 0x1c000,
    REACH = 0x4000, /* bytes from SOURCE and TARGET on */
    GROUP = 4096    /* bytes of a workgroup's storage */
};

static const struct mali_options t860 = {.kind = MALI_T860};

/* ---- where threads load and store ---- */

static uint32_t in_a_row(uint32_t n, uint32_t bytes)
{
    return n * bytes;
}

static uint32_t at_odd_bytes(uint32_t n, uint32_t bytes)
{
    return 3 + n * bytes;
}

static uint32_t across_pages(uint32_t n, uint32_t bytes)
{
    return GPU_PAGE - 3 * bytes + n * bytes;
}

static uint32_t across_unaligned(uint32_t n, uint32_t bytes)
{
    return GPU_PAGE - 3 * bytes - 1 + n * bytes;
}

static uint32_t the_same(uint32_t n, uint32_t bytes)
{
    return 64 * bytes + n * 0;
}

static uint32_t backwards(uint32_t n, uint32_t bytes)
{
    return (THREADS - n) * bytes;
}

static uint32_t with_gaps(uint32_t n, uint32_t bytes)
{
    return n * 2 * bytes;
}

static uint32_t row_but_one(uint32_t n, uint32_t bytes)
{
    return (n == 9 ? 100 : n) * bytes;
}

static uint32_t same_but_last(uint32_t n, uint32_t bytes)
{
    return (n % 16 == 15 ? 1 : 0) * bytes;
}

typedef uint32_t (*pattern_fn)(uint32_t n, uint32_t bytes);
static const pattern_fn patterns[] = {in_a_row,  at_odd_bytes, across_pages, across_unaligned, the_same,
                                      backwards, with_gaps,    row_but_one,  same_but_last};

/* ---- programs ---- */

/* r1.x is the thread's place, from the table; odd threads alone where `half`. */
static void program_of(char *text, size_t size, const char *load, const char *store, bool group, bool half)
{
    const char *place = group ? "storage.z.64" : "al0.x.64";
    snprintf(text, size,
             "vmul.imov.32 r26, r24.xxxx, r23 ; next alu1\n"
             "mov r0, glid.x, zero.x, 0 ; next alu1\n"
             "vmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next ldst\n"
             "ld_32 r1.x, al0.x.64, al0.z.u32<<2, %u ; nop ; next alu1\n"
             "vmul.imov.32 r26.z, r24.xxxx, r1.xxxx ; next alu2\n"
             "%s"
             "L0:\n%s r3, al0.x.64, al0.z.u32, %u ; nop ; next alu1\n"
             "vmul.imov.32 r27, r24.xxxx, r3 ; next ldst\n"
             "%s al1, %s, al0.z.u32, %u ; nop ; next ldst\n"
             "%s r3, %s, al0.z.u32, %u ; nop ; next alu1\n"
             "vmul.imov.32 r27, r24.xxxx, r3 ; next ldst\n"
             "%s al1, al0.x.64, al0.z.u32, %u ; nop ; stop\n"
             "L1:\nnop ; nop ; stop\n",
             TABLE - DISPATCH_DATA,
             half ? "vadd.iand.32 r5.x, r0.xxxx, #1 ; next alu2\n"
                    "vadd.ine.32 r31.w, r5.xxxx, #1 ; br.true L1, ldst ; next ldst\n"
                  : "",
             load, SOURCE - DISPATCH_DATA, store, place, group ? 0 : REACH, load, place, group ? 0 : REACH,
             store, TARGET - DISPATCH_DATA);
}

static const struct {
    const char *load, *store;
    uint32_t bytes;
} kinds[] = {{"ld_u8", "st_u8", 1},
             {"ld_i16", "st_i16", 2},
             {"ld_32", "st_32", 4},
             {"ld_64", "st_64", 8},
             {"ld_128", "st_128", 16}};

static uint8_t source_byte(uint32_t at)
{
    return (uint8_t)(at * 37 + (at >> 8) * 11 + 1);
}

static void check(unsigned k, unsigned p, bool group, bool half)
{
    char text[2048];
    struct dispatch d;
    program_of(text, sizeof text, kinds[k].load, kinds[k].store, group, half);
    dispatch_begin(&d, &t860, MALI_JOB_TYPE_COMPUTE, text);
    dispatch_sizes(&d, (uint32_t[3]){THREADS, 1, 1}, (uint32_t[3]){1, 1, 1});
    dispatch_set(&d, DISPATCH_STORAGE, 1, 13 << 8); /* GROUP bytes */
    for (uint32_t n = 0; n < REACH; n++)
        dispatch_at(&d, SOURCE)[n] = source_byte(n);
    for (uint32_t n = 0; n < THREADS; n++)
        dispatch_set(&d, TABLE, n, patterns[p](n, kinds[k].bytes));
    dispatch_run(&d);
    uint8_t want[REACH] = {0};
    for (uint32_t n = half ? 1 : 0; n < THREADS; n += half ? 2 : 1)
        for (uint32_t byte = 0, at = patterns[p](n, kinds[k].bytes); byte < kinds[k].bytes; byte++)
            want[at + byte] = source_byte(at + byte);
    for (uint32_t n = 0; n < REACH; n++)
        if (dispatch_at(&d, TARGET)[n] != want[n])
            fail_msg("%s, pattern %u, %s%s: byte %u is %u, expected %u", kinds[k].load, p,
                     group ? "storage" : "memory", half ? ", odd threads" : "", n, dispatch_at(&d, TARGET)[n],
                     want[n]);
    guest_destroy(&d.guest);
}

static void test_patterns(void **state)
{
    (void)state;
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(kinds); k++)
        for (unsigned p = 0; p < UTIL_ARRAY_SIZE(patterns); p++)
            for (unsigned n = 0; n < 4; n++) {
                bool fits = patterns[p](THREADS, kinds[k].bytes) + 16 <= GROUP;
                if (!(n & 1) || fits)
                    check(k, p, n & 1, n >> 1);
            }
}

/* A page that is not there, or may not be written: the lowest thread that meets it is told, and those before it in
 * the sixteen have stored nothing. */
static void expect_fault(uint32_t page, uint64_t rights, bool stores, uint32_t thread)
{
    char text[2048];
    struct dispatch d;
    program_of(text, sizeof text, "ld_32", "st_32", false, false);
    dispatch_begin(&d, &t860, MALI_JOB_TYPE_COMPUTE, text);
    dispatch_sizes(&d, (uint32_t[3]){THREADS, 1, 1}, (uint32_t[3]){1, 1, 1});
    for (uint32_t n = 0; n < THREADS; n++)
        dispatch_set(&d, TABLE, n, across_pages(n, 4));
    uint64_t *entry = guest_entry(&d.guest, page);
    *entry = rights ? (*entry & ~(uint64_t)RIGHT_BOTH) | rights : 0;
    guest_flush_as(&d.guest, 0);
    guest_submit(&d.guest, 1, DISPATCH_JOB, 0x83300);
    assert_int_equal(guest_status(&d.guest, 1), STATUS_ACTIVE);
    assert_int_equal(mali_read(d.guest.device, MMU_RAW), 1);
    assert_int_equal(mali_read(d.guest.device, guest_as(0, AS_FAULT_AT)),
                     (stores ? TARGET : SOURCE) + across_pages(thread, 4));
    for (uint32_t n = 0; n < REACH; n++)
        assert_int_equal(dispatch_at(&d, TARGET)[n], 0);
    guest_destroy(&d.guest);
}

static void test_pages(void **state)
{
    (void)state;
    expect_fault(SOURCE, 0, false, 0);
    expect_fault(SOURCE + GPU_PAGE, 0, false, 3);
    expect_fault(TARGET + GPU_PAGE, 0, true, 3);
    expect_fault(TARGET + GPU_PAGE, RIGHT_READ, true, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns), cmocka_unit_test(test_pages)};
    return dispatch_run_group_tests(tests);
}
