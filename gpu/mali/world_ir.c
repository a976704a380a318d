/* Ports: elements of arrays, uniform buffers, memory, what a thread is. */
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

static LLVMValueRef wide(struct jit_builder *b, LLVMValueRef scalar)
{
    return jit_splat(b, scalar);
}

/* ((number % modulus) + add) * factor >> shift, of 64 bits; its lower word. */
static LLVMValueRef by_formula(const struct mali_world_ir *e, struct jit_builder *b, size_t array,
                               LLVMValueRef number)
{
#define FIELD(name) wide(b, mali_ir_place(e, b, b->i64, array + offsetof(struct mali_code_array, name)))
    LLVMValueRef v = LLVMBuildZExt(b->ir, number, b->i64x16, "");
    v = LLVMBuildURem(b->ir, v, FIELD(modulus), "");
    v = LLVMBuildMul(b->ir, LLVMBuildAdd(b->ir, v, FIELD(add), ""), FIELD(factor), "");
    return mali_ir_narrow(b, LLVMBuildLShr(b->ir, v, FIELD(shift), ""));
#undef FIELD
}

struct elements {
    const struct mali_code_form *form; /* NULL: the port is to be called */
    size_t array;                      /* its place in struct mali_code */
    LLVMValueRef element;              /* i32x16 */
};

static struct elements find(const struct mali_world_ir *e, struct jit_builder *b,
                            const struct isa_ir_attribute *a)
{
    const struct mali_code_form *forms = a->secondary ? e->forms->varying : e->forms->attribute;
    size_t arrays =
        a->secondary ? offsetof(struct mali_code, varying) : offsetof(struct mali_code, attribute);
    struct elements x = {.form = NULL};
    if (a->index.lanes || a->index.known >= MALI_CODE_ARRAYS ||
        forms[a->index.known].reach == MALI_REACH_CALL)
        return x;
    x.form = &forms[a->index.known];
    x.array = arrays + a->index.known * sizeof(struct mali_code_array);
    if (x.form->reach == MALI_REACH_NOTHING)
        return x;
    x.element =
        a->vertex ? a->vertex : mali_ir_of_threads(e, b, b->i32x16, offsetof(struct mali_threads, number));
    if (x.form->reach != MALI_REACH_LINEAR)
        x.element = by_formula(e, b, x.array, x.element);
    return x;
}

/* Lanes whose element is in the buffer, and its offset there. */
static LLVMValueRef inside(const struct mali_world_ir *e, struct jit_builder *b, const struct elements *x,
                           LLVMValueRef *offset)
{
    LLVMValueRef count = mali_ir_place(e, b, b->i32, x->array + offsetof(struct mali_code_array, count));
    LLVMValueRef stride = mali_ir_place(e, b, b->i32, x->array + offsetof(struct mali_code_array, stride));
    *offset = LLVMBuildMul(b->ir, x->element, jit_splat(b, stride), "");
    return LLVMBuildICmp(b->ir, LLVMIntULT, x->element, jit_splat(b, count), "");
}

static LLVMValueRef base_of(const struct mali_world_ir *e, struct jit_builder *b, const struct elements *x)
{
    return mali_ir_place(e, b, b->ptr, x->array + offsetof(struct mali_code_array, base));
}

/* Whether `lanes` are all, and their elements follow each other, as those of vertices mostly do. */
static LLVMValueRef in_a_row(struct jit_builder *b, const struct elements *x, LLVMValueRef lanes)
{
    LLVMValueRef row = LLVMBuildAdd(b->ir, jit_splat(b, mali_ir_lane(b, x->element, 0)), jit_lane_ids(b), "");
    row = LLVMBuildICmp(b->ir, LLVMIntEQ, x->element, row, "");
    return jit_mask_all(b, LLVMBuildAnd(b->ir, row, lanes, ""));
}

static void row_addresses(const struct mali_world_ir *e, struct jit_builder *b, const struct elements *x,
                          LLVMValueRef at[16])
{
    LLVMValueRef stride = mali_ir_place(e, b, b->i32, x->array + offsetof(struct mali_code_array, stride));
    stride = LLVMBuildZExt(b->ir, stride, b->i64, "");
    LLVMValueRef first = LLVMBuildZExt(b->ir, mali_ir_lane(b, x->element, 0), b->i64, "");
    first = jit_offset(b, base_of(e, b, x), LLVMBuildMul(b->ir, first, stride, ""));
    for (unsigned l = 0; l < 16; l++)
        at[l] = jit_offset(b, first, LLVMBuildMul(b->ir, stride, jit_i64(b, l), ""));
}

static void load_elements(const struct mali_world_ir *e, struct jit_builder *b, const struct elements *x,
                          LLVMValueRef word[4])
{
    LLVMValueRef offset, there = inside(e, b, x, &offset), at[16], fast[4], slow[4];
    uint32_t bytes = raster_format_bytes((enum raster_format)x->form->format);
    struct mali_ir_ways w = {.count = 0};
    mali_ir_way(b, &w, in_a_row(b, x, there));
    row_addresses(e, b, x, at);
    gpu_array_ir_load(b, at, bytes, fast);
    mali_ir_way_end(b, &w);
    mali_ir_addresses(b, base_of(e, b, x), offset, there, mali_ir_zeros(e, b), at);
    gpu_array_ir_load(b, at, bytes, slow);
    mali_ir_last_way_end(b, &w);
    for (uint32_t c = 0; c * 4 < bytes; c++)
        word[c] = mali_ir_either(b, &w, (LLVMValueRef[]){fast[c], slow[c]});
}

static void store_elements(struct mali_world_ir *e, struct jit_builder *b, const struct elements *x,
                           LLVMValueRef mask, const LLVMValueRef word[4])
{
    LLVMValueRef offset, there = LLVMBuildAnd(b->ir, inside(e, b, x, &offset), mask, ""), at[16];
    uint32_t bytes = raster_format_bytes((enum raster_format)x->form->format);
    LLVMValueRef nowhere = mali_ir_scratch(e, b);
    struct mali_ir_ways w = {.count = 0};
    mali_ir_way(b, &w, in_a_row(b, x, there));
    row_addresses(e, b, x, at);
    gpu_array_ir_put(b, at, bytes, word);
    mali_ir_way_end(b, &w);
    mali_ir_addresses(b, base_of(e, b, x), offset, there, nowhere, at);
    gpu_array_ir_put(b, at, bytes, word);
    mali_ir_last_way_end(b, &w);
}

static LLVMValueRef attribute(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                              LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    struct elements x = find(e, b, a);
    LLVMValueRef word[4];
    for (unsigned c = 0; c < 4; c++)
        word[c] = jit_splat_u32(b, 0);
    if (!x.form)
        return midgard_ir_call_ports.attribute(e, b, a, mask, out, address);
    if (x.form->reach == MALI_REACH_NUMBER) {
        word[0] = x.element;
    } else if (x.form->reach != MALI_REACH_NOTHING) {
        load_elements(e, b, &x, word);
    }
    mali_ir_convert(b, x.form, a->type, a->any_type, word, out);
    return NULL;
}

static LLVMValueRef store_varying(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                  LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    struct elements x = find(e, b, a);
    LLVMValueRef word[4];
    if (!x.form || x.form->reach == MALI_REACH_NUMBER)
        return midgard_ir_call_ports.store_varying(e, b, a, mask, value, address);
    if (x.form->reach == MALI_REACH_NOTHING)
        return NULL;
    mali_ir_convert_back(b, x.form, a->type, a->any_type, value, word);
    store_elements(e, b, &x, mask, word);
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
