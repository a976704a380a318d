/* Operands and results of arithmetic, one lane at a time (README.md, rules 5 and 7). */
#include <string.h>

#include "isa/midgard/interp_internal.h"
#include "util/bits.h"

uint64_t midgard_bits_of(unsigned width)
{
    return ~0ull >> (64 - width);
}

void midgard_operand_words(const struct midgard_machine *m, unsigned reg, const uint32_t counter[4][16],
                           unsigned lane, struct midgard_words *out)
{
    bool result =
        (reg == MIDGARD_R_TEXTURE || reg == MIDGARD_R_TEXTURE + 1) && !m->program->traits.shared_registers;
    unsigned from = result ? reg - MIDGARD_R_TEXTURE + MIDGARD_R_RESULT : reg;
    for (unsigned c = 0; c < 4; c++)
        out->word[c] = reg == MIDGARD_R_CONSTANT ? m->insn->constant[c]
                       : reg == MIDGARD_R_SELECT ? counter[c][lane]
                                                 : m->state->reg[from][c][lane];
    out->kept.held = 0;
    if (reg != MIDGARD_R_CONSTANT && reg != MIDGARD_R_SELECT && m->kept[from][lane].held)
        out->kept = m->kept[from][lane];
}

static uint64_t element(const uint32_t words[4], unsigned width, unsigned n)
{
    uint64_t out = 0;
    memcpy(&out, (const uint8_t *)words + n * width / 8, width / 8);
    return out;
}

/* ---- widening ---- */

static uint64_t widened_int(uint64_t x, unsigned from, uint8_t mod)
{
    switch (mod) {
    case MIDGARD_SIGN:
        return (uint64_t)((int64_t)(x << (64 - from)) >> (64 - from)) & midgard_bits_of(2 * from);
    case MIDGARD_ZERO: return x;
    case MIDGARD_REPLICATE: return x | x << from;
    default: return x << from;
    }
}

static uint64_t widened_float(uint64_t x, unsigned from)
{
    return from == 16 ? midgard_of_half((uint32_t)x) : midgard_lane_op(ISA_OP_f32_to_f64, ISA_F32, 0, x, 0);
}

uint64_t midgard_with_signs(uint64_t x, unsigned width, uint8_t mod)
{
    uint64_t sign = 1ull << (width - 1);
    x = mod & MIDGARD_ABS ? x & ~sign : x;
    return mod & MIDGARD_NEG ? x ^ sign : x;
}

static uint64_t widened(uint64_t x, unsigned from, bool floats, uint8_t mod)
{
    return floats ? widened_float(x, from) : widened_int(x, from, mod);
}

/* ---- vectors ---- */

/* Of modes 8 and 16: where element `e`'s half begins, in elements of its source. */
static unsigned half_of(uint8_t expand, unsigned e, unsigned elements)
{
    unsigned upper = e >= elements / 2, half = elements / 2;
    switch (expand) {
    case MIDGARD_REPEAT_LOW: return 0;
    case MIDGARD_REPEAT_HIGH: return half;
    case MIDGARD_SWAP:
    case MIDGARD_EXPAND_LOW_SWAP: return half * !upper;
    case MIDGARD_EXPAND_HIGH: return elements + half * upper;
    case MIDGARD_EXPAND_HIGH_SWAP: return elements + half * !upper;
    default: return half * upper;
    }
}

/* Which element of the source it is, for modes up to 32. */
static unsigned chosen(const struct midgard_source *s, uint8_t mode, unsigned e)
{
    switch (mode) {
    case MIDGARD_MODE_8: return half_of(s->expand, e, 16) + 2 * (s->swizzle >> 2 * (e % 8 / 2) & 3) + (e & 1);
    case MIDGARD_MODE_16: return half_of(s->expand, e, 8) + (s->swizzle >> 2 * (e % 4) & 3);
    default: return (s->expand == MIDGARD_EXPAND_HIGH ? 4u : 0u) + (s->swizzle >> 2 * e & 3);
    }
}

/* Of mode 64 the swizzle chooses words of what was widened. */
static void doubles(const struct midgard_source *s, bool floats, const uint32_t words[4], uint64_t out[2])
{
    uint32_t wide[4];
    memcpy(wide, words, sizeof wide);
    for (unsigned n = 0; s->expand != MIDGARD_PLAIN && n < 2; n++) {
        uint64_t x = widened(words[(s->expand == MIDGARD_EXPAND_HIGH ? 2 : 0) + n], 32, floats, s->mod);
        memcpy(&wide[2 * n], &x, sizeof x);
    }
    for (unsigned e = 0; e < 2; e++)
        out[e] = wide[s->swizzle >> 4 * e & 3] | (uint64_t)wide[s->swizzle >> (4 * e + 2) & 3] << 32;
}

static bool is_there(uint8_t mode, uint8_t expand, bool floats)
{
    if (expand >= MIDGARD_REPEAT_LOW && expand <= MIDGARD_SWAP)
        return mode <= MIDGARD_MODE_16;
    if (expand >= MIDGARD_EXPAND_LOW_SWAP)
        return mode == MIDGARD_MODE_16 && !floats;
    return expand == MIDGARD_PLAIN || (mode > MIDGARD_MODE_8 && !(floats && mode == MIDGARD_MODE_16));
}

unsigned midgard_operand_half(const struct midgard_source *s, uint8_t mode, unsigned e)
{
    return chosen(s, mode, e);
}

bool midgard_operand_vector(const struct midgard_source *s, uint8_t mode, bool floats, bool singles,
                            const struct midgard_words *from, uint64_t out[16])
{
    const uint32_t *words = from->word;
    unsigned width = 8u << mode;
    bool expands = s->expand >= MIDGARD_EXPAND_LOW;
    if (!is_there(mode, s->expand, floats))
        return false;
    if (mode == MIDGARD_MODE_64)
        doubles(s, floats, words, out);
    for (unsigned e = 0; mode < MIDGARD_MODE_64 && e < 128 / width; e++) {
        unsigned n = chosen(s, mode, e);
        if (singles || (floats && expands && mode == MIDGARD_MODE_32))
            out[e] = midgard_half_of(from, n);
        else
            out[e] = expands ? widened(element(words, width / 2, n), width / 2, floats, s->mod)
                             : element(words, width, n);
    }
    for (unsigned e = 0; floats && e < 128 / width; e++)
        out[e] = midgard_with_signs(out[e], singles ? 32 : width, s->mod);
    return true;
}

/* ---- scalars ---- */

uint64_t midgard_operand_scalar(const struct midgard_source *s, bool floats, const struct midgard_words *from)
{
    uint64_t x = s->full  ? from->word[s->component >> 1]
                 : floats ? midgard_half_of(from, s->component)
                          : widened_int(element(from->word, 16, s->component), 16, s->mod);
    return floats ? midgard_with_signs(x, 32, s->mod) : x;
}

uint64_t midgard_operand_immediate(const struct midgard_alu *u, uint8_t mode, bool floats, bool singles)
{
    unsigned width = 8u << mode;
    if (!floats)
        return (uint64_t)(int64_t)(int16_t)u->constant & midgard_bits_of(width);
    uint64_t x = u->constant;
    if (mode > MIDGARD_MODE_16 || singles)
        x = widened_float(x, 16);
    if (mode == MIDGARD_MODE_64)
        x = widened_float(x, 32);
    return midgard_with_signs(x, singles ? 32 : width, u->b.mod);
}

/* ---- results ---- */

static const uint8_t float_shapes[4] = {ISA_F16, ISA_F16, ISA_F32, ISA_F64};

static bool narrow_float(const struct midgard_alu_info *info, uint8_t mode, uint64_t *value)
{
    uint8_t rounding = info->op[mode].policy & ISA_OP_ROUNDING;
    if (mode == MIDGARD_MODE_16)
        return false;
    *value = mode == MIDGARD_MODE_32 ? midgard_lane_op(ISA_OP_f32_to_f16, ISA_F32, rounding, *value, 0)
                                     : midgard_lane_op(ISA_OP_f64_to_f32, ISA_F64, rounding, *value, 0);
    return true;
}

static uint64_t narrow_int(uint8_t mode, uint8_t outmod, uint64_t x)
{
    static const uint8_t sat[2][4] = {
        {0, ISA_OP_i16_to_i8_sat, ISA_OP_i32_to_i16_sat, ISA_OP_i64_to_i32_sat},
        {0, ISA_OP_u16_to_u8_sat, ISA_OP_u32_to_u16_sat, ISA_OP_u64_to_u32_sat}};
    static const uint8_t shapes[4] = {ISA_I8, ISA_I16, ISA_I32, ISA_I64};
    unsigned half = 4u << mode;
    switch (outmod) {
    case MIDGARD_LOW_HALF: return x & midgard_bits_of(half);
    case MIDGARD_HIGH_HALF: return x >> half;
    default: return midgard_lane_op(sat[outmod][mode], shapes[mode], 0, x, 0);
    }
}

uint32_t midgard_clamped_single(uint8_t outmod, uint32_t value)
{
    return outmod ? (uint32_t)midgard_lane_op(midgard_clamps[outmod], ISA_F32, 0, value, 0) : value;
}

bool midgard_result(const struct midgard_alu_info *info, uint8_t mode, uint8_t outmod, bool narrow,
                    uint64_t *value)
{
    if (narrow && mode == MIDGARD_MODE_8)
        return false;
    if (!info->float_out) {
        *value = narrow ? narrow_int(mode, outmod, *value) : *value;
        return true;
    }
    if (outmod)
        *value = midgard_lane_op(midgard_clamps[outmod], float_shapes[mode], 0, *value, 0);
    return !narrow || narrow_float(info, mode, value);
}
