/* Descriptors of a job that mean nothing, or are not known: a submission of the stock driver is changed in one
 * or two words, and the job that uses them ends with the exception of it. */
#include "gpu/mali/device_internal.h"
#include "tests/gpu/mali/scene.h"

enum { DATA_INVALID = 0x58 };

struct change {
    const char *folder;
    enum mali_kind kind;
    unsigned slot;
    uint64_t chain;
    struct {
        uint32_t address, clear, set;
    } word[2];
    enum gpu_fault_kind fault;
    const char *part; /* of what is told */
};

/* Of t860/cube: tiler job 0x02075200, fragment job 0x020754c0, framebuffer 0x02075000, texture 0x02012100,
 * sampler 0x020753c0, varyings' buffers 0x020752c0. */
#define TILER(...)    {"t860/cube", MALI_T860, 1, 0x02075200, __VA_ARGS__}
#define FRAGMENT(...) {"t860/cube", MALI_T860, 0, 0x020754c0, __VA_ARGS__}
/* Of g52/cube the job of vertices is 0x02077140; of g57/cube it is 0x02075180, its fragments' tables are from
 * 0x02075600 on, and the frame's job is 0x02075a80. */
#define VERTICES_V7(...) {"g52/cube", MALI_G52, 1, 0x02077140, __VA_ARGS__}
#define VERTICES_V9(...) {"g57/cube", MALI_G57, 1, 0x02075180, __VA_ARGS__}
#define FRAGMENT_V9(...) {"g57/cube", MALI_G57, 0, 0x02075a80, __VA_ARGS__}
static const struct change changes[] = {
    TILER({{0x02075228, 0xff, 7}}, GPU_FAULT_PACKET, "draw mode is 7"),
    TILER({{0x020752b0, 0x3f, 0}}, GPU_FAULT_UNSUPPORTED, "of one target"),
    FRAGMENT({{0x020754e8, 0x3f, 7}}, GPU_FAULT_PACKET, "tag"),
    FRAGMENT({{0x020754e8, 0x3f, 2}}, GPU_FAULT_UNSUPPORTED, "of one target"),
    FRAGMENT({{0x020754e8, 0x3f, 3 | 8 << 2}, {0x0207502c, 15u << 19, 8u << 19}}, GPU_FAULT_PACKET,
             "eight targets"),
    FRAGMENT({{0x0207502c, 7u << 3, 7u << 3}}, GPU_FAULT_PACKET, "sample pattern is 7"),
    VERTICES_V7({{0x02077168, 0xff, 7}}, GPU_FAULT_PACKET, "draw mode is 7"),
    VERTICES_V9({{0x020751a0, 0xff, 7}}, GPU_FAULT_PACKET, "draw mode is 7"),
    VERTICES_V9({{0x02075230, 0xf, 9}}, GPU_FAULT_PACKET, "9 blends"),
    VERTICES_V9({{0x02012140, 0xf, 1}}, GPU_FAULT_PACKET, "no program's"),
    FRAGMENT_V9({{0x02075aa8, 0x3f, 2}}, GPU_FAULT_UNSUPPORTED, "of one target"),
    FRAGMENT_V9({{0x02075aa8, 0x3f, 7}}, GPU_FAULT_PACKET, "tag"),
    FRAGMENT_V9({{0x02075000, 7, 4}}, GPU_FAULT_PACKET, "pre frame 0 is 4"),
};

static uint8_t *at(struct scene *s, uint32_t address)
{
    return s->guest.memory.base + (*guest_entry(&s->guest, address) & 0xfffff000u) + address % GPU_PAGE;
}

static void change_words(struct scene *s, const struct change *c)
{
    for (unsigned w = 0; w < 2 && c->word[w].address; w++) {
        uint8_t *word = at(s, c->word[w].address);
        util_store32(word, (util_load32(word) & ~c->word[w].clear) | c->word[w].set);
    }
}

static void test_changes(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(changes); n++) {
        const struct change *c = &changes[n];
        struct scene s;
        scene_load(&s, c->folder, &(struct mali_options){.kind = c->kind});
        change_words(&s, c);
        assert_int_equal(guest_run(&s.guest, c->slot, c->chain), 0x10000u << c->slot);
        struct gpu_fault fault = guest_fault(&s.guest);
        if (fault.kind != c->fault || !strstr(fault.text, c->part))
            fail_msg("change %u: %s", n, fault.text);
        assert_int_equal(guest_status(&s.guest, c->slot), DATA_INVALID);
        assert_int_equal(util_load32(at(&s, (uint32_t)c->chain)), DATA_INVALID);
        guest_destroy(&s.guest);
    }
}

/* What programs may leave unused is refused where it stands, and the job goes on. */
static const struct change refused[] = {
    TILER({{0x020753c8, 0xf, 3}}, GPU_FAULT_PACKET, "wrap mode S is 3"),
    TILER({{0x020753c8, 0xfff, 0}}, GPU_FAULT_PACKET, "wrap mode S is 0"), /* the driver's sampler of none */
    TILER({{0x02012108, 0xfu << 24, 3u << 24}}, GPU_FAULT_PACKET, "texel ordering is 3"),
    TILER({{0x02012108, 1u << 28, 0}}, GPU_FAULT_UNSUPPORTED, "pointers of 32 bits"),
    TILER({{0x02012104, 0, 0xffffu << 16}}, GPU_FAULT_UNSUPPORTED, "too many surfaces"),
    TILER({{0x02075260, UINT32_MAX, 0x03000000}}, GPU_FAULT_MEMORY, "surface at 0x03000000"),
    TILER({{0x020753b0, UINT32_MAX, 0x03000000}}, GPU_FAULT_MEMORY, "texture at 0x03000000"),
    TILER({{0x020752c0, 0x3f, 13}}, GPU_FAULT_PACKET, "attribute buffer: its type"),
    TILER({{0x020752c0, 0x3f, 4}, {0x020752d0, 0x3f, 1}}, GPU_FAULT_PACKET, "nothing continues it"),
};

static const struct mali_stop *refusal_of(const struct mali_bindings *b)
{
    return b->texture[0].refused   ? b->texture[0].refused
           : b->sampler[0].refused ? b->sampler[0].refused
                                   : b->varying_buffer[0].refused;
}

/* Whose program uses it ends with that reason. */
static void expect_used(struct scene *s, const char *part)
{
    uint32_t raw = guest_run(&s->guest, 1, s->chain[1]);
    if (raw == 2)
        raw = guest_run(&s->guest, 0, s->chain[0]);
    struct gpu_fault fault = guest_fault(&s->guest);
    if (!(raw & 0x30000) || !strstr(fault.text, part))
        fail_msg("%s: 0x%x, %s", part, raw, fault.text);
}

static void test_refused(void **state)
{
    static union mali_payload payload;
    struct util_arena *arena;
    assert_int_equal(util_arena_create(&arena), 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(refused); n++) {
        const struct change *c = &refused[n];
        struct scene s;
        struct mali_stop stop = {0};
        struct mali_job_header header;
        scene_load(&s, c->folder, &(struct mali_options){.kind = c->kind});
        change_words(&s, c);
        const struct mali_reader reader = {mali_as_space(s.guest.device, 0, &stop), MALI_V5, "test", NULL};
        assert_true(mali_desc_read(&reader, &mali_desc_job_header, c->chain, &header, &stop));
        assert_true(mali_payload_read(&reader, c->chain, &header, arena, &payload, &stop));
        const struct mali_stop *why = refusal_of(&payload.tiler.bindings);
        if (!why || why->fault.kind != c->fault || !strstr(why->fault.text, c->part))
            fail_msg("change %u: %s", n, why ? why->fault.text : "not refused");
        expect_used(&s, c->part);
        guest_destroy(&s.guest);
    }
    util_arena_destroy(arena);
}

/* The same in tables of resources. */
static void test_tables(void **state)
{
    static const struct change in_tables[] = {
        VERTICES_V9({{0x02075638, UINT32_MAX, 0x80000000}}, GPU_FAULT_UNSUPPORTED, "too many descriptors"),
        VERTICES_V9({{0x02075630, UINT32_MAX, 0x03000000}}, GPU_FAULT_MEMORY, "resource at 0x03000000"),
        VERTICES_V9({{0x02075480, 0xfu << 16, 3u << 16}}, GPU_FAULT_PACKET, "wrap mode S is 3"),
        VERTICES_V9({{0x02075478, 0xffff, 0xffff}}, GPU_FAULT_UNSUPPORTED, "too many surfaces"),
        VERTICES_V9({{0x02075470, UINT32_MAX, 0x03000000}}, GPU_FAULT_MEMORY, "plane at 0x03000000"),
    };
    static union mali_payload payload;
    const struct mali_job_header header = {.is_64b = true, .type = MALI_JOB_TYPE_MALLOC_VERTEX};
    struct util_arena *arena;
    assert_int_equal(util_arena_create(&arena), 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(in_tables); n++) {
        const struct change *c = &in_tables[n];
        struct scene s;
        struct mali_stop stop = {0};
        scene_load(&s, c->folder, &(struct mali_options){.kind = c->kind});
        change_words(&s, c);
        const struct mali_reader reader = {mali_as_space(s.guest.device, 0, &stop), MALI_V9, "test", NULL};
        assert_true(mali_payload_read(&reader, c->chain, &header, arena, &payload, &stop));
        const struct mali_stop *why = NULL;
        for (unsigned t = 3; t <= 4 && t < payload.tiler.bindings.table_count && !why; t++) {
            const struct mali_table *table = &payload.tiler.bindings.table[t];
            why = table->refused ? table->refused : table->count ? table->entry[0].refused : NULL;
        }
        if (!why || why->fault.kind != c->fault || !strstr(why->fault.text, c->part))
            fail_msg("change %u: %s", n, why ? why->fault.text : "not refused");
        guest_destroy(&s.guest);
    }
    util_arena_destroy(arena);
}

/* A place without a texture, as drivers leave them, is no fault. */
static void test_hole(void **state)
{
    struct scene s;
    scene_load(&s, "t860/cube", &(struct mali_options){.kind = MALI_T860});
    memset(at(&s, 0x020753b0), 0, 8);
    assert_int_equal(guest_run(&s.guest, 1, 0x02075200), 2); /* the tiler had all it needs */
    guest_expect_no_fault(&s.guest);
    guest_destroy(&s.guest);
}

/* A descriptor without a page is waited for like any other memory. */
static void test_waits(void **state)
{
    struct scene s;
    scene_load(&s, "t720/cube", &(struct mali_options){.kind = MALI_T720});
    uint64_t *program = guest_entry(&s.guest, 0x02012000), was = *program; /* states and attributes */
    *program = 0;
    guest_flush_as(&s.guest, 0);
    guest_submit(&s.guest, 1, s.chain[1], 0);
    assert_int_equal(guest_status(&s.guest, 1), STATUS_ACTIVE);
    assert_int_equal(mali_read(s.guest.device, MMU_RAW), 1);
    guest_expect_no_fault(&s.guest);
    *program = was;
    mali_write(s.guest.device, MMU_CLEAR, 1);
    guest_flush_as(&s.guest, 0);
    assert_int_equal(mali_read(s.guest.device, JOB_RAW), 2);
    guest_expect_no_fault(&s.guest);
    guest_destroy(&s.guest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes), cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_hole),
                                       cmocka_unit_test(test_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
