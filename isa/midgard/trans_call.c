/* A call's arguments stand in slots of the function: what is asked for, two blocks of lanes that go in, one that
 * comes out. */
#include "isa/midgard/trans_call.h"

#include <stddef.h>

#include "util/bits.h"

#define LANE_BYTES (MIDGARD_LANES * sizeof(uint32_t))

/* Whatever a port is asked for. */
union what {
    struct isa_attribute attribute;
    struct isa_access access;
    struct isa_texture_request texture;
    struct midgard_writeout writeout;
};

/* ---- slots ---- */

static LLVMValueRef slot(struct jit_builder *b, LLVMValueRef *slot, size_t bytes)
{
    if (!*slot)
        *slot = jit_alloca_zero(b, LLVMArrayType2(b->i32x16, util_div_up(bytes, LANE_BYTES)), "port");
    return *slot;
}

static LLVMValueRef what(struct midgard_ir_calls *c, struct jit_builder *b)
{
    return slot(b, &c->what, sizeof(union what));
}

/* Block k of four words of all lanes. */
static LLVMValueRef lanes(struct midgard_ir_calls *c, struct jit_builder *b, unsigned k)
{
    return slot(b, &c->lanes[k], 4 * LANE_BYTES);
}

static void put_byte(struct jit_builder *b, LLVMValueRef at, size_t offset, unsigned value)
{
    jit_store(b, LLVMConstInt(b->i8, value, false), jit_offset_const(b, at, offset), 1);
}

static LLVMValueRef all_lanes(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind ? v : jit_splat(b, v);
}

/* `value` NULL: zeros. */
static void put_lanes(struct jit_builder *b, LLVMValueRef at, size_t offset, LLVMValueRef value)
{
    value = value ? all_lanes(b, value) : jit_splat_u32(b, 0);
    jit_store(b, value, jit_offset_const(b, at, offset), 4);
}

static void put_number(struct jit_builder *b, LLVMValueRef at, size_t offset, struct isa_ir_number n)
{
    put_lanes(b, at, offset, n.lanes ? n.lanes : jit_splat_u32(b, n.known));
}

static LLVMValueRef put_block(struct midgard_ir_calls *c, struct jit_builder *b, unsigned k,
                              const LLVMValueRef *value, unsigned count)
{
    LLVMValueRef at = lanes(c, b, k);
    for (unsigned n = 0; n < count; n++)
        put_lanes(b, at, n * LANE_BYTES, value[n]);
    return at;
}

static void get_block(struct midgard_ir_calls *c, struct jit_builder *b, unsigned k, LLVMValueRef *out,
                      unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        out[n] = jit_load(b, b->i32x16, jit_offset_const(b, lanes(c, b, k), n * LANE_BYTES), 64, false);
}

/* ---- calls ---- */

static LLVMValueRef port(struct midgard_ir_calls *c, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->ptr, jit_offset_const(b, c->ports, offset), 8, true);
}

#define PORT(name) offsetof(struct midgard_ports, name)
#define ARGS_MOST  7u

/* Calls a port with its ctx and `args`. `result`: void or i8. */
static LLVMValueRef call(struct midgard_ir_calls *c, struct jit_builder *b, size_t offset, LLVMTypeRef result,
                         const LLVMValueRef *args, unsigned count)
{
    LLVMValueRef values[1 + ARGS_MOST] = {port(c, b, PORT(ctx))};
    LLVMTypeRef types[1 + ARGS_MOST] = {b->ptr};
    c->used = true;
    for (unsigned n = 0; n < count; n++) {
        values[1 + n] = args[n];
        types[1 + n] = LLVMTypeOf(args[n]);
    }
    return LLVMBuildCall2(b->ir, LLVMFunctionType(result, types, count + 1, false), port(c, b, offset),
                          values, count + 1, "");
}

static LLVMValueRef lane_bits(struct jit_builder *b, LLVMValueRef mask)
{
    return LLVMBuildZExt(b->ir, jit_mask_to_bits(b, mask), b->i32, "");
}

/* The same of a port that may fault, whose last argument is the place of that. */
static LLVMValueRef ask(struct midgard_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef *args,
                        unsigned count, LLVMValueRef *address)
{
    LLVMValueRef place = slot(b, &c->place, sizeof(struct isa_place));
    jit_store(b, jit_i64(b, 0), jit_offset_const(b, place, offsetof(struct isa_place, address)), 8);
    args[count] = place;
    LLVMValueRef good = call(c, b, offset, b->i8, args, count + 1);
    LLVMValueRef lane =
        jit_load(b, b->i32, jit_offset_const(b, place, offsetof(struct isa_place, lane)), 4, false);
    LLVMValueRef bit = LLVMBuildICmp(b->ir, LLVMIntEQ, jit_lane_ids(b), jit_splat(b, lane), "");
    LLVMValueRef bad = LLVMBuildICmp(b->ir, LLVMIntEQ, good, LLVMConstNull(b->i8), "");
    *address = jit_splat(
        b, jit_load(b, b->i64, jit_offset_const(b, place, offsetof(struct isa_place, address)), 8, false));
    return LLVMBuildSelect(b->ir, bad, bit, LLVMConstNull(b->i1x16), "");
}

/* A port that is asked for what stands in the slot, with a block in, or out: k. */
static LLVMValueRef ask_with(struct midgard_ir_calls *c, struct jit_builder *b, size_t offset,
                             LLVMValueRef mask, unsigned k, LLVMValueRef *address)
{
    LLVMValueRef args[4] = {what(c, b), lane_bits(b, mask), lanes(c, b, k)};
    return ask(c, b, offset, args, 3, address);
}

/* ---- attributes, varyings, images ---- */

static void put_attribute(struct midgard_ir_calls *c, struct jit_builder *b, const struct isa_ir_attribute *a)
{
    LLVMValueRef at = what(c, b);
#define AT(field) offsetof(struct isa_attribute, field)
    _Static_assert(sizeof(enum isa_type) == 4, "stored as a word");
    jit_store(b, jit_i32(b, a->type), jit_offset_const(b, at, AT(type)), 4);
    put_byte(b, at, AT(any_type), a->any_type);
    put_byte(b, at, AT(secondary), a->secondary);
    put_byte(b, at, AT(uniform), !a->index.lanes);
    put_byte(b, at, AT(other_vertex), a->vertex != NULL);
    put_byte(b, at, AT(interpolation), a->interpolation);
    put_byte(b, at, AT(at_position), a->position != NULL);
    put_number(b, at, AT(index), a->index);
    put_lanes(b, at, AT(vertex), a->vertex);
    LLVMValueRef position =
        a->position ? LLVMBuildTrunc(b->ir, a->position, b->i8x16, "") : LLVMConstNull(b->i8x16);
    jit_store(b, position, jit_offset_const(b, at, AT(position)), 1);
    for (unsigned k = 0; k < 4; k++)
        put_lanes(b, at, AT(coordinate) + k * LANE_BYTES, a->coordinate[k]);
#undef AT
}

static LLVMValueRef load_by(size_t offset, struct midgard_ir_calls *c, struct jit_builder *b,
                            const struct isa_ir_attribute *a, LLVMValueRef mask, LLVMValueRef out[4],
                            LLVMValueRef *address)
{
    put_attribute(c, b, a);
    LLVMValueRef bad = ask_with(c, b, offset, mask, 0, address);
    get_block(c, b, 0, out, 4);
    return bad;
}

static LLVMValueRef store_by(size_t offset, struct midgard_ir_calls *c, struct jit_builder *b,
                             const struct isa_ir_attribute *a, LLVMValueRef mask, const LLVMValueRef value[4],
                             LLVMValueRef *address)
{
    put_attribute(c, b, a);
    put_block(c, b, 0, value, 4);
    return ask_with(c, b, offset, mask, 0, address);
}

#define LOAD_PORT(name)                                                                                      \
    static LLVMValueRef call_##name(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,      \
                                    LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)           \
    {                                                                                                        \
        return load_by(PORT(name), ctx, b, a, mask, out, address);                                           \
    }
#define STORE_PORT(name)                                                                                     \
    static LLVMValueRef call_##name(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,      \
                                    LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)   \
    {                                                                                                        \
        return store_by(PORT(name), ctx, b, a, mask, value, address);                                        \
    }
LOAD_PORT(attribute)
LOAD_PORT(varying)
LOAD_PORT(image)
STORE_PORT(store_varying)
STORE_PORT(store_image)

static LLVMValueRef call_image_address(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                       LLVMValueRef mask, LLVMValueRef *out, LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    put_attribute(c, b, a);
    LLVMValueRef bad = ask_with(c, b, PORT(image_address), mask, 0, address);
    *out = jit_load(b, b->i64x16, lanes(c, b, 0), 64, false);
    return bad;
}

/* ---- memory ---- */

static LLVMValueRef call_uniform(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                                 LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    LLVMValueRef buffer = lanes(c, b, 1), offset = lanes(c, b, 2);
    put_number(b, buffer, 0, u->buffer);
    put_number(b, offset, 0, u->offset);
    LLVMValueRef args[6] = {buffer, offset, jit_i32(b, u->bytes), lane_bits(b, mask), lanes(c, b, 0)};
    LLVMValueRef bad = ask(c, b, PORT(uniform), args, 5, address);
    get_block(c, b, 0, out, 4);
    return bad;
}

static void put_access(struct midgard_ir_calls *c, struct jit_builder *b, const struct isa_ir_access *a)
{
    LLVMValueRef at = what(c, b);
#define AT(field) offsetof(struct isa_access, field)
    _Static_assert(sizeof(enum isa_space) == 4 && sizeof(enum isa_atomic) == 4, "stored as words");
    jit_store(b, jit_i32(b, a->space), jit_offset_const(b, at, AT(space)), 4);
    put_byte(b, at, AT(bytes), a->bytes);
    jit_store(b, LLVMConstInt(b->i16, a->enable, false), jit_offset_const(b, at, AT(enable)), 2);
    put_byte(b, at, AT(reversed), a->reversed);
    jit_store(b, jit_i32(b, a->op), jit_offset_const(b, at, AT(op)), 4);
    jit_store(b, a->address, jit_offset_const(b, at, AT(address)), 8);
#undef AT
}

static LLVMValueRef call_load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                              LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    put_access(c, b, a);
    LLVMValueRef bad = ask_with(c, b, PORT(load), mask, 0, address);
    get_block(c, b, 0, out, 4);
    return bad;
}

static LLVMValueRef call_store(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                               LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    put_access(c, b, a);
    put_block(c, b, 0, value, 4);
    return ask_with(c, b, PORT(store), mask, 0, address);
}

static LLVMValueRef call_atomic(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                                LLVMValueRef mask, const LLVMValueRef value[2], const LLVMValueRef compare[2],
                                LLVMValueRef out[2], LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    put_access(c, b, a);
    LLVMValueRef args[6] = {what(c, b), lane_bits(b, mask), put_block(c, b, 1, value, 2),
                            put_block(c, b, 2, compare, 2), lanes(c, b, 0)};
    LLVMValueRef bad = ask(c, b, PORT(atomic), args, 5, address);
    get_block(c, b, 0, out, 2);
    return bad;
}

/* ---- what a thread is, and its tile ---- */

static void call_argument(void *ctx, struct jit_builder *b, enum midgard_argument which, LLVMValueRef out[4])
{
    struct midgard_ir_calls *c = ctx;
    call(c, b, PORT(argument), b->void_, (LLVMValueRef[]){jit_i32(b, which), lanes(c, b, 0)}, 2);
    get_block(c, b, 0, out, 4);
}

static LLVMValueRef call_special(void *ctx, struct jit_builder *b, struct isa_ir_number selector,
                                 enum isa_type type, LLVMValueRef mask, LLVMValueRef out[4],
                                 LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    put_number(b, lanes(c, b, 1), 0, selector);
    LLVMValueRef args[5] = {lanes(c, b, 1), jit_i32(b, type), lane_bits(b, mask), lanes(c, b, 0)};
    LLVMValueRef bad = ask(c, b, PORT(special), args, 4, address);
    get_block(c, b, 0, out, 4);
    return bad;
}

/* A tile access: block 0 has the pixels. */
static LLVMValueRef tile_by(size_t offset, struct midgard_ir_calls *c, struct jit_builder *b,
                            enum midgard_tile form, uint32_t target, struct isa_ir_number sample,
                            LLVMValueRef mask, LLVMValueRef *address)
{
    put_number(b, lanes(c, b, 1), 0, sample);
    LLVMValueRef args[6] = {jit_i32(b, form), jit_i32(b, target), lanes(c, b, 1), lane_bits(b, mask),
                            lanes(c, b, 0)};
    return ask(c, b, offset, args, 5, address);
}

static LLVMValueRef call_tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                              struct isa_ir_number sample, LLVMValueRef mask, LLVMValueRef out[4],
                              LLVMValueRef *address)
{
    LLVMValueRef bad = tile_by(PORT(tile), ctx, b, form, target, sample, mask, address);
    get_block(ctx, b, 0, out, 4);
    return bad;
}

static LLVMValueRef call_store_tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                                    struct isa_ir_number sample, LLVMValueRef mask,
                                    const LLVMValueRef value[4], LLVMValueRef *address)
{
    put_block(ctx, b, 0, value, 4);
    return tile_by(PORT(store_tile), ctx, b, form, target, sample, mask, address);
}

static LLVMValueRef call_writeout(void *ctx, struct jit_builder *b, const struct midgard_ir_writeout *w,
                                  LLVMValueRef mask, LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    LLVMValueRef at = what(c, b);
#define AT(field) offsetof(struct midgard_writeout, field)
    put_byte(b, at, AT(has_depth), w->depth != NULL);
    put_byte(b, at, AT(has_stencil), w->stencil != NULL);
    put_byte(b, at, AT(has_select), w->select != NULL);
    put_lanes(b, at, AT(depth), w->depth);
    put_lanes(b, at, AT(stencil), w->stencil);
    put_lanes(b, at, AT(select), w->select);
    for (unsigned k = 0; k < 4; k++) {
        put_lanes(b, at, AT(color) + k * LANE_BYTES, w->color[k]);
        put_lanes(b, at, AT(second) + k * LANE_BYTES, w->second[k]);
    }
#undef AT
    LLVMValueRef args[3] = {at, lane_bits(b, mask)};
    return ask(c, b, PORT(writeout), args, 2, address);
}

/* ---- textures, conversions ---- */

static LLVMValueRef call_pack(void *ctx, struct jit_builder *b, bool unpack, enum isa_type type,
                              uint32_t format, const LLVMValueRef in[4], LLVMValueRef mask,
                              LLVMValueRef out[4], LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    LLVMValueRef args[7] = {jit_i32(b, unpack),        jit_i32(b, type),   jit_i32(b, format),
                            put_block(c, b, 1, in, 4), lane_bits(b, mask), lanes(c, b, 0)};
    LLVMValueRef bad = ask(c, b, PORT(pack), args, 6, address);
    get_block(c, b, 0, out, 4);
    return bad;
}

static void call_cube(void *ctx, struct jit_builder *b, const LLVMValueRef direction[3], LLVMValueRef out[2])
{
    struct midgard_ir_calls *c = ctx;
    call(c, b, PORT(cube), b->void_, (LLVMValueRef[]){put_block(c, b, 1, direction, 3), lanes(c, b, 0)}, 2);
    get_block(c, b, 0, out, 2);
}

static LLVMValueRef call_texture(void *ctx, struct jit_builder *b, const struct isa_ir_texture *t,
                                 LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct midgard_ir_calls *c = ctx;
    LLVMValueRef at = what(c, b);
#define AT(field) offsetof(struct isa_texture_request, field)
    put_byte(b, at, AT(op), t->op);
    put_byte(b, at, AT(mode), t->mode);
    put_byte(b, at, AT(dimensions), t->dimensions);
    put_byte(b, at, AT(sampler_type), t->sampler_type);
    put_byte(b, at, AT(derivatives), t->derivatives);
    put_byte(b, at, AT(uniform), !t->texture.lanes && !t->sampler.lanes);
    put_byte(b, at, AT(has_lod), t->has_lod);
    put_byte(b, at, AT(has_offset), t->has_offset);
    put_number(b, at, AT(texture), t->texture);
    put_number(b, at, AT(sampler), t->sampler);
    put_lanes(b, at, AT(lod), t->lod);
    for (unsigned k = 0; k < 4; k++)
        put_lanes(b, at, AT(coordinate) + k * LANE_BYTES, t->coordinate[k]);
    for (unsigned k = 0; k < 3; k++)
        put_lanes(b, at, AT(offset) + k * LANE_BYTES, t->offset[k]);
#undef AT
    LLVMValueRef bad = ask_with(c, b, PORT(texture), mask, 0, address);
    get_block(c, b, 0, out, 4);
    return bad;
}

const struct midgard_ir_ports midgard_ir_call_ports = {.attribute = call_attribute,
                                                       .varying = call_varying,
                                                       .store_varying = call_store_varying,
                                                       .image = call_image,
                                                       .store_image = call_store_image,
                                                       .image_address = call_image_address,
                                                       .uniform = call_uniform,
                                                       .load = call_load,
                                                       .store = call_store,
                                                       .atomic = call_atomic,
                                                       .argument = call_argument,
                                                       .special = call_special,
                                                       .tile = call_tile,
                                                       .store_tile = call_store_tile,
                                                       .pack = call_pack,
                                                       .cube = call_cube,
                                                       .texture = call_texture,
                                                       .writeout = call_writeout};
