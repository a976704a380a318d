/* One module through LLVM's passes and code generator, on a thread of its own. The thread has a deep stack
 * (LLVM recurses), can be abandoned when the deadline passes (it then frees what it holds when LLVM comes
 * back), and turns LLVM's fatal errors into a failed compile instead of the end of the process. Internal to
 * jit/. */
#ifndef VITRAIL_JIT_COMPILE_H
#define VITRAIL_JIT_COMPILE_H

#include <llvm-c/TargetMachine.h>

#include "jit/engine.h"

/* Target machines at rest, shared by the compiles of an engine; outlives the engine while abandoned compiles
 * still run. */
struct jit_machines;
struct jit_machines *jit_machines_create(enum jit_level level, unsigned optimize);
void jit_machines_release(struct jit_machines *machines); /* NULL is accepted */
/* Waits until no abandoned compile runs any more, for `limit_ms` at most. */
void jit_machines_wait(struct jit_machines *machines, unsigned limit_ms);

/* Takes `module` and its `context` (both are gone afterwards, whatever the result). 0 and *object (the caller
 * disposes of it), -ETIME, -EINVAL (LLVM failed; its words in `error`), -ENOMEM or -EAGAIN (no thread). */
int jit_compile(struct jit_machines *machines, LLVMContextRef context, LLVMModuleRef module,
                unsigned deadline_ms, LLVMMemoryBufferRef *object, struct util_error *error);

#endif
