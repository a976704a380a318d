/* What is known of a program's use as a vertex or coordinate program, kept with the program: its plan of VPM
 * accesses, and its code for each set of texture keys. */
#include <stdlib.h>

#include "gpu/vc4/vertex_internal.h"

void vc4_vertex_code_find(struct gpu_program *cached, struct vc4_vertex_stage *stage,
                          struct jit_engine *engine)
{
    const uintptr_t of = (uintptr_t)engine;
    const struct util_memo_key key = {&of, sizeof of, stage->keys,
                                      stage->program->sample_count * sizeof *stage->keys};
    enum util_make_status status = UTIL_NOT_MADE;
    struct jit_function **kept =
        cached ? gpu_program_code(cached, &key, sizeof(struct jit_function *), &status) : NULL;

    if (status == UTIL_MADE) {
        stage->function = *kept;
        return;
    }
    struct util_error error = {0};
    vc4_vertex_compile(stage, engine, &error);
    if (!kept) /* then the next draw asks the engine again */
        return;
    *kept = stage->function;
    util_memo_end(&cached->codes, kept, true);
}

const struct vc4_vpm_plan *vc4_vertex_plan(struct gpu_program *cached, const struct vc4_qpu_program *program,
                                           struct vc4_vpm_plan **own)
{
    const struct util_memo_key key = {.head = "vpm plan", .head_size = 8};
    enum util_make_status status = UTIL_NOT_MADE;
    struct vc4_vpm_plan *plan = cached ? util_memo_get(&cached->plans, &key, sizeof *plan, &status) : NULL;

    *own = NULL;
    if (status == UTIL_MADE)
        return plan;
    if (!plan)
        *own = plan = malloc(sizeof *plan);
    if (!plan)
        return NULL;
    vc4_vpm_plan_make(program, plan);
    if (status == UTIL_MAKING)
        util_memo_end(&cached->plans, plan, true);
    return plan;
}
