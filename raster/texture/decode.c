#include "raster/texture/decode.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "raster/texture/block.h"
#include "raster/texture/sampler_internal.h"
#include "util/bits.h"
#include "util/checked.h"
#include "util/list.h"

#define MOST_BYTES (UINT64_C(1) << 30) /* of a source or a decoded image */

struct entry {
    XXH128_hash_t content, place; /* what it was made of; where that stood when it was last asked for */
    uint64_t epoch, turn;         /* when that was, and the number of the request */
    uint64_t size;
    uint8_t *texels;
};

struct raster_decoder {
    pthread_mutex_t lock;
    struct {
        struct entry *at;
        uint32_t count, room;
    } entries;
    uint64_t most, bytes, turn, decoded;
};

int raster_decoder_create(uint64_t most, struct raster_decoder **out)
{
    struct raster_decoder *d = calloc(1, sizeof *d);

    if (!d)
        return -ENOMEM;
    pthread_mutex_init(&d->lock, NULL);
    d->most = most;
    *out = d;
    return 0;
}

void raster_decoder_destroy(struct raster_decoder *d)
{
    if (!d)
        return;
    for (uint32_t n = 0; n < d->entries.count; n++)
        free(d->entries.at[n].texels);
    free(d->entries.at);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---- shapes ---- */

static uint32_t slices_of(const struct raster_sampler_key *key, const struct raster_image *image, uint32_t n)
{
    return image->layers * image->level[n].depth * (key->dim == RASTER_DIM_CUBE ? 6 : 1);
}

/* Gives the levels of `image`, whose sides are known, places one behind the other, rows without gaps. False: too
 * large. */
static bool pack_levels(const struct raster_sampler_key *key, struct raster_image *image)
{
    uint64_t end = 0, row, size;
    uint32_t rows;

    for (uint32_t n = 0; n < image->level_count; n++) {
        struct raster_image_level *level = &image->level[n];

        raster_sampler_rows(key, level, &rows, &row);
        size = row * rows;
        if (size >= MOST_BYTES || row > UINT32_MAX)
            return false;
        level->offset = (uint32_t)end;
        level->row_stride = (uint32_t)row;
        level->slice_stride = (uint32_t)size;
        level->sample_stride = 0;
        end += size * slices_of(key, image, n);
        if (end >= MOST_BYTES)
            return false;
    }
    image->memory_size = end;
    return true;
}

/* ---- a copy of the blocks ---- */

/* Fills `copy`, of a key without list, with blocks out of `image`. */
static void copy_blocks(const struct raster_sampler_key *key, const struct raster_image *image,
                        const struct raster_image *copy, uint8_t *bytes)
{
    for (uint32_t n = 0; n < image->level_count; n++)
        for (uint32_t slice = 0; slice < slices_of(key, image, n); slice++) {
            const struct raster_image_level *to = &copy->level[n];
            const uint8_t *from = raster_sampler_surface(key, image, n, slice, 0);
            uint8_t *at = bytes + to->offset + (uint64_t)slice * to->slice_stride;

            for (uint32_t done = 0; done < to->slice_stride; done += to->row_stride) {
                memcpy(at + done, from, to->row_stride);
                from += image->level[n].row_stride;
            }
        }
}

/* Of the copy and of all that says how it is decoded. */
static XXH128_hash_t hash_content(const struct raster_sampler_key *key, const struct raster_image *copy)
{
    uint32_t head[4 + 3 * RASTER_IMAGE_LEVELS] = {
        key->format, (uint32_t)key->layout | (uint32_t)key->dim << 8, copy->layers, copy->level_count};
    XXH128_hash_t of_head;

    for (uint32_t n = 0; n < copy->level_count; n++) {
        head[4 + 3 * n] = copy->level[n].width;
        head[5 + 3 * n] = copy->level[n].height;
        head[6 + 3 * n] = copy->level[n].depth;
    }
    of_head = XXH3_128bits(head, sizeof head);
    return XXH3_128bits_withSeed(copy->memory, copy->memory_size, of_head.low64 ^ of_head.high64);
}

/* Of where the image stands. */
static XXH128_hash_t hash_place(const struct raster_sampler_key *key, const struct raster_image *image)
{
    const uint64_t head[8] = {key->format,
                              key->layout,
                              key->dim,
                              key->listed,
                              (uintptr_t)image->memory,
                              image->layers,
                              image->level_count,
                              key->listed ? XXH3_64bits(image->surface, 4ull * image->surface_count) : 0};
    uint64_t seed = XXH3_64bits(head, sizeof head);

    return XXH3_128bits_withSeed(image->level, sizeof image->level[0] * image->level_count, seed);
}

/* ---- decoding ---- */

static void decode_slice(const struct raster_sampler_key *key, const struct raster_image_level *from,
                         const uint8_t *blocks, const struct raster_image_level *to, uint32_t pixel,
                         uint8_t *out)
{
    const struct raster_texel *texel = &raster_texels[key->format];
    uint8_t decoded[RASTER_BLOCK_TEXELS * RASTER_BLOCK_BYTES];

    for (uint32_t y = 0; y < to->height; y += texel->height)
        for (uint32_t x = 0; x < to->width; x += texel->width) {
            uint32_t columns = UTIL_MIN(texel->width, to->width - x),
                     rows = UTIL_MIN(texel->height, to->height - y);

            raster_block_decode(
                (enum raster_format)key->format,
                raster_sampler_find(key, from->row_stride, blocks, x / texel->width, y / texel->height),
                decoded);
            for (uint32_t row = 0; row < rows; row++)
                memcpy(out + (uint64_t)(y + row) * to->row_stride + (uint64_t)x * pixel,
                       decoded + (uint64_t)row * texel->width * pixel, (uint64_t)columns * pixel);
        }
}

static void decode_image(const struct raster_sampler_key *key, const struct raster_image *copy,
                         const struct raster_image *plain, uint8_t *texels)
{
    uint32_t pixel = raster_format_bytes(raster_block_plain((enum raster_format)key->format));

    for (uint32_t n = 0; n < copy->level_count; n++)
        for (uint32_t slice = 0; slice < slices_of(key, copy, n); slice++)
            decode_slice(key, &copy->level[n], raster_sampler_surface(key, copy, n, slice, 0),
                         &plain->level[n], pixel,
                         texels + plain->level[n].offset + (uint64_t)slice * plain->level[n].slice_stride);
}

/* ---- what is kept ---- */

static bool same(XXH128_hash_t a, XXH128_hash_t b)
{
    return a.low64 == b.low64 && a.high64 == b.high64;
}

static struct entry *find_place(struct raster_decoder *d, XXH128_hash_t place, uint64_t epoch)
{
    for (uint32_t n = 0; n < d->entries.count; n++)
        if (d->entries.at[n].epoch == epoch && same(d->entries.at[n].place, place))
            return &d->entries.at[n];
    return NULL;
}

static struct entry *find_content(struct raster_decoder *d, XXH128_hash_t content)
{
    for (uint32_t n = 0; n < d->entries.count; n++)
        if (same(d->entries.at[n].content, content))
            return &d->entries.at[n];
    return NULL;
}

/* Decodes the image, or finds that it is there already. NULL: no memory. */
static struct entry *make(struct raster_decoder *d, const struct raster_sampler_key *key,
                          const struct raster_image *image, const struct raster_image *plain)
{
    struct raster_sampler_key own = *key;
    struct raster_image copy = *image;
    struct entry entry = {.size = plain->memory_size}, *found = NULL;
    uint8_t *bytes = NULL;

    own.listed = 0;
    if (pack_levels(&own, &copy))
        bytes = malloc(copy.memory_size);
    if (!bytes)
        return NULL;
    copy.memory = bytes;
    copy_blocks(key, image, &copy, bytes);
    entry.content = hash_content(&own, &copy);
    found = find_content(d, entry.content);
    if (!found) {
        entry.texels = malloc(entry.size);
        if (entry.texels && UTIL_LIST_ADD(d->entries, entry)) {
            decode_image(&own, &copy, plain, entry.texels);
            found = &d->entries.at[d->entries.count - 1];
            d->bytes += entry.size;
            d->decoded++;
        } else {
            free(entry.texels);
        }
    }
    free(bytes);
    return found;
}

int raster_decoder_image(struct raster_decoder *d, const struct raster_sampler_key *key,
                         const struct raster_image *image, uint64_t epoch,
                         struct raster_sampler_key *plain_key, struct raster_image *plain,
                         struct util_error *error)
{
    const struct raster_texel *texel = &raster_texels[key->format];
    struct raster_image checked = *image;
    XXH128_hash_t place;
    struct entry *entry;
    int result;

    *plain_key = *key;
    plain_key->format = (uint16_t)raster_block_plain((enum raster_format)key->format);
    if (key->multisampled || key->dim == RASTER_DIM_BUFFER ||
        (key->layout != RASTER_LINEAR && texel->height == 1))
        return util_fail(error, -EINVAL, "format %s in a buffer, a tiled image or one of samples",
                         texel->name);
    result = raster_sampler_validate(plain_key, error);
    result = result ? result : raster_image_validate(key, &checked, error);
    if (result)
        return result;
    plain_key->layout = RASTER_LINEAR;
    plain_key->listed = 0;
    *plain = checked;
    if (!pack_levels(plain_key, plain))
        return -ENOMEM;
    place = hash_place(key, image);
    pthread_mutex_lock(&d->lock);
    entry = find_place(d, place, epoch);
    entry = entry ? entry : make(d, key, image, plain);
    if (entry) {
        entry->place = place;
        entry->epoch = epoch;
        entry->turn = ++d->turn;
        plain->memory = entry->texels;
    }
    pthread_mutex_unlock(&d->lock);
    return entry ? raster_image_validate(plain_key, plain, error) : -ENOMEM;
}

void raster_decoder_trim(struct raster_decoder *d)
{
    pthread_mutex_lock(&d->lock);
    while (d->bytes > d->most) {
        uint32_t oldest = 0;

        for (uint32_t n = 1; n < d->entries.count; n++)
            if (d->entries.at[n].turn < d->entries.at[oldest].turn)
                oldest = n;
        d->bytes -= d->entries.at[oldest].size;
        free(d->entries.at[oldest].texels);
        d->entries.at[oldest] = d->entries.at[--d->entries.count];
    }
    pthread_mutex_unlock(&d->lock);
}

void raster_decoder_stats(struct raster_decoder *d, uint64_t *decoded, uint64_t *bytes)
{
    pthread_mutex_lock(&d->lock);
    *decoded = d->decoded;
    *bytes = d->bytes;
    pthread_mutex_unlock(&d->lock);
}
