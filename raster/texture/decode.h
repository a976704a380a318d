/* Images of blocks - compressed ones, YUYV - as the plain images that the general sampler takes, decoded whole and kept.
 *
 * What is kept is found by what it was made of: guest programs and the GPU itself may write an image between draws, so
 * its bytes are copied, hashed and, when they are new, decoded from the copy (a guest that writes meanwhile harms only
 * what it sees itself). That a draw's image is still the last one's need not be found out again and again: within an
 * epoch, which the caller says, memory does not change. */
#ifndef VITRAIL_RASTER_DECODE_H
#define VITRAIL_RASTER_DECODE_H

#include <stdint.h>

#include "raster/texture/sampler.h"

struct raster_decoder;

/* 0 and *out, owned by the caller, or -ENOMEM. `most`: bytes of decoded images that trimming leaves. */
int raster_decoder_create(uint64_t most, struct raster_decoder **out);
void raster_decoder_destroy(struct raster_decoder *decoder); /* NULL is accepted */

/* The key's format is one of blocks, else it is valid; the image as raster_image_validate has it, its levels' strides
 * those of rows of blocks, or of tiles of 4 by 4 of them. Fills *plain_key and *plain, both valid; their texels live until
 * raster_decoder_trim.
 *
 * `epoch`: differs from all before whenever memory may have changed: a number for each job, say. Thread-safe. 0, -EINVAL
 * or -EFAULT with what is wrong, -ENOMEM. */
int raster_decoder_image(struct raster_decoder *decoder, const struct raster_sampler_key *key,
                         const struct raster_image *image, uint64_t epoch,
                         struct raster_sampler_key *plain_key, struct raster_image *plain,
                         struct util_error *error);

/* Forgets what was asked for longest ago, until the rest is small enough. While nobody uses any of it. */
void raster_decoder_trim(struct raster_decoder *decoder);

/* How many images were decoded so far, and how many bytes of them are kept. */
void raster_decoder_stats(struct raster_decoder *decoder, uint64_t *decoded, uint64_t *bytes);

#endif
