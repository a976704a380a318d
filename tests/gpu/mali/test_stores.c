/* Dispatches that store, on several workers: the same bytes, counts and faults as one after the other, whether
 * workgroups meet or not. */
#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/dispatch.h"

enum { SIZE = 64, GROUPS = 96, THREADS = SIZE * GROUPS, POOLS = 3, TABLE = DISPATCH_DATA + 0x1e000 };

/* r26.xyz: data's address and the thread's number, which is r27.x, too. */
#define NUMBER                                                                                               \
    "mov r0, glid.x, zero.x, 0 ; mov r27, glid.x, zero.x, 0 ; next alu1\n"                                   \
    "vmul.imov.32 r26, r24.xxxx, r23 ; next alu1\nvmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next ldst\n"
#define LOAD(from)  "ld_32 r1.x, al0.x.64, al0.z.u32<<2, " from " ; nop ; next alu1\n"
#define STORE(what) what " ; nop ; stop\n"

static const struct {
    const char *name, *program;
} programs[] = {
    {"each its own", NUMBER STORE("st_32 al1, al0.x.64, al0.z.u32<<2, 0")},
    {"four words each", NUMBER STORE("st_128 al1, al0.x.64, al0.z.u32<<4, 16")},
    {"across pages", NUMBER STORE("st_64 al1, al0.x.64, al0.z.u32<<3, 4092")},
    {"bytes", NUMBER STORE("st_u8 al1, al0.x.64, al0.z.u32, 0")},
    {"at odd bytes", NUMBER STORE("st_32 al1, al0.x.64, al0.z.u32<<2, 1")},
    {"all to one word", NUMBER STORE("st_32 al1, al0.x.64, zero.x, 0")},
    {"from there to here", NUMBER LOAD("122880") "vmul.imov.32 r27, r24.xxxx, r1 ; next ldst\n" STORE(
                               "st_32 al1, al0.x.64, al0.z.u32<<2, 0")},
    {"in place", NUMBER LOAD("0") "vadd.iadd.32 r27, r1, r27 ; next ldst\n" STORE(
                     "st_32 al1, al0.x.64, al0.z.u32<<2, 0")},
    {"to the next workgroup", NUMBER LOAD("0") "vadd.iadd.32 r27, r1, r27 ; next ldst\n" STORE(
                                  "st_32 al1, al0.x.64, al0.z.u32<<2, 256")},
    {"back to the workgroup before", NUMBER LOAD("256") "vadd.iadd.32 r27, r1, r27 ; next ldst\n" STORE(
                                         "st_32 al1, al0.x.64, al0.z.u32<<2, 0")},
    {"by a table", NUMBER LOAD("122880") "vmul.imov.32 r26.z, r24.xxxx, r1.xxxx ; next ldst\n" STORE(
                       "st_32 al1, al0.x.64, al0.z.u32<<2, 0")},
    {"by a table, and one for all",
     NUMBER LOAD("122880") "vmul.imov.32 r26.z, r24.xxxx, r1.xxxx ; next ldst\n"
                           "st_32 al1, al0.x.64, al0.z.u32<<2, 0 ; nop ; next ldst\n"
                           "st_32 al1, al0.x.64, zero.x, 118784 ; nop ; stop\n"},
    {"four words by a table",
     NUMBER LOAD("122880") "vmul.imov.32 r26.z, r24.xxxx, r1.xxxx ; next ldst\n" STORE(
         "st_128 al1, al0.x.64, al0.z.u32<<4, 0")},
};

/* What came of a program. */
struct outcome {
    uint8_t data[DISPATCH_DATA_BYTES];
    uint64_t instructions;
    uint32_t status, fault_at;
};

/* `missing`: a page of data that is not there at first, or 0. */
static void run(const char *program, struct util_pool *pool, uint32_t missing, struct outcome *waits,
                struct outcome *out)
{
    struct dispatch d;
    dispatch_begin(&d, &(struct mali_options){.kind = MALI_T860, .gpu.pool = pool}, MALI_JOB_TYPE_COMPUTE,
                   program);
    dispatch_sizes(&d, (uint32_t[3]){SIZE, 1, 1}, (uint32_t[3]){GROUPS, 1, 1});
    for (uint32_t n = 0; n < THREADS; n++) {
        dispatch_set(&d, TABLE, n, n * 1597 % THREADS); /* each once */
        dispatch_set(&d, DISPATCH_DATA, n, n * 7);
    }
    uint64_t *entry = guest_entry(&d.guest, missing ? missing : DISPATCH_DATA), was = *entry;
    *entry = missing ? 0 : was;
    guest_flush_as(&d.guest, 0);
    for (unsigned n = missing ? 0 : 1; n < 2; n++) {
        struct outcome *to = n ? out : waits;
        if (!missing || !n)
            guest_submit(&d.guest, 1, DISPATCH_JOB, 0x83300);
        memcpy(to->data, d.data, sizeof to->data);
        to->instructions = mali_device_host(d.guest.device)->counters.instructions;
        to->status = guest_status(&d.guest, 1);
        to->fault_at = (uint32_t)mali_read(d.guest.device, guest_as(0, AS_FAULT_AT));
        if (n)
            break;
        assert_int_equal(to->status, STATUS_ACTIVE);
        *entry = was;
        mali_write(d.guest.device, MMU_CLEAR, 1);
        guest_flush_as(&d.guest, 0);
    }
    guest_expect_no_fault(&d.guest);
    assert_int_equal(!!d.guest.device->programs.speculation, !!pool);
    guest_destroy(&d.guest);
}

static void expect_same(const char *name, const struct outcome *a, const struct outcome *b)
{
    for (uint32_t n = 0; n < sizeof a->data; n++)
        if (a->data[n] != b->data[n])
            fail_msg("%s: byte %u is %u, in order %u", name, n, b->data[n], a->data[n]);
    if (a->instructions != b->instructions || a->status != b->status || a->fault_at != b->fault_at)
        fail_msg("%s: %llu instructions, status %x, fault at %x; in order %llu, %x, %x", name,
                 (unsigned long long)b->instructions, b->status, b->fault_at,
                 (unsigned long long)a->instructions, a->status, a->fault_at);
}

static struct util_pool *pool_of(unsigned n)
{
    struct util_pool *pool;
    assert_int_equal(n ? util_pool_create_shuffled(1 + n, n, &pool) : util_pool_create(2, &pool), 0);
    return pool;
}

static void check(uint32_t missing)
{
    static struct outcome waits[2], done[2];
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(programs); n += missing ? 3 : 1) {
        run(programs[n].program, NULL, missing, &waits[0], &done[0]);
        for (unsigned p = 0; p < POOLS; p++) {
            struct util_pool *pool = pool_of(p);
            run(programs[n].program, pool, missing, &waits[1], &done[1]);
            expect_same(programs[n].name, &done[0], &done[1]);
            if (missing)
                expect_same(programs[n].name, &waits[0], &waits[1]);
            util_pool_destroy(pool);
        }
    }
}

static void test_stores(void **state)
{
    (void)state;
    check(0);
}

/* All programs use the first page of data, and none is done before it is there; then no unit is done twice more
 * than in order. */
static void test_waits(void **state)
{
    (void)state;
    check(DISPATCH_DATA);
}

/* ---- images ---- */

enum { SIDE = 64, IMAGE = DISPATCH_DATA + 0x8000, RGBA8UI = 155, RGBA = 0x688 };

/* Texels become their place; those of the second image are what the first one has beside them. */
static void run_image(struct util_pool *pool, bool tiled, bool same, struct outcome *out)
{
    struct dispatch d;
    dispatch_begin(&d, &(struct mali_options){.kind = MALI_T860, .gpu.pool = pool}, MALI_JOB_TYPE_COMPUTE,
                   "mov r26, glid.x, zero.x, 0 ; mov r0, glid.x, zero.x, 0 ; next alu2\n"
                   "vadd.iadd.32 r26.xy, r26.xyyy, r25.xyyy ; const 1, 0, 0, 0 ; next ldst\n"
                   "ld_image_32u r3, al0.x, zero.x, 0:0 ; nop ; next alu1\n"
                   "vmul.imov.32 r26, r24.xxxx, r0 ; next alu1\n"
                   "vadd.iadd.32 r27, r3, r0 ; next ldst\n"
                   "st_image_32u al1, al0.x, zero.x, 1:0 ; nop ; stop\n");
    dispatch_sizes(&d, (uint32_t[3]){8, 4, 1}, (uint32_t[3]){SIDE / 8, SIDE / 4, 1});
    dispatch_counts(&d, 0, 0, 2, 0, 0);
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t at = IMAGE + (same ? 0 : n * 0x8000), to = DISPATCH_ATTRIBUTE_BUFFERS;
        dispatch_set(&d, DISPATCH_ATTRIBUTES, 2 * n, 2 * n | 1 << 9 | RGBA << 10 | (uint32_t)RGBA8UI << 22);
        dispatch_set(&d, DISPATCH_ATTRIBUTES, 2 * n + 1, 0);
        dispatch_set(&d, to, 8 * n, at | (tiled ? 6 : 5));
        dispatch_set(&d, to, 8 * n + 2, 4);
        dispatch_set(&d, to, 8 * n + 3, 0x4000);
        dispatch_set(&d, to, 8 * n + 4, 32 | (SIDE - 1) << 16);
        dispatch_set(&d, to, 8 * n + 5, SIDE - 1);
        dispatch_set(&d, to, 8 * n + 6, SIDE * 4 * (tiled ? 16 : 1));
    }
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        dispatch_set(&d, IMAGE, n, n * 40503);
    dispatch_run(&d);
    memcpy(out->data, d.data, sizeof out->data);
    out->instructions = mali_device_host(d.guest.device)->counters.instructions;
    assert_int_equal(!!d.guest.device->programs.speculation, !!pool);
    guest_destroy(&d.guest);
}

static void test_images(void **state)
{
    (void)state;
    static struct outcome a, b;
    for (unsigned n = 0; n < 4; n++) {
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        run_image(NULL, n & 1, n >> 1, &a);
        assert_true(
            memcmp(a.data + (IMAGE - DISPATCH_DATA), a.data + (IMAGE - DISPATCH_DATA) + 0x8000, 0x4000));
        for (unsigned p = 0; p < POOLS; p++) {
            struct util_pool *pool = pool_of(p);
            run_image(pool, n & 1, n >> 1, &b);
            expect_same(n >> 1 ? "an image to itself" : "an image to another", &a, &b);
            util_pool_destroy(pool);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stores), cmocka_unit_test(test_waits),
                                       cmocka_unit_test(test_images)};
    return dispatch_run_group_tests(tests);
}
