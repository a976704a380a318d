/* Memory filled past the caches (nobody reads it soon), in runs as long as what is added allows. */
#ifndef VITRAIL_RASTER_FILL_H
#define VITRAIL_RASTER_FILL_H

#include <stddef.h>
#include <stdint.h>

/* What was added and is not filled yet. `pattern` stands at the start of each piece, and every eight bytes
 * behind it; begins with start and end NULL. */
struct raster_fill {
    uint8_t *start, *end;
    uint64_t pattern;
};

/* Fills what was added; pieces of any size. Other threads may read it behind a fence, as util_pool_run
 * has at its end. */
void raster_fill_flush(struct raster_fill *fill);

/* Pieces that follow each other are of a multiple of eight bytes, or of pixels that `pattern` repeats. */
static inline void raster_fill_add(struct raster_fill *fill, uint8_t *at, size_t bytes)
{
    if (at != fill->end) {
        raster_fill_flush(fill);
        fill->start = fill->end = at;
    }
    fill->end += bytes;
}

#endif
