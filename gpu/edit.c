#include "gpu/edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/checked.h"

struct editing {
    const struct gpu_edit_play *play;
    struct replay *replay;
    uint64_t picture; /* in the making, from 1 */
    int code;         /* the first error */
};

void gpu_edit_finish(struct gpu_edit *edit)
{
    free(edit->taken);
    edit->taken = NULL;
}

/* ---- places ---- */

/* A part of an edit within a page of the guest. */
struct piece {
    uint64_t guest;
    uint32_t from, size; /* of the edit's bytes */
};

/* The part that begins at byte `from`; false: there is no such page. */
static bool piece_at(const struct gpu_memory *memory, const struct gpu_space *space,
                     const struct gpu_edit *edit, uint32_t from, struct piece *out)
{
    uint64_t address;
    if (!util_add(edit->address, from, &address))
        return false;
    *out = (struct piece){.guest = address, .from = from};
    out->size = UTIL_MIN(edit->size - from, (uint32_t)(GPU_PAGE - address % GPU_PAGE));
    return (!space || gpu_space_physical(space, address, &out->guest)) &&
           gpu_memory_at(memory, out->guest, out->size);
}

/* Whether all of it is memory; then *bytes (NULL: nobody asks) gets what stands there. */
static bool read_place(const struct gpu_memory *memory, const struct gpu_space *space,
                       const struct gpu_edit *edit, uint8_t *bytes)
{
    struct piece piece;
    for (uint32_t from = 0; from < edit->size; from += piece.size) {
        if (!piece_at(memory, space, edit, from, &piece))
            return false;
        if (bytes)
            memcpy(bytes + from, gpu_memory_at(memory, piece.guest, piece.size), piece.size);
    }
    return true;
}

/* ---- replacing ---- */

static bool take_before(struct editing *e, const struct gpu_memory *memory, const struct gpu_space *space,
                        struct gpu_edit *edit)
{
    if (edit->before || !read_place(memory, space, edit, NULL))
        return edit->before;
    edit->taken = malloc(edit->size);
    if (!edit->taken) {
        e->code = -ENOMEM;
        return false;
    }
    edit->before = edit->taken;
    return read_place(memory, space, edit, edit->taken);
}

/* Of what was written by pages, some may be the driver's again: each part is one or the other. */
enum finding { OTHER, BEFORE, AFTER, OWN_ALONE };
static enum finding find(const struct gpu_memory *memory, const struct gpu_space *space,
                         const struct gpu_edit *edit)
{
    bool changed = false, own = true, all = true;
    struct piece piece;
    for (uint32_t from = 0; from < edit->size && own; from += piece.size) {
        if (!piece_at(memory, space, edit, from, &piece))
            return OTHER;
        const uint8_t *at = gpu_memory_at(memory, piece.guest, piece.size);
        const bool is_after = !memcmp(at, edit->after + from, piece.size);
        const uint32_t decide = from < edit->own ? UTIL_MIN(edit->own - from, piece.size) : 0;
        changed |= !is_after;
        own &= is_after || !memcmp(at, edit->before + from, decide);
        all &= is_after || !memcmp(at, edit->before + from, piece.size);
    }
    return !own ? OTHER : !all ? OWN_ALONE : changed ? BEFORE : AFTER;
}

/* Puts it into memory and, as pages, into the file. */
static int put(struct capture_writer *writer, const struct gpu_memory *memory, const struct gpu_space *space,
               const struct gpu_edit *edit)
{
    struct piece piece;
    int code = 0;
    for (uint32_t from = 0; !code && from < edit->size; from += piece.size) {
        if (!piece_at(memory, space, edit, from, &piece))
            return 0;
        const uint64_t start = piece.guest / GPU_PAGE * GPU_PAGE;
        const struct capture_page page = {start, gpu_memory_at(memory, start, GPU_PAGE)};
        memcpy(gpu_memory_at(memory, piece.guest, piece.size), edit->after + from, piece.size);
        code = writer ? capture_write_pages(writer, &page, 1) : 0;
    }
    return code;
}

static void edit_space(struct editing *e, const struct gpu_memory *memory, const struct gpu_space *space)
{
    for (uint32_t n = 0; n < e->play->count && !e->code; n++) {
        struct gpu_edit *edit = &e->play->edits[n];
        if (!take_before(e, memory, space, edit))
            continue;
        const enum finding found = find(memory, space, edit);
        edit->in_use += found == OWN_ALONE;
        edit->times += found == BEFORE;
        if (found == BEFORE)
            e->code = put(e->play->writer, memory, space, edit);
    }
}

/* Before work begins. What the device has put off is done with what stood there. */
static void edit_work(struct editing *e, const struct capture_event *event, const struct gpu_memory *memory)
{
    const struct gpu_device *device = replay_device(e->replay);
    const struct gpu_space *space[GPU_EDIT_SPACES];
    const unsigned count = e->play->editor->spaces(device->self, event->reg.offset, event->reg.value, space);
    if (!count || e->picture < e->play->first)
        return;
    gpu_device_flush(device);
    for (unsigned n = 0; n < count; n++)
        edit_space(e, memory, space[n]);
}

static void on_event(void *data, const struct capture_event *event, const struct gpu_memory *memory)
{
    struct editing *e = data;
    if (!e->code && event->type == CAPTURE_EVENT_REGISTER)
        edit_work(e, event, memory);
    if (!e->code && e->play->writer)
        e->code = capture_write_event(e->play->writer, event, memory);
}

int gpu_edit(struct replay *replay, const struct gpu_edit_play *play, struct util_error *error)
{
    struct editing e = {.play = play, .replay = replay, .picture = 1};
    struct capture_frame frame;
    int got = replay_rewind(replay) ? -ENOMEM : 1;
    replay_set_listener(replay, on_event, &e);
    while (got > 0 && !e.code) {
        got = replay_next_frame(replay, play->shown, &frame, error);
        if (got > 0 && !e.code)
            e.code = play->picture(play->data, replay, e.picture++, &frame);
    }
    replay_set_listener(replay, NULL, NULL);
    return e.code ? e.code : got < 0 ? got : 0;
}
