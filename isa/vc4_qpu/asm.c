/* Text to words; the instructions are asm_insn.c's. */
#include "isa/vc4_qpu/asm.h"

#include "isa/vc4_qpu/asm_internal.h"

static int instruction(struct isa_assembler *as, struct isa_token mnemonic)
{
    uint64_t word;
    int err = vc4_qpu_asm_instruction(as, mnemonic, &word);
    return err ? err : isa_asm_emit(as, &word, sizeof word);
}

int vc4_qpu_asm(const char *text, size_t length, uint64_t **out, uint32_t *count, struct util_error *error)
{
    static const struct isa_syntax syntax = {.raw_bytes = sizeof(uint64_t), .instruction = instruction};
    void *bytes;
    size_t size;
    int err = isa_assemble(&syntax, text, length, &bytes, &size, error);
    if (err)
        return err;
    *out = bytes;
    *count = (uint32_t)(size / sizeof(uint64_t));
    return 0;
}
