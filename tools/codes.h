/* Which draw the codings in tile lists belong to: by a coding's address, the draw and the primitive that the
 * binner put there last. A zeroed struct is empty. */
#ifndef VITRAIL_TOOLS_CODES_H
#define VITRAIL_TOOLS_CODES_H

#include <stdbool.h>
#include <stdint.h>

struct code {
    uint32_t address; /* never 0 */
    uint32_t draw;
    uint64_t primitive;
};

struct codes {
    struct code *at; /* open addressing */
    uint32_t room, count;
};

bool codes_put(struct codes *codes, uint32_t address, uint32_t draw,
               uint64_t primitive);                                        /* false: no memory */
const struct code *codes_get(const struct codes *codes, uint32_t address); /* or NULL */
void codes_finish(struct codes *codes);

#endif
