#include "jit/builder.h"

#include <assert.h>
#include <string.h>

#include "jit/target.h"
#include "util/bits.h"

static void add_enum_attribute(struct jit_builder *b, LLVMValueRef function, LLVMAttributeIndex at,
                               const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(b->context, kind, 0));
}

static void add_string_attribute(struct jit_builder *b, LLVMValueRef function, const char *name,
                                 const char *value)
{
    LLVMAddAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(b->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

static LLVMValueRef begin(struct jit_builder *b, const char *name, LLVMLinkage linkage, LLVMTypeRef result,
                          const LLVMTypeRef *params, unsigned count)
{
    LLVMTypeRef type = LLVMFunctionType(result, (LLVMTypeRef *)params, count, false);
    const char *width = jit_target_vector_width(b->level);

    b->function = LLVMAddFunction(b->module, name, type);
    LLVMSetLinkage(b->function, linkage);
    add_enum_attribute(b, b->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    add_string_attribute(b, b->function, "denormal-fp-math", "preserve-sign,preserve-sign");
    add_string_attribute(b, b->function, "no-trapping-math", "true");
    add_string_attribute(b, b->function, "prefer-vector-width", width);
    add_string_attribute(b, b->function, "min-legal-vector-width", width);
    LLVMPositionBuilderAtEnd(b->ir, LLVMAppendBasicBlockInContext(b->context, b->function, "entry"));
    return b->function;
}

LLVMValueRef jit_begin_function(struct jit_builder *b, LLVMTypeRef result, const LLVMTypeRef *params,
                                unsigned count)
{
    return begin(b, b->symbol, LLVMExternalLinkage, result, params, count);
}

LLVMValueRef jit_begin_internal(struct jit_builder *b, const char *name, LLVMTypeRef result,
                                const LLVMTypeRef *params, unsigned count)
{
    return begin(b, name, LLVMInternalLinkage, result, params, count);
}

void jit_keep_denormals(struct jit_builder *b)
{
    static const char name[] = "denormal-fp-math";
    LLVMRemoveStringAttributeAtIndex(b->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
                                     sizeof name - 1);
    add_string_attribute(b, b->function, name, "ieee,ieee");
}

LLVMValueRef jit_param(struct jit_builder *b, unsigned index)
{
    return LLVMGetParam(b->function, index);
}

void jit_param_noalias(struct jit_builder *b, unsigned index)
{
    add_enum_attribute(b, b->function, index + 1, "noalias");
}

void jit_param_readable(struct jit_builder *b, unsigned index, uint64_t bytes, uint64_t align)
{
    static const char *const names[2] = {"dereferenceable", "align"};
    uint64_t values[2] = {bytes, align};

    for (unsigned i = 0; i < 2; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));

        LLVMAddAttributeAtIndex(b->function, index + 1, LLVMCreateEnumAttribute(b->context, kind, values[i]));
    }
}

void jit_load_readable(struct jit_builder *b, LLVMValueRef load, uint64_t bytes, uint64_t align)
{
    static const char *const names[2] = {"dereferenceable", "align"};
    uint64_t values[2] = {bytes, align};

    for (unsigned i = 0; i < 2; i++) {
        unsigned kind = LLVMGetMDKindIDInContext(b->context, names[i], (unsigned)strlen(names[i]));
        LLVMMetadataRef value = LLVMValueAsMetadata(jit_i64(b, values[i]));

        LLVMSetMetadata(load, kind,
                        LLVMMetadataAsValue(b->context, LLVMMDNodeInContext2(b->context, &value, 1)));
    }
}

LLVMValueRef jit_i32(struct jit_builder *b, uint32_t v)
{
    return LLVMConstInt(b->i32, v, false);
}

LLVMValueRef jit_i64(struct jit_builder *b, uint64_t v)
{
    return LLVMConstInt(b->i64, v, false);
}

LLVMValueRef jit_f32(struct jit_builder *b, float v)
{
    return LLVMConstBitCast(jit_i32(b, util_f2u(v)), b->f32);
}

LLVMValueRef jit_f64(struct jit_builder *b, double v)
{
    return LLVMConstReal(b->f64, v);
}

static LLVMValueRef splat_constant(LLVMValueRef scalar)
{
    LLVMValueRef lanes[JIT_LANES];

    for (unsigned i = 0; i < JIT_LANES; i++)
        lanes[i] = scalar;
    return LLVMConstVector(lanes, JIT_LANES);
}

LLVMValueRef jit_splat_u32(struct jit_builder *b, uint32_t v)
{
    return splat_constant(jit_i32(b, v));
}

LLVMValueRef jit_splat_f32(struct jit_builder *b, float v)
{
    return splat_constant(jit_f32(b, v));
}

LLVMValueRef jit_splat(struct jit_builder *b, LLVMValueRef scalar)
{
    if (LLVMIsConstant(scalar))
        return splat_constant(scalar);
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), JIT_LANES);
    LLVMValueRef one = LLVMBuildInsertElement(b->ir, LLVMGetPoison(type), scalar, jit_i32(b, 0), "");
    return LLVMBuildShuffleVector(b->ir, one, LLVMGetPoison(type), LLVMConstNull(b->i32x16), "");
}

LLVMValueRef jit_lane_ids(struct jit_builder *b)
{
    uint32_t ids[JIT_LANES];

    for (unsigned i = 0; i < JIT_LANES; i++)
        ids[i] = i;
    return jit_vector_u32(b, ids);
}

LLVMValueRef jit_vector_u32(struct jit_builder *b, const uint32_t v[16])
{
    LLVMValueRef lanes[JIT_LANES];

    for (unsigned i = 0; i < JIT_LANES; i++)
        lanes[i] = jit_i32(b, v[i]);
    return LLVMConstVector(lanes, JIT_LANES);
}

/* A bitcast of a bitcast is the first value: the two views of a register go back and forth all the time. */
static LLVMValueRef view(struct jit_builder *b, LLVMValueRef v, LLVMTypeRef type)
{
    if (LLVMTypeOf(v) == type)
        return v;
    if (LLVMIsABitCastInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == type)
        return LLVMGetOperand(v, 0);
    return LLVMBuildBitCast(b->ir, v, type, "");
}

LLVMValueRef jit_as_f32(struct jit_builder *b, LLVMValueRef v)
{
    return view(b, v, b->f32x16);
}

LLVMValueRef jit_as_i32(struct jit_builder *b, LLVMValueRef v)
{
    return view(b, v, b->i32x16);
}

LLVMValueRef jit_offset(struct jit_builder *b, LLVMValueRef base, LLVMValueRef byte_offset)
{
    if (LLVMTypeOf(byte_offset) != b->i64)
        byte_offset = LLVMBuildZExt(b->ir, byte_offset, b->i64, "");
    return LLVMBuildGEP2(b->ir, b->i8, base, &byte_offset, 1, "");
}

LLVMValueRef jit_offset_const(struct jit_builder *b, LLVMValueRef base, uint64_t byte_offset)
{
    return byte_offset ? jit_offset(b, base, jit_i64(b, byte_offset)) : base;
}

LLVMValueRef jit_same_pointer(struct jit_builder *b, LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMFunctionType(b->ptr, &b->ptr, 1, false);
    LLVMValueRef same =
        LLVMGetInlineAsm(type, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);

    return LLVMBuildCall2(b->ir, type, same, &pointer, 1, "");
}

LLVMValueRef jit_load(struct jit_builder *b, LLVMTypeRef type, LLVMValueRef address, unsigned align,
                      bool invariant)
{
    LLVMValueRef load = LLVMBuildLoad2(b->ir, type, address, "");

    LLVMSetAlignment(load, align);
    if (invariant) {
        unsigned kind = LLVMGetMDKindIDInContext(b->context, "invariant.load", 14);
        LLVMSetMetadata(load, kind,
                        LLVMMetadataAsValue(b->context, LLVMMDNodeInContext2(b->context, NULL, 0)));
    }
    return load;
}

LLVMValueRef jit_load_at_entry(struct jit_builder *b, LLVMTypeRef type, LLVMValueRef base,
                               uint64_t byte_offset, unsigned align)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
    LLVMValueRef load;

    LLVMPositionBuilderBefore(b->ir, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(b->function)));
    load = jit_load(b, type, jit_offset_const(b, base, byte_offset), align, true);
    LLVMPositionBuilderAtEnd(b->ir, here);
    return load;
}

void jit_store(struct jit_builder *b, LLVMValueRef value, LLVMValueRef address, unsigned align)
{
    LLVMSetAlignment(LLVMBuildStore(b->ir, value, address), align);
}

/* Without registers of masks LLVM would move bit by bit into bytes. */
LLVMValueRef jit_mask_from_bits(struct jit_builder *b, LLVMValueRef i16_bits)
{
    return b->level >= JIT_AVX512 ? LLVMBuildBitCast(b->ir, i16_bits, b->i1x16, "")
                                  : jit_mask_by_lanes(b, i16_bits);
}

LLVMValueRef jit_mask_by_lanes(struct jit_builder *b, LLVMValueRef i16_bits)
{
    LLVMValueRef bit[JIT_LANES], all;

    for (unsigned l = 0; l < JIT_LANES; l++)
        bit[l] = jit_i32(b, 1u << l);
    all = jit_splat(b, LLVMBuildZExt(b->ir, i16_bits, b->i32, ""));
    all = LLVMBuildAnd(b->ir, all, LLVMConstVector(bit, JIT_LANES), "");
    return LLVMBuildICmp(b->ir, LLVMIntNE, all, LLVMConstNull(b->i32x16), "");
}

LLVMValueRef jit_mask_to_bits(struct jit_builder *b, LLVMValueRef mask)
{
    return LLVMBuildBitCast(b->ir, mask, b->i16, "");
}

LLVMValueRef jit_mask_any(struct jit_builder *b, LLVMValueRef mask)
{
    LLVMTypeRef bits = LLVMIntTypeInContext(b->context, LLVMGetVectorSize(LLVMTypeOf(mask)));

    return LLVMBuildICmp(b->ir, LLVMIntNE, LLVMBuildBitCast(b->ir, mask, bits, ""), LLVMConstNull(bits), "");
}

LLVMValueRef jit_mask_all(struct jit_builder *b, LLVMValueRef mask)
{
    return LLVMBuildICmp(b->ir, LLVMIntEQ, jit_mask_to_bits(b, mask), LLVMConstInt(b->i16, 0xffff, false),
                         "");
}

LLVMValueRef jit_select(struct jit_builder *b, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no)
{
    return yes == no ? yes : LLVMBuildSelect(b->ir, mask, yes, no, "");
}

LLVMValueRef jit_intrinsic(struct jit_builder *b, const char *name, const LLVMTypeRef *overload,
                           unsigned overload_count, LLVMValueRef *args, unsigned arg_count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef *types = (LLVMTypeRef *)overload;
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(b->module, id, types, overload_count);

    return LLVMBuildCall2(b->ir, LLVMIntrinsicGetType(b->context, id, types, overload_count), f, args,
                          arg_count, "");
}

bool jit_calls(LLVMValueRef v, const char *name)
{
    LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;

    return callee && LLVMIsAFunction(callee) &&
           LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name));
}

LLVMValueRef jit_fence(struct jit_builder *b, LLVMValueRef f)
{
    LLVMTypeRef type = LLVMTypeOf(f);

    return jit_intrinsic(b, "llvm.arithmetic.fence", &type, 1, &f, 1);
}

#define MOST_PARTS 4 /* a register of the least level holds a quarter of one of the highest */

LLVMValueRef jit_intrinsic_by_parts(struct jit_builder *b, const char *name, unsigned lanes,
                                    const LLVMValueRef *args, unsigned arg_count)
{
    unsigned total = LLVMGetVectorSize(LLVMTypeOf(args[0])), count = total / lanes;
    LLVMValueRef parts[MOST_PARTS] = {NULL}, own[2], number[64];

    assert(count <= MOST_PARTS && arg_count <= 2 && total <= 64);
    for (unsigned i = 0; i < total; i++)
        number[i] = jit_i32(b, i);
    for (unsigned p = 0; p < count; p++) {
        LLVMValueRef which = LLVMConstVector(number + (size_t)p * lanes, lanes);

        for (unsigned i = 0; i < arg_count; i++)
            own[i] = LLVMBuildShuffleVector(b->ir, args[i], LLVMGetPoison(LLVMTypeOf(args[i])), which, "");
        parts[p] = jit_intrinsic(b, name, NULL, 0, own, arg_count);
    }
    for (; count > 1; count /= 2, lanes *= 2)
        for (unsigned p = 0; p < count / 2; p++)
            parts[p] = LLVMBuildShuffleVector(b->ir, parts[2 * p], parts[2 * p + 1],
                                              LLVMConstVector(number, 2 * lanes), "");
    return parts[0];
}

LLVMValueRef jit_intrinsic_by_level(struct jit_builder *b, const char *const names[3],
                                    const LLVMValueRef *args, unsigned arg_count)
{
    const unsigned width = UTIL_MIN(b->level, JIT_AVX512);
    const unsigned element = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(args[0])));
    return jit_intrinsic_by_parts(b, names[width], (128u << width) / element, args, arg_count);
}

LLVMValueRef jit_floor(struct jit_builder *b, LLVMValueRef f32x16)
{
    return jit_intrinsic(b, "llvm.floor", &b->f32x16, 1, &f32x16, 1);
}

LLVMValueRef jit_sqrt(struct jit_builder *b, LLVMValueRef f32x16)
{
    return jit_intrinsic(b, "llvm.sqrt", &b->f32x16, 1, &f32x16, 1);
}

LLVMValueRef jit_f32_to_i32(struct jit_builder *b, LLVMValueRef f32x16)
{
    return LLVMBuildFPToSI(b->ir, f32x16, b->i32x16, "");
}

/* The host's instruction of each level, all lanes, rounding as everywhere. */
static LLVMValueRef host_to_i32(struct jit_builder *b, LLVMValueRef f32x16, const char *avx512,
                                const char *avx2, const char *sse)
{
    LLVMValueRef args[4] = {f32x16, LLVMConstNull(b->i32x16), LLVMConstAllOnes(b->i16),
                            jit_i32(b, JIT_ROUND_AS_SET)};

    if (b->level >= JIT_AVX512)
        return jit_intrinsic(b, avx512, NULL, 0, args, 4);
    return b->level == JIT_AVX2 ? jit_intrinsic_by_parts(b, avx2, 8, args, 1)
                                : jit_intrinsic_by_parts(b, sse, 4, args, 1);
}

LLVMValueRef jit_f32_to_any_i32(struct jit_builder *b, LLVMValueRef f32x16)
{
    return host_to_i32(b, f32x16, "llvm.x86.avx512.mask.cvttps2dq.512", "llvm.x86.avx.cvtt.ps2dq.256",
                       "llvm.x86.sse2.cvttps2dq");
}

/* x as 0 or more, of a NaN 0. From 2^31 on what is above it is converted; only AVX-512 has the instruction, which gives
 * all ones for what does not fit. */
static LLVMValueRef to_limited_unsigned(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef zero = LLVMConstNull(b->f32x16), limit = jit_splat_f32(b, 0x1p31f),
                 top = jit_splat_u32(b, 1u << 31);
    x = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, zero, ""), x, zero);
    if (b->level >= JIT_AVX512) {
        LLVMValueRef args[4] = {x, LLVMConstNull(b->i32x16), LLVMConstAllOnes(b->i16),
                                jit_i32(b, JIT_ROUND_AS_SET)};
        return jit_intrinsic(b, "llvm.x86.avx512.mask.cvttps2udq.512", NULL, 0, args, 4);
    }
    LLVMValueRef great = LLVMBuildFCmp(b->ir, LLVMRealOGE, x, limit, "");
    LLVMValueRef out = jit_select(b, great, LLVMBuildFSub(b->ir, x, limit, ""), x);
    out = jit_f32_to_any_i32(b, out);
    out = LLVMBuildXor(b->ir, out, jit_select(b, great, top, LLVMConstNull(b->i32x16)), "");
    LLVMValueRef beyond = LLVMBuildFCmp(b->ir, LLVMRealOGE, x, jit_splat_f32(b, 0x1p32f), "");
    return jit_select(b, beyond, LLVMConstAllOnes(b->i32x16), out);
}

/* `out` is what jit_f32_to_any_i32 or jit_f32_nearest_i32 gives of the float. */
static LLVMValueRef limited(struct jit_builder *b, LLVMValueRef out, LLVMValueRef f32x16)
{
    LLVMValueRef beyond = LLVMBuildFCmp(b->ir, LLVMRealOGE, f32x16, jit_splat_f32(b, 0x1p31f), "");
    out = jit_select(b, beyond, jit_splat_u32(b, INT32_MAX), out);
    LLVMValueRef none = LLVMBuildFCmp(b->ir, LLVMRealUNO, f32x16, f32x16, "");
    return jit_select(b, none, LLVMConstNull(b->i32x16), out);
}

LLVMValueRef jit_f32_to_limited_i32(struct jit_builder *b, LLVMValueRef f32x16, bool is_signed)
{
    return is_signed ? limited(b, jit_f32_to_any_i32(b, f32x16), f32x16) : to_limited_unsigned(b, f32x16);
}

LLVMValueRef jit_f32_nearest_limited_i32(struct jit_builder *b, LLVMValueRef f32x16)
{
    return limited(b, jit_f32_nearest_i32(b, f32x16), f32x16);
}

LLVMValueRef jit_f32_nearest_i32(struct jit_builder *b, LLVMValueRef f32x16)
{
    return host_to_i32(b, f32x16, "llvm.x86.avx512.mask.cvtps2dq.512", "llvm.x86.avx.cvt.ps2dq.256",
                       "llvm.x86.sse2.cvtps2dq");
}

LLVMValueRef jit_i32_to_f32(struct jit_builder *b, LLVMValueRef i32x16)
{
    return LLVMBuildSIToFP(b->ir, i32x16, b->f32x16, "");
}

LLVMValueRef jit_alloca(struct jit_builder *b, LLVMTypeRef type, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir), entry = LLVMGetEntryBasicBlock(b->function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);

    if (first)
        LLVMPositionBuilderBefore(b->ir, first);
    else
        LLVMPositionBuilderAtEnd(b->ir, entry);
    LLVMValueRef slot = LLVMBuildAlloca(b->ir, type, name);
    LLVMPositionBuilderAtEnd(b->ir, here);
    return slot;
}

LLVMValueRef jit_alloca_zero(struct jit_builder *b, LLVMTypeRef type, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
    LLVMValueRef slot = jit_alloca(b, type, name), next = LLVMGetNextInstruction(slot);

    if (next)
        LLVMPositionBuilderBefore(b->ir, next);
    else
        LLVMPositionBuilderAtEnd(b->ir, LLVMGetInstructionParent(slot));
    LLVMBuildStore(b->ir, LLVMConstNull(type), slot);
    LLVMPositionBuilderAtEnd(b->ir, here);
    return slot;
}

static LLVMBasicBlockRef new_block(struct jit_builder *b, const char *name)
{
    return LLVMAppendBasicBlockInContext(b->context, b->function, name);
}

void jit_loop_begin(struct jit_builder *b, struct jit_loop *loop, LLVMValueRef count)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b->ir), head = new_block(b, "loop");
    LLVMValueRef zero = jit_i32(b, 0);

    loop->body = new_block(b, "body");
    loop->latch = new_block(b, "latch");
    loop->exit = new_block(b, "exit");
    LLVMBuildBr(b->ir, head);
    LLVMPositionBuilderAtEnd(b->ir, head);
    loop->index = LLVMBuildPhi(b->ir, b->i32, "i");
    LLVMAddIncoming(loop->index, &zero, &before, 1);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, loop->index, count, ""), loop->body, loop->exit);

    LLVMPositionBuilderAtEnd(b->ir, loop->latch);
    LLVMValueRef next = LLVMBuildNUWAdd(b->ir, loop->index, jit_i32(b, 1), "");
    LLVMAddIncoming(loop->index, &next, &loop->latch, 1);
    LLVMBuildBr(b->ir, head);
    LLVMPositionBuilderAtEnd(b->ir, loop->body);
}

void jit_loop_end(struct jit_builder *b, struct jit_loop *loop)
{
    LLVMBuildBr(b->ir, loop->latch);
    LLVMPositionBuilderAtEnd(b->ir, loop->exit);
}

void jit_loop_continue_if(struct jit_builder *b, struct jit_loop *loop, LLVMValueRef condition)
{
    LLVMBasicBlockRef rest = new_block(b, "rest");

    LLVMBuildCondBr(b->ir, condition, loop->latch, rest);
    LLVMPositionBuilderAtEnd(b->ir, rest);
}

void jit_if_begin(struct jit_builder *b, struct jit_if *s, LLVMValueRef condition)
{
    s->then = new_block(b, "then");
    s->merge = new_block(b, "merge");
    LLVMBuildCondBr(b->ir, condition, s->then, s->merge);
    LLVMPositionBuilderAtEnd(b->ir, s->then);
}

void jit_if_end(struct jit_builder *b, struct jit_if *s)
{
    LLVMBuildBr(b->ir, s->merge);
    LLVMPositionBuilderAtEnd(b->ir, s->merge);
}

void jit_likely(struct jit_builder *b, LLVMValueRef branch)
{
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(b->context, "branch_weights", 14),
                                  LLVMValueAsMetadata(jit_i32(b, 2000)), LLVMValueAsMetadata(jit_i32(b, 1))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(b->context, weights, 3);

    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(b->context, "prof", 4),
                    LLVMMetadataAsValue(b->context, node));
}
