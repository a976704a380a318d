/* What `vitrail explain` tells of random pixels of the bundled captures, of every GPU, against the pictures
 * that compiled code drew: the colour that the interpreted draws leave is the picture's, and no draw is
 * missing - each primitive finds the colour that the one before left.
 *
 * VITRAIL_EXPLAIN_PIXELS: how many pixels in all (default 440; `tests/run --full` takes 1000).
 * VITRAIL_EXPLAIN_CAPTURES: a folder (its path from the root) with other captures. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/gpu/captures.h"
#include "tools/explain.h"

#define CAPTURES_MAX 256

static struct jit_engine *engine;
static uint64_t state = 0x9e3779b97f4a7c15u;
static uint32_t explained, untouched, primitives;

static uint32_t below(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

/* Captures of a folder (its path from the root) behind the `count` there are. */
static uint32_t add_folder(const char *folder, char names[CAPTURES_MAX][256], uint32_t count)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        size_t length = strlen(entries[i]->d_name);
        if (length > 4 && length < 100 && !strcmp(entries[i]->d_name + length - 4, ".vtc") &&
            count < CAPTURES_MAX)
            snprintf(names[count++], 256, "%.140s/%.100s", folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count;
}

static uint32_t capture_list(char names[CAPTURES_MAX][256])
{
    const char *asked = getenv("VITRAIL_EXPLAIN_CAPTURES");
    if (asked)
        return add_folder(asked, names, 0);
    const struct gpu_info *gpu;
    uint32_t count = 0;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++) {
        char folder[CAPTURES_PATH];
        captures_folder(gpu->name, folder);
        count = add_folder(folder, names, count);
    }
    return count;
}

/* Sizes of the pictures; returns their number. */
static uint32_t pictures(const char *path, uint32_t size[][2], uint32_t room)
{
    struct gpu_options options = {.engine = engine};
    struct capture_reader *reader;
    struct replay *replay;
    struct capture_frame frame;
    uint32_t count = 0;
    assert_int_equal(capture_reader_open(path, &reader, NULL), 0);
    assert_int_equal(replay_create(reader, &options, &replay, NULL), 0);
    while (count < room && replay_next_frame(replay, false, &frame, NULL) > 0) {
        size[count][0] = frame.width;
        size[count++][1] = frame.height;
    }
    replay_destroy(replay);
    return count;
}

/* Malis since Bifrost have draws that a frame names itself, before and behind its tiles' lists: nobody bins these. All
 * others are binned in these captures. */
static void check_binned(const char *path, const struct explain_stage *stage)
{
    const struct explain_event *at = stage->events.at;
    uint32_t first = 0, end = stage->events.count;
    bool late = strstr(path, "/captures/g");
    while (late && first < end && at[first].draw == UINT32_MAX)
        first++;
    while (late && end > first && at[end - 1].draw == UINT32_MAX)
        end--;
    for (uint32_t i = first; i < end; i++)
        assert_int_not_equal(at[i].draw, UINT32_MAX);
}

/* Each primitive finds the colours that the one before left, from what the buffer began with to what was
 * stored. */
static void check_stage(const char *path, const struct explain_stage *stage)
{
    struct gpu_color color[RASTER_TARGET_SAMPLES];
    assert_true(stage->seen);
    check_binned(path, stage);
    memcpy(color, stage->color_first, sizeof color);
    for (uint32_t i = 0; i < stage->events.count; i++) {
        const struct explain_event *e = &stage->events.at[i];
        assert_int_not_equal(e->coverage, 0);
        assert_int_equal(e->lane.fault, 0);
        if (e->outcome == EXPLAIN_CULLED)
            continue;
        assert_int_equal(e->samples, stage->samples);
        assert_memory_equal(e->color_before, color, e->samples * sizeof *color);
        memcpy(color, e->color_after, e->samples * sizeof *color);
        /* A test before the program may leave nothing to be run; a draw of depth alone has none. */
        bool runs = e->program != UINT32_MAX && e->outcome != EXPLAIN_DEPTH_FAILED &&
                    e->outcome != EXPLAIN_STENCIL_FAILED && e->outcome != EXPLAIN_MASKED;
        if (runs && !e->lane.executed)
            fail_msg("%s, picture %u, window pixel (%d, %d), draw %u: %s without its program", path,
                     stage->picture, stage->x, stage->y, e->draw, explain_outcome_name(e->outcome));
        for (uint32_t k = 0; k < e->samples; k++)
            if (!(e->lane.written >> k & 1))
                assert_memory_equal(&e->color_after[k], &e->color_before[k], sizeof *color);
        primitives++;
    }
    assert_memory_equal(color, stage->color_last, stage->samples * sizeof *color);
}

static void check_pixel(const char *path, const struct explain_pixel *p)
{
    uint32_t events = 0;
    for (uint32_t i = 0; i < p->stages.count; i++) {
        check_stage(path, &p->stages.at[i]);
        events += p->stages.at[i].events.count;
    }
    if (!p->found || !p->agrees)
        fail_msg("%s, picture %u, pixel (%u, %u): stored %u,%u,%u,%u, but the picture has %u,%u,%u,%u", path,
                 p->picture, p->x, p->y, p->made[0], p->made[1], p->made[2], p->made[3], p->rgba[0],
                 p->rgba[1], p->rgba[2], p->rgba[3]);
    explained++;
    untouched += events == 0;
}

static void check_capture(const char *path, uint32_t count)
{
    static uint32_t size[4096][2];
    struct gpu_options options = {.engine = engine};
    uint32_t n = pictures(path, size, 4096);
    struct explain_result result = {.pixels = calloc(count, sizeof(struct explain_pixel)),
                                    .pixel_count = count};
    struct util_error error = {0};
    assert_true(n > 0);
    assert_non_null(result.pixels);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t picture = below(n);
        result.pixels[i] = (struct explain_pixel){
            .picture = picture + 1, .x = below(size[picture][0]), .y = below(size[picture][1])};
    }
    if (explain_run(path, &options, true, false, true, &result, NULL, NULL, &error))
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < count; i++)
        check_pixel(path, &result.pixels[i]);
    explain_finish(&result);
    free(result.pixels);
}

static void captures_agree(void **unused)
{
    static char names[CAPTURES_MAX][256];
    const char *asked = getenv("VITRAIL_EXPLAIN_PIXELS");
    uint32_t total = asked ? (uint32_t)strtoul(asked, NULL, 10) : 440, n = capture_list(names);
    const struct jit_options jit = {.level = -1, .optimize = 2, .cache_dir = ""};
    assert_int_equal(jit_engine_create(&jit, &engine, NULL), 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t share = total * (i + 1) / n - total * i / n;
        if (share)
            check_capture(names[i], share);
    }
    jit_engine_destroy(engine);
    print_message("%u pixels of %u captures: %u primitives, %u pixels touched by none\n", explained, n,
                  primitives, untouched);
    assert_int_equal(explained, total);
    assert_true(primitives > explained / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(captures_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
