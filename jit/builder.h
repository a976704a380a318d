/* The vocabulary in which folders above write IR: 16-lane vectors, masks, loops. A builder lives for the
 * length of one jit_emit_fn call; nothing in it is owned by the callee. Values are LLVMValueRef.
 *
 * Lane vectors have 16 lanes: i32x16 for raw guest words and integers, f32x16 for floats (bitcast freely),
 * i1x16 for masks. Feature levels below AVX-512 split them; that is LLVM's business. No fast-math flags
 * anywhere: floats must round exactly as written. */
#ifndef VITRAIL_JIT_BUILDER_H
#define VITRAIL_JIT_BUILDER_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "jit/engine.h"

#define JIT_LANES 16

struct jit_builder {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    const char *symbol;    /* what jit_begin_function calls the function */
    LLVMValueRef function; /* the one under construction: set by jit_begin_function and jit_begin_internal */
    enum jit_level level;
    bool gathers; /* of JIT_AVX512: gathers by the instruction are quick */
    bool quick;   /* the code is to be compiled soon rather than run fast: nothing twice, little inline */
    LLVMTypeRef void_, i1, i8, i16, i32, i64, f32, f64, ptr;
    LLVMTypeRef i1x16, i8x16, i16x16, i32x16, i64x16, f32x16, ptrx16;
};

/* Starts the function of the request: external linkage, the given return and parameter types, nounwind,
 * positioned in its entry block. Pointer parameters get noalias only through jit_param_noalias. */
LLVMValueRef jit_begin_function(struct jit_builder *b, LLVMTypeRef result, const LLVMTypeRef *params,
                                unsigned count);
/* The same for a function of the module's own, to be called by others of it; may be used many times. */
LLVMValueRef jit_begin_internal(struct jit_builder *b, const char *name, LLVMTypeRef result,
                                const LLVMTypeRef *params, unsigned count);
LLVMValueRef jit_param(struct jit_builder *b, unsigned index);
/* The function under construction computes with denormals: its caller clears DAZ and FTZ. */
void jit_keep_denormals(struct jit_builder *b);
void jit_param_noalias(struct jit_builder *b, unsigned index);
/* Tells LLVM that a pointer (a parameter, or a load of one) may be read anywhere within `bytes`, so that
 * invariant loads through it leave a loop even where it reads them under a condition. */
void jit_param_readable(struct jit_builder *b, unsigned index, uint64_t bytes, uint64_t align);
void jit_load_readable(struct jit_builder *b, LLVMValueRef load, uint64_t bytes, uint64_t align);

/* Constants and splats. */
LLVMValueRef jit_i32(struct jit_builder *b, uint32_t v);
LLVMValueRef jit_i64(struct jit_builder *b, uint64_t v);
LLVMValueRef jit_f32(struct jit_builder *b, float v);
LLVMValueRef jit_f64(struct jit_builder *b, double v);
LLVMValueRef jit_splat_u32(struct jit_builder *b, uint32_t v);      /* i32x16 constant */
LLVMValueRef jit_splat_f32(struct jit_builder *b, float v);         /* f32x16 constant */
LLVMValueRef jit_splat(struct jit_builder *b, LLVMValueRef scalar); /* any scalar type */
LLVMValueRef jit_lane_ids(struct jit_builder *b);                   /* i32x16 0..15 */
LLVMValueRef jit_vector_u32(struct jit_builder *b, const uint32_t v[16]);

/* Bitcasts between the two views of a lane vector; a value already of that type is returned as it is. */
LLVMValueRef jit_as_f32(struct jit_builder *b, LLVMValueRef v);
LLVMValueRef jit_as_i32(struct jit_builder *b, LLVMValueRef v);

/* Memory: `base` is ptr, offsets in bytes (i64 or i32, zero-extended). `invariant` marks a load that nothing
 * in the function can change. */
LLVMValueRef jit_offset(struct jit_builder *b, LLVMValueRef base, LLVMValueRef byte_offset);
LLVMValueRef jit_offset_const(struct jit_builder *b, LLVMValueRef base, uint64_t byte_offset);
/* The same pointer, of which LLVM does not know that: what is read through it is read anew. */
LLVMValueRef jit_same_pointer(struct jit_builder *b, LLVMValueRef pointer);
LLVMValueRef jit_load(struct jit_builder *b, LLVMTypeRef type, LLVMValueRef address, unsigned align,
                      bool invariant);
/* An invariant load at the end of the function's entry block, which has been left; `base` is known there. */
LLVMValueRef jit_load_at_entry(struct jit_builder *b, LLVMTypeRef type, LLVMValueRef base,
                               uint64_t byte_offset, unsigned align);
void jit_store(struct jit_builder *b, LLVMValueRef value, LLVMValueRef address, unsigned align);
/* lanes of i32x16 at base + zext(offsets), where mask (i1x16) holds; other lanes give zero and touch no
 * memory. */
LLVMValueRef jit_gather_u32(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offsets,
                            LLVMValueRef mask);
enum { JIT_TABLE_WORDS = 512 }; /* the most in a table */
/* A table of the module's, of so many constant words: made once under its name. */
LLVMValueRef jit_table(struct jit_builder *b, const char *name, const uint32_t *word, unsigned count);
/* Word first + index of a table, index (i32x16) below 64, first a multiple of 64. */
LLVMValueRef jit_table_word(struct jit_builder *b, LLVMValueRef table, unsigned first, LLVMValueRef index);
/* The lanes of `value` (i32x16) to base + zext(offsets), where mask holds; in lane order where two meet. */
void jit_scatter_u32(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offsets, LLVMValueRef value,
                     LLVMValueRef mask);

/* Records of 1..4 words, unaligned, each at an address of its own (ptr): word k of record n is lane n of
 * out[k] or value[k] (i32x16). Nothing beyond the records is touched; stores are in lane order. */
void jit_load_records(struct jit_builder *b, const LLVMValueRef at[16], unsigned words, LLVMValueRef *out);
void jit_store_records(struct jit_builder *b, const LLVMValueRef at[16], unsigned words,
                       const LLVMValueRef *value);

/* Masks. */
LLVMValueRef jit_mask_from_bits(struct jit_builder *b,
                                LLVMValueRef i16_bits); /* i16 -> i1x16, bit i = lane i */
/* The same by a comparison at any level. For masks of which several are joined and others select by each: LLVM 19 goes in
 * circles over those that are bits in AVX-512 code. */
LLVMValueRef jit_mask_by_lanes(struct jit_builder *b, LLVMValueRef i16_bits);
LLVMValueRef jit_mask_to_bits(struct jit_builder *b, LLVMValueRef mask); /* i1x16 -> i16 */
LLVMValueRef jit_mask_any(struct jit_builder *b, LLVMValueRef mask);     /* i1 */
LLVMValueRef jit_mask_all(struct jit_builder *b, LLVMValueRef mask);
LLVMValueRef jit_select(struct jit_builder *b, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no);

/* Rounding, as AVX-512's instructions have it as an operand (Intel's manual, embedded rounding): as MXCSR says, which is to nearest
 * while programs run, or their own way, without exceptions. */
enum { JIT_ROUND_AS_SET = 4, JIT_ROUND_DOWN = 9, JIT_ROUND_UP = 10, JIT_ROUND_TO_ZERO = 11 };

/* Calls an LLVM intrinsic overloaded on the given types, e.g. "llvm.sqrt". */
LLVMValueRef jit_intrinsic(struct jit_builder *b, const char *name, const LLVMTypeRef *overload,
                           unsigned overload_count, LLVMValueRef *args, unsigned arg_count);
/* Whether v is a call of that intrinsic, of whichever types. */
bool jit_calls(LLVMValueRef v, const char *name);
/* Calls one of the host's own, for vectors that its registers of so many lanes hold in 1, 2 or 4 parts;
 * one or two arguments, as long as each other, up to 64 lanes. */
LLVMValueRef jit_intrinsic_by_parts(struct jit_builder *b, const char *name, unsigned lanes,
                                    const LLVMValueRef *args, unsigned arg_count);
/* The same of the level's widest registers: `names` for 128, 256 and 512 bits. Arguments are vectors of integers. */
LLVMValueRef jit_intrinsic_by_level(struct jit_builder *b, const char *const names[3],
                                    const LLVMValueRef *args, unsigned arg_count);
/* The float or vector of floats as an operand that LLVM cannot look through. It folds as if denormals were kept,
 * whatever the function's "denormal-fp-math" says: x * 1 is x to it, and denormal constants are not 0. */
LLVMValueRef jit_fence(struct jit_builder *b, LLVMValueRef f);
LLVMValueRef jit_floor(struct jit_builder *b, LLVMValueRef f32x16);
LLVMValueRef jit_sqrt(struct jit_builder *b, LLVMValueRef f32x16);
/* float -> i32 truncating, defined for |x| < 2^31; the caller keeps other values out (they are poison). */
LLVMValueRef jit_f32_to_i32(struct jit_builder *b, LLVMValueRef f32x16);
/* The same for all x: what does not fit, and NaN, gives -2^31, as the host's instruction has it. */
LLVMValueRef jit_f32_to_any_i32(struct jit_builder *b, LLVMValueRef f32x16);
/* The same, but what does not fit gives the greatest or the least integer, signed or not, and NaN 0. */
LLVMValueRef jit_f32_to_limited_i32(struct jit_builder *b, LLVMValueRef f32x16, bool is_signed);
/* The same as jit_f32_to_any_i32, and as jit_f32_to_limited_i32 of signed ones, to nearest, of two the even one. */
LLVMValueRef jit_f32_nearest_i32(struct jit_builder *b, LLVMValueRef f32x16);
LLVMValueRef jit_f32_nearest_limited_i32(struct jit_builder *b, LLVMValueRef f32x16);
LLVMValueRef jit_i32_to_f32(struct jit_builder *b, LLVMValueRef i32x16); /* signed */

/* Stack slots in the entry block; zero there. */
LLVMValueRef jit_alloca(struct jit_builder *b, LLVMTypeRef type, const char *name);
LLVMValueRef jit_alloca_zero(struct jit_builder *b, LLVMTypeRef type, const char *name);

/* A counted loop: for (i32 i = 0; i < count; i++). */
struct jit_loop {
    LLVMValueRef index; /* i32 */
    LLVMBasicBlockRef body, latch, exit;
};
void jit_loop_begin(struct jit_builder *b, struct jit_loop *loop, LLVMValueRef count);
void jit_loop_end(struct jit_builder *b, struct jit_loop *loop);
/* Goes on with the next iteration from the current block; the builder is left in a fresh
 * unreachable-from-here block. */
void jit_loop_continue_if(struct jit_builder *b, struct jit_loop *loop, LLVMValueRef condition);

/* if (condition) { ... } */
struct jit_if {
    LLVMBasicBlockRef then, merge;
};
void jit_if_begin(struct jit_builder *b, struct jit_if *s, LLVMValueRef condition);
void jit_if_end(struct jit_builder *b, struct jit_if *s);
/* Tells LLVM that a conditional branch nearly always goes its first way: registers are then spilled on the
 * other. */
void jit_likely(struct jit_builder *b, LLVMValueRef branch);

#endif
