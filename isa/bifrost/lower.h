/* A program of Bifrost as it is executed: clauses lowered to instructions of isa/warp. */
#ifndef VITRAIL_ISA_BIFROST_LOWER_H
#define VITRAIL_ISA_BIFROST_LOWER_H

#include "isa/bifrost/program.h"
#include "isa/warp/program.h"

/* Specials of a port beyond those of enum bifrost_special: where the workgroup's and the thread's memory begin, which
 * SEG_ADD and SEG_SUB take. */
enum { BIFROST_SPECIAL_WORKGROUP = 16, BIFROST_SPECIAL_THREAD };

/* Numbers of a clause's instructions in what it is lowered to (warp_insn's `part`). */
static inline uint8_t bifrost_part(unsigned tuple, enum bifrost_unit unit)
{
    return (uint8_t)(1 + tuple * 2 + unit);
}
/* What the clause's text calls a temporary that one of its instructions reads or writes: "t", "t0", "t1"; NULL: the
 * text has none of it. */
const char *bifrost_temporary_name(uint8_t part, unsigned temporary, bool written);

/* Tables of attributes, in handles of isa/warp. */
enum { BIFROST_TABLE_ATTRIBUTES, BIFROST_TABLE_VARYINGS };

/* Takes the program that begins at the first of `count` quadwords. 0 and *out (warp_program_destroy); else as
 * bifrost_program_create, or -E2BIG. */
int bifrost_executable_create(const void *words, uint32_t count, struct warp_program **out,
                              struct util_error *error);
/* The same of a program that was taken. */
int bifrost_lower(const struct bifrost_program *program, struct warp_program **out, struct util_error *error);

#endif
