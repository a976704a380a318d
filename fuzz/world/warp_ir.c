/* Sixteen random threads as IR, whose ports call the interpreter's (warp.c). */
#include <stddef.h>

#include "isa/warp/trans_call.h"
#include "fuzz/world/warp.h"

uint64_t world_warp_sides, world_warp_left;

static LLVMValueRef world; /* the parameter of the function under construction */

static LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, world, offset);
}
#define AT(b, field) at(b, offsetof(struct world_warp, field))

static LLVMValueRef uniform_word(void *ctx, struct jit_builder *b, uint32_t n)
{
    if (n >= UNIFORMS)
        return jit_i32(b, 0);
    return jit_load(b, b->i32, at(b, offsetof(struct world_warp, uniform) + n * 4), 4, true);
}

static void mix(struct jit_builder *b, LLVMValueRef *word, LLVMValueRef with, unsigned up)
{
    if (with)
        *word = LLVMBuildXor(b->ir, *word, LLVMBuildShl(b->ir, with, jit_splat_u32(b, up), ""), "");
}

static LLVMValueRef message_code(void *ctx, struct jit_builder *b, const struct warp_ir_message *m,
                                 LLVMValueRef mask, LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                                 LLVMValueRef *address)
{
    static const uint8_t up[4] = {0, 3, 5, 7};
    struct isa_ir_attribute a;
    LLVMValueRef instance, bad = warp_ir_call_ports.message(ctx, b, m, mask, out, leave, address);
    if (!warp_ir_message_attribute(b, m, &a, &instance))
        return bad;
    mix(b, &out[0], a.index.lanes ? a.index.lanes : jit_splat_u32(b, a.index.known), 0);
    mix(b, &out[0], a.vertex, 1);
    mix(b, &out[0], instance, 2);
    for (unsigned c = 0; c < 4; c++)
        mix(b, &out[0], a.coordinate[c], up[c]);
    mix(b, &out[0],
        jit_splat_u32(b, (uint32_t)a.type << 20 ^ (uint32_t)a.interpolation << 24 ^ (uint32_t)a.secondary),
        0);
    return bad;
}

static LLVMValueRef mask_at(struct jit_builder *b, size_t offset)
{
    return jit_mask_from_bits(b, jit_load(b, b->i16, at(b, offset), 2, false));
}

static void store_end(struct jit_builder *b, const struct warp_ir_state *s, LLVMValueRef fault)
{
    LLVMValueRef before = jit_load(b, b->i64, AT(b, executed), 8, false);
    jit_store(b, fault, AT(b, fault), 4);
    jit_store(b, s->fault_address, AT(b, fault_address), 8);
    jit_store(b, LLVMBuildAdd(b->ir, before, s->executed, ""), AT(b, executed), 8);
    jit_store(b, jit_mask_to_bits(b, s->live), AT(b, live), 2);
    jit_store(b, jit_mask_to_bits(b, s->returned), AT(b, returned), 2);
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        if (s->reg[n])
            jit_store(b, s->reg[n], at(b, offsetof(struct world_warp, reg) + n * 64), 4);
}

/* The ports of worlds where nothing faults. */
static LLVMValueRef message_whole(void *ctx, struct jit_builder *b, const struct warp_ir_message *m,
                                  LLVMValueRef mask, LLVMValueRef out[WARP_MESSAGE_WORDS],
                                  LLVMValueRef *leave, LLVMValueRef *address)
{
    message_code(ctx, b, m, mask, out, leave, address);
    return NULL;
}

static LLVMValueRef load_whole(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                               LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    warp_ir_call_ports.load(ctx, b, a, mask, out, address);
    return NULL;
}

static LLVMValueRef store_whole(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                                LLVMValueRef mask, const LLVMValueRef value[4], LLVMValueRef *address)
{
    warp_ir_call_ports.store(ctx, b, a, mask, value, address);
    return NULL;
}

static LLVMValueRef atomic_whole(void *ctx, struct jit_builder *b, const struct isa_ir_access *a,
                                 LLVMValueRef mask, const LLVMValueRef value[2],
                                 const LLVMValueRef compare[2], LLVMValueRef out[2], LLVMValueRef *address)
{
    warp_ir_call_ports.atomic(ctx, b, a, mask, value, compare, out, address);
    return NULL;
}

static LLVMValueRef uniform_whole(void *ctx, struct jit_builder *b, const struct isa_ir_uniform *u,
                                  LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    warp_ir_call_ports.uniform(ctx, b, u, mask, out, address);
    return NULL;
}

static LLVMValueRef texture_whole(void *ctx, struct jit_builder *b, const struct isa_ir_texture *r,
                                  LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    warp_ir_call_ports.texture(ctx, b, r, mask, out, address);
    return NULL;
}

static struct warp_ir_ports ports_of(struct isa_ir_calls *calls, unsigned mode)
{
    const struct warp_ir_ports *call = &warp_ir_call_ports;
    const bool whole = mode >= SIDE_BY_SIDE;
    return (struct warp_ir_ports){.ctx = calls,
                                  .load = whole ? load_whole : call->load,
                                  .store = whole ? store_whole : call->store,
                                  .atomic = whole ? atomic_whole : call->atomic,
                                  .uniform = whole ? uniform_whole : call->uniform,
                                  .texture = whole ? texture_whole : call->texture,
                                  .message = whole ? message_whole : message_code,
                                  .special = call->special,
                                  .uniform_word = uniform_word,
                                  .far = call->far};
}

static int emit_once(struct jit_builder *b, const struct warp_program *program, unsigned mode,
                     const struct warp_ir_input *input, struct warp_ir_state *state)
{
    struct isa_ir_calls calls = {.ports = AT(b, ports)};
    const struct warp_ir_ports own = ports_of(&calls, mode);
    LLVMValueRef fault;
    int status = warp_translate(b, program, &own, input, &fault, state);
    if (!status)
        store_end(b, state, fault);
    return status;
}

/* What the interpreter's state begins with. */
static void start_state(struct jit_builder *b)
{
    const size_t state = offsetof(struct world_warp, state);
    LLVMValueRef lanes = jit_load(b, b->i16, AT(b, lanes), 2, false);
    LLVMBuildMemCpy(b->ir, at(b, state + offsetof(struct warp_state, reg)), 4, AT(b, reg), 4,
                    jit_i64(b, sizeof(uint32_t[WARP_REGISTERS][16])));
    jit_store(b, jit_splat_u32(b, 0), at(b, state + offsetof(struct warp_state, at)), 4);
    jit_store(b, jit_splat_u32(b, FUEL), at(b, state + offsetof(struct warp_state, fuel)), 4);
    jit_store(b, lanes, at(b, state + offsetof(struct warp_state, running)), 2);
    jit_store(b, lanes, at(b, state + offsetof(struct warp_state, live)), 2);
    jit_store(b, LLVMConstNull(b->i16), at(b, state + offsetof(struct warp_state, returned)), 2);
    jit_store(b, jit_load(b, b->i16, AT(b, helpers), 2, false),
              at(b, state + offsetof(struct warp_state, helpers)), 2);
}

/* The sixteen are all of their workgroup: again and again, until none waits or one faults. */
static int emit_resumed(struct jit_builder *b, const struct warp_program *program, unsigned mode,
                        struct warp_ir_input *input)
{
    LLVMBasicBlockRef again = LLVMAppendBasicBlockInContext(b->context, b->function, "again");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(b->context, b->function, "end");
    start_state(b);
    input->state = AT(b, state);
    LLVMBuildBr(b->ir, again);
    LLVMPositionBuilderAtEnd(b->ir, again);
    struct warp_ir_state state;
    int status = emit_once(b, program, mode, input, &state);
    if (status)
        return status;
    LLVMValueRef waits =
        jit_load(b, b->i16, at(b, offsetof(struct world_warp, state) + offsetof(struct warp_state, running)),
                 2, false);
    LLVMValueRef on = LLVMBuildICmp(b->ir, LLVMIntNE, waits, LLVMConstNull(b->i16), "");
    LLVMValueRef fault = jit_load(b, b->i32, AT(b, fault), 4, false);
    on = LLVMBuildAnd(b->ir, on, LLVMBuildICmp(b->ir, LLVMIntEQ, fault, jit_i32(b, 0), ""), "");
    LLVMBuildCondBr(b->ir, on, again, end);
    LLVMPositionBuilderAtEnd(b->ir, end);
    return 0;
}

static struct warp_ir_input input_of(struct jit_builder *b, const struct warp_program *p, unsigned mode)
{
    struct warp_ir_input input = {
        .address = jit_load(b, b->i64, AT(b, address), 8, true),
        .back = jit_load(b, b->i64, AT(b, back), 8, true),
        .lanes =
            mode & ALL_LANES ? LLVMConstAllOnes(b->i1x16) : mask_at(b, offsetof(struct world_warp, lanes)),
        .helpers = world_warp_helps(mode) ? mask_at(b, offsetof(struct world_warp, helpers)) : NULL,
        .fixed_blends = mode & FIXED,
        .fuel = jit_i32(b, FUEL)};
    for (unsigned n = 0; n < WARP_REGISTERS && !p->barriers; n++)
        input.reg[n] = jit_load(b, b->i32x16, at(b, offsetof(struct world_warp, reg) + n * 64), 4, false);
    return input;
}

/* Whether it can be translated side by side: what one way through is like tells. */
static bool has_sides(struct jit_builder *b, const struct warp_program *program, unsigned mode)
{
    LLVMValueRef function = b->function, given = world;
    LLVMBasicBlockRef block = LLVMGetInsertBlock(b->ir);
    struct warp_ir_state state = {.faults_at_once = true};
    if (program->barriers || program->far)
        return false;
    LLVMValueRef trial = jit_begin_internal(b, "trial", b->void_, &b->ptr, 1);
    world = jit_param(b, 0);
    const struct warp_ir_input input = input_of(b, program, mode);
    int status = emit_once(b, program, mode, &input, &state);
    LLVMBuildRetVoid(b->ir);
    LLVMDeleteFunction(trial);
    world = given;
    b->function = function;
    LLVMPositionBuilderAtEnd(b->ir, block);
    return !status && !state.faults_at_once;
}

/* What ran alone: had it to? */
static void count_left(struct jit_builder *b)
{
    LLVMValueRef fault = jit_load(b, b->i32, AT(b, fault), 4, false);
    LLVMValueRef place = LLVMConstIntToPtr(jit_i64(b, (uintptr_t)&world_warp_left), b->ptr), none;
    none = LLVMBuildICmp(b->ir, LLVMIntEQ, fault, jit_i32(b, 0), "");
    none = LLVMBuildZExt(b->ir, none, b->i64, "");
    jit_store(b, LLVMBuildAdd(b->ir, jit_load(b, b->i64, place, 8, false), none, ""), place, 8);
}

enum { SIDES_MOST = 3 };
struct side {
    struct isa_ir_calls calls;
    LLVMValueRef world;
};

/* Worlds that are the same side by side, but for lanes, of which one is the caller's. */
static void make_sides(struct jit_builder *b, const struct warp_program *program, unsigned mode,
                       unsigned count, unsigned kept, struct side *sides, struct warp_ir_input *input)
{
    LLVMTypeRef type = LLVMArrayType2(b->i8, sizeof(struct world_warp));
    for (unsigned k = 0; k < count; k++) {
        input[k] = input_of(b, program, mode);
        sides[k] = (struct side){.world = k == kept ? world : jit_alloca(b, type, "other")};
        sides[k].calls.ports = jit_offset_const(b, sides[k].world, offsetof(struct world_warp, ports));
        if (k == kept)
            continue;
        input[k].lanes = jit_mask_from_bits(b, LLVMConstInt(b->i16, 0x35ac, false));
        LLVMBuildMemCpy(b->ir, sides[k].world, 8, world, 8, jit_i64(b, sizeof(struct world_warp)));
        jit_store(b, sides[k].world,
                  jit_offset_const(b, sides[k].calls.ports, offsetof(struct warp_ports, ctx)), 8);
    }
}

/* Where fuel may be used up the caller's world, of which a copy was kept, runs alone. */
static int emit_sides(struct jit_builder *b, const struct warp_program *program, unsigned mode)
{
    const unsigned count =
        warp_is_straight(program, mode & FIXED, world_warp_helps(mode)) ? SIDES_MOST : WARP_BRANCHING_SIDES;
    const unsigned kept = mode == SIDE_BY_SIDE ? 0 : count - 1;
    struct side sides[SIDES_MOST];
    struct warp_ir_input input[SIDES_MOST];
    struct warp_ir_ports own[SIDES_MOST];
    struct warp_ir_state state[SIDES_MOST];
    LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(b->context, b->function, "leave");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(b->context, b->function, "end");
    LLVMValueRef bytes = jit_i64(b, sizeof(struct world_warp));
    LLVMValueRef before = jit_alloca(b, LLVMArrayType2(b->i8, sizeof(struct world_warp)), "before");
    LLVMBuildMemCpy(b->ir, before, 8, world, 8, bytes);
    make_sides(b, program, mode, count, kept, sides, input);
    for (unsigned k = 0; k < count; k++)
        own[k] = ports_of(&sides[k].calls, mode);
    int status = warp_translate_sides(b, program, own, input, count, leave, state);
    world_warp_sides += !status;
    if (!status)
        store_end(b, &state[kept], jit_i32(b, 0));
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, leave);
    LLVMBuildMemCpy(b->ir, world, 8, before, 8, bytes);
    if (!status)
        status = emit_once(b, program, mode, &input[kept], &state[kept]);
    count_left(b);
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, end);
    return status;
}

int world_warp_emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef given)
{
    const struct warp_program *p = program;
    struct warp_ir_state state;
    world = given;
    struct warp_ir_input input = input_of(b, p, mode);
    jit_store(b, world, at(b, offsetof(struct world_warp, ports) + offsetof(struct warp_ports, ctx)), 8);
    if (mode >= SIDE_BY_SIDE && has_sides(b, p, mode))
        return emit_sides(b, p, mode);
    return p->barriers ? emit_resumed(b, p, mode, &input) : emit_once(b, p, mode, &input, &state);
}
