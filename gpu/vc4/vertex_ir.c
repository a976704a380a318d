/* Vertex batches as compiled code: the program's translation with ports that turn VPM accesses into rows at
 * constant places. Programs whose accesses have no plan (vertex_vpm.h) are left to the interpreter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/vertex_internal.h"
#include "isa/vc4_qpu/trans.h"
#include "jit/builder.h"
#include "raster/texture_ir.h"

#define ROW_BYTES (16 * sizeof(uint32_t))

struct emit {
    const struct vc4_vertex_stage *stage;
    LLVMValueRef args, in, out;
    LLVMValueRef uniforms, textures, memory, last_word;
    uint32_t reads, writes; /* so far: the plan is in program order, and so is translation */
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

static LLVMValueRef port_uniform(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word)
{
    struct emit *e = ctx;
    if (word >= e->stage->program->uniform_count) { /* also VC4_QPU_NO_OFFSET */
        e->failed = true;
        return jit_i32(b, 0);
    }
    return jit_load(b, b->i32, jit_offset_const(b, e->uniforms, word * 4ull), 4, true);
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

static LLVMValueRef port_tmu(void *ctx, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                             uint32_t sample_index, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                             LLVMValueRef bias, LLVMValueRef *params)
{
    struct emit *e = ctx;
    if (sample->direct)
        return lookup(e, b, sample, s);
    if (!e->stage->textures[sample_index].level_count) {
        e->failed = true;
        return jit_splat_u32(b, 0);
    }
    LLVMValueRef texture = jit_offset_const(b, e->textures, sample_index * sizeof(struct raster_texture));
    return raster_texture_ir(b, &e->stage->keys[sample_index], texture, jit_as_f32(b, s),
                             t ? jit_as_f32(b, t) : NULL, r ? jit_as_f32(b, r) : NULL,
                             bias ? jit_as_f32(b, bias) : NULL);
}

static void port_setup(void *ctx, struct jit_builder *b, LLVMValueRef value) {}

static LLVMValueRef port_read(void *ctx, struct jit_builder *b)
{
    struct emit *e = ctx;
    if (e->reads == e->stage->plan.reads) {
        e->failed = true;
        return jit_splat_u32(b, 0);
    }
    return jit_load(b, b->i32x16, row_at(b, e->in, e->stage->plan.read_row[e->reads++]), 4, true);
}

static void port_write(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)
{
    struct emit *e = ctx;
    if (e->writes == e->stage->plan.writes) {
        e->failed = true;
        return;
    }
    LLVMValueRef row = row_at(b, e->out, e->stage->plan.write_row[e->writes++]);
    if (mask)
        value = jit_select(b, mask, value, jit_load(b, b->i32x16, row, 4, false));
    jit_store(b, value, row, 4);
}

struct request {
    const struct vc4_vertex_stage *stage;
    struct util_error *error;
};

static int emit_stage(struct jit_builder *b, void *data)
{
    const struct request *request = data;
    struct emit e = {.stage = request->stage};
    const LLVMTypeRef types[] = {b->ptr, b->ptr, b->ptr};
    jit_begin_function(b, b->i32, types, 3);
    for (unsigned i = 0; i < 3; i++)
        jit_param_noalias(b, i);
    e.args = jit_param(b, 0);
    e.in = jit_param(b, 1);
    e.out = jit_param(b, 2);
    e.uniforms = field(&e, b, b->ptr, offsetof(struct vc4_vertex_args, uniforms), 8);
    e.textures = field(&e, b, b->ptr, offsetof(struct vc4_vertex_args, textures), 8);
    e.memory = field(&e, b, b->ptr, offsetof(struct vc4_vertex_args, memory), 8);
    e.last_word = field(&e, b, b->i32, offsetof(struct vc4_vertex_args, last_word), 4);

    const struct vc4_qpu_ir_ports ports = {
        .ctx = &e,
        .uniform = port_uniform,
        .tmu = port_tmu,
        .vpm_read_setup = port_setup,
        .vpm_write_setup = port_setup,
        .vpm_read = port_read,
        .vpm_write = port_write,
    };
    const struct vc4_qpu_ir_start start = {
        .uniforms = field(&e, b, b->i32, offsetof(struct vc4_vertex_args, uniforms_at), 4),
        .fuel = field(&e, b, b->i32, offsetof(struct vc4_vertex_args, fuel), 4),
    };
    LLVMValueRef fault;
    int status = vc4_qpu_translate(b, e.stage->program, &start, &ports, &fault, request->error);
    if (status)
        return status;
    if (e.failed || e.reads != e.stage->plan.reads || e.writes != e.stage->plan.writes)
        return util_fail(request->error, -ENOTSUP, "VPM accesses or uniforms have no fixed places");
    LLVMBuildRet(b->ir, fault);
    return 0;
}

/* The key: a mark, the program's words, and the texture keys, which select code too. */
int vc4_vertex_compile(struct vc4_vertex_stage *stage, struct jit_engine *engine, struct util_error *error)
{
    static const char mark[16] = "vc4 vertex 1";
    const struct vc4_qpu_program *program = stage->program;
    if (!stage->plan.known || program->dynamic_uniforms)
        return -ENOTSUP;
    size_t words = program->insn_count * sizeof(uint64_t), keys = program->sample_count * sizeof *stage->keys;
    uint8_t *key = malloc(sizeof mark + words + keys);
    if (!key)
        return -ENOMEM;
    memcpy(key, mark, sizeof mark);
    for (uint32_t i = 0; i < program->insn_count; i++)
        memcpy(key + sizeof mark + i * sizeof(uint64_t), &program->insns[i].word, sizeof(uint64_t));
    memcpy(key + sizeof mark + words, stage->keys, keys);
    struct request data = {stage, error};
    const struct jit_request request = {
        .key = key,
        .key_size = sizeof mark + words + keys,
        .name = stage->unit[0] == 'c' ? "vc4_coordinate_program" : "vc4_vertex_program",
        .emit = emit_stage,
        .data = &data,
    };
    void *code = NULL;
    int status = jit_engine_get(engine, &request, &code, error);
    free(key);
    if (!status)
        stage->run = (vc4_vertex_fn)code;
    return status;
}
