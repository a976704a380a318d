/* What a texture request reads as a picture for people: level 0, t = 0 at the top, as a program gets it: decoded, sRGB
 * as the bytes it was made of; faces of a cube (in the order +X -X +Y -Y +Z -Z), slices and layers side by side. */
#ifndef VITRAIL_GPU_TEXELS_H
#define VITRAIL_GPU_TEXELS_H

#include "gpu/watch.h"
#include "util/image.h"

#define GPU_TEXELS_SLICES 6u /* drawn at most */

/* In the guest floating-point environment, while the texels stand. `most`: pixels, at most. 0 and *out, the caller's;
 * -ENOTSUP: no picture (a buffer, a raw word); -E2BIG: of more than `most`, or than pictures have; -ENOMEM; -EFAULT. */
int gpu_texels_picture(const struct gpu_texels *texels, uint64_t most, struct util_image *out);

#endif
