#include "tools/libresoc_scene_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"
#include "util/bits.h"
#include "util/checked.h"
#include "util/list.h"

#define MOST_BYTES (64u << 20) /* of a scene's file */

/* ---- values ---- */

bool tool_scene_fail(struct tool_scene_reader *r, int code, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!r->code)
        r->code = util_fail(r->error, code, "%s: %s%s%s", r->path, r->where, *r->where ? ": " : "", text);
    return false;
}

static bool listed(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

bool tool_scene_object(struct tool_scene_reader *r, struct json_object *object, const char *const *names)
{
    if (!json_object_is_type(object, json_type_object))
        return tool_scene_fail(r, -EBADMSG, "an object is expected");
    json_object_object_foreach(object, key, value)
    {
        if (value && !listed(key, names))
            return tool_scene_fail(r, -EBADMSG, "\"%s\" is not known", key);
    }
    return true;
}

static bool absent(struct tool_scene_reader *r, const char *name, bool may)
{
    return may || tool_scene_fail(r, -EBADMSG, "\"%s\" is missing", name);
}

bool tool_scene_string(struct tool_scene_reader *r, struct json_object *object, const char *name,
                       const char *otherwise, const char **out)
{
    struct json_object *value;
    *out = otherwise;
    if (!json_object_object_get_ex(object, name, &value))
        return absent(r, name, otherwise != NULL);
    if (!json_object_is_type(value, json_type_string))
        return tool_scene_fail(r, -EBADMSG, "\"%s\" is no string", name);
    *out = json_object_get_string(value);
    return true;
}

static bool is_number(struct json_object *value)
{
    return json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double);
}

bool tool_scene_number(struct tool_scene_reader *r, struct json_object *object, const char *name,
                       const double *otherwise, double *out)
{
    struct json_object *value;
    if (!json_object_object_get_ex(object, name, &value)) {
        *out = otherwise ? *otherwise : 0;
        return absent(r, name, otherwise != NULL);
    }
    if (!is_number(value))
        return tool_scene_fail(r, -EBADMSG, "\"%s\" is no number", name);
    *out = json_object_get_double(value);
    return true;
}

bool tool_scene_uint(struct tool_scene_reader *r, struct json_object *object, const char *name,
                     const uint32_t *otherwise, uint32_t *out)
{
    struct json_object *value;
    if (!json_object_object_get_ex(object, name, &value)) {
        *out = otherwise ? *otherwise : 0;
        return absent(r, name, otherwise != NULL);
    }
    const int64_t number = json_object_get_int64(value);
    if (!json_object_is_type(value, json_type_int) || number < 0 || number > UINT32_MAX)
        return tool_scene_fail(r, -EBADMSG, "\"%s\" is no whole number of 32 bits", name);
    *out = (uint32_t)number;
    return true;
}

bool tool_scene_flag(struct tool_scene_reader *r, struct json_object *object, const char *name, bool *out)
{
    struct json_object *value;
    *out = false;
    if (!json_object_object_get_ex(object, name, &value))
        return true;
    *out = json_object_get_boolean(value);
    return json_object_is_type(value, json_type_boolean) ||
           tool_scene_fail(r, -EBADMSG, "\"%s\" is neither true nor false", name);
}

bool tool_scene_numbers(struct tool_scene_reader *r, struct json_object *object, const char *name,
                        uint32_t count, double *out)
{
    struct json_object *value;
    if (!json_object_object_get_ex(object, name, &value))
        return true;
    if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) != count)
        return tool_scene_fail(r, -EBADMSG, "\"%s\" is no array of %u numbers", name, count);
    for (uint32_t n = 0; n < count; n++) {
        struct json_object *number = json_object_array_get_idx(value, n);
        if (!is_number(number))
            return tool_scene_fail(r, -EBADMSG, "\"%s\" is no array of %u numbers", name, count);
        out[n] = json_object_get_double(number);
    }
    return true;
}

bool tool_scene_word(struct tool_scene_reader *r, struct json_object *object, const char *name,
                     const char *const *words, uint32_t *out)
{
    const char *word;
    if (!tool_scene_string(r, object, name, words[0], &word))
        return false;
    for (*out = 0; words[*out]; (*out)++)
        if (!strcmp(word, words[*out]))
            return true;
    return tool_scene_fail(r, -EBADMSG, "\"%s\": there is no \"%s\"", name, word);
}

/* ---- memory, files, names ---- */

uint8_t *tool_scene_take(struct tool_scene_reader *r, uint64_t size, uint64_t *address)
{
    if (!util_in_range(r->next, size, r->memory->size)) {
        tool_scene_fail(r, -EBADMSG, "%llu bytes do not fit into memory of %u MiB", (unsigned long long)size,
                        TOOL_SCENE_MEMORY >> 20);
        return NULL;
    }
    *address = r->next;
    r->next = util_align(r->next + size, 64);
    return r->memory->base + *address;
}

char *tool_scene_beside(struct tool_scene_reader *r, const char *name)
{
    const char *slash = strrchr(r->path, '/');
    char *path = NULL;
    if (strchr(name, '/') || !*name) {
        tool_scene_fail(r, -EBADMSG, "\"%s\": files stand beside the scene", name);
        return NULL;
    }
    if (asprintf(&path, "%.*s%s", slash ? (int)(slash - r->path) + 1 : 0, r->path, name) >= 0)
        return path;
    tool_scene_fail(r, -ENOMEM, "out of memory");
    return NULL;
}

bool tool_scene_no_file(struct tool_scene_reader *r, int err, const char *name)
{
    /* In a sandbox there are no others, and who asks for one is told that they may not have it. */
    const bool absent_one = err == -ENOENT || err == -EACCES;
    return tool_scene_fail(r, err == -ENOMEM ? err : -EBADMSG, "\"%s\" cannot be read: %s", name,
                           absent_one ? "no such file stands beside the scene" : strerror(-err));
}

bool tool_scene_file(struct tool_scene_reader *r, const char *name, uint8_t **bytes, size_t *size)
{
    char *path = tool_scene_beside(r, name);
    const int err = path ? tool_load_file(path, bytes, size, NULL) : -ENOMEM;
    free(path);
    return !err || tool_scene_no_file(r, err, name);
}

const struct tool_scene_thing *tool_scene_find(struct tool_scene_reader *r,
                                               const struct tool_scene_things *things, const char *kind,
                                               const char *name)
{
    for (uint32_t n = 0; n < things->count; n++)
        if (!strcmp(things->at[n].name, name))
            return &things->at[n];
    tool_scene_fail(r, -EBADMSG, "there is no %s \"%s\"", kind, name);
    return NULL;
}

/* ---- the scene ---- */

static uint32_t color_of(const double rgba[4])
{
    uint32_t word = 0;
    for (unsigned c = 0; c < 4; c++) {
        const double x = rgba[c] > 0 ? rgba[c] < 1 ? rgba[c] : 1 : 0;
        word |= (uint32_t)(x * 255 + 0.5) << 8 * c;
    }
    return word;
}

/* The frame but for its memory. */
static bool read_frame(struct tool_scene_reader *r, struct json_object *scene, double size[2],
                       struct libresoc_frame_record *frame)
{
    static const char *const formats[] = {"R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "B5G6R5_UNORM", NULL};
    static const uint32_t usual_heap = 32u << 20;
    double clear[4] = {0, 0, 0, 1}, depth = 1;
    const double one = 1;
    if (!tool_scene_numbers(r, scene, "size", 2, size) || !tool_scene_numbers(r, scene, "clear", 4, clear) ||
        !tool_scene_number(r, scene, "clear_depth", &one, &depth) ||
        !tool_scene_uint(r, scene, "heap", &usual_heap, &frame->heap_bytes) ||
        !tool_scene_word(r, scene, "format", formats, &frame->color_format))
        return false;
    if (!(size[0] >= 1 && size[0] <= LIBRESOC_SIDE && size[1] >= 1 && size[1] <= LIBRESOC_SIDE))
        return tool_scene_fail(r, -EBADMSG, "\"size\" is from 1 to %u", LIBRESOC_SIDE);
    frame->mark = LIBRESOC_FRAME_MARK;
    frame->width = (uint32_t)size[0];
    frame->height = (uint32_t)size[1];
    frame->clear_color = color_of(clear);
    frame->clear_depth = (float)depth;
    frame->color_stride = frame->width * raster_format_bytes(libresoc_image_format(frame->color_format));
    return true;
}

static struct json_object *member(struct json_object *object, const char *name)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(object, name, &value);
    return value;
}

static bool read_things(struct tool_scene_reader *r, struct json_object *scene, const double size[2],
                        struct libresoc_frame_record *frame)
{
    return tool_scene_textures(r, member(scene, "textures")) &&
           tool_scene_buffers(r, member(scene, "buffers")) &&
           tool_scene_programs(r, member(scene, "programs")) &&
           tool_scene_draws(r, member(scene, "draws"), size, frame);
}

static bool read_scene(struct tool_scene_reader *r, struct json_object *scene, struct tool_scene *out)
{
    static const char *const names[] = {"size",     "clear",   "clear_depth", "format", "heap",
                                        "textures", "buffers", "programs",    "draws",  NULL};
    struct libresoc_frame_record frame = {0};
    uint32_t words[LIBRESOC_FRAME_WORDS] = {0};
    double size[2] = {256, 256};
    if (!tool_scene_object(r, scene, names) || !read_frame(r, scene, size, &frame) ||
        !read_things(r, scene, size, &frame))
        return false;
    r->where[0] = 0;
    uint8_t *at = tool_scene_take(r, sizeof words, &out->record);
    out->used = r->next;
    r->next = util_align(r->next, GPU_PAGE);
    if (!at || !tool_scene_take(r, (uint64_t)frame.color_stride * frame.height, &frame.color) ||
        !tool_scene_take(r, frame.heap_bytes, &frame.heap))
        return false;
    libresoc_record_pack(LIBRESOC_FRAME, &frame, words);
    memcpy(at, words, sizeof words);
    return true;
}

static void parse(struct tool_scene_reader *r, const char *text, size_t size, struct tool_scene *out)
{
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *scene =
        tokener && size <= MOST_BYTES ? json_tokener_parse_ex(tokener, text, (int)size + 1) : NULL;
    if (scene)
        read_scene(r, scene, out);
    else
        tool_scene_fail(r, tokener ? -EBADMSG : -ENOMEM, "%s at byte %zu",
                        tokener ? json_tokener_error_desc(json_tokener_get_error(tokener)) : "out of memory",
                        tokener ? json_tokener_get_parse_end(tokener) : 0);
    json_object_put(scene);
    if (tokener)
        json_tokener_free(tokener);
    free(r->buffers.at);
    free(r->textures.at);
    free(r->programs.at);
}

int tool_scene_parse(const char *path, const char *text, size_t size, struct gpu_memory *memory,
                     struct tool_scene *out, struct util_error *error)
{
    struct tool_scene_reader reader = {.path = path, .memory = memory, .next = GPU_PAGE, .error = error};
    *out = (struct tool_scene){0};
    parse(&reader, text, size, out);
    return reader.code;
}

int tool_scene_load(const char *path, struct gpu_memory *memory, struct tool_scene *out,
                    struct util_error *error)
{
    uint8_t *bytes;
    size_t size;
    int err = tool_load_file(path, &bytes, &size, error);
    if (err)
        return err;
    err = tool_scene_parse(path, (const char *)bytes, size, memory, out, error);
    free(bytes);
    return err;
}
