/* Keys of compiled programs (jit/key.h): a head of the stage's own, texture keys, the program's words; and
 * back. */
#ifndef VITRAIL_GPU_PROGRAM_KEY_H
#define VITRAIL_GPU_PROGRAM_KEY_H

#include "gpu/program.h"
#include "jit/key.h"

/* `keys` and `words` as the program and its draw have them; count 0: none. The caller frees the key. NULL:
 * out of memory. */
uint8_t *gpu_program_key_write(const void *head, size_t head_size, struct jit_key_part keys,
                               struct jit_key_part words, size_t *size);

/* The program of the next `words` of `in`. 0, -EINVAL (they are not there), -ENOMEM, or as the kind decodes. */
int gpu_program_words_read(struct jit_key_reader *in, const struct gpu_program_kind *kind, uint32_t words,
                           void **program);
/* What stands behind the head, of which `in` has been read: `words` of that kind are the last. 0 and what
 * gpu_program_recipe_finish ends, or -EINVAL, -ENOMEM, or as the kind decodes. */
struct gpu_program_recipe {
    const struct gpu_program_kind *kind;
    void *program; /* the kind's */
    void *keys;
};
int gpu_program_key_read(struct jit_key_reader *in, const struct gpu_program_kind *kind, uint32_t words,
                         struct gpu_program_recipe *out);
void gpu_program_recipe_finish(struct gpu_program_recipe *recipe);

#endif
