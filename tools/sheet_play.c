/* One play: pictures as they are shown, and the textures of each draw, for which fragments of its first primitives are
 * interpreted until one has asked for texels. */
#include "tools/sheet.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "gpu/texels.h"
#include "tools/lookups.h"
#include "util/list.h"

struct player {
    struct sheet *sheet;
    struct lookups lookups;
    pthread_mutex_t lock; /* of the sheet's textures */
    uint64_t texels;      /* drawn for textures so far */
    bool out_of_memory;
};

static bool is_shown(const struct sheet *s, uint32_t picture)
{
    return picture >= s->first && (!s->last || picture <= s->last);
}

/* False without memory; without room, the PNG has size 0 and *left_out is counted. */
static bool keep_png(struct sheet *s, const struct util_image *image, struct report_png *png,
                     uint32_t *left_out)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = s->bytes < SHEET_ROOM ? open_memstream(&bytes, &size) : NULL;
    if (!out) {
        ++*left_out;
        return s->bytes >= SHEET_ROOM;
    }
    int err = util_image_put_png(image, out, 0);
    if (fclose(out) || err) {
        free(bytes);
        return false;
    }
    if (size > SHEET_ROOM - s->bytes) {
        free(bytes);
        ++*left_out;
        return true;
    }
    s->bytes += size;
    *png = (struct report_png){(uint8_t *)bytes, size};
    return true;
}

/* ---- textures, under the lock ---- */

/* NULL: it was not read in this batch. */
static struct sheet_texture *known_texture(struct player *p, const struct gpu_lookup *lookup, uint32_t batch)
{
    for (uint32_t i = 0; i < p->sheet->textures.count; i++) {
        struct sheet_texture *t = &p->sheet->textures.at[i];
        if (t->batch == batch && t->address && t->address == lookup->address && t->width == lookup->width &&
            t->height == lookup->height && t->format == lookup->format && t->cube == lookup->cube)
            return t;
    }
    return NULL;
}

static struct sheet_texture *find_texture(struct player *p, const struct gpu_lookup *lookup,
                                          const struct util_image *image)
{
    struct sheet *s = p->sheet;
    const uint64_t hash =
        XXH3_64bits_withSeed(image->pixels, 4 * (size_t)image->width * image->height, lookup->format);
    for (uint32_t i = 0; i < s->textures.count; i++) {
        struct sheet_texture *t = &s->textures.at[i];
        if (t->hash == hash && t->address == lookup->address && t->width == lookup->width &&
            t->height == lookup->height)
            return t;
    }
    struct sheet_texture texture = {.hash = hash,
                                    .address = lookup->address,
                                    .width = lookup->width,
                                    .height = lookup->height,
                                    .depth = lookup->depth,
                                    .levels = lookup->levels,
                                    .format = lookup->format,
                                    .cube = lookup->cube};
    if (s->textures.count == SHEET_TEXTURES) {
        s->textures_left_out++;
        return NULL;
    }
    if (!keep_png(s, image, &texture.png, &s->textures_left_out) || !UTIL_LIST_ADD(s->textures, texture)) {
        free(texture.png.bytes);
        p->out_of_memory = true;
        return NULL;
    }
    return &s->textures.at[s->textures.count - 1];
}

static void add_use(struct player *p, struct sheet_texture *texture, const struct lookup_place *place,
                    const char *unit)
{
    for (uint32_t i = 0; i < texture->uses.count; i++) {
        const struct sheet_use *u = &texture->uses.at[i];
        if (u->picture == place->picture && u->draw == place->draw && !strcmp(u->unit, unit))
            return;
    }
    struct sheet_use use = {.picture = place->picture, .draw = place->draw};
    snprintf(use.unit, sizeof use.unit, "%s", unit);
    if (texture->uses.count < SHEET_TEXTURE_USES && !UTIL_LIST_ADD(texture->uses, use))
        p->out_of_memory = true;
}

/* ---- workers ---- */

/* Whether the texture must still be drawn; a use of one that need not be is noted. */
static bool is_new(struct player *p, const struct lookup_place *place, const struct gpu_lookup *lookup)
{
    pthread_mutex_lock(&p->lock);
    struct sheet_texture *texture = known_texture(p, lookup, place->batch);
    const bool drawn = !texture && p->texels < SHEET_TEXELS_ALL;
    if (texture)
        add_use(p, texture, place, lookup->unit);
    else if (!drawn)
        p->sheet->textures_left_out++;
    pthread_mutex_unlock(&p->lock);
    return drawn;
}

static void on_looks(void *data, const struct lookup_place *place, const struct gpu_lookup *lookup,
                     const struct gpu_texels *texels)
{
    struct player *p = data;
    struct util_image image;
    if (!is_new(p, place, lookup))
        return;
    const int err = gpu_texels_picture(texels, SHEET_TEXELS, &image);
    pthread_mutex_lock(&p->lock);
    struct sheet_texture *texture = err ? NULL : find_texture(p, lookup, &image);
    p->texels += (uint64_t)image.width * image.height;
    p->out_of_memory |= err == -ENOMEM;
    p->sheet->textures_left_out += err && err != -ENOMEM;
    if (texture) {
        texture->batch = place->batch;
        add_use(p, texture, place, lookup->unit);
    }
    pthread_mutex_unlock(&p->lock);
    util_image_finish(&image);
}

/* ---- the device's thread ---- */

static int add_picture(struct player *p, struct replay *replay, uint32_t number,
                       const struct capture_frame *frame)
{
    struct sheet_picture picture = {.number = number, .width = frame->width, .height = frame->height};
    struct util_image image;
    int err = replay_picture(replay, frame, &image);
    if (err == -ENOMEM)
        return err;
    bool kept = err || keep_png(p->sheet, &image, &picture.png, &p->sheet->pictures_left_out);
    if (!err)
        util_image_finish(&image);
    if (kept && UTIL_LIST_ADD(p->sheet->pictures, picture))
        return 0;
    free(picture.png.bytes);
    return -ENOMEM;
}

static int play(struct player *p, struct replay *replay, bool presented, struct util_error *error)
{
    struct sheet *s = p->sheet;
    struct capture_frame frame;
    struct gpu_fault faults[16];
    uint64_t skipped;
    int got = 1;
    if (replay_seek(replay, presented, s->first, &skipped))
        return -ENOMEM;
    for (uint32_t n = (uint32_t)skipped + 1; got > 0 && (!s->last || n <= s->last); n++) {
        lookups_picture(&p->lookups, n, is_shown(s, n));
        got = replay_next_frame(replay, presented, &frame, error);
        while (replay_faults(replay, faults, 16)) {
        } /* the profile's plays tell them */
        if (got > 0 && is_shown(s, n))
            got = add_picture(p, replay, n, &frame) ? -ENOMEM : got;
        got = p->out_of_memory || p->lookups.out_of_memory ? -ENOMEM : got;
    }
    return got < 0 ? got : 0;
}

int sheet_play(const char *capture, const struct gpu_options *options, bool all, struct sheet *sheet,
               struct util_error *error)
{
    struct player p = {.sheet = sheet, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct gpu_options watched = *options;
    struct capture_reader *reader;
    struct replay *replay;
    watched.observer = &p.lookups.observer;
    sheet->first = sheet->first ? sheet->first : 1;
    int err = capture_reader_open(capture, &reader, error);
    if (err)
        return err;
    lookups_begin(&p.lookups, on_looks, &p);
    const bool presented = !all && replay_shows_pictures(reader);
    err = replay_create(reader, &watched, &replay, error);
    if (err) {
        capture_reader_close(reader);
        lookups_finish(&p.lookups);
        return err;
    }
    err = play(&p, replay, presented, error);
    replay_info(replay, &sheet->info);
    replay_destroy(replay);
    lookups_finish(&p.lookups);
    return err == -ENOMEM ? util_fail(error, err, "out of memory") : err;
}

void sheet_finish(struct sheet *s)
{
    for (uint32_t i = 0; i < s->pictures.count; i++)
        free(s->pictures.at[i].png.bytes);
    for (uint32_t i = 0; i < s->textures.count; i++) {
        free(s->textures.at[i].png.bytes);
        free(s->textures.at[i].uses.at);
    }
    free(s->pictures.at);
    free(s->textures.at);
    *s = (struct sheet){0};
}
