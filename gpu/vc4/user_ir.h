/* User programs as compiled code. Internal to gpu/vc4/user*.c. */
#ifndef VITRAIL_GPU_VC4_USER_IR_H
#define VITRAIL_GPU_VC4_USER_IR_H

#include "jit/engine.h"
#include "gpu/vc4/user_internal.h"

/* Compiles the program or finds its code: 0 and *out; -ENOTSUP or another negative errno when it must be
 * interpreted. Thread-safe. */
int vc4_user_compile(const struct vc4_qpu_program *program, enum isa_numeric numeric,
                     struct jit_engine *engine, vc4_user_fn *out, struct util_error *error);

#endif
