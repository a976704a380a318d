/* A thread of a Simple-V program: registers, lengths, where it is. The caller's. Sources: the digest, section 3. */
#ifndef VITRAIL_ISA_SIMPLE_V_STATE_H
#define VITRAIL_ISA_SIMPLE_V_STATE_H

#include "isa/simple_v/insn.h"

struct simple_v_state {
    /* Register n from byte 8n on; elements follow each other through all of a file. Bytes 0 to 7 of x are 0. */
    _Alignas(64) uint8_t x[SIMPLE_V_FILE_BYTES];
    _Alignas(64) uint8_t f[SIMPLE_V_FILE_BYTES];
    uint64_t pc; /* of the instruction, or of the VBLOCK */
    /* Inside a VBLOCK: whose opcode at halfword `opptr` from the first is next. */
    bool in_block;
    uint8_t opptr;
    uint8_t mvl, vl, subvl;             /* 1..64, 0..64, 1..4 */
    uint8_t srcoffs, destoffs, suboffs; /* elements that are done */
    uint8_t fflags, frm;
    uint8_t saturate; /* SVSAT: enum simple_v_saturation */
    bool reserved;    /* by LR */
    uint64_t reserved_at;
    uint64_t executed; /* instructions, as INSTRET has them */
};

/* How integers of elements that go beyond their destination end up there: README.md, "Saturation". */
enum simple_v_saturation { SIMPLE_V_WRAP, SIMPLE_V_SATURATE_UNSIGNED, SIMPLE_V_SATURATE_SIGNED };

enum simple_v_csr {
#define CSR(name, number, text) SIMPLE_V_CSR_##name = number,
#include "isa/simple_v/csrs.inc"
};

/* All zero but for the lengths, which are 1. */
void simple_v_start(struct simple_v_state *state, uint64_t pc);

static inline uint64_t simple_v_x(const struct simple_v_state *s, unsigned reg)
{
    uint64_t value;
    __builtin_memcpy(&value, s->x + 8 * reg, 8);
    return value;
}
/* Writes of x0 do nothing. */
static inline void simple_v_set_x(struct simple_v_state *s, unsigned reg, uint64_t value)
{
    if (reg)
        __builtin_memcpy(s->x + 8 * reg, &value, 8);
}
static inline uint64_t simple_v_f(const struct simple_v_state *s, unsigned reg)
{
    uint64_t value;
    __builtin_memcpy(&value, s->f + 8 * reg, 8);
    return value;
}
static inline void simple_v_set_f(struct simple_v_state *s, unsigned reg, uint64_t value)
{
    __builtin_memcpy(s->f + 8 * reg, &value, 8);
}

/* STATE as a number and back: what is out of range is cut to it. */
uint32_t simple_v_pack_state(const struct simple_v_state *s);
void simple_v_unpack_state(struct simple_v_state *s, uint32_t value);
/* PCVBLK; `block` is that of s->pc, NULL outside. `vl_block`: its halfword. */
uint32_t simple_v_pack_pcvblk(const struct simple_v_state *s, const struct simple_v_block *block,
                              uint16_t vl_block);

#endif
