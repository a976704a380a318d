/* A scene for the Libre-SOC GPU: a JSON file that names buffers, textures, programs and draws (docs: `vitrail libresoc draw
 * --help`, tests/libresoc/draw), laid out in guest memory with the records of gpu/libresoc/records.h. Files that it names stand
 * beside it. */
#ifndef VITRAIL_TOOLS_LIBRESOC_SCENE_H
#define VITRAIL_TOOLS_LIBRESOC_SCENE_H

#include "gpu/memory.h"
#include "util/error.h"

#define TOOL_SCENE_MEMORY (256u << 20) /* of a guest that draws scenes */

struct tool_scene {
    uint64_t record; /* address of the frame's */
    uint64_t used;   /* bytes of memory from 0 on that the scene has filled */
};

/* Lays the scene out in `memory`, which is all zero. 0, or a negative errno with *error, which names file and place: -EBADMSG (not
 * such a scene), -ENOMEM, or -errno of a file. */
int tool_scene_load(const char *path, struct gpu_memory *memory, struct tool_scene *out,
                    struct util_error *error);
/* The same of a text, behind whose `size` bytes a zero stands; `path` is its name, beside which files stand. */
int tool_scene_parse(const char *path, const char *text, size_t size, struct gpu_memory *memory,
                     struct tool_scene *out, struct util_error *error);

#endif
