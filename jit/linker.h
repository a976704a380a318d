/* ORC: object files into running code. Internal to jit/. */
#ifndef VITRAIL_JIT_LINKER_H
#define VITRAIL_JIT_LINKER_H

#include <llvm-c/TargetMachine.h>

#include "jit/engine.h"

struct jit_linker;

/* NULL and a message when ORC does not start. Code lives until jit_linker_destroy. */
struct jit_linker *jit_linker_create(enum jit_level level, struct util_error *error);
void jit_linker_destroy(struct jit_linker *linker); /* NULL is accepted */

/* Links an object file and finds `symbol` in it. Takes `object`, whatever the result. An object may call
 * memcpy, memmove and memset, and nothing else outside itself. 0 and *code, -ENOMEM (code memory is used up)
 * or -EINVAL. Thread-safe. */
int jit_linker_add(struct jit_linker *linker, LLVMMemoryBufferRef object, const char *symbol, void **code,
                   struct util_error *error);
uint64_t jit_linker_code_bytes(struct jit_linker *linker);

#endif
