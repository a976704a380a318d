/* The loop over batches, and what stands around the program in it. */
#include "gpu/vertex_ir.h"

#include <stddef.h>

#include "gpu/array_ir.h"

static LLVMValueRef splat(struct gpu_vertex_emit *e, uint32_t v)
{
    return jit_splat_u32(e->b, v);
}

/* ---- addresses ---- */

static LLVMValueRef array_field(struct gpu_vertex_emit *e, LLVMTypeRef type, bool varying, uint32_t n,
                                size_t field)
{
    size_t array =
        varying ? offsetof(struct gpu_vertex_stage, varying) : offsetof(struct gpu_vertex_stage, attribute);
    size_t at = array + n * sizeof(struct gpu_array) + field;
    return jit_load(e->b, type, jit_offset_const(e->b, e->stage, at), 8, true);
}

/* Offsets of the lanes' elements from the batch's first; lanes beyond the last are that one once more. */
static void array_offsets(struct gpu_vertex_emit *e, bool varying, uint32_t n)
{
    struct jit_builder *b = e->b;
    LLVMValueRef stride = array_field(e, b->i64, varying, n, offsetof(struct gpu_array, stride));
    for (uint32_t l = 0; l < 16; l++) {
        LLVMValueRef lane = jit_i32(b, l), within = LLVMBuildICmp(b->ir, LLVMIntULT, lane, e->last, "");
        lane = LLVMBuildZExt(b->ir, LLVMBuildSelect(b->ir, within, lane, e->last, ""), b->i64, "");
        e->offset[varying][n][l] = LLVMBuildMul(b->ir, lane, stride, "");
    }
}

static void elements(struct gpu_vertex_emit *e, bool varying, uint32_t n, LLVMValueRef vertex,
                     LLVMValueRef at[16])
{
    struct jit_builder *b = e->b;
    LLVMValueRef base = array_field(e, b->ptr, varying, n, offsetof(struct gpu_array, base));
    LLVMValueRef stride = array_field(e, b->i64, varying, n, offsetof(struct gpu_array, stride));
    LLVMValueRef first = jit_offset(b, base, LLVMBuildMul(b->ir, vertex, stride, ""));
    for (uint32_t l = 0; l < 16; l++)
        at[l] = jit_offset(b, first, e->offset[varying][n][l]);
}

static void fetch(struct gpu_vertex_emit *e, uint32_t n, LLVMValueRef vertex)
{
    LLVMValueRef at[16];
    elements(e, false, n, vertex, at);
    gpu_array_ir_fetch(e->b, e->layout->attribute[n], at, e->attribute[n]);
}

static void store(struct gpu_vertex_emit *e, uint32_t n, LLVMValueRef vertex)
{
    LLVMValueRef at[16], value[4];
    elements(e, true, n, vertex, at);
    for (unsigned c = 0; c < 4; c++)
        value[c] = jit_load(e->b, e->b->i32x16, e->varying[n][c], 64, false);
    gpu_array_ir_store(e->b, e->layout->varying[n], at, value);
}

/* ---- the function ---- */

static LLVMValueRef field(struct gpu_vertex_emit *e, LLVMTypeRef type, size_t offset)
{
    return jit_load(e->b, type, jit_offset_const(e->b, e->args, offset), 4, true);
}

/* Row of a component in a table of the arguments. */
static LLVMValueRef row(struct gpu_vertex_emit *e, size_t table, uint32_t n, uint32_t c)
{
    return jit_offset_const(e->b, field(e, e->b->ptr, table), (n * 4ull + c) * 64);
}

/* What holds for all batches: offsets, and slots for what the program leaves. */
static void begin(struct gpu_vertex_emit *e)
{
    const struct gpu_vertex_layout *layout = e->layout;
    struct jit_builder *b = e->b;
    for (uint32_t n = 0; n < GPU_ARRAYS; n++)
        if (layout->attribute[n].format && !b->quick)
            array_offsets(e, false, n);
    for (uint32_t n = 0; n < GPU_ARRAYS; n++) {
        if (!layout->varying[n].format)
            continue;
        if (!b->quick)
            array_offsets(e, true, n);
        for (unsigned c = 0; c < 4; c++)
            e->varying[n][c] = b->quick ? row(e, offsetof(struct gpu_vertex_args, out), n, c)
                                        : jit_alloca(b, b->i32x16, "varying");
    }
}

/* Quick code leaves arrays to array.c: a call is compiled sooner than what it does. */
static void call(struct gpu_vertex_emit *e, size_t function, size_t table, LLVMValueRef vertex)
{
    struct jit_builder *b = e->b;
    LLVMTypeRef params[4] = {b->ptr, b->i32, b->i32, b->ptr};
    LLVMValueRef args[4] = {e->stage, LLVMBuildTrunc(b->ir, vertex, b->i32, ""),
                            LLVMBuildAdd(b->ir, e->last, jit_i32(b, 1), ""), field(e, b->ptr, table)};
    LLVMBuildCall2(b->ir, LLVMFunctionType(b->void_, params, 4, false), field(e, b->ptr, function), args, 4,
                   "");
}

static void fetch_all(struct gpu_vertex_emit *e, LLVMValueRef vertex)
{
    struct jit_builder *b = e->b;
    size_t in = offsetof(struct gpu_vertex_args, in);
    if (b->quick)
        call(e, offsetof(struct gpu_vertex_args, fetch), in, vertex);
    for (uint32_t n = 0; n < GPU_ARRAYS; n++) {
        if (!e->layout->attribute[n].format)
            continue;
        if (!b->quick)
            fetch(e, n, vertex);
        for (unsigned c = 0; b->quick && c < 4; c++)
            e->attribute[n][c] = jit_load(b, b->i32x16, row(e, in, n, c), 64, false);
    }
}

static void store_all(struct gpu_vertex_emit *e, LLVMValueRef vertex)
{
    if (e->b->quick) {
        call(e, offsetof(struct gpu_vertex_args, store), offsetof(struct gpu_vertex_args, out), vertex);
        return;
    }
    for (uint32_t n = 0; n < GPU_ARRAYS; n++)
        if (e->layout->varying[n].format)
            store(e, n, vertex);
}

/* Lanes that fault end the function: none of the batch's results are stored. */
static void end_on_fault(struct gpu_vertex_emit *e, LLVMValueRef fault, LLVMValueRef batch)
{
    struct jit_builder *b = e->b;
    LLVMBasicBlockRef stop = LLVMAppendBasicBlockInContext(b->context, b->function, "fault");
    LLVMBasicBlockRef well = LLVMAppendBasicBlockInContext(b->context, b->function, "well");
    LLVMValueRef any = jit_mask_any(b, LLVMBuildICmp(b->ir, LLVMIntNE, fault, splat(e, 0), ""));
    LLVMBuildCondBr(b->ir, any, stop, well);
    LLVMPositionBuilderAtEnd(b->ir, stop);
    jit_store(b, fault, jit_offset_const(b, e->args, offsetof(struct gpu_vertex_args, fault)), 4);
    LLVMBuildRet(b->ir, batch);
    LLVMPositionBuilderAtEnd(b->ir, well);
}

static int emit_batch(struct gpu_vertex_emit *e, LLVMValueRef batch, gpu_vertex_program_fn program, void *ctx)
{
    struct jit_builder *b = e->b;
    LLVMValueRef fault;
    LLVMValueRef vertex = LLVMBuildAdd(b->ir, e->first, LLVMBuildMul(b->ir, batch, jit_i32(b, 16), ""), "");
    vertex = LLVMBuildZExt(b->ir, vertex, b->i64, "");
    fetch_all(e, vertex);
    for (uint32_t n = 0; n < GPU_ARRAYS; n++)
        for (unsigned c = 0; e->layout->varying[n].format && c < 4; c++)
            jit_store(b, splat(e, 0), e->varying[n][c], 64);
    e->fuel = field(e, b->i32, offsetof(struct gpu_vertex_args, fuel));
    int status = program(ctx, e, &fault);
    if (status)
        return status;
    end_on_fault(e, fault, batch);
    store_all(e, vertex);
    return 0;
}

int gpu_vertex_ir(struct jit_builder *b, const struct gpu_vertex_layout *layout,
                  gpu_vertex_program_fn program, void *ctx)
{
    LLVMTypeRef params[5] = {b->ptr, b->ptr, b->i32, b->i32, b->i32};
    struct gpu_vertex_emit e = {.b = b, .layout = layout};
    struct jit_loop loop;
    jit_begin_function(b, b->i32, params, 5);
    e.args = jit_param(b, 0);
    e.stage = jit_param(b, 1);
    e.first = jit_param(b, 2);
    e.last = jit_param(b, 4);
    begin(&e);
    e.own = field(&e, b->ptr, offsetof(struct gpu_vertex_args, own));
    jit_loop_begin(b, &loop, jit_param(b, 3));
    int status = emit_batch(&e, loop.index, program, ctx);
    if (status)
        return status;
    jit_loop_end(b, &loop);
    LLVMBuildRet(b->ir, jit_param(b, 3));
    return 0;
}
