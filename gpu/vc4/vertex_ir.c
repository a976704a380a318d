/* Vertex batches as compiled code: the program's translation with ports that turn VPM accesses into rows at
 * constant places. Programs whose accesses have no plan (vertex_vpm.h) are left to the interpreter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/vertex_internal.h"
#include "isa/vc4_qpu/pressure.h"
#include "isa/vc4_qpu/trans.h"
#include "jit/builder.h"
#include "raster/texture/texture_ir.h"

#define ROW_BYTES (16 * sizeof(uint32_t))

/* Batches side by side, where registers suffice: one's latencies are the others' time. */
#define PAIR_MAX  512u /* instructions: longer programs overlap less and compile longer */
#define SIDE_MAX  4u   /* batches */
#define SIDE_MIN  64u  /* instructions for so many: steps of shorter ones overlap by themselves */
#define SIDE_LIVE 8u   /* values that each of so many may keep at its worst moment */

struct emit {
    const struct vc4_vertex_variant *variant;
    LLVMValueRef args, in, out; /* rows of the batch at hand */
    LLVMValueRef uniforms, numbers, textures, memory, last_word;
    uint32_t reads, writes; /* so far: the plan is in program order, and so is translation */
    uint64_t written;       /* bit r: row r was written */
    bool failed;            /* translation met what the plan did not foresee */
};

static LLVMValueRef field(struct emit *e, struct jit_builder *b, LLVMTypeRef type, size_t offset,
                          unsigned align)
{
    return jit_load(b, type, jit_offset_const(b, e->args, offset), align, true);
}

static LLVMValueRef row_at(struct jit_builder *b, LLVMValueRef rows, uint32_t row)
{
    return jit_offset_const(b, rows, row * ROW_BYTES);
}

/* Loaded where they are read: as a memory operand a uniform costs nothing, and registers are few. */
static LLVMValueRef uniform_at(struct emit *e, struct jit_builder *b, LLVMValueRef words, uint32_t word)
{
    if (word < e->variant->program->uniform_count)
        return jit_load(b, b->i32, jit_offset_const(b, words, word * 4ull), 4, false);
    e->failed = true;
    return jit_i32(b, 0);
}

static LLVMValueRef port_number(void *ctx, struct jit_builder *b, uint32_t word)
{
    struct emit *e = ctx;
    return uniform_at(e, b, e->numbers, word);
}

static LLVMValueRef port_uniform(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word)
{
    struct emit *e = ctx;
    if (word == VC4_QPU_NO_OFFSET) /* a reset of the stream: it goes where analysis assumed (vertex.c) */
        return field(e, b, b->i32, offsetof(struct vc4_vertex_args, uniforms_at), 4);
    return uniform_at(e, b, e->uniforms, word);
}

/* A lookup that leaves memory reads zero; the first one is noted, and the batch then fails. */
static LLVMValueRef lookup(struct emit *e, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                           LLVMValueRef s)
{
    LLVMValueRef address = LLVMBuildAnd(b->ir, s, jit_splat_u32(b, ~3u), "");
    LLVMValueRef inside = LLVMBuildICmp(b->ir, LLVMIntULE, address, jit_splat(b, e->last_word), "inside");
    LLVMValueRef faulted_at = jit_offset_const(b, e->args, offsetof(struct vc4_vertex_args, faulted));
    LLVMValueRef before = jit_load(b, b->i32, faulted_at, 4, false);
    LLVMValueRef outside = LLVMBuildNot(b->ir, jit_mask_all(b, inside), "");
    LLVMValueRef first = LLVMBuildICmp(b->ir, LLVMIntEQ, before, jit_i32(b, 0), "");
    struct jit_if s_if;
    jit_if_begin(b, &s_if, LLVMBuildAnd(b->ir, outside, first, ""));
    LLVMValueRef bits = LLVMBuildNot(b->ir, jit_mask_to_bits(b, inside), "");
    LLVMValueRef args[2] = {LLVMBuildZExt(b->ir, bits, b->i32, ""), LLVMConstInt(b->i1, 1, false)};
    LLVMValueRef lane = jit_intrinsic(b, "llvm.cttz", &b->i32, 1, args, 2);
    jit_store(b, jit_i32(b, 1), faulted_at, 4);
    jit_store(b, jit_i32(b, sample->insn), jit_offset_const(b, e->args, offsetof(struct vc4_vertex_args, pc)),
              4);
    jit_store(b, lane, jit_offset_const(b, e->args, offsetof(struct vc4_vertex_args, lane)), 4);
    jit_store(b, LLVMBuildExtractElement(b->ir, s, lane, ""),
              jit_offset_const(b, e->args, offsetof(struct vc4_vertex_args, address)), 4);
    jit_if_end(b, &s_if);
    return jit_gather_u32(b, e->memory, address, inside);
}

/* Whether it is known where in the stream the texture's set-up words stand. */
static bool has_place(const struct vc4_qpu_program *program, const struct vc4_qpu_sample *sample)
{
    for (unsigned k = 0; k < sample->param_count; k++)
        if (sample->param[k] >= program->uniform_count)
            return false;
    return true;
}

static LLVMValueRef port_tmu(void *ctx, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                             uint32_t sample_index, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                             LLVMValueRef bias, LLVMValueRef *params)
{
    struct emit *e = ctx;
    if (sample->direct)
        return lookup(e, b, sample, s);
    if (!has_place(e->variant->program, sample)) {
        e->failed = true;
        return jit_splat_u32(b, 0);
    }
    LLVMValueRef texture = jit_offset_const(b, e->textures, sample_index * sizeof(struct raster_texture));
    LLVMValueRef texel = raster_texture_ir(
        b, &e->variant->keys[sample_index], texture, jit_as_f32(b, s), t ? jit_as_f32(b, t) : NULL,
        r ? jit_as_f32(b, r) : NULL, bias ? jit_as_f32(b, bias) : NULL, e->variant->program->sample_count);
    e->failed |= !texel; /* a format that is only interpreted */
    return texel ? texel : jit_splat_u32(b, 0);
}

static void port_setup(void *ctx, struct jit_builder *b, LLVMValueRef value) {}

static LLVMValueRef port_read(void *ctx, struct jit_builder *b)
{
    struct emit *e = ctx;
    if (e->reads == e->variant->plan->reads) {
        e->failed = true;
        return jit_splat_u32(b, 0);
    }
    return jit_load(b, b->i32x16, row_at(b, e->in, e->variant->plan->read_row[e->reads++]), 4, true);
}

/* Rows begin as zero; the access before is the only one that may have written this one (vertex_vpm.h). */
static void port_write(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)
{
    struct emit *e = ctx;
    if (e->writes == e->variant->plan->writes) {
        e->failed = true;
        return;
    }
    uint32_t number = e->variant->plan->write_row[e->writes++];
    LLVMValueRef row = row_at(b, e->out, number), old = jit_splat_u32(b, 0);
    if (mask && e->written >> number & 1)
        old = jit_load(b, b->i32x16, row, 4, false);
    if (mask)
        value = jit_select(b, mask, value, old);
    e->written |= 1ull << number;
    jit_store(b, value, row, 4);
}

struct request {
    const struct vc4_vertex_variant *variant;
    struct util_error *error;
};

static bool is_zero(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && !LLVMConstIntGetZExtValue(v);
}

static void begin(struct emit *e, struct jit_builder *b)
{
    const LLVMTypeRef types[] = {b->ptr, b->ptr, b->ptr, b->i32};
    jit_begin_function(b, b->i32, types, 4);
    jit_param_noalias(b, 0); /* the rows written may be the uniforms, for all LLVM knows: their loads stay */
    jit_param_noalias(b, 1);
    e->args = jit_param(b, 0);
    e->uniforms = field(e, b, b->ptr, offsetof(struct vc4_vertex_args, uniforms), 8);
    e->numbers = field(e, b, b->ptr, offsetof(struct vc4_vertex_args, numbers), 8);
    e->textures = field(e, b, b->ptr, offsetof(struct vc4_vertex_args, textures), 8);
    e->memory = field(e, b, b->ptr, offsetof(struct vc4_vertex_args, memory), 8);
    e->last_word = field(e, b, b->i32, offsetof(struct vc4_vertex_args, last_word), 4);
}

/* Batch number `batch`, an i32, is the one at hand. */
static void take_batch(struct emit *e, struct jit_builder *b, LLVMValueRef batch)
{
    LLVMValueRef number = LLVMBuildZExt(b->ir, batch, b->i64, "");
    const size_t strides[] = {offsetof(struct vc4_vertex_args, in_bytes),
                              offsetof(struct vc4_vertex_args, out_bytes)};
    LLVMValueRef *rows[] = {&e->in, &e->out};
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef stride = LLVMBuildZExt(b->ir, field(e, b, b->i32, strides[i], 4), b->i64, "");
        *rows[i] = jit_offset(b, jit_param(b, 1 + i), LLVMBuildMul(b->ir, number, stride, ""));
    }
}

/* The loop's step: a run that faults ends the call; the instructions of the others are counted. */
static void end_run(struct emit *e, struct jit_builder *b, const struct vc4_qpu_ir_run *run,
                    LLVMValueRef counts)
{
    if (!is_zero(run->fault)) {
        struct jit_if stop;
        jit_if_begin(b, &stop, LLVMBuildICmp(b->ir, LLVMIntNE, run->fault, jit_i32(b, 0), ""));
        LLVMBuildRet(b->ir, run->fault);
        LLVMPositionBuilderAtEnd(b->ir, stop.merge);
    }
    LLVMValueRef at = jit_offset_const(b, e->args, offsetof(struct vc4_vertex_args, executed));
    LLVMValueRef more =
        counts ? LLVMBuildSelect(b->ir, counts, run->executed, jit_i64(b, 0), "") : run->executed;
    jit_store(b, LLVMBuildAdd(b->ir, jit_load(b, b->i64, at, 8, false), more, ""), at, 8);
}

/* The unit of the vertex cache is two batches. */
static unsigned runs_at_once(const struct jit_builder *b, const struct vc4_vertex_variant *variant)
{
    const struct vc4_qpu_program *program = variant->program;
    if (b->quick || b->level < JIT_AVX512 || program->insn_count > PAIR_MAX || !vc4_qpu_is_straight(program))
        return 1;
    bool many = variant->coordinate && program->insn_count >= SIDE_MIN;
    return many && vc4_qpu_pressure(program) <= SIDE_LIVE ? SIDE_MAX : 2;
}

/* One step of the loop: `runs` batches from `first` on. In place of batches that are not
 * there, the first is done again. */
static int emit_step(struct jit_builder *b, struct emit e[SIDE_MAX], unsigned count, LLVMValueRef first,
                     const struct request *request)
{
    const struct vc4_qpu_ir_ports ports = {
        .uniform = port_uniform,
        .uniform_number = port_number,
        .tmu = port_tmu,
        .vpm_read_setup = port_setup,
        .vpm_write_setup = port_setup,
        .vpm_read = port_read,
        .vpm_write = port_write,
    };
    const struct vc4_qpu_ir_start start = {
        .uniforms = field(e, b, b->i32, offsetof(struct vc4_vertex_args, uniforms_at), 4),
        .fuel = field(e, b, b->i32, offsetof(struct vc4_vertex_args, fuel), 4),
        .numeric = request->variant->numeric,
    };
    struct vc4_qpu_ir_ports own[SIDE_MAX];
    struct vc4_qpu_ir_run runs[SIDE_MAX];
    LLVMValueRef there[SIDE_MAX];
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef batch = LLVMBuildAdd(b->ir, first, jit_i32(b, i), "");
        there[i] = LLVMBuildICmp(b->ir, LLVMIntULT, batch, jit_param(b, 3), "");
        e[i] = e[0];
        take_batch(&e[i], b, i ? LLVMBuildSelect(b->ir, there[i], batch, first, "") : first);
        own[i] = ports;
        own[i].ctx = &e[i];
        runs[i] = (struct vc4_qpu_ir_run){.start = &start, .ports = &own[i]};
    }
    int status = vc4_qpu_translate_runs(b, request->variant->program, runs, count, request->error);
    for (unsigned i = 0; i < count && !status; i++) {
        const struct vc4_vpm_plan *plan = request->variant->plan;
        if (e[i].failed || e[i].reads != plan->reads || e[i].writes != plan->writes)
            status = util_fail(request->error, -ENOTSUP, "VPM accesses or uniforms have no fixed places");
        else
            end_run(&e[i], b, &runs[i], i ? there[i] : NULL);
    }
    return status;
}

static int emit_stage(struct jit_builder *b, void *data)
{
    const struct request *request = data;
    struct emit e[SIDE_MAX] = {{.variant = request->variant}};
    struct jit_loop loop;
    unsigned at_once = runs_at_once(b, request->variant);
    begin(&e[0], b);
    LLVMValueRef steps = LLVMBuildAdd(b->ir, jit_param(b, 3), jit_i32(b, at_once - 1), "");
    jit_loop_begin(b, &loop, LLVMBuildUDiv(b->ir, steps, jit_i32(b, at_once), ""));
    int status = emit_step(b, e, at_once, LLVMBuildMul(b->ir, loop.index, jit_i32(b, at_once), ""), request);
    if (status)
        return status;
    jit_loop_end(b, &loop);
    LLVMBuildRet(b->ir, jit_i32(b, 0));
    return 0;
}

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct vc4_vertex_recipe recipe;
    int status = vc4_vertex_key_read(key, size, &recipe);
    if (status)
        return status;
    struct request data = {&recipe.variant, NULL};
    status = emit_stage(b, &data);
    gpu_program_recipe_finish(&recipe.of);
    return status;
}

static struct vc4_vertex_variant variant_of(const struct vc4_vertex_stage *stage)
{
    return (struct vc4_vertex_variant){.program = stage->program,
                                       .plan = stage->plan,
                                       .keys = stage->keys,
                                       .numeric = stage->numeric,
                                       .coordinate = stage->unit[0] == 'c'};
}

/* The request for the stage's code; its key, NULL without memory, is the caller's to free. */
static struct jit_request request_of(const struct vc4_vertex_stage *stage, struct request *data)
{
    struct jit_request request = {
        .name = data->variant->coordinate ? "vc4_coordinate_program" : "vc4_vertex_program",
        .emit = emit_stage,
        .data = data,
        .emit_key = emit_key,
        .run_cost = stage->program->insn_count,
    };
    request.key = vc4_vertex_key_write(data->variant, &request.key_size);
    return request;
}

int vc4_vertex_compile(struct vc4_vertex_stage *stage, struct jit_engine *engine, struct util_error *error)
{
    const struct vc4_vertex_variant variant = variant_of(stage);
    struct request data = {&variant, error};
    if (!stage->plan->known || stage->program->dynamic_uniforms)
        return -ENOTSUP;
    const struct jit_request request = request_of(stage, &data);
    int status = request.key ? jit_engine_get_function(engine, &request, &stage->function, error) : -ENOMEM;
    free((void *)request.key);
    return status;
}

void vc4_vertex_compile_begin(const struct vc4_vertex_stage *stage, struct jit_engine *engine)
{
    const struct vc4_vertex_variant variant = variant_of(stage);
    struct request data = {&variant, NULL};
    if (!stage->plan->known || stage->program->dynamic_uniforms)
        return;
    const struct jit_request request = request_of(stage, &data);
    if (request.key)
        jit_engine_prepare(engine, &request);
    free((void *)request.key);
}
