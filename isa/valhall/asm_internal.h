/* The assembler's operands. Sources: asm.h. */
#ifndef VITRAIL_ISA_VALHALL_ASM_INTERNAL_H
#define VITRAIL_ISA_VALHALL_ASM_INTERNAL_H

#include "isa/assembler.h"
#include "isa/valhall/names.h"

/* An instruction that is being read. */
struct valhall_draft {
    struct valhall_insn insn;
    bool begun;    /* an operand stands before */
    bool paged;    /* an operand has said which page it is on */
    uint16_t said; /* a bit for each field that was, by its place in the format */
    bool flow;
};

/* Each reads what it says, as the format has it. 0, -EINVAL. */
int valhall_asm_registers(struct isa_assembler *as, struct valhall_draft *d);
int valhall_asm_source(struct isa_assembler *as, struct valhall_draft *d, unsigned n);
/* The comma before an operand, but the first. */
int valhall_asm_next(struct isa_assembler *as, struct valhall_draft *d);

#endif
