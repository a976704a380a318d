/* What a texture request reads as a picture for people: level 0, t = 0 at the top, as a program gets it: decoded, sRGB
 * as the bytes it was made of; faces of a cube (in the order +X -X +Y -Y +Z -Z), slices and layers side by side. */
#ifndef VITRAIL_GPU_TEXELS_H
#define VITRAIL_GPU_TEXELS_H

#include "gpu/watch.h"
#include "util/image.h"

#define GPU_TEXELS_SLICES 6u /* drawn at most */

/* How many slices stand side by side where all are drawn: faces, slices of a volume, layers; 0: no image. */
uint64_t gpu_texels_slices(const struct gpu_texels *texels);

/* In the guest floating-point environment, while the texels stand. `most`: pixels, at most. 0 and *out, the caller's;
 * -ENOTSUP: no picture (a buffer, a raw word); -E2BIG: of more than `most`, or than pictures have; -ENOMEM; -EFAULT. */
int gpu_texels_picture(const struct gpu_texels *texels, uint64_t most, struct util_image *out);

/* The bytes of a level of a slice, from its first texel's to its last one's. Both are malloc'ed. */
struct gpu_texels_level {
    uint64_t address; /* the GPU's */
    uint32_t size;
    uint8_t *before, *after;
};
void gpu_texels_level_finish(struct gpu_texels_level *level);

#define GPU_TEXELS_LEVELS (GPU_TEXELS_SLICES * RASTER_IMAGE_LEVELS)

/* What memory has to have so that a request reads `picture`, which is as gpu_texels_picture draws level 0, with alpha, and
 * smaller levels of its average; what is between texels stays. 0 and *count levels, to be finished; -ENOTSUP: no plain or ETC1
 * image whose texels are whole bytes in guest memory, or one of more slices than are drawn; -ERANGE: of another size;
 * -ENOMEM. */
int gpu_texels_replace(const struct gpu_texels *texels, const struct util_image *picture,
                       struct gpu_texels_level out[GPU_TEXELS_LEVELS], uint32_t *count);

#endif
