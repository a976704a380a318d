/* A VideoCore IV QPU instruction, decoded. Source: VideoCore IV 3D Architecture Guide (VideoCoreIV-AG100-R),
 * section 3, tables 1 to 14. Pure data: no ownership, no state. Bit positions live in insns.inc only. */
#ifndef VITRAIL_ISA_VC4_QPU_INSN_H
#define VITRAIL_ISA_VC4_QPU_INSN_H

#include <stdbool.h>
#include <stdint.h>

#define VC4_QPU_LANES 16

/* Signals, bits 63:60 (table 1). */
enum vc4_qpu_sig {
    VC4_QPU_SIG_BREAKPOINT = 0,
    VC4_QPU_SIG_NONE = 1,
    VC4_QPU_SIG_THREAD_SWITCH = 2,
    VC4_QPU_SIG_PROGRAM_END = 3,
    VC4_QPU_SIG_SCOREBOARD_WAIT = 4,
    VC4_QPU_SIG_SCOREBOARD_UNLOCK = 5,
    VC4_QPU_SIG_LAST_THREAD_SWITCH = 6,
    VC4_QPU_SIG_COVERAGE_LOAD = 7,
    VC4_QPU_SIG_COLOR_LOAD = 8,
    VC4_QPU_SIG_COLOR_LOAD_END = 9,
    VC4_QPU_SIG_LOAD_TMU0 = 10,
    VC4_QPU_SIG_LOAD_TMU1 = 11,
    VC4_QPU_SIG_ALPHA_MASK_LOAD = 12,
    VC4_QPU_SIG_SMALL_IMM = 13,
    VC4_QPU_SIG_LOAD_IMM = 14, /* also semaphores */
    VC4_QPU_SIG_BRANCH = 15,
};

enum vc4_qpu_kind {
    VC4_QPU_ALU,         /* also with a small immediate or a rotation, sig 13 */
    VC4_QPU_LOAD_IMM32,  /* sig 14, mode 0 */
    VC4_QPU_LOAD_IMM_S2, /* sig 14, mode 1: per-lane signed 2-bit */
    VC4_QPU_LOAD_IMM_U2, /* sig 14, mode 3: per-lane unsigned 2-bit */
    VC4_QPU_SEMAPHORE,   /* sig 14, mode 4 */
    VC4_QPU_BRANCH,      /* sig 15 */
};

/* Conditions of an ALU or load-immediate write (table 5). */
enum vc4_qpu_cond {
    VC4_QPU_COND_NEVER,
    VC4_QPU_COND_ALWAYS,
    VC4_QPU_COND_ZS,
    VC4_QPU_COND_ZC,
    VC4_QPU_COND_NS,
    VC4_QPU_COND_NC,
    VC4_QPU_COND_CS,
    VC4_QPU_COND_CC
};

/* Conditions of a branch, over the flags of all 16 lanes (table 4). 12..14 are reserved. */
enum vc4_qpu_branch_cond {
    VC4_QPU_BR_ALL_ZS,
    VC4_QPU_BR_ALL_ZC,
    VC4_QPU_BR_ANY_ZS,
    VC4_QPU_BR_ANY_ZC,
    VC4_QPU_BR_ALL_NS,
    VC4_QPU_BR_ALL_NC,
    VC4_QPU_BR_ANY_NS,
    VC4_QPU_BR_ANY_NC,
    VC4_QPU_BR_ALL_CS,
    VC4_QPU_BR_ALL_CC,
    VC4_QPU_BR_ANY_CS,
    VC4_QPU_BR_ANY_CC,
    VC4_QPU_BR_ALWAYS = 15
};

/* Add ALU operations (Guide table "op_add"). */
enum vc4_qpu_add_op {
    VC4_QPU_A_NOP = 0,
    VC4_QPU_A_FADD = 1,
    VC4_QPU_A_FSUB = 2,
    VC4_QPU_A_FMIN = 3,
    VC4_QPU_A_FMAX = 4,
    VC4_QPU_A_FMINABS = 5,
    VC4_QPU_A_FMAXABS = 6,
    VC4_QPU_A_FTOI = 7,
    VC4_QPU_A_ITOF = 8,
    VC4_QPU_A_ADD = 12,
    VC4_QPU_A_SUB = 13,
    VC4_QPU_A_SHR = 14,
    VC4_QPU_A_ASR = 15,
    VC4_QPU_A_ROR = 16,
    VC4_QPU_A_SHL = 17,
    VC4_QPU_A_MIN = 18,
    VC4_QPU_A_MAX = 19,
    VC4_QPU_A_AND = 20,
    VC4_QPU_A_OR = 21,
    VC4_QPU_A_XOR = 22,
    VC4_QPU_A_NOT = 23,
    VC4_QPU_A_CLZ = 24,
    VC4_QPU_A_V8ADDS = 30,
    VC4_QPU_A_V8SUBS = 31
};

/* Mul ALU operations (Guide table "op_mul"). */
enum vc4_qpu_mul_op {
    VC4_QPU_M_NOP,
    VC4_QPU_M_FMUL,
    VC4_QPU_M_MUL24,
    VC4_QPU_M_V8MULD,
    VC4_QPU_M_V8MIN,
    VC4_QPU_M_V8MAX,
    VC4_QPU_M_V8ADDS,
    VC4_QPU_M_V8SUBS
};

/* Input multiplexer values (table 3): 0..5 accumulators r0..r5, 6 register file A, 7 register file B
 * (or the small immediate). */
enum vc4_qpu_mux {
    VC4_QPU_MUX_R0,
    VC4_QPU_MUX_R1,
    VC4_QPU_MUX_R2,
    VC4_QPU_MUX_R3,
    VC4_QPU_MUX_R4,
    VC4_QPU_MUX_R5,
    VC4_QPU_MUX_A,
    VC4_QPU_MUX_B
};

/* Register addresses 32 and above (table 14). Reads and writes differ; A and B files differ where two names
 * stand. */
enum vc4_qpu_raddr {
    VC4_QPU_R_UNIFORM = 32,
    VC4_QPU_R_VARYING = 35,
    VC4_QPU_R_ELEMENT_QPU = 38 /* A element, B QPU number */,
    VC4_QPU_R_NOP = 39,
    VC4_QPU_R_XY = 41 /* A x, B y pixel coordinate */,
    VC4_QPU_R_MS_REV = 42 /* A multisample flags, B reverse flag */,
    VC4_QPU_R_VPM = 48,
    VC4_QPU_R_VPM_BUSY = 49 /* A load, B store */,
    VC4_QPU_R_VPM_WAIT = 50 /* A load, B store */,
    VC4_QPU_R_MUTEX = 51
};
enum vc4_qpu_waddr {
    VC4_QPU_W_ACC0 = 32,
    VC4_QPU_W_ACC1 = 33,
    VC4_QPU_W_ACC2 = 34,
    VC4_QPU_W_ACC3 = 35,
    VC4_QPU_W_TMU_NOSWAP = 36,
    VC4_QPU_W_ACC5 = 37 /* A per quad, B lane 0 replicated */,
    VC4_QPU_W_HOST_INT = 38,
    VC4_QPU_W_NOP = 39,
    VC4_QPU_W_UNIFORMS_ADDRESS = 40,
    VC4_QPU_W_QUAD_XY = 41 /* A x, B y */,
    VC4_QPU_W_MS_REV = 42 /* A flags, B reverse */,
    VC4_QPU_W_TLB_STENCIL = 43,
    VC4_QPU_W_TLB_Z = 44,
    VC4_QPU_W_TLB_COLOR_MS = 45,
    VC4_QPU_W_TLB_COLOR_ALL = 46,
    VC4_QPU_W_TLB_ALPHA_MASK = 47,
    VC4_QPU_W_VPM = 48,
    VC4_QPU_W_VPM_SETUP = 49 /* A read (load) setup, B write (store) setup */,
    VC4_QPU_W_VPM_ADDR = 50 /* A load, B store address */,
    VC4_QPU_W_MUTEX = 51,
    VC4_QPU_W_SFU_RECIP = 52,
    VC4_QPU_W_SFU_RSQRT = 53,
    VC4_QPU_W_SFU_EXP2 = 54,
    VC4_QPU_W_SFU_LOG2 = 55,
    VC4_QPU_W_TMU0_S = 56,
    VC4_QPU_W_TMU0_T = 57,
    VC4_QPU_W_TMU0_R = 58,
    VC4_QPU_W_TMU0_B = 59,
    VC4_QPU_W_TMU1_S = 60,
    VC4_QPU_W_TMU1_T = 61,
    VC4_QPU_W_TMU1_R = 62,
    VC4_QPU_W_TMU1_B = 63
};

struct vc4_qpu_insn {
    uint64_t word;
    uint8_t kind; /* enum vc4_qpu_kind */
    uint8_t sig;  /* enum vc4_qpu_sig */
    /* ALU, load immediate, semaphore */
    uint8_t unpack; /* 0..7 (tables 8, 9) */
    uint8_t pm;     /* 0 unpack A / pack A, 1 unpack r4 / pack mul */
    uint8_t pack;   /* 0..15 (tables 6, 7) */
    uint8_t cond_add, cond_mul;
    bool sf;                      /* set flags */
    bool ws;                      /* write swap: add writes file B, mul writes file A */
    uint8_t waddr_add, waddr_mul; /* 0..63 */
    /* ALU */
    uint8_t op_add, op_mul;
    uint8_t raddr_a, raddr_b;           /* 0..63; raddr_b is the small-immediate code 0..63 when sig is 13 */
    uint8_t add_a, add_b, mul_a, mul_b; /* enum vc4_qpu_mux */
    /* load immediate: the 32 bits; semaphore: bits 4 = decrement, 3:0 = number; branch: signed byte offset */
    uint32_t imm;
    /* branch (table 2) */
    uint8_t branch_cond;
    bool branch_rel;      /* add PC + 4 instructions */
    bool branch_reg;      /* add file A register branch_raddr */
    uint8_t branch_raddr; /* 0..31 */
};

/* Whether the add unit (mul: the mul unit) writes when its condition holds: a nop does not. (py-videocore
 * fills delays with nops to r0 under `always`; its tests, made on the hardware, find r0 unchanged.) */
static inline bool vc4_qpu_unit_writes(const struct vc4_qpu_insn *insn, bool mul)
{
    if (insn->kind == VC4_QPU_BRANCH)
        return true; /* links, when it is taken */
    if (insn->kind == VC4_QPU_ALU && (mul ? insn->op_mul == VC4_QPU_M_NOP : insn->op_add == VC4_QPU_A_NOP))
        return false;
    return (mul ? insn->cond_mul : insn->cond_add) != VC4_QPU_COND_NEVER;
}

/* Decodes any 64-bit word; never fails: what is reserved is reported by vc4_qpu_check. */
void vc4_qpu_decode(uint64_t word, struct vc4_qpu_insn *out);
/* The inverse: vc4_qpu_encode(decode(w)) == w for every word whose unused bits are zero. */
uint64_t vc4_qpu_encode(const struct vc4_qpu_insn *insn);

/* The 32 bits of small-immediate code 0..47 (table 11): integers -16..15, floats 2^0..2^7 and 2^-8..2^-1.
 * Codes 48..63 are rotations of the mul result: 48 by r5, 49..63 by 1..15 upwards (lane i goes to lane i +
 * n); beside a rotation file B's multiplexer reads code - 64. */
uint32_t vc4_qpu_small_imm(unsigned code);

#endif
