/* Bounded integer sequences of ASTC blocks: numbers of 2 to 256 levels in fractions of bits (Khronos Data Format
 * Specification, "Integer Sequence Encoding"). */
#ifndef VITRAIL_RASTER_BLOCK_ASTC_INTS_H
#define VITRAIL_RASTER_BLOCK_ASTC_INTS_H

#include <stdint.h>

/* How numbers of so many levels are made: bits, above them a trit or a quint. */
struct raster_astc_range {
    uint16_t levels;
    uint8_t trits, quints, bits; /* the first two 0 or 1 */
};

#define RASTER_ASTC_RANGES 21u
extern const struct raster_astc_range raster_astc_ranges[RASTER_ASTC_RANGES]; /* by their levels */

/* Bits that `count` numbers take. */
unsigned raster_astc_length(const struct raster_astc_range *range, unsigned count);
/* Reads them from bit `at` on; each as its bits, and the trit or quint above. */
void raster_astc_read(const struct raster_astc_range *range, unsigned count, const uint8_t block[16],
                      unsigned at, uint8_t *out);

/* A number as a colour of 0 to 255 (levels of 6 and more), and as a weight of 0 to 64 (up to 32). */
uint32_t raster_astc_color(const struct raster_astc_range *range, uint32_t v);
uint32_t raster_astc_weight(const struct raster_astc_range *range, uint32_t v);

#endif
