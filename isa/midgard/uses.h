/* Which components of the registers an instruction reads and writes, for debuggers. */
#ifndef VITRAIL_ISA_MIDGARD_USES_H
#define VITRAIL_ISA_MIDGARD_USES_H

#include "isa/midgard/program.h"

/* Bit n: word n, as it stood before the instruction. r24, r25 and r31, which are a bundle's own, are not told of as
 * read; nor are constants. */
struct midgard_uses {
    uint8_t read[MIDGARD_REGISTERS];
    uint8_t written[MIDGARD_REGISTERS];
};

void midgard_uses(const struct midgard_insn *insn, const struct midgard_traits *traits,
                  struct midgard_uses *out);

#endif
