/* Programs that store to memory, on several workers at once. What such a program does may depend on the order of its
 * units (workgroups), so each run is tried as if units did not meet, and it is found out whether they did:
 *
 * - a page is either read or stored to in a run, by all workers together; who asks for the other thing as well,
 *   and pages that two addresses stand for, end the run as failed;
 * - of stores every word is marked with the worker; a word that two workers stored to fails the run. Each worker
 *   runs its units in their order (util_pool_run_spans), so what one worker stores twice ends as it should.
 *
 * A run that failed is undone, word by word of what was stored, so that what others wrote meanwhile to the same
 * pages stays; who ran it runs the units again in their order. Only whole words at word addresses can be stored.
 *
 * Thread-safe between gpu_speculation_begin and _end; those two belong to one thread, as does the rest. The space
 * does not change from _open to _close. */
#ifndef VITRAIL_GPU_SPECULATION_H
#define VITRAIL_GPU_SPECULATION_H

#include "gpu/space.h"

/* What a worker marks of a stored page: a bit for each word, word n's being bit n % 8 of byte n / 8. Who sets several
 * bits at once may write up to GPU_SPECULATION_SLACK bytes behind a page's, as they are. */
#define GPU_SPECULATION_MARKS (GPU_PAGE / 4 / 8)
#define GPU_SPECULATION_SLACK 16u

struct gpu_speculation;

/* For up to `workers`. 0 or -ENOMEM. */
int gpu_speculation_create(unsigned workers, struct gpu_speculation **out);
void gpu_speculation_destroy(struct gpu_speculation *speculation); /* NULL is accepted */

/* Runs over a space, borrowed until _close, follow. 0 or -ENOMEM. */
int gpu_speculation_open(struct gpu_speculation *speculation, const struct gpu_space *space);
void gpu_speculation_close(struct gpu_speculation *speculation);

void gpu_speculation_begin(struct gpu_speculation *speculation);
/* After all units: true, memory is as if they had run in their order; false: as before _begin. */
bool gpu_speculation_end(struct gpu_speculation *speculation);
/* Whether the run has failed already, so that the rest of it need not be done. */
bool gpu_speculation_failed(const struct gpu_speculation *speculation);
/* It has: a unit met a fault, which has its meaning in order only. */
void gpu_speculation_fail(struct gpu_speculation *speculation);

/* From now to _close [address, address + size) is read by who does not ask, textures for example. Where a run has
 * stored to it already, that run and all later ones fail. */
void gpu_speculation_reads(struct gpu_speculation *speculation, uint64_t address, uint64_t size);
/* Whether a worker may read this, or store to it now, which marks it. Outside of runs: always. False: the run has
 * failed, or memory has no such right. */
bool gpu_speculation_load(struct gpu_speculation *speculation, unsigned worker, uint64_t address,
                          uint32_t bytes);
bool gpu_speculation_store(struct gpu_speculation *speculation, unsigned worker, uint64_t address,
                           uint32_t bytes);

/* For compiled code, which looks for itself and asks where this does not allow what it wants: a word for each GPU
 * page, as a space has them, but for the number, which says which of the run's stored pages it is; and a worker's
 * marks of each stored page, GPU_SPECULATION_MARKS bytes each. */
/* Asks for the pages of what a worker is about to read or (`rights`: GPU_RIGHT_WRITE) to store to and mark. False:
 * they are not to be had, or there is no run; then whatever it wants there is up to the functions above. */
bool gpu_speculation_ask(struct gpu_speculation *speculation, unsigned worker, uint64_t address,
                         uint32_t bytes, uint32_t rights);
const uint32_t *gpu_speculation_pages(const struct gpu_speculation *speculation);
uint8_t *gpu_speculation_marks(struct gpu_speculation *speculation, unsigned worker);

#endif
