/* `vitrail explain` and `vitrail profile` on scenes made by hand: each fact told is one that was put in. */
#include "tests/tools/json_reader.h"
#include "tests/tools/reel.h"
#include "tests/tools/command.h"
#include "tests/gpu/vc4/renderer_scene.h"
#include "tools/tool.h"

/* ---- a capture of a scene ---- */

struct film {
    struct scene scene;
    struct reel reel;
};

static void film_open(struct film *f)
{
    assert_true(scene_open(&f->scene, plain));
    reel_open(&f->reel, "vc4", MEMORY);
}

/* The list since AT_MAIN is one picture. */
static void film_picture(struct film *f, uint32_t width, uint32_t height)
{
    const struct capture_frame frame = {.address = AT_COLOR,
                                        .width = width,
                                        .height = height,
                                        .format = RASTER_B8G8R8A8_UNORM,
                                        .stride = width * 4};
    uint32_t end = f->scene.at;
    assert_int_equal(capture_write_range(f->reel.writer, &f->scene.memory, 0, AT_COLOR), 0);
    assert_int_equal(capture_write_register(f->reel.writer, VC4_CT1CA, AT_MAIN, false), 0);
    assert_int_equal(capture_write_register(f->reel.writer, VC4_CT1EA, end, false), 0);
    assert_int_equal(capture_write_frame(f->reel.writer, &frame), 0);
    f->scene.at = AT_MAIN;
}

static void film_close(struct film *f)
{
    reel_close(&f->reel);
    scene_close(&f->scene);
}

static const struct gpu_value *find_value(const struct gpu_value *v, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(v[i].name, name))
            return &v[i];
    fail_msg("no value '%s'", name);
    return NULL;
}

/* ---- scenes ---- */

static void triangle_at(struct scene *s, uint32_t first, float x, float y, float side, float z)
{
    vertex(s, first, x, y, z, 0.0f);
    vertex(s, first + 1, x + side, y, z, 1.0f);
    vertex(s, first + 2, x, y + side, z, 1.0f);
}

/* A triangle in front, one behind it, and one that faces away; less, with depth writes. */
static void three_triangles(struct film *f)
{
    static const uint32_t index[3][3] = {{0, 1, 2}, {3, 4, 5}, {6, 8, 7}};
    struct scene *s = &f->scene;
    util_store32(s->memory.base + AT_UNIFORMS, BLUE);
    triangle_at(s, 0, 8, 8, 40, 0.25f);
    triangle_at(s, 3, 4, 4, 40, 0.5f);
    triangle_at(s, 6, 6, 6, 40, 0.125f);
    s->at = AT_LISTS;
    draw_state(s, VC4_TRIANGLES, 1 | CONFIG_DEPTH(1) | CONFIG_Z_UPDATES); /* forward faces only */
    primitives(s, VC4_TRIANGLES, index, 3);
    put8(s, 18);
    s->at = AT_MAIN;
    clear_first(s, RED, 0x800000, 7);
    config(s, 64, 64, RGBA_LINEAR);
    one_tile(s);
}

static void check_written(const struct explain_event *e)
{
    assert_int_equal(e->outcome, EXPLAIN_WRITTEN);
    assert_int_equal(e->list, 1);
    assert_int_equal(e->primitive, 0);
    assert_int_equal(e->vertices, 3);
    assert_int_equal(e->index[1], 1);
    assert_int_equal(e->vertex[1].x, 48 * 16);
    assert_int_equal(e->vertex[2].y, 48 * 16);
    assert_false(e->reverse);
    assert_int_equal(e->coverage, 1);
    assert_int_equal(e->color_before[0].word[0], RED);
    assert_int_equal(e->color_after[0].word[0], BLUE);
    assert_int_equal(e->lane.tests.count, 1);
    assert_int_equal(e->lane.tests.at[0].depth, 0x400000);
    assert_int_equal(e->lane.tests.at[0].before[0].depth, 0x800000);
    assert_int_equal(e->lane.tests.at[0].before[0].stencil, 0x07);
    assert_int_equal(e->lane.tests.at[0].after[0].depth, 0x400000);
    assert_int_equal(e->lane.tests.at[0].after[0].stencil, 0x07);
    assert_int_equal(e->lane.tests.at[0].rule.depth_func, RASTER_LESS);
    assert_int_equal(e->lane.tests.at[0].passed, 1);
    assert_int_equal(e->program, 0);
    assert_int_equal(e->lane.trace.count, 5);
    const struct gpu_step *insn = e->lane.trace.at;
    assert_int_equal(insn[0].pc, 0);
    assert_int_equal(find_value(insn[0].read, insn[0].reads, "rb15")->value[0], 0x400000);
    assert_int_equal(find_value(insn[0].write, insn[0].writes, "tlb_z")->value[0], 0x400000);
    assert_int_equal(find_value(insn[1].read, insn[1].reads, "unif")->value[0], BLUE);
    assert_int_equal(find_value(insn[1].write, insn[1].writes, "tlb_color")->value[0], BLUE);
}

static void primitives_at_a_pixel(void **state)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
    struct explain_result result;
    film_open(&f);
    three_triangles(&f);
    film_picture(&f, 64, 64);
    reel_explain(&f.reel, &pixel, &result);
    assert_true(pixel.found);
    assert_true(pixel.agrees);
    assert_int_equal(pixel.address, AT_COLOR + (10 * 64 + 12) * 4);
    assert_int_equal(pixel.stages.count, 1);
    const struct explain_stage *stage = &pixel.stages.at[0];
    assert_int_equal(stage->start, EXPLAIN_CLEARED);
    assert_int_equal(stage->clear_color.word[0], RED);
    assert_int_equal(stage->color_last[0].word[0], BLUE);
    assert_int_equal(stage->events.count, 3);
    check_written(&stage->events.at[0]);
    const struct explain_event *behind = &stage->events.at[1], *away = &stage->events.at[2];
    assert_int_equal(behind->outcome, EXPLAIN_DEPTH_FAILED);
    assert_int_equal(behind->primitive, 1);
    assert_int_equal(behind->lane.tests.at[0].passed, 0);
    assert_int_equal(behind->color_after[0].word[0], BLUE);
    assert_int_equal(away->outcome, EXPLAIN_CULLED);
    assert_int_equal(away->primitive, 2);
    explain_finish(&result);
    film_close(&f);
}

static void nothing_at_a_pixel(void **state)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 60, .y = 60};
    struct explain_result result;
    film_open(&f);
    three_triangles(&f);
    film_picture(&f, 64, 64);
    reel_explain(&f.reel, &pixel, &result);
    assert_true(pixel.agrees);
    assert_int_equal(pixel.stages.at[0].events.count, 0);
    char *text = reel_told(&result, &pixel, NULL);
    assert_non_null(strstr(text, "No draw touched the pixel"));
    assert_non_null(strstr(text, "cleared to 0xff0000ff"));
    free(text);
    explain_finish(&result);
    film_close(&f);
}

/* A real capture's cube: a face towards us, and behind it one that the binner left out. */
static void binned_draws(void **state)
{
    const struct gpu_options options = {0};
    struct explain_pixel pixel = {.picture = 2, .x = 160, .y = 90};
    struct explain_result result = {.pixels = &pixel, .pixel_count = 1};
    const char *capture = SOURCE_DIR "/tests/captures/kmscube.vtc";
    assert_int_equal(explain_run(capture, &options, false, false, false, &result, NULL, NULL, NULL), 0);
    assert_true(pixel.agrees);
    const struct explain_stage *stage = &pixel.stages.at[pixel.stages.count - 1];
    assert_int_equal(stage->events.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct explain_event *e = &stage->events.at[i];
        assert_in_range(e->draw, 0, result.draws.count - 1);
        const struct explain_draw *draw = &result.draws.at[e->draw];
        assert_int_equal(draw->picture, 2);
        assert_in_range(draw->number, 1, 6); /* kmscube draws its six faces one by one */
        assert_false(draw->bin.indexed);
        assert_int_equal(draw->bin.length, 4);
        assert_in_range(e->primitive, 0, 1);
        assert_int_equal(e->vertices, 3);
        assert_int_equal(e->lane.trace.count, 0); /* not asked for */
    }
    const struct explain_event *a = &stage->events.at[0], *b = &stage->events.at[1];
    assert_true(a->draw < b->draw);
    assert_true((a->outcome == EXPLAIN_WRITTEN && b->outcome == EXPLAIN_CULLED) ||
                (a->outcome == EXPLAIN_CULLED && b->outcome == EXPLAIN_WRITTEN));
    explain_finish(&result);
}

/* A program with a condition: lanes left of x = 20 write nothing. */
static void discarded(void **state)
{
    struct film f;
    struct explain_result result;
    film_open(&f);
    three_triangles(&f);
    assert_true(assemble(&f.scene, AT_FS,
                         "ldi r1, 20\n sub.sf -, x_coord, r1\n mov.nc tlb_z, rb15 ; sbwait\n"
                         "mov.nc tlb_color, unif\n nop ; thrend\n nop\n nop ; sbdone\n"));
    film_picture(&f, 64, 64);
    for (uint32_t i = 0; i < 2; i++) {
        struct explain_pixel pixel = {.picture = 1, .x = i ? 20 : 19, .y = 10};
        reel_explain(&f.reel, &pixel, &result);
        const struct explain_event *e = &pixel.stages.at[0].events.at[0];
        assert_int_equal(e->outcome, i ? EXPLAIN_WRITTEN : EXPLAIN_DISCARDED);
        assert_true(e->lane.trace.at[1].flags);
        assert_int_equal(e->lane.trace.at[1].n, !i);
        assert_int_equal(find_value(e->lane.trace.at[1].read, e->lane.trace.at[1].reads, "x_coord")->value[0],
                         pixel.x);
        assert_int_equal(
            find_value(e->lane.trace.at[3].write, e->lane.trace.at[3].writes, "tlb_color")->withheld, !i);
        assert_int_equal(e->color_after[0].word[0], i ? BLUE : RED);
        explain_finish(&result);
    }
    film_close(&f);
}

/* ---- textures ---- */

#define AT_TEXTURE 0x20000u
#define FS_TEXTURE                                                                                           \
    "mov r2, ra15\n nop ; fmul r0, vary, r2\n fadd r0, r0, r5\n mov tmu0_t, r0\n mov tmu0_s, r0\n"           \
    "nop ; ldtmu0\n mov tlb_color, r4 ; sbwait\n nop ; thrend\n nop\n nop ; sbdone\n"

/* 16 x 16 texels of RGBA8888, nearest; each says where it is. */
static void put_texture(struct scene *s)
{
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 16; x++)
            util_store32(s->memory.base + AT_TEXTURE + raster_texel_offset(RASTER_VC4_LT, 4, 4, x, y),
                         0xff000000u | y << 8 | x);
    util_store32(s->memory.base + AT_UNIFORMS, AT_TEXTURE);
    util_store32(s->memory.base + AT_UNIFORMS + 4, 16 << 20 | 16 << 8 | 1 << 7 | 1 << 4 | 5);
    shader_record(s, 1);
}

static void texture_lookups(void **state)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 20, .y = 10};
    struct explain_result result;
    film_open(&f);
    three_triangles(&f);
    put_texture(&f.scene);
    assert_true(assemble(&f.scene, AT_FS, FS_TEXTURE));
    film_picture(&f, 64, 64);
    reel_explain(&f.reel, &pixel, &result);
    const struct explain_event *e = &pixel.stages.at[0].events.at[0];
    assert_int_equal(e->lane.lookups.count, 1);
    assert_int_equal(e->lane.varyings.count, 1);
    const struct gpu_lookup *l = &e->lane.lookups.at[0];
    uint32_t texel = (uint32_t)(l->s * 16);
    assert_true(l->s > 0.0f && l->s < 1.0f && l->s == l->t);
    assert_true(l->s ==
                util_u2f(e->lane.varyings.at[0].vary) + util_u2f(e->lane.varyings.at[0].c)); /* w is 1 */
    assert_int_equal(l->address, AT_TEXTURE);
    assert_int_equal(l->width, 16);
    assert_int_equal(l->height, 16);
    assert_int_equal(l->format, RASTER_R8G8B8A8_UNORM);
    assert_false(l->raw);
    assert_false(l->where.linear);
    assert_int_equal(l->where.x, texel);
    assert_int_equal(l->where.y, texel);
    assert_int_equal(l->result, 0xff000000u | texel << 8 | texel);
    assert_int_equal(util_load32(f.scene.memory.base + l->where.offset), l->result);
    /* T is written before S: its value shows all the same. */
    assert_int_equal(find_value(e->lane.trace.at[3].write, e->lane.trace.at[3].writes, "tmu0_t")->value[0],
                     util_f2u(l->t));
    assert_int_equal(find_value(e->lane.trace.at[5].write, e->lane.trace.at[5].writes, "r4")->value[0],
                     l->result);
    assert_int_equal(e->color_after[0].word[0], l->result);
    explain_finish(&result);
    film_close(&f);
}

/* ---- samples, loads ---- */

static void four_samples(void **state)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 8, .y = 20};
    struct explain_result result;
    struct scene *s = &f.scene;
    film_open(&f);
    util_store32(s->memory.base + AT_UNIFORMS, BLUE);
    triangle_at(s, 0, 8.5f, 8, 40, 0.25f); /* half of each pixel of column 8 */
    s->at = AT_LISTS;
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_OVERSAMPLE | CONFIG_DEPTH(1) | CONFIG_Z_UPDATES);
    primitives(s, VC4_TRIANGLES, one_triangle, 1);
    put8(s, 18);
    s->at = AT_MAIN;
    clear_first(s, RED, 0x800000, 7);
    config(s, 32, 32, RGBA_LINEAR | MS4X);
    one_tile(s);
    film_picture(&f, 32, 32);
    reel_explain(&f.reel, &pixel, &result);
    const struct explain_event *e = &pixel.stages.at[0].events.at[0];
    assert_true(pixel.agrees);
    assert_int_equal(e->samples, 4);
    /* Samples stand at 3/8, 7/8, 1/8 and 5/8 of the pixel's width (raster/prim.h). */
    assert_int_equal(e->coverage, 1 << 1 | 1 << 3);
    assert_int_equal(e->lane.written, e->coverage);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(e->color_after[k].word[0], e->coverage >> k & 1 ? BLUE : RED);
        assert_int_equal(e->zs_after[k].depth, e->coverage >> k & 1 ? 0x400000 : 0x800000);
    }
    assert_int_equal(pixel.made[1], 0);
    assert_int_equal(pixel.made[0], 128); /* the average of red and blue, either way round */
    assert_int_equal(pixel.made[2], 128);
    explain_finish(&result);
    film_close(&f);
}

/* The second picture begins with what the first one stored. */
static void loads_lead_back(void **state)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 2, .x = 12, .y = 10};
    struct explain_result result;
    struct scene *s = &f.scene;
    film_open(&f);
    three_triangles(&f);
    film_picture(&f, 64, 64);
    clear_values(s, GREEN, 0x800000, 0);
    config(s, 64, 64, RGBA_LINEAR);
    general(s, 29, GENERAL_COLOR, AT_COLOR, false);
    tile(s, 0, 0);
    store(s, true);
    film_picture(&f, 64, 64);
    reel_explain(&f.reel, &pixel, &result);
    assert_true(pixel.agrees);
    assert_int_equal(pixel.stages.count, 2);
    assert_int_equal(pixel.stages.at[0].picture, 1);
    assert_int_equal(pixel.stages.at[0].events.count, 3);
    assert_int_equal(pixel.stages.at[1].picture, 2);
    assert_int_equal(pixel.stages.at[1].start, EXPLAIN_LOADED);
    assert_true(pixel.stages.at[1].traced);
    assert_int_equal(pixel.stages.at[1].load_address, pixel.address);
    assert_int_equal(pixel.stages.at[1].color_first[0].word[0], BLUE);
    assert_int_equal(pixel.stages.at[1].events.count, 0);
    explain_finish(&result);
    film_close(&f);
}

/* ---- JSON, the command ---- */

static void json(void **state)
{
    struct film f;
    struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
    struct explain_result result;
    film_open(&f);
    three_triangles(&f);
    film_picture(&f, 64, 64);
    reel_explain(&f.reel, &pixel, &result);
    struct json_object *told = json_read(reel_told(&result, &pixel, "a \"quoted\" name\n"));
    assert_non_null(told);
    assert_true(json_is(told, "capture", "a \"quoted\" name\n"));
    assert_int_equal(json_number(told, "x"), 12);
    assert_true(json_is_true(told, "agrees"));
    assert_int_equal(json_count(told, "stages"), 1);
    assert_int_equal(json_count(told, "stages/0/events"), 3);
    assert_true(json_is(told, "stages/0/clear_color", "0xff0000ff"));
    assert_true(json_is(told, "stages/0/events/0/outcome", "written"));
    assert_true(json_is(told, "stages/0/events/1/outcome", "depth-failed"));
    assert_true(json_is(told, "stages/0/events/2/outcome", "culled"));
    assert_int_equal(json_number(told, "stages/0/events/0/vertices/1/x"), 48);
    assert_int_equal(json_number(told, "stages/0/events/0/tests/0/depth"), 0x400000);
    assert_int_equal(json_number(told, "stages/0/events/0/tests/0/samples/0/depth_before"), 0x800000);
    assert_int_equal(json_count(told, "stages/0/events/0/trace"), 5);
    assert_true(json_is(told, "stages/0/events/0/trace/1/written/0/name", "tlb_color"));
    assert_true(json_is(told, "stages/0/events/0/color_after/0", "0xffff0000"));
    json_object_put(told);
    explain_finish(&result);
    film_close(&f);
}

static void misuse(void **state)
{
    struct film f;
    film_open(&f);
    three_triangles(&f);
    film_picture(&f, 64, 64);
    reel_finish(&f.reel);
    const struct {
        int (*tool)(int, char **);
        const char *words[12];
        int exit;
    } rows[] = {
        {tool_explain, {"explain", f.reel.path}, TOOL_USAGE},
        {tool_explain, {"explain", "--frame", "1", f.reel.path}, TOOL_USAGE},
        {tool_explain, {"explain", "--frame", "1", "--pixel", "1", f.reel.path}, TOOL_USAGE},
        {tool_explain, {"explain", "--frame", "0", "--pixel", "1,1", f.reel.path}, TOOL_USAGE},
        {tool_explain,
         {"explain", "--frame", "1", "--pixel", "1,1", "--sample", "16", f.reel.path},
         TOOL_USAGE},
        {tool_explain,
         {"explain", "--interpreter", "--frame", "2", "--pixel", "1,1", f.reel.path},
         TOOL_USAGE},
        {tool_explain,
         {"explain", "--interpreter", "--frame", "1", "--pixel", "64,1", f.reel.path},
         TOOL_USAGE},
        {tool_explain,
         {"explain", "--interpreter", "--frame", "1", "--pixel", "1,1", "/nowhere"},
         TOOL_BAD_FILE},
        {tool_profile, {"profile"}, TOOL_USAGE},
        {tool_profile, {"profile", "--frames", "3-2", f.reel.path}, TOOL_USAGE},
        {tool_profile, {"profile", "--by", "colour", f.reel.path}, TOOL_USAGE},
        {tool_profile, {"profile", "--interpreter", "--frames", "2", f.reel.path}, TOOL_USAGE},
        {tool_profile, {"profile", "--interpreter", "/nowhere"}, TOOL_BAD_FILE},
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        assert_int_equal(command_run(rows[i].tool, rows[i].words, NULL, NULL), rows[i].exit);
    film_close(&f);
}

/* ---- profile ---- */

/* A program of vertices runs for those of all draws; coordinates and fragments are a draw's. */
static void profile_adds_up(void **state)
{
    static const char *const names[] = {"gltest", "kmscube", "desktop-shadow"};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(names); n++) {
        char path[CAPTURES_PATH];
        captures_need("vc4", names[n], path);
        struct reel_sums s = reel_add_up(path);
        assert_int_equal(s.blocks, s.counted.blocks_shaded);
        assert_int_equal(s.coordinate + s.fragment + s.shared_vertex, s.counted.instructions);
        assert_int_equal(s.programs, s.counted.instructions);
    }
}

/* Of two tiles one is drawn: in the map it is light, the other dark. */
static void heat(void **state)
{
    const struct gpu_options options = {0};
    struct film f;
    struct profile p;
    struct util_image image;
    film_open(&f);
    triangle_scene(&f.scene, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    vertex(&f.scene, 1, 60, 8, 0.25f, 1.0f); /* all in the left one */
    film_picture(&f, 128, 64);
    reel_finish(&f.reel);
    reel_profile(f.reel.path, &options, &p);
    assert_int_equal(p.jobs.count, 3); /* the clear's, too */
    assert_int_equal(profile_heat(&p, true, f.reel.path, NULL, &image), 0);
    /* The map is 4 times the picture and stands at (12, 56). */
    assert_true(reel_brightness(&image, 12 + 10, 56 + 10) > 300);
    assert_true(reel_brightness(&image, 12 + 4 * 64 + 10, 56 + 10) < 100);
    util_image_finish(&image);
    struct json_object *told = json_read(reel_profile_json(&p, f.reel.path));
    assert_non_null(told);
    assert_int_equal(json_count(told, "tiles"), p.jobs.count);
    assert_int_equal(json_count(told, "programs"), 2); /* fragment, vertex */
    assert_int_equal(json_count(told, "programs/0/instructions"), 5);
    assert_true(json_number(told, "programs/0/instructions/0/executed") > 0);
    json_object_put(told);
    profile_finish(&p);
    film_close(&f);
}

/* Garbage in lists, shader records and programs: never a crash, always an end; and what is told agrees. */
static void hostile(void **state)
{
    static const uint32_t places[] = {AT_LISTS, AT_MAIN, AT_RECORD, AT_FS, AT_VERTICES};
    const struct gpu_options options = {0};
    uint64_t random = 12345;
    for (unsigned round = 0; round < 24; round++) {
        struct film f;
        struct explain_pixel pixel = {.picture = 1, .x = 12, .y = 10};
        struct explain_result result;
        struct profile p;
        film_open(&f);
        three_triangles(&f);
        for (unsigned i = 0; i < 6; i++) {
            uint8_t value;
            uint32_t at = reel_garbage(&random, places, UTIL_ARRAY_SIZE(places), &value);
            f.scene.memory.base[at] = value;
        }
        film_picture(&f, 64, 64);
        reel_explain(&f.reel, &pixel, &result);
        assert_true(!pixel.found || pixel.agrees);
        explain_finish(&result);
        reel_profile(f.reel.path, &options, &p);
        profile_finish(&p);
        film_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_at_a_pixel),
        cmocka_unit_test(nothing_at_a_pixel),
        cmocka_unit_test(binned_draws),
        cmocka_unit_test(discarded),
        cmocka_unit_test(texture_lookups),
        cmocka_unit_test(four_samples),
        cmocka_unit_test(loads_lead_back),
        cmocka_unit_test(json),
        cmocka_unit_test(misuse),
        cmocka_unit_test(profile_adds_up),
        cmocka_unit_test(heat),
        cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
