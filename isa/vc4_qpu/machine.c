/* Where a program meets other programs. */
#include "isa/vc4_qpu/machine.h"

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
        if (w.happens && w.waddr == VC4_QPU_W_HOST_INT)
            sync |= VC4_QPU_SYNC_INTERRUPT;
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
