/* Batches of 16 vertices as one function: attributes from guest memory, the program, varyings to guest
 * memory. It does what vertex_fetch.c and the interpreter do, bit for bit; addresses and strides are the
 * draw's. */
#include <string.h>

#include "gpu/utgard/vertex_internal.h"
#include "jit/math.h"
#include "util/bits.h"

#define ONE 0x3f800000u

struct emit {
    struct jit_builder *b;
    const struct utgard_vertex_variant *variant;
    LLVMValueRef args, stage, first, last;            /* parameters; last: the last lane of its own */
    LLVMValueRef offset[2][UTGARD_GP_ATTRIBUTES][16]; /* of lanes in attribute and varying arrays: i64 */
    LLVMValueRef attribute[UTGARD_GP_ATTRIBUTES][4];
    LLVMValueRef varying[UTGARD_GP_VARYINGS][4]; /* slots */
};

static LLVMValueRef splat(struct emit *e, uint32_t v)
{
    return jit_splat_u32(e->b, v);
}

/* ---- addresses ---- */

static LLVMValueRef array_field(struct emit *e, LLVMTypeRef type, bool varying, uint32_t n, size_t field)
{
    size_t array = varying ? offsetof(struct utgard_vertex_stage, varying)
                           : offsetof(struct utgard_vertex_stage, attribute);
    size_t at = array + n * sizeof(struct utgard_array) + field;
    return jit_load(e->b, type, jit_offset_const(e->b, e->stage, at), 8, true);
}

/* Offsets of the lanes' elements from the batch's first; lanes beyond the last are that one once more. */
static void array_offsets(struct emit *e, bool varying, uint32_t n)
{
    struct jit_builder *b = e->b;
    LLVMValueRef stride = array_field(e, b->i64, varying, n, offsetof(struct utgard_array, stride));
    for (uint32_t l = 0; l < 16; l++) {
        LLVMValueRef lane = jit_i32(b, l), within = LLVMBuildICmp(b->ir, LLVMIntULT, lane, e->last, "");
        lane = LLVMBuildZExt(b->ir, LLVMBuildSelect(b->ir, within, lane, e->last, ""), b->i64, "");
        e->offset[varying][n][l] = LLVMBuildMul(b->ir, lane, stride, "");
    }
}

static void elements(struct emit *e, bool varying, uint32_t n, LLVMValueRef vertex, LLVMValueRef at[16])
{
    struct jit_builder *b = e->b;
    LLVMValueRef base = array_field(e, b->ptr, varying, n, offsetof(struct utgard_array, base));
    LLVMValueRef stride = array_field(e, b->i64, varying, n, offsetof(struct utgard_array, stride));
    LLVMValueRef first = jit_offset(b, base, LLVMBuildMul(b->ir, vertex, stride, ""));
    for (uint32_t l = 0; l < 16; l++)
        at[l] = jit_offset(b, first, e->offset[varying][n][l]);
}

/* ---- attributes ---- */

/* One to three bytes of each element, in words. */
static LLVMValueRef load_rest(struct emit *e, const LLVMValueRef at[16], uint32_t offset, uint32_t bytes)
{
    struct jit_builder *b = e->b;
    LLVMValueRef out = LLVMGetPoison(b->i32x16);
    for (uint32_t l = 0; l < 16; l++) {
        LLVMValueRef from = jit_offset_const(b, at[l], offset);
        LLVMValueRef v = jit_load(b, bytes == 1 ? b->i8 : b->i16, from, 1, false);
        v = LLVMBuildZExt(b->ir, v, b->i32, "");
        if (bytes == 3) {
            LLVMValueRef third = jit_load(b, b->i8, jit_offset_const(b, from, 2), 1, false);
            third = LLVMBuildShl(b->ir, LLVMBuildZExt(b->ir, third, b->i32, ""), jit_i32(b, 16), "");
            v = LLVMBuildOr(b->ir, v, third, "");
        }
        out = LLVMBuildInsertElement(b->ir, out, v, jit_i32(b, l), "");
    }
    return out;
}

/* Component c of elements whose components have `size` bytes, as an integer of 32 bits. */
static LLVMValueRef component(struct emit *e, const LLVMValueRef words[4], uint32_t size, uint32_t c,
                              bool sign)
{
    LLVMBuilderRef ir = e->b->ir;
    uint32_t shift = c * size % 4 * 8, up = 32 - size * 8 - shift;
    LLVMValueRef v = LLVMBuildShl(ir, words[c * size / 4], splat(e, up), "");
    return sign ? LLVMBuildAShr(ir, v, splat(e, up + shift), "")
                : LLVMBuildLShr(ir, v, splat(e, up + shift), "");
}

static LLVMValueRef flush(struct emit *e, LLVMValueRef v)
{
    LLVMBuilderRef ir = e->b->ir;
    LLVMValueRef exponent = LLVMBuildAnd(ir, v, splat(e, 0x7f800000), "");
    LLVMValueRef tiny = LLVMBuildICmp(ir, LLVMIntEQ, exponent, splat(e, 0), "");
    return jit_select(e->b, tiny, LLVMBuildAnd(ir, v, splat(e, 0x80000000), ""), v);
}

static LLVMValueRef times(struct emit *e, LLVMValueRef v, float factor)
{
    return LLVMBuildFMul(e->b->ir, v, jit_splat_f32(e->b, factor), "");
}

/* Divided by the greatest number; signed: at least -1. */
static LLVMValueRef normal(struct emit *e, LLVMValueRef v, float greatest, bool sign)
{
    struct jit_builder *b = e->b;
    LLVMValueRef least = jit_splat_f32(b, -1);
    v = LLVMBuildFDiv(b->ir, v, jit_splat_f32(b, greatest), "");
    return sign ? jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, v, least, ""), least, v) : v;
}

/* A component as the program sees it. */
static LLVMValueRef convert(struct emit *e, uint32_t type, LLVMValueRef v, bool sign)
{
    struct jit_builder *b = e->b;
    if (type == UTGARD_TYPE_F32)
        return flush(e, v);
    if (type == UTGARD_TYPE_F16)
        return jit_as_i32(b, jit_half_to_single(b, v));
    v = sign ? jit_i32_to_f32(b, v) : LLVMBuildUIToFP(b->ir, v, b->f32x16, "");
    switch (type) {
    case UTGARD_TYPE_I8N: v = normal(e, v, 127, true); break;
    case UTGARD_TYPE_U8N: v = normal(e, v, 255, false); break;
    case UTGARD_TYPE_I16N: v = normal(e, v, 32767, true); break;
    case UTGARD_TYPE_U16N: v = normal(e, v, 65535, false); break;
    case UTGARD_TYPE_I32N: v = normal(e, v, 0x1p31f, true); break;
    case UTGARD_TYPE_U32N: v = times(e, v, 0x1p-32f); break;
    case UTGARD_TYPE_FIXED: v = times(e, v, 0x1p-16f); break;
    default: break;
    }
    return jit_as_i32(b, v);
}

static bool is_signed(uint32_t type)
{
    return type == UTGARD_TYPE_I32 || type == UTGARD_TYPE_I16 || type == UTGARD_TYPE_I8 ||
           type == UTGARD_TYPE_I8N || type == UTGARD_TYPE_I16N || type == UTGARD_TYPE_I32N ||
           type == UTGARD_TYPE_FIXED;
}

static void fetch(struct emit *e, uint32_t n, LLVMValueRef vertex)
{
    struct utgard_array a = utgard_array_of(e->variant->layout.attribute[n]);
    LLVMValueRef at[16], words[4] = {0};
    utgard_attribute_bytes(&a, &a.bytes);
    elements(e, false, n, vertex, at);
    if (a.bytes >= 4)
        jit_load_records(e->b, at, a.bytes / 4, words);
    if (a.bytes % 4)
        words[a.bytes / 4] = load_rest(e, at, a.bytes & ~3u, a.bytes % 4);
    for (uint32_t c = 0; c < 4; c++) {
        bool sign = is_signed(a.type);
        e->attribute[n][c] = splat(e, c == 3 ? ONE : 0);
        if (c < a.components)
            e->attribute[n][c] =
                convert(e, a.type, component(e, words, a.bytes / a.components, c, sign), sign);
    }
}

/* ---- varyings ---- */

/* Halves 0 and 1, or 2 and 3, as a word; what a varying does not have is 0. */
static LLVMValueRef pair(struct emit *e, const LLVMValueRef half[4], uint32_t first, uint32_t components)
{
    LLVMBuilderRef ir = e->b->ir;
    if (first + 1 >= components)
        return half[first];
    return LLVMBuildOr(ir, half[first], LLVMBuildShl(ir, half[first + 1], splat(e, 16), ""), "");
}

/* An odd number of halves: whole words, and the last half, lane after lane. */
static void store_odd(struct emit *e, const LLVMValueRef at[16], const LLVMValueRef word[2],
                      uint32_t components)
{
    struct jit_builder *b = e->b;
    for (uint32_t l = 0; l < 16; l++) {
        LLVMValueRef lane = jit_i32(b, l), to = at[l];
        if (components == 3) {
            jit_store(b, LLVMBuildExtractElement(b->ir, word[0], lane, ""), to, 1);
            to = jit_offset_const(b, to, 4);
        }
        LLVMValueRef half = LLVMBuildExtractElement(b->ir, word[components / 2], lane, "");
        jit_store(b, LLVMBuildTrunc(b->ir, half, b->i16, ""), to, 1);
    }
}

static void store(struct emit *e, uint32_t n, LLVMValueRef vertex)
{
    struct jit_builder *b = e->b;
    struct utgard_array a = utgard_array_of(e->variant->layout.varying[n]);
    bool halves = a.type == UTGARD_TYPE_F16;
    LLVMValueRef at[16], value[4], word[2];
    utgard_varying_bytes(&a, &a.bytes);
    elements(e, true, n, vertex, at);
    uint32_t count = a.bytes / (halves ? 2 : 4);
    for (uint32_t c = 0; c < count; c++) {
        value[c] = jit_load(b, b->i32x16, e->varying[n][c], 64, false);
        if (halves)
            value[c] = jit_single_to_half(b, jit_as_f32(b, value[c]));
    }
    if (!halves) {
        jit_store_records(b, at, count, value);
        return;
    }
    for (uint32_t first = 0; first < count; first += 2)
        word[first / 2] = pair(e, value, first, count);
    if (count % 2)
        store_odd(e, at, word, count);
    else
        jit_store_records(b, at, count / 2, word);
}

/* ---- the program's ports ---- */

static void ir_attribute(void *ctx, struct jit_builder *b, uint32_t index, LLVMValueRef out[4])
{
    const struct emit *e = ctx;
    (void)b;
    memcpy(out, e->attribute[index], sizeof e->attribute[index]);
}

static LLVMValueRef uniforms(const struct emit *e)
{
    size_t at = offsetof(struct utgard_vertex_stage, uniforms);
    return jit_load(e->b, e->b->ptr, jit_offset_const(e->b, e->stage, at), 8, true);
}

static LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, uint32_t index, uint32_t c)
{
    return jit_load(b, b->i32, jit_offset_const(b, uniforms(ctx), index * 16ull + c * 4), 4, true);
}

static LLVMValueRef ir_indexed(void *ctx, struct jit_builder *b, LLVMValueRef index, uint32_t c,
                               LLVMValueRef mask)
{
    LLVMValueRef offset = LLVMBuildShl(b->ir, index, jit_splat_u32(b, 4), "");
    return jit_gather_u32(b, jit_offset_const(b, uniforms(ctx), c * 4), offset, mask);
}

static void ir_varying(void *ctx, struct jit_builder *b, uint32_t index, uint32_t c, LLVMValueRef value,
                       LLVMValueRef mask)
{
    const struct emit *e = ctx;
    LLVMValueRef slot = e->varying[index][c];
    if (!slot)
        return; /* the table does not have it */
    if (mask)
        value = jit_select(b, mask, value, jit_load(b, b->i32x16, slot, 64, false));
    jit_store(b, value, slot, 64);
}

/* ---- the function ---- */

static LLVMValueRef field(struct emit *e, LLVMTypeRef type, size_t offset)
{
    return jit_load(e->b, type, jit_offset_const(e->b, e->args, offset), 4, true);
}

/* Row of a component in a table of the arguments. */
static LLVMValueRef row(struct emit *e, size_t table, uint32_t n, uint32_t c)
{
    return jit_offset_const(e->b, field(e, e->b->ptr, table), (n * 4ull + c) * 64);
}

/* What holds for all batches: offsets, and slots for what the program leaves. */
static void begin(struct emit *e)
{
    const struct utgard_vertex_layout *layout = &e->variant->layout;
    struct jit_builder *b = e->b;
    for (uint32_t n = 0; n < UTGARD_GP_ATTRIBUTES; n++)
        if (layout->attribute[n] && !b->quick)
            array_offsets(e, false, n);
    for (uint32_t n = 0; n < UTGARD_GP_VARYINGS; n++) {
        if (!layout->varying[n])
            continue;
        if (!b->quick)
            array_offsets(e, true, n);
        for (unsigned c = 0; c < 4; c++)
            e->varying[n][c] = b->quick ? row(e, offsetof(struct utgard_vertex_args, out), n, c)
                                        : jit_alloca(b, b->i32x16, "varying");
    }
}

/* Quick code leaves arrays to vertex_fetch.c: a call is compiled sooner than what it does. */
static void call(struct emit *e, size_t function, size_t table, LLVMValueRef vertex)
{
    struct jit_builder *b = e->b;
    LLVMTypeRef params[4] = {b->ptr, b->i32, b->i32, b->ptr};
    LLVMValueRef args[4] = {e->stage, LLVMBuildTrunc(b->ir, vertex, b->i32, ""),
                            LLVMBuildAdd(b->ir, e->last, jit_i32(b, 1), ""), field(e, b->ptr, table)};
    LLVMBuildCall2(b->ir, LLVMFunctionType(b->void_, params, 4, false), field(e, b->ptr, function), args, 4,
                   "");
}

static void fetch_all(struct emit *e, LLVMValueRef vertex)
{
    struct jit_builder *b = e->b;
    size_t in = offsetof(struct utgard_vertex_args, in);
    if (b->quick)
        call(e, offsetof(struct utgard_vertex_args, fetch), in, vertex);
    for (uint32_t n = 0; n < UTGARD_GP_ATTRIBUTES; n++) {
        if (!e->variant->layout.attribute[n])
            continue;
        if (!b->quick)
            fetch(e, n, vertex);
        for (unsigned c = 0; b->quick && c < 4; c++)
            e->attribute[n][c] = jit_load(b, b->i32x16, row(e, in, n, c), 64, false);
    }
}

static void store_all(struct emit *e, LLVMValueRef vertex)
{
    if (e->b->quick) {
        call(e, offsetof(struct utgard_vertex_args, store), offsetof(struct utgard_vertex_args, out), vertex);
        return;
    }
    for (uint32_t n = 0; n < UTGARD_GP_VARYINGS; n++)
        if (e->variant->layout.varying[n])
            store(e, n, vertex);
}

/* Lanes that fault end the function: none of the batch's results are stored. */
static void end_on_fault(struct emit *e, LLVMValueRef fault, LLVMValueRef batch)
{
    struct jit_builder *b = e->b;
    LLVMBasicBlockRef stop = LLVMAppendBasicBlockInContext(b->context, b->function, "fault");
    LLVMBasicBlockRef well = LLVMAppendBasicBlockInContext(b->context, b->function, "well");
    LLVMValueRef any = jit_mask_any(b, LLVMBuildICmp(b->ir, LLVMIntNE, fault, splat(e, 0), ""));
    LLVMBuildCondBr(b->ir, any, stop, well);
    LLVMPositionBuilderAtEnd(b->ir, stop);
    jit_store(b, fault, jit_offset_const(b, e->args, offsetof(struct utgard_vertex_args, fault)), 4);
    LLVMBuildRet(b->ir, batch);
    LLVMPositionBuilderAtEnd(b->ir, well);
}

static int emit_batch(struct emit *e, LLVMValueRef batch, LLVMValueRef temporaries)
{
    struct jit_builder *b = e->b;
    const struct utgard_vertex_layout *layout = &e->variant->layout;
    struct utgard_gp_ir_ports ports = {.ctx = e,
                                       .attribute = ir_attribute,
                                       .uniform = ir_uniform,
                                       .indexed = ir_indexed,
                                       .varying = ir_varying,
                                       .temporaries = temporaries};
    LLVMValueRef fault, all = jit_mask_from_bits(b, LLVMConstInt(b->i16, 0xffff, false));
    LLVMValueRef vertex = LLVMBuildAdd(b->ir, e->first, LLVMBuildMul(b->ir, batch, jit_i32(b, 16), ""), "");
    vertex = LLVMBuildZExt(b->ir, vertex, b->i64, "");
    fetch_all(e, vertex);
    for (uint32_t n = 0; n < UTGARD_GP_VARYINGS; n++)
        for (unsigned c = 0; layout->varying[n] && c < 4; c++)
            jit_store(b, splat(e, 0), e->varying[n][c], 64);
    int status =
        utgard_gp_translate(b, e->variant->program, &ports, all,
                            field(e, b->i32, offsetof(struct utgard_vertex_args, fuel)), &fault, NULL);
    if (status)
        return status;
    end_on_fault(e, fault, batch);
    store_all(e, vertex);
    return 0;
}

int utgard_vertex_emit(struct jit_builder *b, void *data)
{
    LLVMTypeRef params[5] = {b->ptr, b->ptr, b->i32, b->i32, b->i32};
    struct emit e = {.b = b, .variant = data};
    struct jit_loop loop;
    LLVMValueRef temporaries = NULL;
    jit_begin_function(b, b->i32, params, 5);
    e.args = jit_param(b, 0);
    e.stage = jit_param(b, 1);
    e.first = jit_param(b, 2);
    e.last = jit_param(b, 4);
    begin(&e);
    if (e.variant->program->stores_temporaries)
        temporaries = field(&e, b->ptr, offsetof(struct utgard_vertex_args, temporaries));
    jit_loop_begin(b, &loop, jit_param(b, 3));
    int status = emit_batch(&e, loop.index, temporaries);
    if (status)
        return status;
    jit_loop_end(b, &loop);
    LLVMBuildRet(b->ir, jit_param(b, 3));
    return 0;
}
