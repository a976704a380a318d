/* Loads and stores: addresses, memory, atomics, uniform buffers, moves between registers (README.md, rules 10, 11,
 * 12 and 15). */
#include <string.h>

#include "isa/midgard/trans_internal.h"
#include "util/bits.h"

void midgard_trans_swizzled(uint8_t swizzle, const LLVMValueRef in[4], LLVMValueRef out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = in[swizzle >> 2 * c & 3];
}

static void zeros(struct midgard_trans *t, LLVMValueRef out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_splat_u32(t->b, 0);
}

/* A port is asked once a block for what does not change. */
void midgard_trans_argument(struct midgard_trans *t, uint8_t reg, LLVMValueRef out[4])
{
    LLVMValueRef *known = t->argument[reg];
    zeros(t, out);
    if (reg <= MIDGARD_A_MEMORY_1) {
        memcpy(out, t->reg[MIDGARD_R_MEMORY + reg], 4 * sizeof *out);
    } else if (reg == MIDGARD_A_COUNTER) {
        midgard_trans_counter(t, out);
    } else if (reg != MIDGARD_A_ZERO) {
        if (!known[0]) {
            zeros(t, known);
            t->ports->argument(t->ports->ctx, t->b, (enum midgard_argument)reg, known);
        }
        for (unsigned c = 0; c < 4; c++)
            out[c] = known[c] = midgard_trans_lanes(t, known[c]);
    }
}

struct isa_ir_number midgard_trans_component(struct midgard_trans *t, uint8_t reg, uint8_t component)
{
    LLVMValueRef words[4];
    if (reg == MIDGARD_A_ZERO)
        return (struct isa_ir_number){NULL, 0};
    midgard_trans_argument(t, reg, words);
    return (struct isa_ir_number){words[component], 0};
}

struct isa_ir_number midgard_trans_index(struct midgard_trans *t, const struct midgard_memory *x,
                                         uint32_t plus)
{
    struct isa_ir_number out = {NULL, plus};
    LLVMValueRef words[4];
    if (x->index_reg == MIDGARD_A_ZERO)
        return out;
    midgard_trans_argument(t, x->index_reg, words);
    out.lanes = midgard_trans_shift(t, words[x->index_comp], x->index_shift);
    out.lanes = LLVMBuildAdd(t->b->ir, out.lanes, jit_splat_u32(t->b, plus), "");
    return out;
}

/* ---- addresses ---- */

static LLVMValueRef two_words(struct midgard_trans *t, const LLVMValueRef words[4], unsigned c)
{
    const LLVMValueRef both[2] = {words[c], words[(c + 1) & 3]};
    return midgard_trans_element(t, both, 64, 0);
}

static LLVMValueRef index_of(struct midgard_trans *t, const struct midgard_memory *x)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef words[4], out;
    midgard_trans_argument(t, x->index_reg, words);
    if (x->index_format == MIDGARD_INDEX_U64)
        out = two_words(t, words, x->index_comp);
    else if (x->index_format == MIDGARD_INDEX_S32)
        out = LLVMBuildSExt(ir, words[x->index_comp], t->b->i64x16, "");
    else
        out = LLVMBuildZExt(ir, words[x->index_comp], t->b->i64x16, "");
    return LLVMBuildShl(ir, out, midgard_trans_splat(t, 64, x->index_shift), "");
}

static enum isa_space space_of(const struct midgard_memory *x)
{
    if (x->wide && x->arg_reg == MIDGARD_A_COUNTER && x->arg_comp == 2)
        return ISA_SPACE_THREAD;
    if (x->wide && x->arg_reg == MIDGARD_A_STORAGE && x->arg_comp == 0)
        return ISA_SPACE_THREAD;
    if (x->wide && x->arg_reg == MIDGARD_A_STORAGE && x->arg_comp == 2)
        return ISA_SPACE_WORKGROUP;
    return ISA_SPACE_GLOBAL;
}

/* `indexed`: the index register is one; `real`: storage is where its register says. */
static struct isa_ir_access access_of(struct midgard_trans *t, const struct midgard_memory *x,
                                      const struct midgard_memory_info *info, bool indexed, bool real)
{
    LLVMBuilderRef ir = t->b->ir;
    struct isa_ir_access out = {.space = real ? ISA_SPACE_GLOBAL : space_of(x),
                                .bytes = info->bytes,
                                .reversed = info->swap > 1,
                                .op = (enum isa_atomic)info->atomic};
    LLVMValueRef words[4];
    out.address = midgard_trans_splat(t, 64, (uint64_t)(int64_t)x->offset);
    if (out.space == ISA_SPACE_GLOBAL) {
        midgard_trans_argument(t, x->arg_reg, words);
        LLVMValueRef base = x->wide ? two_words(t, words, x->arg_comp)
                                    : LLVMBuildZExt(ir, words[x->arg_comp], t->b->i64x16, "");
        out.address = LLVMBuildAdd(ir, base, out.address, "");
    }
    if (!indexed || x->index_reg == MIDGARD_A_ZERO)
        return out;
    if (!x->index_format)
        midgard_trans_fault(t, MIDGARD_FAULT_RESERVED, NULL, NULL);
    else
        out.address = LLVMBuildAdd(ir, out.address, index_of(t, x), "");
    return out;
}

/* ---- bytes ---- */

/* Groups of 2, 4 or 8 bytes, each in reverse order. */
static void reverse(struct midgard_trans *t, unsigned group, LLVMValueRef words[4])
{
    struct jit_builder *b = t->b;
    for (unsigned c = 0; c < 4 && group > 1; c++) {
        words[c] = jit_intrinsic(b, "llvm.bswap", &b->i32x16, 1, &words[c], 1);
        if (group == 2)
            words[c] = LLVMBuildOr(b->ir, midgard_trans_shift(t, words[c], 16),
                                   midgard_trans_shift(t, words[c], -16), "");
    }
    for (unsigned c = 0; c < 4 && group == 8; c += 2) {
        LLVMValueRef first = words[c];
        words[c] = words[c + 1];
        words[c + 1] = first;
    }
}

/* What was read becomes words: in the order of the program's bytes, and whole. */
static void load_result(struct midgard_trans *t, const struct midgard_memory *x,
                        const struct midgard_memory_info *info, LLVMValueRef words[4])
{
    LLVMValueRef out[4], up = jit_splat_u32(t->b, 32u - info->bytes * 8u);
    for (unsigned c = 0; c < 4; c++)
        words[c] = midgard_trans_lanes(t, words[c]);
    reverse(t, info->swap, words);
    if (info->bytes < 4 && info->type == ISA_TYPE_I32)
        words[0] = LLVMBuildAShr(t->b->ir, LLVMBuildShl(t->b->ir, words[0], up, ""), up, "");
    midgard_trans_swizzled(x->swizzle, words, out);
    midgard_trans_write(t, x->reg, x->mask, out);
}

static void load(struct midgard_trans *t, const struct midgard_memory *x,
                 const struct midgard_memory_info *info)
{
    struct isa_ir_access access = access_of(t, x, info, true, false);
    LLVMValueRef words[4], address = NULL;
    if (t->ended)
        return;
    zeros(t, words);
    LLVMValueRef missing = t->ports->load(t->ports->ctx, t->b, &access, t->mask, words, &address);
    midgard_trans_check(t, missing, t->mask, address);
    load_result(t, x, info, words);
}

static void store(struct midgard_trans *t, const struct midgard_memory *x,
                  const struct midgard_memory_info *info)
{
    struct isa_ir_access access = access_of(t, x, info, true, false);
    LLVMValueRef words[4], value[4], address = NULL;
    unsigned quarter = UTIL_MAX(info->bytes / 4u, 1u);
    if (t->ended)
        return;
    LLVMValueRef lanes = access.space == ISA_SPACE_THREAD ? t->mask : midgard_trans_visible(t, t->mask);
    for (unsigned n = 0; n < info->bytes; n++)
        access.enable |= (uint16_t)((x->mask >> n / quarter & 1) << n);
    midgard_trans_argument(t, x->reg, words);
    midgard_trans_swizzled(x->swizzle, words, value);
    reverse(t, info->swap, value);
    LLVMValueRef missing = t->ports->store(t->ports->ctx, t->b, &access, lanes, value, &address);
    midgard_trans_check(t, missing, lanes, address);
}

/* A value of four or eight bytes from an argument register. */
static void atomic_value(struct midgard_trans *t, uint8_t reg, uint8_t component, LLVMValueRef out[2])
{
    LLVMValueRef words[4];
    midgard_trans_argument(t, reg, words);
    out[0] = words[component];
    out[1] = words[(component + 1) & 3];
}

static void atomic(struct midgard_trans *t, const struct midgard_memory *x,
                   const struct midgard_memory_info *info)
{
    bool compares = info->atomic == ISA_ATOMIC_COMPARE_EXCHANGE;
    struct isa_ir_access access = access_of(t, x, info, !compares, false);
    LLVMValueRef zero = jit_splat_u32(t->b, 0), lanes = midgard_trans_visible(t, t->mask);
    LLVMValueRef value[2], compare[2] = {zero, zero}, out[4], address = NULL;
    if (t->ended)
        return;
    zeros(t, out);
    atomic_value(t, x->swizzle >> 2 & 7, x->swizzle & 3, value);
    if (compares)
        atomic_value(t, x->index_reg, x->index_comp, compare);
    LLVMValueRef missing =
        t->ports->atomic(t->ports->ctx, t->b, &access, lanes, value, compare, out, &address);
    midgard_trans_check(t, missing, lanes, address);
    for (unsigned c = 0; c < 4; c++)
        out[c] = c < info->bytes / 4 ? jit_select(t->b, lanes, midgard_trans_lanes(t, out[c]), zero)
                                     : out[c & (info->bytes / 4 - 1)];
    midgard_trans_write(t, x->reg, x->mask, out);
}

static void uniform(struct midgard_trans *t, const struct midgard_memory *x,
                    const struct midgard_memory_info *info)
{
    struct isa_ir_uniform u = {.buffer = {NULL, midgard_uniform_buffer(x)},
                               .offset = midgard_trans_index(t, x, (uint32_t)midgard_offset_uniform(x)),
                               .bytes = info->bytes};
    LLVMValueRef words[4], address = NULL;
    if (x->offset & 1)
        u.buffer = midgard_trans_component(t, x->arg_reg, x->arg_comp);
    zeros(t, words);
    LLVMValueRef missing = t->ports->uniform(t->ports->ctx, t->b, &u, t->mask, words, &address);
    midgard_trans_check(t, missing, t->mask, address);
    load_result(t, x, info, words);
}

static void address_of(struct midgard_trans *t, const struct midgard_memory *x,
                       const struct midgard_memory_info *info)
{
    LLVMBuilderRef ir = t->b->ir;
    struct isa_ir_access access = access_of(t, x, info, true, true);
    LLVMValueRef words[4], out[4];
    if (t->ended)
        return;
    zeros(t, words);
    words[0] = LLVMBuildTrunc(ir, access.address, t->b->i32x16, "");
    words[1] = LLVMBuildLShr(ir, access.address, midgard_trans_splat(t, 64, 32), "");
    words[1] = LLVMBuildTrunc(ir, words[1], t->b->i32x16, "");
    midgard_trans_swizzled(x->swizzle, words, out);
    midgard_trans_write(t, x->reg, x->mask, out);
}

/* ---- registers to registers ---- */

static LLVMValueRef component(struct midgard_trans *t, bool halves, const LLVMValueRef in[4], unsigned c)
{
    return halves ? midgard_trans_of_half(t, midgard_trans_shift(t, in[c / 2], -(int)(16 * (c & 1)))) : in[c];
}

void midgard_trans_divide(struct midgard_trans *t, unsigned by, bool halves, const LLVMValueRef in[4],
                          LLVMValueRef out[4])
{
    LLVMValueRef v[4], over;
    for (unsigned c = 0; c < 4; c++)
        v[c] = component(t, halves, in, c);
    over = midgard_trans_op(t, ISA_OP_frcp, ISA_F32, 0, v[by], NULL);
    for (unsigned c = 0; c < 4; c++) {
        v[c] = c == by ? jit_splat_u32(t->b, 0x3f800000)
                       : midgard_trans_op(t, ISA_OP_fmul, ISA_F32, 0, v[c], over);
        v[c] = halves ? midgard_trans_to_half(t, v[c]) : v[c];
    }
    zeros(t, out);
    for (unsigned c = 0; c < 4; c++) {
        if (!halves)
            out[c] = v[c];
        else if (c < 2)
            out[c] = LLVMBuildOr(t->b->ir, v[2 * c], midgard_trans_shift(t, v[2 * c + 1], 16), "");
    }
}

void midgard_trans_cube(struct midgard_trans *t, bool halves, const LLVMValueRef in[4], LLVMValueRef out[4])
{
    LLVMValueRef direction[3];
    for (unsigned c = 0; c < 3; c++)
        direction[c] = component(t, halves, in, c);
    zeros(t, out);
    t->ports->cube(t->ports->ctx, t->b, direction, out);
}

static void move(struct midgard_trans *t, const struct midgard_memory *x,
                 const struct midgard_memory_info *info)
{
    LLVMValueRef words[4], in[4], out[4], address = NULL;
    uint32_t format = (uint32_t)x->offset << 4 | x->index_shift;
    midgard_trans_argument(t, x->arg_reg, words);
    midgard_trans_swizzled(x->swizzle, words, in);
    switch (info->class) {
    case MIDGARD_MOVE: memcpy(out, in, sizeof out); break;
    case MIDGARD_CUBE: midgard_trans_cube(t, !x->wide, in, out); break;
    case MIDGARD_PERSPECTIVE: midgard_trans_divide(t, x->op & 3, !x->wide, in, out); break;
    default:
        zeros(t, out);
        LLVMValueRef missing = t->ports->pack(t->ports->ctx, t->b, info->class == MIDGARD_UNPACK,
                                              (enum isa_type)info->type, format, in, t->mask, out, &address);
        midgard_trans_check(t, missing, t->mask, address);
    }
    midgard_trans_write(t, x->reg, x->mask, out);
}

/* ---- */

void midgard_trans_load_store(struct midgard_trans *t, const struct midgard_memory *x)
{
    const struct midgard_memory_info *info = midgard_memory_info(x->op);
    if (!info || (midgard_is_store((enum midgard_class)info->class) && x->reg > MIDGARD_A_ZERO)) {
        midgard_trans_fault(t, MIDGARD_FAULT_RESERVED, NULL, NULL);
        return;
    }
    switch (info->class) {
    case MIDGARD_NOTHING: break;
    case MIDGARD_MOVE:
    case MIDGARD_PERSPECTIVE:
    case MIDGARD_CUBE:
    case MIDGARD_PACK:
    case MIDGARD_UNPACK: move(t, x, info); break;
    case MIDGARD_ADDRESS: address_of(t, x, info); break;
    case MIDGARD_ATOMIC: atomic(t, x, info); break;
    case MIDGARD_LOAD: load(t, x, info); break;
    case MIDGARD_STORE: store(t, x, info); break;
    case MIDGARD_UNIFORM: uniform(t, x, info); break;
    case MIDGARD_SPECIAL:
    case MIDGARD_STORE_SPECIAL:
    case MIDGARD_TILE:
    case MIDGARD_STORE_TILE: midgard_trans_tile(t, x, info); break;
    case MIDGARD_TRAP: midgard_trans_fault(t, MIDGARD_FAULT_TRAP, NULL, NULL); break;
    default: midgard_trans_attribute(t, x, info);
    }
}
