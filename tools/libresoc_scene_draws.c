/* The draws of a scene, as records. */
#include <errno.h>
#include <string.h>

#include "raster/zs.h"
#include "tools/libresoc_scene_internal.h"
#include "util/bits.h"

static const char *const names[] = {
    "mode",     "vertices",   "indices",    "index_type", "count",  "instances", "attributes", "varyings",
    "flat",     "flat_first", "vertex",     "fragment",   "blend",  "depth",     "cull",       "front",
    "viewport", "clip",       "line_width", "kills",      "offset", NULL};

/* ---- attributes ---- */

static bool read_attribute(struct tool_scene_reader *r, struct json_object *value, uint32_t *words)
{
    static const char *const members[] = {"buffer",     "offset",  "stride", "format",
                                          "components", "divisor", NULL};
    static const char *const formats[] = {
        "R32_FLOAT",      "R32G32_FLOAT", "R32G32B32_FLOAT",    "R32G32B32A32_FLOAT", "R8G8B8A8_UNORM",
        "R8G8B8A8_SNORM", "R16G16_UNORM", "R16G16B16A16_SNORM", "R16G16B16A16_FLOAT", NULL};
    struct libresoc_attribute_record record = {0};
    const uint32_t none = 0;
    uint32_t offset, components = 4;
    const char *buffer;
    if (!tool_scene_object(r, value, members) || !tool_scene_string(r, value, "buffer", NULL, &buffer) ||
        !tool_scene_uint(r, value, "offset", &none, &offset) ||
        !tool_scene_uint(r, value, "stride", NULL, &record.stride) ||
        !tool_scene_word(r, value, "format", formats, &record.format))
        return false;
    const struct raster_texel *texel = &raster_texels[libresoc_attribute_format(record.format)];
    while (components > 1 && texel->from[components - 1] >= 4)
        components--;
    const struct tool_scene_thing *thing = tool_scene_find(r, &r->buffers, "buffer", buffer);
    if (!thing || !tool_scene_uint(r, value, "components", &components, &record.components) ||
        !tool_scene_uint(r, value, "divisor", &none, &record.divisor))
        return false;
    record.address = thing->address + offset;
    libresoc_record_pack(LIBRESOC_ATTRIBUTE, &record, words);
    return true;
}

static bool read_attributes(struct tool_scene_reader *r, struct json_object *draw,
                            struct libresoc_draw_record *out)
{
    uint32_t words[LIBRESOC_ATTRIBUTES * LIBRESOC_ATTRIBUTE_WORDS] = {0};
    struct json_object *list;
    if (!json_object_object_get_ex(draw, "attributes", &list))
        return true;
    if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) > LIBRESOC_ATTRIBUTES)
        return tool_scene_fail(r, -EBADMSG, "\"attributes\" is no array of at most %u", LIBRESOC_ATTRIBUTES);
    out->attribute_count = (uint32_t)json_object_array_length(list);
    for (uint32_t n = 0; n < out->attribute_count; n++)
        if (!read_attribute(r, json_object_array_get_idx(list, n), words + n * LIBRESOC_ATTRIBUTE_WORDS))
            return false;
    uint8_t *to = tool_scene_take(r, sizeof words, &out->attributes);
    if (to)
        memcpy(to, words, sizeof words);
    return to != NULL;
}

/* ---- stages ---- */

static bool read_stage(struct tool_scene_reader *r, struct json_object *draw, const char *name, bool needed,
                       struct libresoc_program_record *out)
{
    static const char *const members[] = {"program", "uniforms", NULL};
    const char *program, *uniforms;
    struct json_object *stage;
    if (!json_object_object_get_ex(draw, name, &stage))
        return !needed || tool_scene_fail(r, -EBADMSG, "\"%s\" is missing", name);
    if (!tool_scene_object(r, stage, members) || !tool_scene_string(r, stage, "program", NULL, &program) ||
        !tool_scene_string(r, stage, "uniforms", "", &uniforms))
        return false;
    const struct tool_scene_thing *thing = tool_scene_find(r, &r->programs, "program", program);
    if (!thing)
        return false;
    *out = thing->program;
    if (!*uniforms)
        return true;
    thing = tool_scene_find(r, &r->buffers, "buffer", uniforms);
    out->uniforms = thing ? thing->address : 0;
    return thing != NULL;
}

/* ---- the rest ---- */

static bool read_depth(struct tool_scene_reader *r, struct json_object *draw,
                       struct libresoc_draw_record *out)
{
    static const char *const members[] = {"func", "write", NULL};
    static const char *const functions[] = {
        "less",   "never", "equal", "less or equal", "greater", "not equal", "greater or equal",
        "always", NULL};
    static const uint8_t numbers[] = {RASTER_LESS,    RASTER_NEVER,    RASTER_EQUAL,  RASTER_LEQUAL,
                                      RASTER_GREATER, RASTER_NOTEQUAL, RASTER_GEQUAL, RASTER_ALWAYS};
    struct json_object *depth;
    uint32_t function;
    bool write;
    out->depth_func = RASTER_ALWAYS;
    if (!json_object_object_get_ex(draw, "depth", &depth))
        return true;
    if (!tool_scene_object(r, depth, members) || !tool_scene_word(r, depth, "func", functions, &function) ||
        !tool_scene_flag(r, depth, "write", &write))
        return false;
    out->depth_func = numbers[function];
    out->depth_write = write;
    return true;
}

static bool read_indices(struct tool_scene_reader *r, struct json_object *draw,
                         struct libresoc_draw_record *out)
{
    static const char *const types[] = {"u16", "u8", "u32", NULL};
    static const uint8_t numbers[] = {2, 1, 3};
    const char *indices;
    uint32_t type;
    if (!tool_scene_string(r, draw, "indices", "", &indices) ||
        !tool_scene_word(r, draw, "index_type", types, &type))
        return false;
    uint32_t count = out->vertex_count;
    if (*indices) {
        const struct tool_scene_thing *thing = tool_scene_find(r, &r->buffers, "buffer", indices);
        if (!thing)
            return false;
        out->index_type = numbers[type];
        out->indices = thing->address;
        count = (uint32_t)(thing->size >> (numbers[type] - 1));
    }
    return tool_scene_uint(r, draw, "count", &count, &out->count);
}

/* Clip coordinates: y is up, and depth from -w to w. */
static bool read_window(struct tool_scene_reader *r, struct json_object *draw,
                        struct libresoc_draw_record *out, const double size[2])
{
    double viewport[4] = {0, 0, size[0], size[1]}, clip[4] = {0, 0, size[0], size[1]}, offset[2] = {0, 0};
    const double one = 1;
    double width;
    if (!tool_scene_numbers(r, draw, "viewport", 4, viewport) ||
        !tool_scene_numbers(r, draw, "clip", 4, clip) || !tool_scene_numbers(r, draw, "offset", 2, offset) ||
        !tool_scene_number(r, draw, "line_width", &one, &width))
        return false;
    for (unsigned n = 0; n < 4; n++)
        if (!(clip[n] >= 0 && clip[n] <= LIBRESOC_SIDE))
            return tool_scene_fail(r, -EBADMSG, "\"clip\" is from 0 to %u", LIBRESOC_SIDE);
    out->scale_x = (float)(viewport[2] / 2);
    out->scale_y = (float)(-viewport[3] / 2);
    out->translate_x = (float)(viewport[0] + viewport[2] / 2);
    out->translate_y = (float)(viewport[1] + viewport[3] / 2);
    out->scale_z = out->translate_z = 0.5f;
    out->clip_x0 = (uint32_t)clip[0];
    out->clip_y0 = (uint32_t)clip[1];
    out->clip_x1 = (uint32_t)clip[2];
    out->clip_y1 = (uint32_t)clip[3];
    out->offset_factor = (float)offset[0];
    out->offset_units = (float)offset[1];
    out->size = (float)width;
    return true;
}

static bool read_flags(struct tool_scene_reader *r, struct json_object *draw,
                       struct libresoc_draw_record *out)
{
    static const char *const windings[] = {"none", "clockwise", "counterclockwise", "both", NULL};
    static const char *const fronts[] = {"counterclockwise", "clockwise", NULL};
    bool kills, flat_first;
    uint32_t cull;
    if (!tool_scene_word(r, draw, "cull", windings, &cull) ||
        !tool_scene_word(r, draw, "front", fronts, &out->front_clockwise) ||
        !tool_scene_flag(r, draw, "kills", &kills) || !tool_scene_flag(r, draw, "flat_first", &flat_first))
        return false;
    out->cull_clockwise = cull & 1;
    out->cull_counterclockwise = cull >> 1;
    out->kills = kills;
    out->flat_first = flat_first;
    return true;
}

static bool read_draw(struct tool_scene_reader *r, struct json_object *draw, const double size[2],
                      struct libresoc_draw_record *out)
{
    static const char *const modes[] = {"triangles",  "points",         "lines",        "line loop",
                                        "line strip", "triangle strip", "triangle fan", NULL};
    static const uint8_t numbers[] = {TILER_TRIANGLES,   TILER_POINTS,     TILER_LINES,
                                      TILER_LINE_LOOP,   TILER_LINE_STRIP, TILER_TRIANGLE_STRIP,
                                      TILER_TRIANGLE_FAN};
    const uint32_t none = 0, one = 1;
    uint32_t mode;
    *out = (struct libresoc_draw_record){.mark = LIBRESOC_DRAW_MARK};
    if (!tool_scene_object(r, draw, names) || !tool_scene_word(r, draw, "mode", modes, &mode) ||
        !tool_scene_uint(r, draw, "vertices", NULL, &out->vertex_count) ||
        !tool_scene_uint(r, draw, "instances", &one, &out->instance_count) ||
        !tool_scene_uint(r, draw, "varyings", &none, &out->varying_count) ||
        !tool_scene_uint(r, draw, "flat", &none, &out->flat))
        return false;
    out->mode = numbers[mode];
    return read_indices(r, draw, out) && read_attributes(r, draw, out) && read_depth(r, draw, out) &&
           read_window(r, draw, out, size) && read_flags(r, draw, out) &&
           read_stage(r, draw, "vertex", true, &out->stage[LIBRESOC_VERTEX]) &&
           read_stage(r, draw, "fragment", false, &out->stage[LIBRESOC_FRAGMENT]) &&
           read_stage(r, draw, "blend", false, &out->stage[LIBRESOC_BLEND]);
}

bool tool_scene_draws(struct tool_scene_reader *r, struct json_object *draws, const double size[2],
                      struct libresoc_frame_record *frame)
{
    snprintf(r->where, sizeof r->where, "draws");
    if (!json_object_is_type(draws, json_type_array) || json_object_array_length(draws) > LIBRESOC_DRAWS)
        return tool_scene_fail(r, -EBADMSG, "an array of at most %u is expected", LIBRESOC_DRAWS);
    frame->draw_count = (uint32_t)json_object_array_length(draws);
    const uint64_t bytes = LIBRESOC_DRAW_WORDS * 4ull;
    uint8_t *to = tool_scene_take(r, frame->draw_count * bytes, &frame->draws);
    for (uint32_t n = 0; to && n < frame->draw_count; n++) {
        uint32_t words[LIBRESOC_DRAW_WORDS] = {0};
        struct libresoc_draw_record draw;
        snprintf(r->where, sizeof r->where, "draw %u", n + 1);
        if (!read_draw(r, json_object_array_get_idx(draws, n), size, &draw))
            return false;
        libresoc_record_pack(LIBRESOC_DRAW, &draw, words);
        for (unsigned s = 0; s < LIBRESOC_STAGES; s++)
            libresoc_record_pack(LIBRESOC_PROGRAM, &draw.stage[s],
                                 words + LIBRESOC_DRAW_OWN_WORDS + s * LIBRESOC_PROGRAM_WORDS);
        memcpy(to + n * bytes, words, bytes);
    }
    return to != NULL;
}
