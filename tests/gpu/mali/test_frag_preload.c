/* Messages that v7 sends before a program of fragments begins: a draw over the whole of a frame, whose program finds in
 * registers what its state asks for. Interpreted and compiled. */
#include "isa/bifrost/asm.h"
#include "tests/gpu/mali/late.h"
#include "tests/gpu/mali/ways.h"

enum { SIDE = 32, DRAW = LATE_DRAWS, STATE = DRAW + 0x400, BLEND = STATE + 64, STORAGE = DRAW + 0x500 };
enum { VIEWPORT = DRAW + 0x580, VARYINGS = DRAW + 0x600, BUFFERS = DRAW + 0x700, CORNERS = DRAW + 0x800 };
enum { TEXTURE = DRAW + 0x900, SAMPLER = DRAW + 0x940, SURFACE = DRAW + 0x980, TEXELS = DRAW + 0x9c0 };
enum { CODE = 0x700000 };

struct drawn {
    struct late late;
    uint8_t *code;
};

/* Writes r`reg` and the three behind it. */
#define WRITE(reg)                                                                                           \
    "ds(0) nbb atest td next_blend dwb(0, 6, 7) {\n*NOP t0\n+ATEST r60:t1, r60, r3, @r60\n}\n"               \
    "ds(0) eos blend td {\n*NOP t0\n+BLEND r48:t1, r60, blend_descriptor_0.x, blend_descriptor_0.y, @" reg   \
    "\n}"

static void set(struct drawn *d, uint64_t at, const struct mali_desc *desc, const char *name, uint64_t value)
{
    pack_set(late_at(&d->late, at), desc, MALI_V7, name, value);
}

static void set_state(struct drawn *d, const char *name, uint64_t value)
{
    set(d, STATE, &mali_desc_state, name, value);
}

static void set_program(struct drawn *d, const char *text)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (bifrost_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\n%s", error.text, text);
    memcpy(d->code, words, (size_t)count * BIFROST_WORD_BYTES);
    free(words);
}

/* Varying n is `value` at all four corners. */
static void set_varying(struct drawn *d, uint32_t n, const float value[4])
{
    const uint32_t at = VARYINGS + n * 8, buffer = BUFFERS + n * 16;
    set(d, at, &mali_desc_attribute, "buffer index", n);
    set(d, at, &mali_desc_attribute, "format", MALI_FORMAT_RGBA32F);
    set(d, at, &mali_desc_attribute, "order", MALI_RGB_COMPONENT_ORDER_RGBA);
    set(d, buffer, &mali_desc_buffer, "type", MALI_ATTRIBUTE_TYPE_1D);
    set(d, buffer, &mali_desc_buffer, "pointer", CORNERS + n * 64);
    set(d, buffer, &mali_desc_buffer, "stride", 16);
    set(d, buffer, &mali_desc_buffer, "size", 64);
    for (unsigned corner = 0; corner < 4; corner++)
        memcpy(late_at(&d->late, CORNERS + n * 64 + corner * 16), value, 16);
}

static void set_draw(struct drawn *d)
{
    static const struct {
        const char *name;
        uint64_t value;
    } fields[] = {{"draw descriptor is 64-bit", 1}, {"state", STATE},       {"varyings", VARYINGS},
                  {"varying buffers", BUFFERS},     {"viewport", VIEWPORT}, {"thread storage", STORAGE}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(fields); n++)
        set(d, DRAW, &mali_desc_draw, fields[n].name, fields[n].value);
    set(d, VIEWPORT, &mali_desc_viewport, "scissor maximum X", SIDE - 1);
    set(d, VIEWPORT, &mali_desc_viewport, "scissor maximum Y", SIDE - 1);
    set_state(d, "shader", CODE);
    set_state(d, "varying count", 2);
    set_state(d, "sample mask", 0xffff);
    set_state(d, "pixel kill operation", MALI_PIXEL_KILL_FORCE_EARLY);
    set_state(d, "ZS update operation", MALI_PIXEL_KILL_STRONG_EARLY);
    set_state(d, "depth function", MALI_FUNC_ALWAYS);
    set_state(d, "depth source", MALI_DEPTH_SOURCE_FIXED_FUNCTION);
    set(d, BLEND, &mali_desc_blend, "enable", 1);
    set(d, BLEND, &mali_desc_blend, "mode", MALI_BLEND_MODE_OPAQUE);
    set(d, BLEND, &mali_desc_blend, "num comps", 4);
    set(d, BLEND, &mali_desc_blend, "conversion register format", MALI_REGISTER_FILE_FORMAT_F32);
}

/* Varying 0 is the colour 0x804020ff, 1 is half as bright. */
static void begin(struct drawn *d)
{
    static const float values[2][4] = {{1, 32.0f / 255, 64.0f / 255, 128.0f / 255},
                                       {0.5f, 16.0f / 255, 32.0f / 255, 64.0f / 255}};
    memset(d, 0, sizeof *d);
    late_pool = ways_pool;
    late_begin(&d->late, MALI_G52, SIDE, SIDE, 1, false);
    d->late.guest.device->options.engine = ways_engine;
    d->code = guest_map(&d->late.guest, CODE, GPU_PAGE, RIGHT_READ);
    guest_flush_as(&d->late.guest, 0);
    late_set(&d->late, "frame shader DCDs", DRAW);
    late_set(&d->late, "pre frame 0", MALI_PRE_POST_FRAME_SHADER_MODE_ALWAYS);
    set_draw(d);
    for (unsigned n = 0; n < 2; n++)
        set_varying(d, n, values[n]);
}

static void expect(struct drawn *d, uint32_t value)
{
    late_run(&d->late);
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        if (util_load32(d->late.data + 4 * n) != value)
            fail_msg("pixel %u is %08x, not %08x", n, util_load32(d->late.data + 4 * n), value);
}

static void message_1(struct drawn *d, uint32_t varying, uint32_t format)
{
    set_state(d, "message preload 1 type", MALI_MESSAGE_TYPE_LD_VAR);
    set_state(d, "message preload 1 LD_VAR varying index", varying);
    set_state(d, "message preload 1 LD_VAR register format", format);
    set_state(d, "message preload 1 LD_VAR num components", 4);
}

static void message_2(struct drawn *d, uint32_t varying)
{
    set_state(d, "message preload 2 type", MALI_MESSAGE_TYPE_LD_VAR);
    set_state(d, "message preload 2 LD_VAR varying index", varying);
    set_state(d, "message preload 2 LD_VAR register format", MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F32);
    set_state(d, "message preload 2 LD_VAR num components", 4);
}

/* One program with each of these: what is kept for one is not another's. */
static void test_varyings(void **unused)
{
    struct drawn d;
    begin(&d);
    set_program(&d, WRITE("r0"));
    expect(&d, 0);
    message_1(&d, 0, MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F32);
    expect(&d, 0x804020ff);
    expect(&d, 0x804020ff);
    message_1(&d, 1, MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F32);
    expect(&d, 0x40201080);
    message_1(&d, 0, MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F16);
    set(&d, BLEND, &mali_desc_blend, "conversion register format", MALI_REGISTER_FILE_FORMAT_F16);
    expect(&d, 0x804020ff);
    late_end(&d.late);
}

/* The second one's registers are r4 to r7, with the first one or without. */
static void test_second(void **unused)
{
    for (unsigned both = 0; both < 2; both++) {
        struct drawn d;
        begin(&d);
        if (both)
            message_1(&d, 0, MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F32);
        message_2(&d, 1);
        set_program(&d, WRITE("r4"));
        expect(&d, 0x40201080);
        set_program(&d, WRITE("r0"));
        expect(&d, both ? 0x804020ff : 0);
        late_end(&d.late);
    }
}

/* Two texels beside each other, of which varying 0 is at the right one and varying 1 at the left. */
static void set_texture(struct drawn *d)
{
    static const struct {
        const char *name;
        uint32_t value;
    } texture[] = {{"type", MALI_DESCRIPTOR_TYPE_TEXTURE},
                   {"dimension", MALI_TEXTURE_DIMENSION_2D},
                   {"width", 2},
                   {"height", 1},
                   {"depth", 1},
                   {"sample count", 1},
                   {"array size", 1},
                   {"levels", 1},
                   {"format", MALI_FORMAT_RGBA8_UNORM},
                   {"order", MALI_RGB_COMPONENT_ORDER_RGBA},
                   {"swizzle", MALI_ORDER_RGBA},
                   {"texel ordering", MALI_TEXTURE_LAYOUT_LINEAR},
                   {"surfaces", SURFACE}},
      sampler[] = {{"type", MALI_DESCRIPTOR_TYPE_SAMPLER},
                   {"magnify nearest", 1},
                   {"minify nearest", 1},
                   {"mipmap mode", MALI_MIPMAP_MODE_NONE},
                   {"normalized coordinates", 1},
                   {"wrap mode S", MALI_WRAP_MODE_CLAMP_TO_EDGE},
                   {"wrap mode T", MALI_WRAP_MODE_CLAMP_TO_EDGE},
                   {"wrap mode R", MALI_WRAP_MODE_CLAMP_TO_EDGE}};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(texture); n++)
        set(d, TEXTURE, &mali_desc_texture, texture[n].name, texture[n].value);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(sampler); n++)
        set(d, SAMPLER, &mali_desc_sampler, sampler[n].name, sampler[n].value);
    set(d, SURFACE, &mali_desc_surface_stride, "pointer", TEXELS);
    set(d, SURFACE, &mali_desc_surface_stride, "row stride", 8);
    set(d, DRAW, &mali_desc_draw, "textures", TEXTURE);
    set(d, DRAW, &mali_desc_draw, "samplers", SAMPLER);
    set_state(d, "texture count", 1);
    set_state(d, "sampler count", 1);
    util_store32(late_at(&d->late, TEXELS), 0x11223344);
    util_store32(late_at(&d->late, TEXELS) + 4, 0xaabbccdd);
    set_varying(d, 1, (const float[4]){0.25f, 0.5f, 0, 0});
}

/* A texture at a varying, of level 0 or the one computed, which is 0 where the varying is the same everywhere. */
static void test_textures(void **unused)
{
    for (unsigned n = 0; n < 4; n++) {
        const unsigned zero = n & 1, second = n >> 1;
        struct drawn d;
        begin(&d);
        set_texture(&d);
        set_program(&d, second ? WRITE("r4") : WRITE("r0"));
        if (second) {
            set_state(&d, "message preload 2 type", MALI_MESSAGE_TYPE_VAR_TEX);
            set_state(&d, "message preload 2 VAR_TEX varying index", 1);
            set_state(&d, "message preload 2 VAR_TEX zero LOD", zero);
        } else {
            set_state(&d, "message preload 1 type", MALI_MESSAGE_TYPE_VAR_TEX);
            set_state(&d, "message preload 1 VAR_TEX zero LOD", zero);
        }
        expect(&d, second ? 0x11223344 : 0xaabbccdd);
        late_end(&d.late);
    }
}

static void test_refused(void **unused)
{
    struct drawn d;
    begin(&d);
    set_program(&d, WRITE("r0"));
    message_1(&d, 0, MALI_MESSAGE_PRELOAD_REGISTER_FORMAT_F16 + 1);
    late_refused(&d.late, "messages before a program: registers' formats 2 and 0 are not done");
    late_end(&d.late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_varyings), cmocka_unit_test(test_second),
                                       cmocka_unit_test(test_textures), cmocka_unit_test(test_refused)};
    return ways_run_group_tests(tests);
}
