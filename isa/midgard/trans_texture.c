/* Textures (README.md, rule 16). */
#include <string.h>

#include "isa/midgard/trans_internal.h"
#include "util/bits.h"

/* ---- registers ---- */

enum conversion { TO_SINGLE, TO_INTEGER, AS_BITS };

/* Component `c` of an input register: a word, or a half, which is converted. */
static LLVMValueRef input(struct midgard_trans *t, const struct midgard_texture_register *r, unsigned c,
                          enum conversion how)
{
    LLVMBuilderRef ir = t->b->ir;
    unsigned base = t->program->traits.shared_registers ? MIDGARD_R_MEMORY : MIDGARD_R_TEXTURE;
    const LLVMValueRef *reg = t->reg[base + r->select];
    const unsigned n = c + (r->upper ? 4 : 0);
    if (r->full)
        return reg[c];
    if (how == TO_SINGLE && t->half[base + r->select][n])
        return isa_trans_half_single(t->b, t->half[base + r->select][n]);
    LLVMValueRef half = midgard_trans_element(t, reg, 16, n);
    if (how == TO_SINGLE)
        return midgard_trans_of_half(t, half);
    return how == TO_INTEGER ? LLVMBuildSExt(ir, half, t->b->i32x16, "")
                             : LLVMBuildZExt(ir, half, t->b->i32x16, "");
}

static LLVMValueRef selected(struct midgard_trans *t, uint32_t bits, enum conversion how)
{
    struct midgard_texture_register r = midgard_texture_select(bits);
    return input(t, &r, r.swizzle & 3, how);
}

/* Lane l of the result is lane (l & keep) | set of `value`, within its quad. */
static LLVMValueRef neighbour(struct midgard_trans *t, LLVMValueRef value, unsigned keep, unsigned set)
{
    uint32_t from[MIDGARD_LANES];
    for (uint32_t l = 0; l < MIDGARD_LANES; l++)
        from[l] = (l & (keep | 12)) | set;
    return LLVMBuildShuffleVector(t->b->ir, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  jit_vector_u32(t->b, from), "");
}

/* Rule 3: lanes of a quad that do not execute have the value of its first one that does. */
static LLVMValueRef fill_quads(struct midgard_trans *t, LLVMValueRef value)
{
    if (t->mask == LLVMConstAllOnes(t->b->i1x16))
        return value;
    LLVMValueRef fill = neighbour(t, value, 0, 3);
    for (unsigned l = 3; l-- > 0;)
        fill = jit_select(t->b, neighbour(t, t->mask, 0, l), neighbour(t, value, 0, l), fill);
    return jit_select(t->b, t->mask, value, fill);
}

/* The words as the instruction writes them. */
static void write_result(struct midgard_trans *t, const struct midgard_texture *x, bool floats,
                         const LLVMValueRef in[4])
{
    unsigned reg = (t->program->traits.shared_registers ? 0 : MIDGARD_R_RESULT) + x->out_select;
    for (unsigned c = 0; c < 4; c++) {
        LLVMValueRef v = midgard_trans_lanes(t, in[x->swizzle >> 2 * c & 3]);
        unsigned n = c + (x->out_upper ? 4 : 0);
        struct midgard_trans_outcome half = {{NULL}, {NULL}, {0}};
        if (!(x->mask >> c & 1))
            continue;
        if (floats && x->outmod)
            v = midgard_trans_op(t, midgard_clamps[x->outmod], ISA_F32, 0, v, NULL);
        if (x->out_full) {
            midgard_trans_set(t, reg, c, v);
            continue;
        }
        if (floats) {
            half.half[n] = isa_trans_half_of_single(t->b, v, t->rounds);
            v = LLVMBuildZExt(t->b->ir, isa_trans_half_bits(t->b, half.half[n]), t->b->i32x16, "");
        }
        half.word[n / 2] = n & 1 ? midgard_trans_shift(t, v, 16) : v;
        half.bits[n / 2] = n & 1 ? 0xffff0000u : 0xffffu;
        midgard_trans_merge(t, reg, &half);
    }
}

/* ---- operations ---- */

static void moves(struct midgard_trans *t, const struct midgard_texture *x)
{
    LLVMValueRef value[4];
    for (unsigned c = 0; c < 4; c++)
        value[c] = input(t, &x->in, x->in.swizzle >> 2 * c & 3, AS_BITS);
    write_result(t, x, false, value);
}

static void derivative(struct midgard_trans *t, const struct midgard_texture *x)
{
    LLVMValueRef zero = jit_splat_u32(t->b, 0), value[4] = {zero, zero, zero, zero};
    unsigned bit = x->mode ? 2 : 1;
    if (x->mode > 1) {
        midgard_trans_fault(t, MIDGARD_FAULT_RESERVED, NULL, NULL);
        return;
    }
    for (unsigned c = 0; c < 2; c++) {
        LLVMValueRef in = input(t, &x->in, x->in.swizzle >> 2 * c & 3, TO_SINGLE);
        in = fill_quads(t, in);
        value[c] = midgard_trans_op(t, ISA_OP_fsub, ISA_F32, 0, neighbour(t, in, 3 & ~bit, bit),
                                    neighbour(t, in, 3 & ~bit, 0));
    }
    write_result(t, x, true, value);
}

/* ---- requests ---- */

static void level(struct midgard_trans *t, const struct midgard_texture *x, struct isa_ir_texture *r)
{
    bool whole = x->op == MIDGARD_TEX_FETCH;
    float number = (float)x->lod_whole + (float)x->lod / 256;
    r->has_lod = x->lod_register || x->lod || x->lod_whole || x->op != MIDGARD_TEX;
    r->lod = x->lod_register ? selected(t, x->lod, whole ? TO_INTEGER : TO_SINGLE)
                             : jit_splat_u32(t->b, whole ? x->lod : util_f2u(number));
}

static void offsets(struct midgard_trans *t, const struct midgard_texture *x, struct isa_ir_texture *r)
{
    struct midgard_texture_register from = midgard_texture_offset(x->offset);
    r->has_offset = x->offset_register || x->offset;
    for (unsigned c = 0; c < 3; c++) {
        uint32_t number = (uint32_t)((int32_t)((uint32_t)x->offset << (28 - 4 * c)) >> 28);
        r->offset[c] = x->offset_register ? input(t, &from, from.swizzle >> 2 * c & 3, TO_INTEGER)
                                          : jit_splat_u32(t->b, number);
    }
}

static struct isa_ir_number handle(struct midgard_trans *t, bool by_register, uint16_t value)
{
    return (struct isa_ir_number){by_register ? selected(t, value, AS_BITS) : NULL, value};
}

static bool is_known(const struct midgard_texture *x)
{
    bool op = x->op == MIDGARD_TEX || x->op == MIDGARD_TEX_LOD || x->op == MIDGARD_TEX_FETCH;
    bool gathers = x->mode >= MIDGARD_TEX_GATHER && x->mode < MIDGARD_TEX_GATHER + 4;
    return op && x->sampler_type &&
           (x->mode == MIDGARD_TEX_PLAIN || x->mode == MIDGARD_TEX_SHADOW ||
            x->mode == MIDGARD_TEX_GATHER_SHADOW || gathers);
}

static void request(struct midgard_trans *t, const struct midgard_texture *x)
{
    bool fetches = x->op == MIDGARD_TEX_FETCH;
    struct isa_ir_texture r = {.op = x->op,
                               .mode = x->mode,
                               .dimensions = x->dimensions,
                               .sampler_type = x->sampler_type,
                               .derivatives =
                                   x->op == MIDGARD_TEX && t->insn->tag != MIDGARD_TAG_VERTEX_TEXTURE};
    LLVMValueRef zero = jit_splat_u32(t->b, 0), out[4] = {zero, zero, zero, zero}, address = NULL;
    if (!is_known(x)) {
        midgard_trans_fault(t, MIDGARD_FAULT_RESERVED, NULL, NULL);
        return;
    }
    r.texture = handle(t, x->texture_register, x->texture);
    r.sampler = handle(t, x->sampler_register, x->sampler);
    for (unsigned c = 0; c < 4; c++) {
        r.coordinate[c] = input(t, &x->in, x->in.swizzle >> 2 * c & 3, fetches ? TO_INTEGER : TO_SINGLE);
        if (r.derivatives)
            r.coordinate[c] = fill_quads(t, r.coordinate[c]);
    }
    level(t, x, &r);
    offsets(t, x, &r);
    LLVMValueRef missing = t->ports->texture(t->ports->ctx, t->b, &r, t->mask, out, &address);
    midgard_trans_check(t, missing, t->mask, address);
    write_result(t, x, x->sampler_type == MIDGARD_SAMPLER_FLOAT, out);
}

void midgard_trans_texture(struct midgard_trans *t)
{
    const struct midgard_texture *x = &t->insn->texture;
    switch (x->op) {
    case MIDGARD_TEX_MOV: moves(t, x); break;
    case MIDGARD_TEX_DERIVATIVE: derivative(t, x); break;
    case MIDGARD_TEX_GRADIENT:
    case MIDGARD_TEX_GRADIENT_OF: midgard_trans_fault(t, MIDGARD_FAULT_UNSUPPORTED, NULL, NULL); break;
    default: request(t, x);
    }
}
