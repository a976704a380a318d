/* `vitrail edit`: what of a capture is to be replaced (edit.c has the command), and where that is (edit_program.c,
 * edit_texture.c). Messages are the command's. */
#ifndef VITRAIL_TOOLS_EDIT_H
#define VITRAIL_TOOLS_EDIT_H

#include "gpu/edit.h"
#include "gpu/texels.h"
#include "tools/tool.h"
#include "util/image.h"

#define EDIT_ITEMS 64u
#define EDIT_WORDS 1024u /* of uniforms, in one place */

/* What the command line says; strings are its words'. */
struct edit_item {
    uint64_t address;
    const char *path; /* NULL: uniforms */
    uint32_t *words;  /* uniforms: owned */
    uint32_t count;
};
struct edit_items {
    struct edit_item at[EDIT_ITEMS];
    unsigned count;
};

/* Edits under way; each edit's bytes are owned. */
struct edit_list {
    struct {
        struct gpu_edit *at;
        uint32_t count, room;
    } edits;
    const char *capture;
    struct gpu_options device;
    bool shown;     /* as of struct gpu_edit_play */
    uint64_t first; /* likewise */
};
/* Takes over bytes that are malloc'ed (NULL: memory was out). TOOL_OK or TOOL_HOST. */
int edit_add(struct edit_list *list, uint64_t address, uint8_t *before, uint32_t own, uint8_t *after,
             uint32_t size);

/* Programs that jobs name from picture `first` on are found, files assembled. TOOL_OK or an exit status after a message. */
int edit_programs(struct edit_list *list, const struct edit_items *programs);
/* Prints that program as a text that edit_programs takes. TOOL_OK or an exit status after a message. */
int edit_print(const struct edit_list *list, uint64_t address);
/* Textures that fragments read from there on are found. `pictures`: one for each. */
int edit_textures(struct edit_list *list, const struct edit_items *textures,
                  const struct util_image *pictures);

/* The edited capture's play. */
struct edit_session {
    struct edit_list list;
    const struct gpu_editor *editor;
    const char *output, *compare; /* NULL: not asked for */
    uint64_t number;              /* of the picture that is compared */
    struct util_image edited;
    struct tool_progress progress;
    bool faulted;
};
/* Plays, writes, and prints what was replaced; then the pictures side by side. TOOL_OK or an exit status after a message, when
 * `output` is not whole. */
int edit_play(struct edit_session *session);
int edit_compare(const struct edit_session *session);

#endif
