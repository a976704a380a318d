#include "isa/trans_call.h"

#include <stddef.h>

#include "util/bits.h"

#define LANE_BYTES (ISA_LANES * sizeof(uint32_t))

/* ---- slots ---- */

LLVMValueRef isa_call_slot(struct jit_builder *b, LLVMValueRef *slot, size_t bytes)
{
    if (!*slot)
        *slot = jit_alloca(b, LLVMArrayType2(b->i32x16, util_div_up(bytes, LANE_BYTES)), "port");
    return *slot;
}

LLVMValueRef isa_call_clear(struct jit_builder *b, LLVMValueRef slot, size_t bytes)
{
    LLVMBuildMemSet(b->ir, slot, LLVMConstNull(b->i8), jit_i64(b, bytes), LANE_BYTES);
    return slot;
}

void isa_call_clear_block(struct isa_ir_calls *c, struct jit_builder *b, unsigned k, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        isa_call_put_lanes(b, isa_call_lanes(c, b, k), n * LANE_BYTES, NULL);
}

/* Block k of eight words of all lanes. */
LLVMValueRef isa_call_lanes(struct isa_ir_calls *c, struct jit_builder *b, unsigned k)
{
    return isa_call_slot(b, &c->lanes[k], 8 * LANE_BYTES);
}

void isa_call_put_byte(struct jit_builder *b, LLVMValueRef at, size_t offset, unsigned value)
{
    jit_store(b, LLVMConstInt(b->i8, value, false), jit_offset_const(b, at, offset), 1);
}

static LLVMValueRef all_lanes(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind ? v : jit_splat(b, v);
}

/* `value` NULL: zeros. */
void isa_call_put_lanes(struct jit_builder *b, LLVMValueRef at, size_t offset, LLVMValueRef value)
{
    value = value ? all_lanes(b, value) : jit_splat_u32(b, 0);
    jit_store(b, value, jit_offset_const(b, at, offset), 4);
}

void isa_call_put_number(struct jit_builder *b, LLVMValueRef at, size_t offset, struct isa_ir_number n)
{
    isa_call_put_lanes(b, at, offset, n.lanes ? n.lanes : jit_splat_u32(b, n.known));
}

LLVMValueRef isa_call_put_block(struct isa_ir_calls *c, struct jit_builder *b, unsigned k,
                                const LLVMValueRef *value, unsigned count)
{
    LLVMValueRef at = isa_call_lanes(c, b, k);
    for (unsigned n = 0; n < count; n++)
        isa_call_put_lanes(b, at, n * LANE_BYTES, value[n]);
    return at;
}

void isa_call_get_block(struct isa_ir_calls *c, struct jit_builder *b, unsigned k, LLVMValueRef *out,
                        unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        out[n] =
            jit_load(b, b->i32x16, jit_offset_const(b, isa_call_lanes(c, b, k), n * LANE_BYTES), 64, false);
}

/* ---- calls ---- */

static LLVMValueRef port(struct isa_ir_calls *c, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->ptr, jit_offset_const(b, c->ports, offset), 8, true);
}

#define ARGS_MOST 8u

/* Calls a port with its ctx and `args`. `result`: void or i8. */
LLVMValueRef isa_call(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMTypeRef result,
                      const LLVMValueRef *args, unsigned count)
{
    LLVMValueRef values[1 + ARGS_MOST] = {port(c, b, 0)};
    LLVMTypeRef types[1 + ARGS_MOST] = {b->ptr};
    c->used = true;
    for (unsigned n = 0; n < count; n++) {
        values[1 + n] = args[n];
        types[1 + n] = LLVMTypeOf(args[n]);
    }
    return LLVMBuildCall2(b->ir, LLVMFunctionType(result, types, count + 1, false), port(c, b, offset),
                          values, count + 1, "");
}

LLVMValueRef isa_call_lane_bits(struct jit_builder *b, LLVMValueRef mask)
{
    return LLVMBuildZExt(b->ir, jit_mask_to_bits(b, mask), b->i32, "");
}

/* The same of a port that may fault, whose last argument is the place of that. */
LLVMValueRef isa_call_ask(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef *args,
                          unsigned count, LLVMValueRef *address)
{
    LLVMValueRef place = isa_call_slot(b, &c->place, sizeof(struct isa_place));
    isa_call_clear(b, place, sizeof(struct isa_place));
    args[count] = place;
    LLVMValueRef good = isa_call(c, b, offset, b->i8, args, count + 1);
    LLVMValueRef lane =
        jit_load(b, b->i32, jit_offset_const(b, place, offsetof(struct isa_place, lane)), 4, false);
    LLVMValueRef bit = LLVMBuildICmp(b->ir, LLVMIntEQ, jit_lane_ids(b), jit_splat(b, lane), "");
    LLVMValueRef bad = LLVMBuildICmp(b->ir, LLVMIntEQ, good, LLVMConstNull(b->i8), "");
    *address = jit_splat(
        b, jit_load(b, b->i64, jit_offset_const(b, place, offsetof(struct isa_place, address)), 8, false));
    return LLVMBuildSelect(b->ir, bad, bit, LLVMConstNull(b->i1x16), "");
}

/* ---- requests ---- */

void isa_call_put_access(struct jit_builder *b, LLVMValueRef at, const struct isa_ir_access *a)
{
#define AT(field) offsetof(struct isa_access, field)
    _Static_assert(sizeof(enum isa_space) == 4 && sizeof(enum isa_atomic) == 4, "stored as words");
    jit_store(b, jit_i32(b, a->space), jit_offset_const(b, at, AT(space)), 4);
    isa_call_put_byte(b, at, AT(bytes), a->bytes);
    jit_store(b, LLVMConstInt(b->i16, a->enable, false), jit_offset_const(b, at, AT(enable)), 2);
    isa_call_put_byte(b, at, AT(hint), a->hint);
    isa_call_put_byte(b, at, AT(reversed), a->reversed);
    jit_store(b, jit_i32(b, a->op), jit_offset_const(b, at, AT(op)), 4);
    jit_store(b, a->address, jit_offset_const(b, at, AT(address)), 8);
#undef AT
}

void isa_call_put_texture(struct jit_builder *b, LLVMValueRef at, const struct isa_ir_texture *t)
{
#define AT(field) offsetof(struct isa_texture_request, field)
    isa_call_put_byte(b, at, AT(op), t->op);
    isa_call_put_byte(b, at, AT(mode), t->mode);
    isa_call_put_byte(b, at, AT(dimensions), t->dimensions);
    isa_call_put_byte(b, at, AT(sampler_type), t->sampler_type);
    isa_call_put_byte(b, at, AT(derivatives), t->derivatives);
    isa_call_put_byte(b, at, AT(uniform), !t->texture.lanes && !t->sampler.lanes);
    isa_call_put_byte(b, at, AT(has_lod), t->has_lod);
    isa_call_put_byte(b, at, AT(has_offset), t->has_offset);
    isa_call_put_number(b, at, AT(texture), t->texture);
    isa_call_put_number(b, at, AT(sampler), t->sampler);
    isa_call_put_lanes(b, at, AT(lod), t->lod);
    for (unsigned k = 0; k < 4; k++)
        isa_call_put_lanes(b, at, AT(coordinate) + k * LANE_BYTES, t->coordinate[k]);
    for (unsigned k = 0; k < 3; k++)
        isa_call_put_lanes(b, at, AT(offset) + k * LANE_BYTES, t->offset[k]);
    if (t->op != ISA_TEXTURE_LEVEL)
        return;
    isa_call_put_byte(b, at, AT(no_bias), t->no_bias);
    isa_call_put_byte(b, at, AT(no_clamp), t->no_clamp);
    for (unsigned k = 0; k < 6; k++)
        isa_call_put_lanes(b, at, AT(gradient) + k * LANE_BYTES, t->gradient[k / 3][k % 3]);
#undef AT
}

/* ---- ports that sets have alike ---- */

LLVMValueRef isa_call_ask_with(struct isa_ir_calls *c, struct jit_builder *b, size_t offset,
                               LLVMValueRef what, unsigned k, LLVMValueRef mask, LLVMValueRef *address)
{
    LLVMValueRef args[4] = {what, isa_call_lane_bits(b, mask), isa_call_lanes(c, b, k)};
    return isa_call_ask(c, b, offset, args, 3, address);
}

LLVMValueRef isa_call_load(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                           const struct isa_ir_access *a, LLVMValueRef mask, LLVMValueRef out[4],
                           LLVMValueRef *address)
{
    isa_call_put_access(b, what, a);
    LLVMValueRef bad = isa_call_ask_with(c, b, offset, what, 0, mask, address);
    isa_call_get_block(c, b, 0, out, 4);
    return bad;
}

LLVMValueRef isa_call_store(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                            const struct isa_ir_access *a, LLVMValueRef mask, const LLVMValueRef value[4],
                            LLVMValueRef *address)
{
    isa_call_put_access(b, what, a);
    isa_call_put_block(c, b, 0, value, 4);
    return isa_call_ask_with(c, b, offset, what, 0, mask, address);
}

LLVMValueRef isa_call_atomic(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                             const struct isa_ir_access *a, LLVMValueRef mask, const LLVMValueRef value[2],
                             const LLVMValueRef compare[2], LLVMValueRef out[2], LLVMValueRef *address)
{
    isa_call_put_access(b, what, a);
    LLVMValueRef args[6] = {what, isa_call_lane_bits(b, mask), isa_call_put_block(c, b, 1, value, 2),
                            isa_call_put_block(c, b, 2, compare, 2), isa_call_lanes(c, b, 0)};
    LLVMValueRef bad = isa_call_ask(c, b, offset, args, 5, address);
    isa_call_get_block(c, b, 0, out, 2);
    return bad;
}

LLVMValueRef isa_call_uniform(struct isa_ir_calls *c, struct jit_builder *b, size_t offset,
                              const struct isa_ir_uniform *u, LLVMValueRef mask, LLVMValueRef out[4],
                              LLVMValueRef *address)
{
    LLVMValueRef buffer = isa_call_lanes(c, b, 1), place = isa_call_lanes(c, b, 2);
    isa_call_put_number(b, buffer, 0, u->buffer);
    isa_call_put_number(b, place, 0, u->offset);
    LLVMValueRef args[6] = {buffer, place, jit_i32(b, u->bytes), isa_call_lane_bits(b, mask),
                            isa_call_lanes(c, b, 0)};
    LLVMValueRef bad = isa_call_ask(c, b, offset, args, 5, address);
    isa_call_get_block(c, b, 0, out, 4);
    return bad;
}

LLVMValueRef isa_call_texture(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef what,
                              const struct isa_ir_texture *t, LLVMValueRef mask, LLVMValueRef out[4],
                              LLVMValueRef *address)
{
    isa_call_put_texture(b, what, t);
    LLVMValueRef bad = isa_call_ask_with(c, b, offset, what, 0, mask, address);
    isa_call_get_block(c, b, 0, out, 4);
    return bad;
}
