/* The oracle of Simple-V's vectors: an instruction as what it is defined to be, the same scalar opcode element by element, in order
 * (the digest, section 12.3), as RV64 over an image of both register files in memory (qemu.h): the bytes of an element loaded and
 * extended, the opcode, the result's bytes stored. Operands, masks and widths are the caller's, worked out from the digest and
 * not by the set's own files. Masks and addresses are never written, so that which elements there are is known; what
 * fail-first ends by a result is not, and is a branch. */
#ifndef VITRAIL_TESTS_RISCV_UNROLL_H
#define VITRAIL_TESTS_RISCV_UNROLL_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/riscv/qemu.h"

enum {
    UNROLL_FILES = 0, /* bytes from QEMU_DATA on: x0..x127, f0..f127; x31 of the host program points there */
    UNROLL_F = 1024,
    UNROLL_VL_REG = 16,    /* which register of the guest has VL behind a fail-first instruction */
    UNROLL_NOT_TAKEN = 17, /* which counts branches that are not taken */
    UNROLL_MOST = 24       /* elements of an instruction */
};

struct unroll_operand {
    bool is_float, vector, tagged;
    bool boxed; /* in a register of 64 bits each */
    bool given; /* the width is not the opcode's */
    unsigned reg, width;
};

struct unroll_mask {
    bool there, invert, zero, ffirst;
    unsigned reg; /* 0: none is left out */
};

enum unroll_kind {
    UNROLL_INTEGER,   /* of two registers */
    UNROLL_IMMEDIATE, /* of a register and a number */
    UNROLL_SHIFT,     /* by a number */
    UNROLL_UNARY,
    UNROLL_UPPER, /* LUI */
    UNROLL_MOVE,  /* of integers: C.MV */
    UNROLL_FLOAT,
    UNROLL_CONVERT, /* and moves of bits between the files */
    UNROLL_LOAD,
    UNROLL_STORE,
    UNROLL_ATOMIC,
    UNROLL_BRANCH,
    UNROLL_SWIZZLE,
    UNROLL_INDEXED /* MV.X */
};

/* What is done with a width that the scalar opcode has not. */
enum unroll_how {
    UNROLL_PLAIN,
    UNROLL_SIGNED,
    UNROLL_SIGNED_FIRST,
    UNROLL_SHIFT_LEFT,
    UNROLL_SHIFT_RIGHT,
    UNROLL_SHIFT_SIGNED,
    UNROLL_ROTATE_LEFT,
    UNROLL_ROTATE_RIGHT,
    UNROLL_HIGH
};

struct unroll_insn {
    enum unroll_kind kind;
    enum unroll_how how;
    const char *name; /* of the scalar opcode; of words without its w, of floats without its format */
    bool word;        /* ...W */
    unsigned
        saturate; /* SVSAT: 0, 1 unsigned, 2 signed; of sums, differences and products of no more than 32 bits */
    bool in_block; /* a VBLOCK has an entry of a register */
    bool twin;     /* a mask of the source and one of the destination */
    bool sign;     /* loads, conversions: of the integer */
    struct unroll_operand rd, rs1, rs2, rs3;
    bool has_2, has_3;
    unsigned opcode; /* floats: bits of the format; memory: of the access */
    unsigned memory; /* bits of an element in memory */
    int imm;
    struct unroll_mask source, dest;
    unsigned vl, subvl;
};

/* Byte of an element, from QEMU_DATA on; number in a vector, and s in a sub-vector. */
unsigned unroll_place(const struct unroll_insn *n, const struct unroll_operand *o, unsigned i, unsigned s);
/* Appends the instruction to the image's code. */
void unroll(const struct unroll_insn *n);

/* A random program: the vectors' text, which is static, and the image with its unrolled instructions, which writes UNROLL_RESULT
 * bytes from QEMU_DATA on: both files, FCSR at UNROLL_FCSR, memory. Before it runs they are what it begins with. */
enum { UNROLL_FCSR = 2048, UNROLL_RESULT = QEMU_MEMORY + QEMU_MEMORY_BYTES - QEMU_DATA };
const char *unroll_random(uint64_t seed);
/* Other values in registers and memory, but for masks and addresses: the image's code is as right for them. */
void unroll_fill(void);

/* Whether it is over elements, and no scalar operation. */
bool unroll_loops(const struct unroll_insn *n);

/* Between the files. The widest float among the sources; element i of the sources to element j; zero there. */
unsigned unroll_float_width(const struct unroll_insn *n);
void unroll_element(const struct unroll_insn *n, unsigned i, unsigned j, unsigned s);
void unroll_zero(const struct unroll_insn *n, const struct unroll_operand *o, unsigned i, unsigned s);
/* A whole sub-vector, as its source is read first. */
void unroll_swizzle(const struct unroll_insn *n, unsigned i, unsigned j);
/* Memory's sub-vector `at`, data's `data`. */
void unroll_access(const struct unroll_insn *n, unsigned at, unsigned data, unsigned s, bool zeroed);
/* Whether all of an access is in memory. */
bool unroll_is_there(const struct unroll_insn *n, unsigned at, unsigned s);
/* x7: whether the comparison of an element holds. */
void unroll_compare(const struct unroll_insn *n, unsigned i, unsigned s);

#endif
