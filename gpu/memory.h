/* Guest memory: one window of host memory that drivers, devices and captures share. Guest address A is host
 * base + A, always zero-extended; the window stands in an 8 GiB reservation, so a 32-bit address can never
 * leave it. Explicit checks define the meaning; the guards are the backstop. Addresses are never masked. */
#ifndef VITRAIL_GPU_MEMORY_H
#define VITRAIL_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_written;

#define GPU_PAGE 4096u

#define GPU_MEMORY_REGIONS 16u
#define GPU_MEMORY_MOST    (1ull << 38) /* guest addresses end there */

/* Pages of the memory file at guest addresses of their own. */
struct gpu_memory_region {
    uint64_t address, size; /* multiples of GPU_PAGE */
    uint64_t offset;        /* in the file, likewise */
};

struct gpu_memory {
    uint8_t *base; /* host address of guest address 0 */
    uint64_t size; /* where the last bytes end, a multiple of GPU_PAGE; without regions at most 4 GiB */
    struct gpu_memory_region region[GPU_MEMORY_REGIONS]; /* by address */
    unsigned region_count;                               /* 0: all bytes from 0 to `size` are there */
    bool has_holes;                                      /* what is between regions is no memory */
    int fd;               /* the memory file (sealed against shrinking), or -1; owned */
    uint64_t file_offset; /* of guest address 0 in it */
    uint8_t *reserved;    /* the reservation, owned; NULL for borrowed memory */
    uint64_t reserved_size;
    struct gpu_written *written; /* borrowed, of who asks which pages were written (gpu/written.h); or NULL */
};

/* Makes a memory file of `size` bytes (rounded up to pages) and maps it. 0, -EINVAL, -ENOMEM or -errno. */
int gpu_memory_create(uint64_t size, struct gpu_memory *out);
/* The same over `size` bytes (whole pages) of a file that exists, from page-aligned `offset` on: its pages
 * are shared, its descriptor is duplicated and stays the caller's. `unsealed` accepts a file that could still
 * be cut short. 0, -EINVAL (range), -EPERM (not sealed against shrinking), -ENODEV (no regular file), -EACCES
 * (not open for reading and writing), -ENOMEM or -errno. */
int gpu_memory_import(int fd, uint64_t offset, uint64_t size, bool unsealed, struct gpu_memory *out);
/* The same of regions that do not overlap in any order, 1..GPU_MEMORY_REGIONS of them; with `filled`, for who reaches
 * guest memory as base + address, there is private memory between and before them, which takes host memory where it
 * is written, and regions end below 4 GiB. */
int gpu_memory_import_regions(int fd, const struct gpu_memory_region *regions, unsigned count, bool filled,
                              bool unsealed, struct gpu_memory *out);
/* Memory of someone else's in place, page-aligned in whole pages, which must outlive *out. It has no guards
 * around it: only the explicit checks. 0 or -EINVAL. */
int gpu_memory_borrow(void *base, uint64_t size, struct gpu_memory *out);
/* Addresses without memory: `size` bytes that nothing stands in yet, between guards, for others to map into.
 * 0, -EINVAL or -errno. */
int gpu_memory_reserve(uint64_t size, struct gpu_memory *out);
/* Unmaps, but for borrowed memory, and zeroes the struct; a zeroed struct is accepted. */
void gpu_memory_destroy(struct gpu_memory *memory);
/* Makes all of it zero, and gives the pages back where the file can. */
void gpu_memory_clear(struct gpu_memory *memory);

/* The region that has [address, address + size); NULL: none. */
const struct gpu_memory_region *gpu_memory_region_at(const struct gpu_memory *memory, uint64_t address,
                                                     uint64_t size);
/* Where the page at `address`, which is memory, stands in the file; *left: bytes from there on that follow it in both. */
uint64_t gpu_memory_offset(const struct gpu_memory *memory, uint64_t address, uint64_t *left);
/* The first range from `address` (a page) on in which anything was ever written, as far as the file knows holes,
 * else all that is left; behind the last: memory's end twice. */
void gpu_memory_next_data(const struct gpu_memory *memory, uint64_t address, uint64_t *from, uint64_t *to);

/* Host pointer to [address, address + size), or NULL when any of it lies outside. size 0 gives NULL. */
static inline uint8_t *gpu_memory_at(const struct gpu_memory *memory, uint64_t address, uint64_t size)
{
    if (!size || address > memory->size || size > memory->size - address)
        return NULL;
    if (memory->has_holes && !gpu_memory_region_at(memory, address, size))
        return NULL;
    return memory->base + address;
}

#endif
