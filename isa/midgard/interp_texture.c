/* Textures (README.md, rule 16). */
#include <string.h>

#include "isa/midgard/interp_internal.h"
#include "util/bits.h"

/* ---- registers ---- */

enum conversion { TO_SINGLE, TO_INTEGER, AS_BITS };

/* Component `c` of an input register: a word, or a half, which is converted. */
static void input(const struct midgard_machine *m, const struct midgard_texture_register *r, unsigned c,
                  enum conversion how, uint32_t out[16])
{
    unsigned base = m->program->traits.shared_registers ? MIDGARD_R_MEMORY : MIDGARD_R_TEXTURE;
    const uint32_t(*reg)[16] = m->state->reg[base + r->select];
    const struct midgard_kept *kept = m->kept[base + r->select];
    unsigned n = (r->upper ? 4 : 0) + c;
    for (unsigned l = 0; l < 16; l++) {
        uint32_t half = reg[n / 2 & 3][l] >> 16 * (n & 1) & 0xffff;
        out[l] = r->full             ? reg[c][l]
                 : how == TO_SINGLE  ? kept[l].held >> n & 1 ? kept[l].single[n] : midgard_of_half(half)
                  : how == TO_INTEGER ? (uint32_t)(int16_t)half
                                     : half;
    }
}

static void selected(const struct midgard_machine *m, uint32_t bits, enum conversion how, uint32_t out[16])
{
    struct midgard_texture_register r = midgard_texture_select(bits);
    input(m, &r, r.swizzle & 3, how, out);
}

static void splat(uint32_t value, uint32_t out[16])
{
    for (unsigned l = 0; l < 16; l++)
        out[l] = value;
}

/* Lanes of a quad that do not execute get the value of its first one that does. */
static void fill_quads(const struct midgard_machine *m, uint32_t value[16])
{
    for (unsigned quad = 0; quad < 16; quad += 4) {
        unsigned here = m->lanes >> quad & 15;
        for (unsigned l = 0; here && l < 4; l++)
            if (!(here >> l & 1))
                value[quad + l] = value[quad + (unsigned)__builtin_ctz(here)];
    }
}

/* The words as the instruction writes them. */
static void write_result(struct midgard_machine *m, const struct midgard_texture *x, bool floats,
                         const uint32_t in[4][16])
{
    const unsigned to = (m->program->traits.shared_registers ? 0 : MIDGARD_R_RESULT) + x->out_select;
    uint32_t(*reg)[16] = m->state->reg[to];
    for (unsigned c = 0; c < 4; c++) {
        unsigned n = (x->out_upper ? 4 : 0) + c, shift = 16 * (n & 1);
        for (unsigned l = 0; l < 16; l++) {
            uint32_t v = in[x->swizzle >> 2 * c & 3][l];
            if (!(x->mask >> c & 1) || !(m->lanes >> l & 1))
                continue;
            struct midgard_kept kept = {.held = 0};
            if (floats)
                v = midgard_clamped_single(x->outmod, v);
            if (x->out_full) {
                reg[c][l] = v;
                midgard_machine_forget_word(m, to, l, c);
                continue;
            }
            if (floats)
                v = m->rounds ? midgard_to_half(v) : midgard_keep(&kept, n, v);
            v &= 0xffff;
            midgard_machine_put_half(m, to, l, n, &kept);
            reg[n / 2][l] = (reg[n / 2][l] & ~(0xffffu << shift)) | v << shift;
        }
    }
}

/* ---- operations ---- */

static void moves(struct midgard_machine *m, const struct midgard_texture *x)
{
    uint32_t value[4][16];
    for (unsigned c = 0; c < 4; c++)
        input(m, &x->in, x->in.swizzle >> 2 * c & 3, AS_BITS, value[c]);
    write_result(m, x, false, value);
}

static void derivative(struct midgard_machine *m, const struct midgard_texture *x)
{
    uint32_t value[4][16] = {{0}};
    unsigned step = x->mode ? 2 : 1;
    if (x->mode > 1) {
        midgard_machine_fault(m, MIDGARD_FAULT_RESERVED);
        return;
    }
    for (unsigned c = 0; c < 2; c++) {
        uint32_t in[16];
        input(m, &x->in, x->in.swizzle >> 2 * c & 3, TO_SINGLE, in);
        fill_quads(m, in);
        for (unsigned l = 0; l < 16; l++)
            value[c][l] = (uint32_t)midgard_lane_op(ISA_OP_fsub, ISA_F32, 0, in[l | step], in[l & ~step]);
    }
    write_result(m, x, true, value);
}

/* ---- requests ---- */

static void level(const struct midgard_machine *m, const struct midgard_texture *x,
                  struct isa_texture_request *r)
{
    bool whole = x->op == MIDGARD_TEX_FETCH;
    r->has_lod = x->lod_register || x->lod || x->lod_whole || x->op != MIDGARD_TEX;
    if (x->lod_register)
        selected(m, x->lod, whole ? TO_INTEGER : TO_SINGLE, r->lod);
    else
        splat(whole ? x->lod : util_f2u((float)x->lod_whole + (float)x->lod / 256), r->lod);
}

static void offsets(const struct midgard_machine *m, const struct midgard_texture *x,
                    struct isa_texture_request *r)
{
    struct midgard_texture_register from = midgard_texture_offset(x->offset);
    uint32_t value[16];
    r->has_offset = x->offset_register || x->offset;
    for (unsigned c = 0; c < 3; c++) {
        if (x->offset_register)
            input(m, &from, from.swizzle >> 2 * c & 3, TO_INTEGER, value);
        else
            splat((uint32_t)((x->offset >> 4 * c & 15) ^ 8) - 8, value);
        memcpy(r->offset[c], value, sizeof value);
    }
}

static void handle(const struct midgard_machine *m, bool by_register, uint16_t value, uint32_t out[16])
{
    if (by_register)
        selected(m, value, AS_BITS, out);
    else
        splat(value, out);
}

static bool is_known(const struct midgard_texture *x)
{
    bool mode = x->mode == MIDGARD_TEX_PLAIN || x->mode == MIDGARD_TEX_SHADOW ||
                x->mode == MIDGARD_TEX_GATHER_SHADOW || (x->mode >= MIDGARD_TEX_GATHER && x->mode < 12);
    bool op = x->op == MIDGARD_TEX || x->op == MIDGARD_TEX_LOD || x->op == MIDGARD_TEX_FETCH;
    return mode && op && x->sampler_type;
}

static void request(struct midgard_machine *m, const struct midgard_texture *x)
{
    struct isa_texture_request r = {.op = x->op,
                                    .mode = x->mode,
                                    .dimensions = x->dimensions,
                                    .sampler_type = x->sampler_type,
                                    .derivatives =
                                        x->op == MIDGARD_TEX && m->insn->tag != MIDGARD_TAG_VERTEX_TEXTURE,
                                    .uniform = !x->texture_register && !x->sampler_register};
    struct isa_place place = {0};
    uint32_t out[4][16] = {{0}};
    if (!is_known(x)) {
        midgard_machine_fault(m, MIDGARD_FAULT_RESERVED);
        return;
    }
    handle(m, x->texture_register, x->texture, r.texture);
    handle(m, x->sampler_register, x->sampler, r.sampler);
    for (unsigned c = 0; c < 4; c++) {
        input(m, &x->in, x->in.swizzle >> 2 * c & 3, x->op == MIDGARD_TEX_FETCH ? TO_INTEGER : TO_SINGLE,
              r.coordinate[c]);
        if (r.derivatives)
            fill_quads(m, r.coordinate[c]);
    }
    level(m, x, &r);
    offsets(m, x, &r);
    midgard_machine_check(m, m->ports->texture(m->ports->ctx, &r, m->lanes, out, &place), &place);
    if (!m->report->fault)
        write_result(m, x, x->sampler_type == MIDGARD_SAMPLER_FLOAT, out);
}

void midgard_machine_texture(struct midgard_machine *m)
{
    const struct midgard_texture *x = &m->insn->texture;
    switch (x->op) {
    case MIDGARD_TEX_MOV: moves(m, x); break;
    case MIDGARD_TEX_DERIVATIVE: derivative(m, x); break;
    case MIDGARD_TEX_GRADIENT:
    case MIDGARD_TEX_GRADIENT_OF: midgard_machine_fault(m, MIDGARD_FAULT_UNSUPPORTED); break;
    default: request(m, x);
    }
}
