/* What ops.inc says of an operation: types, and how its result is made. Internal to isa/warp and the sets that lower to
 * it. */
#ifndef VITRAIL_ISA_WARP_OPS_H
#define VITRAIL_ISA_WARP_OPS_H

#include "isa/op.h"
#include "isa/warp/insn.h"

enum warp_type {
    WARP_NONE,
    WARP_F16,
    WARP_F32,
    WARP_V2F16,
    WARP_U8,
    WARP_U16,
    WARP_U32,
    WARP_S32,
    WARP_V2U16,
    WARP_V2S16,
    WARP_V4U8,
    WARP_V4S8,
    WARP_U64,
    WARP_S64,
    WARP_TYPE_COUNT
};

enum warp_class {
    WARP_PLAIN, /* the lane operation, or where the instruction saturates the second; clamped if it is of floats */
    WARP_ROUND,    /* to an integral float, as the instruction rounds */
    WARP_CONVERT,  /* PLAIN, rounded as the instruction says */
    WARP_AVERAGE,  /* the second where it rounds up */
    WARP_SHIFT,    /* sources a and b by the first, then with c by the second */
    WARP_COMPARE,  /* a with b, as the instruction's truth, then with c by the first */
    WARP_MULTI,    /* c where a and b are equal, else their comparison: of numbers that have more words */
    WARP_CHOOSE,   /* c where a compares to b so, else d */
    WARP_MUX,      /* a where c is so, else b */
    WARP_FUNCTION, /* code of its own */
};

struct warp_row {
    const char *name;
    uint8_t class, op, second; /* enum warp_class, enum isa_op */
    uint8_t type, source[WARP_SOURCES];
};
extern const struct warp_row warp_rows[WARP_OP_COUNT];

struct warp_type_info {
    uint8_t shape; /* enum isa_shape */
    bool is_float, is_signed;
};
extern const struct warp_type_info warp_types[WARP_TYPE_COUNT];

/* How many of the sources an operation has. */
unsigned warp_source_count(enum warp_op op);
/* Rounding as isa/op.h has it; of RTNA to nearest. */
uint8_t warp_rounding(const struct warp_insn *insn);
/* The lane operation of a class PLAIN, ROUND, CONVERT, AVERAGE or, of the first step, SHIFT. */
struct isa_lane_op warp_lane_op(const struct warp_insn *insn);
/* That of a comparison of a type, with its truth. */
struct isa_lane_op warp_test(const struct warp_insn *insn, enum warp_type type, enum warp_truth truth);
/* That of the instruction's clamping of a float; ISA_OP_COUNT in `op`: there is none. */
struct isa_lane_op warp_clamping(const struct warp_insn *insn);

#endif
