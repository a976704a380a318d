/* The assembler: asm.c (clauses: headers, parts, constants), asm_insn.c (an instruction's text and its encoding),
 * asm_ports.c (which port carries what). */
#ifndef VITRAIL_ISA_BIFROST_ASM_INTERNAL_H
#define VITRAIL_ISA_BIFROST_ASM_INTERNAL_H

#include "isa/assembler.h"
#include "isa/bifrost/insn.h"

#define BIFROST_ASM_WORDS 8

/* Words behind dots, not yet said of what. */
struct bifrost_asm_words {
    uint8_t word[BIFROST_ASM_WORDS], count;
};

/* An instruction as it is written: its sources by what they are, without the bits that select that. */
struct bifrost_asm_insn {
    struct isa_token where;
    struct bifrost_insn insn;
    struct bifrost_asm_words words, source_words[BIFROST_SOURCES];
    bool fau_zero[BIFROST_SOURCES]; /* zero as a special value, not as the unit's own */
    bool staged;                    /* it names a staging register */
};

struct bifrost_asm_tuple {
    struct bifrost_asm_insn insn[2];
    bool has_ports; /* the register block is given */
};

struct bifrost_asm_clause {
    struct bifrost_clause clause;
    struct bifrost_asm_tuple tuple[BIFROST_TUPLES];
    bool relative[BIFROST_CONSTANTS]; /* upper word: a place in quadwords */
    bool has_staging;
};

/* All return 0 or -EINVAL with the place. */
int bifrost_asm_number(struct isa_assembler *as, uint32_t limit, uint32_t *value);
int bifrost_asm_take(struct isa_assembler *as, char c);
/* "pc+3" behind its first word, or a label: quadwords from this clause on. */
int bifrost_asm_place(struct isa_assembler *as, struct isa_token token, int64_t *quads);
/* The rest of an instruction behind its unit's sign. */
int bifrost_asm_insn(struct isa_assembler *as, enum bifrost_unit unit, struct bifrost_asm_clause *clause,
                     struct bifrost_asm_insn *out);
/* Register blocks of all tuples that have none, and what selects constants. */
int bifrost_asm_ports(struct isa_assembler *as, struct bifrost_asm_clause *clause);
/* Selects sources and says which modifiers the words are: fills the clause's instruction. */
int bifrost_asm_settle(struct isa_assembler *as, struct bifrost_asm_clause *clause, unsigned tuple,
                       enum bifrost_unit unit);
/* What selects that source in a tuple whose ports are there; false: nothing does. */
bool bifrost_asm_select(const struct bifrost_clause *clause, const struct bifrost_ports *ports,
                        enum bifrost_unit unit, const struct bifrost_asm_insn *insn, unsigned source,
                        uint8_t *select);

#endif
