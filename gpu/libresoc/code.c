#include "gpu/libresoc/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/stage.h"
#include "gpu/program_key.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/trans.h"

static const struct {
    const char *name;
    uint64_t stop;
    struct simple_v_ir_ports ports;
} kinds[] = {
    [LIBRESOC_CODE_STAGE] = {"libresoc_stage", LIBRESOC_EXIT, {.place = libresoc_stage_place}},
    [LIBRESOC_CODE_PROCESS] = {"libresoc_process", LIBRESOC_PROCESS_STOP, {.place = libresoc_process_place}},
};

/* What a key begins with; the program's words follow. */
struct head {
    char mark[16];
    uint64_t address;
    struct simple_v_entry entry;
    uint32_t kind;
};
static const char mark[16] = "libresoc code 1";

struct variant {
    const struct simple_v_program *program;
    const struct head *head;
};

static int emit(struct jit_builder *b, void *data)
{
    const struct variant *v = data;
    LLVMTypeRef params[] = {b->ptr};
    jit_begin_function(b, b->void_, params, 1);
    const int status = simple_v_translate(b, v->program, &v->head->entry, kinds[v->head->kind].stop,
                                          &kinds[v->head->kind].ports, jit_param(b, 0));
    if (!status)
        LLVMBuildRetVoid(b->ir);
    return status;
}

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct jit_key_reader in = {key, size};
    struct gpu_program_recipe recipe;
    struct head head;
    if (!jit_key_read(&in, &head, sizeof head) || head.kind >= sizeof kinds / sizeof *kinds)
        return -EINVAL;
    int status =
        gpu_program_key_read(&in, &libresoc_program_kind, (uint32_t)(in.left / SIMPLE_V_WORD_BYTES), &recipe);
    if (status)
        return status;
    struct simple_v_program program = *(const struct simple_v_program *)recipe.program;
    program.address = head.address;
    struct variant variant = {&program, &head};
    status = emit(b, &variant);
    gpu_program_recipe_finish(&recipe);
    return status;
}

int libresoc_code_get(struct jit_engine *engine, enum libresoc_code_kind kind,
                      const struct simple_v_program *program, const struct simple_v_entry *entry,
                      uint32_t run_cost, struct jit_function **out, struct util_error *error)
{
    struct head head;
    memset(&head, 0, sizeof head); /* with what is between its members */
    memcpy(head.mark, mark, sizeof mark);
    head.address = program->address;
    head.entry = *entry;
    head.kind = kind;
    struct variant variant = {program, &head};
    struct jit_request request = {
        .name = kinds[kind].name, .emit = emit, .data = &variant, .emit_key = emit_key, .run_cost = run_cost};
    uint8_t *key = gpu_program_key_write(
        &head, sizeof head, (struct jit_key_part){0},
        (struct jit_key_part){program->code, SIMPLE_V_WORD_BYTES, program->count, SIMPLE_V_WORD_BYTES},
        &request.key_size);
    request.key = key;
    const int status = key ? jit_engine_get_function(engine, &request, out, error) : -ENOMEM;
    free(key);
    return status;
}

LLVMValueRef libresoc_place_each(struct jit_builder *b, LLVMValueRef addresses, libresoc_place_fn one,
                                 void *ctx, LLVMValueRef *there)
{
    const LLVMTypeRef type = LLVMTypeOf(addresses);
    const unsigned count = LLVMGetVectorSize(type);
    const LLVMTypeRef bytes = LLVMVectorType(b->i8, count);
    const LLVMValueRef at = jit_alloca(b, type, "addresses"), in = jit_alloca(b, bytes, "there");
    struct jit_loop loop;
    jit_store(b, addresses, at, 8);
    jit_loop_begin(b, &loop, jit_i32(b, count));
    const LLVMValueRef lane = jit_offset(b, at, LLVMBuildMul(b->ir, loop.index, jit_i32(b, 8), ""));
    LLVMValueRef is;
    const LLVMValueRef host = one(ctx, b, jit_load(b, b->i64, lane, 8, false), &is);
    jit_store(b, host, lane, 8);
    jit_store(b, LLVMBuildZExt(b->ir, is, b->i8, ""), jit_offset(b, in, loop.index), 1);
    jit_loop_end(b, &loop);
    *there = LLVMBuildICmp(b->ir, LLVMIntNE, jit_load(b, bytes, in, 1, false), LLVMConstNull(bytes), "");
    return jit_load(b, type, at, 8, false);
}
