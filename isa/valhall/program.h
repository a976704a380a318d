/* A program of Valhall as it is executed (isa/warp/program.h). */
#ifndef VITRAIL_ISA_VALHALL_PROGRAM_H
#define VITRAIL_ISA_VALHALL_PROGRAM_H

#include "isa/warp/program.h"

#define VALHALL_MAX_WORDS (1u << 16) /* programs longer than this are refused with -E2BIG */

/* Takes the program that begins at the first of `count` words. 0 and *out (warp_program_destroy), -E2BIG, -EBADMSG (a
 * word that is no instruction, a branch out of the program, no end; error names the word), -ENOMEM. */
int valhall_program_create(const uint64_t *words, uint32_t count, struct warp_program **out,
                           struct util_error *error);

/* ---- parts of it ---- */

struct valhall_insn;
/* The instruction at word `at`; branches go to what `target` of valhall_goes_to says. */
void valhall_lower(const struct valhall_insn *insn, uint32_t at, struct warp_insn *out);
/* The same of messages, whose sources, registers and flow are set. */
void valhall_lower_message(const struct valhall_insn *insn, struct warp_insn *out);
/* Word that it may go to, beside the next; -1: none. */
int64_t valhall_goes_to(const struct valhall_insn *insn, uint32_t at);

#endif
