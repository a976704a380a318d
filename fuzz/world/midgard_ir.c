/* The world of Midgard's programs as IR: one way through, from barrier to barrier, or side by side. */
#include "fuzz/world/midgard.h"

/* Of the world that the function under construction is given. */
static LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, jit_param(b, 0), offset);
}

static LLVMValueRef mask_at(struct jit_builder *b, size_t offset)
{
    return jit_mask_from_bits(b, jit_load(b, b->i16, at(b, offset), 2, false));
}

static void store_registers(struct jit_builder *b, const struct midgard_ir_state *state)
{
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            if (state->reg[n][c])
                jit_store(b, state->reg[n][c], at(b, offsetof(struct world_midgard, reg) + (n * 4 + c) * 64),
                          4);
}

static void store_end(struct jit_builder *b, const struct midgard_ir_state *state, LLVMValueRef fault)
{
    LLVMValueRef before = jit_load(b, b->i64, at(b, offsetof(struct world_midgard, executed)), 8, false);
    jit_store(b, fault, at(b, offsetof(struct world_midgard, fault)), 4);
    jit_store(b, state->fault_address, at(b, offsetof(struct world_midgard, fault_address)), 8);
    jit_store(b, LLVMBuildAdd(b->ir, before, state->executed, ""),
              at(b, offsetof(struct world_midgard, executed)), 8);
    jit_store(b, jit_mask_to_bits(b, state->live), at(b, offsetof(struct world_midgard, live)), 2);
    store_registers(b, state);
}

/* One way through, of a program without barriers, or from one to the next. */
static int emit_once(struct jit_builder *b, const struct midgard_program *program, unsigned mode,
                     const struct midgard_ir_input *input, struct midgard_ir_state *state)
{
    struct midgard_ir_ports own = world_midgard_ir_ports;
    LLVMValueRef fault;
    own.ctx = jit_param(b, 0);
    own.numeric = numeric_of(mode);
    int status = midgard_translate(b, program, &own, input, &fault, state);
    if (!status)
        store_end(b, state, state->faults ? fault : jit_i32(b, 0));
    return status;
}

/* The sixteen are all of their workgroup: again and again, until none waits or one faults. */
static int emit_resumed(struct jit_builder *b, const struct midgard_program *program, unsigned mode,
                        struct midgard_ir_input *input)
{
    struct midgard_ir_state state;
    LLVMBasicBlockRef again = LLVMAppendBasicBlockInContext(b->context, b->function, "again");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(b->context, b->function, "end");
    input->state = at(b, offsetof(struct world_midgard, state));
    LLVMBuildBr(b->ir, again);
    LLVMPositionBuilderAtEnd(b->ir, again);
    int status = emit_once(b, program, mode, input, &state);
    if (status)
        return status;
    LLVMValueRef waits = jit_load(
        b, b->i16, at(b, offsetof(struct world_midgard, state) + offsetof(struct midgard_state, running)), 2,
        false);
    LLVMValueRef fault = jit_load(b, b->i32, at(b, offsetof(struct world_midgard, fault)), 4, false);
    LLVMValueRef on = LLVMBuildICmp(b->ir, LLVMIntNE, waits, LLVMConstNull(b->i16), "");
    on = LLVMBuildAnd(b->ir, on, LLVMBuildICmp(b->ir, LLVMIntEQ, fault, jit_i32(b, 0), ""), "");
    LLVMBuildCondBr(b->ir, on, again, end);
    LLVMPositionBuilderAtEnd(b->ir, end);
    return 0;
}

static struct midgard_ir_input input_of(struct jit_builder *b, unsigned mode)
{
    const unsigned layout = layout_of(mode);
    bool all = layout & ALL_LANES || layout >= SIDE_BY_SIDE;
    return (struct midgard_ir_input){
        .uniform_count = UNIFORMS,
        .address = jit_load(b, b->i64, at(b, offsetof(struct world_midgard, address)), 8, true),
        .lanes = all ? LLVMConstAllOnes(b->i1x16) : mask_at(b, offsetof(struct world_midgard, lanes)),
        .helpers = layout & HELPERS ? mask_at(b, offsetof(struct world_midgard, helpers)) : NULL,
        .fuel = jit_i32(b, FUEL)};
}

/* Whether it can be translated side by side: what one way through is like tells. */
static bool has_sides(struct jit_builder *b, const struct midgard_program *program, unsigned mode)
{
    LLVMValueRef function = b->function;
    LLVMBasicBlockRef block = LLVMGetInsertBlock(b->ir);
    struct midgard_ir_state state = {.faults_at_once = true};
    if (!program->straight && (!program->repeats || program->barriers))
        return false;
    LLVMValueRef trial = jit_begin_internal(b, "trial", b->void_, &b->ptr, 1);
    const struct midgard_ir_input input = input_of(b, mode);
    int status = emit_once(b, program, mode, &input, &state);
    LLVMBuildRetVoid(b->ir);
    LLVMDeleteFunction(trial);
    b->function = function;
    LLVMPositionBuilderAtEnd(b->ir, block);
    return !status && !state.faults_at_once;
}

uint64_t world_midgard_left;

/* What ran alone: had it to? */
static void count_left(struct jit_builder *b)
{
    LLVMValueRef fault = jit_load(b, b->i32, at(b, offsetof(struct world_midgard, fault)), 4, false);
    LLVMValueRef place = LLVMConstIntToPtr(jit_i64(b, (uintptr_t)&world_midgard_left), b->ptr), none;
    none = LLVMBuildICmp(b->ir, LLVMIntEQ, fault, jit_i32(b, 0), "");
    none = LLVMBuildZExt(b->ir, none, b->i64, "");
    jit_store(b, LLVMBuildAdd(b->ir, jit_load(b, b->i64, place, 8, false), none, ""), place, 8);
}

/* Worlds that are the same side by side, of which the first or the last is the caller's. Of programs that branch it
 * runs alone where fuel may be used up, and the other one has other lanes. */
static int emit_sides(struct jit_builder *b, const struct midgard_program *program, unsigned mode)
{
    enum { MOST = 3 };
    const unsigned sides = program->straight ? MOST : MIDGARD_BRANCHING_SIDES;
    const unsigned kept = layout_of(mode) == SIDE_BY_SIDE ? 0 : sides - 1;
    struct midgard_ir_input input[MOST];
    struct midgard_ir_ports own[MOST];
    struct midgard_ir_state state[MOST];
    LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(b->context, b->function, "leave");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(b->context, b->function, "end");
    LLVMTypeRef type = LLVMArrayType2(b->i8, sizeof(struct world_midgard));
    for (unsigned k = 0; k < sides; k++) {
        input[k] = input_of(b, mode);
        if (!program->straight && k != kept)
            input[k].lanes = jit_mask_from_bits(b, LLVMConstInt(b->i16, 0x35ac, false));
        own[k] = world_midgard_ir_ports;
        own[k].numeric = numeric_of(mode);
        own[k].ctx = k == kept ? jit_param(b, 0) : jit_alloca(b, type, "other");
        if (k != kept)
            LLVMBuildMemCpy(b->ir, own[k].ctx, 8, jit_param(b, 0), 8,
                            jit_i64(b, sizeof(struct world_midgard)));
    }
    int status = midgard_translate_sides(b, program, own, input, sides, leave, state);
    if (!status)
        store_end(b, &state[kept], jit_i32(b, 0));
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, leave);
    if (!status)
        status = emit_once(b, program, mode, &input[kept], &state[kept]);
    count_left(b);
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, end);
    return status;
}

int world_midgard_emit(struct jit_builder *b, const void *program, unsigned mode, LLVMValueRef ignored)
{
    struct midgard_ir_input input = input_of(b, mode);
    struct midgard_program as = world_midgard_program(program, mode);
    struct midgard_ir_state state;
    (void)ignored;
    if (layout_of(mode) >= SIDE_BY_SIDE && has_sides(b, &as, mode))
        return emit_sides(b, &as, mode);
    return as.barriers ? emit_resumed(b, &as, mode, &input) : emit_once(b, &as, mode, &input, &state);
}
