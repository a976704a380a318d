/* Hostile dispatches of Bifrost and Valhall (of Midgard: test_mali_dispatch.c): each ends in a report that names the place
 * and what it is, or in memory, the same whichever way it is run. */
#include "tests/gpu/mali/bifrost.h"
#include "tests/gpu/mali/valhall.h"

#include <xxhash.h>

enum { FUEL = 1000, SIZE = 8, GROUPS = 8 };

/* A job of whichever version. */
struct job {
    struct guest *guest;
    struct bif b;
    struct v9 v;
    uint8_t *data;
    bool is_v9;
};

static void nothing(struct job *j)
{
    (void)j;
}
static void set(struct job *j, const char *bifrost, uint64_t of_bifrost, const char *valhall,
                uint64_t of_valhall)
{
    if (j->is_v9)
        v9_set(&j->v, v9_section(MALI_JOB_TYPE_COMPUTE, MALI_SECTION_PAYLOAD), &mali_desc_compute_v9, valhall,
               of_valhall);
    else
        bif_set(&j->b, BIF_JOB + 32, &mali_desc_invocation, bifrost, of_bifrost);
}
static void all_workgroups(struct job *j)
{
    set(j, "invocations", UINT32_MAX, "workgroup count X", UINT32_MAX);
}
static void a_large_workgroup(struct job *j)
{
    set(j, "invocations", UINT32_MAX, "workgroup size X", 1024);
    set(j, "size Y shift", 10, "workgroup size Y", 1024);
    set(j, "size Z shift", 20, "workgroup size Z", 1024);
    set(j, "workgroups X shift", 30, "workgroup count X", 1);
    set(j, "workgroups Y shift", 31, "workgroup count Y", 1);
    set(j, "workgroups Z shift", 31, "workgroup count Z", 1);
}
static void data_taken_away(struct job *j)
{
    *guest_entry(j->guest, BIF_DATA + 5 * 4096) = 0;
    guest_flush_as(j->guest, 0);
}

/* r2 and r3 become the address of the data, and of thread r60's part of it, of 1 << `bits` bytes. */
#define BIFROST_PLACE(bits)                                                                                  \
    "ds(0) nbb next_store {\n*LSHIFT_OR.i32 t0, r60, #0, " bits "\n+NOP t1\n"                                \
    "*NOP t0\n+IADD.u32 r2:t1, u0.w0, t0\n*MOV.i32 r3:t0, #0\n+NOP t1\nconst 0x0, " bits "\n}\n"
#define BIFROST_STORE "ds(0) eos store dwb(0) {\n*NOP t0\n+STORE.i32 t1, r2, r3, @r60\n}\n"
#define VALHALL_PLACE(bits)                                                                                  \
    "IADD_IMM.i32 r4, 0x0, #" bits                                                                           \
    "\nLSHIFT_OR.i32 r2, r60, r4.b00, 0x0\nIADD.u32 r2, u0, r2\nMOV.i32 r3, 0x0\n"
#define VALHALL_STORE "STORE.i32.slot0.end @r60, r2, offset:0\n"
#define BIFROST_END   "ds(0) eos { *NOP t0 ; +NOP t1 }\n"

static const struct hostile {
    const char *name, *bifrost, *valhall;
    void (*before)(struct job *);
    const char *report; /* NULL: no fault, all ways leave the same memory */
} cases[] = {
    {"a program without end",
     "again: ds(0) nbb { *NOP t0 ; +JUMP t1, again ; const 0x0, again }\n" BIFROST_END,
     "again: BRANCHZ.eq.reconverge 0x0, offset:again\nNOP.end\n", nothing,
     "pc 0, lane 0: timeout: loops repeat more instructions than the fuel allows"},
    {"one lane without end",
     "again: ds(0) nbb { *NOP t0 ; +BRANCHZ.i32.eq t1, r60, again ; const 0x0, again }\n" BIFROST_END,
     "again: BRANCHZ.eq r60, offset:again\nNOP.end\n", nothing,
     "pc 0, lane 0: timeout: loops repeat more instructions than the fuel allows"},
    {"all workgroups that a job can have", BIFROST_END, "NOP.end\n", all_workgroups, "timeout: "},
    {"a workgroup beyond all bounds", BIFROST_END, "NOP.end\n", a_large_workgroup,
     "bad record: a workgroup of "},
    {"stores beyond the data", BIFROST_PLACE("0x0000000e") BIFROST_STORE, VALHALL_PLACE("0xE") VALHALL_STORE,
     nothing, "address outside memory: memory at 0x00240000, 4 bytes, cannot be written at 0x00240000"},
    {"a page taken away", BIFROST_PLACE("0x0000000c") BIFROST_STORE, VALHALL_PLACE("0xC") VALHALL_STORE,
     data_taken_away,
     "lane 5: address outside memory: memory at 0x00205000, 4 bytes, cannot be written at 0x00205000"},
    {"a program that overwrites itself",
     "ds(0) nbb next_store {\n*MOV.i32 r2:t0, 0x00110000\n+NOP t1\n*MOV.i32 r3:t0, #0\n+NOP t1\n"
     "const 0x110000, 0x0\n}\n" BIFROST_STORE,
     "IADD_IMM.i32 r2, 0x0, #0x110000\nMOV.i32 r3, 0x0\n" VALHALL_STORE, nothing, NULL},
};

static void open_job(struct job *j, enum mali_kind kind, const struct hostile *h)
{
    j->is_v9 = kind == MALI_G57;
    if (j->is_v9) {
        v9_compute(&j->v, SIZE, GROUPS, h->valhall);
        j->guest = &j->v.guest;
        j->data = j->v.data;
    } else {
        static const struct {
            const char *name;
            uint32_t value;
        } shifts[] = {{"invocations", (SIZE - 1) | (GROUPS - 1) << 3},
                      {"size Y shift", 3},
                      {"size Z shift", 3},
                      {"workgroups X shift", 3},
                      {"workgroups Y shift", 6},
                      {"workgroups Z shift", 6}};
        bif_begin(&j->b, kind, MALI_JOB_TYPE_COMPUTE, MALI_SECTION_DRAW);
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(shifts); n++)
            bif_set(&j->b, BIF_JOB + 32, &mali_desc_invocation, shifts[n].name, shifts[n].value);
        bif_program(&j->b, 0, h->bifrost);
        j->guest = &j->b.guest;
        j->data = j->b.data;
    }
    j->guest->device->options.packet_budget = j->guest->device->options.job_fuel = 1000000;
    j->guest->device->options.fuel = FUEL;
    h->before(j);
}

/* Which report a case ends in, and the data that it leaves. */
static uint64_t run(enum mali_kind kind, const struct hostile *h, char text[512])
{
    struct job j;
    open_job(&j, kind, h);
    guest_submit(j.guest, 1, BIF_JOB, 0x83300);
    mali_write(j.guest->device, guest_js(1, JS_COMMAND), 3);
    assert_int_not_equal(guest_status(j.guest, 1), STATUS_ACTIVE);
    const struct gpu_fault fault = guest_fault(j.guest);
    snprintf(text, 512, "no fault");
    if (fault.kind)
        gpu_fault_format(&fault, text, 512);
    const uint64_t left = XXH3_64bits(j.data, BIF_DATA_BYTES);
    guest_destroy(j.guest);
    return left;
}

static const enum mali_kind kinds[] = {MALI_G72, MALI_G52, MALI_G57};
/* What the first way came to. */
static struct {
    char text[512];
    uint64_t left;
} first[UTIL_ARRAY_SIZE(kinds)][UTIL_ARRAY_SIZE(cases)];

static void test_reports(void **state)
{
    unsigned wrong = 0;
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(kinds); k++)
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
            char text[512];
            const uint64_t left = run(kinds[k], &cases[n], text);
            if (!first[k][n].text[0]) {
                memcpy(first[k][n].text, text, sizeof text);
                first[k][n].left = left;
            }
            const bool expected =
                cases[n].report ? strstr(text, cases[n].report) != NULL : !strcmp(text, "no fault");
            if (!expected || strcmp(text, first[k][n].text) != 0 || left != first[k][n].left) {
                print_error("%s, GPU %u: %s%s\n", cases[n].name, (unsigned)kinds[k], text,
                            left == first[k][n].left ? "" : "; other memory");
                wrong++;
            }
        }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports)};
    return ways_run_group_tests(tests);
}
