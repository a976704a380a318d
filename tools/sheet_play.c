/* One play: pictures as they are shown, and the textures of each draw, for which fragments of its first primitives are
 * interpreted until one has asked for texels. */
#include "tools/sheet.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "gpu/observe.h"
#include "gpu/texels.h"
#include "raster/samples.h"
#include "tools/codes.h"
#include "util/list.h"

#define TRIES 16u /* blocks of a draw that are interpreted in vain */

struct draw {
    uint32_t picture, number; /* from 1 */
    uint32_t tries;
    bool looked;
};

struct player {
    struct sheet *sheet;
    struct codes codes;
    pthread_mutex_t lock; /* of the sheet's textures, and of what draws tried */
    struct {
        struct draw *at; /* does not grow while workers draw */
        uint32_t count, room;
    } draws;
    uint32_t picture, number; /* being played; draws of it */
    uint64_t texels;          /* drawn for textures so far */
    bool out_of_memory;
};

/* What a worker has in hand. */
struct hand {
    struct player *player;
    uint32_t draw, batch;
    struct gpu_watch watch;
    struct gpu_lane lane;
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

static void add_use(struct player *p, struct sheet_texture *texture, const struct draw *draw,
                    const char *unit)
{
    for (uint32_t i = 0; i < texture->uses.count; i++) {
        const struct sheet_use *u = &texture->uses.at[i];
        if (u->picture == draw->picture && u->draw == draw->number && !strcmp(u->unit, unit))
            return;
    }
    struct sheet_use use = {.picture = draw->picture, .draw = draw->number};
    snprintf(use.unit, sizeof use.unit, "%s", unit);
    if (texture->uses.count < SHEET_TEXTURE_USES && !UTIL_LIST_ADD(texture->uses, use))
        p->out_of_memory = true;
}

/* ---- workers ---- */

/* Whether the texture must still be drawn; a use of one that need not be is noted. */
static bool is_new(struct hand *h, const struct gpu_lookup *lookup)
{
    struct player *p = h->player;
    pthread_mutex_lock(&p->lock);
    struct draw *draw = &p->draws.at[h->draw];
    struct sheet_texture *texture = known_texture(p, lookup, h->batch);
    const bool drawn = !texture && p->texels < SHEET_TEXELS_ALL;
    draw->looked = true;
    if (texture)
        add_use(p, texture, draw, lookup->unit);
    else if (!drawn)
        p->sheet->textures_left_out++;
    pthread_mutex_unlock(&p->lock);
    return drawn;
}

static void on_looks(void *data, const struct gpu_lookup *lookup, const struct gpu_texels *texels)
{
    struct hand *h = data;
    struct player *p = h->player;
    struct util_image image;
    if (lookup->raw || !is_new(h, lookup))
        return;
    const int err = gpu_texels_picture(texels, SHEET_TEXELS, &image);
    pthread_mutex_lock(&p->lock);
    struct sheet_texture *texture = err ? NULL : find_texture(p, lookup, &image);
    p->texels += (uint64_t)image.width * image.height;
    p->out_of_memory |= err == -ENOMEM;
    p->sheet->textures_left_out += err && err != -ENOMEM;
    if (texture) {
        texture->batch = h->batch;
        add_use(p, texture, &p->draws.at[h->draw], lookup->unit);
    }
    pthread_mutex_unlock(&p->lock);
    util_image_finish(&image);
}

/* Follows the first lane that is covered. */
static bool on_begin(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes)
{
    struct hand *h = data;
    pthread_mutex_lock(&h->player->lock);
    struct draw *draw = &h->player->draws.at[h->draw];
    const bool looks = block->counts && block->block->mask && !draw->looked && draw->tries < TRIES;
    draw->tries += looks;
    pthread_mutex_unlock(&h->player->lock);
    if (!looks)
        return false;
    h->lane =
        (struct gpu_lane){.number = (uint8_t)__builtin_ctz(block->block->mask), .looks = on_looks, .data = h};
    *lanes = (struct gpu_lanes){&h->lane, 1};
    return true;
}

static void on_end(void *data, uint64_t executed)
{
    struct hand *h = data;
    if (h->lane.out_of_memory) {
        pthread_mutex_lock(&h->player->lock);
        h->player->out_of_memory = true;
        pthread_mutex_unlock(&h->player->lock);
    }
    gpu_lane_finish(&h->lane);
}

static void *on_job(void *data, unsigned worker, uint32_t batch, uint32_t job)
{
    struct player *p = data;
    struct hand *h = is_shown(p->sheet, p->picture) ? calloc(1, sizeof *h) : NULL;
    if (!h)
        return NULL; /* textures are missing, nothing else */
    h->player = p;
    h->draw = UINT32_MAX;
    h->batch = batch;
    h->watch = (struct gpu_watch){.data = h, .begin = on_begin, .end = on_end};
    return h;
}

static void on_job_end(void *job, const struct gpu_observed_work *work)
{
    free(job);
}

static void on_primitive(void *data, uint32_t code, uint64_t number, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    const struct code *known = code ? codes_get(&h->player->codes, code) : NULL;
    h->draw = known ? known->draw : UINT32_MAX;
}

static const struct gpu_watch *on_covered(void *data, const struct gpu_observed_primitive *primitive,
                                          const struct raster_tile *tile)
{
    struct hand *h = data;
    struct player *p = h->player;
    if (h->draw >= p->draws.count || !primitive->prim || !primitive->block_count)
        return NULL;
    pthread_mutex_lock(&p->lock);
    const struct draw *draw = &p->draws.at[h->draw];
    const bool looks = !draw->looked && draw->tries < TRIES;
    pthread_mutex_unlock(&p->lock);
    return looks ? &h->watch : NULL;
}

/* ---- the device's thread ---- */

static void on_bin(void *data, const struct gpu_observed_bin *bin, const struct gpu_observed_binning *counts)
{
    struct player *p = data;
    const struct draw draw = {.picture = p->picture, .number = ++p->number};
    p->out_of_memory |= !UTIL_LIST_ADD(p->draws, draw);
}

static void on_binned(void *data, uint32_t code, uint64_t primitive)
{
    struct player *p = data;
    if (p->draws.count && !codes_put(&p->codes, code, p->draws.count - 1, primitive))
        p->out_of_memory = true;
}

static int add_picture(struct player *p, struct replay *replay, const struct capture_frame *frame)
{
    struct sheet_picture picture = {.number = p->picture, .width = frame->width, .height = frame->height};
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
        p->picture = n;
        p->number = 0;
        got = replay_next_frame(replay, presented, &frame, error);
        while (replay_faults(replay, faults, 16)) {
        } /* the profile's plays tell them */
        if (got > 0 && is_shown(s, n))
            got = add_picture(p, replay, &frame) ? -ENOMEM : got;
        got = p->out_of_memory ? -ENOMEM : got;
    }
    return got < 0 ? got : 0;
}

int sheet_play(const char *capture, const struct gpu_options *options, bool all, struct sheet *sheet,
               struct util_error *error)
{
    struct player p = {.sheet = sheet, .lock = PTHREAD_MUTEX_INITIALIZER};
    const struct gpu_observer observer = {.data = &p,
                                          .bin = on_bin,
                                          .binned = on_binned,
                                          .job = on_job,
                                          .job_end = on_job_end,
                                          .primitive = on_primitive,
                                          .covered = on_covered,
                                          .fragments = true};
    struct gpu_options watched = *options;
    struct capture_reader *reader;
    struct replay *replay;
    watched.observer = &observer;
    sheet->first = sheet->first ? sheet->first : 1;
    int err = capture_reader_open(capture, &reader, error);
    if (err)
        return err;
    const bool presented = !all && replay_shows_pictures(reader);
    err = replay_create(reader, &watched, &replay, error);
    if (err) {
        capture_reader_close(reader);
        return err;
    }
    err = play(&p, replay, presented, error);
    replay_info(replay, &sheet->info);
    replay_destroy(replay);
    codes_finish(&p.codes);
    free(p.draws.at);
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
