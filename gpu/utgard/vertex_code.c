/* GP programs, each decoded and compiled once: found by their words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/vertex_internal.h"
#include "util/bits.h"

#define PROGRAMS 512u /* kept; a guest that brings more begins again between jobs */

struct utgard_programs {
    uint32_t count;
    struct utgard_vertex_program entry[PROGRAMS];
};

int utgard_programs_create(struct utgard_programs **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : -ENOMEM;
}

static void forget(struct utgard_programs *programs)
{
    for (uint32_t n = 0; n < programs->count; n++)
        utgard_gp_program_destroy(programs->entry[n].program);
    memset(programs, 0, sizeof *programs);
}

void utgard_programs_destroy(struct utgard_programs *programs)
{
    if (programs)
        forget(programs);
    free(programs);
}

void utgard_programs_tidy(struct utgard_programs *programs, struct jit_engine *engine)
{
    bool full = engine && jit_engine_is_full(engine);
    if (programs->count == PROGRAMS || full)
        forget(programs);
    if (full)
        (void)jit_engine_renew(engine); /* with other users it stays full: their programs are interpreted */
}

/* ---- IR ---- */

static LLVMValueRef field(struct jit_builder *b, LLVMTypeRef type, size_t offset)
{
    return jit_load(b, type, jit_offset_const(b, jit_param(b, 0), offset), 4, true);
}

static LLVMValueRef rows(struct jit_builder *b, size_t table, uint32_t index, uint32_t component)
{
    return jit_offset_const(b, field(b, b->ptr, table), (index * 4ull + component) * 64);
}

static void ir_attribute(void *ctx, struct jit_builder *b, uint32_t index, LLVMValueRef out[4])
{
    (void)ctx;
    for (unsigned c = 0; c < 4; c++)
        out[c] = jit_load(b, b->i32x16, rows(b, offsetof(struct utgard_vertex_args, in), index, c), 4, false);
}

static LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component)
{
    (void)ctx;
    LLVMValueRef table = field(b, b->ptr, offsetof(struct utgard_vertex_args, uniforms));
    return jit_load(b, b->i32, jit_offset_const(b, table, index * 16ull + component * 4), 4, false);
}

static LLVMValueRef ir_indexed(void *ctx, struct jit_builder *b, LLVMValueRef index, uint32_t component,
                               LLVMValueRef mask)
{
    (void)ctx;
    LLVMValueRef table = field(b, b->ptr, offsetof(struct utgard_vertex_args, uniforms));
    LLVMValueRef offset = LLVMBuildShl(b->ir, index, jit_splat_u32(b, 4), "");
    return jit_gather_u32(b, jit_offset_const(b, table, component * 4), offset, mask);
}

static void ir_varying(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component,
                       LLVMValueRef value, LLVMValueRef mask)
{
    (void)ctx;
    LLVMValueRef place = rows(b, offsetof(struct utgard_vertex_args, out), index, component);
    if (mask)
        value = jit_select(b, mask, value, jit_load(b, b->i32x16, place, 4, false));
    jit_store(b, value, place, 4);
}

static int emit(struct jit_builder *b, void *data)
{
    const struct utgard_gp_program *program = data;
    LLVMValueRef fault;
    jit_begin_function(b, b->void_, &b->ptr, 1);
    struct utgard_gp_ir_ports ports = {
        .attribute = ir_attribute, .uniform = ir_uniform, .indexed = ir_indexed, .varying = ir_varying};
    if (program->stores_temporaries)
        ports.temporaries = field(b, b->ptr, offsetof(struct utgard_vertex_args, temporaries));
    LLVMValueRef all = jit_mask_from_bits(b, LLVMConstInt(b->i16, 0xffff, false));
    LLVMValueRef fuel = field(b, b->i32, offsetof(struct utgard_vertex_args, fuel));
    int status = utgard_gp_translate(b, program, &ports, all, fuel, &fault, NULL);
    if (status)
        return status;
    jit_store(b, fault, jit_offset_const(b, jit_param(b, 0), offsetof(struct utgard_vertex_args, fault)), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* Begins every key: what follows are the program's words. */
static const char mark[16] = "utgard vertex 2";

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    uint64_t words[UTGARD_GP_MAX_INSNS * UTGARD_GP_WORDS];
    struct utgard_gp_program *program;
    size_t bytes = UTIL_MIN(size - sizeof mark, sizeof words);
    memcpy(words, (const uint8_t *)key + sizeof mark, bytes);
    int status = utgard_gp_program_create(words, (uint32_t)(bytes / 16), &program, NULL);
    if (status)
        return status;
    status = emit(b, program);
    utgard_gp_program_destroy(program);
    return status;
}

/* What cannot be compiled is interpreted: the same results, slower. */
static void compile(struct utgard_vertex_program *p, struct jit_engine *engine, const uint64_t *words)
{
    uint8_t key[sizeof mark + UTGARD_GP_MAX_INSNS * sizeof(uint64_t[UTGARD_GP_WORDS])];
    size_t bytes = p->program->insn_count * sizeof(uint64_t[UTGARD_GP_WORDS]);
    struct jit_request request = {.key = key,
                                  .key_size = sizeof mark + bytes,
                                  .name = "utgard_vertex_program",
                                  .emit = emit,
                                  .data = p->program,
                                  .emit_key = emit_key,
                                  .run_cost = p->program->insn_count};
    memcpy(key, mark, sizeof mark);
    memcpy(key + sizeof mark, words, bytes);
    if (jit_engine_get_function(engine, &request, &p->function, NULL))
        p->function = NULL;
}

/* ---- the list ---- */

static bool is_of(const struct utgard_gp_program *p, const uint64_t *words, uint32_t count)
{
    if (p->insn_count != count)
        return false;
    for (uint32_t n = 0; n < count; n++)
        if (memcmp(p->insns[n].word, words + n * UTGARD_GP_WORDS, sizeof p->insns[n].word) != 0)
            return false;
    return true;
}

int utgard_programs_get(struct utgard_programs *programs, struct jit_engine *engine, const uint64_t *words,
                        uint32_t count, uint32_t address, const struct utgard_vertex_program **out,
                        struct utgard_stop *stop)
{
    struct util_error error = {0};
    struct utgard_vertex_program *p = programs->entry, *end = p + programs->count;
    while (p < end && !is_of(p->program, words, count))
        p++;
    if (p == end) {
        if (programs->count == PROGRAMS) { /* within one job: the oldest gives way to all that come */
            p = programs->entry;
            utgard_gp_program_destroy(p->program);
            *p = programs->entry[--programs->count];
            p = &programs->entry[programs->count];
        }
        *p = (struct utgard_vertex_program){0};
        if (utgard_gp_program_create(words, count, &p->program, &error)) {
            utgard_fault_set(&stop->fault, GPU_FAULT_SHADER, "vertex program", address, "%s", error.text);
            return -EFAULT;
        }
        programs->count++;
    }
    if (engine && !p->tried)
        compile(p, engine, words);
    p->tried |= engine != NULL;
    *out = p;
    return 0;
}
