/* Where a program meets other programs. */
#include "isa/vc4_qpu/machine.h"

#include <stddef.h>

#include "isa/vc4_qpu/program_internal.h"

unsigned vc4_qpu_sync_of(const struct vc4_qpu_insn *insn)
{
    unsigned sync = 0;

    if (insn->kind == VC4_QPU_BRANCH)
        return 0;
    if (insn->kind == VC4_QPU_SEMAPHORE)
        sync |= insn->imm >> 4 & 1 ? VC4_QPU_SYNC_DOWN : VC4_QPU_SYNC_UP;
    if (vc4_qpu_reads(insn, VC4_QPU_R_MUTEX))
        sync |= VC4_QPU_SYNC_TAKE;
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        if (w.happens && w.waddr == VC4_QPU_W_MUTEX)
            sync |= VC4_QPU_SYNC_GIVE;
    }
    return sync;
}

bool vc4_qpu_starts_dma(const struct vc4_qpu_insn *insn)
{
    for (unsigned mul = 0; mul < 2; mul++) {
        struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
        if (w.happens && w.waddr == VC4_QPU_W_VPM_ADDR)
            return true;
    }
    return false;
}

/* The block that holds instruction `pc`, or NULL. */
static const struct vc4_qpu_block *block_of(const struct vc4_qpu_program *program, uint32_t pc)
{
    uint32_t low = 0, high = program->block_count; /* the last block that begins at or before pc */

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (program->blocks[middle].first <= pc)
            low = middle;
        else
            high = middle;
    }
    const struct vc4_qpu_block *block = &program->blocks[low];
    return pc - block->first < block->count ? block : NULL;
}

bool vc4_qpu_is_leader(const struct vc4_qpu_program *program, uint32_t pc)
{
    const struct vc4_qpu_block *block = block_of(program, pc);

    return block && block->first == pc;
}

bool vc4_qpu_can_enter(const struct vc4_qpu_program *program, const struct vc4_qpu_machine *machine,
                       bool granted)
{
    const struct vc4_qpu_block *block = block_of(program, machine->pc);

    if (!block || granted)
        return block;
    return block->first == machine->pc && machine->branch_in == VC4_QPU_IDLE &&
           machine->end_in == VC4_QPU_IDLE;
}
