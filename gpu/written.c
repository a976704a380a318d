/* Pages of guest memory that were written, by userfaultfd's asynchronous write protection and scans of the pagemap. */
#include "gpu/written.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/space.h"
#include "gpu/written_kernel.h"
#include "util/bits.h"

#define PART  (32ull << 20) /* bytes of guest memory's mapping that are scanned at a time */
#define FOUND 128           /* runs of pages that the kernel reports at a time */

struct gpu_written {
    pthread_mutex_t lock; /* of all that follows, and of windows while they change */
    const struct gpu_memory *memory;
    struct gpu_space *spaces;
    uint64_t *noted; /* a bit for each page of guest memory; NULL: off */
    uint64_t words;  /* of it */
    uint64_t lowest; /* those before it are 0 */
    int faults;      /* the userfaultfd; closing it ends all protection */
    int pagemap;
    bool blind; /* the kernel failed: all counts as written */
};

/* ---- notes ---- */

static void note(struct gpu_written *w, uint64_t address, uint64_t size)
{
    const uint64_t first = address / GPU_PAGE, end = UTIL_MIN((address + size) / GPU_PAGE, w->words * 64);
    for (uint64_t page = first; page < end; page++)
        w->noted[page / 64] |= 1ull << page % 64;
    w->lowest = UTIL_MIN(w->lowest, first / 64);
}

static unsigned region_count(const struct gpu_memory *memory)
{
    return memory->region_count ? memory->region_count : 1;
}

static struct gpu_memory_region region(const struct gpu_memory *memory, unsigned n)
{
    return memory->region_count ? memory->region[n]
                                : (struct gpu_memory_region){0, memory->size, memory->file_offset};
}

static void note_all(struct gpu_written *w)
{
    for (unsigned n = 0; n < region_count(w->memory); n++) {
        const struct gpu_memory_region r = region(w->memory, n);
        note(w, r.address, r.size);
    }
}

/* The first page from `from` on whose bit is `set`; the end if there is none. */
static uint64_t find(const struct gpu_written *w, uint64_t from, bool set)
{
    const uint64_t flip = set ? 0 : ~0ull, end = w->words * 64;
    if (from >= end)
        return end;
    uint64_t n = from / 64, word = (w->noted[n] ^ flip) & ~0ull << from % 64;
    while (!word && ++n < w->words)
        word = w->noted[n] ^ flip;
    return word ? n * 64 + (unsigned)__builtin_ctzll(word) : end;
}

/* The first run of noted pages from `from` on. False: there is none. */
static bool find_run(const struct gpu_written *w, uint64_t from, struct gpu_memory_region *out)
{
    uint64_t left;
    const uint64_t page = find(w, from, true);
    if (page == w->words * 64)
        return false;
    out->address = page * GPU_PAGE;
    out->offset = gpu_memory_offset(w->memory, out->address, &left);
    out->size = UTIL_MIN((find(w, page, false) - page) * GPU_PAGE, left);
    return true;
}

/* ---- the kernel's part ---- */

/* 0 or -errno. */
static int watch(const struct gpu_written *w, void *at, uint64_t size)
{
    const struct uffdio_range range = {(uintptr_t)at, size};
    struct uffdio_register registered = {.range = range, .mode = UFFDIO_REGISTER_MODE_WP};
    struct uffdio_writeprotect protected = {.range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    if (ioctl(w->faults, UFFDIO_REGISTER, &registered) < 0 ||
        ioctl(w->faults, UFFDIO_WRITEPROTECT, &protected) < 0)
        return -errno;
    return 0;
}

/* Notes what was written of `size` bytes of a window, or, of no space, of guest memory's mapping, and protects it. Parts
 * of a window that are not watched, as they may not be written, are passed over. 0 or -errno. */
static int scan(struct gpu_written *w, const struct gpu_space *space, uint64_t from, uint64_t size)
{
    struct gpu_kernel_page_region found[FOUND];
    const uint64_t base = (uintptr_t)(space ? space->window.base : w->memory->base), end = base + from + size;
    for (uint64_t at = base + from; at < end;) {
        struct gpu_kernel_scan scan = {.size = sizeof scan,
                                       .flags = KERNEL_SCAN_PROTECTS,
                                       .start = at,
                                       .end = end,
                                       .vec = (uintptr_t)found,
                                       .vec_len = FOUND,
                                       .category_mask = KERNEL_PAGE_WRITTEN,
                                       .return_mask = KERNEL_PAGE_WRITTEN};
        const int count = ioctl(w->pagemap, KERNEL_PAGEMAP_SCAN, &scan);
        if (count < 0 || scan.walk_end <= at)
            return count < 0 ? -errno : -EIO;
        for (int n = 0; n < count; n++) {
            const uint64_t start = found[n].start - base, stop = found[n].end - base;
            if (!space)
                note(w, start, stop - start);
            for (uint64_t a = start, physical; space && a < stop; a += GPU_PAGE)
                if (gpu_space_physical(space, a, &physical))
                    note(w, physical, GPU_PAGE);
        }
        at = scan.walk_end;
    }
    return 0;
}

/* Watches what of a space's window may be written. */
static int watch_window(const struct gpu_written *w, const struct gpu_space *space)
{
    int error = 0;
    for (uint32_t n = 0; n < GPU_SPACE_PAGES && !error;) {
        uint32_t end = n;
        while (end < GPU_SPACE_PAGES && space->page[end] & GPU_RIGHT_WRITE)
            end++;
        if (end > n)
            error = watch(w, space->window.base + (uint64_t)n * GPU_PAGE, (uint64_t)(end - n) * GPU_PAGE);
        n = end + 1;
    }
    return error;
}

/* A kernel that cannot says so in many ways, and so do those who forbid it. */
static int refused(int error)
{
    const bool own = !error || error == -ENOMEM || error == -EMFILE || error == -ENFILE;
    return own ? error : -ENOTSUP;
}

static int open_kernel(struct gpu_written *w)
{
    struct uffdio_api api = {.api = UFFD_API,
                             .features = KERNEL_WP_ASYNC | KERNEL_WP_UNPOPULATED | KERNEL_WP_HUGETLBFS_SHMEM};
    w->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | KERNEL_USER_MODE_ONLY);
    if (w->faults < 0 || ioctl(w->faults, UFFDIO_API, &api) < 0)
        return -errno;
    w->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    return w->pagemap < 0 ? -errno : 0;
}

static int begin(struct gpu_written *w)
{
    int error = open_kernel(w);
    for (unsigned n = 0; n < region_count(w->memory) && !error; n++) {
        const struct gpu_memory_region r = region(w->memory, n);
        error = watch(w, w->memory->base + r.address, r.size);
        if (!error && !n)
            error = scan(w, NULL, r.address, GPU_PAGE); /* whether it can */
    }
    for (const struct gpu_space *s = w->spaces; s && !error; s = s->next_written)
        error = watch_window(w, s);
    return error;
}

static void end(struct gpu_written *w)
{
    if (w->faults >= 0)
        close(w->faults);
    if (w->pagemap >= 0)
        close(w->pagemap);
    free(w->noted);
    w->noted = NULL;
    w->faults = w->pagemap = -1;
    w->blind = false;
}

/* ---- life ---- */

int gpu_written_create(const struct gpu_memory *memory, struct gpu_written **out)
{
    struct gpu_written *w = calloc(1, sizeof *w);
    *out = w;
    if (!w)
        return -ENOMEM;
    w->memory = memory;
    w->words = (memory->size / GPU_PAGE + 63) / 64;
    w->faults = w->pagemap = -1;
    pthread_mutex_init(&w->lock, NULL);
    return 0;
}

void gpu_written_destroy(struct gpu_written *written)
{
    if (!written)
        return;
    end(written);
    pthread_mutex_destroy(&written->lock);
    free(written);
}

void gpu_written_lock(struct gpu_written *written)
{
    if (written)
        pthread_mutex_lock(&written->lock);
}

void gpu_written_unlock(struct gpu_written *written)
{
    if (written)
        pthread_mutex_unlock(&written->lock);
}

int gpu_written_begin(struct gpu_written *written)
{
    int error = 0;
    if (!written || written->memory->fd < 0)
        return -ENOTSUP;
    gpu_written_lock(written);
    if (!written->noted) {
        written->lowest = written->words;
        written->noted = calloc(written->words, sizeof *written->noted);
        error = written->noted ? refused(begin(written)) : -ENOMEM;
        if (error)
            end(written);
    }
    gpu_written_unlock(written);
    return error;
}

void gpu_written_end(struct gpu_written *written)
{
    gpu_written_lock(written);
    if (written)
        end(written);
    gpu_written_unlock(written);
}

/* ---- what was written ---- */

/* In parts, between which who changes a space need not wait. */
static void scan_memory(struct gpu_written *w)
{
    for (unsigned n = 0; n < region_count(w->memory); n++) {
        const struct gpu_memory_region r = region(w->memory, n);
        for (uint64_t at = 0; at < r.size && w->noted; at += PART) {
            w->blind |= scan(w, NULL, r.address + at, UTIL_MIN(PART, r.size - at)) != 0;
            gpu_written_unlock(w);
            gpu_written_lock(w);
        }
    }
}

int gpu_written_gather(struct gpu_written *written)
{
    gpu_written_lock(written);
    scan_memory(written);
    for (const struct gpu_space *s = written->spaces; s && written->noted; s = s->next_written)
        gpu_written_note_window(written, s, 0, GPU_SPACE_PAGES);
    if (written->noted && written->blind)
        note_all(written);
    const int code = written->noted ? 0 : -ENODATA;
    gpu_written_unlock(written);
    return code;
}

bool gpu_written_next(struct gpu_written *written, struct gpu_memory_region *out)
{
    gpu_written_lock(written);
    const bool found = written->noted && find_run(written, written->lowest * 64, out);
    if (found) {
        const uint64_t first = out->address / GPU_PAGE, count = out->size / GPU_PAGE;
        for (uint64_t page = first; page < first + count; page++)
            written->noted[page / 64] &= ~(1ull << page % 64);
        written->lowest = first / 64;
    }
    gpu_written_unlock(written);
    return found;
}

uint32_t gpu_written_left(struct gpu_written *written)
{
    uint32_t count = 0;
    struct gpu_memory_region run;
    gpu_written_lock(written);
    if (written && written->noted)
        for (uint64_t page = written->lowest * 64; find_run(written, page, &run); count++)
            page = (run.address + run.size) / GPU_PAGE;
    gpu_written_unlock(written);
    return count;
}

void gpu_written_note_all(struct gpu_written *written)
{
    gpu_written_lock(written);
    if (written && written->noted)
        note_all(written);
    gpu_written_unlock(written);
}

/* ---- spaces ---- */

void gpu_written_add_space(struct gpu_written *written, struct gpu_space *space)
{
    if (!written)
        return;
    gpu_written_lock(written);
    space->next_written = written->spaces;
    written->spaces = space;
    gpu_written_unlock(written);
}

void gpu_written_remove_space(struct gpu_written *written, struct gpu_space *space)
{
    if (!written)
        return;
    gpu_written_lock(written);
    for (struct gpu_space **at = &written->spaces; *at; at = &(*at)->next_written)
        if (*at == space) {
            gpu_written_note_window(written, space, 0, GPU_SPACE_PAGES);
            *at = space->next_written;
            break;
        }
    gpu_written_unlock(written);
}

void gpu_written_note_window(struct gpu_written *written, const struct gpu_space *space, uint32_t first,
                             uint32_t count)
{
    if (written && written->noted)
        written->blind |= scan(written, space, (uint64_t)first * GPU_PAGE, (uint64_t)count * GPU_PAGE) != 0;
}

void gpu_written_watch(struct gpu_written *written, void *at, uint64_t size)
{
    if (written && written->noted)
        written->blind |= watch(written, at, size) != 0;
}
