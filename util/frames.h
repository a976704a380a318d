/* Pictures that follow each other, written by threads of their own: each as a PNG file, all as a stream of
 * Y4M, or both. Who hands them over goes on at once, unless all places are taken: then it waits for one, so
 * that no picture is lost and memory stays bounded.
 *
 * One thread hands over; the threads that write open files by util/files.h. */
#ifndef VITRAIL_UTIL_FRAMES_H
#define VITRAIL_UTIL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/image.h"

struct util_frames;

struct util_frames_options {
    const char *folder;          /* of frame-NNNNNN.png; borrowed. NULL: no files */
    int stream;                  /* a descriptor that takes Y4M; borrowed. -1: none */
    uint32_t rate;               /* of the stream: pictures a second, before `every` leaves some out */
    uint64_t first, last, every; /* of the numbers from 1: first, first + every, ... up to last */
    unsigned threads;            /* 1 to UTIL_FRAMES_THREADS */
};
#define UTIL_FRAMES_THREADS 16

/* Makes the picture of what was kept of it, on one of the threads; *out is empty before. 0 or -errno. */
typedef int (*util_frames_draw_fn)(const void *kept, struct util_image *out);

/* 0, -EINVAL (no thread, nothing to write, no number), -ENOMEM, -EAGAIN (no thread could be made). */
int util_frames_create(const struct util_frames_options *options, struct util_frames **out);
/* Waits until all is written; NULL is accepted. What failed last is lost: util_frames_flush tells. */
void util_frames_destroy(struct util_frames *frames);

/* Whether picture `number` is to be written. */
bool util_frames_wants(const struct util_frames *frames, uint64_t number);
/* Hands a picture that is wanted over; `kept` is malloc'ed and the threads' to free, in any case; NULL: there
 * was no memory for it. Once one could not be written no more are: 0, or what failed then. */
int util_frames_add(struct util_frames *frames, uint64_t number, void *kept, util_frames_draw_fn draw);
/* Waits until all that was handed over is written: 0, or the first failure, which names its file. */
int util_frames_flush(struct util_frames *frames, struct util_error *error);

#endif
