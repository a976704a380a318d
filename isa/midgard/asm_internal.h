/* The assembler: asm.c (lines, branches), asm_alu.c (units of bundles), asm_memory.c (loads, stores), asm_texture.c. */
#ifndef VITRAIL_ISA_MIDGARD_ASM_INTERNAL_H
#define VITRAIL_ISA_MIDGARD_ASM_INTERNAL_H

#include "isa/assembler.h"
#include "isa/isa.h"
#include "isa/midgard/insn.h"

/* All return 0 or -EINVAL with the place. */
int midgard_asm_comma(struct isa_assembler *as);
/* A point, glued to what stands before. */
int midgard_asm_point(struct isa_assembler *as);
/* A number from `least` to `most`. */
int midgard_asm_number(struct isa_assembler *as, int64_t least, int64_t most, int64_t *value);
/* A number with a point, or without. */
int midgard_asm_value(struct isa_assembler *as, float *value, bool *with_point, uint32_t *bits);
/* A name of a list, NULL for none there; where it is not one, `what` is expected. */
int midgard_asm_choice(struct isa_assembler *as, const char *const *names, unsigned count, const char *what,
                       uint32_t *value);
/* Which of the names a word is; `count` when it is none. */
uint32_t midgard_asm_find(struct isa_token word, const char *const *names, unsigned count);
/* Letters x y z w that a word is made of, in order: a mask, "0" for none; false if it is not. */
bool midgard_asm_mask(struct isa_token word, uint8_t *mask);
/* Four letters. */
bool midgard_asm_swizzle(struct isa_token word, uint8_t *swizzle);
/* "/xyzw", if it is next. */
int midgard_asm_chosen(struct isa_assembler *as, uint8_t *swizzle);
/* An operation's name in a list, or `stem` and a number below `limit`. */
bool midgard_asm_operation(struct isa_token word, const struct isa_names *list, const char *stem,
                           uint32_t limit, uint32_t *value);

/* The rest of an arithmetic part, behind the unit's name. */
int midgard_asm_alu(struct isa_assembler *as, enum midgard_unit unit, struct midgard_alu *out);
/* The rest of a load or store, behind its name. */
int midgard_asm_load_store(struct isa_assembler *as, uint8_t op, struct midgard_memory *out);
/* The rest of a texture operation, behind its name; and its further parts: *known when the word is one. */
int midgard_asm_texture(struct isa_assembler *as, uint8_t op, struct midgard_insn *out);
int midgard_asm_texture_part(struct isa_assembler *as, struct isa_token name, struct midgard_insn *out,
                             bool *known);

#endif
