/* From a request to a compile: the module is built and checked. */
#include <errno.h>
#include <llvm-c/Analysis.h>

#include "jit/builder.h"
#include "jit/engine_internal.h"

static void builder_types(struct jit_builder *b)
{
    LLVMContextRef c = b->context;

    b->void_ = LLVMVoidTypeInContext(c);
    b->i1 = LLVMInt1TypeInContext(c);
    b->i8 = LLVMInt8TypeInContext(c);
    b->i16 = LLVMInt16TypeInContext(c);
    b->i32 = LLVMInt32TypeInContext(c);
    b->i64 = LLVMInt64TypeInContext(c);
    b->f32 = LLVMFloatTypeInContext(c);
    b->f64 = LLVMDoubleTypeInContext(c);
    b->ptr = LLVMPointerTypeInContext(c, 0);
    b->i1x16 = LLVMVectorType(b->i1, JIT_LANES);
    b->i8x16 = LLVMVectorType(b->i8, JIT_LANES);
    b->i16x16 = LLVMVectorType(b->i16, JIT_LANES);
    b->i32x16 = LLVMVectorType(b->i32, JIT_LANES);
    b->i64x16 = LLVMVectorType(b->i64, JIT_LANES);
    b->f32x16 = LLVMVectorType(b->f32, JIT_LANES);
    b->ptrx16 = LLVMVectorType(b->ptr, JIT_LANES);
}

static uint64_t count_insns(LLVMModuleRef module)
{
    uint64_t count = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                count++;
    return count;
}

static int check_module(const struct jit_engine *engine, const struct jit_builder *b, const char *name,
                        struct util_error *error)
{
    uint64_t count = count_insns(b->module);
    char *text = NULL;
    int result = 0;

    if (count > engine->max_insns)
        return util_fail(error, -E2BIG, "%s: %llu LLVM instructions, the cap is %u", name,
                         (unsigned long long)count, engine->max_insns);
    if (!LLVMGetNamedFunction(b->module, b->symbol))
        return util_fail(error, -EINVAL, "%s: no function was made", name);
    if (LLVMVerifyModule(b->module, LLVMReturnStatusAction, &text))
        result = util_fail(error, -EINVAL, "%s does not verify: %s", name, text);
    LLVMDisposeMessage(text);
    return result;
}

int jit_module_start(struct jit_engine *engine, const struct jit_entry *entry, jit_emit_fn emit, void *data,
                     const char *symbol, bool quick, struct jit_job **job, struct util_error *error)
{
    const char *name = entry->name ? entry->name : symbol;
    struct jit_builder b = {.context = LLVMContextCreate(),
                            .symbol = symbol,
                            .level = engine->level,
                            .gathers = engine->gathers,
                            .quick = quick};

    b.module = LLVMModuleCreateWithNameInContext(name, b.context);
    b.ir = LLVMCreateBuilderInContext(b.context);
    builder_types(&b);
    int result = emit ? emit(&b, data) : entry->emit_key(&b, entry->key.data, entry->key.size);
    if (result > 0)
        result = -EINVAL;
    if (!result)
        result = check_module(engine, &b, name, error);
    LLVMDisposeBuilder(b.ir);
    if (!result)
        return jit_job_start(engine->machines[!quick], b.context, b.module, job, error);
    LLVMDisposeModule(b.module);
    LLVMContextDispose(b.context);
    return result;
}
