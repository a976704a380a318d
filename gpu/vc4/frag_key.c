/* A fragment variant as the bytes that name its code, and back: code can be made of them alone. */
#include <errno.h>
#include <string.h>

#include "gpu/vc4/frag_internal.h"
#include "isa/vc4_qpu/trans.h"

/* What a key begins with; the texture keys and the program's words follow. */
struct head {
    char mark[16];
    struct raster_zs zs; /* has the stencil set-up */
    uint8_t samples, coverage, numeric, translator, form, words;
    uint32_t insn_count;
};

uint8_t *vc4_frag_key_write(const struct vc4_frag_variant *variant, size_t *size)
{
    struct head head = {.mark = "vc4 fragment 17",
                        .samples = variant->samples,
                        .words = variant->words,
                        .coverage = variant->coverage,
                        .form = (uint8_t)variant->form,
                        .numeric = (uint8_t)variant->numeric,
                        .translator = VC4_QPU_TRANS_VERSION,
                        .insn_count = variant->program->insn_count};

    if (variant->form == RASTER_IR_PRIM) /* else the tests are others' code */
        memcpy(&head.zs, &variant->zs, sizeof head.zs);
    return vc4_program_key_write(&head, sizeof head, variant->program, variant->keys, size);
}

int vc4_frag_key_read(const void *key, size_t size, struct vc4_frag_recipe *out)
{
    struct jit_key_reader in = {key, size};
    struct head head;
    int status;

    *out = (struct vc4_frag_recipe){0};
    if (!jit_key_read(&in, &head, sizeof head))
        return -EINVAL;
    status = gpu_program_key_read(&in, &vc4_program_kind, head.insn_count, &out->of);
    if (status)
        return status;
    vc4_frag_plan_make(out->of.program, head.samples, head.words, &out->plan);
    out->variant = (struct vc4_frag_variant){.program = out->of.program,
                                             .plan = &out->plan,
                                             .keys = out->of.keys,
                                             .zs = head.zs,
                                             .samples = head.samples,
                                             .words = head.words,
                                             .coverage = head.coverage,
                                             .form = (enum raster_ir_form)head.form,
                                             .numeric = (enum isa_numeric)head.numeric};
    return 0;
}
