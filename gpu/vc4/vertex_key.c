/* What the code of a vertex or coordinate program depends on as the bytes that name it, and back: code can be
 * made of them alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/vertex_internal.h"
#include "isa/vc4_qpu/trans.h"

/* What a key begins with; the texture keys and the program's words follow. */
struct head {
    char mark[16];
    uint16_t numeric, translator;
    uint32_t coordinate, insn_count;
};

uint8_t *vc4_vertex_key_write(const struct vc4_vertex_variant *variant, size_t *size)
{
    const struct vc4_qpu_program *program = variant->program;
    const struct head head = {.mark = "vc4 vertex 7",
                              .numeric = (uint16_t)variant->numeric,
                              .translator = VC4_QPU_TRANS_VERSION,
                              .coordinate = variant->coordinate,
                              .insn_count = program->insn_count};
    size_t keys = program->sample_count * sizeof *variant->keys;
    uint8_t *key = malloc(*size = sizeof head + keys + program->insn_count * sizeof(uint64_t)), *at = key;

    if (!key)
        return NULL;
    memcpy(at, &head, sizeof head);
    memcpy(at += sizeof head, variant->keys, keys);
    at += keys;
    for (uint32_t i = 0; i < program->insn_count; i++)
        memcpy(at + i * sizeof(uint64_t), &program->insns[i].word, sizeof(uint64_t));
    return key;
}

int vc4_vertex_key_read(const void *key, size_t size, struct vc4_vertex_recipe *out)
{
    const uint8_t *at = key;
    struct head head;
    uint64_t *words;
    int status;

    *out = (struct vc4_vertex_recipe){0};
    memcpy(&head, at, sizeof head);
    size_t length = head.insn_count * sizeof *words, keys = size - sizeof head - length;
    words = malloc(length);
    out->keys = malloc(keys + 1);
    if (!words || !out->keys) {
        free(words);
        vc4_vertex_recipe_finish(out);
        return -ENOMEM;
    }
    memcpy(out->keys, at + sizeof head, keys);
    memcpy(words, at + sizeof head + keys, length);
    status = vc4_qpu_program_create(words, head.insn_count, &out->program, NULL);
    free(words);
    if (status) {
        vc4_vertex_recipe_finish(out);
        return status;
    }
    vc4_vpm_plan_make(out->program, &out->plan);
    out->variant = (struct vc4_vertex_variant){.program = out->program,
                                               .plan = &out->plan,
                                               .keys = out->keys,
                                               .numeric = (enum isa_numeric)head.numeric,
                                               .coordinate = head.coordinate != 0};
    return 0;
}

void vc4_vertex_recipe_finish(struct vc4_vertex_recipe *recipe)
{
    vc4_qpu_program_destroy(recipe->program);
    free(recipe->keys);
}
