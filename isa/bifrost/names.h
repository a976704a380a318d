/* The vocabulary of the assembler language, and what ops.inc says of each operation. */
#ifndef VITRAIL_ISA_BIFROST_NAMES_H
#define VITRAIL_ISA_BIFROST_NAMES_H

#include "isa/bifrost/insn.h"
#include "isa/isa.h"

enum {
    BIFROST_OP_LAST = 1,      /* only in the last tuple of a clause */
    BIFROST_OP_NO_RESULT = 2, /* gives no value to t0 or t1 */
    BIFROST_OP_BRANCH = 4,    /* its last source is where it goes */
    BIFROST_OP_PAIRED = 8,    /* FMA's half of an atomic: beside ATOM_CX */
};

struct bifrost_op_info {
    const char *text;
    uint8_t message; /* enum bifrost_message */
    uint8_t staging; /* enum bifrost_staging */
    /* Of staging registers: a number; BIFROST_COUNT_FORMAT: MOD_VECSIZE elements of MOD_REGISTER_FORMAT;
     * BIFROST_COUNT_OPERANDS: operands say it at run time. */
    uint8_t staging_count;
    uint8_t flags;
};

/* Of an operation below BIFROST_OP_COUNT. */
const struct bifrost_op_info *bifrost_op_info(uint16_t op);

/* The message of an instruction: its operation's, but that loads of uniform buffers go where attributes do, and
 * the fragment's depth comes from where depth is. */
uint8_t bifrost_message_of(const struct bifrost_insn *insn);

/* It gives t, t0 or t1: not what ends, stores or loads to staging registers, but ATEST. */
bool bifrost_gives_value(const struct bifrost_insn *insn);

enum bifrost_list {
    BIFROST_WORDS,
    BIFROST_OPS,
    BIFROST_SPECIALS,
    BIFROST_MESSAGES,
    BIFROST_FLOWS,
    BIFROST_FLUSHES,
    BIFROST_EXCEPTIONS,
    BIFROST_IMMEDIATES,
    BIFROST_MODS, /* names of modifiers, for messages */
    BIFROST_LIST_COUNT
};
/* By enum bifrost_list. */
extern const struct isa_names bifrost_lists[BIFROST_LIST_COUNT];

/* "none" for 0. */
const char *bifrost_word(uint8_t word);
/* A modifier, or behind those of instructions one of a source's: "round", "select". */
const char *bifrost_mod_name(uint8_t place);

#endif
