/* Where LLVM's code generator is known to be wrong, modules are changed before it sees them. Internal to
 * jit/. */
#ifndef VITRAIL_JIT_WORKAROUND_H
#define VITRAIL_JIT_WORKAROUND_H

#include <llvm-c/Core.h>

#include "jit/engine.h"

/* AVX-512: a choice between bits by a constant, under a lane mask, with one of its operands in the other
 * lanes becomes a masked VPTERNLOG whose truth table belongs to another order of operands (LLVM issue 157929:
 * two transformations swapped, in every release up to 22). A fence between the bitwise operations and the
 * select keeps them two instructions. Call it on the optimised module. */
void jit_avoid_masked_ternlog(LLVMModuleRef module, enum jit_level level);

#endif
