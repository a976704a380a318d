/* Parts of captures as captures of their own: a part begins with memory and device as the pictures before it left them
 * (capture_write_state), and goes on with what was recorded. */
#ifndef VITRAIL_GPU_TRIM_H
#define VITRAIL_GPU_TRIM_H

#include "gpu/replay.h"

/* Writes pictures first to last (from 1; of those that are shown, if `shown`), with restart points as the writer was told.
 * `replay` is of a capture, at any place; what comes before the part is played from the last restart point before it.
 * `progress` (NULL: nobody) hears the bytes of the file that were read.
 * 0 and how many pictures there were (fewer when the capture ends), -EBADMSG, -EIO, -ENOSPC, -ENOMEM, -EINVAL (a picture
 * that no file can describe), -E2BIG (registers without end). */
int gpu_trim(struct replay *replay, struct capture_writer *writer, bool shown, uint64_t first, uint64_t last,
             void (*progress)(void *data, uint64_t position), void *data, uint64_t *pictures,
             struct util_error *error);

#endif
