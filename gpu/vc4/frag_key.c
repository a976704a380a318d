/* A fragment variant as the bytes that name its code, and back: code can be made of them alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag_internal.h"
#include "isa/vc4_qpu/trans.h"

/* What a key begins with; the texture keys and the program's words follow. */
struct head {
    char mark[16];
    struct raster_zs zs; /* has the stencil set-up */
    uint8_t samples, coverage, numeric, translator, visible, unused;
    uint32_t insn_count;
};

uint8_t *vc4_frag_key_write(const struct vc4_frag_variant *variant, size_t *size)
{
    const struct vc4_qpu_program *program = variant->program;
    const struct head head = {.mark = "vc4 fragment 14",
                              .samples = variant->samples,
                              .coverage = variant->coverage,
                              .visible = (uint8_t)(variant->visible | variant->quads << 1),
                              .numeric = (uint8_t)variant->numeric,
                              .translator = VC4_QPU_TRANS_VERSION,
                              .insn_count = program->insn_count};
    size_t keys = program->sample_count * sizeof *variant->keys;
    uint8_t *key = calloc(1, *size = sizeof head + keys + program->insn_count * sizeof(uint64_t)), *at = key;

    if (!key)
        return NULL;
    memcpy(at, &head, sizeof head);
    if (!variant->visible) /* else the tests are others' code */
        memcpy(at + offsetof(struct head, zs), &variant->zs, sizeof variant->zs);
    memcpy(at += sizeof head, variant->keys, keys);
    at += keys;
    for (uint32_t i = 0; i < program->insn_count; i++)
        memcpy(at + i * sizeof(uint64_t), &program->insns[i].word, sizeof(uint64_t));
    return key;
}

int vc4_frag_key_read(const void *key, size_t size, struct vc4_frag_recipe *out)
{
    const uint8_t *at = key;
    struct head head;
    uint64_t *words;
    int status;

    *out = (struct vc4_frag_recipe){0};
    memcpy(&head, at, sizeof head);
    size_t length = head.insn_count * sizeof *words, keys = size - sizeof head - length;
    words = malloc(length);
    out->keys = malloc(keys + 1);
    if (!words || !out->keys) {
        free(words);
        vc4_frag_recipe_finish(out);
        return -ENOMEM;
    }
    memcpy(out->keys, at + sizeof head, keys);
    memcpy(words, at + sizeof head + keys, length);
    status = vc4_qpu_program_create(words, head.insn_count, &out->program, NULL);
    free(words);
    if (status) {
        vc4_frag_recipe_finish(out);
        return status;
    }
    vc4_frag_plan_make(out->program, head.samples, &out->plan);
    out->variant = (struct vc4_frag_variant){.program = out->program,
                                             .plan = &out->plan,
                                             .keys = out->keys,
                                             .zs = head.zs,
                                             .samples = head.samples,
                                             .coverage = head.coverage,
                                             .visible = head.visible & 1,
                                             .quads = head.visible >> 1,
                                             .numeric = (enum isa_numeric)head.numeric};
    return 0;
}

void vc4_frag_recipe_finish(struct vc4_frag_recipe *recipe)
{
    vc4_qpu_program_destroy(recipe->program);
    free(recipe->keys);
}
