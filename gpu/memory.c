/* Guest memory: a sealed memory file mapped into the middle of an inaccessible reservation. */
#include "gpu/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/bits.h"

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

int gpu_memory_create(uint64_t size, struct gpu_memory *out)
{
    memset(out, 0, sizeof *out);
    out->fd = -1;
    if (!size || size > WINDOW_MAX)
        return -EINVAL;
    size = util_align(size, GPU_PAGE);

    bool small = small_window();
    uint64_t guard = small ? GUARD_SMALL : GUARD;
    uint64_t reserved_size = 2 * guard + (small ? size : WINDOW_MAX);
    void *reserved = mmap(NULL, reserved_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return -errno;
    int error = make_file(size);
    if (error < 0)
        goto fail;
    int fd = error;
    uint8_t *base = (uint8_t *)reserved + guard;
    if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        error = -errno;
        close(fd);
        goto fail;
    }
    *out = (struct gpu_memory){
        .base = base, .size = size, .fd = fd, .reserved = reserved, .reserved_size = reserved_size};
    return 0;
fail:
    munmap(reserved, reserved_size);
    return error;
}

void gpu_memory_destroy(struct gpu_memory *memory)
{
    if (!memory->reserved)
        return;
    munmap(memory->reserved, memory->reserved_size);
    if (memory->fd >= 0)
        close(memory->fd);
    memset(memory, 0, sizeof *memory);
    memory->fd = -1;
}
