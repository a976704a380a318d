/* Memory as a GPU behind an MMU sees it: a window of 4 GiB of host addresses in which guest pages stand where
 * the guest's page tables put them, so that GPU address A is host window.base + A and nothing is copied.
 *
 * A family walks its own kind of page tables when the guest says that they changed, between jobs: begin, map
 * page after page, end. Afterwards the space does not depend on the tables any more. What a page may be used
 * for is checked explicitly (gpu_space_at); the host's protection is only the backstop.
 *
 * One thread changes a space; while nobody does, any number may read it. */
#ifndef VITRAIL_GPU_SPACE_H
#define VITRAIL_GPU_SPACE_H

#include "gpu/memory.h"

enum gpu_right { GPU_RIGHT_READ = 1, GPU_RIGHT_WRITE = 2, GPU_RIGHT_EXECUTE = 4 };

#define GPU_SPACE_PIECES 16384u /* runs of pages that one space may be made of: the host has a limit too */

#define GPU_SPACE_PAGES (1u << 20)
/* A page's word: 28 bits of a number above four of rights; 0: no page. */
#define GPU_SPACE_SHIFT 4u

struct gpu_space {
    struct gpu_memory window; /* of 4 GiB; for readers of addresses that were checked */
    const struct gpu_memory *memory;
    uint32_t *page,
        *next;     /* for each GPU page: number of the guest page << GPU_SPACE_SHIFT | rights; `next`: in the
                            * making */
    uint8_t *used; /* for each 4 MiB: bit 0: pages in `page`, bit 1: in `next` */
    uint32_t pieces;                /* host mappings that stand */
    struct gpu_space *next_written; /* of the spaces that gpu/written.h knows */
};

/* An empty space over `memory`, which is borrowed and must have a file (not gpu_memory_borrow's); *out must not move
 * until it is destroyed. 0, -ENOTSUP (no file), -ENOMEM or -errno. */
int gpu_space_create(const struct gpu_memory *memory, struct gpu_space *out);
void gpu_space_destroy(struct gpu_space *space); /* a zeroed struct is accepted */

/* Begins a new set of pages, empty. */
void gpu_space_begin(struct gpu_space *space);
/* The page of GPU address `address` (any in it) is the guest page at `physical` (a multiple of GPU_PAGE);
 * `rights` of enum gpu_right, none: no page. The last word counts. False: the guest has no such page, or the
 * address lies beyond the window. */
bool gpu_space_map(struct gpu_space *space, uint64_t address, uint64_t physical, uint32_t rights);
/* The new set holds. 0; -E2BIG: more than GPU_SPACE_PIECES pieces, -ENOMEM: the host has no more mappings:
 * the space is empty then. */
int gpu_space_end(struct gpu_space *space);

/* Whether all of [address, address + size) may be used so; size 0: no. *where, if not NULL, gets the first
 * address that may not. */
bool gpu_space_allows(const struct gpu_space *space, uint64_t address, uint64_t size, uint32_t rights,
                      uint64_t *where);
/* Host pointer to it, or NULL when it may not be used so. */
static inline uint8_t *gpu_space_at(const struct gpu_space *space, uint64_t address, uint64_t size,
                                    uint32_t rights)
{
    uint64_t n = address / GPU_PAGE;
    if (n < GPU_SPACE_PAGES && size - 1 < GPU_PAGE - address % GPU_PAGE) /* in one page, as most are */
        return (space->page[n] & rights) == rights ? space->window.base + address : NULL;
    return gpu_space_allows(space, address, size, rights, NULL) ? space->window.base + address : NULL;
}
/* Bytes from `address` on that may be used so, at most `most`. */
static inline uint32_t gpu_space_extent(const struct gpu_space *space, uint64_t address, uint32_t most,
                                        uint32_t rights)
{
    uint64_t where = address;
    return gpu_space_allows(space, address, most, rights, &where) ? most : (uint32_t)(where - address);
}
/* Addresses of which it is known that they may be read: who reads many that lie near each other looks their
 * pages up once. Holds while nobody changes the space; all zero it is empty. */
struct gpu_space_run {
    uint64_t from, to;
};
#define GPU_SPACE_RUN 0x10000u /* bytes that are looked at ahead */
/* gpu_space_at for reading, where the run does not have it: the run becomes what lies about the address. */
uint8_t *gpu_space_widen(const struct gpu_space *space, struct gpu_space_run *run, uint64_t address,
                         uint64_t size);
static inline uint8_t *gpu_space_near(const struct gpu_space *space, struct gpu_space_run *run,
                                      uint64_t address, uint64_t size)
{
    if (address >= run->from && address + size <= run->to)
        return space->window.base + address;
    return gpu_space_widen(space, run, address, size);
}
/* The guest address that a GPU address stands for; false where there is no page. */
bool gpu_space_physical(const struct gpu_space *space, uint64_t address, uint64_t *out);
/* The same of `size` bytes, whose pages follow each other in the guest; false where they do not. */
bool gpu_space_physical_span(const struct gpu_space *space, uint64_t address, uint64_t size, uint64_t *out);

#endif
