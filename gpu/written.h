/* Which pages of guest memory were written through this process's own mappings of it - guest memory itself and the windows
 * of spaces (gpu/space.h) - by whatever code, as the host's page tables know: pages are write-protected in these mappings,
 * the kernel lets the first write to each through and remembers it. Other mappings of the same file, such as a virtual
 * machine's processors have, are not concerned.
 *
 * A page is protected anew at the moment that it is found written, so each write is noted by the scan that is under way or
 * by the next. Linux 6.7 can do that (gpu/written_kernel.h).
 *
 * Made with guest memory, before spaces are, and destroyed after them; off at first, when it costs a lock at each change
 * of a space. Any thread; scans hold the lock for about 10 ns a page that is mapped, guest memory's own mapping in parts.
 * All functions but gather and next accept NULL, of memory that nobody asks about, and do nothing. */
#ifndef VITRAIL_GPU_WRITTEN_H
#define VITRAIL_GPU_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_memory;
struct gpu_memory_region;
struct gpu_space;
struct gpu_written;

/* `memory` is borrowed and must not move. 0 or -ENOMEM. */
int gpu_written_create(const struct gpu_memory *memory, struct gpu_written **out);
void gpu_written_destroy(struct gpu_written *written);

/* Begins, where it has not begun: nothing counts as written. 0; -ENOTSUP: the memory is no file's, or the kernel cannot or
 * may not for such a file; -ENOMEM or -errno. */
int gpu_written_begin(struct gpu_written *written);
/* Ends and forgets. */
void gpu_written_end(struct gpu_written *written);

/* Notes what was written since the last time. Where the host has failed to tell, all of memory counts as written, each
 * time. 0; -ENODATA: it is off. */
int gpu_written_gather(struct gpu_written *written);
/* Takes the noted pages that follow one another in guest memory and in the file, lowest first, and forgets them. False:
 * there are none. */
bool gpu_written_next(struct gpu_written *written, struct gpu_memory_region *out);
/* How many more times gpu_written_next has something. */
uint32_t gpu_written_left(struct gpu_written *written);
/* All of memory was written by other means. */
void gpu_written_note_all(struct gpu_written *written);

/* ---- for spaces ---- */

/* A space, empty, whose window may change from now on; and one that is destroyed: what was written there is noted. */
void gpu_written_add_space(struct gpu_written *written, struct gpu_space *space);
void gpu_written_remove_space(struct gpu_written *written, struct gpu_space *space);
/* Around changes of windows and of what stands in them. */
void gpu_written_lock(struct gpu_written *written);
void gpu_written_unlock(struct gpu_written *written);
/* Locked, before pages [first, first + count) of the window go away: what was written there is noted. */
void gpu_written_note_window(struct gpu_written *written, const struct gpu_space *space, uint32_t first,
                             uint32_t count);
/* Locked, after bytes of a window were mapped that may be written. */
void gpu_written_watch(struct gpu_written *written, void *at, uint64_t size);

#endif
