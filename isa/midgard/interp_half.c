/* Halves that are kept as singles (README.md, "Numeric policy"), one lane at a time. */
#include "isa/midgard/interp_internal.h"
#include "util/bits.h"

uint32_t midgard_half_of(const struct midgard_words *from, unsigned n)
{
    if (from->kept.held >> n & 1)
        return from->kept.single[n];
    return midgard_of_half(from->word[n / 2] >> 16 * (n & 1));
}

/* With one NaN, and without denormals. */
static uint32_t plain_single(uint32_t x)
{
    const uint32_t size = x & 0x7fffffff;
    return size > 0x7f800000 ? 0x7fc00000 : size < 0x00800000 ? x & 0x80000000 : x;
}

uint32_t midgard_keep(struct midgard_kept *to, unsigned n, uint32_t single)
{
    to->single[n] = plain_single(single);
    to->held |= (uint8_t)(1u << n);
    return midgard_to_half(to->single[n]);
}

void midgard_machine_put_half(struct midgard_machine *m, unsigned reg, unsigned lane, unsigned n,
                              const struct midgard_kept *kept)
{
    struct midgard_kept *to = &m->kept[reg][lane];
    const uint8_t bit = (uint8_t)(1u << n);
    to->held &= (uint8_t)~bit;
    to->held |= kept->held & bit;
    to->single[n] = kept->single[n];
}

void midgard_machine_forget_word(struct midgard_machine *m, unsigned reg, unsigned lane, unsigned c)
{
    m->kept[reg][lane].held &= (uint8_t)~(3u << 2 * c);
}

/* ---- what is moved and chosen ---- */

static bool narrows(const struct midgard_alu *u, bool scalar)
{
    return scalar ? !u->full : u->shrink != MIDGARD_SHRINK_NONE;
}

static void copy_half(const struct midgard_words *from, unsigned n, unsigned to, struct midgard_kept *out)
{
    if (from->kept.held >> n & 1)
        midgard_keep(out, to, from->kept.single[n]);
}

/* Moves that change nothing: halves, or words, of two halves each. */
static void carry_moved(const struct midgard_alu *u, const struct midgard_alu_info *info, bool scalar,
                        const struct midgard_words *b, unsigned e, unsigned to, struct midgard_kept *out)
{
    const struct midgard_source *s = &u->b;
    const bool changes = info->float_out && (u->outmod || s->mod);
    if (u->immediate || narrows(u, scalar) || changes)
        return;
    if (!scalar && u->mode == MIDGARD_MODE_16 && s->expand < MIDGARD_EXPAND_LOW) {
        copy_half(b, midgard_operand_half(s, u->mode, e), to, out);
        return;
    }
    const bool words = scalar ? s->full : u->mode == MIDGARD_MODE_32 && s->expand == MIDGARD_PLAIN;
    const unsigned word = scalar ? s->component / 2u : s->swizzle >> 2 * e & 3u;
    for (unsigned n = 0; n < 2 && words; n++)
        copy_half(b, 2 * word + n, to + n, out);
}

/* The half that the lowest 16 bits of what is chosen are; -1: none. */
static int lowest_half(const struct midgard_alu *u, bool floats, bool scalar, const struct midgard_source *s,
                       unsigned e)
{
    const bool is_half = !scalar && u->mode == MIDGARD_MODE_16;
    const bool expands = scalar ? !s->full : s->expand >= MIDGARD_EXPAND_LOW;
    if (is_half)
        return expands || narrows(u, scalar) ? -1 : (int)midgard_operand_half(s, u->mode, e);
    if (floats || !expands || s->mod == MIDGARD_SHIFT)
        return -1;
    if (scalar)
        return s->component;
    return u->mode == MIDGARD_MODE_32 ? (int)midgard_operand_half(s, u->mode, e) : -1;
}

/* Of two halves, of which one is kept. */
static void carry_chosen(const struct midgard_alu *u, const struct midgard_alu_info *info, bool scalar,
                         const struct midgard_words from[2], unsigned e, bool takes_a, unsigned to,
                         struct midgard_kept *out)
{
    const bool floats = info->float_in;
    const bool whole = floats ? !u->outmod : !narrows(u, scalar) || u->outmod == MIDGARD_LOW_HALF;
    const int a = lowest_half(u, floats, scalar, &u->a, e);
    const int b = u->immediate ? -1 : lowest_half(u, floats, scalar, &u->b, e);
    if (!whole || a < 0 || (b < 0 && !u->immediate))
        return;
    const struct midgard_words number = {.word = {u->constant}};
    const struct midgard_words *source = takes_a ? &from[0] : u->immediate ? &number : &from[1];
    uint32_t x = midgard_half_of(source, takes_a ? (unsigned)a : u->immediate ? 0 : (unsigned)b);
    if (floats)
        x = (uint32_t)midgard_with_signs(x, 32, takes_a ? u->a.mod : u->b.mod);
    midgard_keep(out, to, x);
}

void midgard_carry(const struct midgard_alu *u, const struct midgard_alu_info *info, bool scalar,
                   const struct midgard_words from[2], unsigned e, bool takes_a, unsigned to,
                   struct midgard_kept *out)
{
    if (info->form == MIDGARD_FORM_MOVE)
        carry_moved(u, info, scalar, &from[1], e, to, out);
    else if (info->form == MIDGARD_FORM_SELECT || info->form == MIDGARD_FORM_SELECT_EACH)
        carry_chosen(u, info, scalar, from, e, takes_a, to, out);
}

/* ---- blocks ---- */

/* Whether lanes part behind an instruction, or others come in. */
static bool ends_block(const struct midgard_program *p, uint32_t n)
{
    uint32_t low = 0, high = p->block_count;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (p->blocks[middle].first <= n)
            low = middle;
        else
            high = middle;
    }
    return !p->blocks[low].flows && p->blocks[low].first + p->blocks[low].count - 1 == n;
}

/* What is no half any more, by its size, is infinite from here on. */
static void end_halves(struct midgard_kept *k)
{
    for (unsigned n = 0; n < MIDGARD_HALVES; n++) {
        const uint32_t size = k->single[n] & 0x7fffffff;
        if (k->held >> n & 1 && size >= 0x47800000 && size < 0x7f800000)
            k->single[n] = (k->single[n] & 0x80000000) | 0x7f800000;
    }
}

void midgard_machine_end_halves(struct midgard_machine *m, uint32_t n)
{
    if (m->rounds || !ends_block(m->program, n))
        return;
    for (unsigned r = 0; r < MIDGARD_REGISTERS; r++)
        for (unsigned l = 0; l < MIDGARD_LANES; l++)
            if (m->lanes >> l & 1 && m->kept[r][l].held)
                end_halves(&m->kept[r][l]);
}
