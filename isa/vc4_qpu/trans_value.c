/* Values: one set of bits, seen as integers, as floats, as float operands. */
#include <errno.h>
#include <stdlib.h>

#include "isa/vc4_qpu/trans_internal.h"
#include "util/bits.h"

#define NODES_PER_CHUNK 256

struct vc4_qpu_trans_chunk {
    struct vc4_qpu_trans_chunk *next;
    unsigned used;
    struct vc4_qpu_value nodes[NODES_PER_CHUNK];
};

void vc4_qpu_trans_fail(struct vc4_qpu_trans *t, int code, const char *what)
{
    if (!t->failed)
        t->failed = util_fail(t->error, code, "pc %u: %s", t->pc, what);
}

void vc4_qpu_trans_free_values(struct vc4_qpu_trans *t)
{
    for (struct vc4_qpu_trans_chunk *c = t->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    t->chunks = NULL;
}

/* A node of zeros; when memory is out, one that keeps emission going until the failure is returned. */
struct vc4_qpu_value *vc4_qpu_trans_new_value(struct vc4_qpu_trans *t)
{
    if (!t->chunks || t->chunks->used == NODES_PER_CHUNK) {
        struct vc4_qpu_trans_chunk *c = calloc(1, sizeof *c);
        if (!c) {
            vc4_qpu_trans_fail(t, -ENOMEM, "out of memory");
            t->spare = (struct vc4_qpu_value){0};
            return &t->spare;
        }
        c->next = t->chunks;
        t->chunks = c;
    }
    return &t->chunks->nodes[t->chunks->used++];
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static void learn_constant(const struct vc4_qpu_trans *t, struct vc4_qpu_value *v, uint32_t imm)
{
    v->known = true;
    v->imm = imm;
    v->clean = !is_nan(imm) || (imm == TRANS_NAN && !t->exact);
    v->positive = !(imm >> 31);
    v->opaque = false;
}

/* Whether a constant vector holds the same number in all lanes. */
static bool constant_splat(LLVMValueRef vector, uint32_t *imm)
{
    LLVMValueRef first = LLVMGetAggregateElement(vector, 0);

    if (!first || !LLVMIsAConstantInt(first))
        return false;
    for (unsigned i = 1; i < JIT_LANES; i++)
        if (LLVMGetAggregateElement(vector, i) != first)
            return false;
    *imm = (uint32_t)LLVMConstIntGetZExtValue(first);
    return true;
}

struct vc4_qpu_value *vc4_qpu_trans_int(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    struct vc4_qpu_value *v = vc4_qpu_trans_new_value(t);
    uint32_t imm;

    v->i = i;
    if (LLVMIsConstant(i) && constant_splat(i, &imm))
        learn_constant(t, v, imm);
    return v;
}

struct vc4_qpu_value *vc4_qpu_trans_float(struct vc4_qpu_trans *t, LLVMValueRef f, bool clean, bool opaque)
{
    struct vc4_qpu_value *v = vc4_qpu_trans_new_value(t);

    v->f = f;
    v->clean = clean;
    v->opaque = opaque && !LLVMIsConstant(f);
    return v;
}

struct vc4_qpu_value *vc4_qpu_trans_raw(struct vc4_qpu_trans *t, LLVMValueRef raw, enum vc4_qpu_trans_raw is)
{
    struct vc4_qpu_value *v = vc4_qpu_trans_new_value(t);

    v->raw = raw;
    v->raw_is = is;
    v->clean = true;
    v->opaque = !LLVMIsConstant(raw);
    return v;
}

struct vc4_qpu_value *vc4_qpu_trans_imm(struct vc4_qpu_trans *t, uint32_t imm)
{
    struct vc4_qpu_value *v = vc4_qpu_trans_new_value(t);

    v->i = jit_splat_u32(t->b, imm);
    v->scalar = jit_i32(t->b, imm);
    learn_constant(t, v, imm);
    return v;
}

struct vc4_qpu_value *vc4_qpu_trans_scalar(struct vc4_qpu_trans *t, LLVMValueRef i32, bool opaque)
{
    if (LLVMIsAConstantInt(i32))
        return vc4_qpu_trans_imm(t, (uint32_t)LLVMConstIntGetZExtValue(i32));
    struct vc4_qpu_value *v = vc4_qpu_trans_new_value(t);
    v->scalar = i32;
    v->opaque = opaque;
    return v;
}

LLVMValueRef vc4_qpu_trans_i(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    if (v->i)
        return v->i;
    if (v->choice)
        v->i = jit_select(t->b, v->choice, jit_splat_u32(t->b, v->imm), vc4_qpu_trans_i(t, v->old));
    else
        v->i = v->f || v->raw ? jit_as_i32(t->b, vc4_qpu_trans_f(t, v)) : jit_splat(t->b, v->scalar);
    return v->i;
}

static LLVMValueRef canonical_nan(struct vc4_qpu_trans *t, LLVMValueRef f);

/* AVX-512 has it as one instruction: the greater of |r| and |+0|, the second if they are equal or r is a
 * NaN. */
static LLVMValueRef drop_range(struct vc4_qpu_trans *t, LLVMValueRef r, LLVMValueRef zero)
{
    enum { GREATER_MAGNITUDE = 3, WITH_ITS_SIGN = 1 << 2 };
    LLVMValueRef args[] = {r,
                           zero,
                           jit_i32(t->b, GREATER_MAGNITUDE | WITH_ITS_SIGN),
                           zero,
                           LLVMConstInt(t->b->i16, 0xffff, false),
                           jit_i32(t->b, JIT_ROUND_AS_SET)};

    return jit_intrinsic(t->b, "llvm.x86.avx512.mask.range.ps.512", NULL, 0, args, 6);
}

LLVMValueRef vc4_qpu_trans_drop_nan_and_minus(struct vc4_qpu_trans *t, LLVMValueRef r)
{
    LLVMValueRef zero = LLVMConstNull(t->b->f32x16);

    if (t->b->level >= JIT_AVX512)
        return drop_range(t, r, zero);
    return jit_select(t->b, LLVMBuildFCmp(t->b->ir, LLVMRealONE, r, zero, ""), r, zero);
}

LLVMValueRef vc4_qpu_trans_f(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    if (v->f)
        return v->f;
    if (!v->raw)
        v->f = jit_as_f32(t->b, vc4_qpu_trans_i(t, v));
    else if (v->raw_is == TRANS_RAW_PRODUCT)
        v->f = vc4_qpu_trans_drop_nan_and_minus(t, v->raw);
    else
        v->f = canonical_nan(t, v->raw);
    return v->f;
}

/* Works on scalars and vectors alike. */
static LLVMValueRef canonical_nan(struct vc4_qpu_trans *t, LLVMValueRef f)
{
    LLVMBuilderRef ir = t->b->ir;
    bool vector = LLVMTypeOf(f) == t->b->f32x16;
    LLVMValueRef nan = vector ? LLVMBuildBitCast(ir, jit_splat_u32(t->b, TRANS_NAN), t->b->f32x16, "")
                              : LLVMBuildBitCast(ir, jit_i32(t->b, TRANS_NAN), t->b->f32, "");
    return LLVMBuildSelect(ir, LLVMBuildFCmp(ir, LLVMRealUNO, f, f, ""), nan, f, "");
}

LLVMValueRef vc4_qpu_trans_operand(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    LLVMBuilderRef ir = t->b->ir;

    if (v->operand || v->clean) {
        v->operand = v->operand ? v->operand : vc4_qpu_trans_factor(t, v);
    } else if (v->known) {
        v->operand = jit_fence(t->b, LLVMBuildBitCast(ir, jit_splat_u32(t->b, TRANS_NAN), t->b->f32x16, ""));
    } else if (v->uniform && t->ports->uniform_number) {
        LLVMValueRef number = t->ports->uniform_number(t->ports->ctx, t->b, v->uniform - 1);
        v->operand = jit_splat(t->b, LLVMBuildBitCast(ir, number, t->b->f32, ""));
    } else if (v->scalar) {
        LLVMValueRef f = canonical_nan(t, LLVMBuildBitCast(ir, v->scalar, t->b->f32, ""));
        v->operand = jit_splat(t->b, v->opaque ? f : jit_fence(t->b, f));
    } else {
        LLVMValueRef f = canonical_nan(t, vc4_qpu_trans_f(t, v));
        v->operand = v->opaque ? f : jit_fence(t->b, f);
    }
    return v->operand;
}

LLVMValueRef vc4_qpu_trans_factor(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    if (!v->factor)
        v->factor = v->opaque ? vc4_qpu_trans_f(t, v) : jit_fence(t->b, vc4_qpu_trans_f(t, v));
    return v->factor;
}

LLVMValueRef vc4_qpu_trans_multiplicand(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    return v->raw ? v->raw : vc4_qpu_trans_factor(t, v);
}

LLVMValueRef vc4_qpu_trans_lane0(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    if (v->scalar)
        return v->scalar;
    return LLVMBuildExtractElement(t->b->ir, vc4_qpu_trans_i(t, v), jit_i32(t->b, 0), "");
}

struct vc4_qpu_value *vc4_qpu_trans_merge(struct vc4_qpu_trans *t, LLVMValueRef mask,
                                          struct vc4_qpu_value *new, struct vc4_qpu_value *old)
{
    struct vc4_qpu_value *v;

    if (!mask || new == old)
        return new;
    v = vc4_qpu_trans_choose(t, mask, new, old);
    if (!v && (new->f || new->raw) && (old->f || old->raw)) {
        v = vc4_qpu_trans_float(t, jit_select(t->b, mask, vc4_qpu_trans_f(t, new), vc4_qpu_trans_f(t, old)),
                                false, false);
        vc4_qpu_trans_loose_choice(t, v, mask, new, old);
    }
    if (!v)
        v = vc4_qpu_trans_int(t, jit_select(t->b, mask, vc4_qpu_trans_i(t, new), vc4_qpu_trans_i(t, old)));
    if (!v->known) {
        v->clean = new->clean && old->clean;
        v->opaque = new->opaque && old->opaque;
        v->positive = new->positive && old->positive;
    }
    return v;
}
