/* A GPU's address space as host mappings of the guest's memory file. */
#include "gpu/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/written.h"
#include "util/bits.h"

enum { DIRECTORIES = 1024, PAGES = 1024, NOW = 1, NEXT = 2 };
#define SPACE_BYTES (1ull << 32)

static uint64_t physical_of(uint32_t entry)
{
    return (uint64_t)(entry >> GPU_SPACE_SHIFT) * GPU_PAGE;
}

/* ---- host mappings ---- */

static bool unmap_host(struct gpu_space *s, uint32_t first, uint32_t count)
{
    void *at = s->window.base + (uint64_t)first * GPU_PAGE;
    return mmap(at, (size_t)count * GPU_PAGE, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static bool map_host(struct gpu_space *s, uint32_t first, uint32_t count, uint32_t entry)
{
    if (!entry)
        return unmap_host(s, first, count);
    int protection = PROT_READ | (entry & GPU_RIGHT_WRITE ? PROT_WRITE : 0);
    for (uint32_t done = 0;
         done < count;) { /* pages that follow each other in the guest need not in the file */
        uint64_t left, physical = physical_of(entry) + (uint64_t)done * GPU_PAGE;
        const off_t offset = (off_t)gpu_memory_offset(s->memory, physical, &left);
        const uint32_t more = (uint32_t)UTIL_MIN(left / GPU_PAGE, (uint64_t)(count - done));
        void *at = s->window.base + ((uint64_t)first + done) * GPU_PAGE;
        if (mmap(at, (size_t)more * GPU_PAGE, protection, MAP_SHARED | MAP_FIXED, s->memory->fd, offset) ==
            MAP_FAILED)
            return false;
        if (protection & PROT_WRITE)
            gpu_written_watch(s->memory->written, at, (uint64_t)more * GPU_PAGE);
        done += more;
    }
    return true;
}

/* The entry that continues a run behind its n-th page. */
static uint32_t continued(uint32_t entry, uint32_t n)
{
    return entry ? entry + (n << GPU_SPACE_SHIFT) : 0;
}

int gpu_space_create(const struct gpu_memory *memory, struct gpu_space *out)
{
    *out = (struct gpu_space){.memory = memory};
    if (memory->fd < 0)
        return -ENOTSUP;
    out->page = calloc((size_t)DIRECTORIES * PAGES, sizeof *out->page);
    out->next = calloc((size_t)DIRECTORIES * PAGES, sizeof *out->next);
    out->used = calloc(DIRECTORIES, 1);
    int error = out->page && out->next && out->used ? gpu_memory_reserve(SPACE_BYTES, &out->window) : -ENOMEM;
    if (error)
        gpu_space_destroy(out);
    else
        gpu_written_add_space(memory->written, out);
    return error;
}

void gpu_space_destroy(struct gpu_space *space)
{
    if (space->memory)
        gpu_written_remove_space(space->memory->written, space);
    gpu_memory_destroy(&space->window);
    free(space->page);
    free(space->next);
    free(space->used);
    *space = (struct gpu_space){0};
}

/* ---- a new set of pages ---- */

void gpu_space_begin(struct gpu_space *space)
{
    for (uint32_t d = 0; d < DIRECTORIES; d++)
        if (space->used[d] & NEXT) {
            memset(&space->next[d * PAGES], 0, PAGES * sizeof *space->next);
            space->used[d] &= (uint8_t)~NEXT;
        }
}

bool gpu_space_map(struct gpu_space *space, uint64_t address, uint64_t physical, uint32_t rights)
{
    uint64_t n = address / GPU_PAGE, number = physical / GPU_PAGE;
    if (n >= GPU_SPACE_PAGES ||
        (rights && (number >> (32 - GPU_SPACE_SHIFT) || !gpu_memory_at(space->memory, physical, GPU_PAGE))))
        return false;
    space->next[n] = rights ? (uint32_t)number << GPU_SPACE_SHIFT | rights : 0;
    space->used[n / PAGES] |= NEXT;
    return true;
}

/* Runs of pages that follow one another in guest memory too, in the directories used. */
static uint32_t count_pieces(const struct gpu_space *s)
{
    uint32_t pieces = 0;
    for (uint32_t d = 0; d < DIRECTORIES; d++) {
        if (!(s->used[d] & NEXT))
            continue;
        for (uint32_t n = d * PAGES; n < (d + 1) * PAGES; n++)
            pieces += s->next[n] && (n % PAGES == 0 || s->next[n] != continued(s->next[n - 1], 1));
    }
    return pieces;
}

/* Makes the host's mappings of a directory those of `next`, where they differ. */
static bool apply_directory(struct gpu_space *s, uint32_t d)
{
    uint32_t end = (d + 1) * PAGES;
    bool noted = false;
    for (uint32_t n = d * PAGES; n < end;) {
        uint32_t count = 1;
        if (s->page[n] == s->next[n]) {
            n++;
            continue;
        }
        if (!noted)
            gpu_written_note_window(s->memory->written, s, d * PAGES, PAGES);
        noted = true;
        while (n + count < end && s->next[n + count] == continued(s->next[n], count) &&
               s->next[n + count] != s->page[n + count])
            count++;
        if (!map_host(s, n, count, s->next[n]))
            return false;
        n += count;
    }
    memcpy(&s->page[d * PAGES], &s->next[d * PAGES], PAGES * sizeof *s->page);
    s->used[d] = s->used[d] & NEXT ? NOW | NEXT : 0;
    return true;
}

static int make_empty(struct gpu_space *s, int error)
{
    gpu_written_note_window(s->memory->written, s, 0, GPU_SPACE_PAGES);
    (void)unmap_host(s, 0, DIRECTORIES * PAGES);
    memset(s->page, 0, (size_t)DIRECTORIES * PAGES * sizeof *s->page);
    memset(s->next, 0, (size_t)DIRECTORIES * PAGES * sizeof *s->next);
    memset(s->used, 0, DIRECTORIES);
    s->pieces = 0;
    return error;
}

static int apply(struct gpu_space *space)
{
    uint32_t pieces = count_pieces(space);
    if (pieces > GPU_SPACE_PIECES)
        return make_empty(space, -E2BIG);
    for (uint32_t d = 0; d < DIRECTORIES; d++)
        if (space->used[d] && !apply_directory(space, d))
            return make_empty(space, -ENOMEM);
    space->pieces = pieces;
    return 0;
}

int gpu_space_end(struct gpu_space *space)
{
    gpu_written_lock(space->memory->written);
    const int error = apply(space);
    gpu_written_unlock(space->memory->written);
    return error;
}

/* ---- looking up ---- */

bool gpu_space_allows(const struct gpu_space *space, uint64_t address, uint64_t size, uint32_t rights,
                      uint64_t *where)
{
    uint64_t at = address;
    bool allowed = size != 0;
    for (; allowed && at - address < size; at = (at | (GPU_PAGE - 1)) + 1) {
        allowed = at < SPACE_BYTES && (space->page[at / GPU_PAGE] & rights) == rights;
        if (!allowed)
            break;
    }
    if (!allowed && where)
        *where = at;
    return allowed;
}

uint8_t *gpu_space_widen(const struct gpu_space *space, struct gpu_space_run *run, uint64_t address,
                         uint64_t size)
{
    uint64_t from = address & ~(uint64_t)(GPU_PAGE - 1), where = from + GPU_SPACE_RUN;
    if (!gpu_space_allows(space, address, size, GPU_RIGHT_READ, NULL))
        return NULL;
    gpu_space_allows(space, from, GPU_SPACE_RUN, GPU_RIGHT_READ, &where);
    *run = (struct gpu_space_run){from, where};
    return space->window.base + address;
}

bool gpu_space_physical(const struct gpu_space *space, uint64_t address, uint64_t *out)
{
    uint32_t entry = address < SPACE_BYTES ? space->page[address / GPU_PAGE] : 0;
    *out = physical_of(entry) + address % GPU_PAGE;
    return entry != 0;
}

bool gpu_space_physical_span(const struct gpu_space *space, uint64_t address, uint64_t size, uint64_t *out)
{
    uint64_t first, at;
    if (!gpu_space_physical(space, address, &first))
        return false;
    for (uint64_t n = GPU_PAGE - address % GPU_PAGE; n < size; n += GPU_PAGE)
        if (!gpu_space_physical(space, address + n, &at) || at != first + n)
            return false;
    *out = first;
    return true;
}
