/* User programs as compiled code: the program's translation with ports that reach struct vc4_user_qpu. What
 * is more than a few instructions is a call of the functions that the interpreter's ports are made of. */
#include "gpu/vc4/user_ir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/program.h"
#include "isa/vc4_qpu/trans.h"
#include "jit/builder.h"

struct emit {
    const struct vc4_qpu_program *program;
    enum isa_numeric numeric;
    struct util_error *error;
    LLVMValueRef qpu;
    LLVMValueRef vector; /* 64 bytes through which calls take and give vectors */
    LLVMValueRef word;   /* the same for one word */
    uint32_t pc;
};

#define FIELD(e, b, member) jit_offset_const(b, (e)->qpu, offsetof(struct vc4_user_qpu, member))

static void port_at(void *ctx, uint32_t pc)
{
    ((struct emit *)ctx)->pc = pc;
}

/* Calls entry `offset` of struct vc4_user_calls with the QPU and `count` further arguments. */
static LLVMValueRef call(struct emit *e, struct jit_builder *b, size_t offset, LLVMValueRef *more,
                         unsigned count)
{
    LLVMValueRef calls = jit_load(b, b->ptr, FIELD(e, b, calls), 8, true), args[4] = {e->qpu};
    LLVMTypeRef types[4] = {b->ptr};
    LLVMValueRef function = jit_load(b, b->ptr, jit_offset_const(b, calls, offset), 8, true);
    for (unsigned i = 0; i < count; i++) {
        args[1 + i] = more[i];
        types[1 + i] = LLVMTypeOf(more[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(b->i32, types, count + 1, false);
    return LLVMBuildCall2(b->ir, type, function, args, count + 1, "");
}

/* Ends the function when `fault`, an enum vc4_qpu_fault, is not 0. */
static void end_on(struct emit *e, struct jit_builder *b, LLVMValueRef fault)
{
    struct jit_if bad;
    jit_if_begin(b, &bad, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), ""));
    jit_store(b, jit_i32(b, e->pc), FIELD(e, b, machine.pc), 4);
    LLVMValueRef shifted = LLVMBuildShl(b->ir, fault, jit_i32(b, 8), "");
    LLVMBuildRet(b->ir, LLVMBuildOr(b->ir, shifted, jit_i32(b, VC4_QPU_STOP_FAULT), ""));
    LLVMPositionBuilderAtEnd(b->ir, bad.merge);
}

#define CALL(e, b, name, more, count) call(e, b, offsetof(struct vc4_user_calls, name), more, count)

/* A load where nothing speaks against it, the call otherwise. */
static LLVMValueRef port_uniform(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word)
{
    struct emit *e = ctx;
    LLVMValueRef last = jit_load(b, b->i32, FIELD(e, b, last_word), 4, true);
    LLVMValueRef careful = jit_load(b, b->i32, FIELD(e, b, careful), 4, false);
    LLVMValueRef odd = LLVMBuildAnd(b->ir, address, jit_i32(b, 3), "");
    LLVMValueRef outside = LLVMBuildICmp(b->ir, LLVMIntUGT, address, last, "");
    LLVMValueRef special =
        LLVMBuildICmp(b->ir, LLVMIntNE, LLVMBuildOr(b->ir, careful, odd, ""), jit_i32(b, 0), "");
    special = LLVMBuildOr(b->ir, special, outside, "");
    LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(b->context, b->function, "uniform_call");
    LLVMBasicBlockRef fast = LLVMAppendBasicBlockInContext(b->context, b->function, "uniform_load");
    LLVMBasicBlockRef merge = LLVMAppendBasicBlockInContext(b->context, b->function, "uniform");
    LLVMBuildCondBr(b->ir, special, slow, fast);
    LLVMPositionBuilderAtEnd(b->ir, slow);
    LLVMValueRef args[] = {address, e->word};
    end_on(e, b, CALL(e, b, uniform, args, 2));
    LLVMValueRef called = jit_load(b, b->i32, e->word, 4, false);
    LLVMBasicBlockRef slow_end = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, merge);
    LLVMPositionBuilderAtEnd(b->ir, fast);
    LLVMValueRef memory = jit_load(b, b->ptr, FIELD(e, b, base), 8, true);
    LLVMValueRef loaded = jit_load(b, b->i32, jit_offset(b, memory, address), 4, false);
    LLVMBuildBr(b->ir, merge);
    LLVMPositionBuilderAtEnd(b->ir, merge);
    LLVMValueRef phi = LLVMBuildPhi(b->ir, b->i32, ""), values[] = {called, loaded};
    LLVMBasicBlockRef from[] = {slow_end, fast};
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

static void port_tmu_request(void *ctx, struct jit_builder *b, unsigned unit, const LLVMValueRef reg[4],
                             const LLVMValueRef *params, unsigned param_count)
{
    struct emit *e = ctx;
    LLVMValueRef args[] = {jit_i32(b, unit), e->vector};
    if (!param_count) {
        jit_store(b, reg[0], e->vector, 64);
        end_on(e, b, CALL(e, b, lookup, args, 2));
        return;
    }
    unsigned written = 0;
    for (unsigned i = 0; i < 4; i++)
        if (reg[i]) {
            LLVMValueRef at = FIELD(e, b, machine.request);
            at = jit_offset_const(b, at,
                                  unit * sizeof(struct vc4_qpu_request) +
                                      offsetof(struct vc4_qpu_request, coordinate) + i * 64ull);
            jit_store(b, reg[i], at, 4);
            written |= 1u << i;
        }
    for (unsigned i = 0; i < param_count; i++) {
        LLVMValueRef at = FIELD(e, b, machine.request);
        at = jit_offset_const(b, at,
                              unit * sizeof(struct vc4_qpu_request) +
                                  offsetof(struct vc4_qpu_request, params) + i * 4ull);
        jit_store(b, params[i], at, 4);
    }
    LLVMValueRef sample[] = {jit_i32(b, unit), jit_i32(b, written | param_count << 4)};
    end_on(e, b, CALL(e, b, sample, sample, 2));
}

static LLVMValueRef port_tmu_load(void *ctx, struct jit_builder *b, unsigned unit)
{
    struct emit *e = ctx;
    LLVMValueRef args[] = {jit_i32(b, unit), e->vector};
    end_on(e, b, CALL(e, b, load, args, 2));
    return jit_load(b, b->i32x16, e->vector, 64, false);
}

static void port_read_setup(void *ctx, struct jit_builder *b, LLVMValueRef value)
{
    struct emit *e = ctx;
    end_on(e, b, CALL(e, b, read_setup, &value, 1));
}

static void port_write_setup(void *ctx, struct jit_builder *b, LLVMValueRef value)
{
    struct emit *e = ctx;
    end_on(e, b, CALL(e, b, write_setup, &value, 1));
}

static LLVMValueRef port_vpm_read(void *ctx, struct jit_builder *b)
{
    struct emit *e = ctx;
    end_on(e, b, CALL(e, b, vpm_read, &e->vector, 1));
    return jit_load(b, b->i32x16, e->vector, 64, false);
}

static void port_vpm_write(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)
{
    struct emit *e = ctx;
    LLVMValueRef lanes =
        mask ? LLVMBuildZExt(b->ir, jit_mask_to_bits(b, mask), b->i32, "") : jit_i32(b, 0xffff);
    LLVMValueRef args[] = {e->vector, lanes};
    jit_store(b, value, e->vector, 64);
    end_on(e, b, CALL(e, b, vpm_write, args, 2));
}

static void port_dma_address(void *ctx, struct jit_builder *b, bool store, LLVMValueRef value)
{
    struct emit *e = ctx;
    LLVMValueRef args[] = {jit_i32(b, store), value};
    end_on(e, b, CALL(e, b, dma, args, 2));
}

/* A transfer is over when the instruction that starts it is. */
static LLVMValueRef port_dma_status(void *ctx, struct jit_builder *b, bool store, bool wait)
{
    return jit_i32(b, 0);
}

static void port_host_interrupt(void *ctx, struct jit_builder *b, LLVMValueRef on)
{
    struct emit *e = ctx;
    LLVMValueRef at = FIELD(e, b, interrupts), before = jit_load(b, b->i32, at, 4, false);
    jit_store(b, LLVMBuildOr(b->ir, before, LLVMBuildZExt(b->ir, on, b->i32, ""), ""), at, 4);
}

static LLVMValueRef port_dma_waits(void *ctx, struct jit_builder *b)
{
    struct emit *e = ctx;
    return LLVMBuildICmp(b->ir, LLVMIntNE, CALL(e, b, is_full, NULL, 0), jit_i32(b, 0), "");
}

static int emit_program(struct jit_builder *b, void *data)
{
    struct emit *e = data;
    const LLVMTypeRef types[] = {b->ptr, b->i32};
    const struct vc4_qpu_ir_ports ports = {
        .ctx = e,
        .at = port_at,
        .uniform = port_uniform,
        .tmu_request = port_tmu_request,
        .tmu_load = port_tmu_load,
        .vpm_read_setup = port_read_setup,
        .vpm_write_setup = port_write_setup,
        .vpm_read = port_vpm_read,
        .vpm_write = port_vpm_write,
        .dma_address = port_dma_address,
        .dma_status = port_dma_status,
        .dma_waits = port_dma_waits,
        .host_interrupt = port_host_interrupt,
    };
    jit_begin_function(b, b->i32, types, 2);
    e->qpu = jit_param(b, 0);
    e->vector = jit_alloca(b, b->i32x16, "vector");
    e->word = jit_alloca(b, b->i32, "word");
    LLVMValueRef granted = LLVMBuildICmp(b->ir, LLVMIntNE, jit_param(b, 1), jit_i32(b, 0), "");
    return vc4_qpu_translate_machine(b, e->program, e->qpu, granted, e->numeric, &ports, e->error);
}

/* The key: a mark that ends in the translator and the numeric mode, and the program's words. */
int vc4_user_compile(const struct vc4_qpu_program *program, enum isa_numeric numeric,
                     struct jit_engine *engine, vc4_user_fn *out, struct util_error *error)
{
    char mark[16] = "vc4 user 2";
    size_t key_size;
    mark[sizeof mark - 2] = VC4_QPU_TRANS_VERSION;
    mark[sizeof mark - 1] = (char)numeric;
    uint8_t *key = vc4_program_key_write(mark, sizeof mark, program, NULL, &key_size);
    if (!key)
        return -ENOMEM;
    struct emit e = {.program = program, .numeric = numeric, .error = error};
    const struct jit_request request = {
        .key = key,
        .key_size = key_size,
        .name = "vc4_user_program",
        .emit = emit_program,
        .data = &e,
    };
    void *code = NULL;
    int status = jit_engine_get(engine, &request, &code, error);
    free(key);
    if (!status)
        *out = (vc4_user_fn)code;
    return status;
}
