/* Programs of fragments: read once where several draws have the same, and with them the code of the last draw
 * that does not differ in what code depends on. */
#include <errno.h>
#include <string.h>

#include "gpu/utgard/frag_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT          "fragment program"
#define SHORT_PROGRAM 1024u /* words: more than most have */

/* Guest memory may change while it is read: the program is taken of a copy. */
static int take(struct utgard_frag_program *p, const struct gpu_space *space,
                struct utgard_frag_shared *shared, uint32_t count, struct util_error *error)
{
    p->words = util_arena_alloc(shared->arena, count * 4ull);
    if (!p->words)
        return -ENOMEM;
    memcpy(p->words, space->window.base + p->address, count * 4ull);
    return utgard_pp_program_create(p->words, count, &p->decoded, error);
}

static int read_program(struct utgard_frag_program *p, const struct gpu_space *space,
                        struct utgard_frag_shared *shared)
{
    uint32_t all = gpu_space_extent(space, p->address, UTGARD_PP_MAX_WORDS * 4, GPU_RIGHT_READ) / 4;
    uint32_t count = UTIL_MIN(all, SHORT_PROGRAM);
    struct util_error error = {0};
    int status = -EFAULT;

    if (!count) {
        utgard_pp_refuse(&p->fault, GPU_FAULT_MEMORY, UNIT, p->address, "the program is outside memory");
        return status;
    }
    status = take(p, space, shared, count, &error);
    if (status == -EBADMSG && all > count) {
        error = (struct util_error){0};
        status = take(p, space, shared, all, &error);
    }
    if (status)
        utgard_pp_refuse(&p->fault, GPU_FAULT_SHADER, UNIT, p->address, "%s", error.text);
    return status;
}

static struct utgard_frag_program *find(struct utgard_frag_program *p, uint32_t address)
{
    while (p && p->address != address)
        p = p->next;
    return p;
}

/* The program at that address; *fresh: it is the caller's to make. NULL: no host memory. */
static struct utgard_frag_program *get(struct utgard_frag_shared *shared, uint32_t address, bool *fresh)
{
    _Atomic(struct utgard_frag_program *) *bucket = &shared->bucket[(address >> 6) % UTGARD_FRAG_PROGRAMS];
    struct utgard_frag_program *p = find(atomic_load_explicit(bucket, memory_order_acquire), address);

    *fresh = false;
    if (p)
        return p;
    pthread_mutex_lock(&shared->maker->lock);
    p = find(atomic_load_explicit(bucket, memory_order_relaxed), address);
    if (!p && (p = utgard_frag_alloc(shared, sizeof *p))) {
        *fresh = true;
        p->address = address;
        p->next = atomic_load_explicit(bucket, memory_order_relaxed);
        atomic_store_explicit(bucket, p, memory_order_release);
    }
    pthread_mutex_unlock(&shared->maker->lock);
    return p;
}

int utgard_frag_take_program(struct utgard_frag *frag, const struct gpu_space *space,
                             struct utgard_frag_shared *shared, struct gpu_fault *fault)
{
    bool fresh;
    struct utgard_frag_program *p = get(shared, frag->address, &fresh);

    if (!p)
        return -ENOMEM;
    if (fresh) {
        p->error = read_program(p, space, shared);
        util_make_end(shared->maker, &p->status, !p->error);
    }
    if (!util_make_wait(shared->maker, &p->status)) {
        *fault = p->fault;
        return p->error;
    }
    frag->from = p;
    frag->program = p->decoded;
    frag->words = p->words;
    return 0;
}

/* As keys of code have them: padding is zero. */
static bool same(const void *a, const void *b, size_t bytes)
{
    return !bytes || memcmp(a, b, bytes) == 0;
}

/* Code is that of the head, the texture keys and the program. */
bool utgard_frag_share_code(struct utgard_frag *frag)
{
    const struct utgard_frag *twin = atomic_load_explicit(&frag->from->twin, memory_order_acquire);

    if (!twin || !same(&twin->head, &frag->head, sizeof frag->head) ||
        !same(twin->keys, frag->keys, frag->head.sample_count * sizeof *frag->keys))
        return false;
    frag->shader = twin->shader;
    frag->shader.args = &frag->args;
    frag->one_block = twin->one_block;
    return true;
}

void utgard_frag_shared_end(struct utgard_frag_shared *shared)
{
    for (uint32_t n = 0; n < UTGARD_FRAG_PROGRAMS; n++) {
        for (struct utgard_frag_program *p = atomic_load(&shared->bucket[n]); p; p = p->next)
            utgard_pp_program_destroy(p->decoded);
        atomic_store(&shared->bucket[n], NULL);
    }
}
