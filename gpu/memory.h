/* Guest memory: one window of host memory that drivers, devices and captures share. Guest address A is host
 * base + A, always zero-extended; the window stands in an 8 GiB reservation, so a 32-bit address can never
 * leave it. Explicit checks define the meaning; the guards are the backstop. Addresses are never masked. */
#ifndef VITRAIL_GPU_MEMORY_H
#define VITRAIL_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPU_PAGE 4096u

struct gpu_memory {
    uint8_t *base;        /* host address of guest address 0 */
    uint64_t size;        /* bytes that exist, a multiple of GPU_PAGE, at most 4 GiB */
    int fd;               /* the memory file (sealed against shrinking), or -1; owned */
    uint64_t file_offset; /* of guest address 0 in it */
    uint8_t *reserved;    /* the reservation, owned; NULL for borrowed memory */
    uint64_t reserved_size;
};

/* Makes a memory file of `size` bytes (rounded up to pages) and maps it. 0, -EINVAL, -ENOMEM or -errno. */
int gpu_memory_create(uint64_t size, struct gpu_memory *out);
/* The same over `size` bytes (whole pages) of a file that exists, from page-aligned `offset` on: its pages
 * are shared, its descriptor is duplicated and stays the caller's. `unsealed` accepts a file that could still
 * be cut short. 0, -EINVAL (range), -EPERM (not sealed against shrinking), -ENODEV (no regular file), -EACCES
 * (not open for reading and writing), -ENOMEM or -errno. */
int gpu_memory_import(int fd, uint64_t offset, uint64_t size, bool unsealed, struct gpu_memory *out);
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

/* Host pointer to [address, address + size), or NULL when any of it lies outside. size 0 gives NULL. */
static inline uint8_t *gpu_memory_at(const struct gpu_memory *memory, uint64_t address, uint64_t size)
{
    if (!size || address > memory->size || size > memory->size - address)
        return NULL;
    return memory->base + address;
}

#endif
