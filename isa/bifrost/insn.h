/* A clause of Mali Bifrost, decoded. Sources: Mesa's panfrost driver (bifrost/) as documentation of the
 * hardware, the public notes (mali-isa-docs, Bifrost.adoc). Pure data: no ownership, no state. Bit positions
 * live in clause.inc and insns.inc only.
 *
 * A program is quadwords of 16 bytes, and places in it count them. A clause is one to eight of them: a header,
 * one to eight tuples, each of an instruction for the FMA unit and one for the ADD unit behind it, and
 * constants. Every clause sends at most one message, to the unit of its message type. */
#ifndef VITRAIL_ISA_BIFROST_INSN_H
#define VITRAIL_ISA_BIFROST_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define BIFROST_QUADS     8 /* quadwords of the longest clause */
#define BIFROST_TUPLES    8
#define BIFROST_CONSTANTS 7 /* a clause may carry as many; a tuple can name the first six */
#define BIFROST_NAMED     6
#define BIFROST_REGISTERS 64
#define BIFROST_SOURCES   4

enum bifrost_unit { BIFROST_FMA, BIFROST_ADD };

/* What is computed: the name without the unit, which is the place in the tuple. BIFROST_OP_NOP, ... */
enum bifrost_op {
#define OP(name, text, message, staging, count, flags) BIFROST_OP_##name,
#include "isa/bifrost/ops.inc"
    BIFROST_OP_COUNT
};

/* Values of all modifiers: one word, one number. BIFROST_NONE is 0, which is also the value of a modifier that
 * the instruction does not have. */
enum bifrost_word {
#define WORD(name, text) BIFROST_##name,
#include "isa/bifrost/ops.inc"
    BIFROST_WORD_COUNT
};

/* Modifiers of an instruction, and those of each of its sources. */
enum bifrost_mod {
#define MOD(name) BIFROST_MOD_##name,
#include "isa/bifrost/ops.inc"
    BIFROST_MOD_COUNT
};
enum bifrost_source_mod {
    BIFROST_SOURCE_ABS,
    BIFROST_SOURCE_NEG, /* behind ABS */
    BIFROST_SOURCE_NOT, /* of bits */
    /* Which bytes or halves are taken, lowest element first: h10 is the upper half, then the lower; b2 is one
     * byte. Fewer than the operation's elements are wide: halves of floats become singles, integers are
     * extended as the operation's type or MOD_EXTEND says, SIGN of the dot product. */
    BIFROST_SOURCE_SELECT,
    BIFROST_SOURCE_SIGN,  /* of a dot product's bytes: sext or zext */
    BIFROST_SOURCE_BYTES, /* a shift counts bytes */
    BIFROST_SOURCE_MOD_COUNT
};

/* Numbers in an instruction. */
enum bifrost_immediate {
#define IMMEDIATE(name, text) BIFROST_IMM_##name,
#include "isa/bifrost/clause.inc"
    BIFROST_IMM_COUNT
};

/* ---- sources and results ---- */

enum bifrost_from {
    BIFROST_FROM_REGISTER,
    BIFROST_FROM_ZERO,
    BIFROST_FROM_CONSTANT, /* `value`, of the clause's constants */
    BIFROST_FROM_RELATIVE, /* the clause's address plus `offset` bytes; `upper`: bits 32 and above of that */
    BIFROST_FROM_UNIFORM,  /* word `index` of the uniforms */
    BIFROST_FROM_SPECIAL,  /* word `upper` of the enum bifrost_special `index` */
    BIFROST_FROM_FMA,      /* t: what this tuple's FMA unit gives; of ADD alone */
    BIFROST_FROM_FMA_LAST, /* t0, t1: what the units gave in the tuple before */
    BIFROST_FROM_ADD_LAST
};
enum bifrost_special {
#define SPECIAL(value, name, text) BIFROST_SPECIAL_##name = (value),
#include "isa/bifrost/clause.inc"
};

/* The three bits that an instruction has for a source. */
enum {
    BIFROST_SELECT_PORT_0,
    BIFROST_SELECT_PORT_1,
    BIFROST_SELECT_PORT_2,
    BIFROST_SELECT_STAGE, /* FMA: zero; ADD: t */
    BIFROST_SELECT_LOW,   /* the word of the tuple's uniform, special or constant */
    BIFROST_SELECT_HIGH,
    BIFROST_SELECT_FMA_LAST,
    BIFROST_SELECT_ADD_LAST
};

struct bifrost_source {
    uint8_t select;                        /* as the instruction has it */
    uint8_t mod[BIFROST_SOURCE_MOD_COUNT]; /* enum bifrost_word */
    /* What that is; not encoded: */
    uint8_t from, reg;
    bool upper;
    uint16_t index;
    uint32_t value;
    int64_t offset;
};

/* Where a result goes besides t0 or t1: halves of `reg`, bit 0 the lower; 0: nowhere. Not encoded: the ports of
 * the tuple behind say it, of the last tuple those of the first. */
struct bifrost_result {
    uint8_t reg, halves;
};

/* Registers of the message's own, `count` from the clause's staging register on. */
enum bifrost_staging {
    BIFROST_STAGING_NONE,
    BIFROST_STAGING_READ,
    BIFROST_STAGING_WRITE,
    BIFROST_STAGING_BOTH
};
enum { BIFROST_COUNT_FORMAT = 0x80, BIFROST_COUNT_OPERANDS }; /* see struct bifrost_op_info */

struct bifrost_insn {
    uint16_t op; /* enum bifrost_op */
    uint8_t source_count;
    uint8_t mod[BIFROST_MOD_COUNT]; /* enum bifrost_word */
    uint8_t immediate[BIFROST_IMM_COUNT];
    struct bifrost_source source[BIFROST_SOURCES];
    /* Not encoded: */
    uint16_t row; /* its encoding's place in the table, for texts */
    struct bifrost_result result;
    uint8_t staging, staging_reg;
    uint8_t staging_count; /* 0: operands say it at run time (descriptors) */
};

/* ---- ports ---- */

enum bifrost_port { BIFROST_PORT_IDLE, BIFROST_PORT_READ, BIFROST_PORT_WRITE };

/* The register block of a tuple: what it reads, and what the tuple before writes. */
struct bifrost_ports {
    /* As encoded: */
    uint8_t fau, raw[4], control;
    /* What that says; not encoded. Ports 0 and 1 read, 2 reads or writes what FMA gave, 3 writes. */
    uint8_t reg[4];
    uint8_t use[4];    /* enum bifrost_port */
    uint8_t halves[4]; /* that are written */
    bool fma_3;        /* port 3 writes what FMA gave, not ADD */
};

struct bifrost_tuple {
    struct bifrost_ports ports;
    struct bifrost_insn insn[2]; /* by enum bifrost_unit */
};

/* ---- clauses ---- */

enum bifrost_message {
#define MESSAGE(value, name, text) BIFROST_MESSAGE_##name = (value),
#include "isa/bifrost/clause.inc"
};

/* Where execution goes on: at the end of the program nowhere; with or without a chance for other warps between
 * this clause and the next; with lanes that went another way joining again, never, always or by address. */
enum bifrost_flow {
#define FLOW(value, name, text) BIFROST_FLOW_##name = (value),
#include "isa/bifrost/clause.inc"
};
enum bifrost_flush {
#define FLUSH(value, name, text) BIFROST_FLUSH_##name = (value),
#include "isa/bifrost/clause.inc"
};

/* What of a constant's two words is relative to the clause. */
enum bifrost_relative {
    BIFROST_RELATIVE_NONE,
    BIFROST_RELATIVE_WHOLE, /* 60 bits with sign, of the pair */
    BIFROST_RELATIVE_HIGH,  /* 28 bits with sign, of the upper word */
    BIFROST_RELATIVE_EACH   /* 28 bits with sign, of either word */
};
struct bifrost_constant {
    uint64_t value;   /* whose lowest four bits each tuple has for itself */
    uint8_t relative; /* not encoded, but for the first constant beside tuples: see `way` */
};

struct bifrost_clause {
    uint32_t at; /* quadword of the program at which it stands */
    uint8_t flush, flow, exceptions;
    bool suppress_inf, suppress_nan;
    bool terminate;       /* threads that are discarded end here, and helpers are not run */
    bool prefetch;        /* the next clause may be fetched ahead */
    bool staging_barrier; /* what is behind waits until messages have read their staging registers */
    uint8_t staging;
    uint8_t wait, slot; /* slots to wait for before the next clause, a bit each; the message's own */
    uint8_t message, next_message;
    uint8_t reserved_0, reserved_1;
    uint8_t tuple_count, constant_count;
    uint8_t way[2]; /* of the constant beside tuples: what decides `relative` */
    struct bifrost_tuple tuple[BIFROST_TUPLES];
    struct bifrost_constant constant[BIFROST_CONSTANTS];
};

/* Decodes the clause at quadword `at` of a program of `count`. Quadwords it takes; 0: it is none, or something
 * in it is reserved, and `error` says what. */
uint32_t bifrost_decode(const void *words, uint32_t count, uint32_t at, struct bifrost_clause *out,
                        struct util_error *error);
/* The inverse, from what is encoded; constants that the form needs and `clause` lacks are zero. Quadwords written;
 * 0: an instruction has modifiers that no encoding has together, or constants are too many. */
uint32_t bifrost_encode(const struct bifrost_clause *clause, uint64_t words[BIFROST_QUADS * 2],
                        struct util_error *error);

/* One instruction, without what its tuple and clause give it; bits are 23 of FMA, 20 of ADD. 0 or -EBADMSG. */
int bifrost_insn_decode(enum bifrost_unit unit, uint32_t bits, struct bifrost_insn *out,
                        struct util_error *error);
/* 0 or -EINVAL: no encoding has that. */
int bifrost_insn_encode(enum bifrost_unit unit, const struct bifrost_insn *insn, uint32_t *bits);

/* Fills what is not encoded: ports, sources, results, relative constants. 0 or -EBADMSG. */
int bifrost_resolve(struct bifrost_clause *clause, struct util_error *error);

/* Constants that stand beside tuples, so that a clause of so many tuples has them always: 0 or 1; and whether a
 * clause can have that many. */
uint32_t bifrost_constants_beside(uint32_t tuples);
bool bifrost_constants_fit(uint32_t tuples, uint32_t constants);
/* Whether that one has a way beside it. Where it is over two quadwords nothing says one. */
bool bifrost_has_way(uint32_t tuples);

/* Where the instruction branches to: its last source. */
bool bifrost_branches(const struct bifrost_insn *insn);
/* The quadword that is, if the clause knows it: relative and on a quadword. */
bool bifrost_target(const struct bifrost_clause *clause, const struct bifrost_insn *insn, int64_t *at);

#endif
