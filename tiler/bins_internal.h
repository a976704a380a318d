/* What the files of bins.h share. */
#ifndef VITRAIL_TILER_BINS_INTERNAL_H
#define VITRAIL_TILER_BINS_INTERNAL_H

#include "tiler/bins.h"

/* bins_piece.c: takes the draw's next piece, unless it turns out not to be for culling (bins.culls); bins
 * what is left of it. */
enum tiler_end tiler_bins_piece_take(struct tiler_bins *bins);
enum tiler_end tiler_bins_piece_put(struct tiler_bins *bins);

/* bins_prim.c: what is left of an assembled primitive becomes part[0..part_count-1]. */
void tiler_bins_make_parts(struct tiler_bins *bins, const uint32_t index[3]);

/* bins.c: the parts of a primitive, or a whole triangle, into all lists they may touch. */
enum tiler_end tiler_bins_put_parts(struct tiler_bins *bins);
enum tiler_end tiler_bins_put_triangle(struct tiler_bins *bins, const struct tiler_triangle *triangle);

#endif
