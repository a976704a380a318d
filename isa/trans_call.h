/* IR that calls the ports of an interpreter: what sets' own calls (isa/SET/trans_call.c) are made of. Arguments stand
 * in slots of the function: what is asked for, blocks of words of all lanes that go in or come out. */
#ifndef VITRAIL_ISA_TRANS_CALL_H
#define VITRAIL_ISA_TRANS_CALL_H

#include "isa/trans_ports.h"

#define ISA_CALL_BLOCKS 3u

/* For one function under construction. The caller's, as long as he emits it; he sets `ports`, the rest begins as zero. */
struct isa_ir_calls {
    LLVMValueRef ports; /* ptr to the set's ports, which begin with their ctx, there when the code runs */
    bool used;          /* a port was called */
    /* Slots of the function, made when they are first wanted. */
    LLVMValueRef what, place, lanes[ISA_CALL_BLOCKS];
};

/* A slot of so many bytes. What stands in it is made where a port is called: code that mostly calls none pays nothing. */
LLVMValueRef isa_call_slot(struct jit_builder *b, LLVMValueRef *slot, size_t bytes);
/* Zeros in a slot's first bytes, which is returned; in words of block k. */
LLVMValueRef isa_call_clear(struct jit_builder *b, LLVMValueRef slot, size_t bytes);
void isa_call_clear_block(struct isa_ir_calls *c, struct jit_builder *b, unsigned k, unsigned count);
/* Block k: words of all lanes, at most eight. */
LLVMValueRef isa_call_lanes(struct isa_ir_calls *c, struct jit_builder *b, unsigned k);
void isa_call_put_byte(struct jit_builder *b, LLVMValueRef at, size_t offset, unsigned value);
/* A word of all lanes; `value` NULL: zeros, i32: the same in all. */
void isa_call_put_lanes(struct jit_builder *b, LLVMValueRef at, size_t offset, LLVMValueRef value);
void isa_call_put_number(struct jit_builder *b, LLVMValueRef at, size_t offset, struct isa_ir_number n);
LLVMValueRef isa_call_put_block(struct isa_ir_calls *c, struct jit_builder *b, unsigned k,
                                const LLVMValueRef *value, unsigned count);
void isa_call_get_block(struct isa_ir_calls *c, struct jit_builder *b, unsigned k, LLVMValueRef *out,
                        unsigned count);
/* Calls the port at `offset` of the ports with its ctx and at most 7 `args`. `result`: void or i8. */
LLVMValueRef isa_call(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMTypeRef result,
                      const LLVMValueRef *args, unsigned count);
LLVMValueRef isa_call_lane_bits(struct jit_builder *b, LLVMValueRef mask); /* i32 */
/* The same of a port that may fault, whose last argument, behind `count` ones, is the place of that: there has to be
 * room for it. Returns the lane that faults, as a mask. */
LLVMValueRef isa_call_ask(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef *args,
                          unsigned count, LLVMValueRef *address);
/* A struct isa_access, a struct isa_texture_request at `at`, zeros before. */
void isa_call_put_access(struct jit_builder *b, LLVMValueRef at, const struct isa_ir_access *a);
void isa_call_put_texture(struct jit_builder *b, LLVMValueRef at, const struct isa_ir_texture *t);

/* Ports that sets have alike, each at its `offset` of the set's; `what`: a slot of the set's for what is asked. Values
 * go in, or come out, by block k, or 0: out[] is what the port makes of it as it stands, as the caller has made it. */
LLVMValueRef isa_call_ask_with(struct isa_ir_calls *c, struct jit_builder *b, size_t offset,
                               LLVMValueRef what, unsigned k, LLVMValueRef mask, LLVMValueRef *address);
LLVMValueRef isa_call_load(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                           const struct isa_ir_access *a, LLVMValueRef mask, LLVMValueRef out[4],
                           LLVMValueRef *address);
LLVMValueRef isa_call_store(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                            const struct isa_ir_access *a, LLVMValueRef mask, const LLVMValueRef value[4],
                            LLVMValueRef *address);
LLVMValueRef isa_call_atomic(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                             const struct isa_ir_access *a, LLVMValueRef mask, const LLVMValueRef value[2],
                             const LLVMValueRef compare[2], LLVMValueRef out[2], LLVMValueRef *address);
LLVMValueRef isa_call_uniform(struct isa_ir_calls *c, struct jit_builder *b, size_t offset,
                              const struct isa_ir_uniform *u, LLVMValueRef mask, LLVMValueRef out[4],
                              LLVMValueRef *address);
LLVMValueRef isa_call_texture(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                              const struct isa_ir_texture *t, LLVMValueRef mask, LLVMValueRef out[4],
                              LLVMValueRef *address);

#endif
