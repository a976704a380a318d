/* An instruction of the Utgard GP (the vertex processor of Mali-400 and -450), decoded. Sources: the public
 * notes on the GP (seed 004 and mali-isa-docs, Utgard-GP.md), Mesa's lima driver as documentation of what is
 * emitted. Pure data: no ownership, no state. Bit positions live in insns.inc only.
 *
 * One instruction is 128 bits and drives six arithmetic units (two multipliers, two accumulators, complex,
 * pass), three fetches (register or attribute, register, uniform or temporary) and two stores. */
#ifndef VITRAIL_ISA_UTGARD_GP_INSN_H
#define VITRAIL_ISA_UTGARD_GP_INSN_H

#include <stdbool.h>
#include <stdint.h>

#define UTGARD_GP_WORDS      2   /* 64-bit words of an instruction */
#define UTGARD_GP_MAX_INSNS  512 /* a branch's target has nine bits */
#define UTGARD_GP_REGISTERS  16
#define UTGARD_GP_ATTRIBUTES 16
#define UTGARD_GP_VARYINGS   16
#define UTGARD_GP_FILE       512 /* vec4s of uniforms and temporaries that an address can name */

/* What a unit may read. "1" is the instruction executed before this one, "2" the one before that. */
enum utgard_gp_src {
    UTGARD_GP_SRC_FETCH0_X = 0, /* ..3: the register or attribute fetched by this instruction */
    UTGARD_GP_SRC_FETCH1_X = 4, /* ..7: the register */
    UTGARD_GP_SRC_LOAD_X = 12,  /* ..15: the uniform or temporary */
    UTGARD_GP_SRC_ACC0_1 = 16,
    UTGARD_GP_SRC_ACC1_1 = 17,
    UTGARD_GP_SRC_MUL0_1 = 18,
    UTGARD_GP_SRC_MUL1_1 = 19,
    UTGARD_GP_SRC_PASS_1 = 20,
    UTGARD_GP_SRC_NONE = 21,
    UTGARD_GP_SRC_COMPLEX_1 = 22, /* as second operand: 0 of an accumulator, 1 of a multiplier */
    UTGARD_GP_SRC_PASS_2 = 23,
    UTGARD_GP_SRC_ACC0_2 = 24,
    UTGARD_GP_SRC_ACC1_2 = 25,
    UTGARD_GP_SRC_MUL0_2 = 26,
    UTGARD_GP_SRC_MUL1_2 = 27,
    UTGARD_GP_SRC_FETCH0_1_X = 28, /* ..31: what the instruction before fetched */
};

enum utgard_gp_store {
    UTGARD_GP_STORE_ACC0,
    UTGARD_GP_STORE_ACC1,
    UTGARD_GP_STORE_MUL0,
    UTGARD_GP_STORE_MUL1,
    UTGARD_GP_STORE_PASS,
    UTGARD_GP_STORE_RESERVED,
    UTGARD_GP_STORE_COMPLEX,
    UTGARD_GP_STORE_NONE
};

enum utgard_gp_acc_op {
    UTGARD_GP_ACC_ADD = 0,
    UTGARD_GP_ACC_FLOOR = 1,
    UTGARD_GP_ACC_SIGN = 2,
    UTGARD_GP_ACC_GE = 4,
    UTGARD_GP_ACC_LT = 5,
    UTGARD_GP_ACC_MIN = 6,
    UTGARD_GP_ACC_MAX = 7,
};

enum utgard_gp_mul_op {
    UTGARD_GP_MUL_MUL = 0,
    UTGARD_GP_MUL_COMPLEX1 = 1,
    UTGARD_GP_MUL_COMPLEX2 = 3,
    UTGARD_GP_MUL_SELECT = 4,
};

enum utgard_gp_complex_op {
    UTGARD_GP_COMPLEX_NOP = 0,
    UTGARD_GP_COMPLEX_EXP2 = 2,
    UTGARD_GP_COMPLEX_LOG2 = 3,
    UTGARD_GP_COMPLEX_RSQRT = 4,
    UTGARD_GP_COMPLEX_RCP = 5,
    UTGARD_GP_COMPLEX_PASS = 9,
    UTGARD_GP_COMPLEX_ADDR01 = 10, /* address registers 0 and 1 from the pass unit */
    UTGARD_GP_COMPLEX_ADDR0 = 12,  /* ..15: address register 0..3 */
};

enum utgard_gp_pass_op {
    UTGARD_GP_PASS_PASS = 2,
    UTGARD_GP_PASS_PREEXP2 = 4,
    UTGARD_GP_PASS_POSTLOG2 = 5,
    UTGARD_GP_PASS_CLAMP = 6,
};

#define UTGARD_GP_OFFSET_NONE 7 /* load_offset: no address register; 1..3 name one */

/* `unknown`, by what the instruction does. */
enum { UTGARD_GP_MARK_NONE = 0, UTGARD_GP_MARK_TEMPORARY = 12, UTGARD_GP_MARK_BRANCH = 13 };

struct utgard_gp_insn {
    uint64_t word[UTGARD_GP_WORDS];
    /* Units; pairs are [unit]. */
    uint8_t mul_a[2], mul_b[2]; /* enum utgard_gp_src, as all sources */
    bool mul_neg[2];            /* of the result */
    uint8_t acc_a[2], acc_b[2];
    bool acc_a_neg[2], acc_b_neg[2];
    uint8_t complex_src, pass_src;
    uint8_t acc_op, mul_op, complex_op, pass_op; /* one for both units of a kind */
    /* Fetches. */
    uint16_t load_addr;  /* 0..511 */
    uint8_t load_offset; /* added address register, or UTGARD_GP_OFFSET_NONE */
    uint8_t fetch0, fetch1;
    bool fetch0_attribute;
    /* Stores: [0] components x and y, [1] z and w. */
    uint8_t store_src[2][2]; /* enum utgard_gp_store */
    uint8_t store_addr[2];
    bool store_varying[2], store_temporary[2];
    /* Branch, when the pass unit's result is not zero. */
    bool branch, branch_low; /* low: the target is below 256 */
    uint8_t branch_target;
    uint8_t unknown;
};

/* An instruction that does nothing, as compilers write it. */
extern const struct utgard_gp_insn utgard_gp_nop;

void utgard_gp_decode(const uint64_t word[UTGARD_GP_WORDS], struct utgard_gp_insn *out);
/* The inverse, for every word: all 128 bits are fields. */
void utgard_gp_encode(const struct utgard_gp_insn *insn, uint64_t word[UTGARD_GP_WORDS]);

/* Index of the instruction that a branch goes to. */
static inline uint32_t utgard_gp_target(const struct utgard_gp_insn *insn)
{
    return insn->branch_target | (insn->branch_low ? 0u : 256u);
}
/* `unknown` as compilers write it beside the rest. */
uint8_t utgard_gp_mark(const struct utgard_gp_insn *insn);
static inline bool utgard_gp_stores(const struct utgard_gp_insn *insn, unsigned pair)
{
    return insn->store_src[pair][0] != UTGARD_GP_STORE_NONE ||
           insn->store_src[pair][1] != UTGARD_GP_STORE_NONE;
}

#endif
