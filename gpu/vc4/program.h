/* QPU programs: how the program cache (gpu/program.h) takes them, and keys of their compiled code. */
#ifndef VITRAIL_GPU_VC4_PROGRAM_H
#define VITRAIL_GPU_VC4_PROGRAM_H

#include "gpu/fault.h"
#include "gpu/memory.h"
#include "gpu/program_key.h"
#include "isa/vc4_qpu/program.h"
#include "raster/texture/texture.h"

extern const struct gpu_program_kind vc4_program_kind;

/* The program at guest address `code`, found in a cache of that kind; NULL and *fault on error. It and
 * *cached, its entry there (NULL is accepted), live until the cache is emptied. */
const struct vc4_qpu_program *vc4_programs_get(struct gpu_programs *programs, const struct gpu_memory *memory,
                                               uint32_t code, struct gpu_program **cached,
                                               struct gpu_fault *fault);

/* gpu_program_key_write; `keys`: one for each sample of the program; NULL: none are kept. */
uint8_t *vc4_program_key_write(const void *head, size_t head_size, const struct vc4_qpu_program *program,
                               const struct raster_texture_key *keys, size_t *size);

#endif
