/* One module through LLVM's passes and code generator, on a thread of its own. The thread has a deep stack
 * (LLVM recurses), can be abandoned when the deadline passes (it then frees what it holds when LLVM comes
 * back), and turns LLVM's fatal errors into a failed compile instead of the end of the process. Internal to
 * jit/. */
#ifndef VITRAIL_JIT_COMPILE_H
#define VITRAIL_JIT_COMPILE_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#include "jit/engine.h"

/* Target machines at rest, shared by the compiles of an engine; outlives the engine while abandoned compiles
 * still run. */
struct jit_machines;
struct jit_machines *jit_machines_create(enum jit_level level, unsigned optimize);
void jit_machines_release(struct jit_machines *machines); /* NULL is accepted */
/* Waits until no abandoned compile runs any more, for `limit_ms` at most. */
void jit_machines_wait(struct jit_machines *machines, unsigned limit_ms);

/* A compile that has begun. */
struct jit_job;

/* Takes `module` and its `context` (both are gone afterwards, whatever the result). 0 and *job, -ENOMEM or
 * -EAGAIN (no thread). */
int jit_job_start(struct jit_machines *machines, LLVMContextRef context, LLVMModuleRef module,
                  struct jit_job **job, struct util_error *error);
bool jit_job_is_done(struct jit_job *job);
/* Waits for it and frees it. 0 and *object (the caller disposes of it), -ETIME, -EINVAL (LLVM failed; its
 * words in `error`) or -ENOMEM. */
int jit_job_finish(struct jit_job *job, unsigned deadline_ms, LLVMMemoryBufferRef *object,
                   struct util_error *error);
/* Its result is not wanted; NULL is accepted. */
void jit_job_abandon(struct jit_job *job);

#endif
