/* Attributes and varyings: arrays in guest memory, an element a vertex, whose components have a format
 * (raster/texture/texel.h). What stands here reads and writes 16 vertices at a time, in the guest
 * floating-point environment; array_ir.h is the same as code.
 *
 * Addresses are the host's, checked before for every vertex that is named. */
#ifndef VITRAIL_GPU_ARRAY_H
#define VITRAIL_GPU_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "raster/texture/texel.h"

#define GPU_ARRAYS 16u /* attributes, and varyings, of a draw at most */

/* How components are numbers: all that code depends on. Keys hold it. */
struct gpu_array_form {
    uint16_t format; /* enum raster_format, PLAIN; RASTER_FORMAT_NONE: there is no array */
    int8_t exponent; /* fetched numbers, times 2 to this; 0: as the format has them */
    uint8_t flush;   /* fetched singles too small to be normal become zeros of their sign */
};

/* How elements are loaded: whole words, one to four of them, or byte by byte. */
enum gpu_array_load {
    GPU_ARRAY_LOAD_ANY,
    GPU_ARRAY_LOAD_1,
    GPU_ARRAY_LOAD_2,
    GPU_ARRAY_LOAD_3,
    GPU_ARRAY_LOAD_4
};

struct gpu_array {
    uint8_t *base; /* the host's address of element 0; the guest's is `address` */
    uint64_t stride;
    uint32_t address;
    uint32_t bytes, words; /* of an element, as far as it is read */
    uint32_t row;          /* where its first word goes (gpu_array_words) */
    enum gpu_array_load load;
    struct gpu_array_form form; /* gpu_array_words does not ask for it */
};

/* The load for an array whose bytes and words are set. `wide`: 16 bytes may be read at every element. */
enum gpu_array_load gpu_array_load_of(const struct gpu_array *array, bool wide);

/* Elements as they stand: word w of the vertex index[l] goes to row[array->row + w][l] for each of `count`
 * arrays; what a last word lacks is 0. */
void gpu_array_words(const struct gpu_array *arrays, uint32_t count, const uint32_t index[16],
                     uint32_t (*row)[16]);
/* An element of at most 16 bytes as four components: out[c][l]. */
void gpu_array_fetch(const struct gpu_array *array, const uint32_t index[16], uint32_t out[4][16]);
/* The other way, for `lanes` vertices from `first` on, in their order. */
void gpu_array_store(const struct gpu_array *array, uint32_t first, uint32_t lanes, const uint32_t in[4][16]);

/* Whether an element of one array may share bytes with another vertex's element of the other, among so many
 * vertices. Elements side by side in records do not. */
bool gpu_array_meets(const struct gpu_array *a, const struct gpu_array *b, uint32_t vertices);

#endif
