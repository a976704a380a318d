/* What is known of a program's use as a vertex or coordinate program, kept with the program: its plan of VPM
 * accesses, and its code for each set of texture keys. Lists grow at the front and are read without locks. */
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/vertex_internal.h"

struct vc4_vertex_code {
    struct vc4_vertex_code *next;
    struct jit_engine *engine;
    struct jit_function *function; /* NULL: to be interpreted */
    uint32_t key_count;
    struct raster_texture_key keys[];
};

void vc4_vertex_code_destroy(struct vc4_vertex_code *list)
{
    for (struct vc4_vertex_code *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

bool vc4_vertex_code_find(const struct vc4_program_notes *notes, struct vc4_vertex_stage *stage,
                          struct jit_engine *engine)
{
    uint32_t count = stage->program->sample_count;
    const struct vc4_vertex_code *code =
        notes ? atomic_load_explicit(&notes->vertex, memory_order_acquire) : NULL;
    while (code && (code->engine != engine || code->key_count != count ||
                    memcmp(code->keys, stage->keys, count * sizeof *stage->keys) != 0))
        code = code->next;
    if (code)
        stage->function = code->function;
    return code;
}

void vc4_vertex_code_keep(struct vc4_program_notes *notes, const struct vc4_vertex_stage *stage,
                          struct jit_engine *engine)
{
    size_t bytes = stage->program->sample_count * sizeof *stage->keys;
    struct vc4_vertex_code *code = notes ? malloc(sizeof *code + bytes) : NULL;
    if (!code) /* then the next draw asks the engine again */
        return;
    code->engine = engine;
    code->function = stage->function;
    code->key_count = stage->program->sample_count;
    memcpy(code->keys, stage->keys, bytes);
    code->next = atomic_load(&notes->vertex);
    while (!atomic_compare_exchange_weak(&notes->vertex, &code->next, code))
        ;
}

const struct vc4_vpm_plan *vc4_vertex_plan(struct vc4_program_notes *notes,
                                           const struct vc4_qpu_program *program, struct vc4_vpm_plan **own)
{
    struct vc4_vpm_plan *plan = notes ? atomic_load_explicit(&notes->vpm, memory_order_acquire) : NULL;
    *own = NULL;
    if (plan)
        return plan;
    struct vc4_vpm_plan *made = malloc(sizeof *made);
    if (!made)
        return NULL;
    vc4_vpm_plan_make(program, made);
    if (notes && atomic_compare_exchange_strong(&notes->vpm, &plan, made))
        return made;
    *own = made; /* of another's making, or nowhere to be kept */
    return made;
}
