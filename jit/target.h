/* Host levels as LLVM target machines. Internal to jit/. */
#ifndef VITRAIL_JIT_TARGET_H
#define VITRAIL_JIT_TARGET_H

#include <llvm-c/TargetMachine.h>

#include "jit/engine.h"

/* Starts LLVM's x86 target once a process; false when LLVM was built without it. Thread-safe. */
bool jit_target_init(void);
/* A machine for the level, owned by the caller (LLVMDisposeTargetMachine); NULL on failure. A machine is used
 * by one thread at a time. `optimize`: 0 quick, 2 optimised. */
LLVMTargetMachineRef jit_target_machine(enum jit_level level, unsigned optimize);
/* Whether the host gathers sixteen words by one instruction of AVX-512 faster than by sixteen loads. */
bool jit_target_gathers_fast(void);
/* Widest register of the level in bits, as LLVM's vector-width attributes want it. */
const char *jit_target_vector_width(enum jit_level level);
/* Function passes of the pipeline, in LLVM's textual form. */
const char *jit_target_passes(unsigned optimize);

#endif
