/* Between the files of the interpreter. Functions that return a bool give false for a fault, which the report has then. */
#ifndef VITRAIL_ISA_SIMPLE_V_INTERP_INTERNAL_H
#define VITRAIL_ISA_SIMPLE_V_INTERP_INTERNAL_H

#include "isa/ieee.h"
#include "isa/simple_v/context.h"
#include "isa/simple_v/interp.h"

struct simple_v_machine {
    const struct simple_v_run *run;
    struct simple_v_state *state;
    struct simple_v_report *report;
    const struct simple_v_block *block; /* in which the instruction stands; NULL: in none */
    uint16_t vl_block;                  /* its VL block's halfword, 0 if it has none */
    const struct simple_v_insn *insn;
    struct simple_v_context x; /* of the instruction */
    unsigned subvl;            /* that counts for it */
    unsigned fuel;             /* that it takes */
    bool jumped;               /* pc and opptr are where to go on */
    bool cut;                  /* by fail-first: VL is set, the instruction is done */
    bool ended;                /* by a call */
};

/* interp.c */
bool simple_v_machine_fault(struct simple_v_machine *m, enum simple_v_fault fault);
bool simple_v_machine_fault_at(struct simple_v_machine *m, enum simple_v_fault fault, uint64_t address);
bool simple_v_machine_illegal(struct simple_v_machine *m, const char *why);
/* Goes to an address behind this instruction; out of a VBLOCK. */
bool simple_v_machine_jump(struct simple_v_machine *m, uint64_t target);
/* VL, MVL and SUBVL as instructions set them: out of range is a fault. */
bool simple_v_machine_setvl(struct simple_v_machine *m, unsigned rd, unsigned rs1, unsigned n);

/* For who looks on. */
static inline void simple_v_note_element(const struct simple_v_machine *m, bool left_out)
{
    if (m->run->watch)
        m->run->watch->element(m->run->watch->data, m->state, &m->x, left_out);
}
static inline void simple_v_note_read(const struct simple_v_machine *m, bool integer, unsigned at,
                                      unsigned bytes)
{
    if (m->run->watch && (!integer || at >= 8))
        m->run->watch->read(m->run->watch->data, integer, at, bytes);
}
static inline void simple_v_note_write(const struct simple_v_machine *m, bool integer, unsigned at,
                                       unsigned bytes)
{
    if (m->run->watch && (!integer || at >= 8))
        m->run->watch->write(m->run->watch->data, integer, at, bytes);
}

/* interp_plain.c: instructions that have no elements. csr.c: those of registers. */
bool simple_v_machine_plain(struct simple_v_machine *m);
bool simple_v_machine_csr(struct simple_v_machine *m);

/* interp_loop.c: all elements of the others. interp_branch.c: of branches. */
bool simple_v_machine_elements(struct simple_v_machine *m);
bool simple_v_machine_branch(struct simple_v_machine *m);
/* The mask's bits, all ones if there is none. */
uint64_t simple_v_machine_mask(const struct simple_v_machine *m, unsigned which);
void simple_v_machine_clear_offsets(struct simple_v_machine *m);

/* element.c: number of an element of an operand, of sub-vector i and s in it; reading, writing. */
unsigned simple_v_index(const struct simple_v_machine *m, const struct simple_v_operand_context *o,
                        unsigned i, unsigned s);
/* The operand's element would be read, or written: of elements that a mask leaves out. */
void simple_v_note_left_out(const struct simple_v_machine *m, unsigned place, unsigned i, unsigned s);
/* The bits; of a boxed float the low ones. */
bool simple_v_read(struct simple_v_machine *m, const struct simple_v_operand_context *o, unsigned index,
                   uint64_t *out);
/* An integer of `width` bits, extended with its sign if `is_signed`; into a register alone wholly. */
bool simple_v_write_integer(struct simple_v_machine *m, const struct simple_v_operand_context *o,
                            unsigned index, uint64_t value, unsigned width, bool is_signed);
bool simple_v_write_float(struct simple_v_machine *m, const struct simple_v_operand_context *o,
                          unsigned index, uint64_t bits);
bool simple_v_write_zero(struct simple_v_machine *m, const struct simple_v_operand_context *o,
                         unsigned index);
/* The low `from` bits, extended to 64. */
static inline uint64_t simple_v_extend(uint64_t value, unsigned from, bool is_signed)
{
    const unsigned by = 64 - from;
    return is_signed ? (uint64_t)((int64_t)(value << by) >> by) : value << by >> by;
}

/* An element operation of class ALU or TWIN: sources from sub-vector i, the result to j. *zero: it is 0. */
bool simple_v_element_integer(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s,
                              bool *zero); /* alu.c */
bool simple_v_element_float(struct simple_v_machine *m, unsigned i, unsigned j, unsigned s,
                            bool *zero); /* float.c */
/* alu.c: an integer operation (enum isa_op, simple_v_own) at a width; sources and result in the low bits. */
uint64_t simple_v_integer(unsigned op, unsigned width, uint64_t x, uint64_t y);

/* float.c: the rounding of the instruction: false: illegal. */
bool simple_v_rounding_of(struct simple_v_machine *m, struct isa_ieee *e);
void simple_v_raise(struct simple_v_machine *m, const struct isa_ieee *e);
/* A float to another width, rounded as FCSR says. */
bool simple_v_convert(struct simple_v_machine *m, unsigned from, unsigned to, uint64_t *bits);

/* interp_memory.c: an access of a load or store, data of sub-vector `data`, memory of sub-vector `place`; of an AMO. */
bool simple_v_access(struct simple_v_machine *m, unsigned data, unsigned place, unsigned s, bool zeroed);
bool simple_v_atomic(struct simple_v_machine *m, unsigned i, unsigned s, bool *zero);
/* interp_move.c: elements of swizzles and moves by index. */
bool simple_v_swizzled(struct simple_v_machine *m, unsigned i, unsigned j);
bool simple_v_indexed(struct simple_v_machine *m, unsigned i, unsigned s, bool *zero);

#endif
