#include "jit/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/bits.h"

#define PAGE 4096u

struct jit_arena {
    pthread_mutex_t lock;
    uint8_t *base;
    uint64_t size, used;
};

/* Sections of one object between allocation and finalisation. */
struct object {
    struct jit_arena *arena;
    struct section {
        uint8_t *at;
        uint64_t size;
        int protection;
    } *sections;
    unsigned count, capacity;
};

struct jit_arena *jit_arena_create(uint64_t bytes)
{
    struct jit_arena *arena = calloc(1, sizeof *arena);

    if (!arena)
        return NULL;
    arena->size = util_align(bytes, PAGE);
    arena->base = mmap(NULL, arena->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena->base == MAP_FAILED) {
        free(arena);
        return NULL;
    }
    pthread_mutex_init(&arena->lock, NULL);
    return arena;
}

void jit_arena_destroy(struct jit_arena *arena)
{
    if (!arena)
        return;
    munmap(arena->base, arena->size);
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}

bool jit_arena_has_room(struct jit_arena *arena, uint64_t object_bytes)
{
    /* Sections and their stubs never exceed the file by more than a page a section; 64 pages are plenty. */
    pthread_mutex_lock(&arena->lock);
    bool room = object_bytes < arena->size && 2 * object_bytes + 64 * PAGE <= arena->size - arena->used;
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

static void *object_create(void *arena)
{
    struct object *object = calloc(1, sizeof *object);

    if (object)
        object->arena = arena;
    return object;
}

static void object_destroy(void *opaque)
{
    struct object *object = opaque;

    if (object)
        free(object->sections);
    free(object);
}

static bool remember(struct object *object, struct section section)
{
    if (object->count == object->capacity) {
        unsigned capacity = object->capacity ? 2 * object->capacity : 8;
        void *grown = realloc(object->sections, capacity * sizeof *object->sections);
        if (!grown)
            return false;
        object->sections = grown;
        object->capacity = capacity;
    }
    object->sections[object->count++] = section;
    return true;
}

static uint8_t *allocate(struct object *object, uint64_t size, uint64_t align, int protection)
{
    struct section section = {.size = util_align(size ? size : 1, PAGE), .protection = protection};

    if (!object || align > PAGE)
        return NULL;
    struct jit_arena *arena = object->arena;
    pthread_mutex_lock(&arena->lock);
    if (section.size <= arena->size - arena->used) {
        section.at = arena->base + arena->used;
        arena->used += section.size;
    }
    pthread_mutex_unlock(&arena->lock);
    if (!section.at || mprotect(section.at, section.size, PROT_READ | PROT_WRITE) ||
        !remember(object, section))
        return NULL;
    return section.at;
}

static uint8_t *allocate_code(void *object, uintptr_t size, unsigned align, unsigned id, const char *name)
{
    return allocate(object, size, align, PROT_READ | PROT_EXEC);
}

static uint8_t *allocate_data(void *object, uintptr_t size, unsigned align, unsigned id, const char *name,
                              LLVMBool read_only)
{
    return allocate(object, size, align, read_only ? PROT_READ : PROT_READ | PROT_WRITE);
}

static LLVMBool finalize(void *opaque, char **message)
{
    struct object *object = opaque;

    for (unsigned i = 0; i < object->count; i++) {
        const struct section *s = &object->sections[i];
        if (mprotect(s->at, s->size, s->protection)) {
            *message = strdup("mprotect failed");
            return true;
        }
    }
    object->count = 0;
    return false;
}

static void terminating(void *arena) {}

LLVMOrcObjectLayerRef jit_arena_object_layer(struct jit_arena *arena, LLVMOrcExecutionSessionRef session)
{
    return LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks(
        session, arena, object_create, terminating, allocate_code, allocate_data, finalize, object_destroy);
}
