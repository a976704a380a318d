/* The interpreter's arithmetic, one lane at a time; README.md's numeric policy by its rule numbers. Internal
 * to interp*.c. The caller is in the guest floating-point environment. */
#ifndef VITRAIL_ISA_VC4_QPU_INTERP_INTERNAL_H
#define VITRAIL_ISA_VC4_QPU_INTERP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#define VC4_QPU_NAN 0xffc00000u /* rule 1 */

/* What an ALU gives, before packing. */
struct vc4_qpu_result {
    uint32_t value;
    bool is_float; /* packs of 16 bits make it a half */
    bool is_sum;   /* of floats, in fast mode: Z and N compare it with 0 */
    bool c;        /* the C flag */
    bool overflow; /* a signed add or sub did not fit */
    bool exact;    /* packs round as in exact mode */
};

/* Operations must not be reserved ones. */
struct vc4_qpu_result vc4_qpu_add_op(bool exact, unsigned op, uint32_t a, uint32_t b);
struct vc4_qpu_result vc4_qpu_mul_op(bool exact, unsigned op, uint32_t a, uint32_t b);
bool vc4_qpu_add_op_reserved(unsigned op);
bool vc4_qpu_add_reads_float(unsigned op);
bool vc4_qpu_mul_reads_float(unsigned op);
bool vc4_qpu_flag_z(const struct vc4_qpu_result *result);
bool vc4_qpu_flag_n(const struct vc4_qpu_result *result);

/* Rule 8; `waddr` is one of the four SFU addresses. */
uint32_t vc4_qpu_sfu(bool exact, unsigned waddr, uint32_t x);

/* Rule 9. `old` is what the destination held. */
uint32_t vc4_qpu_unpack(bool exact, unsigned mode, bool to_float, uint32_t value);
uint32_t vc4_qpu_pack_a(unsigned mode, const struct vc4_qpu_result *result, uint32_t old);
uint32_t vc4_qpu_pack_mul(unsigned mode, uint32_t value, uint32_t old);

/* ---- exact mode (interp_exact.c, interp_exact_sfu.c) ---- */

uint32_t vc4_qpu_to_integer(uint32_t x); /* ftoi of both modes */
/* The float operations of the add unit and the product: floats in, a float or, of ftoi, an integer out. */
struct vc4_qpu_result vc4_qpu_exact_float_op(unsigned op, uint32_t a, uint32_t b);
struct vc4_qpu_result vc4_qpu_exact_product(uint32_t a, uint32_t b);
uint32_t vc4_qpu_exact_byte_to_single(uint32_t byte);
uint16_t vc4_qpu_exact_single_to_half(uint32_t value);
uint32_t vc4_qpu_exact_sfu(unsigned waddr, uint32_t x);

#endif
