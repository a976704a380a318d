/* What the interpreter's files share. */
#ifndef VITRAIL_ISA_UTGARD_PP_INTERP_INTERNAL_H
#define VITRAIL_ISA_UTGARD_PP_INTERP_INTERNAL_H

#include "isa/utgard_pp/interp.h"

struct machine {
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
void machine_fault(struct machine *m, enum utgard_pp_fault fault, unsigned lane);
/* Component reg & 3 of register reg >> 2. */
uint32_t machine_scalar(const struct machine *m, uint8_t reg, unsigned lane);
/* All stages but the branch. */
void machine_execute(struct machine *m, const struct utgard_pp_insn *i);
/* interp_memory.c: varying and sampler; uniform or temporary; store or frame buffer. */
void machine_varying(struct machine *m, const struct utgard_pp_insn *i);
void machine_sample(struct machine *m, const struct utgard_pp_insn *i);
void machine_load(struct machine *m, const struct utgard_pp_insn *i);
void machine_store(struct machine *m, const struct utgard_pp_insn *i);
/* Lanes of a quad that do not execute get the value of its first one that does. */
void machine_fill_quads(const struct machine *m, uint32_t value[16]);
/* What a unit's result is in a register. */
uint32_t machine_result(const struct machine *m, uint32_t value);
/* Writes component c of a register, as machine_result has it, in the lanes that execute. */
void machine_write(struct machine *m, uint8_t reg, unsigned component, const uint32_t value[16]);

#endif
