/* Programs as LLVM IR. The meaning is README.md's; memory is reached through an IR port; the thread's registers stay where the
 * interpreter has them, so that it can do any instruction, and compiled code is left between any two. */
#ifndef VITRAIL_ISA_SIMPLE_V_TRANS_H
#define VITRAIL_ISA_SIMPLE_V_TRANS_H

#include "isa/simple_v/flow.h"
#include "isa/simple_v/interp.h"
#include "jit/builder.h"

struct simple_v_ir_ports {
    void *ctx;
    /* Where the host has `bytes` (i64) of the guest's memory from `address` (i64, or a vector of them) on, as i64 likewise;
     * *there: whether all of them may be loaded, or stored (i1, or a vector). What the port of struct simple_v_ports that
     * loads or stores does there has to be no more than a copy. `thread`: of simple_v_translate. */
    LLVMValueRef (*place)(void *ctx, struct jit_builder *b, LLVMValueRef thread, LLVMValueRef address,
                          LLVMValueRef bytes, bool stores, LLVMValueRef *there);
};

/* Emits, at the builder's position, a run of `thread` (a pointer to struct simple_v_thread) from where it is to its end: what
 * simple_v_run does, with the thread's own fuel and report. thread->run.stop has to be `stop`. What is found from `entry` on is
 * compiled; NULL: from the first halfword, as simple_v_start begins. A thread may be anywhere all the same. FFLAGS are undefined
 * behind a program that never reads them (program->reads_flags). `program` may go when the builder is done. 0, -ENOMEM. */
int simple_v_translate(struct jit_builder *b, const struct simple_v_program *program,
                       const struct simple_v_entry *entry, uint64_t stop,
                       const struct simple_v_ir_ports *ports, LLVMValueRef thread);

#endif
