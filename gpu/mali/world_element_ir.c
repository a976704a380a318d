/* Elements of attributes and stored varyings as IR: which one a number means, where it stands, its bytes
 * (world_attribute.c and world_entry.c are the definition). */
#include <stddef.h>

#include "gpu/array_ir.h"
#include "gpu/mali/world_ir_internal.h"

bool mali_ir_element_find(const struct mali_world_ir *e, bool varying, const struct isa_ir_number *index,
                          struct mali_ir_element *x)
{
    const struct mali_code_form *forms = varying ? e->forms->varying : e->forms->attribute;
    const size_t arrays =
        varying ? offsetof(struct mali_code, varying) : offsetof(struct mali_code, attribute);
    if (index->lanes || index->known >= MALI_CODE_ARRAYS || forms[index->known].reach == MALI_REACH_CALL)
        return false;
    *x = (struct mali_ir_element){.form = &forms[index->known],
                                  .array = arrays + index->known * sizeof(struct mali_code_array)};
    return true;
}

#define PLACE(type, field) mali_ir_place(e, b, type, x->array + offsetof(struct mali_code_array, field))

/* ((number % modulus) + add) * factor >> shift, of 64 bits; its lower word. */
static LLVMValueRef by_formula(const struct mali_world_ir *e, struct jit_builder *b,
                               const struct mali_ir_element *x, LLVMValueRef number)
{
    LLVMValueRef v = LLVMBuildZExt(b->ir, number, b->i64x16, "");
    v = LLVMBuildURem(b->ir, v, jit_splat(b, PLACE(b->i64, modulus)), "");
    v = LLVMBuildAdd(b->ir, v, jit_splat(b, PLACE(b->i64, add)), "");
    v = LLVMBuildMul(b->ir, v, jit_splat(b, PLACE(b->i64, factor)), "");
    return mali_ir_narrow(b, LLVMBuildLShr(b->ir, v, jit_splat(b, PLACE(b->i64, shift)), ""));
}

void mali_ir_element_at(const struct mali_world_ir *e, struct jit_builder *b, LLVMValueRef number,
                        struct mali_ir_element *x)
{
    const uint8_t reach = x->form->reach;
    x->number = reach == MALI_REACH_NOTHING  ? NULL
                : reach == MALI_REACH_LINEAR ? number
                                             : by_formula(e, b, x, number);
}

LLVMValueRef mali_ir_element_inside(const struct mali_world_ir *e, struct jit_builder *b,
                                    const struct mali_ir_element *x, LLVMValueRef *offset)
{
    *offset = LLVMBuildMul(b->ir, x->number, jit_splat(b, PLACE(b->i32, stride)), "");
    return LLVMBuildICmp(b->ir, LLVMIntULT, x->number, jit_splat(b, PLACE(b->i32, count)), "");
}

/* ---- their bytes ---- */

/* Whether `lanes` are all, and their elements follow each other, as those of vertices mostly do. */
static LLVMValueRef in_a_row(struct jit_builder *b, const struct mali_ir_element *x, LLVMValueRef lanes)
{
    LLVMValueRef row = LLVMBuildAdd(b->ir, jit_splat(b, mali_ir_lane(b, x->number, 0)), jit_lane_ids(b), "");
    row = LLVMBuildICmp(b->ir, LLVMIntEQ, x->number, row, "");
    return jit_mask_all(b, LLVMBuildAnd(b->ir, row, lanes, ""));
}

static void row_addresses(const struct mali_world_ir *e, struct jit_builder *b,
                          const struct mali_ir_element *x, LLVMValueRef at[16])
{
    LLVMValueRef stride = LLVMBuildZExt(b->ir, PLACE(b->i32, stride), b->i64, "");
    LLVMValueRef first = LLVMBuildZExt(b->ir, mali_ir_lane(b, x->number, 0), b->i64, "");
    first = jit_offset(b, PLACE(b->ptr, base), LLVMBuildMul(b->ir, first, stride, ""));
    mali_ir_row(b, first, stride, at);
}

static uint32_t bytes_of(const struct mali_ir_element *x)
{
    return raster_format_bytes((enum raster_format)x->form->format);
}

static void load_bytes(const struct mali_world_ir *e, struct jit_builder *b, const struct mali_ir_element *x,
                       LLVMValueRef word[4])
{
    LLVMValueRef offset, there = mali_ir_element_inside(e, b, x, &offset), at[16], fast[4], slow[4];
    const uint32_t bytes = bytes_of(x);
    struct mali_ir_ways w = {.count = 0};
    mali_ir_way(b, &w, in_a_row(b, x, there));
    row_addresses(e, b, x, at);
    gpu_array_ir_load(b, at, bytes, fast);
    mali_ir_way_end(b, &w);
    mali_ir_addresses(b, PLACE(b->ptr, base), offset, there, mali_ir_zeros(e, b), at);
    gpu_array_ir_load(b, at, bytes, slow);
    mali_ir_last_way_end(b, &w);
    for (uint32_t c = 0; c * 4 < bytes; c++)
        word[c] = mali_ir_either(b, &w, (LLVMValueRef[]){fast[c], slow[c]});
}

void mali_ir_element_load(const struct mali_world_ir *e, struct jit_builder *b,
                          const struct mali_ir_element *x, enum isa_type type, bool any_type,
                          LLVMValueRef out[4])
{
    LLVMValueRef word[4];
    for (unsigned c = 0; c < 4; c++)
        word[c] = jit_splat_u32(b, 0);
    if (x->form->reach == MALI_REACH_NUMBER)
        word[0] = x->number;
    else if (x->form->reach != MALI_REACH_NOTHING)
        load_bytes(e, b, x, word);
    mali_ir_convert(b, x->form, type, any_type, word, out);
}

void mali_ir_element_store(struct mali_world_ir *e, struct jit_builder *b, const struct mali_ir_element *x,
                           LLVMValueRef mask, const LLVMValueRef word[4])
{
    LLVMValueRef offset, there = mali_ir_element_inside(e, b, x, &offset), at[16];
    LLVMValueRef nowhere = mali_ir_scratch(e, b);
    struct mali_ir_ways w = {.count = 0};
    there = LLVMBuildAnd(b->ir, there, mask, "");
    mali_ir_way(b, &w, in_a_row(b, x, there));
    row_addresses(e, b, x, at);
    gpu_array_ir_put(b, at, bytes_of(x), word);
    mali_ir_way_end(b, &w);
    mali_ir_addresses(b, PLACE(b->ptr, base), offset, there, nowhere, at);
    gpu_array_ir_put(b, at, bytes_of(x), word);
    mali_ir_last_way_end(b, &w);
}
