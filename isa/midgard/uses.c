/* What units read is found by the operand's own reading of a register whose bytes say where they stand. */
#include "isa/midgard/uses.h"

#include <string.h>

#include "isa/midgard/interp_internal.h"
#include "util/bits.h"

struct noted {
    struct midgard_uses *out;
    uint8_t
        whole[MIDGARD_REGISTERS]; /* words that were written in full: those before can no longer be read */
};

static void reads(struct noted *u, unsigned reg, uint8_t words)
{
    u->out->read[reg] |= words & (uint8_t)~u->whole[reg];
}

static void writes(struct noted *u, unsigned reg, uint8_t words, uint8_t whole)
{
    u->out->written[reg] |= words;
    u->whole[reg] |= whole;
}

/* Words of which `bytes` has some, or all. */
static uint8_t words_of(uint16_t bytes, bool all)
{
    uint8_t out = 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned here = bytes >> 4 * c & 15;
        out |= (uint8_t)((all ? here == 15 : here != 0) << c);
    }
    return out;
}

/* ---- bundles ---- */

/* Words of its register that the elements of `wanted` come from. */
static uint8_t source_words(const struct midgard_source *s, uint8_t mode, uint16_t wanted)
{
    struct midgard_source plain = *s;
    uint64_t elements[16] = {0};
    struct midgard_words words = {.kept = {.held = 0}};
    uint16_t bytes = 0;
    for (unsigned c = 0; c < 4; c++)
        words.word[c] = 0x04030201 + c * 0x04040404;
    plain.mod = MIDGARD_REPLICATE; /* a widened element comes of all bytes of what it was */
    if (!midgard_operand_vector(&plain, mode, false, false, &words, elements))
        return 0;
    for (unsigned n = 0; n < 128; n++) {
        unsigned from = elements[n / 8] >> n % 8 * 8 & 255;
        if (wanted >> n / 8 & 1 && from)
            bytes |= (uint16_t)(1u << (from - 1));
    }
    return words_of(bytes, false);
}

/* Elements that a mask touches. */
static uint16_t elements_of(const struct midgard_alu *a)
{
    unsigned width = 8u << a->mode;
    uint16_t out = 0;
    for (unsigned e = 0; e < 128 / width; e++)
        out |= (uint16_t)((a->mask >> e * width / 16 & (width > 16 ? (1u << width / 16) - 1 : 1) ? 1u : 0u)
                          << e);
    return out;
}

/* Elements of operand a or b that are read for those. */
static uint16_t wanted(const struct midgard_alu_info *info, uint16_t elements, bool b)
{
    switch (info ? info->form : MIDGARD_FORM_PAIR) {
    case MIDGARD_FORM_MOVE: return b ? elements : 0;
    case MIDGARD_FORM_ONE:
    case MIDGARD_FORM_CONVERT:
    case MIDGARD_FORM_EXP2:
    case MIDGARD_FORM_LOG2:
    case MIDGARD_FORM_SIN:
    case MIDGARD_FORM_COS: return b ? 0 : elements;
    case MIDGARD_FORM_FUSED: return b ? elements : 3;
    case MIDGARD_FORM_DOT3:
    case MIDGARD_FORM_DOT3_REVERSE: return 7;
    case MIDGARD_FORM_DOT4:
    case MIDGARD_FORM_ALL:
    case MIDGARD_FORM_ANY: return 15;
    case MIDGARD_FORM_SUM4: return b ? 0 : 15;
    case MIDGARD_FORM_CHOOSE: return b ? elements : 0xffff;
    default: return elements;
    }
}

static void operand(struct noted *u, const struct midgard_traits *traits, const struct midgard_source *s,
                    const struct midgard_alu *a, bool scalar, uint16_t elements)
{
    bool own = s->reg == MIDGARD_R_CONSTANT || s->reg == MIDGARD_R_SELECT || s->reg == MIDGARD_R_FORWARD ||
               s->reg == MIDGARD_R_FORWARD + 1;
    bool result = (s->reg | 1) == MIDGARD_R_TEXTURE + 1 && !traits->shared_registers;
    if (own || !elements)
        return;
    uint8_t words = scalar ? (uint8_t)(1u << s->component / 2) : source_words(s, a->mode, elements);
    reads(u, result ? s->reg - MIDGARD_R_TEXTURE + MIDGARD_R_RESULT : s->reg, words);
}

static uint16_t result_bytes(const struct midgard_alu *a, bool scalar)
{
    uint16_t bytes = 0;
    if (scalar)
        return a->full ? (uint16_t)(15u << a->component / 2 * 4) : (uint16_t)(3u << a->component * 2);
    if (a->shrink != MIDGARD_SHRINK_NONE)
        return a->shrink == MIDGARD_SHRINK_UPPER ? (uint16_t)(a->mask << 8) : a->mask;
    for (unsigned n = 0; n < 8; n++)
        bytes |= (uint16_t)((a->mask >> n & 1 ? 3u : 0u) << 2 * n);
    return bytes;
}

static void stage(const struct midgard_insn *i, const struct midgard_traits *traits, unsigned first,
                  unsigned end, struct noted *u)
{
    for (unsigned n = first; n < end; n++) {
        const struct midgard_alu *a = &i->alu[n];
        const struct midgard_alu_info *info = midgard_alu_info(a->op);
        bool scalar = midgard_is_scalar((enum midgard_unit)n);
        uint16_t elements = scalar ? 1 : elements_of(a);
        if (!midgard_has(i, (enum midgard_unit)n))
            continue;
        operand(u, traits, &a->a, a, scalar, wanted(info, elements, false));
        if (!a->immediate)
            operand(u, traits, &a->b, a, scalar, wanted(info, elements, true));
    }
    for (unsigned n = first; n < end; n++) {
        uint16_t bytes = result_bytes(&i->alu[n], midgard_is_scalar((enum midgard_unit)n));
        if (midgard_has(i, (enum midgard_unit)n))
            writes(u, i->alu[n].dest, words_of(bytes, false), words_of(bytes, true));
    }
}

static void bundle(const struct midgard_insn *i, const struct midgard_traits *traits, struct noted *u)
{
    stage(i, traits, MIDGARD_VMUL, MIDGARD_VADD, u);
    stage(i, traits, MIDGARD_VADD, MIDGARD_ALU_UNITS, u);
    for (unsigned n = 0; n < 2; n++)
        if (midgard_has(i, (enum midgard_unit)(MIDGARD_BRANCH + n)) && i->jump[n].op == MIDGARD_WRITEOUT) {
            reads(u, 0, 15);
            reads(u, 2, 15);
        }
}

/* ---- loads and stores ---- */

static void argument(struct noted *u, uint8_t reg, uint8_t words)
{
    if (reg <= MIDGARD_A_MEMORY_1)
        reads(u, (unsigned)MIDGARD_R_MEMORY + reg, words);
}

/* One word, or two. */
static uint8_t component(uint8_t n, bool wide)
{
    return (uint8_t)(1u << n | (wide ? 1u << ((n + 1) & 3) : 0));
}

static uint8_t swizzled(uint8_t swizzle)
{
    uint8_t out = 0;
    for (unsigned c = 0; c < 4; c++)
        out |= (uint8_t)(1u << (swizzle >> 2 * c & 3));
    return out;
}

static void memory(const struct midgard_memory *x, struct noted *u)
{
    const struct midgard_memory_info *info = midgard_memory_info(x->op);
    if (!info || info->class == MIDGARD_NOTHING || info->class == MIDGARD_TRAP)
        return;
    bool moves = info->class >= MIDGARD_MOVE && info->class <= MIDGARD_UNPACK;
    bool tile = info->class == MIDGARD_TILE || info->class == MIDGARD_STORE_TILE;
    bool known = (info->class == MIDGARD_UNIFORM || tile) && !(x->offset & 1);
    if (!known)
        argument(u, x->arg_reg, moves ? swizzled(x->swizzle) : component(x->arg_comp, x->wide));
    if (!moves && !tile)
        argument(u, x->index_reg,
                 component(x->index_comp, x->index_format == MIDGARD_INDEX_U64 || info->bytes == 8));
    if (info->class == MIDGARD_ATOMIC)
        argument(u, x->swizzle >> 2 & 7, component(x->swizzle & 3, info->bytes == 8));
    if (midgard_is_store((enum midgard_class)info->class))
        argument(u, x->reg, swizzled(x->swizzle));
    else
        writes(u, x->reg, x->mask, x->mask);
}

/* ---- textures ---- */

static void input(struct noted *u, unsigned base, const struct midgard_texture_register *r,
                  unsigned components)
{
    uint8_t words = 0;
    for (unsigned c = 0; c < components; c++) {
        unsigned n = r->swizzle >> 2 * c & 3;
        words |= (uint8_t)(1u << (r->full ? n : n / 2 + (r->upper ? 2u : 0u)));
    }
    reads(u, base + r->select, words);
}

static void texture(const struct midgard_texture *x, const struct midgard_traits *traits, struct noted *u)
{
    unsigned in = traits->shared_registers ? MIDGARD_R_MEMORY : MIDGARD_R_TEXTURE;
    unsigned out = (traits->shared_registers ? 0 : MIDGARD_R_RESULT) + x->out_select;
    const struct {
        bool by_register;
        uint32_t bits;
    } parts[] = {
        {x->lod_register, x->lod}, {x->texture_register, x->texture}, {x->sampler_register, x->sampler}};
    if (x->op == MIDGARD_TEX_BARRIER)
        return;
    input(u, in, &x->in, x->op == MIDGARD_TEX_DERIVATIVE ? 2 : 4);
    for (size_t n = 0; x->op <= MIDGARD_TEX_FETCH && n < UTIL_ARRAY_SIZE(parts); n++) {
        struct midgard_texture_register r = midgard_texture_select(parts[n].bits);
        if (parts[n].by_register)
            input(u, in, &r, 1);
    }
    if (x->op <= MIDGARD_TEX_FETCH && x->offset_register) {
        struct midgard_texture_register r = midgard_texture_offset(x->offset);
        input(u, in, &r, 3);
    }
    for (unsigned c = 0; c < 4; c++)
        if (x->mask >> c & 1)
            writes(u, out, (uint8_t)(1u << (x->out_full ? c : c / 2 + (x->out_upper ? 2u : 0u))), 0);
}

void midgard_uses(const struct midgard_insn *i, const struct midgard_traits *traits, struct midgard_uses *out)
{
    struct noted u = {.out = out};
    memset(out, 0, sizeof *out);
    switch (midgard_kind_of(i->tag)) {
    case MIDGARD_ALU: bundle(i, traits, &u); break;
    case MIDGARD_LOAD_STORE:
        memory(&i->memory[0], &u);
        memory(&i->memory[1], &u);
        break;
    default: texture(&i->texture, traits, &u);
    }
}
