#include "gpu/observe.h"

#include <stdlib.h>
#include <string.h>

uint8_t *gpu_observed_words(const struct gpu_observed_program *program)
{
    size_t bytes = program->set->word_bytes;
    uint8_t *words = malloc(bytes * program->word_count + 1);
    for (uint32_t n = 0; words && n < program->word_count; n++)
        memcpy(words + n * bytes, program->words + (size_t)n * program->stride, bytes);
    return words;
}
