/* What of a frame and its draws is known for a reload (reload.h): programs that pass texels on, and those that nearly do;
 * frames whose one image can be loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/mali/lookup.h"
#include "gpu/mali/reload.h"
#include "isa/midgard/asm.h"
#include "isa/midgard/program.h"
#include "util/bits.h"

/* ---- programs ---- */

#define VARYING "ld_vary_32 r28.xy, zero.x, zero.x.u32, 3:80 ; next tex\n"
#define LOOKUP  "texlod.2d.1.f out0, in0.xyxx, 2, 1 ; next alu2w\n"
#define WRITE   "vadd.iadd.32 r1.w, r31.xxxx, #0 ; writex.always +0, alu2w ; writeout ; stop\n"
#define MOVE    "vmul.imov.32 r0, r24.xxxx, r28 ; " WRITE

static bool passes(const char *text, bool shared, uint32_t *varying, struct mali_lookup_key *asked)
{
    const struct midgard_traits traits = {.shared_registers = shared};
    struct util_error error = {0};
    struct midgard_program *program = NULL;
    void *words;
    uint32_t count;
    if (midgard_asm(text, strlen(text), &words, &count, &error) ||
        midgard_program_create(words, count, 0, &traits, &program, &error))
        fail_msg("%s\n%s", text, error.text);
    const bool does = mali_reload_passes(program, varying, asked);
    midgard_program_destroy(program);
    free(words);
    return does;
}

static void programs_that_copy(void **unused)
{
    static const char *const texts[] = {
        VARYING LOOKUP MOVE, VARYING LOOKUP "vmul.fmov.32 r0, r24.xxxx, r28 ; " WRITE,
        VARYING "tex.2d.1.f out0, in0.xyxx, 2, 1 ; exec kill ; next alu2w\n" MOVE};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(texts); n++) {
        struct mali_lookup_key asked;
        uint32_t varying = 0;
        if (!passes(texts[n], false, &varying, &asked))
            fail_msg("%s", texts[n]);
        assert_int_equal(varying, 3);
        assert_int_equal(asked.texture, 2);
        assert_int_equal(asked.sampler, 1);
    }
}

/* The texture pipeline of a T720 has r26 and r0. */
static void programs_of_shared_registers(void **unused)
{
    static const char text[] = "ld_vary_32 r26.xy, zero.x, zero.x.u32, 3:80 ; next tex\n" LOOKUP WRITE;
    struct mali_lookup_key asked;
    uint32_t varying;
    assert_true(passes(text, true, &varying, &asked));
    assert_false(passes(text, false, &varying, &asked));
    assert_false(passes(VARYING LOOKUP MOVE, true, &varying, &asked));
}

static void programs_that_do_not(void **unused)
{
    static const char *const texts[] = {
        VARYING LOOKUP "vmul.imov.32 r0, r24.xxxx, r28.yxzw ; " WRITE,
        VARYING LOOKUP "vmul.imov.32 r0.xyz, r24.xxxx, r28.xyzz ; " WRITE,
        VARYING LOOKUP "vmul.fmov.32.sat r0, r24.xxxx, r28 ; " WRITE,
        VARYING LOOKUP "vmul.fmov.32 r0, r24.xxxx, -r28 ; " WRITE,
        VARYING LOOKUP "vmul.fadd.32 r0, r28, r28 ; " WRITE,
        VARYING "texlod.2d.1.f out0, in0.yxxx, 2, 1 ; next alu2w\n" MOVE,
        VARYING "texlod.2d.1.f out0.xyz, in0.xyxx, 2, 1 ; next alu2w\n" MOVE,
        VARYING "texlod.2d.1.f out0/yxzw, in0.xyxx, 2, 1 ; next alu2w\n" MOVE,
        VARYING "texlod.2d.1.f out0.half, in0.xyxx, 2, 1 ; next alu2w\n" MOVE,
        VARYING "texlod.3d.1.f out0, in0.xyxx, 2, 1 ; next alu2w\n" MOVE,
        VARYING "vmul.imov.32 r0, r24.xxxx, r28 ; " WRITE,
        "ld_vary_32 r28.xy, zero.x, zero.x.u32, 3:88 ; next tex\n" LOOKUP MOVE,
        "ld_vary_32 r28.xy/yxxx, zero.x, zero.x.u32, 3:80 ; next tex\n" LOOKUP MOVE,
        "ld_vary_16 r28.xy, zero.x, zero.x.u32, 3:80 ; next tex\n" LOOKUP MOVE,
        "ld_vary_32 r28.x, zero.x, zero.x.u32, 3:80 ; ld_vary_32 r28.y, zero.x, zero.x.u32, 4:80 ; next "
        "tex\n" LOOKUP MOVE,
    };
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(texts); n++) {
        struct mali_lookup_key asked;
        uint32_t varying;
        if (passes(texts[n], false, &varying, &asked))
            fail_msg("%s", texts[n]);
    }
}

/* ---- frames ---- */

static struct mali_targets *frame(void)
{
    static struct mali_targets t;
    const enum raster_format format = RASTER_R8G8B8A8_UNORM;
    t = (struct mali_targets){.width = 64, .height = 64, .store_count = 1};
    assert_true(raster_targets_init(&t.tile, &format, 1, 1, RASTER_DEPTH_UNORM24));
    t.store[0] = (struct mali_store){.count = 1,
                                     .address = 0x10000,
                                     .surface = {.width = 64,
                                                 .height = 64,
                                                 .layout = RASTER_UTGARD_TILED,
                                                 .format = RASTER_R8G8B8A8_UNORM,
                                                 .stride = 4}};
    return &t;
}

static void two(struct mali_targets *t)
{
    t->store_count = 2;
}
static void depths(struct mali_targets *t)
{
    t->store[0].of = RASTER_OF_DEPTH;
}
static void afbc(struct mali_targets *t)
{
    t->store[0].is_afbc = true;
}
static void raw(struct mali_targets *t)
{
    t->raw[0] = true;
}
static void of_16_bits(struct mali_targets *t)
{
    t->store[0].surface.format = RASTER_B5G6R5_UNORM;
}
static void without_alpha(struct mali_targets *t)
{
    t->store[0].surface.format = RASTER_R8G8B8X8_UNORM;
}
static void integers(struct mali_targets *t)
{
    t->store[0].surface.format = RASTER_R8G8B8A8_UINT;
}
static void several_samples(struct mali_targets *t)
{
    const enum raster_format format = RASTER_R8G8B8A8_UNORM;
    assert_true(raster_targets_init(&t->tile, &format, 1, 4, RASTER_DEPTH_UNORM24));
}
static void several_targets(struct mali_targets *t)
{
    const enum raster_format format[2] = {RASTER_R8G8B8A8_UNORM, RASTER_R8G8B8A8_UNORM};
    assert_true(raster_targets_init(&t->tile, format, 2, 1, RASTER_DEPTH_UNORM24));
}

static void frames(void **unused)
{
    static void (*const differences[])(struct mali_targets *) = {
        two, depths, afbc, raw, of_16_bits, without_alpha, integers, several_samples, several_targets};
    struct gpu_frame_image image;
    assert_true(mali_reload_image(frame(), &image));
    assert_int_equal(image.address, 0x10000);
    assert_int_equal(image.pitch, 4);
    for (uint8_t n = 0; n < 4; n++)
        assert_int_equal(image.channel[n], n);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(differences); n++) {
        struct mali_targets *t = frame();
        differences[n](t);
        if (mali_reload_image(t, &image))
            fail_msg("difference %zu", n);
    }
    struct mali_targets *t = frame();
    t->store[0].surface.format = RASTER_B8G8R8A8_UNORM;
    assert_true(mali_reload_image(t, &image));
    assert_int_equal(image.channel[0], 2);
    assert_int_equal(image.channel[2], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_that_copy),
                                       cmocka_unit_test(programs_of_shared_registers),
                                       cmocka_unit_test(programs_that_do_not), cmocka_unit_test(frames)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
