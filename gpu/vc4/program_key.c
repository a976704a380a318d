/* The parts of a key that fragment and vertex programs share. */
#include "gpu/vc4/program_key.h"

#include <errno.h>
#include <stdlib.h>

uint8_t *vc4_program_key_write(const void *head, size_t head_size, const struct vc4_qpu_program *program,
                               const struct raster_texture_key *keys, size_t *size)
{
    const struct jit_key_part parts[] = {
        {head, head_size, 1, head_size},
        {keys, sizeof *keys, keys ? program->sample_count : 0, sizeof *keys},
        {&program->insns->word, sizeof program->insns->word, program->insn_count, sizeof *program->insns}};
    return jit_key_write(parts, 3, size);
}

int vc4_program_key_read(struct jit_key_reader *in, uint32_t insn_count, struct vc4_program_recipe *out)
{
    size_t length = insn_count * sizeof(uint64_t);
    uint64_t *words = NULL;
    int status = -ENOMEM;

    *out = (struct vc4_program_recipe){0};
    if (in->left < length)
        return -EINVAL;
    out->keys = jit_key_take(in, in->left - length);
    words = jit_key_take(in, length);
    if (out->keys && words)
        status = vc4_qpu_program_create(words, insn_count, &out->program, NULL);
    free(words);
    if (status)
        vc4_program_recipe_finish(out);
    return status;
}

void vc4_program_recipe_finish(struct vc4_program_recipe *recipe)
{
    vc4_qpu_program_destroy(recipe->program);
    free(recipe->keys);
    *recipe = (struct vc4_program_recipe){0};
}
