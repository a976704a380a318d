/* Guest memory: a sealed memory file mapped into the middle of an inaccessible reservation. */
#include "gpu/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/written.h"
#include "util/bits.h"
#include "util/checked.h"

/* The reservation holds the 4 GiB that a 32-bit address can reach and 2 GiB on either side, so that a base
 * plus any 32-bit offset, sign-extended by mistake or running past the end of a vector, meets PROT_NONE. */
#define WINDOW_MAX   (1ull << 32)
#define GUARD        (1ull << 31)
#define GUARD_SMALL  (1ull << 20)
#define SMALL_WINDOW "VITRAIL_SMALL_WINDOW"

/* Sanitizers and memory cgroups may refuse 8 GiB of address space: the variable shrinks the reservation to
 * the memory and 1 MiB on either side. The explicit checks, which define the meaning, do not change. */
static bool small_window(void)
{
    const char *value = getenv(SMALL_WINDOW);
    return value && *value && strcmp(value, "0") != 0;
}

/* A file that can neither shrink under a mapping (which would turn accesses into SIGBUS) nor grow, whoever
 * it is passed to. */
static int make_file(uint64_t size)
{
    int fd = memfd_create("vitrail-guest", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)size) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

/* Reserves room for `size` bytes between guards. */
static int reserve(uint64_t size, struct gpu_memory *out)
{
    bool small = small_window();
    uint64_t guard = small ? GUARD_SMALL : GUARD;
    uint64_t reserved_size = 2 * guard + (small || size > WINDOW_MAX ? size : WINDOW_MAX);
    void *reserved = mmap(NULL, reserved_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return -errno;
    *out = (struct gpu_memory){.base = (uint8_t *)reserved + guard,
                               .size = size,
                               .fd = -1,
                               .reserved = reserved,
                               .reserved_size = reserved_size};
    return 0;
}

int gpu_memory_reserve(uint64_t size, struct gpu_memory *out)
{
    *out = (struct gpu_memory){.fd = -1};
    return !size || size > WINDOW_MAX || size % GPU_PAGE ? -EINVAL : reserve(size, out);
}

/* Maps `size` bytes of `fd`, which *out owns afterwards (also on failure it is closed). */
static int map_file(int fd, uint64_t offset, uint64_t size, struct gpu_memory *out)
{
    int error = reserve(size, out);
    if (error) {
        close(fd);
        return error;
    }
    out->fd = fd;
    out->file_offset = offset;
    if (mmap(out->base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) ==
        MAP_FAILED) {
        error = -errno;
        gpu_memory_destroy(out);
    }
    return error;
}

int gpu_memory_create(uint64_t size, struct gpu_memory *out)
{
    *out = (struct gpu_memory){.fd = -1};
    if (!size || size > WINDOW_MAX)
        return -EINVAL;
    size = util_align(size, GPU_PAGE);
    int fd = make_file(size);
    return fd < 0 ? fd : map_file(fd, 0, size, out);
}

/* Whether the bytes of a file can be mapped for good. */
static int check_file(int fd, uint64_t offset, uint64_t size, bool unsealed)
{
    struct stat stat;
    if (fstat(fd, &stat) < 0)
        return -errno;
    if (!S_ISREG(stat.st_mode))
        return -ENODEV;
    if (!util_in_range(offset, size, (uint64_t)stat.st_size))
        return -EINVAL;
    int seals = fcntl(fd, F_GET_SEALS); /* fails for files that cannot be sealed */
    if (!unsealed && (seals < 0 || !(seals & F_SEAL_SHRINK)))
        return -EPERM;
    return 0;
}

int gpu_memory_import(int fd, uint64_t offset, uint64_t size, bool unsealed, struct gpu_memory *out)
{
    *out = (struct gpu_memory){.fd = -1};
    if (!size || size > WINDOW_MAX || size % GPU_PAGE || offset % GPU_PAGE)
        return -EINVAL;
    int error = check_file(fd, offset, size, unsealed);
    if (error)
        return error;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return own < 0 ? -errno : map_file(own, offset, size, out);
}

int gpu_memory_borrow(void *base, uint64_t size, struct gpu_memory *out)
{
    *out = (struct gpu_memory){.fd = -1};
    if (!base || (uintptr_t)base % GPU_PAGE || !size || size > WINDOW_MAX || size % GPU_PAGE)
        return -EINVAL;
    out->base = base;
    out->size = size;
    return 0;
}

/* ---- regions ---- */

static int sort_regions(const struct gpu_memory_region *regions, unsigned count, uint64_t most,
                        struct gpu_memory *out)
{
    if (!count || count > GPU_MEMORY_REGIONS)
        return -EINVAL;
    for (unsigned n = 0; n < count; n++) {
        const struct gpu_memory_region *r = &regions[n];
        unsigned at = n;
        if (!r->size || (r->address | r->size | r->offset) % GPU_PAGE ||
            !util_in_range(r->address, r->size, most))
            return -EINVAL;
        for (; at && out->region[at - 1].address > r->address; at--)
            out->region[at] = out->region[at - 1];
        out->region[at] = *r;
    }
    for (unsigned n = 1; n < count; n++)
        if (out->region[n - 1].address + out->region[n - 1].size > out->region[n].address)
            return -EINVAL;
    out->region_count = count;
    out->size = out->region[count - 1].address + out->region[count - 1].size;
    return 0;
}

/* Maps the regions into a reservation, whose rest stays inaccessible or is filled. */
static int map_regions(struct gpu_memory *memory, bool filled)
{
    const int protection = PROT_READ | PROT_WRITE;
    if (filled && memory->size &&
        mmap(memory->base, memory->size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
             -1, 0) == MAP_FAILED)
        return -errno;
    for (unsigned n = 0; n < memory->region_count; n++) {
        const struct gpu_memory_region *r = &memory->region[n];
        if (!r->size || mmap(memory->base + r->address, r->size, protection, MAP_SHARED | MAP_FIXED,
                             memory->fd, (off_t)r->offset) == MAP_FAILED)
            return -errno;
    }
    return 0;
}

int gpu_memory_import_regions(int fd, const struct gpu_memory_region *regions, unsigned count, bool filled,
                              bool unsealed, struct gpu_memory *out)
{
    struct gpu_memory sorted = {.fd = -1};
    *out = sorted;
    int error = sort_regions(regions, count, filled ? WINDOW_MAX : GPU_MEMORY_MOST, &sorted);
    for (unsigned n = 0; n < count && !error; n++)
        error = check_file(fd, regions[n].offset, regions[n].size, unsealed);
    if (!error)
        error = reserve(sorted.size, out);
    if (error)
        return error;
    memcpy(out->region, sorted.region, sizeof out->region);
    out->region_count = count;
    out->has_holes = !filled;
    out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    error = out->fd < 0 ? -errno : map_regions(out, filled);
    if (error)
        gpu_memory_destroy(out);
    return error;
}

const struct gpu_memory_region *gpu_memory_region_at(const struct gpu_memory *memory, uint64_t address,
                                                     uint64_t size)
{
    for (unsigned n = 0; n < memory->region_count; n++) {
        const struct gpu_memory_region *r = &memory->region[n];
        if (address >= r->address && util_in_range(address - r->address, size, r->size))
            return r;
    }
    return NULL;
}

uint64_t gpu_memory_offset(const struct gpu_memory *memory, uint64_t address, uint64_t *left)
{
    const struct gpu_memory_region *r = gpu_memory_region_at(memory, address, 1);
    *left = r ? r->size - (address - r->address) : memory->size - address;
    return r ? r->offset + (address - r->address) : memory->file_offset + address;
}

static void clear_part(const struct gpu_memory *memory, uint64_t address, uint64_t size)
{
    if (!memory->reserved || madvise(memory->base + address, size, MADV_REMOVE) < 0)
        memset(memory->base + address, 0, size);
}

void gpu_memory_clear(struct gpu_memory *memory)
{
    for (unsigned n = 0; n < memory->region_count; n++)
        clear_part(memory, memory->region[n].address, memory->region[n].size);
    if (!memory->region_count)
        clear_part(memory, 0, memory->size);
    gpu_written_note_all(memory->written); /* page tables do not tell of pages given back */
}

/* Regions are whole, whatever the file knows of holes in them. */
static void next_region(const struct gpu_memory *memory, uint64_t address, uint64_t *from, uint64_t *to)
{
    *from = *to = memory->size;
    for (unsigned n = memory->region_count; n-- > 0;) {
        const struct gpu_memory_region *r = &memory->region[n];
        if (r->address + r->size <= address)
            return;
        *from = UTIL_MAX(r->address, address);
        *to = r->address + r->size;
    }
}

void gpu_memory_next_data(const struct gpu_memory *memory, uint64_t address, uint64_t *from, uint64_t *to)
{
    if (memory->region_count) {
        next_region(memory, address, from, to);
        return;
    }
    *from = address;
    *to = memory->size;
    if (memory->fd < 0)
        return;
    const off_t base = (off_t)memory->file_offset, data = lseek(memory->fd, base + (off_t)address, SEEK_DATA);
    const off_t hole = data < 0 ? -1 : lseek(memory->fd, data, SEEK_HOLE);
    if (data < 0 && errno == ENXIO)
        *from = memory->size; /* only holes are left */
    if (hole <= data)
        return;
    *from = UTIL_MIN((uint64_t)(data - base), memory->size);
    *to = UTIL_MIN((uint64_t)(hole - base), memory->size);
}

void gpu_memory_destroy(struct gpu_memory *memory)
{
    if (memory->reserved) {
        munmap(memory->reserved, memory->reserved_size);
        if (memory->fd >= 0)
            close(memory->fd);
    }
    *memory = (struct gpu_memory){.fd = -1};
}
