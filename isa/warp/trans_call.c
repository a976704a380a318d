/* Blocks: 0 comes out, the others go in. */
#include "isa/warp/trans_call.h"

#include <stddef.h>

#include "isa/warp/ports.h"

#define LANE_BYTES (ISA_LANES * sizeof(uint32_t))
#define PORT(name) offsetof(struct warp_ports, name)
_Static_assert(PORT(ctx) == 0, "isa/trans_call.h");

/* Whatever a port is asked for; behind it stand registers of other programs, and lanes that come back. */
union what {
    struct isa_access access;
    struct isa_texture_request texture;
    struct warp_message message;
    struct {
        struct warp_far to;
        uint32_t reg[WARP_REGISTERS][ISA_LANES];
    } far;
};
struct whole {
    union what what;
    uint16_t lanes;
};

/* With zeros in as many bytes as are asked by. */
static LLVMValueRef what(struct isa_ir_calls *c, struct jit_builder *b, size_t bytes)
{
    return isa_call_clear(b, isa_call_slot(b, &c->what, sizeof(struct whole)), bytes);
}
#define WHAT(c, b, member) what(c, b, sizeof(((union what *)NULL)->member))

static LLVMValueRef lanes_out(struct jit_builder *b, LLVMValueRef what)
{
    return jit_offset_const(b, what, offsetof(struct whole, lanes));
}

static LLVMValueRef get_lanes(struct jit_builder *b, LLVMValueRef what)
{
    return jit_mask_from_bits(b, jit_load(b, b->i16, lanes_out(b, what), 2, false));
}

/* ---- memory ---- */

static LLVMValueRef call_load(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                              LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    isa_call_put_block(ctx, b, 0, out, 4);
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
    isa_call_put_block(ctx, b, 0, out, 2);
    return isa_call_atomic(ctx, b, PORT(atomic), WHAT(ctx, b, access), a, mask, value, compare, out, address);
}

static LLVMValueRef call_uniform(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                                 LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    isa_call_put_block(ctx, b, 0, out, 4);
    return isa_call_uniform(ctx, b, PORT(uniform), u, mask, out, address);
}

/* ---- textures ---- */

static LLVMValueRef call_texture(void *ctx, struct jit_builder *b, const struct isa_ir_texture *t,
                                 LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    isa_call_put_block(ctx, b, 0, out, 4);
    return isa_call_texture(ctx, b, PORT(texture), WHAT(ctx, b, texture), t, mask, out, address);
}

/* ---- the rest ---- */

static void call_special(void *ctx, struct jit_builder *b, unsigned which, LLVMValueRef out[2])
{
    struct isa_ir_calls *c = ctx;
    isa_call_put_block(c, b, 0, out, 2);
    isa_call(c, b, PORT(special), b->void_, (LLVMValueRef[]){jit_i32(b, which), isa_call_lanes(c, b, 0)}, 2);
    isa_call_get_block(c, b, 0, out, 2);
}

static LLVMValueRef call_message(void *ctx, struct jit_builder *b, const struct warp_ir_message *m,
                                 LLVMValueRef mask, LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                                 LLVMValueRef *address)
{
    struct isa_ir_calls *c = ctx;
    LLVMValueRef at = WHAT(c, b, message);
#define AT(field) offsetof(struct warp_message, field)
    const struct warp_asked asked = warp_asked_of(m->insn);
    const uint8_t *bytes = (const uint8_t *)&asked;
    for (unsigned n = 0; n < sizeof asked; n++)
        isa_call_put_byte(b, at, AT(asked) + n, bytes[n]);
    for (unsigned n = 0; n < 6; n++)
        isa_call_put_lanes(b, at, AT(operand) + n * LANE_BYTES, m->operand[n / 2][n % 2]);
    for (unsigned n = 0; n < WARP_MESSAGE_WORDS; n++)
        isa_call_put_lanes(b, at, AT(value) + n * LANE_BYTES, m->value[n]);
#undef AT
    jit_store(b, jit_mask_to_bits(b, *leave), lanes_out(b, at), 2);
    isa_call_put_block(c, b, 0, out, WARP_MESSAGE_WORDS);
    LLVMValueRef args[5] = {at, isa_call_lane_bits(b, mask), isa_call_lanes(c, b, 0), lanes_out(b, at)};
    LLVMValueRef bad = isa_call_ask(c, b, PORT(message), args, 4, address);
    isa_call_get_block(c, b, 0, out, WARP_MESSAGE_WORDS);
    *leave = get_lanes(b, at);
    return bad;
}

static LLVMValueRef call_far(void *ctx, struct jit_builder *b, const struct warp_ir_far *to,
                             LLVMValueRef mask, LLVMValueRef reg[WARP_REGISTERS], LLVMValueRef *back,
                             LLVMValueRef *address)
{
    struct isa_ir_calls *c = ctx;
    LLVMValueRef at = WHAT(c, b, far.to);
    const size_t registers = offsetof(union what, far.reg);
    jit_store(b, to->target, jit_offset_const(b, at, offsetof(union what, far.to.target)), 8);
    jit_store(b, to->back, jit_offset_const(b, at, offsetof(union what, far.to.back)), 8);
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        isa_call_put_lanes(b, at, registers + n * LANE_BYTES, reg[n]);
    jit_store(b, LLVMConstNull(b->i16), lanes_out(b, at), 2);
    LLVMValueRef args[5] = {at, isa_call_lane_bits(b, mask), jit_offset_const(b, at, registers),
                            lanes_out(b, at)};
    LLVMValueRef bad = isa_call_ask(c, b, PORT(far), args, 4, address);
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        reg[n] = jit_load(b, b->i32x16, jit_offset_const(b, at, registers + n * LANE_BYTES), 4, false);
    *back = get_lanes(b, at);
    return bad;
}

const struct warp_ir_ports warp_ir_call_ports = {.load = call_load,
                                                 .store = call_store,
                                                 .atomic = call_atomic,
                                                 .uniform = call_uniform,
                                                 .texture = call_texture,
                                                 .special = call_special,
                                                 .message = call_message,
                                                 .far = call_far};
