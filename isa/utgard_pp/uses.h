/* Which components of the registers an instruction reads and writes, for debuggers. */
#ifndef VITRAIL_ISA_UTGARD_PP_USES_H
#define VITRAIL_ISA_UTGARD_PP_USES_H

#include "isa/utgard_pp/insn.h"

struct utgard_pp_uses {
    uint8_t read[UTGARD_PP_REGISTERS]; /* bit n: component n, as it stood before the instruction */
    uint8_t written[UTGARD_PP_REGISTERS];
};

void utgard_pp_uses(const struct utgard_pp_insn *insn, struct utgard_pp_uses *out);

#endif
