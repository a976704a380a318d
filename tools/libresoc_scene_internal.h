/* A scene being read. Internal to tools/libresoc_scene*.c. */
#ifndef VITRAIL_TOOLS_LIBRESOC_SCENE_INTERNAL_H
#define VITRAIL_TOOLS_LIBRESOC_SCENE_INTERNAL_H

#include <json-c/json.h>

#include "gpu/libresoc/records.h"
#include "tools/libresoc_scene.h"

/* What a name stands for: a buffer, a texture's descriptor, a program. */
struct tool_scene_thing {
    const char *name; /* json-c's */
    uint64_t address, size;
    struct libresoc_program_record program;
};

struct tool_scene_things {
    struct tool_scene_thing *at;
    uint32_t count, room;
};

struct tool_scene_reader {
    const char *path; /* of the scene */
    struct gpu_memory *memory;
    uint64_t next; /* free memory */
    struct tool_scene_things buffers, textures, programs;
    char where[96]; /* what is being read, for messages */
    struct util_error *error;
    int code; /* of the first error */
};

/* All that may fail gives false once the first error is noted; `what` follows where it is. */
bool tool_scene_fail(struct tool_scene_reader *reader, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Members of an object. `names`: all that it may have, NULL at the end; others are errors. */
bool tool_scene_object(struct tool_scene_reader *reader, struct json_object *object,
                       const char *const *names);
/* Values: those that are absent are `absent`, or an error where it is NULL. */
bool tool_scene_string(struct tool_scene_reader *reader, struct json_object *object, const char *name,
                       const char *absent, const char **out);
bool tool_scene_number(struct tool_scene_reader *reader, struct json_object *object, const char *name,
                       const double *absent, double *out);
bool tool_scene_uint(struct tool_scene_reader *reader, struct json_object *object, const char *name,
                     const uint32_t *absent, uint32_t *out);
bool tool_scene_flag(struct tool_scene_reader *reader, struct json_object *object, const char *name,
                     bool *out); /* absent: false */
/* `count` numbers of an array; absent: *out stays. */
bool tool_scene_numbers(struct tool_scene_reader *reader, struct json_object *object, const char *name,
                        uint32_t count, double *out);
/* Which word of a list, NULL at its end, a string is; absent: the first. */
bool tool_scene_word(struct tool_scene_reader *reader, struct json_object *object, const char *name,
                     const char *const *words, uint32_t *out);

/* Room in memory, aligned to 64 bytes. NULL: there is none. */
uint8_t *tool_scene_take(struct tool_scene_reader *reader, uint64_t size, uint64_t *address);
/* tool_scene_fail of a file that cannot be read: `err` is why. */
bool tool_scene_no_file(struct tool_scene_reader *reader, int err, const char *name);
/* A file that stands beside the scene; the bytes are the caller's. */
bool tool_scene_file(struct tool_scene_reader *reader, const char *name, uint8_t **bytes, size_t *size);
/* The path of one; free it. NULL without memory, or where the name is no plain one. */
char *tool_scene_beside(struct tool_scene_reader *reader, const char *name);
const struct tool_scene_thing *tool_scene_find(struct tool_scene_reader *reader,
                                               const struct tool_scene_things *things, const char *kind,
                                               const char *name);

/* libresoc_scene_things.c: the members "textures", "programs" and "buffers" of a scene. */
bool tool_scene_textures(struct tool_scene_reader *reader, struct json_object *textures);
bool tool_scene_programs(struct tool_scene_reader *reader, struct json_object *programs);
bool tool_scene_buffers(struct tool_scene_reader *reader, struct json_object *buffers);
/* libresoc_scene_draws.c: the draws' records. */
bool tool_scene_draws(struct tool_scene_reader *reader, struct json_object *draws, const double size[2],
                      struct libresoc_frame_record *frame);

#endif
