#include "jit/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/bits.h"

#define PAGE 4096u

/* LLVM ends the process when a section gets no memory. So there is always some: what cannot be given from the
 * arena is given from here, the object is refused when it is linked, and what was written is forgotten. */
#define WASTE_BYTES (UINT64_C(16) << 20)

struct section {
    uint8_t *at;
    uint64_t size;
    int protection;
};

struct jit_arena {
    pthread_mutex_t lock;
    uint8_t *base, *waste;
    uint64_t size, used;
    /* The object that is being linked, one at a time: its sections until they are final. */
    struct section *sections;
    unsigned count, capacity;
    bool failed;
};

static void *reserve(uint64_t bytes, int protection)
{
    void *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

struct jit_arena *jit_arena_create(uint64_t bytes)
{
    struct jit_arena *arena = calloc(1, sizeof *arena);

    if (!arena)
        return NULL;
    pthread_mutex_init(&arena->lock, NULL);
    arena->size = util_align(bytes, PAGE);
    arena->base = reserve(arena->size, PROT_NONE);
    arena->waste = reserve(WASTE_BYTES, PROT_READ | PROT_WRITE);
    if (arena->base && arena->waste)
        return arena;
    jit_arena_destroy(arena);
    return NULL;
}

void jit_arena_destroy(struct jit_arena *arena)
{
    if (!arena)
        return;
    if (arena->base)
        munmap(arena->base, arena->size);
    if (arena->waste)
        munmap(arena->waste, WASTE_BYTES);
    free(arena->sections);
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}

bool jit_arena_has_room(struct jit_arena *arena, uint64_t object_bytes)
{
    /* Sections and their stubs never exceed the file by more than a page a section; 64 pages are plenty. */
    const uint64_t most = 2 * object_bytes + 64 * PAGE;

    pthread_mutex_lock(&arena->lock);
    bool room = object_bytes < WASTE_BYTES && most <= WASTE_BYTES && most <= arena->size - arena->used;
    pthread_mutex_unlock(&arena->lock);
    return room;
}

uint64_t jit_arena_used(struct jit_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    uint64_t used = arena->used;
    pthread_mutex_unlock(&arena->lock);
    return used;
}

bool jit_arena_failed(struct jit_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    bool failed = arena->failed;
    arena->failed = false;
    pthread_mutex_unlock(&arena->lock);
    if (failed)
        madvise(arena->waste, WASTE_BYTES, MADV_DONTNEED);
    return failed;
}

/* ---- what LLVM asks for while it links an object ---- */

static void *object_create(void *opaque)
{
    struct jit_arena *arena = opaque;

    pthread_mutex_lock(&arena->lock);
    arena->count = 0;
    arena->failed = false;
    pthread_mutex_unlock(&arena->lock);
    return arena;
}

static void object_destroy(void *arena) {}

static bool remember(struct jit_arena *arena, struct section section)
{
    if (arena->count == arena->capacity) {
        unsigned capacity = arena->capacity ? 2 * arena->capacity : 8;
        void *grown = realloc(arena->sections, capacity * sizeof *arena->sections);
        if (!grown)
            return false;
        arena->sections = grown;
        arena->capacity = capacity;
    }
    arena->sections[arena->count++] = section;
    return true;
}

/* Lock held. */
static uint8_t *take(struct jit_arena *arena, uint64_t size, int protection)
{
    struct section section = {arena->base + arena->used, size, protection};

    if (size > arena->size - arena->used)
        return NULL;
    arena->used += size;
    if (!mprotect(section.at, size, PROT_READ | PROT_WRITE))
        return remember(arena, section) ? section.at : NULL;
    arena->used = arena->size; /* the kernel has no more mappings: the arena is full */
    return NULL;
}

static uint8_t *allocate(struct jit_arena *arena, uint64_t size, uint64_t align, int protection)
{
    uint64_t pages = util_align(size ? size : 1, PAGE);

    pthread_mutex_lock(&arena->lock);
    uint8_t *at = align <= PAGE ? take(arena, pages, protection) : NULL;
    arena->failed |= !at;
    pthread_mutex_unlock(&arena->lock);
    return at ? at : pages <= WASTE_BYTES ? arena->waste : NULL;
}

static uint8_t *allocate_code(void *arena, uintptr_t size, unsigned align, unsigned id, const char *name)
{
    return allocate(arena, size, align, PROT_READ | PROT_EXEC);
}

static uint8_t *allocate_data(void *arena, uintptr_t size, unsigned align, unsigned id, const char *name,
                              LLVMBool read_only)
{
    return allocate(arena, size, align, read_only ? PROT_READ : PROT_READ | PROT_WRITE);
}

static LLVMBool finalize(void *opaque, char **message)
{
    struct jit_arena *arena = opaque;

    pthread_mutex_lock(&arena->lock);
    for (unsigned i = 0; i < arena->count && !arena->failed; i++) {
        const struct section *s = &arena->sections[i];
        arena->failed = mprotect(s->at, s->size, s->protection) != 0;
        if (arena->failed)
            arena->used = arena->size;
    }
    arena->count = 0;
    bool failed = arena->failed;
    pthread_mutex_unlock(&arena->lock);
    if (failed)
        *message = strdup("no memory for code");
    return failed;
}

static void terminating(void *arena) {}

LLVMOrcObjectLayerRef jit_arena_object_layer(struct jit_arena *arena, LLVMOrcExecutionSessionRef session)
{
    return LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks(
        session, arena, object_create, terminating, allocate_code, allocate_data, finalize, object_destroy);
}
