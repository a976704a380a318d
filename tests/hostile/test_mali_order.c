/* Jobs of Malis whose results could depend on threads, and whose bounds could grow: the order of programs' side effects,
 * positions of odd numbers, long chains. */
#include "tests/hostile/mali_late_job.h"

/* A Midgard, a Bifrost and a Valhall. */
static const enum mali_kind kinds[] = {MALI_T860, MALI_G52, MALI_G57};

/* ---- the order of side effects ---- */

static const unsigned threads[] = {0, 1, 2, 7};
/* Each fragment takes a number and becomes it: the picture shows in which order they ran. */
static const char tickets[] =
    "vmul.imov.32 r26.xy, r24.xxxx, r26.xyyy ; const 0x30000000, 0, 0, 0 ; next alu1\n"
    "vmul.imov.32 r27.x, r24.xxxx, #1 ; next ldst\n"
    "atomic_add r2.x, al0.x.64, zero.x, 0, al1.x ; nop ; next alu2\n"
    "vmul.iand.32 r3.xyz, r2.xxxx, r26.xyzz ; const 0xff, 0xff00, 0xff0000, 0 ; next alu1\n"
    "vmul.u2f_rte.32 r4.xyz, r3.xyzz, r24.xxxx ; next alu2\n"
    "vmul.fmul.32 r0.xyz, r4.xyzz, r26.xyzz ; const 0x3b808081, 0x37808081, 0x33808081, 0 ; "
    "writex.always +0, alu1 ; stop\n";
/* Halves, bytes times 1 / 255. */
static const char bifrost_tickets[] =
    "ds(0) nbb {\n*MOV.i32 r4:t0, 0x30000000\n+NOP t1\n*MOV.i32 r5:t0, #0\n+NOP t1\n"
    "const 0x30000000, 0x0\n}\n"
    "ds(0) nbb atomic {\n*ATOM_C1_RETURN.i32.ainc t0, r4, r5\n+ATOM_CX t1, r4, r5, r4, @r4\n}\n"
    "ds(0) nbb atest td next_blend dwb(0, 6, 7) {\n*NOP t0\n+V2U8_TO_V2F16 t1, r4.b10\n"
    "*FMA.v2f16 r0:t0, t1, 0x1c041c04, #0.neg\n+V2U8_TO_V2F16 t1, r4.b32\n"
    "*FMA.v2f16 r1:t0, t1, 0x1c041c04, #0.neg\n+NOP t1\n"
    "*NOP t0\n+NOP t1\n*NOP t0\n+ATEST r60:t1, r60, r1.h1, @r60\nconst 0x1c041c04, 0x0\n}\n"
    "ds(0) eos blend td {\n*NOP t0\n"
    "+BLEND r48:t1, r60, blend_descriptor_0.x, blend_descriptor_0.y, @r0\n}\n";
static const char valhall_tickets[] =
    "IADD_IMM.i32 r8, 0x0, #0x30000000\nMOV.i32 r9, 0x0\nIADD_IMM.i32 r10, 0x0, #0x1C041C04\n"
    "ATOM1_RETURN.i32.ainc.slot0.wait0126 @r4, r8, offset:0\n"
    "V2U8_TO_V2F16 r0, r4.b10\nV2U8_TO_V2F16 r1, r4.b32\n"
    "FMA.v2f16 r0, r0, r10, 0x0.neg\nFMA.v2f16 r1, r1, r10, 0x0.neg\n"
    "ATEST.wait @r60, ^r60, r1.h1, atest_datum.w0\n"
    "BLEND.slot1.v4.f16.end @r0:r1, blend_descriptor_0.w0, r60, target:0x0\n";

/* Says of the fragments' program that it stores: of versions since v6, that its pixels may not be killed. */
static void put_tickets(struct job *j)
{
    if (j->s.guest.device->version < MALI_V6) {
        put_program(j, tiler_job(j), tickets);
        uint8_t *flags = at(j, state(j, tiler_job(j)) + STATE_FLAGS);
        util_store32(flags, util_load32(flags) | SIDE_EFFECTS);
        return;
    }
    assemble(j, of_fragments(j), bifrost_tickets, valhall_tickets);
    if (is_v9(j))
        set(j, section(j, MALI_SECTION_DRAW), &mali_desc_draw_v9, "allow forward pixel to be killed", 0);
    else
        set(j, named_by(j, of_fragments(j)), &mali_desc_state, "allow forward pixel to be killed", 0);
}

static uint64_t number_fragments(struct ways *w, enum mali_kind kind, unsigned way, struct util_pool *pool)
{
    struct mali_options options = options_of(w, way & 1);
    struct job j;
    options.kind = kind;
    options.gpu.pool = pool;
    open_job(&j, &options);
    put_tickets(&j);
    start(&j, 1);
    start(&j, 0);
    guest_expect_no_fault(&j.s.guest);
    assert_in_range(util_load32(j.more), 20000, 21500); /* no fragment twice, and no helper */
    uint64_t hash = picture(&j) + util_load32(j.more);
    close_job(&j);
    return hash;
}

static void test_sequence(void **state_)
{
    struct ways *w = *state_;
    uint64_t right[UTIL_ARRAY_SIZE(kinds)] = {0};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(threads); n++) {
        struct util_pool *pool = NULL;
        assert_int_equal(util_pool_create(threads[n], &pool), 0);
        for (unsigned k = 0; k < UTIL_ARRAY_SIZE(kinds); k++)
            for (unsigned way = 0; way < 2; way++) {
                uint64_t hash = number_fragments(w, kinds[k], way, pool);
                right[k] = right[k] ? right[k] : hash;
                assert_int_equal(hash, right[k]);
            }
        util_pool_destroy(pool);
    }
}

static const struct {
    const char *folder;
    enum mali_kind kind;
} scenes[] = {{"t720/cube", MALI_T720},   {"t760/triangle", MALI_T760}, {"t860/cube", MALI_T860},
              {"g52/triangle", MALI_G52}, {"g52/cube", MALI_G52},       {"g57/triangle", MALI_G57},
              {"g57/cube", MALI_G57}};

/* Submissions as they are: all of guest memory, tile lists too. */
static uint64_t play(unsigned scene, const struct ways *w, unsigned way, struct util_pool *pool)
{
    struct mali_options options = {
        .kind = scenes[scene].kind, .gpu.engine = way ? w->engine : NULL, .gpu.pool = pool};
    struct scene s;
    scene_load(&s, scenes[scene].folder, &options);
    assert_int_equal(guest_run(&s.guest, 1, s.chain[1]), 2);
    assert_int_equal(guest_run(&s.guest, 0, s.chain[0]), 1);
    guest_expect_no_fault(&s.guest);
    uint64_t hash = XXH3_64bits(s.guest.memory.base, s.guest.pages);
    guest_destroy(&s.guest);
    return hash;
}

static void test_threads(void **state_)
{
    struct ways *w = *state_;
    uint64_t right[UTIL_ARRAY_SIZE(scenes)] = {0};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(threads); n++) {
        struct util_pool *pool = NULL;
        assert_int_equal(util_pool_create(threads[n], &pool), 0);
        for (unsigned scene = 0; scene < UTIL_ARRAY_SIZE(right); scene++)
            for (unsigned way = 0; way < 2; way++) {
                uint64_t hash = play(scene, w, way, pool);
                right[scene] = right[scene] ? right[scene] : hash;
                assert_int_equal(hash, right[scene]);
            }
        util_pool_destroy(pool);
    }
}

/* ---- odd numbers ---- */

static void unpack(struct job *j, const struct mali_desc *desc, uint64_t address, void *out)
{
    uint32_t words[32];
    memcpy(words, at(j, address), sizeof words);
    mali_desc_unpack(desc, j->s.guest.device->version, words, out);
}

/* What positions are, or since v6 are made of: floats. */
static uint8_t *floats_of_places(struct job *j)
{
    const uint64_t of = tiler_job(j);
    if (j->s.guest.device->version < MALI_V6)
        return at(j, word_at(j, of + AT_POSITION));
    if (!is_v9(j)) {
        struct mali_draw draw;
        struct mali_buffer buffer;
        unpack(j, &mali_desc_draw, of_vertices(j), &draw);
        unpack(j, &mali_desc_buffer, draw.attribute_buffers, &buffer);
        return at(j, buffer.pointer);
    }
    struct mali_resource table;
    struct mali_attribute_v9 attribute;
    struct mali_buffer_v9 buffer;
    const uint64_t tables = word_at(j, of_vertices(j) + 32) & ~63ull;
    unpack(j, &mali_desc_resource, tables + 16, &table);
    unpack(j, &mali_desc_attribute_v9, table.address, &attribute);
    unpack(j, &mali_desc_resource, tables + attribute.table * 16ull, &table);
    unpack(j, &mali_desc_buffer_v9, table.address + attribute.buffer_index * 32ull, &buffer);
    return at(j, buffer.address);
}

/* Numbers that no program should give, or get; the job is done once more over them. */
static uint64_t draw_odd(struct ways *w, enum mali_kind kind, unsigned way, uint32_t seed)
{
    static const uint32_t odd[] = {0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff,
                                   0x00000001, 0x80000000, 0x4f000000, 0xcf000000, 0x46800000, 0x43000000,
                                   0xc3000000, 0x3f800000, 0x7f800001, 0x5f000000};
    struct mali_options options = options_of(w, way);
    struct job j;
    options.kind = kind;
    open_job(&j, &options);
    start(&j, 1);
    uint8_t *positions = floats_of_places(&j);
    for (unsigned n = 0; n < 12; n++) {
        seed = seed * 1664525 + 1013904223;
        if (seed >> 30)
            util_store32(positions + n * 4, odd[seed >> 20 & 15]);
    }
    j.s.chain[1] = tiler_job(&j);
    start(&j, 1);
    start(&j, 0);
    guest_expect_no_fault(&j.s.guest);
    uint64_t hash = picture(&j);
    close_job(&j);
    return hash;
}

static void test_odd_numbers(void **state_)
{
    for (unsigned k = 0; k < UTIL_ARRAY_SIZE(kinds); k++)
        for (uint32_t seed = 0; seed < 24; seed++) {
            uint64_t right = draw_odd(*state_, kinds[k], 0, seed);
            for (unsigned way = 1; way < 4; way++)
                assert_int_equal(draw_odd(*state_, kinds[k], way, seed), right);
        }
}

/* ---- bounds of a chain ---- */

/* The same frame again and again: bounds are the chain's, however little of them each job needs. */
static void test_long_chains(void **state_)
{
    struct ways *w = *state_;
    for (unsigned way = 0; way < 8 * UTIL_ARRAY_SIZE(kinds); way++) {
        struct mali_options options = options_of(w, way & 3);
        struct job j;
        char text[512];
        options.kind = kinds[way / 8];
        options.gpu.packet_budget = way & 4 ? 5000 : UINT64_MAX;
        options.gpu.job_fuel = way & 4 ? UINT64_MAX : 200000;
        open_job(&j, &options);
        start(&j, 1);
        const uint64_t first = ODD + 0x2000;
        for (unsigned n = 0; n < 128; n++) {
            uint8_t *copy = at(&j, first + n * 64);
            memcpy(copy, at(&j, j.s.chain[0]), 64);
            util_store64(copy + AT_NEXT, n < 127 ? first + (n + 1) * 64 : 0);
        }
        j.s.chain[0] = first;
        start(&j, 0);
        report_of(&j, text, sizeof text);
        if (!strstr(text, "timeout: "))
            fail_msg("way %u: %s", way, text);
        close_job(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequence), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_odd_numbers),
                                       cmocka_unit_test(test_long_chains)};
    return cmocka_run_group_tests(tests, begin, end);
}
