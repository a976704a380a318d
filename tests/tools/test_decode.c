/* `vitrail decode` over the recorded captures: what the driver's own dump of the same program says of the
 * same words (LIMA_DEBUG=dump of gltest), names of registers, tile lists, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/gpu/captures.h"
#include "tests/tools/decode_text.h"
#include "tests/tools/json_reader.h"

#define CAPTURES SOURCE_DIR "/tests/captures/"

static void as_the_driver_says(void **state)
{
    char *text = listing_of(&(struct decode_options){.path = CAPTURES "mali400/gltest.vtc", .job = 3});
    static const char *const lines[] = {
        "GP CMD [0x00020] = 0x00000003: START_PLBU, START_VS",
        "job 3, VS list 0x020f24c0..0x020f2510",
        "uniforms: at 0x020f2340, bytes 96",
        "program at: at 0x02206000, bytes 208",
        "program: instructions 13, prefetch 11",
        "counts: varyings 2, attributes 2",
        "draw: vertices 24, indexed yes",
        "attribute 0: 0x021f9000, 3 x f32, stride 20",
        "attribute 1: 0x021f900c, 2 x f32, stride 20",
        "varying 0: 0x02207000, 1 x position, stride 16",
        "varying 1: 0x02207180, 2 x f32, stride 16",
        "vertex program at 0x02206000, 13 instructions",
        "store.xy v0, acc0, acc1 ; store.zw v0, mul1, mul0",
        "0: 1.39341, 0.810099, 0.723628, 0.59206",
        "job 3, PLBU list",
        "tiles: width 16, height 16",
        "blocks: at 0x02091000, blocks 256",
        "viewport right: x 256",
        "render state: at 0x020f2480, positions 0x02207000",
        "color_src          one",
        "color_dst          zero",
        "depth_func         less",
        "program            0x021f6000",
        "0: 2 x f32 from byte 0",
        "scissor: min x 0, max x 256, min y 0, max y 256",
        "draw elements: mode 4, start 0, indices 36",
        "PP0 CTRL [0x0900c] = 0x00000040: START_RENDERING",
        "job 3, frame of PP 0",
        "clear colour       0xff1a1a1a",
        "width              256",
        "write-back 0: source colour, address 0x02092000, format BGRA8888, smaller 0x00000000, layout tiled, "
        "pitch 16, swapped, flags 0x0",
        "write-back 1: source depth and stencil, address 0x020d2000, format Z16",
        "of render state 0x020f2480",
        "texture 0: descriptor at 0x020f2440",
        "format             BGRA8888",
        "level 6: 1x1 at 0x02205000",
        "var coords.xy, v0.xy ; tex2d 0 ; mov.v1 r0, tex ; sync ; stop",
        "128 tiles",
        "tile 0,0: list at 0x00011000",
        "picture: 256x256",
        NULL};
    listing_has(text, lines);
    assert_null(strstr(text, "job 2,"));
    assert_null(strstr(text, "triangle 0"));
    free(text);
}

static void the_lists_of_tiles(void **state)
{
    char *text =
        listing_of(&(struct decode_options){.path = CAPTURES "mali450/gltest.vtc", .job = 2, .tiles = true});
    static const char *const lines[] = {"job 2, frame of PP 0", "43 tiles",    "tile 6,6",
                                        "draw 1: render state", "triangle 0 ", "end",
                                        "job 2, frame of PP 5", "42 tiles",    NULL};
    listing_has(text, lines);
    free(text);
}

static void programs_may_be_left_out(void **state)
{
    char *text =
        listing_of(&(struct decode_options){.path = CAPTURES "mali400/gltest.vtc", .no_programs = true});
    assert_null(strstr(text, "program at 0x02206000, 13"));
    static const char *const lines[] = {"GP FRAME 0 (VS list) [0x00000] = 0x020f24c0",
                                        "texture 0: descriptor", NULL};
    listing_has(text, lines);
    free(text);
}

static void json(void **state)
{
    const struct gpu_info *gpu;
    for (unsigned n = 0; (gpu = gpu_info_at(n)); n++) {
        char path[CAPTURES_PATH];
        captures_need(gpu->name, "gltest", path);
        char *text = listing_of(&(struct decode_options){.path = path, .json = true});
        assert_non_null(strstr(text, "\"kind\": \"register\""));
        struct json_object *told = json_read(text);
        assert_non_null(told);
        json_object_put(told);
    }
}

static void vc4_records(void **state)
{
    char *text = listing_of(&(struct decode_options){.path = CAPTURES "kmscube.vtc", .job = 1});
    static const char *const lines[] = {
        "CT0EA [0x108] = 0x0004a015",
        "job 1, binning list 0x0004a000..0x0004a015",
        "0004a000  112  Tile binning mode configuration: allocation 0x01001000",
        "auto-initialise",
        "Store tile buffer general: buffer none, layout raster, mode sample 0",
        NULL};
    listing_has(text, lines);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_driver_says),
        cmocka_unit_test(the_lists_of_tiles),
        cmocka_unit_test(programs_may_be_left_out),
        cmocka_unit_test(json),
        cmocka_unit_test(vc4_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
