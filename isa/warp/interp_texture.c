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

static void handles(struct warp_machine *m, struct isa_texture_request *r)
{
    uint32_t word[2][16];
    warp_machine_source(m, 0, word);
    for (unsigned l = 0; l < 16; l++) {
        const uint32_t both = word[0][l];
        r->sampler[l] = m->insn->wide_handle ? both : (both & 0x7ff) | (both >> 11 & 31) << 24;
        r->texture[l] = m->insn->wide_handle ? word[1][l] : (both >> 16 & 0x7ff) | both >> 27 << 24;
    }
    r->uniform = m->insn->source[0].from == WARP_CONSTANT || m->insn->source[0].from == WARP_UNIFORM;
}

static int32_t byte_of(uint32_t word, unsigned n)
{
    return (int8_t)(word >> 8 * n);
}

static void offsets(const struct warp_machine *m, unsigned *at, struct isa_texture_request *r)
{
    const bool fetches = m->insn->texture_op == ISA_TEXTURE_FETCH;
    uint32_t word[16];
    next(m, at, word);
    r->has_offset = r->has_lod = true;
    for (unsigned l = 0; l < 16; l++) {
        for (unsigned c = 0; c < 3; c++)
            r->offset[c][l] = byte_of(word[l], c);
        if (fetches)
            r->lod[l] = word[l] >> 24;
        if (fetches && m->insn->dimensions < 3)
            r->coordinate[2][l] = word[l] >> 24;
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
    for (unsigned l = 0; l < 16; l++)
        r->lod[l] = util_f2u((float)(int16_t)word[l] / 256);
}

/* Components that are wanted one after the other; halves two to a register, of which an odd one leaves the upper 0. */
static void write_result(struct warp_machine *m, const uint32_t value[4][16])
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
            if (i->halves)
                out[n / 2][l] |= half << 16 * (n & 1);
            else
                out[n][l] = value[c][l];
        }
        n++;
    }
    const unsigned words = (unsigned)__builtin_popcount(i->write_mask);
    warp_machine_write(m, 0, i->halves ? (words + 1) / 2 : words, (const uint32_t(*)[16])out);
}

void warp_machine_texture(struct warp_machine *m)
{
    const struct warp_insn *i = m->insn;
    struct isa_texture_request r = {.op = i->texture_op,
                                    .mode = i->mode,
                                    .dimensions = i->dimensions,
                                    .sampler_type = i->sampler_type,
                                    .derivatives =
                                        i->level == WARP_LEVEL_COMPUTED || i->level == WARP_LEVEL_BIAS};
    struct isa_place place = {0};
    uint32_t out[4][16] = {{0}};
    unsigned at = 0;
    handles(m, &r);
    for (unsigned c = 0; c < (i->dimensions ? i->dimensions : 2u); c++)
        next(m, &at, r.coordinate[c]);
    if (i->array)
        next(m, &at, r.coordinate[3]);
    if (i->shadow)
        next(m, &at, r.coordinate[2]);
    if (i->texel_offset)
        offsets(m, &at, &r);
    level(m, &at, &r);
    for (unsigned c = 0; c < 4 && r.derivatives; c++)
        fill_quads(m, r.coordinate[c]);
    warp_machine_check(m, m->ports->texture(m->ports->ctx, &r, m->lanes, out, &place), &place);
    if (!m->report->fault)
        write_result(m, (const uint32_t(*)[16])out);
}
