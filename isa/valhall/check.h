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

/* The rules of an instruction by itself that it breaks, a bit each. */
uint64_t valhall_broken(const struct valhall_insn *insn);
/* The first of them in words, NULL: none. */
const char *valhall_broken_text(const struct valhall_insn *insn);

#endif
