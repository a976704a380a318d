/* Textures of a capture, found where fragments read them; other pictures in their place. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tools/edit.h"
#include "tools/lookups.h"

struct texture {
    int status; /* of gpu_texels_replace; 1: it was not read so far */
    struct gpu_lookup lookup;
    struct gpu_texels_level level[GPU_TEXELS_LEVELS];
    uint32_t count;
    uint64_t slices; /* that stand side by side in its picture */
};

struct search {
    const struct edit_items *textures;
    const struct util_image *pictures;
    struct texture *found; /* one for each */
    pthread_mutex_t lock;  /* of these */
};

static void on_looks(void *data, const struct lookup_place *place, const struct gpu_lookup *lookup,
                     const struct gpu_texels *texels)
{
    struct search *s = data;
    pthread_mutex_lock(&s->lock);
    for (unsigned n = 0; n < s->textures->count; n++) {
        struct texture *t = &s->found[n];
        if (t->status != 1 || !lookup->address || s->textures->at[n].address != lookup->address)
            continue;
        t->lookup = *lookup;
        t->slices = gpu_texels_slices(texels);
        t->status = gpu_texels_replace(texels, &s->pictures[n], t->level, &t->count);
    }
    pthread_mutex_unlock(&s->lock);
}

static bool is_done(struct search *s)
{
    bool done = true;
    for (unsigned n = 0; n < s->textures->count; n++)
        done &= s->found[n].status != 1;
    return done;
}

static int play(const struct edit_list *list, struct search *s)
{
    struct lookups lookups;
    struct gpu_options watched = list->device;
    struct util_error error = {0};
    struct capture_reader *reader;
    struct replay *replay;
    struct capture_frame frame;
    struct gpu_fault faults[16];
    uint64_t before;
    int got = capture_reader_open(list->capture, &reader, &error);
    if (got)
        return tool_error("edit", TOOL_BAD_FILE, "%s: %s", list->capture,
                          error.code ? error.text : strerror(-got));
    lookups_begin(&lookups, on_looks, s);
    watched.observer = &lookups.observer;
    got = replay_create(reader, &watched, &replay, &error);
    if (got) {
        capture_reader_close(reader);
        lookups_finish(&lookups);
        return tool_error("edit", TOOL_HOST, "%s: %s", list->capture, error.text);
    }
    got = replay_seek(replay, list->shown, list->first, &before) ? -ENOMEM : 1;
    for (uint32_t n = (uint32_t)before + 1; got > 0 && !is_done(s) && !lookups.out_of_memory; n++) {
        lookups_picture(&lookups, n, n >= list->first);
        got = replay_next_frame(replay, list->shown, &frame, &error);
        while (replay_faults(replay, faults, 16)) {
        } /* the edited capture's play tells them */
    }
    replay_destroy(replay);
    if (got < 0 || lookups.out_of_memory)
        got = tool_error("edit", got == -EBADMSG ? TOOL_BAD_FILE : TOOL_HOST, "%s: %s", list->capture,
                         error.code ? error.text : "out of memory");
    else
        got = TOOL_OK;
    lookups_finish(&lookups);
    return got;
}

static int refuse(const struct edit_list *list, const struct edit_item *item, const struct texture *t,
                  const struct util_image *picture)
{
    switch (t->status) {
    case 1:
        return tool_error("edit", TOOL_BAD_FILE,
                          "no fragment from picture %llu on was seen to read a texture at 0x%08" PRIx64
                          " (`vitrail report` shows those that are)",
                          (unsigned long long)list->first, item->address);
    case -ERANGE:
        return tool_error("edit", TOOL_BAD_FILE, "%s is %ux%u, the texture at 0x%08" PRIx64 " %" PRIu64 "x%u",
                          item->path, picture->width, picture->height, item->address,
                          t->slices * t->lookup.width, t->lookup.height);
    case -ENOTSUP:
        return tool_error(
            "edit", TOOL_BAD_FILE,
            "the texture at 0x%08" PRIx64
            " (%s) is neither plain nor ETC1: other compressed ones, multisampled ones and those of more "
            "than %u slices or layers cannot be replaced",
            item->address, raster_texels[t->lookup.format].name, GPU_TEXELS_SLICES);
    default: return tool_error("edit", TOOL_HOST, "out of memory");
    }
}

int edit_textures(struct edit_list *list, const struct edit_items *textures,
                  const struct util_image *pictures)
{
    struct search s = {.textures = textures,
                       .pictures = pictures,
                       .found = calloc(textures->count, sizeof *s.found),
                       .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!s.found)
        return tool_error("edit", TOOL_HOST, "out of memory");
    for (unsigned n = 0; n < textures->count; n++)
        s.found[n].status = 1;
    int code = play(list, &s);
    for (unsigned n = 0; n < textures->count; n++) {
        struct texture *t = &s.found[n];
        if (!code && t->status)
            code = refuse(list, &textures->at[n], t, &pictures[n]);
        for (uint32_t level = 0; !code && level < t->count; level++) {
            struct gpu_texels_level *of = &t->level[level];
            code = edit_add(list, of->address, of->before, of->size, of->after, of->size);
            of->before = of->after = NULL;
        }
        for (uint32_t level = 0; level < t->count; level++)
            gpu_texels_level_finish(&t->level[level]);
    }
    free(s.found);
    return code;
}
