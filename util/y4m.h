/* YUV4MPEG2 ("Y4M"): pictures one behind the other without compression, which players and encoders read from
 * a file or a pipe. Ours have all three planes in full (4:4:4) of 8 bits, ITU-R BT.601 of limited range, which
 * readers take where nothing is said; the format as mjpegtools' yuv4mpeg(5) has it. */
#ifndef VITRAIL_UTIL_Y4M_H
#define VITRAIL_UTIL_Y4M_H

#include <stddef.h>
#include <stdint.h>

#include "util/image.h"

#define UTIL_Y4M_HEADER_MAX 96u

/* What begins a stream of `width` x `height` at `rate` / `per` pictures a second; its length. */
size_t util_y4m_header(uint32_t width, uint32_t height, uint32_t rate, uint32_t per,
                       char out[UTIL_Y4M_HEADER_MAX]);
/* Bytes of one picture behind it. */
size_t util_y4m_picture_bytes(uint32_t width, uint32_t height);
/* One picture: `image` from its top left, cut or with black around it where its size is another. */
void util_y4m_picture(const struct util_image *image, uint32_t width, uint32_t height, uint8_t *out);

#endif
