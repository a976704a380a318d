/* `vitrail decode` of Malis with a job manager: what the driver's own listing of the same program says (Mesa's
 * pandecode), from captures made of recorded submissions; the same as JSON; chains that cannot be followed. */
#include "tests/gpu/mali/recording.h"
#include "tests/tools/decode_text.h"
#include "tests/tools/json_reader.h"

/* The listing of a scene, malloc'ed. */
static char *list(struct scene *s, const char *gpu, bool json)
{
    char path[] = "/tmp/vitrail-decode-XXXXXX";
    recording_make(s, gpu, path);
    char *text = listing_of(&(struct decode_options){.path = path, .json = json});
    unlink(path);
    return text;
}

static void t860_as_the_driver_says(void **state)
{
    static const char *const lines[] = {
        "AS0 TRANSTAB 0 [0x2400] = 0x00001007",
        "JS1 COMMAND_NEXT [0x18e0] = 0x00000001",
        "job 1, chain of slot 1 in address space 0",
        "job header at 0x02075480: is 64-bit, type write value, index 2, next 0x02075140",
        "write-value job at 0x020754a0: address 0x02196000, type zero",
        "job header at 0x02075140: is 64-bit, type vertex, barrier, index 1",
        "workgroups 1 x 24 x 1 of 1 x 1 x 1",
        "renderer state at",
        "vertex program at 0x",
        "ld_attr",
        "stop",
        "uniform buffer 1: 2 of 2 quadwords",
        "attributes: 2",
        "type 1D, pointer 0x021d6000, stride 20, size 480",
        "varyings: 2",
        "job header at 0x02075200: is 64-bit, type tiler, index 3, dependency 1 1, dependency 2 2",
        "primitive at 0x02075228: draw mode triangles, index type UINT16",
        "index count 36",
        "tiler context at",
        "framebuffer parameters at",
        "render target count 1",
        "blend at",
        "fragment program at 0x",
        "tex.2d",
        "writeout",
        "viewport at",
        "scissor maximum X 255",
        "texture at 0x02012100",
        "width 64, height 64, depth 1, sample count 1, array size 1, format RGBA8 UNORM",
        "surface with strides at",
        "sampler at",
        "wrap mode S repeat",
        "job 2, chain of slot 0",
        "type fragment",
        "bound max X 15, bound max Y 15, framebuffer 0x02075003",
        "ZS and CRC extension at",
        "render target at",
        "writeback format R8G8B8A8",
        "swizzle 0x688",
        NULL,
    };
    struct scene s;
    scene_load(&s, "t860/cube", &(struct mali_options){.kind = MALI_T860});
    char *text = list(&s, "t860", false);
    listing_has(text, lines);
    free(text);
    guest_destroy(&s.guest);
}

/* Each job with a program has it listed, once as instructions; blend shaders with the target that they are for. */
static void all_programs(void **state)
{
    char *text = listing_of(&(struct decode_options){.path = "tests/captures/t860/gles31.vtc"});
    assert_int_equal(listing_count(text, "type compute"), listing_count(text, "compute program at 0x"));
    assert_int_equal(listing_count(text, "type vertex"), listing_count(text, "vertex program at 0x"));
    assert_true(listing_count(text, "compute program at 0x") >= 4);
    assert_true(listing_count(text, "(listed above)") > 0);
    assert_null(strstr(text, "(outside memory)"));
    free(text);
    text =
        listing_of(&(struct decode_options){.path = "tests/captures/t860/gles31.vtc", .no_programs = true});
    assert_int_equal(listing_count(text, "program at 0x") + listing_count(text, "uniform buffer 1:"), 0);
    free(text);
    text = listing_of(&(struct decode_options){.path = "tests/captures/t860/features.vtc"});
    assert_true(listing_count(text, "blend shader of target 0 at 0x") > 0);
    assert_null(strstr(text, "(outside memory)"));
    free(text);
}

static void t720_as_the_driver_says(void **state)
{
    static const char *const lines[] = {
        "type vertex",
        "type tiler",
        "framebuffer at",
        "framebuffer of one target at",
        "type fragment",
        "framebuffer of one target at",
        "internal format R8G8B8A8",
        "color writeback format R8G8B8A8",
        "color writeback base 0x02014000",
        NULL,
    };
    struct scene s;
    scene_load(&s, "t720/triangle", &(struct mali_options){.kind = MALI_T720});
    char *text = list(&s, "t720", false);
    listing_has(text, lines);
    free(text);
    guest_destroy(&s.guest);
}

static void g52_as_the_driver_says(void **state)
{
    static const char *const lines[] = {
        "job header at 0x02077140: is 64-bit, type indexed vertex, index 1",
        "workgroups 1 x 24 x 1 of 1 x 1 x 1",
        "index type UINT16",
        "index count 36",
        "tiler pointer at",
        "tiler context at",
        "FB width 256, FB height 256",
        "tiler heap at",
        "base 0x02200000, bottom 0x02200000, top 0x0a200000",
        "depth function less, depth write mask",
        "message preload 1 type VAR_TEX",
        "blend at",
        "mode opaque",
        "fragment program at 0x",
        "+BLEND",
        "viewport at",
        "texture at",
        "width 64, height 64, depth 1, sample count 1",
        "surface with strides at",
        "row stride 4096, surface stride 16384",
        "wrap mode S repeat",
        "vertex program at 0x",
        "+ST_CVT",
        "uniforms: 11 of 11 pairs at",
        "type 1D, pointer 0x02197000, stride 20",
        "varying program at 0x",
        "job header at 0x020775c0: is 64-bit, type fragment",
        "framebuffer parameters at",
        "ZS and CRC extension at",
        "render target at",
        "writeback block format tiled u-interleaved",
        NULL,
    };
    struct scene s;
    scene_load(&s, "g52/cube", &(struct mali_options){.kind = MALI_G52});
    char *text = list(&s, "g52", false);
    listing_has(text, lines);
    free(text);
    guest_destroy(&s.guest);
}

static void g57_as_the_driver_says(void **state)
{
    static const char *const lines[] = {
        "job header at 0x02075180: type malloc vertex, index 1",
        "allocation at 0x020751b4: vertex packet stride 32, vertex attribute stride 16",
        "tiler heap at",
        "chunk size 2 MiB",
        "scissor maximum X 255, scissor maximum Y 255",
        "depth and stencil at",
        "depth write enable, depth function less",
        "blend at",
        "fragment program at 0x",
        "TEX",
        "BLEND",
        "table 3",
        "sampler at",
        "wrap mode S repeat",
        "table 4",
        "texture at",
        "width 64, height 64",
        "plane at",
        "clump ordering tiled u-interleaved",
        "row stride 4096, slice stride 16384",
        "stage vertex",
        "position program at 0x",
        "LD_ATTR_IMM",
        "STORE.i128.istream",
        "uniforms: ",
        "table 1",
        "attribute at",
        "table 2, frequency vertex, offset 12, stride 20",
        "varying program at 0x",
        "estream",
        "job header at 0x02075a80: type fragment",
        "render target at",
        NULL,
    };
    struct scene s;
    scene_load(&s, "g57/cube", &(struct mali_options){.kind = MALI_G57});
    char *text = list(&s, "g57", false);
    listing_has(text, lines);
    free(text);
    guest_destroy(&s.guest);
}

/* Whole captures, every program in them: nothing is broken or left out. */
static void captures_of_later_gpus(void **state)
{
    static const char *const gpus[] = {"g31", "g52", "g72", "g57"};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(gpus); n++) {
        char path[64];
        snprintf(path, sizeof path, "tests/captures/%s/gltest.vtc", gpus[n]);
        char *text = listing_of(&(struct decode_options){.path = path});
        assert_int_equal(listing_count(text, "type fragment, index"), 4);
        assert_int_equal(listing_count(text, "vertex, index 1"), 3);
        assert_int_equal(listing_count(text, "fragment program at 0x"), 3);
        assert_int_equal(listing_count(text, "varying program at 0x"), 3);
        assert_null(strstr(text, "cannot be read"));
        assert_null(strstr(text, "no memory"));
        assert_null(strstr(text, "outside memory"));
        assert_null(strstr(text, ".word"));
        free(text);
    }
}

/* The same of programs that do more: computing, several targets and samples, frames that begin with what was
 * there, blend shaders. */
static void more_of_later_gpus(void **state)
{
    static const struct {
        const char *path;
        unsigned computes, before, blends;
    } captures[] = {
        {"tests/captures/g52/gles31.vtc", 13, 18, 0},
        {"tests/captures/g57/gles31.vtc", 13, 18, 0},
        {"tests/captures/g72/features-samples.vtc", 0, 7, 1},
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(captures); n++) {
        char *text = listing_of(&(struct decode_options){.path = captures[n].path});
        assert_int_equal(listing_count(text, "compute program at 0x"), captures[n].computes);
        assert_int_equal(listing_count(text, "program before the frame at 0x"), captures[n].before);
        assert_int_equal(listing_count(text, "blend shader of target"), captures[n].blends);
        assert_null(strstr(text, "cannot be read"));
        assert_null(strstr(text, "outside memory"));
        assert_null(strstr(text, ".word"));
        free(text);
    }
}

static void json(void **state)
{
    struct scene s;
    scene_load(&s, "t760/triangle", &(struct mali_options){.kind = MALI_T760});
    char *text = list(&s, "t760", true);
    assert_non_null(strstr(text, "\"kind\": \"descriptor\""));
    struct json_object *told = json_read(text);
    assert_non_null(told);
    json_object_put(told);
    guest_destroy(&s.guest);
}

/* How deep items are in each other. */
static unsigned depth_of(struct json_object *items)
{
    unsigned most = 0;
    for (size_t n = 0; items && n < json_object_array_length(items); n++) {
        const unsigned depth = 1 + depth_of(json_at(json_object_array_get_idx(items, n), "contents"));
        most = UTIL_MAX(most, depth);
    }
    return most;
}

/* What is deepest: planes of textures of draws over a whole frame. Nothing is left out for its depth. */
static void json_of_later_gpus(void **state)
{
    static const char *const paths[] = {"tests/captures/g52/gles31.vtc", "tests/captures/g57/gles31.vtc",
                                        "tests/captures/g72/features-samples.vtc"};
    static const unsigned depths[] = {7, 9, 7};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(paths); n++) {
        struct json_object *told =
            json_read(listing_of(&(struct decode_options){.path = paths[n], .json = true}));
        assert_non_null(told);
        assert_int_equal(depth_of(told), depths[n]);
        json_object_put(told);
    }
}

/* Words of jobs and of what they lead to, changed at random: whatever they say then, the listing is one whole
 * document. */
static void json_of_anything(void **state)
{
    static const struct {
        const char *folder, *gpu;
        enum mali_kind kind;
        uint32_t first, bytes; /* of descriptors */
    } scenes[] = {{"t860/cube", "t860", MALI_T860, 0x02075000, 0x600},
                  {"g52/cube", "g52", MALI_G52, 0x02077000, 0x700},
                  {"g57/cube", "g57", MALI_G57, 0x02075000, 0xb00}};
    uint32_t seed = 1;
    for (unsigned round = 0; round < 10; round++)
        for (unsigned n = 0; n < UTIL_ARRAY_SIZE(scenes); n++) {
            struct scene s;
            scene_load(&s, scenes[n].folder, &(struct mali_options){.kind = scenes[n].kind});
            for (unsigned change = 0; change < 8; change++) {
                seed = seed * 1664525 + 1013904223;
                uint8_t *at =
                    scene_at(&s, scenes[n].first + (uint64_t)((seed >> 8) % (scenes[n].bytes / 4)) * 4);
                seed = seed * 1664525 + 1013904223;
                at[seed >> 30] ^= (uint8_t)(seed >> 16);
            }
            struct json_object *told = json_read(list(&s, scenes[n].gpu, true));
            assert_non_null(told);
            assert_true(depth_of(told) <= 9);
            json_object_put(told);
            guest_destroy(&s.guest);
        }
}

/* A chain that leads to where it was, and one that leads nowhere. */
static void broken(void **state)
{
    struct scene s;
    scene_load(&s, "t860/clear", &(struct mali_options){.kind = MALI_T860});
    s.chain[1] = 0x3000000;
    char *text = list(&s, "t860", false);
    static const char *const lines[] = {"job header at 0x03000000, 32 bytes, cannot be read", "type fragment",
                                        NULL};
    listing_has(text, lines);
    free(text);
    guest_destroy(&s.guest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t860_as_the_driver_says),
        cmocka_unit_test(t720_as_the_driver_says),
        cmocka_unit_test(g52_as_the_driver_says),
        cmocka_unit_test(g57_as_the_driver_says),
        cmocka_unit_test(captures_of_later_gpus),
        cmocka_unit_test(more_of_later_gpus),
        cmocka_unit_test(all_programs),
        cmocka_unit_test(json),
        cmocka_unit_test(json_of_later_gpus),
        cmocka_unit_test(json_of_anything),
        cmocka_unit_test(broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
