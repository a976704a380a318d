/* What draws of a scene name: textures from PNG, programs from text, ELF or words, buffers of numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/elf.h"
#include "isa/simple_v/asm.h"
#include "tools/libresoc_scene_internal.h"
#include "util/bits.h"
#include "util/image.h"
#include "util/list.h"

/* Each member of an object of such things, which may be absent. */
static bool each(struct tool_scene_reader *r, struct json_object *object, const char *kind,
                 struct tool_scene_things *things,
                 bool (*read)(struct tool_scene_reader *r, struct json_object *value,
                              struct tool_scene_thing *out))
{
    if (!object)
        return true;
    snprintf(r->where, sizeof r->where, "%ss", kind);
    if (!json_object_is_type(object, json_type_object))
        return tool_scene_fail(r, -EBADMSG, "an object is expected");
    json_object_object_foreach(object, key, value)
    {
        struct tool_scene_thing thing = {.name = key};
        snprintf(r->where, sizeof r->where, "%s \"%s\"", kind, key);
        if (!read(r, value, &thing))
            return false;
        if (!UTIL_LIST_ADD(*things, thing))
            return tool_scene_fail(r, -ENOMEM, "out of memory");
    }
    return true;
}

/* ---- textures ---- */

/* A descriptor as SIMPLE_V.md 12.2 has it: address of 64 bits; width, height, stride, wrap of 32. */
#define DESCRIPTOR 24u

static bool read_texture(struct tool_scene_reader *r, struct json_object *value, struct tool_scene_thing *out)
{
    static const char *const names[] = {"png", "wrap", NULL};
    static const char *const wraps[] = {"clamp", "repeat", NULL};
    struct util_image image;
    uint64_t texels;
    uint32_t wrap;
    const char *name;
    if (!tool_scene_object(r, value, names) || !tool_scene_string(r, value, "png", NULL, &name) ||
        !tool_scene_word(r, value, "wrap", wraps, &wrap))
        return false;
    char *path = tool_scene_beside(r, name);
    const int status = path ? util_image_read_png(&image, path) : -ENOMEM;
    free(path);
    if (status == -EBADMSG || status == -EINVAL)
        return tool_scene_fail(r, status, "\"%s\" is no PNG that can be read: %s", name, strerror(-status));
    if (status)
        return tool_scene_no_file(r, status, name);
    const uint64_t bytes = (uint64_t)image.width * image.height * 4;
    uint8_t *to = tool_scene_take(r, bytes, &texels);
    if (to)
        memcpy(to, image.pixels, bytes);
    const uint32_t words[4] = {image.width, image.height, image.width * 4, wrap};
    util_image_finish(&image);
    uint8_t *descriptor = to ? tool_scene_take(r, DESCRIPTOR, &out->address) : NULL;
    if (!descriptor)
        return false;
    util_store64(descriptor, texels);
    memcpy(descriptor + 8, words, sizeof words);
    out->size = DESCRIPTOR;
    return true;
}

bool tool_scene_textures(struct tool_scene_reader *r, struct json_object *textures)
{
    return each(r, textures, "texture", &r->textures, read_texture);
}

/* ---- programs ---- */

static bool put_words(struct tool_scene_reader *r, const void *words, size_t bytes,
                      struct tool_scene_thing *out)
{
    uint8_t *to = tool_scene_take(r, bytes, &out->address);
    if (!to)
        return false;
    memcpy(to, words, bytes);
    out->program = (struct libresoc_program_record){.address = out->address, .bytes = (uint32_t)bytes};
    return true;
}

static bool put_text(struct tool_scene_reader *r, const char *name, const uint8_t *text, size_t size,
                     struct tool_scene_thing *out)
{
    struct util_error error = {0};
    uint32_t count;
    void *words;
    if (simple_v_asm((const char *)text, size, &words, &count, &error))
        return tool_scene_fail(r, -EBADMSG, "%s: %s", name, error.text);
    const bool done = put_words(r, words, count * (size_t)SIMPLE_V_WORD_BYTES, out);
    free(words);
    return done;
}

/* All segments as far from each other as they were linked, so that code that counts from its own place finds its constants; the
 * program is the segment with the entry. */
static bool put_elf(struct tool_scene_reader *r, const char *name, const uint8_t *bytes, size_t size,
                    struct tool_scene_thing *out)
{
    struct util_error error = {0};
    struct libresoc_elf elf;
    if (libresoc_elf_read(bytes, size, &elf, &error))
        return tool_scene_fail(r, -EBADMSG, "%s: %s", name, error.text);
    const struct libresoc_segment *last = &elf.segment[elf.count - 1];
    const uint64_t first = elf.segment[0].address / GPU_PAGE * GPU_PAGE;
    r->next = util_align(r->next, GPU_PAGE);
    uint8_t *to = tool_scene_take(r, last->address + last->size - first, &out->address);
    for (uint32_t n = 0; to && n < elf.count; n++) {
        const struct libresoc_segment *s = &elf.segment[n];
        memcpy(to + (s->address - first), bytes + s->offset, s->in_file);
        if (elf.entry < s->address || elf.entry - s->address >= s->size)
            continue;
        out->program = (struct libresoc_program_record){.address = out->address + (s->address - first),
                                                        .bytes = (uint32_t)(s->size & ~1ull),
                                                        .entry = (uint32_t)(elf.entry - s->address)};
    }
    return to != NULL;
}

static bool read_program(struct tool_scene_reader *r, struct json_object *value, struct tool_scene_thing *out)
{
    static const char *const names[] = {"asm", "elf", "words", NULL};
    const char *name[3];
    unsigned kind = 0, given = 0;
    uint8_t *bytes;
    size_t size;
    if (!tool_scene_object(r, value, names))
        return false;
    for (unsigned n = 0; n < 3; n++) {
        if (!tool_scene_string(r, value, names[n], "", &name[n]))
            return false;
        given += *name[n] != 0;
        kind = *name[n] ? n : kind;
    }
    if (given != 1)
        return tool_scene_fail(r, -EBADMSG, "one of \"asm\", \"elf\" and \"words\" is expected");
    if (!tool_scene_file(r, name[kind], &bytes, &size))
        return false;
    bool done;
    if (kind == 2)
        done = put_words(r, bytes, size & ~(size_t)1, out);
    else
        done = (kind ? put_elf : put_text)(r, name[kind], bytes, size, out);
    free(bytes);
    return done;
}

bool tool_scene_programs(struct tool_scene_reader *r, struct json_object *programs)
{
    return each(r, programs, "program", &r->programs, read_program);
}

/* ---- buffers ---- */

/* A part of a buffer, of which a pass that only counts has no memory. */
static bool put_numbers(struct tool_scene_reader *r, struct json_object *numbers, unsigned bytes, bool floats,
                        uint8_t *to, uint64_t *size)
{
    if (!json_object_is_type(numbers, json_type_array))
        return tool_scene_fail(r, -EBADMSG, "numbers are no array");
    const size_t count = json_object_array_length(numbers);
    *size = count * bytes;
    for (size_t n = 0; to && n < count; n++) {
        struct json_object *number = json_object_array_get_idx(numbers, n);
        const bool whole = json_object_is_type(number, json_type_int);
        if (!whole && !(floats && json_object_is_type(number, json_type_double)))
            return tool_scene_fail(r, -EBADMSG, "number %zu is none of those", n);
        const uint64_t value = floats ? util_f2u((float)json_object_get_double(number))
                                      : (uint64_t)json_object_get_int64(number);
        memcpy(to + n * bytes, &value, bytes);
    }
    return true;
}

/* The descriptor of a texture, or the address of a buffer before. */
static bool put_reference(struct tool_scene_reader *r, const char *kind,
                          const struct tool_scene_things *things, struct json_object *name, bool descriptor,
                          uint8_t *to, uint64_t *size)
{
    if (!json_object_is_type(name, json_type_string))
        return tool_scene_fail(r, -EBADMSG, "\"%s\" is no string", kind);
    const struct tool_scene_thing *thing = tool_scene_find(r, things, kind, json_object_get_string(name));
    if (!thing)
        return false;
    *size = descriptor ? DESCRIPTOR : 8;
    if (to && descriptor)
        memcpy(to, r->memory->base + thing->address, DESCRIPTOR);
    else if (to)
        util_store64(to, thing->address);
    return true;
}

static bool put_file(struct tool_scene_reader *r, struct json_object *name, uint8_t *to, uint64_t *size)
{
    uint8_t *bytes;
    size_t length;
    if (!json_object_is_type(name, json_type_string))
        return tool_scene_fail(r, -EBADMSG, "\"file\" is no string");
    if (!tool_scene_file(r, json_object_get_string(name), &bytes, &length))
        return false;
    if (to)
        memcpy(to, bytes, UTIL_MIN(*size, length)); /* it may have grown meanwhile */
    *size = length;
    free(bytes);
    return true;
}

static bool put_part(struct tool_scene_reader *r, struct json_object *part, uint8_t *to, uint64_t *size)
{
    static const struct {
        const char *name;
        uint8_t bytes;
        bool floats;
    } kinds[] = {{"f32", 4, true}, {"u32", 4, false}, {"u16", 2, false}, {"u8", 1, false}};
    static const char *const names[] = {"f32", "u32", "u16", "u8", "file", "texture", "address", NULL};
    struct json_object *value;
    if (!tool_scene_object(r, part, names))
        return false;
    if (json_object_object_length(part) != 1)
        return tool_scene_fail(r, -EBADMSG, "a part of it has one member");
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(kinds); n++)
        if (json_object_object_get_ex(part, kinds[n].name, &value))
            return put_numbers(r, value, kinds[n].bytes, kinds[n].floats, to, size);
    if (json_object_object_get_ex(part, "file", &value))
        return put_file(r, value, to, size);
    if (json_object_object_get_ex(part, "texture", &value))
        return put_reference(r, "texture", &r->textures, value, true, to, size);
    return json_object_object_get_ex(part, "address", &value) &&
           put_reference(r, "buffer", &r->buffers, value, false, to, size);
}

static bool read_buffer(struct tool_scene_reader *r, struct json_object *value, struct tool_scene_thing *out)
{
    if (!json_object_is_type(value, json_type_array))
        return tool_scene_fail(r, -EBADMSG, "an array of parts is expected");
    const size_t count = json_object_array_length(value);
    uint8_t *to = NULL;
    for (unsigned pass = 0; pass < 2; pass++) {
        uint64_t at = 0;
        for (size_t n = 0; n < count; n++) {
            uint64_t size = out->size - at; /* what a file may fill */
            if (!put_part(r, json_object_array_get_idx(value, n), to ? to + at : NULL, &size))
                return false;
            at += size;
        }
        if (pass)
            break;
        out->size = at;
        to = tool_scene_take(r, at, &out->address);
        if (!to)
            return false;
    }
    return true;
}

bool tool_scene_buffers(struct tool_scene_reader *r, struct json_object *buffers)
{
    return each(r, buffers, "buffer", &r->buffers, read_buffer);
}
