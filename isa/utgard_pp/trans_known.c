#include "isa/utgard_pp/trans_known.h"

#include "util/half.h"

static float constant_at(const struct utgard_pp_trans *t, unsigned reg, unsigned component)
{
    const struct utgard_pp_insn *i = t->insn;
    unsigned k = reg - UTGARD_PP_R_CONST0;
    return utgard_pp_has(i, (enum utgard_pp_field)(UTGARD_PP_CONST0 + k))
               ? util_half_to_float(util_half_flushed(i->constant[k][component]))
               : 0;
}

static struct utgard_pp_known known_of(const struct utgard_pp_trans *t, unsigned reg, unsigned component,
                                       bool absolute, bool negate)
{
    struct utgard_pp_known k = {NAN, negate ? INFINITY : t->limit[reg][component]};
    if (reg != UTGARD_PP_R_CONST0 && reg != UTGARD_PP_R_CONST1)
        return k;
    k.number = constant_at(t, reg, component);
    k.number = absolute ? fabsf(k.number) : k.number;
    k.number = negate ? -k.number : k.number;
    k.limit = isfinite(k.number) && !signbit(k.number) ? k.number : INFINITY;
    return k;
}

struct utgard_pp_known utgard_pp_known_vector(const struct utgard_pp_trans *t,
                                              const struct utgard_pp_vector *v, unsigned n)
{
    return known_of(t, v->reg, v->swizzle >> 2 * n & 3, v->absolute, v->negate);
}

struct utgard_pp_known utgard_pp_known_scalar(const struct utgard_pp_trans *t,
                                              const struct utgard_pp_scalar *s)
{
    return known_of(t, s->reg >> 2, s->reg & 3, s->absolute, s->negate);
}

/* Of such a number and a half: halves next to it, and it, are multiples of 2^-14, so that the sum is none
 * that is less, and the greatest half does not become infinite. */
static bool adds_plainly(float number)
{
    return fabsf(number) > 0x1p-4f && fabsf(number) < 16;
}

bool utgard_pp_known_plain_sum(struct utgard_pp_known x, struct utgard_pp_known y)
{
    return adds_plainly(x.number) || adds_plainly(y.number) || x.limit + y.limit < 65520;
}

bool utgard_pp_known_power(float number)
{
    int exponent;
    return fabsf(frexpf(number, &exponent)) == 0.5f;
}

float utgard_pp_known_limit(uint8_t op, uint8_t mod, struct utgard_pp_known x, struct utgard_pp_known y)
{
    if (mod == UTGARD_PP_MOD_SAT)
        return 1;
    if (mod != UTGARD_PP_MOD_NONE)
        return INFINITY;
    if (op == UTGARD_PP_ADD_MOV)
        return x.limit;
    return op == UTGARD_PP_ADD ? util_round_to_half(x.limit + y.limit) : INFINITY;
}
