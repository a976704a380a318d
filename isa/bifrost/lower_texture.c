/* Texture messages: TEXC by its descriptor, and those that have all in their encoding. */
#include "isa/bifrost/lower_internal.h"
#include "isa/bifrost/texture.h"
#include "isa/ports.h"
#include "util/bits.h"

static const struct format {
    uint8_t type, halves, clamp;
} formats[1 << TEXC_SINGLE_FORMAT_BITS] = {
#define FORMAT(value, name, type, halves, clamp) [value] = {ISA_SAMPLER_##type, halves, WARP_CLAMP_##clamp},
#include "isa/bifrost/texture.inc"
};

/* ---- what all have ---- */

static unsigned words_of(uint8_t mask, bool halves)
{
    const unsigned count = (unsigned)__builtin_popcount(mask);
    return halves ? (count + 1) / 2 : count;
}

/* Lookup n of two; its results from register `reg` on. */
static void put_result(struct bifrost_lowering *l, unsigned n, unsigned format, unsigned mask, unsigned reg)
{
    struct warp_insn *out = &l->message.insn[n];
    const struct format *f = &formats[format];
    out->sampler_type = f->type;
    out->halves = f->halves;
    out->write_mask = (uint8_t)mask;
    out->write = (struct warp_run){(uint8_t)reg, (uint8_t)words_of((uint8_t)mask, f->halves)};
    l->message.clamp[n] = f->clamp;
}

static struct warp_source numbers(uint32_t sampler, uint32_t texture)
{
    return (struct warp_source){
        .from = WARP_CONSTANT, .value = sampler | (uint64_t)texture << 32, .width = 64};
}

static struct warp_insn *begin(struct bifrost_lowering *l, unsigned dimensions)
{
    struct warp_insn *out = bifrost_begin(l, WARP_TEXTURE);
    out->texture_op = ISA_TEXTURE_SAMPLE;
    out->mode = ISA_TEXTURE_PLAIN;
    out->dimensions = (uint8_t)dimensions;
    out->level = WARP_LEVEL_COMPUTED;
    out->wide_handle = true;
    return out;
}

static void set_zero_level(struct warp_insn *out)
{
    out->level = WARP_LEVEL_ZERO;
    out->texture_op = ISA_TEXTURE_LOD;
}

/* ---- TEXC ---- */

/* A descriptor of gradients: its format is 32 bits a word, its level the first half. */
static bool put_gradient(uint32_t d, struct warp_insn *out)
{
    const bool given = TEXC_GET(d, SINGLE, OP) == TEXC_OP_GIVEN_GRADIENT;
    out->texture_op = ISA_TEXTURE_LEVEL;
    out->mode = ISA_TEXTURE_PLAIN;
    out->gradient = given;
    out->level = given ? WARP_LEVEL_ZERO : WARP_LEVEL_COMPUTED;
    out->no_bias = TEXC_GET(d, SINGLE, OFFSETS);
    out->no_clamp = TEXC_GET(d, SINGLE, SHADOW);
    return !TEXC_GET(d, SINGLE, LEVEL) && !TEXC_GET(d, SINGLE, ARRAY) &&
           TEXC_GET(d, SINGLE, FORMAT) == TEXC_FORMAT_F32 && (!given || TEXC_GET(d, SINGLE, DIMENSION));
}

static bool put_fetch(uint32_t d, struct warp_insn *out)
{
    const unsigned level = TEXC_GET(d, SINGLE, LEVEL);
    out->level = WARP_LEVEL_GIVEN;
    out->texture_op = level == TEXC_FETCH_TEXEL ? ISA_TEXTURE_FETCH : ISA_TEXTURE_LOD;
    if (level >= TEXC_FETCH_GATHER)
        out->mode = TEXC_GET(d, SINGLE, SHADOW) ? ISA_TEXTURE_GATHER_SHADOW
                                                : (uint8_t)(ISA_TEXTURE_GATHER + level - TEXC_FETCH_GATHER);
    return level >= TEXC_FETCH_GATHER || (level == TEXC_FETCH_TEXEL && TEXC_GET(d, SINGLE, DIMENSION));
}

/* What the descriptor says of levels and of what is fetched. False: nobody explains it, or it fetches from a cube. */
static bool put_operation(uint32_t d, struct warp_insn *out)
{
    static const uint8_t levels[1 << TEXC_SINGLE_LEVEL_BITS] = {[TEXC_LEVEL_GRADIENT] = WARP_LEVEL_GIVEN,
                                                                [TEXC_LEVEL_GIVEN] = WARP_LEVEL_GIVEN,
                                                                [TEXC_LEVEL_BIAS] = WARP_LEVEL_BIAS,
                                                                [TEXC_LEVEL_ZERO] = WARP_LEVEL_ZERO,
                                                                [TEXC_LEVEL_COMPUTED] = WARP_LEVEL_COMPUTED};
    const unsigned level = TEXC_GET(d, SINGLE, LEVEL), op = TEXC_GET(d, SINGLE, OP);
    if (op == TEXC_OP_GRADIENT || op == TEXC_OP_GIVEN_GRADIENT)
        return put_gradient(d, out);
    out->shadow = TEXC_GET(d, SINGLE, SHADOW);
    out->texel_offset = TEXC_GET(d, SINGLE, OFFSETS);
    out->mode = out->shadow ? ISA_TEXTURE_SHADOW : ISA_TEXTURE_PLAIN;
    if (op == TEXC_OP_FETCH)
        return put_fetch(d, out);
    out->texture_op =
        level == TEXC_LEVEL_COMPUTED || level == TEXC_LEVEL_BIAS ? ISA_TEXTURE_SAMPLE : ISA_TEXTURE_LOD;
    out->level = levels[level];
    return op == TEXC_OP_TEXTURE && level >= TEXC_LEVEL_GRADIENT;
}

static bool has_dreg(uint32_t d, const struct warp_insn *out, enum bifrost_texc_register n)
{
    const bool immediate = TEXC_GET(d, SINGLE, IMMEDIATE);
    const unsigned mode = TEXC_GET(d, SINGLE, INDEX_MODE);
    switch (n) {
    case TEXC_DREG_Z: return out->dimensions == 3;
    case TEXC_DREG_X_ALONG_Y: return out->gradient;
    case TEXC_DREG_Y_ALONG_Y: return out->gradient && out->dimensions > 1;
    case TEXC_DREG_Z_ALONG_Y: return out->gradient && out->dimensions == 3;
    case TEXC_DREG_GRADIENT_HIGH:
        return TEXC_GET(d, SINGLE, OP) == TEXC_OP_TEXTURE &&
               TEXC_GET(d, SINGLE, LEVEL) == TEXC_LEVEL_GRADIENT;
    case TEXC_DREG_LEVEL: return out->level == WARP_LEVEL_GIVEN || out->level == WARP_LEVEL_BIAS;
    case TEXC_DREG_SHADOW: return out->shadow;
    case TEXC_DREG_ARRAY: return out->array;
    case TEXC_DREG_OFFSETS: return out->texel_offset;
    case TEXC_DREG_SAMPLER: return !immediate && (mode == TEXC_MODE_TEXTURE || mode == TEXC_MODE_REGISTERS);
    default: return !immediate && (mode == TEXC_MODE_SAMPLER || mode == TEXC_MODE_REGISTERS);
    }
}

/* Numbers of sampler and texture: the descriptor's, or staging registers'. */
static void put_numbers(struct bifrost_lowering *l, uint32_t d, unsigned sampler_reg, unsigned texture_reg)
{
    struct bifrost_pending *m = &l->message;
    const uint32_t index = TEXC_GET(d, SINGLE, INDEX);
    const bool immediate = TEXC_GET(d, SINGLE, IMMEDIATE);
    struct warp_insn *out = &m->insn[0];
    const unsigned regs[2] = {sampler_reg, texture_reg};
    out->source[0] = numbers(immediate ? TEXC_GET(d, SINGLE, SAMPLER) : index, index);
    if (sampler_reg == BIFROST_REGISTERS && texture_reg == BIFROST_REGISTERS)
        return;
    out->source[0] = bifrost_temporary(TEMPORARY_HANDLE);
    out->source[0].width = 64;
    for (unsigned n = 0; n < 2; n++) {
        if (regs[n] == BIFROST_REGISTERS) {
            bifrost_move(l, TEMPORARY_HANDLE + n, bifrost_constant(index));
            continue;
        }
        m->from[m->word_count] = (uint8_t)regs[n];
        m->to[m->word_count++] = (uint8_t)(TEMPORARY_HANDLE + n);
    }
}

/* isa/warp has them in another order than staging registers do. */
static void put_words(struct bifrost_lowering *l, const struct bifrost_insn *i, uint32_t d)
{
    static const uint8_t order[] = {TEXC_DREG_Z,      TEXC_DREG_Z_ALONG_Y, TEXC_DREG_ARRAY,
                                    TEXC_DREG_SHADOW, TEXC_DREG_OFFSETS,   TEXC_DREG_LEVEL};
    const struct warp_insn *out = &l->message.insn[0];
    unsigned reg[TEXC_DREGS], next = i->staging_reg;
    for (unsigned n = 0; n < TEXC_DREGS; n++) {
        const bool has = has_dreg(d, out, (enum bifrost_texc_register)n);
        reg[n] = has ? next % BIFROST_REGISTERS : BIFROST_REGISTERS;
        next += has;
    }
    for (unsigned n = 0; n < (out->dimensions == 1 ? 1u : 2u); n++) {
        bifrost_read_word(l, bifrost_word_of(l, &i->source[n]));
        if (out->gradient) /* of each coordinate along x, then along y */
            bifrost_read_register(l, reg[TEXC_DREG_X_ALONG_Y + n]);
    }
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(order); n++)
        if (reg[order[n]] != BIFROST_REGISTERS)
            bifrost_read_register(l, reg[order[n]]);
    put_numbers(l, d, reg[TEXC_DREG_SAMPLER], reg[TEXC_DREG_TEXTURE]);
}

static bool one_lookup(struct bifrost_lowering *l, const struct bifrost_insn *i, uint32_t d)
{
    struct warp_insn probe = {0};
    if (!put_operation(d, &probe) || !formats[TEXC_GET(d, SINGLE, FORMAT)].type ||
        TEXC_GET(d, SINGLE, ZERO) ||
        (!TEXC_GET(d, SINGLE, IMMEDIATE) && TEXC_GET(d, SINGLE, IS_DUAL) != TEXC_ONE_LOOKUP))
        return false;
    struct warp_insn *out = begin(l, TEXC_GET(d, SINGLE, DIMENSION));
    put_operation(d, out);
    out->array = TEXC_GET(d, SINGLE, ARRAY);
    put_result(l, 0, TEXC_GET(d, SINGLE, FORMAT), TEXC_GET(d, SINGLE, MASK), i->staging_reg);
    put_words(l, i, d);
    return true;
}

/* Of the same coordinates, by the level that derivatives say. */
static bool two_lookups(struct bifrost_lowering *l, const struct bifrost_insn *i, uint32_t d)
{
    if (TEXC_GET(d, DUAL, RESERVED))
        return false;
    struct warp_insn *out = begin(l, 2);
    out->source[0] = numbers(TEXC_GET(d, DUAL, FIRST_SAMPLER), TEXC_GET(d, DUAL, FIRST_TEXTURE));
    for (unsigned n = 0; n < 2; n++)
        bifrost_read_word(l, bifrost_word_of(l, &i->source[n]));
    l->message.insn[1] = *out;
    l->message.insn[1].source[0] =
        numbers(TEXC_GET(d, DUAL, SECOND_SAMPLER), TEXC_GET(d, DUAL, SECOND_TEXTURE));
    put_result(l, 0, TEXC_GET(d, DUAL, FIRST_FORMAT), TEXC_GET(d, DUAL, FIRST_MASK), i->staging_reg);
    put_result(l, 1, TEXC_GET(d, DUAL, SECOND_FORMAT), TEXC_GET(d, DUAL, SECOND_MASK),
               TEXC_GET(d, DUAL, SECOND_REGISTER));
    return true;
}

/* Descriptors are constants, or moved to a register from one, where a tuple has no room for it beside a uniform (Mesa:
 * bi_lower_fau). What a lookup is has to be known. */
static bool by_descriptor(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    uint32_t d;
    if (!bifrost_is_known(l, bifrost_word_of(l, &i->source[2]), &d))
        return false;
    if (!TEXC_GET(d, SINGLE, IMMEDIATE) && TEXC_GET(d, SINGLE, IS_DUAL) == TEXC_DUAL_LOOKUPS)
        return two_lookups(l, i, d);
    return one_lookup(l, i, d);
}

/* ---- the others ---- */

/* The face stands above s. */
static void put_face(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    struct warp_insn *out =
        bifrost_compute(l, WARP_MUX_I32, TEMPORARY_SCRATCH, bifrost_word_of(l, &i->source[0]),
                        bifrost_word_of(l, &i->source[2]), bifrost_constant((1u << WARP_FACE_AT) - 1));
    out->mux = WARP_MUX_BIT;
    bifrost_read_word(l, bifrost_temporary(TEMPORARY_SCRATCH));
    bifrost_read_word(l, bifrost_word_of(l, &i->source[1]));
}

static struct warp_insn *simple(struct bifrost_lowering *l, const struct bifrost_insn *i, unsigned dimensions,
                                bool halves)
{
    struct warp_insn *out = begin(l, dimensions);
    out->source[0] =
        numbers(i->immediate[BIFROST_IMM_SAMPLER_INDEX], i->immediate[BIFROST_IMM_TEXTURE_INDEX]);
    if (i->mod[BIFROST_MOD_LOD_MODE] == BIFROST_ZERO_LOD)
        set_zero_level(out);
    put_result(l, 0, halves ? TEXC_FORMAT_F16 : TEXC_FORMAT_F32, 15, i->staging_reg);
    return out;
}

static void flat(struct bifrost_lowering *l, const struct bifrost_insn *i, bool halves)
{
    simple(l, i, 2, halves);
    bifrost_read_word(l, bifrost_word_of(l, &i->source[0]));
    bifrost_read_word(l, bifrost_word_of(l, &i->source[1]));
}

static void cube(struct bifrost_lowering *l, const struct bifrost_insn *i, bool halves)
{
    simple(l, i, 0, halves);
    put_face(l, i);
}

/* Texture and sampler have the same number (Mesa: bi_opt_message_preload.c). */
static void with_varying(struct bifrost_lowering *l, const struct bifrost_insn *i, bool halves)
{
    const uint32_t texture = i->immediate[BIFROST_IMM_TEXTURE_INDEX];
    struct warp_insn *out = simple(l, i, 2, halves);
    out->of_varying = true;
    out->message = WARP_VARYING;
    out->source[0] = numbers(texture, texture);
    out->source[1] = bifrost_constant(i->immediate[BIFROST_IMM_VARYING_INDEX]);
    out->sample = WARP_SAMPLE_CENTER;
    out->update = i->mod[BIFROST_MOD_UPDATE] == BIFROST_RETRIEVE ? WARP_UPDATE_RETRIEVE : WARP_UPDATE_STORE;
}

bool bifrost_lower_texture(struct bifrost_lowering *l, const struct bifrost_insn *i)
{
    switch (i->op) {
    case BIFROST_OP_TEXC: return by_descriptor(l, i);
    case BIFROST_OP_TEXS_2D_F32: flat(l, i, false); return true;
    case BIFROST_OP_TEXS_2D_F16: flat(l, i, true); return true;
    case BIFROST_OP_TEXS_CUBE_F32: cube(l, i, false); return true;
    case BIFROST_OP_TEXS_CUBE_F16: cube(l, i, true); return true;
    case BIFROST_OP_VAR_TEX_F32: with_varying(l, i, false); return true;
    case BIFROST_OP_VAR_TEX_F16: with_varying(l, i, true); return true;
    default: return false;
    }
}
