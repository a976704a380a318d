#include "gpu/program_key.h"

#include <errno.h>
#include <stdlib.h>

uint8_t *gpu_program_key_write(const void *head, size_t head_size, struct jit_key_part keys,
                               struct jit_key_part words, size_t *size)
{
    const struct jit_key_part parts[] = {{head, head_size, 1, head_size}, keys, words};
    return jit_key_write(parts, 3, size);
}

int gpu_program_words_read(struct jit_key_reader *in, const struct gpu_program_kind *kind, uint32_t words,
                           void **program)
{
    const uint64_t length = (uint64_t)words * kind->word_bytes;
    struct gpu_program_decoded decoded = {.program = NULL};
    if (in->left < length)
        return -EINVAL;
    void *copy = calloc((size_t)words + kind->behind, kind->word_bytes);
    if (!copy)
        return -ENOMEM;
    jit_key_read(in, copy, length);
    int status = kind->decode(copy, words + kind->behind, &decoded, NULL);
    free(copy);
    *program = decoded.program;
    return status;
}

int gpu_program_key_read(struct jit_key_reader *in, const struct gpu_program_kind *kind, uint32_t words,
                         struct gpu_program_recipe *out)
{
    const uint64_t length = (uint64_t)words * kind->word_bytes;
    *out = (struct gpu_program_recipe){.kind = kind};
    if (in->left < length)
        return -EINVAL;
    out->keys = jit_key_take(in, in->left - length);
    int status = out->keys ? gpu_program_words_read(in, kind, words, &out->program) : -ENOMEM;
    if (status)
        gpu_program_recipe_finish(out);
    return status;
}

void gpu_program_recipe_finish(struct gpu_program_recipe *recipe)
{
    if (recipe->program)
        recipe->kind->destroy(recipe->program);
    free(recipe->keys);
    *recipe = (struct gpu_program_recipe){.kind = recipe->kind};
}
