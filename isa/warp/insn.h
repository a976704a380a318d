/* An instruction of Bifrost or Valhall as it is executed: what both sets compute alike, whatever words it stood in.
 * Pure data: no ownership, no state.
 *
 * Threads run sixteen at a time and have 64 registers of 32 bits; a value of 64 is two of them, the first even.
 * Results that a set hands from one instruction to the next without a register are temporaries. */
#ifndef VITRAIL_ISA_WARP_INSN_H
#define VITRAIL_ISA_WARP_INSN_H

#include <stdbool.h>
#include <stdint.h>

#define WARP_LANES     16
#define WARP_REGISTERS 64
#define WARP_SOURCES   4

enum warp_op {
#define OP(name, class, op, second, type, a, b, c, d) WARP_##name,
#include "isa/warp/ops.inc"
    WARP_OP_COUNT
};

enum warp_from { WARP_REGISTER, WARP_TEMPORARY, WARP_UNIFORM, WARP_SPECIAL, WARP_CONSTANT };

/* GTLT: less or greater; TOTAL: both are numbers. Of integers these are "not equal" and "always". */
enum warp_condition { WARP_EQ, WARP_GT, WARP_GE, WARP_NE, WARP_LT, WARP_LE, WARP_GTLT, WARP_TOTAL };
/* What true is: the integer or the float 1, or all ones. */
enum warp_truth { WARP_I1, WARP_F1, WARP_M1 };
enum warp_clamp { WARP_CLAMP_NONE, WARP_CLAMP_0_INF, WARP_CLAMP_M1_1, WARP_CLAMP_0_1 };
/* RTNA: halfway cases away from zero; of FROUND alone. */
enum warp_round { WARP_RTE, WARP_RTP, WARP_RTN, WARP_RTZ, WARP_RTNA };
/* What makes MUX take the first: the sign, zero as an integer, as a float; or each bit for itself. */
enum warp_mux { WARP_MUX_NEG, WARP_MUX_INT_ZERO, WARP_MUX_FP_ZERO, WARP_MUX_BIT };

struct warp_source {
    uint8_t from;   /* enum warp_from */
    uint16_t index; /* register, temporary, word of the uniforms, special value */
    uint64_t value; /* of a constant */
    /* Element e of the operand is `width` bits from bit lane[e] * width on, widened to what the operation's type has:
     * 8, 16, 32 or 64, and no wider than that. */
    uint8_t width, lane[4];
    bool negate, absolute; /* of floats: |x|, then -x */
    bool invert;           /* all bits of the operand */
};

struct warp_insn {
    uint16_t op; /* enum warp_op */
    struct warp_source source[WARP_SOURCES];
    uint8_t condition, truth, clamp, round, mux;
    uint8_t shift;      /* SHADDX */
    bool saturate;      /* integers stop at the ends of their type */
    bool up;            /* HADD: halves round up */
    bool arithmetic;    /* shifts to the right: by sign */
    bool not_result;    /* all bits of the result are inverted */
    bool propagate;     /* FMIN, FMAX: NaN where an operand is one */
    bool sqrt, log;     /* FREXPM, FREXPE: for what the parts are meant */
    bool subtract;      /* SEG_ADD */
    bool preserve_null; /* SEG_ADD: 0 stays 0 */
};

#endif
