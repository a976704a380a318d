/* A frame of v9 with one draw before its lists, over the whole of it, with descriptors and a program of its own: words
 * where the hardware has them, programs as text. Included by tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_WHOLE_H
#define VITRAIL_TESTS_GPU_MALI_WHOLE_H

#include "gpu/mali/tile_lists.h"
#include "isa/valhall/asm.h"
#include "jit/engine.h"
#include "tests/gpu/mali/late.h"

enum {
    WHOLE_DRAW = LATE_DRAWS,
    WHOLE_ENVIRONMENT = WHOLE_DRAW + 64,
    WHOLE_PROGRAM = LATE_DRAWS + 0x400,
    WHOLE_BLENDS = LATE_DRAWS + 0x480,
    WHOLE_DEPTH = LATE_DRAWS + 0x500,
    WHOLE_UNIFORMS = LATE_DRAWS + 0x600,
    WHOLE_TABLES = LATE_DRAWS + 0x700, /* 0: none, 1: attributes, 2: buffers */
    WHOLE_ATTRIBUTES = LATE_DRAWS + 0x800,
    WHOLE_BUFFERS = LATE_DRAWS + 0x880,
    WHOLE_CORNERS = LATE_DRAWS + 0x900, /* four floats each */
    WHOLE_CODE = 0x00700000,
    WHOLE_SHADER = WHOLE_CODE + 0x800, /* another, that blends */
    WHOLE_LISTS = LATE_CONTEXT + 0x400,
    WHOLE_FRAME_SIDE = 32 /* within one list */
};

/* Of the devices that whole_begin makes; NULL: programs are interpreted. */
static struct jit_engine *whole_engine;

struct whole {
    struct late late;
    uint8_t *code;
};

static inline void whole_set(struct whole *w, uint64_t at, const struct mali_desc *desc, const char *name,
                             uint64_t value)
{
    pack_set(late_at(&w->late, at), desc, MALI_V9, name, value);
}

static inline void whole_draw(struct whole *w, const char *name, uint64_t value)
{
    whole_set(w, WHOLE_DRAW, &mali_desc_draw_v9, name, value);
}

static inline void whole_blend(struct whole *w, unsigned target, const char *name, uint64_t value)
{
    whole_set(w, WHOLE_BLENDS + target * 16, &mali_desc_blend, name, value);
}

static inline void whole_depth(struct whole *w, const char *name, uint64_t value)
{
    whole_set(w, WHOLE_DEPTH, &mali_desc_depth_stencil, name, value);
}

/* A program at WHOLE_CODE or WHOLE_SHADER, with the word of zeros behind it that says where it ends. */
static inline void whole_program(struct whole *w, uint32_t at, const char *text)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (valhall_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\n%s", error.text, text);
    memcpy(w->code + (at - WHOLE_CODE), words, (size_t)count * VALHALL_WORD_BYTES);
    memset(w->code + (at - WHOLE_CODE) + count * VALHALL_WORD_BYTES, 0, VALHALL_WORD_BYTES);
    free(words);
}

/* What a target is blended by: singles replace it. */
static inline void whole_opaque(struct whole *w, unsigned target)
{
    whole_blend(w, target, "enable", 1);
    whole_blend(w, target, "mode", MALI_BLEND_MODE_OPAQUE);
    whole_blend(w, target, "num comps", 4);
    whole_blend(w, target, "RT", target);
    whole_blend(w, target, "conversion register format", MALI_REGISTER_FILE_FORMAT_F32);
}

/* A target of 32 bits that take what registers have. */
static inline void whole_raw(struct whole *w, unsigned target)
{
    late_target(&w->late, target, "internal format", MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW32);
    late_target(&w->late, target, "writeback format", MALI_COLOR_FORMAT_RAW32);
    whole_blend(w, target, "conversion memory format", MALI_FORMAT_R32UI);
    whole_blend(w, target, "conversion register format", MALI_REGISTER_FILE_FORMAT_U32);
}

/* The same of four such words. */
static inline void whole_wide(struct whole *w, unsigned target)
{
    whole_raw(w, target);
    late_target(&w->late, target, "internal format", MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW128);
    late_target(&w->late, target, "writeback format", MALI_COLOR_FORMAT_RAW128);
    late_target(&w->late, target, "writeback row stride", WHOLE_FRAME_SIDE * 16);
    whole_blend(w, target, "conversion memory format", MALI_FORMAT_RGBA32UI);
}

static inline void whole_tables(struct whole *w)
{
    static const uint32_t at[3] = {0, WHOLE_ATTRIBUTES, WHOLE_BUFFERS};
    for (unsigned n = 1; n < 3; n++) {
        whole_set(w, WHOLE_TABLES + n * 16, &mali_desc_resource, "address", at[n]);
        whole_set(w, WHOLE_TABLES + n * 16, &mali_desc_resource, "size", 32);
    }
    whole_set(w, WHOLE_ENVIRONMENT, &mali_desc_environment, "tables", WHOLE_TABLES);
    whole_set(w, WHOLE_ENVIRONMENT, &mali_desc_environment, "table count", 3);
    whole_set(w, WHOLE_ATTRIBUTES, &mali_desc_attribute_v9, "type", MALI_DESCRIPTOR_TYPE_ATTRIBUTE);
    whole_set(w, WHOLE_ATTRIBUTES, &mali_desc_attribute_v9, "attribute type", MALI_ATTRIBUTE_TYPE_1D);
    whole_set(w, WHOLE_ATTRIBUTES, &mali_desc_attribute_v9, "format", MALI_FORMAT_RGBA32F);
    whole_set(w, WHOLE_ATTRIBUTES, &mali_desc_attribute_v9, "table", 2);
    whole_set(w, WHOLE_ATTRIBUTES, &mali_desc_attribute_v9, "stride", 16);
    whole_set(w, WHOLE_BUFFERS, &mali_desc_buffer_v9, "type", MALI_DESCRIPTOR_TYPE_BUFFER);
    whole_set(w, WHOLE_BUFFERS, &mali_desc_buffer_v9, "buffer type", MALI_BUFFER_TYPE_SIMPLE);
    whole_set(w, WHOLE_BUFFERS, &mali_desc_buffer_v9, "size", 64);
    whole_set(w, WHOLE_BUFFERS, &mali_desc_buffer_v9, "address", WHOLE_CORNERS);
}

/* A square frame of targets of RGBA8 and 24 bits of depth; the draw replaces the first and tests nothing. Corners have
 * their place in pixels. */
static inline void whole_begin(struct whole *w, uint32_t targets)
{
    const uint32_t side = WHOLE_FRAME_SIDE;
    late_begin(&w->late, MALI_G57, side, side, targets, false);
    w->late.guest.device->options.engine = whole_engine;
    w->code = guest_map(&w->late.guest, WHOLE_CODE, GPU_PAGE, RIGHT_READ);
    guest_flush_as(&w->late.guest, 0);
    late_set(&w->late, "frame shader DCDs", WHOLE_DRAW);
    late_set(&w->late, "pre frame 0", MALI_PRE_POST_FRAME_SHADER_MODE_ALWAYS);
    whole_draw(w, "sample mask", 0xffff);
    whole_draw(w, "blend count", targets);
    whole_draw(w, "blend", WHOLE_BLENDS);
    whole_draw(w, "depth/stencil", WHOLE_DEPTH);
    whole_draw(w, "pixel kill operation", MALI_PIXEL_KILL_FORCE_EARLY);
    whole_draw(w, "ZS update operation", MALI_PIXEL_KILL_STRONG_EARLY);
    whole_depth(w, "type", MALI_DESCRIPTOR_TYPE_DEPTH_STENCIL);
    whole_depth(w, "depth clamp mode", MALI_DEPTH_CLAMP_MODE_0_1);
    whole_depth(w, "depth function", MALI_FUNC_ALWAYS);
    whole_depth(w, "depth source", MALI_DEPTH_SOURCE_FIXED_FUNCTION);
    for (unsigned n = 0; n < targets; n++)
        whole_opaque(w, n);
    whole_set(w, WHOLE_ENVIRONMENT, &mali_desc_environment, "shader", WHOLE_PROGRAM);
    whole_set(w, WHOLE_ENVIRONMENT, &mali_desc_environment, "FAU", WHOLE_UNIFORMS);
    whole_set(w, WHOLE_ENVIRONMENT, &mali_desc_environment, "FAU count", 8);
    whole_set(w, WHOLE_PROGRAM, &mali_desc_program, "type", MALI_DESCRIPTOR_TYPE_SHADER);
    whole_set(w, WHOLE_PROGRAM, &mali_desc_program, "stage", MALI_SHADER_STAGE_FRAGMENT);
    whole_set(w, WHOLE_PROGRAM, &mali_desc_program, "binary", WHOLE_CODE);
    whole_tables(w);
    for (unsigned n = 0; n < 4; n++) {
        float *corner = (float *)(void *)late_at(&w->late, WHOLE_CORNERS + n * 16);
        corner[0] = n & 1 ? (float)side : 0;
        corner[1] = n & 2 ? (float)side : 0;
        corner[2] = 0.5f;
        corner[3] = 1;
    }
}

/* Lists without a draw, whose header says that programs have side effects: so the draw's may store. */
static inline void whole_allow_stores(struct whole *w)
{
    struct late *l = &w->late;
    const struct mali_lists_header header = {
        .mark = MALI_LISTS_MARK, .columns = 1, .rows = 1, .table = WHOLE_LISTS, .alone = 1};
    late_set(l, "tiler", LATE_CONTEXT);
    whole_set(w, LATE_CONTEXT, &mali_desc_tiler_v6, "FB width", WHOLE_FRAME_SIDE);
    whole_set(w, LATE_CONTEXT, &mali_desc_tiler_v6, "FB height", WHOLE_FRAME_SIDE);
    whole_set(w, LATE_CONTEXT, &mali_desc_tiler_v6, "heap", LATE_HEAP_AT);
    whole_set(w, LATE_HEAP_AT, &mali_desc_tiler_heap, "type", MALI_DESCRIPTOR_TYPE_BUFFER);
    memcpy(late_at(l, LATE_CONTEXT + mali_frame_at(MALI_V9, MALI_FRAME_STATE)), &header, sizeof header);
}

static inline void whole_uniform(struct whole *w, unsigned n, uint32_t value)
{
    util_store32(late_at(&w->late, WHOLE_UNIFORMS) + n * 4, value);
}

/* What was written back of a target's pixel. */
static inline uint32_t whole_pixel(struct whole *w, unsigned target, uint32_t x, uint32_t y)
{
    const uint32_t side = WHOLE_FRAME_SIDE;
    return util_load32(w->late.data + 4 * ((target * side + y) * side + x));
}

static inline void whole_end(struct whole *w)
{
    late_end(&w->late);
}

#endif
