/* The scoreboard of a hybrid core: in which cycle each element operation would issue, read its registers and write
 * its result, and what it waits for. It computes no values: a program does the same with the model and without.
 *
 * Two matrices as in the CDC 6600, units against units (who waits for whom) and units against registers (who reads
 * and writes what), with hazards by byte: a wide use waits for all narrower ones of the bytes that it covers, and a
 * narrow one for the wide ones that cover it, and for nothing else of that register.
 *
 * Source: SIMPLE_V.md 13, where what the seed fixes and what is a choice stand apart. Choices beyond it:
 * - Each 32-bit word of an operand has its port in the first cycle that has one, and the operation has read with the
 *   last. Operations that read the same word in the same cycle share a port, as writes of bytes of one word do.
 * - A unit is held from issue to write, so that a pipelined and an unpipelined one differ in latency alone.
 * - Memory makes no hazards: loads and stores wait for registers.
 * - What a mask ends frees its unit and its names in the cycle in which the mask is read; until then it is in flight. */
#ifndef VITRAIL_GPU_LIBRESOC_SCOREBOARD_H
#define VITRAIL_GPU_LIBRESOC_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#define LIBRESOC_FILE_BYTES 1024u /* of a register file: 128 registers of 8 */

enum libresoc_file { LIBRESOC_FILE_X, LIBRESOC_FILE_F, LIBRESOC_FILES };

/* An element in a register file. */
struct libresoc_element {
    uint8_t file; /* enum libresoc_file */
    uint8_t size; /* bytes: 1, 2, 4 or 8; 0 is no element */
    uint16_t at;  /* its first byte, a multiple of size, below LIBRESOC_FILE_BYTES */
};

enum libresoc_kind {
    LIBRESOC_KIND_INTEGER, /* everything without a row of its own */
    LIBRESOC_KIND_MULTIPLY,
    LIBRESOC_KIND_FLOAT,  /* add, multiply, fused */
    LIBRESOC_KIND_DIVIDE, /* and square roots and the functions of Zftrans */
    LIBRESOC_KIND_LOAD,
    LIBRESOC_KIND_STORE,
    LIBRESOC_KINDS
};

#define LIBRESOC_SOURCES 3u

struct libresoc_op {
    enum libresoc_kind kind;
    uint8_t width;        /* bits that the unit computes: 8, 16, 32 or 64 */
    bool dies;            /* its bit of the mask is 0 */
    uint64_t instruction; /* elements of one instruction have one number; only neighbours are compared */
    struct libresoc_element source[LIBRESOC_SOURCES];
    struct libresoc_element mask; /* the predicate register, or no element */
    struct libresoc_element result;
};

#define LIBRESOC_UNITS    64u /* of a class at most */
#define LIBRESOC_ROWS     256u
#define LIBRESOC_ISSUE    64u
#define LIBRESOC_PORTS    4u
#define LIBRESOC_LATENCY  255u
#define LIBRESOC_MIN_ROWS 5u /* three sources, a result, a mask */

/* What a core has. */
struct libresoc_core {
    uint32_t units32;       /* 2..LIBRESOC_UNITS, even; an operation of 64 bits takes two neighbours */
    uint32_t units8;        /* 2..LIBRESOC_UNITS, even; an operation of 16 bits takes two neighbours */
    uint32_t rows;          /* LIBRESOC_MIN_ROWS..LIBRESOC_ROWS names of registers in flight in each file */
    uint32_t issue;         /* 1..LIBRESOC_ISSUE element operations a cycle */
    uint32_t reads, writes; /* 1..LIBRESOC_PORTS ports of each bank */
    uint32_t latency[LIBRESOC_KINDS]; /* 1..LIBRESOC_LATENCY cycles from read to write */
    bool whole;                       /* hazards by whole registers, to compare with */
    bool batch;    /* elements of one 32-bit word of a vector's result may share a 32-bit unit when
                                         there is no 8-bit one left */
    bool in_order; /* a second write to the same bytes waits at issue, as in the 6600, not at its write */
};

/* The defaults of SIMPLE_V.md 13.2. */
struct libresoc_core libresoc_core_default(void);

/* The cells of the matrix of units against units: of two classes of units, of which wider ones are made, or of four
 * classes with as many units each. */
uint64_t libresoc_core_cells(const struct libresoc_core *core, uint32_t classes);

/* Cycles count from 1. */
struct libresoc_when {
    uint64_t issue, read;
    uint64_t write; /* of what writes no register, the cycle in which it ends */
};

enum libresoc_stall {
    LIBRESOC_STALL_RAW, /* a source was not written yet */
    LIBRESOC_STALL_WAR, /* the result's bytes were still to be read */
    LIBRESOC_STALL_WAW, /* or to be written */
    LIBRESOC_STALL_UNIT32,
    LIBRESOC_STALL_UNIT8,
    LIBRESOC_STALL_ROW,
    LIBRESOC_STALL_PORT,
    LIBRESOC_STALL_MASK, /* the mask was not written yet, and the sources were */
    LIBRESOC_STALLS
};

/* "RAW", "WAR", ... */
const char *libresoc_stall_name(enum libresoc_stall stall);

struct libresoc_totals {
    uint64_t ops, died;
    uint64_t cycles;        /* the last in which something ended */
    uint64_t busy32, busy8; /* cycles in which units of a class were held, of all units together */
    uint64_t stall
        [LIBRESOC_STALLS]; /* cycles of waiting, of all operations together: they overlap. Issue being in order,
                                       what waits for units and rows counts once, whatever stands behind it. */
    uint32_t rows[LIBRESOC_FILES]; /* most names at once */
    uint32_t in_flight;            /* most operations at once */
};

struct libresoc_scoreboard;

/* 0; -EINVAL: something of the core is out of range; -ENOMEM. The caller destroys it. */
int libresoc_scoreboard_create(const struct libresoc_core *core, struct libresoc_scoreboard **out);
void libresoc_scoreboard_destroy(struct libresoc_scoreboard *board);

/* `later` waits for `earlier`, counted as they were issued, from 0: for all stalls of `hazards`, bits of enum
 * libresoc_stall, of which RAW, WAR, WAW and MASK can be set. Asked for each pair in flight. */
typedef void (*libresoc_edge)(void *context, uint64_t earlier, uint64_t later, uint32_t hazards);
void libresoc_scoreboard_watch(struct libresoc_scoreboard *board, libresoc_edge edge, void *context);

/* The next operation in program order. 0, or -EINVAL: an element is no element of a file, or the width none. */
int libresoc_scoreboard_issue(struct libresoc_scoreboard *board, const struct libresoc_op *op,
                              struct libresoc_when *when);

/* Of all that was issued, to its end. */
struct libresoc_totals libresoc_scoreboard_totals(const struct libresoc_scoreboard *board);

#endif
