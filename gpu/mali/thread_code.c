/* Code of compute, vertex and geometry programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/world_ir.h"
#include "gpu/program_key.h"

enum { CODE, THREADS, CALL, PARAMS };

/* What a key begins with; lookups and the program's words follow. */
struct head {
    char mark[16];
    uint32_t kind; /* enum mali_kind: the program's traits */
    uint32_t words;
    struct mali_code_forms forms;
};
static const char mark[16] = "mali threads 5";

struct variant {
    const struct mali_decoded *program;
    const struct mali_code_forms *forms;
    const struct mali_code_lookup *lookups;
};

/* ---- the function ---- */

static LLVMValueRef of_call(struct jit_builder *b, LLVMTypeRef type, size_t offset)
{
    return jit_load(b, type, jit_offset_const(b, jit_param(b, CALL), offset), 4, false);
}

static void leave(struct jit_builder *b, LLVMValueRef value, size_t offset)
{
    jit_store(b, value, jit_offset_const(b, jit_param(b, CALL), offset), 8);
}

/* What either machine's translation is given and leaves. */
struct body {
    LLVMValueRef lanes, fuel, address, state, fault, executed, fault_address;
};

static int emit_midgard(struct jit_builder *b, const struct variant *v, struct mali_world_ir *e,
                        struct body *body)
{
    struct midgard_ir_ports ports;
    struct midgard_ir_state state;
    const struct midgard_ir_input input = {.uniform_count = v->forms->uniform_count / 4u,
                                           .address = body->address,
                                           .lanes = body->lanes,
                                           .fuel = body->fuel,
                                           .state = body->state};
    mali_world_ir_ports(e, &ports);
    int status = midgard_translate(b, v->program->midgard, &ports, &input, &body->fault, &state);
    body->executed = state.executed;
    body->fault_address = state.fault_address;
    return status;
}

static int emit_warp(struct jit_builder *b, const struct variant *v, struct mali_world_ir *e,
                     struct body *body)
{
    struct warp_ir_ports ports;
    struct warp_ir_state state;
    struct warp_ir_input input = {
        .address = body->address, .lanes = body->lanes, .fuel = body->fuel, .state = body->state};
    mali_world_ir_warp_ports(e, &ports);
    if (!body->state)
        mali_world_ir_registers(e, b, v->program->warp, input.reg);
    int status = warp_translate(b, v->program->warp, &ports, &input, &body->fault, &state);
    body->executed = state.executed;
    body->fault_address = state.fault_address;
    return status;
}

static int emit(struct jit_builder *b, void *data)
{
    const struct variant *v = data;
    const LLVMTypeRef params[PARAMS] = {b->ptr, b->ptr, b->ptr};
    struct mali_world_ir e = {
        .forms = v->forms, .lookups = v->lookups, .requests = v->program->requests, .warp = v->program->warp};
    jit_begin_function(b, b->i32, params, PARAMS);
    jit_param_readable(b, CODE, sizeof(struct mali_code), 8);
    e.code = jit_param(b, CODE);
    e.threads = jit_param(b, THREADS);
    e.calls.ports = jit_offset_const(b, e.threads, offsetof(struct mali_threads, ports));
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(b->context, b->function, "body");
    LLVMBuildBr(b->ir, block);
    LLVMPositionBuilderAtEnd(b->ir, block);
    LLVMValueRef lanes =
        LLVMBuildTrunc(b->ir, of_call(b, b->i32, offsetof(struct mali_code_call, lanes)), b->i16, "");
    struct body body = {
        .lanes = jit_mask_from_bits(b, lanes),
        .fuel = of_call(b, b->i32, offsetof(struct mali_code_call, fuel)),
        .address = jit_load_at_entry(b, b->i64, e.code, offsetof(struct mali_code, address), 8),
        .state = v->program->barriers ? of_call(b, b->ptr, offsetof(struct mali_code_call, state)) : NULL};
    int status = (v->program->warp ? emit_warp : emit_midgard)(b, v, &e, &body);
    if (status)
        return status;
    leave(b, body.executed, offsetof(struct mali_code_call, executed));
    leave(b, body.fault_address ? body.fault_address : jit_i64(b, 0),
          offsetof(struct mali_code_call, address));
    LLVMBuildRet(b->ir, body.fault);
    return 0;
}

/* ---- keys ---- */

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct jit_key_reader in = {key, size};
    struct gpu_program_recipe recipe;
    struct head head;
    if (!jit_key_read(&in, &head, sizeof head) || head.kind >= MALI_KIND_COUNT)
        return -EINVAL;
    int status = gpu_program_key_read(&in, mali_program_kind(head.kind), head.words, &recipe);
    if (status)
        return status;
    struct variant variant = {recipe.program, &head.forms, recipe.keys};
    status = emit(b, &variant);
    gpu_program_recipe_finish(&recipe);
    return status;
}

static struct jit_function *compile(const struct mali_world *w, struct jit_engine *engine, struct head *head,
                                    const struct mali_code_lookup *lookups)
{
    struct variant variant = {w->program, &head->forms, lookups};
    struct jit_request request = {.name = "mali_thread_program",
                                  .emit = emit,
                                  .data = &variant,
                                  .emit_key = emit_key,
                                  .run_cost = w->program->insn_count};
    struct jit_function *function = NULL;
    uint8_t *key = gpu_program_key_write(
        head, sizeof *head,
        (struct jit_key_part){lookups, sizeof *lookups, head->forms.lookup_count, sizeof *lookups},
        (struct jit_key_part){w->from->words, w->from->bytes, 1, w->from->bytes}, &request.key_size);
    request.key = key;
    if (!key || jit_engine_get_function(engine, &request, &function, NULL))
        function = NULL;
    free(key);
    return function;
}

struct jit_function *mali_thread_code(struct mali_world *w, struct jit_engine *engine,
                                      struct util_arena *arena, struct mali_code **out)
{
    struct mali_code_lookup lookups[MALI_CODE_LOOKUPS];
    struct {
        const struct jit_engine *engine;
        struct head head;
    } of;
    memset(&of, 0, sizeof of);
    of.engine = engine;
    struct mali_code *code = engine ? util_arena_alloc(arena, sizeof *code) : NULL;
    if (!code)
        return NULL;
    mali_code_prepare(w, &of.head.forms, lookups, code);
    memcpy(of.head.mark, mark, sizeof mark);
    of.head.kind = w->shared->kind;
    of.head.words = (uint32_t)(w->from->bytes / w->program->word_bytes);
    const struct util_memo_key key = {&of, sizeof of, lookups, of.head.forms.lookup_count * sizeof *lookups};
    enum util_make_status status;
    struct jit_function **kept = gpu_program_code(w->from, &key, sizeof(struct jit_function *), &status);
    if (status == UTIL_MAKING) {
        *kept = compile(w, engine, &of.head, lookups);
        util_memo_end(&w->from->codes, kept, true);
    }
    *out = code;
    return kept ? *kept : NULL;
}
