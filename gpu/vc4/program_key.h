/* Keys of compiled QPU programs (jit/key.h): a head of the stage's own, the texture keys, the program's
 * words; and back. */
#ifndef VITRAIL_GPU_VC4_PROGRAM_KEY_H
#define VITRAIL_GPU_VC4_PROGRAM_KEY_H

#include "isa/vc4_qpu/program.h"
#include "jit/key.h"
#include "raster/texture/texture.h"

/* `keys`: one for each sample of the program; NULL: none are kept. The caller frees the key. NULL: out of
 * memory. */
uint8_t *vc4_program_key_write(const void *head, size_t head_size, const struct vc4_qpu_program *program,
                               const struct raster_texture_key *keys, size_t *size);

/* What stands behind the head, of which `in` has been read: 0 and what vc4_program_recipe_finish ends, or
 * -EINVAL, -ENOMEM, or as vc4_qpu_program_create. */
struct vc4_program_recipe {
    struct vc4_qpu_program *program;
    struct raster_texture_key *keys;
};
int vc4_program_key_read(struct jit_key_reader *in, uint32_t insn_count, struct vc4_program_recipe *out);
void vc4_program_recipe_finish(struct vc4_program_recipe *recipe);

#endif
