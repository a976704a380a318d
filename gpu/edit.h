/* Captures changed: bytes of a driver's - a program's, uniforms', a texture's - are replaced wherever a job that begins
 * finds them, and all that the capture has is played and written so. Bytes are found by the address that the GPU has for
 * them and by what they are, so that another thing which a driver puts there later stays as it is. */
#ifndef VITRAIL_GPU_EDIT_H
#define VITRAIL_GPU_EDIT_H

#include "gpu/replay.h"
#include "gpu/space.h"

#define GPU_EDIT_SPACES 16u

/* What a family has. */
struct gpu_editor {
    const char *family; /* of struct gpu_info */
    /* The address spaces of the work that a write starts, each good until the next register write; how many there are,
     * 0: it starts none. NULL: addresses are the guest's. `device` is struct gpu_device's `self`. */
    unsigned (*spaces)(void *device, uint32_t offset, uint32_t value,
                       const struct gpu_space *space[GPU_EDIT_SPACES]);
};
extern const struct gpu_editor vc4_editor, utgard_editor, mali_editor, libresoc_editor;

/* One replacement. Zero but for the first five. */
struct gpu_edit {
    uint64_t address; /* the GPU's */
    uint32_t size;    /* bytes of each, 1 or more */
    uint32_t own;     /* of `before`, the first ones, which say that it is this one */
    const uint8_t
        *before; /* what is replaced; NULL: what a job finds there first, which must be memory then */
    const uint8_t *after;
    uint8_t *taken;  /* what gpu_edit_finish frees: `before`, where it was NULL or is owned */
    uint64_t times;  /* that it was put there */
    uint64_t in_use; /* jobs that found `own` bytes of `before` there, and behind them something else */
};
void gpu_edit_finish(struct gpu_edit *edit);

struct gpu_edit_play {
    const struct gpu_editor *editor;
    struct capture_writer *writer; /* NULL: nothing is written */
    struct gpu_edit *edits;
    uint32_t count;
    bool shown;     /* pictures are those that are shown */
    uint64_t first; /* the picture, from 1, from whose jobs on it is replaced */
    /* A picture is complete: its number from 1. 0, or what ends the play. */
    int (*picture)(void *data, struct replay *replay, uint64_t number, const struct capture_frame *frame);
    void *data;
};
/* Plays the capture from its beginning to its end, as it is changed, and writes that. 0; -EBADMSG: damaged, with a message;
 * -EIO, -ENOSPC, -ENOMEM, -EINVAL of the writer; or what `picture` gave. Guest faults do not end it. */
int gpu_edit(struct replay *replay, const struct gpu_edit_play *play, struct util_error *error);

#endif
