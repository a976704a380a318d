/* Programs of fragments: read once where several draws have the same, and with them the code of the last draw
 * that does not differ in what code depends on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frag_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT          "fragment program"
#define SHORT_PROGRAM 1024u /* words: more than most have */

/* Guest memory may change while it is read: the program is taken of a copy. */
static int take(struct utgard_frag_program *p, const struct gpu_space *space, uint32_t count,
                struct util_error *error)
{
    free(p->words);
    p->words = malloc(count * 4ull);
    if (!p->words)
        return -ENOMEM;
    memcpy(p->words, space->window.base + p->address, count * 4ull);
    return utgard_pp_program_create(p->words, count, &p->decoded, error);
}

static int read_program(struct utgard_frag_program *p, const struct gpu_space *space, struct gpu_fault *fault)
{
    uint32_t all = gpu_space_extent(space, p->address, UTGARD_PP_MAX_WORDS * 4, GPU_RIGHT_READ) / 4;
    uint32_t count = UTIL_MIN(all, SHORT_PROGRAM);
    struct util_error error = {0};
    int status = -EFAULT;

    if (!count) {
        utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, p->address, "the program is outside memory");
        return status;
    }
    status = take(p, space, count, &error);
    if (status == -EBADMSG && all > count) {
        error = (struct util_error){0};
        status = take(p, space, all, &error);
    }
    if (status)
        utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, p->address, "%s", error.text);
    return status;
}

static void release(struct utgard_frag_program *p)
{
    if (!p)
        return;
    utgard_pp_program_destroy(p->decoded);
    free(p->words);
    free(p);
}

int utgard_frag_take_program(struct utgard_frag *frag, const struct gpu_space *space,
                             struct utgard_frag_programs *known, struct gpu_fault *fault)
{
    uint32_t bucket = (frag->address >> 6) % UTGARD_FRAG_PROGRAMS;
    struct utgard_frag_program *p = known ? known->bucket[bucket] : NULL;
    int status;

    while (p && p->address != frag->address)
        p = p->next;
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p)
            return -ENOMEM;
        p->address = frag->address;
        status = read_program(p, space, fault);
        if (status) {
            release(p);
            return status;
        }
        if (known) {
            p->next = known->bucket[bucket];
            known->bucket[bucket] = p;
        }
    }
    frag->from = p;
    frag->owns_program = !known;
    frag->program = p->decoded;
    frag->words = p->words;
    return 0;
}

void utgard_frag_leave_program(struct utgard_frag *frag)
{
    if (frag->owns_program)
        release(frag->from);
    if (!frag->shares_quads)
        free(frag->quads);
}

/* As keys of code have them: padding is zero. */
static bool same(const void *a, const void *b, size_t bytes)
{
    return !bytes || memcmp(a, b, bytes) == 0;
}

/* Code is that of the head, the texture keys and the program. */
bool utgard_frag_share_code(struct utgard_frag *frag)
{
    const struct utgard_frag *twin = frag->from->twin;

    if (!twin || !same(&twin->head, &frag->head, sizeof frag->head) ||
        !same(twin->keys, frag->keys, frag->head.sample_count * sizeof *frag->keys))
        return false;
    frag->in_order = twin->in_order;
    frag->visible = twin->visible;
    frag->test = twin->test;
    frag->opaque = twin->opaque;
    frag->quads = twin->quads;
    frag->shares_quads = true;
    return true;
}

void utgard_frag_programs_free(struct utgard_frag_programs *programs)
{
    for (uint32_t n = 0; n < UTGARD_FRAG_PROGRAMS; n++)
        while (programs->bucket[n]) {
            struct utgard_frag_program *next = programs->bucket[n]->next;

            release(programs->bucket[n]);
            programs->bucket[n] = next;
        }
}
