/* Random rendering lists of loads, clears, stores and now and then a triangle, on images that overlap: what
 * is put off, done together or left out makes no difference to memory, nor does what ends first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

enum { WIDTH = 200, HEIGHT = 150, IMAGES = 0x300000, STEP = 0x4000, PLACES = 16 };

static uint64_t seed;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* Mostly the same few images, in the same layout: those are what operations are left out for. */
static uint32_t some_image(uint32_t *bits)
{
    bool usual = random32() % 4;
    uint32_t buffer = random32() % 3 ? GENERAL_COLOR : GENERAL_ZS;
    *bits = buffer | (usual ? 1u : random32() % 3) << 4;
    if (!usual && buffer == GENERAL_COLOR)
        *bits |= random32() % 3 << 8; /* colour format */
    return IMAGES + (usual ? (buffer == GENERAL_ZS) * 0x80000 : random32() % PLACES * STEP);
}

static void some_operation(struct scene *s, uint32_t x, uint32_t y)
{
    uint32_t bits, address = some_image(&bits);
    switch (random32() % 8) {
    case 0:
    case 1:
    case 2:
        general(s, 29, bits, address, false);
        tile(s, x, y);
        break;
    case 3: sub_list(s, 0); break;
    case 4: clear_values(s, random32(), random32(), random32() & 255); break;
    default:
        general(s, 28, bits | (random32() & (GENERAL_NO_COLOR_CLEAR | GENERAL_NO_ZS_CLEAR)), address, false);
    }
}

/* The list of `round`, and what memory holds before it. */
static void some_scene(struct scene *s, unsigned round)
{
    seed = round * 7919u + 1;
    for (uint32_t i = 0; i < 0x140000; i += 4)
        util_store32(s->memory.base + IMAGES + i, random32());
    util_store32(s->memory.base + AT_UNIFORMS, BLUE);
    vertex(s, 0, 8, 8, 0.25f, 0.0f);
    vertex(s, 1, 188, 8, 0.25f, 1.0f);
    vertex(s, 2, 8, 138, 0.25f, 1.0f);
    s->at = AT_LISTS;
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(random32() % 8) | CONFIG_Z_UPDATES);
    primitives(s, VC4_TRIANGLES, one_triangle, 1);
    put8(s, 18);
    s->at = AT_MAIN;
    clear_first(s, RED, random32(), 7);
    config(s, WIDTH, HEIGHT, RGBA_LINEAR | (round % 3 ? 0 : MS4X));
    for (unsigned n = 0; n < 12; n++) {
        uint32_t side = round % 3 ? 64 : 32;
        uint32_t x = random32() % util_div_up(WIDTH, side), y = random32() % util_div_up(HEIGHT, side);
        tile(s, x, y);
        for (unsigned k = random32() % 6; k; k--)
            some_operation(s, x, y);
    }
    store(s, true);
}

static void put_off(void **state)
{
    for (unsigned round = 0; round < 240; round++) {
        const struct way orders[] = {{.threads = 0}, {.threads = 2}, {.shuffled = round}};
        struct scene slow, fast;
        assert_true(scene_open(&slow, (struct way){.reference = true}));
        assert_true(scene_open(&fast, orders[round / 3 % 3]));
        some_scene(&slow, round);
        some_scene(&fast, round);
        render(&slow);
        render(&fast);
        no_faults(&slow);
        no_faults(&fast);
        for (uint32_t i = AT_COLOR; i < MEMORY; i += 4)
            if (util_load32(slow.memory.base + i) != util_load32(fast.memory.base + i))
                fail_msg("round %u: word at 0x%x is %08x, expected %08x", round, i,
                         util_load32(fast.memory.base + i), util_load32(slow.memory.base + i));
        scene_close(&slow);
        scene_close(&fast);
    }
}

/* A tile that comes from its own image and is not drawn on goes back as it is, also where the image ends. */
static void returned(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    for (uint32_t i = 0; i < 100 * 70; i++)
        util_store32(s.memory.base + AT_COLOR + i * 4, i * 7919);
    clear_first(&s, RED, 0, 0);
    config(&s, 100, 70, RGBA_LINEAR);
    for (uint32_t n = 0; n < 4; n++) {
        general(&s, 29, GENERAL_COLOR, AT_COLOR, false);
        tile(&s, n % 2, n / 2);
        general(&s, 28, GENERAL_ZS | GENERAL_NO_COLOR_CLEAR, AT_ZS, false);
        tile(&s, n % 2, n / 2);
        store(&s, n == 3);
    }
    render_well(&s);
    for (uint32_t i = 0; i < 100 * 70; i++) {
        assert_int_equal(util_load32(s.memory.base + AT_COLOR + i * 4), i * 7919);
        assert_int_equal(util_load32(s.memory.base + AT_ZS + i * 4), 0);
    }
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(put_off), cmocka_unit_test(returned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
