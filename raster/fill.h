/* Memory filled in runs as long as what is added allows: past the caches (nobody reads it soon), or where bits of it
 * stay, through them. */
#ifndef VITRAIL_RASTER_FILL_H
#define VITRAIL_RASTER_FILL_H

#include <stddef.h>
#include <stdint.h>

/* What was added and is not filled yet. `pattern` stands at the start of each piece, and every 16 bytes behind
 * it; of `kept`, alike, are the bits that stay as they are, which are zero in the pattern. Begins with start and end
 * NULL. */
struct raster_fill {
    uint8_t *start, *end;
    uint8_t pattern[16], kept[16];
};

/* Fills what was added; pieces of any size. Other threads may read it behind a fence, as util_pool_run
 * has at its end. */
void raster_fill_flush(struct raster_fill *fill);

/* Pieces that follow each other are of a multiple of 16 bytes, or of pixels that `pattern` repeats. */
static inline void raster_fill_add(struct raster_fill *fill, uint8_t *at, size_t bytes)
{
    if (at != fill->end) {
        raster_fill_flush(fill);
        fill->start = fill->end = at;
    }
    fill->end += bytes;
}

#endif
