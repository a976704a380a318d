/* Plays a capture on a device: no driver, no guest program. Used by the tools, the golden tests, the
 * benchmark and the fuzzers.
 *
 * A player owns its reader, guest memory and device; the pool and the engine are borrowed through the
 * options. One thread uses it. */
#ifndef VITRAIL_GPU_REPLAY_H
#define VITRAIL_GPU_REPLAY_H

#include "gpu/capture.h"
#include "gpu/device.h"
#include "gpu/fault.h"
#include "gpu/options.h"
#include "util/image.h"

struct replay;

/* Takes over `reader` on success. 0, -ENOTSUP (a capture of another GPU), -ENOMEM, -EINVAL. */
int replay_create(struct capture_reader *reader, const struct gpu_options *options, struct replay **out,
                  struct util_error *error);
void replay_destroy(struct replay *replay); /* NULL is accepted */

/* Plays up to and including the next frame mark (`presented_only`: the next one shown by a page flip or mode
 * set). 1: a frame is complete, described in *frame; 0: the capture has ended; -EBADMSG: damaged, with the
 * offset named. Guest faults do not stop the play: fetch them with replay_faults. */
int replay_next_frame(struct replay *replay, bool presented_only, struct capture_frame *frame,
                      struct util_error *error);

/* The picture of a frame mark as it now stands in guest memory, top row first. 0, -EFAULT (outside memory),
 * -ENOMEM, -EINVAL. */
int replay_picture(struct replay *replay, const struct capture_frame *frame, struct util_image *out);

/* Its bytes, for gpu_picture_draw to draw later (gpu_picture_keep). NULL: as there. */
void *replay_picture_keep(struct replay *replay, const struct capture_frame *frame);

/* Starts over at the last restart point before picture `number` (from 1; of those that are shown, if `shown`), or
 * from the beginning; *before: pictures that are left out. 0 or -ENOMEM. */
int replay_seek(struct replay *replay, bool shown, uint64_t number, uint64_t *before);

/* Calls `listen` with each event before it has its effect, in order; NULL: nobody listens. `memory` is the guest's as the
 * event finds it. */
typedef void (*replay_listen_fn)(void *data, const struct capture_event *event,
                                 const struct gpu_memory *memory);
void replay_set_listener(struct replay *replay, replay_listen_fn listen, void *data);

/* The device that is played on, which the player owns; for a listener, who may look and flush it. */
const struct gpu_device *replay_device(const struct replay *replay);

/* How many pictures the capture has, at most `limit` (then there may be more): from its index, else by reading that far.
 * The reader is back at the start afterwards. */
uint64_t replay_count_pictures(struct capture_reader *reader, bool shown, uint64_t limit,
                               struct util_error *error); /* what ends a damaged file before; may be NULL */

/* Whether the capture has a picture that was shown on a display; the reader is back at the start afterwards.
 */
bool replay_shows_pictures(struct capture_reader *reader);

/* Whether the file has frames shown by a display (known once one was met); files without any show the ends of
 * rendering jobs. */
bool replay_has_presented(const struct replay *replay);

/* Starts over from the first event with zeroed memory and a fresh device. 0 or -ENOMEM. */
int replay_rewind(struct replay *replay);

unsigned replay_faults(struct replay *replay, struct gpu_fault *out,
                       unsigned capacity); /* as gpu_host_faults */
void replay_counters(const struct replay *replay, struct gpu_counters *out);
/* Seconds since replay_create spent on what a driver and its GPU would do - copying recorded pages in,
 * executing register writes - without reading and decompressing the file. */
void replay_device_time(const struct replay *replay, double *wall, double *cpu);
void replay_info(const struct replay *replay, struct capture_info *out);
uint64_t replay_position(const struct replay *replay); /* bytes of the file consumed, for progress */

#endif
