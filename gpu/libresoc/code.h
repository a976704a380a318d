/* Programs as host code (isa/simple_v/trans.h), by what runs them: their memory, and where they end. Internal to gpu/libresoc. */
#ifndef VITRAIL_GPU_LIBRESOC_CODE_H
#define VITRAIL_GPU_LIBRESOC_CODE_H

#include "isa/simple_v/flow.h"
#include "jit/engine.h"

struct jit_builder;

enum libresoc_code_kind { LIBRESOC_CODE_STAGE, LIBRESOC_CODE_PROCESS };

#define LIBRESOC_PROCESS_STOP                                                                                \
    1u /* no instruction stands at an odd address: a process ends by a call, or a fault */

/* The code of a program, which may go then, from where threads enter it on: void (*)(struct libresoc_thread *) for a stage,
 * void (*)(struct libresoc_running *) for a process. `run_cost` and errors: as jit_engine_get_function has them. Thread-safe. */
int libresoc_code_get(struct jit_engine *engine, enum libresoc_code_kind kind,
                      const struct simple_v_program *program, const struct simple_v_entry *entry,
                      uint32_t run_cost, struct jit_function **out, struct util_error *error);

/* ---- what the kinds have for it ---- */

/* Finds one address: `address`, `bytes` (i64), as the port `place` of struct simple_v_ir_ports has them. */
typedef LLVMValueRef (*libresoc_place_fn)(void *ctx, struct jit_builder *b, LLVMValueRef address,
                                          LLVMValueRef *there);
/* Each lane's address of a vector, in a loop: what is compiled for each would be long. */
LLVMValueRef libresoc_place_each(struct jit_builder *b, LLVMValueRef addresses, libresoc_place_fn one,
                                 void *ctx, LLVMValueRef *there);

/* The port `place` of either kind. */
LLVMValueRef libresoc_stage_place(void *ctx, struct jit_builder *b, LLVMValueRef thread, LLVMValueRef address,
                                  LLVMValueRef bytes, bool stores, LLVMValueRef *there);
LLVMValueRef libresoc_process_place(void *ctx, struct jit_builder *b, LLVMValueRef thread,
                                    LLVMValueRef address, LLVMValueRef bytes, bool stores,
                                    LLVMValueRef *there);

#endif
