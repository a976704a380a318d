/* Texture requests: what stands in which register (README.md, "Textures"), and results as the registers get them. */
#include <string.h>

#include "isa/op.h"
#include "isa/warp/interp_internal.h"
#include "util/bits.h"

/* Takes the next word of what is read. */
static void next(const struct warp_machine *m, unsigned *at, uint32_t out[16])
{
    uint32_t word[1][16];
    warp_machine_read(m, (*at)++, 1, word);
    memcpy(out, word[0], sizeof word[0]);
}

/* Of quads some lanes of which execute the others are given the value of one beside, above, or across. */
static void fill_quads(const struct warp_machine *m, uint32_t value[16])
{
    for (unsigned l = 0; l < 16; l++)
        for (unsigned k = 1; k < 4 && !(m->lanes >> l & 1); k++)
            if (m->lanes >> (l ^ k) & 1) {
                value[l] = value[l ^ k];
                break;
            }
}

/* Of the first texture, or of two the second. */
static void handles(struct warp_machine *m, unsigned n, struct isa_texture_request *r)
{
    uint32_t word[2][16];
    warp_machine_source(m, 0, word);
    for (unsigned l = 0; l < 16; l++) {
        const uint32_t both = word[n][l];
        r->sampler[l] = m->insn->wide_handle ? both : warp_sampler_handle(both);
        r->texture[l] = m->insn->wide_handle ? word[1][l] : warp_texture_handle(both);
    }
    r->uniform = m->insn->source[0].from == WARP_CONSTANT || m->insn->source[0].from == WARP_UNIFORM;
}

static int32_t offset_of(uint32_t word, unsigned n)
{
    return util_sext(word >> (WARP_OFFSET_AT + WARP_OFFSET_BITS * n), WARP_OFFSET_BITS);
}

static void offsets(const struct warp_machine *m, unsigned *at, struct isa_texture_request *r)
{
    const bool fetches = m->insn->texture_op == ISA_TEXTURE_FETCH && m->insn->mode == ISA_TEXTURE_PLAIN;
    uint32_t word[16];
    next(m, at, word);
    r->has_offset = true;
    for (unsigned l = 0; l < 16; l++) {
        for (unsigned c = 0; c < 3; c++)
            r->offset[c][l] = offset_of(word[l], c);
        if (fetches)
            r->lod[l] = WARP_GET(word[l], OFFSETS_LEVEL);
        if (fetches && m->insn->dimensions < 3)
            r->coordinate[2][l] = m->insn->level == WARP_LEVEL_GIVEN ? WARP_GET(word[l], OFFSETS_SAMPLE_ALONE)
                                                                     : WARP_GET(word[l], OFFSETS_SAMPLE);
    }
    r->has_lod = fetches;
}

static void level(const struct warp_machine *m, unsigned *at, struct isa_texture_request *r)
{
    uint32_t word[16];
    r->has_lod |= m->insn->level != WARP_LEVEL_COMPUTED;
    if (m->insn->level != WARP_LEVEL_GIVEN && m->insn->level != WARP_LEVEL_BIAS)
        return;
    next(m, at, word);
    for (unsigned l = 0; l < 16; l++) {
        const int32_t fixed = util_sext(WARP_GET(word[l], LEVEL), WARP_LEVEL_BITS);
        r->lod[l] = m->insn->texture_op == ISA_TEXTURE_FETCH ? (uint32_t)(fixed >> WARP_LEVEL_WHOLE_AT)
                                                             : util_f2u((float)fixed / WARP_LEVEL_ONE);
    }
}

/* x, y, z, as many as there are; of LEVEL their derivatives, those of one coordinate side by side. */
static void coordinates(struct warp_machine *m, unsigned *at, struct isa_texture_request *r)
{
    const struct warp_insn *i = m->insn;
    const unsigned count = i->dimensions ? i->dimensions : 2u;
    uint32_t varying[WARP_MESSAGE_WORDS][16] = {{0}};
    if (i->of_varying) {
        const struct warp_insn ask = warp_coordinates_of(i);
        warp_machine_ask(m, &ask, varying);
    }
    for (unsigned c = 0; c < count; c++) {
        if (i->of_varying) {
            memcpy(r->coordinate[c], varying[c], sizeof varying[c]);
        } else if (i->gradient) {
            next(m, at, r->gradient[0][c]);
            next(m, at, r->gradient[1][c]);
        } else {
            next(m, at, r->coordinate[c]);
        }
    }
}

/* A level becomes the first word of a gradient descriptor, the second is 0. */
static void descriptor(uint32_t value[4][16])
{
    static const struct isa_lane_op times = {ISA_OP_fmul, ISA_F32, ISA_OP_QUIET};
    static const struct isa_lane_op whole = {ISA_OP_f32_to_i32, ISA_F32, ISA_OP_QUIET};
    for (unsigned l = 0; l < 16; l++) {
        const uint64_t level[3] = {value[0][l], util_f2u(WARP_LEVEL_ONE)},
                       fixed[3] = {isa_op_lane(times, level)};
        const int32_t n = (int32_t)isa_op_lane(whole, fixed);
        value[0][l] = (uint16_t)UTIL_MIN(UTIL_MAX(n, INT16_MIN), INT16_MAX);
        value[1][l] = value[2][l] = value[3][l] = 0;
    }
}

static unsigned result_words(const struct warp_insn *i, bool halves)
{
    const unsigned words = (unsigned)__builtin_popcount(i->write_mask);
    return halves ? (words + 1) / 2 : words;
}

/* Components that are wanted one after the other; halves two to a register, of which an odd one leaves the upper 0. */
static void write_result(struct warp_machine *m, unsigned first, bool halves, const uint32_t value[4][16])
{
    const struct warp_insn *i = m->insn;
    uint32_t out[4][16] = {{0}};
    for (unsigned c = 0, n = 0; c < 4; c++) {
        if (!(i->write_mask >> c & 1))
            continue;
        for (unsigned l = 0; l < 16; l++) {
            static const struct isa_lane_op narrow = {ISA_OP_f32_to_f16, ISA_F32, ISA_OP_QUIET};
            const uint64_t source[3] = {value[c][l]};
            uint32_t half = i->sampler_type == ISA_SAMPLER_FLOAT ? (uint32_t)isa_op_lane(narrow, source)
                                                                 : value[c][l] & 0xffff;
            if (halves)
                out[n / 2][l] |= half << 16 * (n & 1);
            else
                out[n][l] = value[c][l];
        }
        n++;
    }
    warp_machine_write(m, first, result_words(i, halves), (const uint32_t(*)[16])out);
}

static void request(struct warp_machine *m, struct isa_texture_request *r)
{
    const struct warp_insn *i = m->insn;
    unsigned at = 0;
    coordinates(m, &at, r);
    if (i->array)
        next(m, &at, r->coordinate[3]);
    if (i->shadow)
        next(m, &at, r->coordinate[2]);
    if (i->texel_offset)
        offsets(m, &at, r);
    level(m, &at, r);
    for (unsigned c = 0; c < 4 && r->derivatives; c++)
        fill_quads(m, r->coordinate[c]);
}

void warp_machine_texture(struct warp_machine *m)
{
    const struct warp_insn *i = m->insn;
    struct isa_texture_request r = {.op = i->texture_op,
                                    .mode = i->mode,
                                    .dimensions = i->dimensions,
                                    .sampler_type = i->sampler_type,
                                    .no_bias = i->no_bias,
                                    .no_clamp = i->no_clamp,
                                    .derivatives =
                                        i->level == WARP_LEVEL_COMPUTED || i->level == WARP_LEVEL_BIAS};
    struct isa_place place = {0};
    uint32_t out[2][4][16] = {{{0}}};
    request(m, &r);
    for (unsigned n = 0; n < 1u + i->dual && !m->report->fault; n++) {
        handles(m, n, &r);
        warp_machine_check(m, m->ports->texture(m->ports->ctx, &r, m->lanes, out[n], &place), &place);
    }
    if (m->report->fault)
        return;
    if (i->texture_op == ISA_TEXTURE_LEVEL)
        descriptor(out[0]);
    write_result(m, 0, i->halves, (const uint32_t(*)[16])out[0]);
    if (i->dual)
        write_result(m, result_words(i, i->halves), i->second_halves, (const uint32_t(*)[16])out[1]);
}
