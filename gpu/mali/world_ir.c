/* Ports: attributes and stored varyings, uniform buffers, what a thread is. */
#include "gpu/mali/world_ir_internal.h"

#include <stddef.h>

#include "gpu/array_ir.h"
#include "util/bits.h"

/* ---- places ---- */

LLVMValueRef mali_ir_place(const struct mali_world_ir *e, struct jit_builder *b, LLVMTypeRef type,
                           size_t offset)
{
    return jit_load_at_entry(b, type, e->code, offset, 4);
}

LLVMValueRef mali_ir_of_threads(const struct mali_world_ir *e, struct jit_builder *b, LLVMTypeRef type,
                                size_t offset)
{
    return jit_load(b, type, jit_offset_const(b, e->threads, offset), 4, false);
}

LLVMValueRef mali_ir_lane(struct jit_builder *b, LLVMValueRef v, unsigned lane)
{
    return LLVMBuildExtractElement(b->ir, v, jit_i32(b, lane), "");
}

LLVMValueRef mali_ir_narrow(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMBuildTrunc(b->ir, v, b->i32x16, "");
}

void mali_ir_addresses(struct jit_builder *b, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef there,
                       LLVMValueRef elsewhere, LLVMValueRef at[16])
{
    for (unsigned l = 0; l < 16; l++) {
        LLVMValueRef here = jit_offset(b, base, mali_ir_lane(b, offset, l));
        at[l] = LLVMBuildSelect(b->ir, mali_ir_lane(b, there, l), here, elsewhere, "");
    }
}

void mali_ir_row(struct jit_builder *b, LLVMValueRef first, LLVMValueRef stride, LLVMValueRef at[16])
{
    for (unsigned l = 0; l < 16; l++)
        at[l] = jit_offset(b, first, LLVMBuildMul(b->ir, stride, jit_i64(b, l), ""));
}

LLVMValueRef mali_ir_guest_base(const struct mali_world_ir *e, struct jit_builder *b, size_t array)
{
    LLVMValueRef base = mali_ir_place(e, b, b->ptr, array + offsetof(struct mali_code_array, base));
    LLVMValueRef window = mali_ir_place(e, b, b->ptr, offsetof(struct mali_code, window));
    base = LLVMBuildPtrToInt(b->ir, base, b->i64, "");
    return LLVMBuildSub(b->ir, base, LLVMBuildPtrToInt(b->ir, window, b->i64, ""), "");
}

LLVMValueRef mali_ir_zeros(const struct mali_world_ir *e, struct jit_builder *b)
{
    return jit_offset_const(b, e->code, offsetof(struct mali_code, zeros));
}

LLVMValueRef mali_ir_scratch(struct mali_world_ir *e, struct jit_builder *b)
{
    if (!e->scratch)
        e->scratch = jit_alloca(b, b->i32x16, "nowhere");
    return e->scratch;
}

/* Sixteen words by fours, as the host has just stored them: the processor hands those over without waiting. LLVM would
 * make one load of them, were they not volatile. */
LLVMValueRef mali_ir_lanes_of_threads(const struct mali_world_ir *e, struct jit_builder *b, size_t offset)
{
    LLVMTypeRef type = LLVMVectorType(b->i32, 4);
    LLVMValueRef four[4], eight[2], order[16];
    for (unsigned n = 0; n < 16; n++)
        order[n] = jit_i32(b, n);
    for (unsigned n = 0; n < 4; n++) {
        four[n] = mali_ir_of_threads(e, b, type, offset + 16 * n);
        LLVMSetVolatile(four[n], true);
    }
    for (unsigned n = 0; n < 2; n++)
        eight[n] = LLVMBuildShuffleVector(b->ir, four[2 * n], four[2 * n + 1], LLVMConstVector(order, 8), "");
    return LLVMBuildShuffleVector(b->ir, eight[0], eight[1], LLVMConstVector(order, 16), "");
}

/* ---- ways ---- */

void mali_ir_way(struct jit_builder *b, struct mali_ir_ways *w, LLVMValueRef condition)
{
    LLVMBasicBlockRef way = LLVMAppendBasicBlockInContext(b->context, b->function, "way");
    w->other = LLVMAppendBasicBlockInContext(b->context, b->function, "other");
    if (!w->count)
        w->join = LLVMAppendBasicBlockInContext(b->context, b->function, "done");
    jit_likely(b, LLVMBuildCondBr(b->ir, condition, way, w->other));
    LLVMPositionBuilderAtEnd(b->ir, way);
}

void mali_ir_way_end(struct jit_builder *b, struct mali_ir_ways *w)
{
    w->from[w->count++] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, w->join);
    LLVMPositionBuilderAtEnd(b->ir, w->other);
}

void mali_ir_last_way_end(struct jit_builder *b, struct mali_ir_ways *w)
{
    w->from[w->count++] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, w->join);
    LLVMPositionBuilderAtEnd(b->ir, w->join);
}

LLVMValueRef mali_ir_either(struct jit_builder *b, const struct mali_ir_ways *w, const LLVMValueRef *values)
{
    LLVMValueRef phi = LLVMBuildPhi(b->ir, LLVMTypeOf(values[0]), ""), of[MALI_WAYS];
    LLVMBasicBlockRef from[MALI_WAYS];
    for (unsigned n = 0; n < w->count; n++) {
        of[n] = values[n];
        from[n] = w->from[n];
    }
    LLVMAddIncoming(phi, of, from, w->count);
    return phi;
}

/* ---- attributes, stored varyings ---- */

/* What the element is found by; NULL: there is none. */
static LLVMValueRef number_of(const struct mali_world_ir *e, struct jit_builder *b,
                              const struct isa_ir_attribute *a, const struct mali_ir_element *x)
{
    if (x->form->reach == MALI_REACH_NOTHING)
        return NULL;
    return a->vertex ? a->vertex : mali_ir_of_threads(e, b, b->i32x16, offsetof(struct mali_threads, number));
}

static LLVMValueRef attribute(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                              LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    struct mali_ir_element x;
    if (!mali_ir_element_find(e, a->secondary, &a->index, &x))
        return midgard_ir_call_ports.attribute(e, b, a, mask, out, address);
    mali_ir_element_at(e, b, number_of(e, b, a, &x), &x);
    mali_ir_element_load(e, b, &x, a->type, a->any_type, out);
    return NULL;
}

static LLVMValueRef store_varying(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                  LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    struct mali_ir_element x;
    LLVMValueRef word[4];
    if (!mali_ir_element_find(e, a->secondary, &a->index, &x) || x.form->reach == MALI_REACH_NUMBER)
        return midgard_ir_call_ports.store_varying(e, b, a, mask, value, address);
    if (x.form->reach == MALI_REACH_NOTHING)
        return NULL;
    mali_ir_element_at(e, b, number_of(e, b, a, &x), &x);
    mali_ir_convert_back(b, x.form, a->type, a->any_type, value, word);
    mali_ir_element_store(e, b, &x, mask, word);
    return NULL;
}

/* ---- uniform buffers ---- */

/* At a known offset all lanes have the same: words at the scalar's place, or zeros beyond the buffer. */
static void uniform_scalar(const struct mali_world_ir *e, struct jit_builder *b, LLVMValueRef base,
                           LLVMValueRef bytes, const struct isa_ir_uniform *u, LLVMValueRef out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        uint64_t at = (uint64_t)u->offset.known + c * 4;
        LLVMValueRef there = LLVMBuildICmp(b->ir, LLVMIntUGE, bytes, jit_i64(b, at + 4), "");
        LLVMValueRef from =
            LLVMBuildSelect(b->ir, there, jit_offset_const(b, base, at), mali_ir_zeros(e, b), "");
        out[c] = c * 4 < u->bytes ? jit_load(b, b->i32, from, 4, false) : jit_i32(b, 0);
    }
}

static void uniform_lanes(struct jit_builder *b, LLVMValueRef base, LLVMValueRef bytes,
                          const struct isa_ir_uniform *u, LLVMValueRef mask, LLVMValueRef out[4])
{
    LLVMValueRef at = LLVMBuildZExt(b->ir, u->offset.lanes, b->i64x16, "");
    for (unsigned c = 0; c < 4; c++) {
        LLVMValueRef end = LLVMBuildAdd(b->ir, at, jit_splat(b, jit_i64(b, c * 4 + 4)), "");
        LLVMValueRef there = LLVMBuildICmp(b->ir, LLVMIntULE, end, jit_splat(b, bytes), "");
        there = LLVMBuildAnd(b->ir, there, mask, "");
        out[c] = c * 4 < u->bytes
                     ? jit_gather_u32(b, jit_offset_const(b, base, c * 4), u->offset.lanes, there)
                     : jit_splat_u32(b, 0);
    }
}

LLVMValueRef mali_ir_uniform(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                             LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    bool known = !u->buffer.lanes && u->buffer.known < MALI_CODE_BUFFERS;
    if (!known || !(e->forms->buffers >> u->buffer.known & 1) || u->bytes % 4)
        return e->call.uniform(e, b, u, mask, out, address);
    size_t at = offsetof(struct mali_code, buffer) + u->buffer.known * sizeof(struct mali_code_buffer);
    LLVMValueRef base = mali_ir_place(e, b, b->ptr, at + offsetof(struct mali_code_buffer, base));
    LLVMValueRef bytes = mali_ir_place(e, b, b->i64, at + offsetof(struct mali_code_buffer, bytes));
    if (u->offset.lanes)
        uniform_lanes(b, base, bytes, u, mask, out);
    else
        uniform_scalar(e, b, base, bytes, u, out);
    return NULL;
}

/* ---- threads ---- */

static void argument(void *ctx, struct jit_builder *b, enum midgard_argument which, LLVMValueRef out[4])
{
    struct mali_world_ir *e = ctx;
    size_t at = which == MIDGARD_A_LOCAL_ID    ? offsetof(struct mali_threads, local)
                : which == MIDGARD_A_GROUP_ID  ? offsetof(struct mali_threads, group)
                : which == MIDGARD_A_GLOBAL_ID ? offsetof(struct mali_threads, global)
                                               : 0;
    if (!at) { /* MIDGARD_A_STORAGE */
        for (unsigned c = 0; c < 4; c++)
            out[c] = jit_splat(
                b, mali_ir_place(e, b, b->i32, offsetof(struct mali_code, storage) + c * sizeof(uint32_t)));
        return;
    }
    for (unsigned c = 0; c < 3; c++)
        out[c] = mali_ir_lanes_of_threads(e, b, at + c * ISA_LANES * sizeof(uint32_t));
    out[3] = jit_splat_u32(b, 0);
}

static LLVMValueRef uniform_register(void *ctx, struct jit_builder *b, uint32_t n, unsigned c)
{
    const struct mali_world_ir *e = ctx;
    return mali_ir_place(e, b, b->i32,
                         offsetof(struct mali_code, uniform) + (n * 4ull + c) * sizeof(uint32_t));
}

void mali_world_ir_ports(struct mali_world_ir *e, struct midgard_ir_ports *out)
{
    *out = midgard_ir_call_ports;
    out->ctx = e;
    out->numeric = (enum isa_numeric)e->forms->numeric;
    e->call.load = out->load;
    e->call.store = out->store;
    e->call.uniform = out->uniform;
    e->call.texture = out->texture;
    out->attribute = attribute;
    out->store_varying = store_varying;
    out->uniform = mali_ir_uniform;
    out->load = mali_ir_load;
    out->store = mali_ir_store;
    out->image = mali_ir_image;
    out->store_image = mali_ir_store_image;
    out->image_address = mali_ir_image_address;
    out->argument = argument;
    out->uniform_register = uniform_register;
    out->texture = mali_ir_texture;
    out->cube = mali_ir_cube;
}
