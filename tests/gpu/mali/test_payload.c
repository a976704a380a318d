/* Descriptors of a job that mean nothing, or are not known: a submission of the stock driver is changed in one
 * or two words, and the job that uses them ends with the exception of it. */
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
static const struct change changes[] = {
    TILER({{0x02075228, 0xff, 7}}, GPU_FAULT_PACKET, "draw mode is 7"),
    TILER({{0x020753c8, 0xf, 3}}, GPU_FAULT_PACKET, "wrap mode S is 3"),
    TILER({{0x02012108, 0xfu << 24, 3u << 24}}, GPU_FAULT_PACKET, "texel ordering is 3"),
    TILER({{0x02012108, 1u << 28, 0}}, GPU_FAULT_UNSUPPORTED, "pointers of 32 bits"),
    TILER({{0x02012104, 0, 0xffffu << 16}}, GPU_FAULT_UNSUPPORTED, "surfaces in one draw"),
    TILER({{0x020752c0, 0x3f, 13}}, GPU_FAULT_PACKET, "attribute buffer: its type"),
    TILER({{0x020752c0, 0x3f, 4}, {0x020752d0, 0x3f, 1}}, GPU_FAULT_PACKET, "nothing continues it"),
    TILER({{0x020752b0, 0x3f, 0}}, GPU_FAULT_UNSUPPORTED, "of one target"),
    FRAGMENT({{0x020754e8, 0x3f, 7}}, GPU_FAULT_PACKET, "tag"),
    FRAGMENT({{0x020754e8, 0x3f, 2}}, GPU_FAULT_UNSUPPORTED, "of one target"),
    FRAGMENT({{0x020754e8, 0x3f, 3 | 8 << 2}, {0x0207502c, 15u << 19, 8u << 19}}, GPU_FAULT_PACKET,
             "eight targets"),
    FRAGMENT({{0x0207502c, 7u << 3, 7u << 3}}, GPU_FAULT_PACKET, "sample pattern is 7"),
};

static uint8_t *at(struct scene *s, uint32_t address)
{
    return s->guest.memory.base + (*guest_entry(&s->guest, address) & 0xfffff000u) + address % GPU_PAGE;
}

static void test_changes(void **state)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(changes); n++) {
        const struct change *c = &changes[n];
        struct scene s;
        scene_load(&s, c->folder, &(struct mali_options){.kind = c->kind});
        for (unsigned w = 0; w < 2 && c->word[w].address; w++) {
            uint8_t *word = at(&s, c->word[w].address);
            util_store32(word, (util_load32(word) & ~c->word[w].clear) | c->word[w].set);
        }
        assert_int_equal(guest_run(&s.guest, c->slot, c->chain), 0x10000u << c->slot);
        struct gpu_fault fault = guest_fault(&s.guest);
        if (fault.kind != c->fault || !strstr(fault.text, c->part))
            fail_msg("change %u: %s", n, fault.text);
        assert_int_equal(guest_status(&s.guest, c->slot), DATA_INVALID);
        assert_int_equal(util_load32(at(&s, (uint32_t)c->chain)), DATA_INVALID);
        guest_destroy(&s.guest);
    }
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
    assert_string_equal(guest_fault(&s.guest).unit, "vertex job"); /* which had all it needs */
    guest_destroy(&s.guest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes), cmocka_unit_test(test_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
