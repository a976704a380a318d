/* Compute jobs of v6 and v7: registers that threads begin with, storage by addresses and by segments, lists that handles
 * name. Expected values are worked out here. */
#include "tests/gpu/mali/bifrost.h"

enum { SIZE = 16, GROUPS = 3, THREADS = SIZE * GROUPS };
enum { OUT = BIF_DATA, ATTRIBUTES = BIF_DATA + 0x10000, VARYINGS = BIF_DATA + 0x20000 };

/* r2 and r3 become where thread r60 stores a word. */
#define PLACE(next)                                                                                          \
    "ds(0) nbb next_" next " {\n*LSHIFT_OR.i32 t0, r60, #0, 0x00000002\n+NOP t1\n"                           \
    "*NOP t0\n+IADD.u32 r2:t1, u0.w0, t0\n*MOV.i32 r3:t0, #0\n+NOP t1\nconst 0x0, 0x2\n}\n"
#define NOTHING    "*NOP t0\n+NOP t1\n"
#define STORE(reg) "ds(0) eos store dwb(0) {\n*NOP t0\n+STORE.i32 t1, r2, r3, @" reg "\n}"

static void begin(struct bif *b, enum mali_kind kind, const char *program)
{
    const uint32_t at = BIF_JOB + 32;
    bif_begin(b, kind, MALI_JOB_TYPE_COMPUTE, MALI_SECTION_DRAW);
    bif_set(b, at, &mali_desc_invocation, "invocations", (SIZE - 1) | (GROUPS - 1) << 4);
    bif_set(b, at, &mali_desc_invocation, "size Y shift", 4);
    bif_set(b, at, &mali_desc_invocation, "size Z shift", 4);
    bif_set(b, at, &mali_desc_invocation, "workgroups X shift", 4);
    bif_set(b, at, &mali_desc_invocation, "workgroups Y shift", 6);
    bif_set(b, at, &mali_desc_invocation, "workgroups Z shift", 6);
    bif_program(b, 0, program);
}

static void test_ids(void **state)
{
    static const char *const programs[] = {PLACE("store") STORE("r55"), PLACE("store") STORE("r57"),
                                           PLACE("store") STORE("r60")};
    for (unsigned n = 0; n < 2 * UTIL_ARRAY_SIZE(programs); n++) {
        struct bif b;
        begin(&b, bif_kinds[n % 2], programs[n / 2]);
        bif_run(&b);
        for (uint32_t k = 0; k < THREADS; k++) {
            const uint32_t expected[] = {k % SIZE, k / SIZE, k};
            assert_int_equal(bif_word(&b, OUT, k), expected[n / 2]);
        }
        bif_end(&b);
    }
}

/* What is stored at SEG_ADD's sum stands at that offset in the segment; of nothing it may stay nothing. */
static void test_segments(void **state)
{
    static const char *const programs[] = {
        "ds(0) nbb next_store {\n*MOV.i32 r0:t0, 0x00000008\n+NOP t1\nconst 0x0, 0x8\n}\n"
        "ds(0) nbb next_store {\n*SEG_ADD.tl r4:t0, r0\n+SEG_ADD.tl r5:t1, r1\n" NOTHING "}\n"
        "ds(0) nbb store next_load {\n*NOP t0\n+STORE.i32 t1, r4, r5, @r60\n}\n"
        "ds(0) nbb load next_store dwb(0) {\n*NOP t0\n+LOAD.i32.tl t1, r0, r1, @r6\n}\n",
        "ds(0) nbb next_store {\n*SEG_ADD.tl.preserve_null r6:t0, r0\n"
        "+SEG_ADD.tl.preserve_null r7:t1, r1\n" NOTHING "}\n",
        "ds(0) nbb next_store {\n*SEG_ADD.tl r5:t0, r0\n+SEG_ADD.tl r6:t1, r1\n" NOTHING "}\n"};
    for (unsigned n = 0; n < 2 * UTIL_ARRAY_SIZE(programs); n++) {
        char text[2048];
        struct bif b;
        snprintf(text, sizeof text, "%s%s", programs[n / 2], PLACE("store") STORE("r6"));
        begin(&b, bif_kinds[n % 2], text);
        bif_set(&b, BIF_STORAGE, &mali_desc_storage, "TLS size", 1);
        bif_set(&b, BIF_STORAGE, &mali_desc_storage, "TLS base pointer", 0x300000);
        bif_run(&b);
        for (uint32_t k = 0; k < THREADS; k++) {
            const uint32_t expected[] = {k, 0, MALI_THREAD_STORAGE >> 32};
            assert_int_equal(bif_word(&b, OUT, k), expected[n / 2]);
        }
        bif_end(&b);
    }
}

/* Addresses are of the list of varyings where nothing selects that of attributes; values the other way round. */
static void test_lists(void **state)
{
    static const struct {
        const char *select, *message;
        uint32_t expected;
    } cases[] = {
        {"NOP t0", "LEA_ATTR_IMM.auto t1, r61, r62, attribute_index:1, @r4", VARYINGS},
        {"DTSEL_IMM.attribute_1 t0, r61", "LEA_ATTR_IMM.auto t1, t, r62, attribute_index:1, @r4", ATTRIBUTES},
        {"NOP t0", "LD_ATTR_IMM.u32 t1, r61, r62, attribute_index:1, @r4", 11},
        {"DTSEL_IMM.attribute_2 t0, r61", "LD_ATTR_IMM.u32 t1, t, r62, attribute_index:1, @r4", 22}};
    for (unsigned n = 0; n < 2 * UTIL_ARRAY_SIZE(cases); n++) {
        char text[2048];
        struct bif b;
        snprintf(text, sizeof text, "%sds(0) nbb attr next_store dwb(0) {\n*%s\n+%s\n}\n%s", PLACE("attr"),
                 cases[n / 2].select, cases[n / 2].message, STORE("r4"));
        begin(&b, bif_kinds[n % 2], text);
        bif_set(&b, BIF_STATE, &mali_desc_state, "attribute count", 2);
        bif_set(&b, BIF_STATE, &mali_desc_state, "varying count", 2);
        bif_buffer(&b, BIF_ATTRIBUTE_BUFFERS, ATTRIBUTES, 0, 64);
        bif_buffer(&b, BIF_VARYING_BUFFERS, VARYINGS, 0, 64);
        for (uint32_t at = BIF_ATTRIBUTES; at <= BIF_VARYINGS; at += BIF_VARYINGS - BIF_ATTRIBUTES) {
            bif_set(&b, at + 8, &mali_desc_attribute, "format", MALI_FORMAT_R32UI);
            bif_set(&b, at + 8, &mali_desc_attribute, "order", bif_order(&b));
        }
        util_store32(bif_at(&b, ATTRIBUTES), 11);
        util_store32(bif_at(&b, VARYINGS), 22);
        bif_run(&b);
        for (uint32_t k = 0; k < THREADS; k++)
            assert_int_equal(bif_word(&b, OUT, k), cases[n / 2].expected);
        bif_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ids), cmocka_unit_test(test_segments),
                                       cmocka_unit_test(test_lists)};
    return ways_run_group_tests(tests);
}
