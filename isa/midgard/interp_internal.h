/* The interpreter: interp.c (control), interp_alu.c (bundles), interp_operand.c (their operands and results),
 * interp_memory.c and interp_attribute.c (loads and stores), interp_texture.c. */
#ifndef VITRAIL_ISA_MIDGARD_INTERP_INTERNAL_H
#define VITRAIL_ISA_MIDGARD_INTERP_INTERNAL_H

#include "isa/midgard/interp.h"
#include "isa/midgard/names.h"

struct midgard_machine {
    const struct midgard_program *program;
    const struct midgard_ports *ports;
    struct midgard_state *state;
    struct midgard_report *report;
    const struct midgard_insn *insn; /* at hand */
    uint16_t lanes;                  /* that execute it */
};

/* The first fault counts; of the lowest lane that executes, or of the place a port gave. */
void midgard_machine_fault(struct midgard_machine *m, enum midgard_fault fault);
void midgard_machine_fault_at(struct midgard_machine *m, enum midgard_fault fault,
                              const struct isa_place *place);
/* What a port returned. */
void midgard_machine_check(struct midgard_machine *m, bool there, const struct isa_place *place);
/* Writes words of a register that `mask` lets through, in the lanes that execute. */
void midgard_machine_write(struct midgard_machine *m, unsigned reg, uint8_t mask,
                           const uint32_t value[4][16]);
/* The address of the instruction behind, and the thread's storage: r31 as it is read. */
void midgard_machine_counter(struct midgard_machine *m, uint32_t out[4][16]);

static inline uint64_t midgard_lane_op(uint8_t op, uint8_t shape, uint8_t policy, uint64_t a, uint64_t b)
{
    const uint64_t source[3] = {a, b, 0};
    return isa_op_lane((struct isa_lane_op){op, shape, (uint8_t)(policy | ISA_OP_QUIET)}, source);
}
static inline uint32_t midgard_of_half(uint32_t half)
{
    return (uint32_t)midgard_lane_op(ISA_OP_f16_to_f32, ISA_F16, 0, half & 0xffff, 0);
}
static inline uint32_t midgard_to_half(uint32_t single)
{
    return (uint32_t)midgard_lane_op(ISA_OP_f32_to_f16, ISA_F32, 0, single, 0);
}
static inline uint32_t midgard_product(uint32_t a, uint32_t b)
{
    return (uint32_t)midgard_lane_op(ISA_OP_fmul, ISA_F32, 0, a, b);
}

/* ---- interp_operand.c: one lane's ---- */

/* The four words of a register as arithmetic reads it; r31's are `counter`. */
void midgard_operand_words(const struct midgard_machine *m, unsigned reg, const uint32_t counter[4][16],
                           unsigned lane, uint32_t out[4]);
/* Elements of a vector operand, as wide as the mode; false: RESERVED. */
bool midgard_operand_vector(const struct midgard_source *s, uint8_t mode, bool floats,
                            const uint32_t words[4], uint64_t out[16]);
/* A scalar operand, of 32 bits. */
uint64_t midgard_operand_scalar(const struct midgard_source *s, bool floats, const uint32_t words[4]);
/* An immediate, of the mode's width. */
uint64_t midgard_operand_immediate(const struct midgard_alu *u, uint8_t mode, bool floats);
/* A result, clamped and made narrower if it is to be: false: RESERVED. */
bool midgard_result(const struct midgard_alu_info *info, uint8_t mode, uint8_t outmod, bool narrow,
                    uint64_t *value);
/* The lowest `width` bits. */
uint64_t midgard_bits_of(unsigned width);

/* ---- the other files ---- */

void midgard_machine_bundle(struct midgard_machine *m);
void midgard_machine_load_store(struct midgard_machine *m, const struct midgard_memory *x);
void midgard_machine_texture(struct midgard_machine *m);

/* Argument registers of the load/store pipeline. */
void midgard_machine_argument(struct midgard_machine *m, uint8_t reg, uint32_t out[4][16]);
/* Words by a swizzle. */
void midgard_swizzled(uint8_t swizzle, const uint32_t in[4][16], uint32_t out[4][16]);
/* interp_attribute.c: attributes, varyings, images, specials, the tile. */
void midgard_machine_attribute(struct midgard_machine *m, const struct midgard_memory *x,
                               const struct midgard_memory_info *info);
void midgard_machine_tile(struct midgard_machine *m, const struct midgard_memory *x,
                          const struct midgard_memory_info *info);
/* Every component times the reciprocal of one, which becomes 1. */
void midgard_divided(unsigned by, bool halves, const uint32_t in[4][16], uint32_t out[4][16]);
/* Of three singles or halves. */
void midgard_machine_cube(struct midgard_machine *m, bool halves, const uint32_t in[4][16],
                          uint32_t out[4][16]);

#endif
