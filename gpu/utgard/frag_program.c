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
static int take(struct utgard_frag_program *p, const uint8_t *at, struct utgard_frag_shared *shared,
                uint32_t count, struct util_error *error)
{
    p->words = util_arena_alloc(shared->arena, count * 4ull);
    if (!p->words)
        return -ENOMEM;
    memcpy(p->words, at, count * 4ull);
    return utgard_pp_program_create(p->words, count, &p->decoded, error);
}

static int read_program(struct utgard_frag_program *p, const struct gpu_space *space,
                        struct utgard_frag_shared *shared, uint32_t address)
{
    uint32_t all = gpu_space_extent(space, address, UTGARD_PP_MAX_WORDS * 4, GPU_RIGHT_READ) / 4;
    uint32_t count = UTIL_MIN(all, SHORT_PROGRAM);
    const uint8_t *at = space->window.base + address;
    struct util_error error = {0};
    int status = -EFAULT;

    if (!count) {
        utgard_pp_refuse(&p->fault, GPU_FAULT_MEMORY, UNIT, address, "the program is outside memory");
        return status;
    }
    status = take(p, at, shared, count, &error);
    if (status == -EBADMSG && all > count) {
        error = (struct util_error){0};
        status = take(p, at, shared, all, &error);
    }
    if (status)
        utgard_pp_refuse(&p->fault, GPU_FAULT_SHADER, UNIT, address, "%s", error.text);
    return status;
}

int utgard_frag_take_program(struct utgard_frag *frag, const struct gpu_space *space,
                             struct utgard_frag_shared *shared, struct gpu_fault *fault)
{
    const struct util_memo_key key = {.head = &frag->address, .head_size = sizeof frag->address};
    enum util_make_status status;
    struct utgard_frag_program *p = util_memo_get(&shared->programs, &key, sizeof *p, &status);

    if (!p)
        return -ENOMEM;
    if (status == UTIL_MAKING) {
        p->error = read_program(p, space, shared, frag->address);
        status = util_memo_end(&shared->programs, p, !p->error);
    }
    if (status != UTIL_MADE) {
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
    frag->in_order = twin->in_order;
    frag->visible = twin->visible;
    frag->test = twin->test;
    frag->opaque = twin->opaque;
    frag->quads = twin->quads;
    return true;
}

void utgard_frag_shared_begin(struct utgard_frag_shared *shared, struct util_maker *maker,
                              struct util_arena *arena)
{
    shared->arena = arena;
    util_memo_init(&shared->programs, maker, arena);
}

void utgard_frag_shared_end(struct utgard_frag_shared *shared)
{
    bool made;

    for (struct utgard_frag_program *p = NULL; (p = util_memo_next(&shared->programs, p, &made));)
        utgard_pp_program_destroy(p->decoded);
    util_memo_clear(&shared->programs);
}
