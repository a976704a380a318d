/* Functions that guests have as instructions, over f32x16: the sequences of isa/sfu.h, bit for bit. */
#ifndef VITRAIL_JIT_MATH_H
#define VITRAIL_JIT_MATH_H

#include "jit/builder.h"

LLVMValueRef jit_exp2(struct jit_builder *b, LLVMValueRef x);
/* The same of 0 <= x < 1: a number of 1 to less than 2. */
LLVMValueRef jit_exp2_part(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_log2(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_sin_turns(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_cos_turns(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_atan(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_log2_ratio(struct jit_builder *b, LLVMValueRef t);

/* Of JIT_AVX512 alone. What x is as m * 2^n with |m| in [3/4, 3/2), of x's sign: m; of zeros, infinities and NaNs anything. */
LLVMValueRef jit_significand(struct jit_builder *b, LLVMValueRef x);
/* Of JIT_AVX512 alone. x * 2^n, n a float that is taken down to a whole number, rounded once (VSCALEFPS). */
LLVMValueRef jit_scalef(struct jit_builder *b, LLVMValueRef x, LLVMValueRef n);
/* Of JIT_AVX512 alone. f, but where x is special what JIT_SPECIAL(JIT_IS_..., JIT_GIVES_...) and JIT_NAN_STAYS, ored
 * together, say (Intel's manual, VFIXUPIMMPS). A denormal number is a zero. */
enum {
    JIT_IS_QUIET_NAN = 0,
    JIT_IS_OTHER_NAN = 1,
    JIT_IS_ZERO = 2,
    JIT_IS_ONE = 3,
    JIT_IS_LOW_INFINITE = 4,
    JIT_IS_INFINITE = 5,
    JIT_IS_NEGATIVE = 6, /* and finite */
    JIT_IS_POSITIVE = 7, /* likewise, but for one */
};
enum {
    JIT_GIVES_X = 1,
    JIT_GIVES_QUIET_X = 2,
    JIT_GIVES_NAN = 3,
    JIT_GIVES_INFINITE = 5,
    JIT_GIVES_ZERO = 8
};
#define JIT_SPECIAL(is, gives) ((uint32_t)(gives) << 4 * (is))
#define JIT_NAN_STAYS                                                                                        \
    (JIT_SPECIAL(JIT_IS_QUIET_NAN, JIT_GIVES_QUIET_X) | JIT_SPECIAL(JIT_IS_OTHER_NAN, JIT_GIVES_QUIET_X))
LLVMValueRef jit_fix_special(struct jit_builder *b, LLVMValueRef f, LLVMValueRef x, uint32_t specials);

/* `top` times a number limited to 0..1; of a NaN, whatever its sign, 0. */
LLVMValueRef jit_unit_times(struct jit_builder *b, LLVMValueRef x, float top);

/* Bytes of words, four a lane. x * y / 255 rounded, each byte by its own; byte n of each word in all four of its
 * places. */
LLVMValueRef jit_unit_bytes_product(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef jit_byte_replicate(struct jit_builder *b, LLVMValueRef word, unsigned n);

/* x * y + z, each step rounded, of products that a single holds exactly, as it does those of two halves that
 * are not denormal: one rounding gives the same, and AVX2's levels do it at once. */
LLVMValueRef jit_add_exact_product(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);

/* util_round_to_half (util/half.h) of each lane; a NaN stays one. */
LLVMValueRef jit_round_to_half(struct jit_builder *b, LLVMValueRef x);
/* The same, cheaper, of what becomes neither a zero nor infinite: 2^-14 to less than 65520, by size, or +0,
 * infinite or no number. */
LLVMValueRef jit_round_plain_to_half(struct jit_builder *b, LLVMValueRef x);
/* The same of what has no more digits than a half, and is not less than 2^-14 by size but for zero (`great`),
 * or less than 65536. */
LLVMValueRef jit_limit_to_half(struct jit_builder *b, LLVMValueRef x, bool great);
/* util_half_to_float and util_float_to_half; halves stand in the lower halves of i32x16, the upper ones are
 * 0.
 */
LLVMValueRef jit_half_to_single(struct jit_builder *b, LLVMValueRef half);
LLVMValueRef jit_single_to_half(struct jit_builder *b, LLVMValueRef x);
/* The same, cheaper, of what is no other NaN than 0x7fc00000. */
LLVMValueRef jit_quiet_to_half(struct jit_builder *b, LLVMValueRef x);

/* Whether v is known for the single of a half: by the instruction that made it, where a level has one for all lanes. */
bool jit_is_half(LLVMValueRef v);
/* The half, in lower halves as above, of which v is the single. NULL as below. */
LLVMValueRef jit_half_of(struct jit_builder *b, LLVMValueRef v);
/* The single that v is the half next to, as a single: jit_half_to_single of jit_quiet_to_half. NULL: v is something
 * else, or was made where a level has no such instructions for all lanes. */
LLVMValueRef jit_before_half(struct jit_builder *b, LLVMValueRef v);

#endif
