/* Blocks: 0 comes out, the others go in. */
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

static LLVMValueRef what_stands(struct isa_ir_calls *c, struct jit_builder *b)
{
    return isa_call_slot(b, &c->what, sizeof(union what));
}

/* With zeros in as many bytes as are asked by. */
static LLVMValueRef what(struct isa_ir_calls *c, struct jit_builder *b, size_t bytes)
{
    return isa_call_clear(b, what_stands(c, b), bytes);
}
#define WHAT(c, b, member) what(c, b, sizeof(((union what *)NULL)->member))

#define PORT(name) offsetof(struct midgard_ports, name)
_Static_assert(PORT(ctx) == 0, "isa/trans_call.h");

/* A port that is asked for what stands in the slot, with a block in, or out: k. */
static LLVMValueRef ask_with(struct isa_ir_calls *c, struct jit_builder *b, size_t offset, LLVMValueRef mask,
                             unsigned k, LLVMValueRef *address)
{
    return isa_call_ask_with(c, b, offset, what_stands(c, b), k, mask, address);
}

/* ---- attributes, varyings, images ---- */

static void put_attribute(struct isa_ir_calls *c, struct jit_builder *b, const struct isa_ir_attribute *a)
{
    LLVMValueRef at = WHAT(c, b, attribute);
#define AT(field) offsetof(struct isa_attribute, field)
    _Static_assert(sizeof(enum isa_type) == 4, "stored as a word");
    jit_store(b, jit_i32(b, a->type), jit_offset_const(b, at, AT(type)), 4);
    isa_call_put_byte(b, at, AT(any_type), a->any_type);
    isa_call_put_byte(b, at, AT(secondary), a->secondary);
    isa_call_put_byte(b, at, AT(uniform), !a->index.lanes);
    isa_call_put_byte(b, at, AT(other_vertex), a->vertex != NULL);
    isa_call_put_byte(b, at, AT(interpolation), a->interpolation);
    isa_call_put_byte(b, at, AT(at_position), a->position != NULL);
    isa_call_put_number(b, at, AT(index), a->index);
    isa_call_put_lanes(b, at, AT(vertex), a->vertex);
    LLVMValueRef position =
        a->position ? LLVMBuildTrunc(b->ir, a->position, b->i8x16, "") : LLVMConstNull(b->i8x16);
    jit_store(b, position, jit_offset_const(b, at, AT(position)), 1);
    for (unsigned k = 0; k < 4; k++)
        isa_call_put_lanes(b, at, AT(coordinate) + k * LANE_BYTES, a->coordinate[k]);
#undef AT
}

static LLVMValueRef load_by(size_t offset, struct isa_ir_calls *c, struct jit_builder *b,
                            const struct isa_ir_attribute *a, LLVMValueRef mask, LLVMValueRef out[4],
                            LLVMValueRef *address)
{
    put_attribute(c, b, a);
    isa_call_clear_block(c, b, 0, 4);
    LLVMValueRef bad = ask_with(c, b, offset, mask, 0, address);
    isa_call_get_block(c, b, 0, out, 4);
    return bad;
}

static LLVMValueRef store_by(size_t offset, struct isa_ir_calls *c, struct jit_builder *b,
                             const struct isa_ir_attribute *a, LLVMValueRef mask, const LLVMValueRef value[4],
                             LLVMValueRef *address)
{
    put_attribute(c, b, a);
    isa_call_put_block(c, b, 0, value, 4);
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
    struct isa_ir_calls *c = ctx;
    put_attribute(c, b, a);
    isa_call_clear_block(c, b, 0, 2);
    LLVMValueRef bad = ask_with(c, b, PORT(image_address), mask, 0, address);
    *out = jit_load(b, b->i64x16, isa_call_lanes(c, b, 0), 64, false);
    return bad;
}

/* ---- memory ---- */

static LLVMValueRef call_uniform(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                                 LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    isa_call_clear_block(ctx, b, 0, 4);
    return isa_call_uniform(ctx, b, PORT(uniform), u, mask, out, address);
}

static LLVMValueRef call_load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                              LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    isa_call_clear_block(ctx, b, 0, 4);
    return isa_call_load(ctx, b, PORT(load), WHAT(ctx, b, access), a, mask, out, address);
}

static LLVMValueRef call_store(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                               LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    return isa_call_store(ctx, b, PORT(store), WHAT(ctx, b, access), a, mask, value, address);
}

static LLVMValueRef call_atomic(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                                LLVMValueRef mask, const LLVMValueRef value[2], const LLVMValueRef compare[2],
                                LLVMValueRef out[2], LLVMValueRef *address)
{
    isa_call_clear_block(ctx, b, 0, 2);
    return isa_call_atomic(ctx, b, PORT(atomic), WHAT(ctx, b, access), a, mask, value, compare, out, address);
}

/* ---- what a thread is, and its tile ---- */

static void call_argument(void *ctx, struct jit_builder *b, enum midgard_argument which, LLVMValueRef out[4])
{
    struct isa_ir_calls *c = ctx;
    isa_call_clear_block(c, b, 0, 4);
    isa_call(c, b, PORT(argument), b->void_, (LLVMValueRef[]){jit_i32(b, which), isa_call_lanes(c, b, 0)}, 2);
    isa_call_get_block(c, b, 0, out, 4);
}

static LLVMValueRef call_special(void *ctx, struct jit_builder *b, struct isa_ir_number selector,
                                 enum isa_type type, LLVMValueRef mask, LLVMValueRef out[4],
                                 LLVMValueRef *address)
{
    struct isa_ir_calls *c = ctx;
    isa_call_clear_block(c, b, 0, 4);
    isa_call_put_number(b, isa_call_lanes(c, b, 1), 0, selector);
    LLVMValueRef args[5] = {isa_call_lanes(c, b, 1), jit_i32(b, type), isa_call_lane_bits(b, mask),
                            isa_call_lanes(c, b, 0)};
    LLVMValueRef bad = isa_call_ask(c, b, PORT(special), args, 4, address);
    isa_call_get_block(c, b, 0, out, 4);
    return bad;
}

/* A tile access: block 0 has the pixels. */
static LLVMValueRef tile_by(size_t offset, struct isa_ir_calls *c, struct jit_builder *b,
                            enum midgard_tile form, uint32_t target, struct isa_ir_number sample,
                            LLVMValueRef mask, LLVMValueRef *address)
{
    isa_call_put_number(b, isa_call_lanes(c, b, 1), 0, sample);
    LLVMValueRef args[6] = {jit_i32(b, form), jit_i32(b, target), isa_call_lanes(c, b, 1),
                            isa_call_lane_bits(b, mask), isa_call_lanes(c, b, 0)};
    return isa_call_ask(c, b, offset, args, 5, address);
}

static LLVMValueRef call_tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                              struct isa_ir_number sample, LLVMValueRef mask, LLVMValueRef out[4],
                              LLVMValueRef *address)
{
    isa_call_clear_block(ctx, b, 0, 4);
    LLVMValueRef bad = tile_by(PORT(tile), ctx, b, form, target, sample, mask, address);
    isa_call_get_block(ctx, b, 0, out, 4);
    return bad;
}

static LLVMValueRef call_store_tile(void *ctx, struct jit_builder *b, enum midgard_tile form, uint32_t target,
                                    struct isa_ir_number sample, LLVMValueRef mask,
                                    const LLVMValueRef value[4], LLVMValueRef *address)
{
    isa_call_put_block(ctx, b, 0, value, 4);
    return tile_by(PORT(store_tile), ctx, b, form, target, sample, mask, address);
}

static LLVMValueRef call_writeout(void *ctx, struct jit_builder *b, const struct midgard_ir_writeout *w,
                                  LLVMValueRef mask, LLVMValueRef *address)
{
    struct isa_ir_calls *c = ctx;
    LLVMValueRef at = WHAT(c, b, writeout);
#define AT(field) offsetof(struct midgard_writeout, field)
    isa_call_put_byte(b, at, AT(has_depth), w->depth != NULL);
    isa_call_put_byte(b, at, AT(has_stencil), w->stencil != NULL);
    isa_call_put_byte(b, at, AT(has_select), w->select != NULL);
    isa_call_put_lanes(b, at, AT(depth), w->depth);
    isa_call_put_lanes(b, at, AT(stencil), w->stencil);
    isa_call_put_lanes(b, at, AT(select), w->select);
    for (unsigned k = 0; k < 4; k++) {
        isa_call_put_lanes(b, at, AT(color) + k * LANE_BYTES, w->color[k]);
        isa_call_put_lanes(b, at, AT(second) + k * LANE_BYTES, w->second[k]);
    }
#undef AT
    LLVMValueRef args[3] = {at, isa_call_lane_bits(b, mask)};
    return isa_call_ask(c, b, PORT(writeout), args, 2, address);
}

/* ---- textures, conversions ---- */

static LLVMValueRef call_pack(void *ctx, struct jit_builder *b, bool unpack, enum isa_type type,
                              uint32_t format, const LLVMValueRef in[4], LLVMValueRef mask,
                              LLVMValueRef out[4], LLVMValueRef *address)
{
    struct isa_ir_calls *c = ctx;
    isa_call_clear_block(c, b, 0, 4);
    LLVMValueRef args[7] = {jit_i32(b, unpack),          jit_i32(b, type),
                            jit_i32(b, format),          isa_call_put_block(c, b, 1, in, 4),
                            isa_call_lane_bits(b, mask), isa_call_lanes(c, b, 0)};
    LLVMValueRef bad = isa_call_ask(c, b, PORT(pack), args, 6, address);
    isa_call_get_block(c, b, 0, out, 4);
    return bad;
}

static void call_cube(void *ctx, struct jit_builder *b, const LLVMValueRef direction[3], LLVMValueRef out[2])
{
    struct isa_ir_calls *c = ctx;
    isa_call_clear_block(c, b, 0, 2);
    isa_call(c, b, PORT(cube), b->void_,
             (LLVMValueRef[]){isa_call_put_block(c, b, 1, direction, 3), isa_call_lanes(c, b, 0)}, 2);
    isa_call_get_block(c, b, 0, out, 2);
}

static LLVMValueRef call_texture(void *ctx, struct jit_builder *b, const struct isa_ir_texture *t,
                                 LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    isa_call_clear_block(ctx, b, 0, 4);
    return isa_call_texture(ctx, b, PORT(texture), WHAT(ctx, b, texture), t, mask, out, address);
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
