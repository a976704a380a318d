/* The disassembler: disasm.c (bundles, programs), disasm_memory.c (loads, stores, textures). */
#ifndef VITRAIL_ISA_MIDGARD_DISASM_INTERNAL_H
#define VITRAIL_ISA_MIDGARD_DISASM_INTERNAL_H

#include "isa/midgard/insn.h"
#include "isa/text.h"

/* ".xyzw", nothing for what changes nothing. */
void midgard_put_swizzle(struct isa_text *t, uint8_t swizzle);
void midgard_put_load_store(struct isa_text *t, const struct midgard_insn *i);
void midgard_put_texture(struct isa_text *t, const struct midgard_insn *i);
/* All digits of it: at most 24 behind the point. */
void midgard_put_number(struct isa_text *t, double value);

#endif
