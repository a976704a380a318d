/* What the interpreter's files share. */
#ifndef VITRAIL_ISA_UTGARD_PP_INTERP_INTERNAL_H
#define VITRAIL_ISA_UTGARD_PP_INTERP_INTERNAL_H

#include "isa/utgard_pp/interp.h"

struct utgard_pp_machine {
    const struct utgard_pp_program *program;
    const struct utgard_pp_ports *ports;
    struct utgard_pp_state *state;
    struct utgard_pp_report *report;
    uint32_t insn;              /* number of the instruction at hand */
    uint16_t lanes;             /* that execute it */
    uint32_t special[4][4][16]; /* its constants, texture and uniform: registers 12 to 15 */
    uint32_t coordinates[4][16], vmul[4][16], smul[16];
    uint32_t (*temporary)[4][16]; /* UTGARD_PP_TEMPORARIES; NULL: the program has none */
};

/* The first fault counts, of the lowest lane. */
void utgard_pp_machine_fault(struct utgard_pp_machine *m, enum utgard_pp_fault fault, unsigned lane);
/* Component reg & 3 of register reg >> 2. */
uint32_t utgard_pp_machine_scalar(const struct utgard_pp_machine *m, uint8_t reg, unsigned lane);
/* All stages but the branch. */
void utgard_pp_machine_execute(struct utgard_pp_machine *m, const struct utgard_pp_insn *i);
/* interp_memory.c: varying and sampler; uniform or temporary; store or frame buffer. */
void utgard_pp_machine_varying(struct utgard_pp_machine *m, const struct utgard_pp_insn *i);
void utgard_pp_machine_sample(struct utgard_pp_machine *m, const struct utgard_pp_insn *i);
void utgard_pp_machine_load(struct utgard_pp_machine *m, const struct utgard_pp_insn *i);
void utgard_pp_machine_store(struct utgard_pp_machine *m, const struct utgard_pp_insn *i);
/* Lanes of a quad that do not execute get the value of its first one that does. */
void utgard_pp_machine_fill_quads(const struct utgard_pp_machine *m, uint32_t value[16]);
/* What a unit's result is in a register. */
uint32_t utgard_pp_machine_result(const struct utgard_pp_machine *m, uint32_t value);
/* Writes component c of a register, as utgard_pp_machine_result has it, in the lanes that execute. */
void utgard_pp_machine_write(struct utgard_pp_machine *m, uint8_t reg, unsigned component,
                             const uint32_t value[16]);

#endif
