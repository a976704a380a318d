/* Compute jobs: ids, barriers and storage, atomics, images, uniform buffers; faults, waits and bounds. Expected
 * values are worked out here. */
#include <pthread.h>
#include <unistd.h>

#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/dispatch.h"

static const struct mali_options t860 = {.kind = MALI_T860};
static const uint32_t one[3] = {1, 1, 1};

/* r23 is where data begins: the address of what follows is al0.xy, al0.z times four a place in it. */
#define ADDRESS "vmul.imov.32 r26, r24.xxxx, r23 ; next alu1\n"
#define NUMBER                                                                                               \
    ADDRESS "mov r0, glid.x, zero.x, 0 ; next alu1\nvmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next ldst\n"

static void dispatch_line(struct dispatch *d, uint32_t size, uint32_t groups, const char *program)
{
    dispatch_begin(d, &t860, MALI_JOB_TYPE_COMPUTE, program);
    dispatch_sizes(d, (uint32_t[3]){size, 1, 1}, (uint32_t[3]){groups, 1, 1});
}

/* Each invocation stores what it is at its global number, of 8 by 4 by 4. */
static void test_ids(void **state)
{
    struct dispatch d;
    dispatch_begin(&d, &t860, MALI_JOB_TYPE_COMPUTE,
                   "mov r0, glid.x, zero.x, 0 ; mov r2, lid.x, zero.x, 0 ; next alu2\n"
                   "vmul.imul.32 r1.xyz, r0.xyzz, r26.xyzz ; const 16, 128, 512, 0 ; next alu1\n"
                   "vadd.iadd.32 r1.x, r1.xxxx, r1.yyyy ; next alu1\n"
                   "vadd.iadd.32 r1.x, r1.xxxx, r1.zzzz ; next alu1\n" ADDRESS
                   "vmul.imov.32 r26.z, r24.xxxx, r1.xxxx ; next alu1\n"
                   "vmul.imov.32 r27, r24.xxxx, r0 ; next ldst\n"
                   "st_128 al1, al0.x.64, al0.z.u32, 0 ; mov r3, lid.x, zero.x, 0 ; next ldst\n"
                   "mov r27, lid.x, zero.x, 0 ; st_128 al1, al0.x.64, al0.z.u32, 4096 ; stop\n");
    dispatch_sizes(&d, (uint32_t[3]){4, 2, 1}, (uint32_t[3]){2, 2, 4});
    dispatch_run(&d);
    for (uint32_t n = 0; n < 128; n++)
        for (unsigned c = 0; c < 3; c++) {
            const uint32_t global[3] = {n % 8, n / 8 % 4, n / 32}, local[3] = {n % 4, n / 8 % 2, 0};
            assert_int_equal(dispatch_get(&d, DISPATCH_DATA, 4 * n + c), global[c]);
            assert_int_equal(dispatch_get(&d, DISPATCH_DATA + 4096, 4 * n + c), local[c]);
        }
    assert_int_equal(d.guest.device->event[MALI_EVENT_COMPUTE_THREADS], 128);
    assert_true(mali_device_host(d.guest.device)->counters.instructions > 0);
    guest_destroy(&d.guest);
}

/* Threads of a workgroup hand each other numbers through its storage, across a barrier: 64 threads are four
 * times sixteen, of which none may be ahead. */
static void test_barrier(void **state)
{
    struct dispatch d;
    dispatch_line(&d, 64, 3,
                  "mov r27, glid.x, zero.x, 0 ; mov r26, lid.x, zero.x, 0 ; next ldst\n"
                  "st_32 al1, storage.z.64, al0.x.u32<<2, 0 ; nop ; next bar\n"
                  "barrier ; next ldst\n"
                  "mov r1, lid.x, zero.x, 0 ; nop ; next alu2\n"
                  "vadd.isub.32 r26.x, r26.xxxx, r1.xxxx ; const 63, 0, 0, 0 ; next ldst\n"
                  "ld_32 r2.x, storage.z.64, al0.x.u32<<2, 0 ; nop ; next alu1\n" NUMBER
                  "nop ; nop ; next alu1\nvmul.imov.32 r27, r24.xxxx, r2 ; next ldst\n"
                  "st_32 al1, al0.x.64, al0.z.u32<<2, 0 ; nop ; stop\n");
    dispatch_set(&d, DISPATCH_STORAGE, 1, 9 << 8); /* 256 bytes */
    dispatch_run(&d);
    for (uint32_t n = 0; n < 192; n++)
        assert_int_equal(dispatch_get(&d, DISPATCH_DATA, n), n / 64 * 64 + 63 - n % 64);
    dispatch_set(&d, DISPATCH_STORAGE, 1, 8 << 8); /* half of it: the 33rd thread has no place */
    assert_int_equal(guest_run(&d.guest, 1, DISPATCH_JOB), 0x20000);
    struct gpu_fault fault = guest_fault(&d.guest);
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_int_equal(guest_status(&d.guest, 1), MALI_INSTR_TLS_FAULT);
    guest_destroy(&d.guest);
}

/* Workgroups of one thread: a barrier stops nobody, and each has a storage of its own, which is zero. */
static void test_alone(void **state)
{
    struct dispatch d;
    dispatch_line(&d, 1, 40,
                  "mov r27, glid.x, zero.x, 0 ; nop ; next bar\nbarrier ; next ldst\n"
                  "ld_32 r1.x, storage.z.64, zero.x, 0 ; st_32 al1, storage.z.64, zero.x, 0 ; next bar\n"
                  "barrier ; next ldst\nld_32 r2.x, storage.z.64, zero.x, 0 ; nop ; next alu1\n"
                  "vadd.iadd.32 r27.x, r1.xxxx, r2.xxxx ; next alu1\n" NUMBER
                  "st_32 al1, al0.x.64, al0.z.u32<<2, 0 ; nop ; stop\n");
    dispatch_set(&d, DISPATCH_STORAGE, 1, 8 << 8);
    dispatch_run(&d);
    for (uint32_t n = 0; n < 40; n++)
        assert_int_equal(dispatch_get(&d, DISPATCH_DATA, n), n);
    dispatch_program(&d, "mov r27, glid.x, zero.x, 0 ; nop ; next bar\nbarrier ; next alu1\n" NUMBER
                         "st_32 al1, al0.x.64, al0.z.u32<<2, 4096 ; nop ; stop\n");
    dispatch_set(&d, DISPATCH_STORAGE, 1, 31);
    dispatch_run(&d);
    for (uint32_t n = 0; n < 40; n++)
        assert_int_equal(dispatch_get(&d, DISPATCH_DATA + 4096, n), n);
    guest_destroy(&d.guest);
}

/* A counter gives each invocation its number; threads' own storage is zero for each, and its own. */
static void test_atomics(void **state)
{
    struct dispatch d;
    dispatch_line(&d, 1, 100,
                  ADDRESS
                  "vmul.imov.32 r27.x, r24.xxxx, #1 ; next ldst\n"
                  "atomic_add r0.x, al0.x.64, zero.x, 0, al1.x ; nop ; next alu1\n"
                  "vmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next ldst\n"
                  "ld_32 r1.x, storage.x.64, zero.x, 4 ; st_32 al1, storage.x.64, zero.x, 4 ; next alu1\n"
                  "vadd.iadd.32 r27.x, r0.xxxx, r1.xxxx ; next ldst\n"
                  "st_32 al1, al0.x.64, al0.z.u32<<2, 64 ; atomic_umax r2.x, al0.x.64, zero.x, 8, al0.z ; "
                  "stop\n");
    dispatch_set(&d, DISPATCH_STORAGE, 2, 0x300000); /* 16 bytes a thread */
    dispatch_run(&d);
    assert_int_equal(dispatch_get(&d, DISPATCH_DATA, 0), 100);
    assert_int_equal(dispatch_get(&d, DISPATCH_DATA, 2), 99);
    for (uint32_t n = 0; n < 100; n++)
        assert_int_equal(dispatch_get(&d, DISPATCH_DATA, 16 + n), n);
    guest_destroy(&d.guest);
}

/* Uniform buffers: by immediate number; beyond them zeros. */
static void test_uniform_buffers(void **state)
{
    struct dispatch d;
    dispatch_line(&d, 1, 20,
                  NUMBER "nop ; ld_ubo_32 r27.x, al0.x, al0.z<<2, 0:0 ; next ldst\n"
                         "st_32 al1, al0.x.64, al0.z.u32<<2, 0 ; nop ; stop\n");
    dispatch_counts(&d, 0, 0, 0, 0, 1);
    dispatch_set(&d, DISPATCH_BUFFERS, 0, 3 | (DISPATCH_DATA + 4096) >> 4 << 12); /* four entries */
    for (uint32_t n = 0; n < 32; n++) {
        dispatch_set(&d, DISPATCH_DATA + 4096, n, 1000 + n);
        dispatch_set(&d, DISPATCH_DATA, n, 77);
    }
    dispatch_run(&d);
    for (uint32_t n = 0; n < 20; n++)
        assert_int_equal(dispatch_get(&d, DISPATCH_DATA, n), n < 16 ? 1000 + n : 0);
    guest_destroy(&d.guest);
}

/* ---- images ---- */

enum { SIDE = 24, IMAGE = DISPATCH_DATA + 0x8000, RGBA8UI = 155, RGBA = 0x688 };

/* Place of a texel in interleaved tiles: bits of y, and of x xor y, by turns (the Malis' order). */
static uint32_t interleaved(uint32_t x, uint32_t y, uint32_t row)
{
    uint32_t place = 0;
    for (unsigned n = 0; n < 4; n++)
        place |= ((x ^ y) >> n & 1) << 2 * n | (y >> n & 1) << (2 * n + 1);
    return y / 16 * row + (x / 16 * 256 + place) * 4;
}

/* Each texel (x, y) becomes (x, y, x + y, 9), outside nothing; then an atomic and a load of it. */
static void run_image(bool tiled)
{
    struct dispatch d;
    uint32_t row = tiled ? 32 * 16 * 4 : 128;
    dispatch_begin(&d, &t860, MALI_JOB_TYPE_COMPUTE,
                   "mov r0, glid.x, zero.x, 0 ; nop ; next alu2\n"
                   "vmul.imul.32 r1.xy, r0.xyyy, r26.xyyy ; const 1, 65536, 0, 0 ; next alu1\n"
                   "vadd.iadd.32 r26.x, r1.xxxx, r1.yyyy ; next alu1\n"
                   "vmul.imov.32 r27.xy, r24.xxxx, r0.xyyy ; next alu1\n"
                   "vadd.iadd.32 r27.z, r0.xxxx, r0.yyyy ; next alu1\n"
                   "vmul.imov.32 r27.w, r24.xxxx, #9 ; next ldst\n"
                   "st_image_32u al1, al0.x, zero.x, 0:0 ; nop ; next ldst\n"
                   "ld_image_32u r3, al0.x, zero.x, 0:0 ; lea_image r26.xy, al0.x, zero.x, 0:0 ; next alu1\n"
                   "vmul.imov.32 r27, r24.xxxx, r3 ; next alu2\n"
                   "vmul.imul.32 r27.x, r27.wwww, r26.xxxx ; const 0x1000000, 0, 0, 0 ; next ldst\n"
                   "atomic_add r4.x, al0.x.64, zero.x, 0, al1.x ; nop ; stop\n");
    dispatch_sizes(&d, (uint32_t[3]){8, 4, 1}, (uint32_t[3]){4, 8, 1}); /* 32 by 32: more than there is */
    dispatch_counts(&d, 0, 0, 1, 0, 0);
    dispatch_array(&d, DISPATCH_ATTRIBUTES, 0, RGBA8UI, RGBA, IMAGE, 4, 0x4000);
    dispatch_set(&d, DISPATCH_ATTRIBUTE_BUFFERS, 0, IMAGE | (tiled ? 6 : 5));
    dispatch_set(&d, DISPATCH_ATTRIBUTE_BUFFERS, 4, 32 | (SIDE - 1) << 16);
    dispatch_set(&d, DISPATCH_ATTRIBUTE_BUFFERS, 5, SIDE - 1);
    dispatch_set(&d, DISPATCH_ATTRIBUTE_BUFFERS, 6, row);
    dispatch_run(&d);
    unsigned written = 0;
    for (uint32_t n = 0; n < 0x4000; n += 4)
        written += dispatch_get(&d, IMAGE + n, 0) != 0;
    assert_int_equal(written, SIDE * SIDE);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            assert_int_equal(dispatch_get(&d, IMAGE + (tiled ? interleaved(x, y, row) : y * row + x * 4), 0),
                             x | y << 8 | (x + y) << 16 | 18u << 24);
    guest_destroy(&d.guest);
}

static void test_images(void **state)
{
    run_image(false);
    run_image(true);
}

/* ---- attributes ---- */

/* Normalised numbers of 32 bits, with and without sign: the nearest single of the quotient (OpenGL ES 3.1 section
 * 2.3.5). */
static void test_wide_normalised(void **state)
{
    static const uint32_t words[8] = {0,          1,          0x7fffffff, 0x80000000,
                                      0x80000001, 0xffffffff, 0x12345678, 0xfffffffe};
    enum { RGBA32_SNORM = 125, RGBA32_UNORM = 189, FROM = DISPATCH_DATA + 0x8000 };
    for (unsigned sign = 0; sign < 2; sign++) {
        struct dispatch d;
        dispatch_line(&d, 1, 2,
                      ADDRESS "mov r0, glid.x, zero.x, 0 ; next alu1\n"
                              "vmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next ldst\n"
                              "ld_attr_32 r27, zero.x, zero.x, 0:0 ; nop ; next ldst\n"
                              "st_128 al1, al0.x.64, al0.z.u32<<4, 0 ; nop ; stop\n");
        dispatch_counts(&d, 0, 0, 1, 0, 0);
        dispatch_array(&d, DISPATCH_ATTRIBUTES, 0, sign ? RGBA32_SNORM : RGBA32_UNORM, RGBA, FROM, 16, 32);
        for (uint32_t n = 0; n < 8; n++)
            dispatch_set(&d, FROM, n, words[n]);
        dispatch_run(&d);
        for (uint32_t n = 0; n < 8; n++) {
            float got = util_u2f(dispatch_get(&d, DISPATCH_DATA, n));
            double exact = sign ? (double)(int32_t)words[n] / 2147483647.0 : (double)words[n] / 4294967295.0;
            assert_true(got == (float)(exact < -1 ? -1 : exact));
        }
        guest_destroy(&d.guest);
    }
}

/* ---- what goes wrong ---- */

#define COUNT_AND_STORE                                                                                      \
    ADDRESS                                                                                                  \
    "vmul.imov.32 r27.x, r24.xxxx, #1 ; next alu1\nmov r0, glid.x, zero.x, 0 ; next alu1\n"                  \
    "vmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next ldst\n"                                                    \
    "atomic_add r0.x, al0.x.64, zero.x, 0, al1.x ; st_32 al1, al0.x.64, al0.z.u32<<12, 4096 ; stop\n"

/* A page that is not there is waited for. Of what was done only the unit that met it is done again. */
static void test_waits(void **state)
{
    struct dispatch d;
    dispatch_line(&d, 1, 62, COUNT_AND_STORE); /* four units, a page each thread */
    uint64_t *entry = guest_entry(&d.guest, DISPATCH_DATA + 41 * 4096), was = *entry;
    *entry = 0;
    guest_flush_as(&d.guest, 0);
    guest_submit(&d.guest, 1, DISPATCH_JOB, 0x83300);
    assert_int_equal(guest_status(&d.guest, 1), STATUS_ACTIVE);
    assert_int_equal(mali_read(d.guest.device, MMU_RAW), 1);
    assert_int_equal(mali_read(d.guest.device, guest_as(0, AS_FAULT_AT)), DISPATCH_DATA + 41 * 4096);
    guest_expect_no_fault(&d.guest);
    assert_int_equal(dispatch_get(&d, DISPATCH_DATA, 0), 48); /* three units */
    *entry = was;
    mali_write(d.guest.device, MMU_CLEAR, 1);
    guest_flush_as(&d.guest, 0);
    guest_expect_no_fault(&d.guest);
    assert_int_equal(mali_read(d.guest.device, JOB_RAW), 2);
    assert_int_equal(dispatch_get(&d, DISPATCH_DATA, 0), 78); /* the third one twice */
    for (uint32_t n = 1; n <= 62; n++)
        assert_int_equal(dispatch_get(&d, DISPATCH_DATA + n * 4096, 0), 1);
    guest_destroy(&d.guest);
}

static void expect_fault(const char *program, const struct mali_options *options, enum gpu_fault_kind kind,
                         uint32_t status, const char *part)
{
    struct dispatch d;
    dispatch_begin(&d, options, MALI_JOB_TYPE_COMPUTE, program);
    dispatch_sizes(&d, one, (uint32_t[3]){40, 1, 1});
    guest_submit(&d.guest, 1, DISPATCH_JOB, 0x83300);
    struct gpu_fault fault = guest_fault(&d.guest);
    if (fault.kind != kind || !strstr(fault.text, part))
        fail_msg("%s: kind %u: %s", program, fault.kind, fault.text);
    assert_string_equal(fault.unit, "compute program");
    assert_int_equal(guest_status(&d.guest, 1), status);
    guest_destroy(&d.guest);
}

static void test_faults(void **state)
{
    const struct mali_options little = {.kind = MALI_T860, .gpu = {.job_fuel = 40}};
    expect_fault("ld_attr_32 r0, zero.x, zero.x, 3:0 ; nop ; stop\n", &t860, GPU_FAULT_PACKET,
                 MALI_DATA_INVALID_FAULT, "attribute that there is not (3)");
    expect_fault("ld_vary_32 r0, zero.x, zero.x, 0:0 ; nop ; stop\n", &t860, GPU_FAULT_UNSUPPORTED,
                 MALI_INSTR_TYPE_MISMATCH, "only fragments");
    expect_fault("ld_32 r0, storage.x.64, zero.x, 0 ; nop ; stop\n", &t860, GPU_FAULT_MEMORY,
                 MALI_INSTR_TLS_FAULT, "storage of 0");
    expect_fault("tex.2d.1.f out0, in0.xyxx, 5, 0 ; as vtex ; stop\n", &t860, GPU_FAULT_PACKET,
                 MALI_DATA_INVALID_FAULT, "texture 5: there is none");
    expect_fault("L0:\nvmul.imov.32 r0, r24.xxxx, r0 ; jump L0, alu1 ; next alu1\n", &t860, GPU_FAULT_TIMEOUT,
                 STATUS_ACTIVE, "loops");
    expect_fault(ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS
                     ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS
                 "st_32 al1, al0.x.64, zero.x, 0 ; nop ; stop\n",
                 &little, GPU_FAULT_TIMEOUT, STATUS_ACTIVE, "too many instructions");
}

/* A workgroup of more threads than there may be, a program that is none or begins with another tag. */
static void test_refused(void **state)
{
    static const struct {
        uint32_t address, word, value, status;
        const char *part;
    } changes[] = {{DISPATCH_JOB, 8, 511, MALI_JOB_CONFIG_FAULT, "more than 256"},
                   {DISPATCH_STATE, 0, DISPATCH_PROGRAM | 8, MALI_INSTR_INVALID_PC, "begins with tag 5"},
                   {DISPATCH_STATE, 0, DISPATCH_PROGRAM + 0x800, MALI_INSTR_INVALID_ENC, ""},
                   {DISPATCH_STATE, 4, 17 << 21, MALI_DATA_INVALID_FAULT, "17 uniforms"},
                   {DISPATCH_STORAGE, 1, 25 << 8, MALI_DATA_INVALID_FAULT, "more than 65536"}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(changes); n++) {
        struct dispatch d;
        dispatch_begin(&d, &t860, MALI_JOB_TYPE_COMPUTE, "nop ; nop ; stop\n");
        if (changes[n].word == 8)
            dispatch_set(&d, DISPATCH_JOB, 9, 9 | 9 << 5 | 9 << 10 | 9 << 16 | 9 << 22);
        dispatch_set(&d, changes[n].address, changes[n].word, changes[n].value);
        assert_int_equal(guest_run(&d.guest, 1, DISPATCH_JOB), 0x20000);
        struct gpu_fault fault = guest_fault(&d.guest);
        if (!fault.kind || !strstr(fault.text, changes[n].part))
            fail_msg("change %u: %s", n, fault.text);
        assert_int_equal(guest_status(&d.guest, 1), changes[n].status);
        guest_destroy(&d.guest);
    }
}

/* 2^31 invocations, in order and on two workers: who does not want them any more has their end soon. */
static void *submit(void *data)
{
    struct dispatch *d = data;
    guest_submit(&d->guest, 1, DISPATCH_JOB, 0x83300);
    return NULL;
}

static void test_cancelled(void **state)
{
    static const char *const programs[] = {"nop ; nop ; stop\n",
                                           ADDRESS "st_32 al1, al0.x.64, zero.x, 0 ; nop ; stop\n"};
    struct util_pool *pool;
    assert_int_equal(util_pool_create(1, &pool), 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(programs); n++) {
        struct dispatch d;
        pthread_t thread;
        dispatch_begin(&d, &(struct mali_options){.kind = MALI_T860, .gpu.pool = pool}, MALI_JOB_TYPE_COMPUTE,
                       programs[n]);
        dispatch_sizes(&d, one, (uint32_t[3]){1, 1u << 31, 1});
        assert_int_equal(pthread_create(&thread, NULL, submit, &d), 0);
        usleep(10000);
        alarm(20); /* instead of waiting for ever */
        gpu_host_cancel(mali_device_host(d.guest.device), true);
        pthread_join(thread, NULL);
        alarm(0);
        gpu_host_cancel(mali_device_host(d.guest.device), false);
        guest_expect_no_fault(&d.guest);
        assert_int_equal(guest_status(&d.guest, 1), STATUS_ACTIVE);
        guest_destroy(&d.guest);
    }
    util_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_uniform_buffers),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_wide_normalised),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cancelled),
    };
    return dispatch_run_group_tests(tests);
}
