/* The interpreter: interp.c (control), interp_alu.c (bundles), interp_operand.c (their operands and results),
 * interp_half.c (halves that are not rounded yet), interp_memory.c and interp_attribute.c (loads and stores),
 * interp_texture.c. */
#ifndef VITRAIL_ISA_MIDGARD_INTERP_INTERNAL_H
#define VITRAIL_ISA_MIDGARD_INTERP_INTERNAL_H

#include "isa/midgard/interp.h"
#include "isa/midgard/names.h"

/* Of a lane's register, or of what is written to it: halves that are kept as singles. */
struct midgard_kept {
    uint32_t single[MIDGARD_HALVES];
    uint8_t held; /* bit n: half n is */
};
/* A register as a lane's arithmetic reads it. */
struct midgard_words {
    uint32_t word[4];
    struct midgard_kept kept;
};

struct midgard_machine {
    const struct midgard_program *program;
    const struct midgard_ports *ports;
    struct midgard_state *state;
    struct midgard_report *report;
    const struct midgard_insn *insn; /* at hand */
    uint16_t lanes;                  /* that execute it */
    bool rounds;                     /* halves, at once: `exact` */
    struct midgard_kept kept[MIDGARD_REGISTERS][MIDGARD_LANES];
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

/* A register as arithmetic reads it; r31's words are `counter`. */
void midgard_operand_words(const struct midgard_machine *m, unsigned reg, const uint32_t counter[4][16],
                           unsigned lane, struct midgard_words *out);
/* Elements of a vector operand, as wide as the mode, or halves as singles; false: RESERVED. */
bool midgard_operand_vector(const struct midgard_source *s, uint8_t mode, bool floats, bool singles,
                            const struct midgard_words *from, uint64_t out[16]);
/* A scalar operand, of 32 bits. */
uint64_t midgard_operand_scalar(const struct midgard_source *s, bool floats,
                                const struct midgard_words *from);
/* An immediate, of the mode's width, or a half as a single. */
uint64_t midgard_operand_immediate(const struct midgard_alu *u, uint8_t mode, bool floats, bool singles);
/* The half of its register that element e of a vector operand is, of mode 16, or is made of, of mode 32. */
unsigned midgard_operand_half(const struct midgard_source *s, uint8_t mode, unsigned e);
/* A float with |x| and -x done, of 16 to 64 bits. */
uint64_t midgard_with_signs(uint64_t x, unsigned width, uint8_t mod);
/* A result of singles, clamped. */
uint32_t midgard_clamped_single(uint8_t outmod, uint32_t value);
/* A result, clamped and made narrower if it is to be: false: RESERVED. */
bool midgard_result(const struct midgard_alu_info *info, uint8_t mode, uint8_t outmod, bool narrow,
                    uint64_t *value);
/* The lowest `width` bits. */
uint64_t midgard_bits_of(unsigned width);

/* ---- interp_half.c: README.md, "Numeric policy" ---- */

/* Half n as a single. */
uint32_t midgard_half_of(const struct midgard_words *from, unsigned n);
/* Half n is kept as a single; gives its bits. */
uint32_t midgard_keep(struct midgard_kept *to, unsigned n, uint32_t single);
/* Writes half n of a lane's register, `kept` of which has it or has not; or a whole word. */
void midgard_machine_put_half(struct midgard_machine *m, unsigned reg, unsigned lane, unsigned n,
                              const struct midgard_kept *kept);
void midgard_machine_forget_word(struct midgard_machine *m, unsigned reg, unsigned lane, unsigned c);
/* What a unit moves or chooses: of element e, whose result begins at half `to`, of which `takes_a` says whether it is
 * a's. */
void midgard_carry(const struct midgard_alu *u, const struct midgard_alu_info *info, bool scalar,
                   const struct midgard_words from[2], unsigned e, bool takes_a, unsigned to,
                   struct midgard_kept *out);
/* Behind instruction n, for the lanes that execute it. */
void midgard_machine_end_halves(struct midgard_machine *m, uint32_t n);

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
