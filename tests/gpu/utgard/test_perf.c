/* Performance counters of the GP and the PPs: a recorded triangle, counted. */
#include "tests/gpu/utgard/job.h"

enum { ENABLE = 0, SOURCE, VALUE, LIMIT };
static const uint32_t gp_at[2][4] = {{0x3c, 0x44, 0x4c, 0x54}, {0x40, 0x48, 0x50, 0x54}};
static const uint32_t pp_at[2][4] = {{0x1080, 0x1084, 0x108c, 0x1088}, {0x10a0, 0x10a4, 0x10ac, 0x10a8}};

struct scene {
    struct guest guest;
    uint32_t gp[6], pp[WORDS];
    uint32_t base_gp, base_pp[2];
};

static void open_scene(struct scene *s)
{
    static const struct utgard_options options = {.kind = UTGARD_MALI400, .pp_count = 2};
    guest_create(&s->guest, &options);
    uint8_t *memory = guest_map(&s->guest, FIRST, BYTES, RIGHT_BOTH);
    load_job(memory, "mali400/triangle", s->gp, s->pp);
    s->base_gp = guest_base(&s->guest, UTGARD_IP_GP);
    for (unsigned n = 0; n < 2; n++) {
        s->base_pp[n] = guest_base(&s->guest, (enum utgard_ip)(UTGARD_IP_PP0 + n));
        guest_start_mmu(&s->guest, (enum utgard_ip)(UTGARD_IP_PPMMU0 + n));
    }
}

static uint32_t get(struct scene *s, uint32_t base, const uint32_t at[4], unsigned which)
{
    return utgard_read(s->guest.device, base + at[which]);
}
static void set(struct scene *s, uint32_t base, const uint32_t at[4], unsigned which, uint32_t value)
{
    utgard_write(s->guest.device, base + at[which], value);
}
static void count(struct scene *s, uint32_t base, const uint32_t at[4], uint32_t source)
{
    set(s, base, at, SOURCE, source);
    set(s, base, at, ENABLE, 1);
}

static void draw(struct scene *s)
{
    for (unsigned n = 0; n < 2; n++) {
        write_frame(&s->guest, s->base_pp[n], s->pp, s->pp[LISTS + n]);
        utgard_write(s->guest.device, s->base_pp[n] + PP_CTRL, PP_START);
    }
    utgard_device_flush(s->guest.device);
}

static void test_gp(void **unused)
{
    struct scene s;
    open_scene(&s);
    count(&s, s.base_gp, gp_at[0], 0x0a);
    count(&s, s.base_gp, gp_at[1], 0x0c);
    guest_run(&s.guest, s.gp);
    assert_int_equal(get(&s, s.base_gp, gp_at[0], VALUE), 3); /* vertices */
    assert_int_equal(get(&s, s.base_gp, gp_at[1], VALUE), 1); /* primitives */
    guest_run(&s.guest, s.gp);
    assert_int_equal(get(&s, s.base_gp, gp_at[0], VALUE), 6);
    set(&s, s.base_gp, gp_at[0], ENABLE, 0); /* stands still */
    guest_run(&s.guest, s.gp);
    assert_int_equal(get(&s, s.base_gp, gp_at[0], VALUE), 6);
    assert_int_equal(get(&s, s.base_gp, gp_at[1], VALUE), 3);
    set(&s, s.base_gp, gp_at[0], ENABLE, 1); /* from 0 */
    assert_int_equal(get(&s, s.base_gp, gp_at[0], VALUE), 0);
    utgard_write(s.guest.device, s.base_gp + GP_CMD, GP_RESET);
    assert_int_equal(get(&s, s.base_gp, gp_at[1], VALUE), 0);
    guest_expect_no_fault(&s.guest);
    guest_destroy(&s.guest);
}

static void test_limit(void **unused)
{
    struct scene s;
    open_scene(&s);
    utgard_write(s.guest.device, s.base_gp + GP_MASK, UINT32_MAX);
    set(&s, s.base_gp, gp_at[0], LIMIT, 5);
    count(&s, s.base_gp, gp_at[0], 0x0a);
    guest_run(&s.guest, s.gp);
    assert_int_equal(s.guest.interrupts >> 7 & 1, 0);
    guest_run(&s.guest, s.gp);
    assert_int_equal(s.guest.interrupts >> 7 & 1, 1);
    guest_run(&s.guest, s.gp); /* once */
    assert_int_equal(s.guest.interrupts >> 7 & 1, 0);
    guest_destroy(&s.guest);
}

static void test_pps(void **unused)
{
    struct scene s;
    uint32_t value[2];
    open_scene(&s);
    guest_run(&s.guest, s.gp);
    for (unsigned n = 0; n < 2; n++) {
        count(&s, s.base_pp[n], pp_at[0], 0x18);
        count(&s, s.base_pp[n], pp_at[1], 0x1a);
    }
    draw(&s);
    for (unsigned n = 0; n < 2; n++) {
        value[n] = get(&s, s.base_pp[n], pp_at[0], VALUE);
        assert_true(value[n] > 0 && value[n] <= 256); /* a triangle in some tiles */
        assert_int_equal(get(&s, s.base_pp[n], pp_at[1], VALUE), 0);
    }
    draw(&s);
    for (unsigned n = 0; n < 2; n++)
        assert_int_equal(get(&s, s.base_pp[n], pp_at[0], VALUE), 2 * value[n]);
    guest_expect_no_fault(&s.guest);
    count(&s, s.base_pp[0], pp_at[0], 0x35); /* of silicon's cache */
    assert_int_equal(guest_fault(&s.guest).kind, GPU_FAULT_UNSUPPORTED);
    draw(&s);
    assert_int_equal(get(&s, s.base_pp[0], pp_at[0], VALUE), 0);
    guest_destroy(&s.guest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gp),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_pps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
