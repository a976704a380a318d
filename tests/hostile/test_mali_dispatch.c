/* Hostile dispatches of a Midgard Mali: each ends in a report that names the place and what it is, or in memory,
 * the same whichever way it is run. */
#include "gpu/mali/desc.h"
#include "tests/gpu/mali/dispatch.h"

#include <xxhash.h>

enum { OUTSIDE = 0x01000000, FUEL = 1000 };
/* r26: the address of the data; r26.z: the thread's number along x. */
#define ADDRESS "vmul.imov.32 r26, r24.xxxx, r23.xyxx ; next ldst\n"
#define NUMBER                                                                                               \
    ADDRESS "mov r0, glid.x, zero.x, 0 ; nop ; next alu1\nvmul.imov.32 r26.z, r24.xxxx, r0.xxxx ; next "     \
            "ldst\n"

static void nothing(struct dispatch *d)
{
    (void)d;
}
static void all_workgroups(struct dispatch *d)
{
    dispatch_sizes(d, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1u << 31, 1});
}
static void a_large_workgroup(struct dispatch *d)
{
    dispatch_sizes(d, (uint32_t[3]){1024, 1024, 64}, (uint32_t[3]){1, 1, 1});
}
static void more_invocations_than_a_word_holds(struct dispatch *d)
{
    dispatch_set(d, DISPATCH_JOB, 8, UINT32_MAX);
    dispatch_set(d, DISPATCH_JOB, 9, UINT32_MAX);
}
static void much_storage(struct dispatch *d)
{
    dispatch_set(d, DISPATCH_STORAGE, 0, 31);
    dispatch_set(d, DISPATCH_STORAGE, 2, DISPATCH_DATA);
}
static void a_buffer_outside(struct dispatch *d)
{
    dispatch_counts(d, 0, 0, 0, 0, 1);
    dispatch_set(d, DISPATCH_BUFFERS, 0, 1023);
    dispatch_set(d, DISPATCH_BUFFERS, 1, OUTSIDE >> 24); /* from bit 12 on, in 16 bytes */
}
static void as_many_of_all_as_there_can_be(struct dispatch *d)
{
    dispatch_set(d, DISPATCH_STATE, 2, UINT32_MAX);
    dispatch_set(d, DISPATCH_STATE, 3, UINT32_MAX);
}
static void records_far_apart(struct dispatch *d)
{
    dispatch_counts(d, 0, 0, 1, 0, 0);
    dispatch_array(d, DISPATCH_ATTRIBUTES, 0, 0xba, 0x688, DISPATCH_DATA, UINT32_MAX, UINT32_MAX);
}
static void records_in_one_place(struct dispatch *d)
{
    dispatch_counts(d, 0, 0, 1, 0, 0);
    dispatch_array(d, DISPATCH_ATTRIBUTES, 0, 0xba, 0x688, DISPATCH_DATA, 0, 0);
}
static void data_taken_away(struct dispatch *d)
{
    *guest_entry(&d->guest, DISPATCH_DATA + 5 * 4096) = 0;
    guest_flush_as(&d->guest, 0);
}

#define MEMORY NULL /* no fault: all ways leave the same memory */
static const struct hostile {
    const char *name, *program;
    void (*before)(struct dispatch *);
    const char *report;
} cases[] = {
    {"a program without end", "again: jump again, alu1 ; next alu1\nidle ; stop\n", nothing,
     "job 1, compute program, draw 1, at 0x00110000, pc 0, lane 0: timeout: loops repeat more instructions "
     "than the fuel allows"},
    {"half of the lanes without end",
     NUMBER "nop ; nop ; next alu1\nagain: sadd.ilt.full r31.w, r0.x, #20 ; br.true again, alu1 ; next "
            "alu1\nidle ; stop\n",
     nothing,
     "job 1, compute program, draw 1, at 0x00110040, pc 4, lane 0: timeout: loops repeat more instructions "
     "than the fuel allows"},
    {"all workgroups that a job can have", "nop ; nop ; stop\n", all_workgroups,
     "job 1, compute program, draw 1, at 0x00100000: timeout: programs execute too many instructions"},
    {"a workgroup beyond all bounds", "nop ; nop ; stop\n", a_large_workgroup,
     "job 1, compute program, draw 1, at 0x00100000: bad record: a workgroup of 67108864 threads: more than "
     "256"},
    {"more invocations than a word holds", "nop ; nop ; stop\n", more_invocations_than_a_word_holds,
     "job 1, compute program, draw 1, at 0x00100000: bad record: a workgroup of 4294967296 threads: more "
     "than 256"},
    {"storage beyond all bounds", "nop ; nop ; stop\n", much_storage,
     "job 1, compute program, draw 1, at 0x00101100: unsupported: storage of 34359738368 bytes a thread, 0 a "
     "workgroup: more than 65536"},
    {"a store to storage that is not there", "nop ; st_32 al1, storage.x.64, zero.x, 0 ; stop\n", nothing,
     "job 1, compute program, draw 1, at 0x00000000, pc 0, lane 0: address outside memory: 4 bytes at 0x0 of "
     "a storage of 0"},
    {"a uniform buffer outside", NUMBER "nop ; ld_ubo_32 r0.x, al0.x, al0.z<<2, 0:0 ; stop\n",
     a_buffer_outside,
     "job 1, compute program, draw 1, at 0x01000000, pc 3, lane 0: address outside memory: uniform buffer at "
     "0x01000000, 4 bytes, cannot be read at 0x01000000"},
    {"as many textures and attributes as there can be", "nop ; nop ; stop\n", as_many_of_all_as_there_can_be,
     MEMORY},
    {"records far apart", "nop ; ld_attr_32 r0, zero.x, zero.x, 0:0 ; stop\n", records_far_apart, MEMORY},
    {"records in one place", "nop ; ld_attr_32 r0, zero.x, zero.x, 0:0 ; stop\n", records_in_one_place,
     MEMORY},
    {"stores beyond the data", NUMBER "nop ; st_32 al1, al0.x.64, al0.z.u32<<14, 0 ; stop\n", nothing,
     "job 1, compute program, draw 1, at 0x00260000, pc 3, lane 0: address outside memory: memory at "
     "0x00260000, 4 bytes, cannot be written at 0x00260000"},
    {"a page taken away", NUMBER "nop ; st_32 al1, al0.x.64, al0.z.u32<<12, 0 ; stop\n", data_taken_away,
     "job 1, compute program, draw 1, at 0x00205000, pc 3, lane 5: address outside memory: memory at "
     "0x00205000, 4 bytes, cannot be written at 0x00205000"},
    {"a program that overwrites itself",
     "vmul.imov.32 r26, r24.xxxx, r26 ; const 0x110000, 0, 0, 0 ; next ldst\n"
     "st_128 al0, al0.x.64, zero.x, 0 ; st_128 al0, al0.x.64, zero.x, 16 ; stop\n",
     nothing, MEMORY},
    {"a barrier that half of the lanes come to",
     NUMBER "nop ; nop ; next alu1\nsadd.ilt.full r31.w, r0.x, #20 ; br.true over, ldst ; next bar\nbarrier "
            "; next ldst\n"
            "over: st_32 al1, al0.x.64, al0.z.u32<<2, 0 ; nop ; stop\n",
     nothing, MEMORY},
};

static void run(const struct hostile *h, const struct mali_options *options, char text[512], uint64_t *left)
{
    struct dispatch d;
    struct gpu_fault fault;
    dispatch_begin(&d, options, MALI_JOB_TYPE_COMPUTE, h->program);
    dispatch_sizes(&d, (uint32_t[3]){8, 1, 1}, (uint32_t[3]){8, 1, 1});
    h->before(&d);
    guest_submit(&d.guest, 1, DISPATCH_JOB, 0x83300);
    mali_write(d.guest.device, guest_js(1, JS_COMMAND), 3);
    assert_int_not_equal(guest_status(&d.guest, 1), STATUS_ACTIVE);
    fault = guest_fault(&d.guest);
    snprintf(text, 512, "t860 no fault");
    if (fault.kind)
        gpu_fault_format(&fault, text, 512);
    *left = XXH3_64bits(d.data, DISPATCH_DATA_BYTES);
    guest_destroy(&d.guest);
}

static void test_reports(void **state)
{
    const struct jit_options jit = {.level = -1, .cache_dir = ""};
    struct jit_engine *engine;
    struct util_pool *pool;
    unsigned wrong = 0;
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    assert_int_equal(util_pool_create(2, &pool), 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        uint64_t first = 0;
        for (unsigned way = 0; way < 4; way++) {
            const struct mali_options options = {.kind = MALI_T860,
                                                 .gpu.engine = way & 1 ? engine : NULL,
                                                 .gpu.pool = way & 2 ? pool : NULL,
                                                 .gpu.packet_budget = 1000000,
                                                 .gpu.job_fuel = 1000000,
                                                 .gpu.fuel = FUEL};
            char text[512], expected[512];
            uint64_t left;
            run(&cases[n], &options, text, &left);
            first = way ? first : left;
            snprintf(expected, sizeof expected, "t860 %s", cases[n].report ? cases[n].report : "no fault");
            if (strcmp(text, expected) || left != first) {
                print_error("%s, way %u: %s%s\n", cases[n].name, way, text,
                            left == first ? "" : "; other memory");
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
    util_pool_destroy(pool);
    jit_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
