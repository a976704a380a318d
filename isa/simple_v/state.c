#include "isa/simple_v/state.h"

#include "util/bits.h"

void simple_v_start(struct simple_v_state *state, uint64_t pc)
{
    *state = (struct simple_v_state){.pc = pc, .mvl = 1, .vl = 1, .subvl = 1};
}

/* Where fields stand: the digest, section 3.1. A VL of 0, which the field has not, is bit 28 (G 3). */
enum { VL_AT = 6, SRC_AT = 12, DEST_AT = 18, SUBVL_AT = 24, SUB_AT = 26, NONE_AT = 28 };

uint32_t simple_v_pack_state(const struct simple_v_state *s)
{
    return (s->mvl - 1u) | (s->vl ? s->vl - 1u : 0u) << VL_AT | (uint32_t)s->srcoffs << SRC_AT |
           (uint32_t)s->destoffs << DEST_AT | (s->subvl - 1u) << SUBVL_AT | (uint32_t)s->suboffs << SUB_AT |
           (uint32_t)!s->vl << NONE_AT;
}

void simple_v_unpack_state(struct simple_v_state *s, uint32_t value)
{
    const unsigned vl = value >> NONE_AT & 1 ? 0 : (value >> VL_AT & 63) + 1;
    s->mvl = (uint8_t)((value & 63) + 1);
    s->vl = (uint8_t)UTIL_MIN(vl, s->mvl);
    s->subvl = (uint8_t)((value >> SUBVL_AT & 3) + 1);
    const unsigned last = s->vl ? s->vl - 1u : 0;
    s->srcoffs = (uint8_t)UTIL_MIN(value >> SRC_AT & 63, last);
    s->destoffs = (uint8_t)UTIL_MIN(value >> DEST_AT & 63, last);
    s->suboffs = (uint8_t)UTIL_MIN(value >> SUB_AT & 3, s->subvl - 1u);
}

uint32_t simple_v_pack_pcvblk(const struct simple_v_state *s, const struct simple_v_block *b,
                              uint16_t vl_block)
{
    if (!b)
        return 0;
    return 3u << 30 | (uint32_t)b->vlset << 29 | (uint32_t)b->il << 26 | (uint32_t)b->pred_code << 24 |
           (uint32_t)b->reg_code << 22 | (uint32_t)b->mode << 21 | (uint32_t)vl_block << 5 | s->opptr;
}
