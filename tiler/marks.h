/* Which vertices a draw's indices name, each to be shaded once: indices are marked piece by piece, by several
 * threads at once, and those that are new are then taken. */
#ifndef VITRAIL_TILER_MARKS_H
#define VITRAIL_TILER_MARKS_H

#include <stdalign.h>
#include <stdint.h>

#define TILER_MARKS 65536u /* indices have 16 bits */

/* Begins as all zero. */
struct tiler_marks {
    alignas(64) uint8_t named[TILER_MARKS]; /* not 0: named since the last take */
    alignas(64) uint8_t taken[TILER_MARKS]; /* `draw` for those taken in this draw */
    uint8_t draw;                           /* its number, never 0 */
};

/* A new draw: nothing is named, nothing taken. */
void tiler_marks_begin(struct tiler_marks *marks);
/* Names indices; may run in several threads at once, none of them taking. */
void tiler_marks_name(struct tiler_marks *marks, const uint16_t *index, uint32_t count);
/* Takes what is named, among first..last, and was not taken before: ascending, to `out`, which has room for a
 * multiple of 16 of them. Returns their number. All that is named must lie in first..last. */
uint32_t tiler_marks_take(struct tiler_marks *marks, uint32_t first, uint32_t last, uint16_t *out);
/* Names and takes a few indices at once, in order of appearance; `out` has room for count + 1. */
uint32_t tiler_marks_take_few(struct tiler_marks *marks, const uint16_t *index, uint32_t count,
                              uint16_t *out);

#endif
