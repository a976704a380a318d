/* Memory, buffers, and messages that go to a port as they are. */
#include <string.h>

#include "isa/op.h"
#include "isa/warp/interp_internal.h"
#include "util/bits.h"

/* ---- memory ---- */

static void access_of(struct warp_machine *m, struct isa_access *out)
{
    const struct warp_insn *i = m->insn;
    uint32_t base[2][16];
    *out = (struct isa_access){.space = (enum isa_space)i->space,
                               .bytes = i->bytes,
                               .enable = (uint16_t)((1u << i->bytes) - 1),
                               .hint = i->hint,
                               .op = (enum isa_atomic)i->atomic};
    warp_machine_source(m, 0, base);
    for (unsigned l = 0; l < 16; l++)
        out->address[l] = (base[0][l] | (uint64_t)base[1][l] << 32) + (uint64_t)(int64_t)i->offset;
}

/* What was read goes to a part of a word, or is made as wide as into_bits. */
static void loaded(struct warp_machine *m, uint32_t words[4][16])
{
    const struct warp_insn *i = m->insn;
    const unsigned bits = i->bytes * 8u;
    if (!i->into_bits) {
        warp_machine_write(m, 0, (bits + 31) / 32, (const uint32_t(*)[16])words);
        return;
    }
    for (unsigned l = 0; l < 16; l++) {
        uint64_t value = (words[0][l] | (uint64_t)words[1][l] << 32) << (64 - bits);
        value = i->sign ? (uint64_t)((int64_t)value >> (64 - bits)) : value >> (64 - bits);
        if (i->into_bits < 32) {
            uint32_t mask = ((1u << i->into_bits) - 1) << i->into_bit;
            uint32_t old = m->state->reg[i->write.reg % WARP_REGISTERS][l];
            value = (old & ~mask) | ((uint32_t)value << i->into_bit & mask);
        }
        words[0][l] = (uint32_t)value;
        words[1][l] = (uint32_t)(value >> 32);
    }
    warp_machine_write(m, 0, i->into_bits > 32 ? 2 : 1, (const uint32_t(*)[16])words);
}

static void load(struct warp_machine *m)
{
    struct isa_access access;
    struct isa_place place = {0};
    uint32_t words[4][16] = {{0}};
    access_of(m, &access);
    warp_machine_check(m, m->ports->load(m->ports->ctx, &access, m->lanes, words, &place), &place);
    if (!m->report->fault)
        loaded(m, words);
}

static void buffer(struct warp_machine *m)
{
    struct isa_place place = {0};
    uint32_t words[4][16] = {{0}}, offset[2][16], handle[2][16];
    warp_machine_source(m, 0, offset);
    warp_machine_source(m, 1, handle);
    warp_machine_check(
        m, m->ports->uniform(m->ports->ctx, handle[0], offset[0], m->insn->bytes, m->lanes, words, &place),
        &place);
    if (!m->report->fault)
        loaded(m, words);
}

static void store(struct warp_machine *m)
{
    const uint16_t lanes = m->insn->own ? m->lanes : m->lanes & (uint16_t)~m->state->helpers;
    struct isa_access access;
    struct isa_place place = {0};
    uint32_t value[4][16];
    access_of(m, &access);
    warp_machine_read(m, 0, 4, value);
    if (lanes)
        warp_machine_check(
            m, m->ports->store(m->ports->ctx, &access, lanes, (const uint32_t(*)[16])value, &place), &place);
}

static void atomic(struct warp_machine *m)
{
    const struct warp_insn *i = m->insn;
    const uint16_t lanes = m->lanes & (uint16_t)~m->state->helpers;
    const unsigned words = i->bytes / 4u;
    struct isa_access access;
    struct isa_place place = {0};
    uint32_t compare[2][16] = {{0}}, value[2][16] = {{0}}, out[2][16] = {{0}};
    access_of(m, &access);
    if (i->has_value)
        warp_machine_read(m, 0, words, value);
    if (i->compare)
        warp_machine_read(m, i->has_value ? words : 0, words, compare);
    for (unsigned l = 0; l < 16 && !i->has_value; l++) {
        value[0][l] = (uint32_t)i->value;
        value[1][l] = (uint32_t)(i->value >> 32);
    }
    if (lanes)
        warp_machine_check(m,
                           m->ports->atomic(m->ports->ctx, &access, lanes, (const uint32_t(*)[16])value,
                                            (const uint32_t(*)[16])compare, out, &place),
                           &place);
    for (unsigned l = 0; l < 16; l++)
        if (!(lanes >> l & 1))
            out[0][l] = out[1][l] = 0;
    if (!m->report->fault)
        warp_machine_write(m, 0, words, (const uint32_t(*)[16])out);
}

void warp_machine_memory(struct warp_machine *m)
{
    switch (m->insn->kind) {
    case WARP_LOAD: load(m); break;
    case WARP_STORE: store(m); break;
    case WARP_ATOMIC: atomic(m); break;
    default: buffer(m);
    }
}

/* ---- messages ---- */

/* Helpers leave nothing where others look; what they would get is 0. */
static bool leaves_something(const struct warp_insn *i)
{
    return i->message == WARP_STORE_CONVERT || i->message == WARP_STORE_TILE || i->message == WARP_BLEND ||
           i->message == WARP_ATEST || i->message == WARP_ZS_EMIT;
}

/* Of 16 bits a single is made: ATEST's alpha. */
static void operand(struct warp_machine *m, unsigned n, uint32_t out[2][16])
{
    static const struct isa_lane_op widen = {ISA_OP_f16_to_f32, ISA_F16, ISA_OP_QUIET};
    const struct warp_source *s = &m->insn->source[n];
    warp_machine_source(m, n, out);
    for (unsigned l = 0; l < 16 && s->width == 16; l++) {
        const uint64_t half[3] = {out[0][l] >> 16 * s->lane[0] & 0xffff};
        out[0][l] = (uint32_t)isa_op_lane(widen, half);
    }
}

void warp_machine_ask(struct warp_machine *m, const struct warp_insn *i, uint32_t out[WARP_MESSAGE_WORDS][16])
{
    const struct warp_insn *whole = m->insn;
    const uint16_t lanes = leaves_something(i) ? m->lanes & (uint16_t)~m->state->helpers : m->lanes;
    struct warp_message message = {.asked = warp_asked_of(i)};
    struct isa_place place = {0};
    m->insn = i;
    for (unsigned n = 0; n < warp_sources_of(i); n++)
        operand(m, n, message.operand[n]);
    warp_machine_read(m, 0, WARP_MESSAGE_WORDS, message.value);
    /* Of helpers BLEND blends nothing, but they go where the others go. */
    m->leave = warp_blends(i) ? m->lanes : 0;
    if (lanes || warp_blends(i))
        warp_machine_check(m, m->ports->message(m->ports->ctx, &message, lanes, out, &m->leave, &place),
                           &place);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned k = 0; k < WARP_MESSAGE_WORDS; k++)
            out[k][l] = lanes >> l & 1 ? out[k][l] : 0;
    m->insn = whole;
}

/* Of lanes whose conversion word says halves two stand in a word, and what is behind them stays as it is. */
static void keep_behind_halves(struct warp_machine *m, uint32_t out[WARP_MESSAGE_WORDS][16])
{
    const struct warp_insn *i = m->insn;
    uint32_t word[2][16];
    warp_machine_source(m, i->message == WARP_TILE ? 2 : 1, word);
    for (unsigned l = 0; l < 16; l++)
        for (unsigned k = (i->components + 1u) / 2; k < i->write.count; k++)
            if (WARP_CONVERSION_HALVES >> WARP_GET(word[0][l], CONVERSION_REGISTERS) & 1)
                out[k][l] = m->state->reg[(i->write.reg + k) % WARP_REGISTERS][l];
}

void warp_machine_message(struct warp_machine *m)
{
    uint32_t out[WARP_MESSAGE_WORDS][16] = {{0}};
    warp_machine_ask(m, m->insn, out);
    if (m->insn->by_conversion)
        keep_behind_halves(m, out);
    if (!m->report->fault)
        warp_machine_write(m, 0, WARP_MESSAGE_WORDS, (const uint32_t(*)[16])out);
}
