/* What the code of a vertex or coordinate program depends on as the bytes that name it, and back: code can be
 * made of them alone. */
#include <errno.h>

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
    const struct head head = {.mark = "vc4 vertex 9",
                              .numeric = (uint16_t)variant->numeric,
                              .translator = VC4_QPU_TRANS_VERSION,
                              .coordinate = variant->coordinate,
                              .insn_count = variant->program->insn_count};

    return vc4_program_key_write(&head, sizeof head, variant->program, variant->keys, size);
}

int vc4_vertex_key_read(const void *key, size_t size, struct vc4_vertex_recipe *out)
{
    struct jit_key_reader in = {key, size};
    struct head head;
    int status;

    *out = (struct vc4_vertex_recipe){0};
    if (!jit_key_read(&in, &head, sizeof head))
        return -EINVAL;
    status = gpu_program_key_read(&in, &vc4_program_kind, head.insn_count, &out->of);
    if (status)
        return status;
    vc4_vpm_plan_make(out->of.program, &out->plan);
    out->variant = (struct vc4_vertex_variant){.program = out->of.program,
                                               .plan = &out->plan,
                                               .keys = out->of.keys,
                                               .numeric = (enum isa_numeric)head.numeric,
                                               .coordinate = head.coordinate != 0};
    return 0;
}
