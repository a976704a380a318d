/* The rules of rules.inc over one instruction, for the assembler and the checker. */
#ifndef VITRAIL_ISA_VALHALL_CHECK_H
#define VITRAIL_ISA_VALHALL_CHECK_H

#include "isa/valhall/insn.h"

/* As valhall_rules (lint.h) numbers them. */
enum valhall_rule {
    VALHALL_RULE_STRUCTURE,
#define RULE(name, severity, text, source) VALHALL_RULE_##name,
#define PROGRAM_RULES                      VALHALL_RULE_OF_PROGRAMS, VALHALL_RULE_BEFORE = VALHALL_RULE_OF_PROGRAMS - 1,
#include "isa/valhall/rules.inc"
    VALHALL_RULE_COUNT
};

/* Registers that messages under way still write, by slot; a bit each. */
enum { VALHALL_GENERAL_SLOTS = 3 };
struct valhall_pending {
    uint64_t written[VALHALL_GENERAL_SLOTS];
};
/* Whether the instruction breaks DEPENDENCY. */
bool valhall_pending_broken(const struct valhall_pending *pending, const struct valhall_insn *insn);
/* Behind the instruction. */
void valhall_pending_go_on(struct valhall_pending *pending, const struct valhall_insn *insn);

/* The rules of an instruction by itself that it breaks, a bit each. */
uint64_t valhall_broken(const struct valhall_insn *insn);
/* The first of them in words, NULL: none. */
const char *valhall_broken_text(const struct valhall_insn *insn);

#endif
