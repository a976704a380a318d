/* Guest memory: a sealed memory file mapped into the middle of an inaccessible reservation. */
#include "gpu/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
    uint64_t reserved_size = 2 * guard + (small ? size : WINDOW_MAX);
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

int gpu_memory_import(int fd, uint64_t offset, uint64_t size, bool unsealed, struct gpu_memory *out)
{
    struct stat stat;
    *out = (struct gpu_memory){.fd = -1};
    if (!size || size > WINDOW_MAX || size % GPU_PAGE || offset % GPU_PAGE)
        return -EINVAL;
    if (fstat(fd, &stat) < 0)
        return -errno;
    if (!S_ISREG(stat.st_mode))
        return -ENODEV;
    if (!util_in_range(offset, size, (uint64_t)stat.st_size))
        return -EINVAL;
    int seals = fcntl(fd, F_GET_SEALS); /* fails for files that cannot be sealed */
    if (!unsealed && (seals < 0 || !(seals & F_SEAL_SHRINK)))
        return -EPERM;
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

void gpu_memory_clear(struct gpu_memory *memory)
{
    if (!memory->reserved || madvise(memory->base, memory->size, MADV_REMOVE) < 0)
        memset(memory->base, 0, memory->size);
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
