/* How translated programs end in a fault: the word of isa/fault.h, with the lowest of the lanes that have it. What
 * translations share that leave for their end at once. */
#ifndef VITRAIL_ISA_TRANS_FAULT_H
#define VITRAIL_ISA_TRANS_FAULT_H

#include "isa/fault.h"
#include "jit/builder.h"

/* What a program ends with, in slots. */
struct isa_trans_end {
    LLVMValueRef fault, address; /* i32, i64 */
    LLVMValueRef named;          /* i1x16: lanes that a report names before all others; NULL: none */
};

/* Leaves the builder where one of `lanes` (i1x16) is set, in a block that has to be ended; *on is where none is.
 * What they are as bits: i16. */
LLVMValueRef isa_trans_where_any(struct jit_builder *b, LLVMValueRef lanes, LLVMBasicBlockRef *on);
/* Stores a fault of instruction `at`: of `lanes` (i16, not 0) the lowest, of those named first, with its `address` (i64x16 or NULL). */
void isa_trans_store_fault(struct jit_builder *b, const struct isa_trans_end *end, uint32_t kind, uint32_t at,
                           LLVMValueRef lanes, LLVMValueRef address);

/* Takes what all of several sets of lanes pay from the i32 in slot `fuel`; where that is more than is left it goes to the
 * block `leave`. As if each lane had paid all that any has: sets that run alone find out whether one has none left. */
void isa_trans_pay_together(struct jit_builder *b, LLVMValueRef fuel, uint32_t cost, LLVMBasicBlockRef leave);

#endif
