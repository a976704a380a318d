#include "gpu/libresoc/stage_code.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/program_key.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/trans.h"

/* ---- what it reaches ---- */

/* An i64 of the thread, for each lane of what `like` is. */
static LLVMValueRef field(struct jit_builder *b, LLVMValueRef thread, size_t offset, LLVMValueRef like)
{
    LLVMValueRef value = jit_load(b, b->i64, jit_offset_const(b, thread, offset), 8, true);
    const LLVMTypeRef type = LLVMTypeOf(like);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return value;
    LLVMValueRef lanes = LLVMGetUndef(type);
    for (unsigned l = 0; l < LLVMGetVectorSize(type); l++)
        lanes = LLVMBuildInsertElement(b->ir, lanes, value, jit_i32(b, l), "");
    return lanes;
}

struct access {
    struct jit_builder *b;
    LLVMValueRef thread, address, bytes; /* bytes: as many lanes as the address */
    LLVMValueRef host, there;            /* so far; NULL: nowhere yet */
};

#define REACH(member) offsetof(struct libresoc_thread, member)

/* Whether it lies in memory of the thread. */
static LLVMValueRef within(const struct access *a, size_t reach, LLVMValueRef *host)
{
    struct jit_builder *b = a->b;
    const LLVMValueRef at = field(b, a->thread, reach + offsetof(struct libresoc_reach, at), a->address);
    const LLVMValueRef size = field(b, a->thread, reach + offsetof(struct libresoc_reach, size), a->address);
    const LLVMValueRef base = field(b, a->thread, reach + offsetof(struct libresoc_reach, host), a->address);
    const LLVMValueRef offset = LLVMBuildSub(b->ir, a->address, at, "");
    const LLVMValueRef fits = LLVMBuildICmp(b->ir, LLVMIntUGE, size, a->bytes, "");
    const LLVMValueRef most = LLVMBuildSub(b->ir, size, a->bytes, "");
    *host = LLVMBuildAdd(b->ir, base, offset, "");
    return LLVMBuildAnd(b->ir, fits, LLVMBuildICmp(b->ir, LLVMIntULE, offset, most, ""), "");
}

static void add(struct access *a, LLVMValueRef there, LLVMValueRef host)
{
    struct jit_builder *b = a->b;
    a->host = a->there ? LLVMBuildSelect(b->ir, there, host, a->host, "") : host;
    a->there = a->there ? LLVMBuildOr(b->ir, a->there, there, "") : there;
}

/* What the frame writes nobody reads. */
static LLVMValueRef unwritten(const struct access *a, LLVMValueRef there)
{
    struct jit_builder *b = a->b;
    const LLVMValueRef end = LLVMBuildAdd(b->ir, a->address, a->bytes, "");
    for (unsigned n = 0; n < LIBRESOC_WRITTEN; n++) {
        const size_t from = offsetof(struct libresoc_thread, written.span[n].from),
                     to = offsetof(struct libresoc_thread, written.span[n].to);
        const LLVMValueRef before =
            LLVMBuildICmp(b->ir, LLVMIntULE, end, field(b, a->thread, from, a->address), "");
        const LLVMValueRef behind =
            LLVMBuildICmp(b->ir, LLVMIntUGE, a->address, field(b, a->thread, to, a->address), "");
        there = LLVMBuildAnd(b->ir, there, LLVMBuildOr(b->ir, before, behind, ""), "");
    }
    return there;
}

static LLVMValueRef place(void *ctx, struct jit_builder *b, LLVMValueRef thread, LLVMValueRef address,
                          LLVMValueRef bytes, bool stores, LLVMValueRef *there)
{
    struct access a = {.b = b, .thread = thread, .address = address, .bytes = bytes};
    LLVMValueRef host, in;
    if (LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind &&
        LLVMGetTypeKind(LLVMTypeOf(bytes)) != LLVMVectorTypeKind) {
        a.bytes = LLVMGetUndef(LLVMTypeOf(address));
        for (unsigned l = 0; l < LLVMGetVectorSize(LLVMTypeOf(address)); l++)
            a.bytes = LLVMBuildInsertElement(b->ir, a.bytes, bytes, jit_i32(b, l), "");
    }
    in = within(&a, REACH(stack), &host);
    add(&a, in, host);
    in = within(&a, REACH(out), &host);
    add(&a, in, host);
    if (!stores) {
        in = within(&a, REACH(in), &host);
        add(&a, in, host);
        in = within(&a, REACH(memory), &host);
        add(&a, unwritten(&a, in), host);
    }
    *there = a.there;
    return a.host;
}

/* ---- code ---- */

struct variant {
    const struct simple_v_program *program;
};

static int emit(struct jit_builder *b, void *data)
{
    const struct simple_v_ir_ports ports = {.place = place};
    const struct variant *variant = data;
    LLVMTypeRef params[] = {b->ptr};
    jit_begin_function(b, b->void_, params, 1);
    const int status = simple_v_translate(b, variant->program, LIBRESOC_EXIT, &ports, jit_param(b, 0));
    if (!status)
        LLVMBuildRetVoid(b->ir);
    return status;
}

/* What a key begins with; the program's words follow. */
struct head {
    char mark[16];
    uint64_t address;
};
static const char mark[16] = "libresoc stage 1";

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct jit_key_reader in = {key, size};
    struct gpu_program_recipe recipe;
    struct head head;
    if (!jit_key_read(&in, &head, sizeof head))
        return -EINVAL;
    int status =
        gpu_program_key_read(&in, &libresoc_program_kind, (uint32_t)(in.left / SIMPLE_V_WORD_BYTES), &recipe);
    if (status)
        return status;
    struct simple_v_program program = *(const struct simple_v_program *)recipe.program;
    program.address = head.address;
    struct variant variant = {&program};
    status = emit(b, &variant);
    gpu_program_recipe_finish(&recipe);
    return status;
}

/* Where a program stands and begins. */
struct standing {
    uint64_t address, entry;
};

/* A translation follows a program from its first halfword: that is the entry. What stands before it is interpreted. */
static struct simple_v_program from_entry(const struct simple_v_program *whole, const struct standing *at)
{
    const uint32_t first = (uint32_t)(at->entry / SIMPLE_V_WORD_BYTES);
    struct simple_v_program out = *whole;
    out.address = at->address + at->entry;
    out.count -= first;
    out.code += first;
    out.insns += first;
    out.block += first;
    return out;
}

static struct jit_function *compile(const struct gpu_program *of, const struct standing *at,
                                    struct jit_engine *engine)
{
    const struct simple_v_program program = from_entry(of->program, at);
    struct variant variant = {&program};
    struct head head = {.address = program.address};
    struct jit_request request = {.name = "libresoc_stage",
                                  .emit = emit,
                                  .data = &variant,
                                  .emit_key = emit_key,
                                  .run_cost = program.count};
    struct jit_function *function = NULL;
    memcpy(head.mark, mark, sizeof mark);
    uint8_t *key = gpu_program_key_write(
        &head, sizeof head, (struct jit_key_part){0},
        (struct jit_key_part){program.code, SIMPLE_V_WORD_BYTES, program.count, SIMPLE_V_WORD_BYTES},
        &request.key_size);
    request.key = key;
    if (!key || jit_engine_get_function(engine, &request, &function, NULL))
        function = NULL;
    free(key);
    return function;
}

struct jit_function *libresoc_stage_code(struct gpu_program *program, uint64_t address, uint64_t entry,
                                         struct jit_engine *engine)
{
    const uintptr_t of = (uintptr_t)engine;
    const struct standing at = {address, entry};
    const struct util_memo_key key = {&of, sizeof of, &at, sizeof at};
    enum util_make_status status;
    struct jit_function **code = gpu_program_code(program, &key, sizeof(struct jit_function *), &status);
    if (status == UTIL_MAKING) {
        *code = compile(program, &at, engine);
        util_memo_end(&program->codes, code, true);
    }
    return code ? *code : NULL; /* what cannot be compiled is interpreted: the same results, slower */
}
