/* VideoCore IV's programs as observers are told of them. */
#ifndef VITRAIL_GPU_VC4_OBSERVE_H
#define VITRAIL_GPU_VC4_OBSERVE_H

#include "gpu/observe.h"
#include "isa/vc4_qpu/program.h"

/* A program whose code stands at `code`. */
static inline struct gpu_observed_program vc4_observed_program(const struct vc4_qpu_program *program,
                                                               uint32_t code)
{
    return (struct gpu_observed_program){.set = isa_set_find("vc4-qpu"),
                                         .words = (const uint8_t *)&program->insns[0].word,
                                         .stride = sizeof program->insns[0],
                                         .word_count = program->insn_count,
                                         .insn_count = program->insn_count,
                                         .hash = program->hash,
                                         .address = code,
                                         .branches = program->has_branches};
}

#endif
