/* `vitrail explain` of several colour targets and of several samples, over pictures of tests/e2e/gles31 drawn by the
 * stock panfrost driver on a T860: its scene "targets", and the third cell of "samples". */
#include "tests/tools/reel.h"

#include <errno.h>

enum { SIDE = 128, GRID = 8, FINE = 16, TARGETS_PICTURE = 1, TARGETS = 4, ALPHA_PICTURE = 10 };
static const char scenes[] = "tests/captures/t860/gles31.vtc";

/* A grid of pixels of a picture of those scenes, of a target or (-1) of the picture itself. */
static void explain_grid(uint32_t picture, int target, uint32_t grid, struct explain_pixel *pixels,
                         struct explain_result *result)
{
    const struct gpu_options options = {0};
    struct util_error error = {0};
    *result = (struct explain_result){.pixels = pixels, .pixel_count = grid * grid};
    for (uint32_t i = 0; i < grid * grid; i++)
        pixels[i] = (struct explain_pixel){.picture = picture,
                                           .x = (i % grid * 2 + 1) * (SIDE / grid / 2),
                                           .y = (i / grid * 2 + 1) * (SIDE / grid / 2),
                                           .has_target = target >= 0,
                                           .target = (uint32_t)target};
    if (explain_run(scenes, &options, true, false, true, result, NULL, NULL, &error))
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < grid * grid; i++)
        assert_true(pixels[i].found && pixels[i].agrees);
}

/* Each target is told by its own image, whose colours are not the others'. */
static void each_target(void **data)
{
    uint8_t rgba[TARGETS][GRID * GRID][4];
    for (unsigned t = 0; t < TARGETS; t++) {
        struct explain_pixel pixels[GRID * GRID];
        struct explain_result r;
        unsigned written = 0;
        explain_grid(TARGETS_PICTURE, (int)t, GRID, pixels, &r);
        for (uint32_t i = 0; i < GRID * GRID; i++) {
            const struct explain_stage *stage = &pixels[i].stages.at[pixels[i].stages.count - 1];
            assert_int_equal(stage->target, t);
            assert_int_equal(stage->store.target, t);
            for (uint32_t k = 0; k < stage->events.count; k++)
                written += stage->events.at[k].outcome == EXPLAIN_WRITTEN;
            memcpy(rgba[t][i], pixels[i].rgba, 4);
        }
        assert_true(written >= GRID);
        for (unsigned before = 0; before < t; before++)
            assert_memory_not_equal(rgba[t], rgba[before], sizeof rgba[t]);
        explain_finish(&r);
    }
}

static void no_such_target(void **data)
{
    const struct gpu_options options = {0};
    struct explain_pixel pixel = {.picture = TARGETS_PICTURE, .has_target = true, .target = TARGETS};
    struct explain_result r = {.pixels = &pixel, .pixel_count = 1};
    struct util_error error = {0};
    assert_int_equal(explain_run(scenes, &options, true, false, false, &r, NULL, NULL, &error), -ERANGE);
    assert_non_null(strstr(error.text, "no colour target 4"));
    assert_non_null(strstr(error.text, "stored: 0 1 2 3"));
    explain_finish(&r);
}

/* The scene's alpha grows from left to right: 0, 1/4, 1/2, 1. */
static void alpha_to_coverage(void **data)
{
    static const uint16_t left[] = {0, 1, 3, 15};
    struct explain_pixel pixels[FINE * FINE];
    struct explain_result r;
    unsigned none = 0, some = 0;
    explain_grid(ALPHA_PICTURE, -1, FINE, pixels, &r);
    for (uint32_t i = 0; i < FINE * FINE; i++) {
        const struct explain_stage *stage = &pixels[i].stages.at[pixels[i].stages.count - 1];
        for (uint32_t k = 0; k < stage->events.count; k++) {
            const struct explain_event *e = &stage->events.at[k];
            if (!e->lane.output.alpha_to_coverage)
                continue;
            const uint16_t stays = left[pixels[i].x * 4 / SIDE];
            assert_int_equal(e->lane.output.alpha_left, stays);
            assert_int_equal(e->lane.written, e->coverage & stays);
            assert_int_equal(e->outcome, e->coverage & stays ? EXPLAIN_WRITTEN : EXPLAIN_ALPHA_COVERED);
            none += !stays;
            some += stays != 0;
        }
    }
    assert_true(none >= 2 && some >= FINE);
    for (uint32_t i = 0; i < FINE * FINE; i++) {
        char *told = reel_told(&r, &pixels[i], NULL);
        const struct explain_stage *stage = &pixels[i].stages.at[pixels[i].stages.count - 1];
        for (uint32_t k = 0; k < stage->events.count; k++)
            if (stage->events.at[k].outcome == EXPLAIN_ALPHA_COVERED)
                assert_non_null(strstr(told, "0 to coverage leaves no sample\n"));
        free(told);
    }
    explain_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_target),
        cmocka_unit_test(no_such_target),
        cmocka_unit_test(alpha_to_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
