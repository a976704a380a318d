/* Text to words; the instructions are asm_insn.c's. */
#include "isa/vc4_qpu/asm.h"

#include "isa/vc4_qpu/asm_internal.h"

static int instruction(struct isa_assembler *as, struct isa_token mnemonic)
{
    uint64_t word;
    int err = vc4_qpu_asm_instruction(as, mnemonic, &word);
    return err ? err : isa_asm_emit(as, &word, sizeof word);
}

const struct isa_syntax vc4_qpu_syntax = {.word_bytes = VC4_QPU_WORD_BYTES, .instruction = instruction};
