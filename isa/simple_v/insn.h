/* Instructions, prefixes and VBLOCK headers decoded: from halfwords and back. Pure functions over the caller's memory.
 * Sources: the tables (insns.inc, fields.inc) and README.md. */
#ifndef VITRAIL_ISA_SIMPLE_V_INSN_H
#define VITRAIL_ISA_SIMPLE_V_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/op.h"
#include "util/error.h"

#define SIMPLE_V_REGISTERS  128 /* of each file, of 64 bits */
#define SIMPLE_V_FILE_BYTES (SIMPLE_V_REGISTERS * 8)
#define SIMPLE_V_VL_MAX     64
#define SIMPLE_V_SUBVL_MAX  4

enum simple_v_op {
#define INSN(id, text, format, match, class, ...)      SIMPLE_V_##id,
#define COMPRESSED(id, text, format, match, as, class) SIMPLE_V_##id,
#include "isa/simple_v/insns.inc"
    SIMPLE_V_OP_COUNT
};

/* How an instruction becomes elements: README.md, "Classes". */
enum simple_v_class {
    SIMPLE_V_PLAIN, /* never does; registers are not redirected */
    SIMPLE_V_ALU,   /* one mask, of the destination */
    SIMPLE_V_TWIN,  /* a mask of the source and one of the destination */
    SIMPLE_V_SIGN,  /* TWIN if both sources are the same register, else ALU */
    SIMPLE_V_LOAD,
    SIMPLE_V_STORE,
    SIMPLE_V_AMO,
    SIMPLE_V_BRANCH,
    SIMPLE_V_SWIZZLE,
    SIMPLE_V_MVX
};

/* Which prefix of P48 and P64 an instruction has. */
enum simple_v_form {
    SIMPLE_V_FORM_NONE,
    SIMPLE_V_FORM_LD,
    SIMPLE_V_FORM_ST,
    SIMPLE_V_FORM_R,
    SIMPLE_V_FORM_I,
    SIMPLE_V_FORM_U,
    SIMPLE_V_FORM_FR,
    SIMPLE_V_FORM_FI,
    SIMPLE_V_FORM_FR4
};

/* What an element operation does: of integers a lane operation (isa/op.h) or one of OWN; of floats one of FLOAT. */
enum simple_v_own {
    SIMPLE_V_OWN_first = ISA_OP_COUNT,
    SIMPLE_V_OWN_mulhsu,
    SIMPLE_V_OWN_div,
    SIMPLE_V_OWN_divu,
    SIMPLE_V_OWN_rem,
    SIMPLE_V_OWN_remu,
    SIMPLE_V_OWN_second, /* the second operand */
    SIMPLE_V_OWN_sext_b,
    SIMPLE_V_OWN_sext_h,
    SIMPLE_V_OWN_zext_h,
    SIMPLE_V_OWN_orc_b,
    SIMPLE_V_OWN_rev8,
    SIMPLE_V_OWN_end
};
enum simple_v_float {
    SIMPLE_V_FLOAT_none,
    SIMPLE_V_FLOAT_madd,
    SIMPLE_V_FLOAT_msub,
    SIMPLE_V_FLOAT_nmsub,
    SIMPLE_V_FLOAT_nmadd,
    SIMPLE_V_FLOAT_add,
    SIMPLE_V_FLOAT_sub,
    SIMPLE_V_FLOAT_mul,
    SIMPLE_V_FLOAT_div,
    SIMPLE_V_FLOAT_sqrt,
    SIMPLE_V_FLOAT_sgnj,
    SIMPLE_V_FLOAT_sgnjn,
    SIMPLE_V_FLOAT_sgnjx,
    SIMPLE_V_FLOAT_min,
    SIMPLE_V_FLOAT_max,
    SIMPLE_V_FLOAT_le,
    SIMPLE_V_FLOAT_lt,
    SIMPLE_V_FLOAT_eq,
    SIMPLE_V_FLOAT_class,
    SIMPLE_V_FLOAT_convert,
    SIMPLE_V_FLOAT_move, /* the bits */
    /* Zftrans */
    SIMPLE_V_FLOAT_rsqrt,
    SIMPLE_V_FLOAT_recip,
    SIMPLE_V_FLOAT_cbrt,
    SIMPLE_V_FLOAT_exp2,
    SIMPLE_V_FLOAT_log2,
    SIMPLE_V_FLOAT_expm1,
    SIMPLE_V_FLOAT_logp1,
    SIMPLE_V_FLOAT_exp,
    SIMPLE_V_FLOAT_log,
    SIMPLE_V_FLOAT_exp10,
    SIMPLE_V_FLOAT_log10,
    SIMPLE_V_FLOAT_asinh,
    SIMPLE_V_FLOAT_acosh,
    SIMPLE_V_FLOAT_atanh,
    SIMPLE_V_FLOAT_sin,
    SIMPLE_V_FLOAT_sinpi,
    SIMPLE_V_FLOAT_asin,
    SIMPLE_V_FLOAT_asinpi,
    SIMPLE_V_FLOAT_cos,
    SIMPLE_V_FLOAT_cospi,
    SIMPLE_V_FLOAT_acos,
    SIMPLE_V_FLOAT_acospi,
    SIMPLE_V_FLOAT_tan,
    SIMPLE_V_FLOAT_tanpi,
    SIMPLE_V_FLOAT_atan,
    SIMPLE_V_FLOAT_atanpi,
    SIMPLE_V_FLOAT_sinh,
    SIMPLE_V_FLOAT_cosh,
    SIMPLE_V_FLOAT_tanh,
    SIMPLE_V_FLOAT_hypot,
    SIMPLE_V_FLOAT_atan2,
    SIMPLE_V_FLOAT_atan2pi,
    SIMPLE_V_FLOAT_pow,
    SIMPLE_V_FLOAT_rootn,
    SIMPLE_V_FLOAT_pown,
    SIMPLE_V_FLOAT_powr
};

/* Formats of values: floats, and integers as conversions name them. */
enum simple_v_type {
    SIMPLE_V_TYPE_NONE,
    SIMPLE_V_TYPE_H,
    SIMPLE_V_TYPE_S,
    SIMPLE_V_TYPE_D,
    SIMPLE_V_TYPE_HALF, /* an integer of 16 bits, signed */
    SIMPLE_V_TYPE_W,
    SIMPLE_V_TYPE_WU,
    SIMPLE_V_TYPE_L,
    SIMPLE_V_TYPE_LU
};

/* VLtyp of P64: digest, section 5. */
struct simple_v_vltyp {
    uint8_t high, low, number, rd;
};

/* The fields of a prefix as they stand; those that its form has not are 0. */
struct simple_v_prefix {
    uint8_t rd, rs1, rs2, rs3;                     /* bit 5 of the register numbers */
    uint8_t rd_high, rs1_high, rs2_high, rs3_high; /* bit 6 */
    bool vd, vs1, vs2, vs3;
    uint8_t itype, svlen, mask, masks_low, masks_high;
    struct simple_v_vltyp vl;
};

/* An instruction. Members that its format has not are 0. Registers are 0..31 of the instruction alone, 0..127 with a
 * prefix, whose vector bits of operands that have none follow from the others. */
struct simple_v_insn {
    uint16_t op;    /* enum simple_v_op: the row */
    uint8_t length; /* halfwords, with the prefix */
    uint8_t prefix; /* 0, 48, 64 */
    int32_t rd, rs1, rs2, rs3, rm, order, imm;
    bool vd, vs1, vs2, vs3; /* of prefixes: a vector */
    uint8_t itype, svlen;
    uint8_t mask;  /* forms R, U, FR, FR4: enum simple_v_mask */
    uint8_t masks; /* the others: enum simple_v_masks */
    struct simple_v_vltyp vl;
};
enum { SIMPLE_V_MASK_NONE, SIMPLE_V_MASK_RESERVED }; /* and from 2 on !x9, x9, !x10, x10, !x11, x11 */
enum { SIMPLE_V_MASKS_SOURCE = 1, SIMPLE_V_MASKS_DEST = 2, SIMPLE_V_MASKS_INVERTED = 4 }; /* x9 and x10 */
enum { SIMPLE_V_RM_DYNAMIC = 7 };

/* What rows have. */
struct simple_v_row {
    const char *text;
    uint32_t match, mask;
    uint8_t format, class;
    uint16_t as; /* enum simple_v_op: of compressed ones the row that it executes as, else its own */
    uint16_t op; /* enum isa_op, simple_v_own; of floats enum simple_v_float */
    bool is_float;
    bool signed_1, signed_2; /* sources are extended with their sign */
    bool word;               /* of 32 bits, and extended with the sign in the end */
    uint8_t bits;            /* of what is in memory */
    uint8_t from, to;        /* enum simple_v_type, of floats and conversions */
};
extern const struct simple_v_row simple_v_rows[SIMPLE_V_OP_COUNT];

/* Halfwords of the instruction that begins with this one: 1 to 4; of a VBLOCK 5 to 11; 0: of a reserved length. */
unsigned simple_v_length(uint16_t first);
static inline bool simple_v_is_block(uint16_t first)
{
    return (first & 0x7f) == 0x7f && (first >> 12 & 7) != 7;
}

/* The instruction, of 1 to 4 halfwords, that begins at the first of `count`. 0, or -EBADMSG with what is reserved. */
int simple_v_decode(const uint16_t *code, uint32_t count, struct simple_v_insn *insn,
                    struct util_error *error);
/* Back; writes insn->length halfwords. Returns 0, or -EINVAL when the prefix cannot say it: an odd vector of P48, a
 * register beyond its reach, a vector bit that would follow otherwise; error says which. */
int simple_v_encode(const struct simple_v_insn *insn, uint16_t code[4], struct util_error *error);

/* Whether the format has the operand; of a row with a prefix, which register of it steps. */
enum simple_v_form simple_v_form_of(uint16_t op);

/* ---- VBLOCK ---- */

enum { SIMPLE_V_ENTRIES = 8, SIMPLE_V_BLOCK_MIN = 5 };

/* `used`: an entry of bits 0 is not. */
struct simple_v_reg_entry {
    bool used, vector;
    uint8_t integer, key, reg, width; /* width: enum of vew, 0: default, 1: 8, 2: 16, 3: 32 */
};
struct simple_v_pred_entry {
    bool used, invert, zero, ffirst;
    uint8_t integer, key, reg;
};
enum { SIMPLE_V_VL_MIN, SIMPLE_V_VL_SETVL, SIMPLE_V_VL_BOTH };
struct simple_v_block {
    uint8_t vlset, il, mode, reg_code, pred_code; /* mode: 1: entries of 16 bits */
    struct {
        uint8_t mode, subvl, imm, low;
    } vl; /* as they stand: subvl and imm less one */
    struct simple_v_reg_entry reg[SIMPLE_V_ENTRIES];
    struct simple_v_pred_entry pred[SIMPLE_V_ENTRIES];
    uint8_t regs, preds;  /* entries, by the codes and the mode */
    uint8_t head, length; /* halfwords before the opcodes; of all of it */
};

/* Number of entries of a code in a mode. */
unsigned simple_v_entries(unsigned mode, unsigned code);
/* Bits of a vew or itype; 0: default. */
static inline unsigned simple_v_width(unsigned code)
{
    return code == 3 ? 32 : code * 8u;
}

/* As simple_v_decode. All of it has to be among the `count`. */
int simple_v_block_decode(const uint16_t *code, uint32_t count, struct simple_v_block *block,
                          struct util_error *error);
/* Writes block->head halfwords, from the codes, vl, entries, il. */
void simple_v_block_encode(const struct simple_v_block *block, uint16_t *code);

#endif
