/* What is known of operands while a program is translated, and what it makes cheaper: constants stand in the
 * instruction, and a register's bounds follow from what wrote it in the same block
 * (struct utgard_pp_trans, limit). All operands are halves, or infinite, or no numbers. */
#ifndef VITRAIL_ISA_UTGARD_PP_TRANS_KNOWN_H
#define VITRAIL_ISA_UTGARD_PP_TRANS_KNOWN_H

#include <math.h>

#include "isa/utgard_pp/trans_internal.h"

struct utgard_pp_known {
    float number; /* the operand's, NaN when that is not known */
    float limit;  /* it is between +0 and this; infinity: anything */
};

static const struct utgard_pp_known utgard_pp_known_nothing = {NAN, INFINITY};

/* Of component n of a vector unit's operand; of a scalar unit's. */
struct utgard_pp_known utgard_pp_known_vector(const struct utgard_pp_trans *t,
                                              const struct utgard_pp_vector *v, unsigned n);
struct utgard_pp_known utgard_pp_known_scalar(const struct utgard_pp_trans *t,
                                              const struct utgard_pp_scalar *s);

/* Whether the sum of the two is what jit_round_plain_to_half takes. */
bool utgard_pp_known_plain_sum(struct utgard_pp_known x, struct utgard_pp_known y);
/* Whether a number is a power of two, of any sign. */
bool utgard_pp_known_power(float number);
/* What an accumulator's result of the two lies between +0 and; infinity: anything. */
float utgard_pp_known_limit(uint8_t op, uint8_t mod, struct utgard_pp_known x, struct utgard_pp_known y);

#endif
