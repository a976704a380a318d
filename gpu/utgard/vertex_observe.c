/* What an observer is told of a draw's vertices (gpu/observe.h). */
#include "gpu/observe.h"

#include "gpu/utgard/vertex_internal.h"
#include "util/bits.h"

void utgard_observe_shading(const struct gpu_observer *observer, const struct utgard_vertex_stage *stage,
                            const struct gpu_space *space, uint32_t number, uint32_t vertices, bool done)
{
    const struct utgard_gp_program *p = stage->program;
    const struct gpu_observed_program program = {.set = isa_set_find("utgard-gp"),
                                                 .words = space->window.base + stage->at,
                                                 .stride = sizeof(uint64_t[UTGARD_GP_WORDS]),
                                                 .word_count = p->insn_count,
                                                 .insn_count = p->insn_count,
                                                 .hash = p->hash,
                                                 .address = stage->at,
                                                 .branches = p->block_count > 1};
    const struct gpu_observed_shading shading = {.number = number,
                                                 .program = &program,
                                                 .vertices = vertices,
                                                 .instructions =
                                                     (uint64_t)util_div_up(vertices, 16) * p->insn_count};
    if (observer->shade)
        observer->shade(observer->data, &shading, done);
}
