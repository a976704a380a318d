#include "fuzz/world/world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

static const struct world_set *const all[] = {&world_vc4_qpu, &world_utgard_gp, &world_utgard_pp,
                                              &world_midgard, &world_valhall,   &world_bifrost,
                                              &world_simple_v};

const struct world_set *world_find(const char *name)
{
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(all); n++)
        if (strcmp(all[n]->isa->name, name) == 0)
            return all[n];
    return NULL;
}

unsigned world_modes(const struct world_set *set)
{
    unsigned n = 0;
    while (set->modes[n])
        n++;
    return n;
}

/* ---- many programs as one module ---- */

/* void program(world); NULL when it is not translated: *result has the reason. */
static LLVMValueRef emit_program(struct jit_builder *b, const struct world_batch *batch, unsigned n,
                                 int *result)
{
    LLVMTypeRef params[1] = {b->ptr};
    LLVMValueRef f = jit_begin_internal(b, "program", b->void_, params, 1);
    *result = batch->set->emit(b, batch->programs[n], batch->mode, jit_param(b, 0));
    if (*result) {
        LLVMDeleteFunction(f);
        return NULL;
    }
    LLVMBuildRetVoid(b->ir);
    return f;
}

/* void run(index, world): calls program `index`. */
static void emit_choice(struct jit_builder *b, const LLVMValueRef *functions, unsigned count)
{
    LLVMTypeRef params[2] = {b->i32, b->ptr};
    LLVMTypeRef type = LLVMFunctionType(b->void_, params + 1, 1, false);
    jit_begin_function(b, b->void_, params, 2);
    LLVMBasicBlockRef none = LLVMAppendBasicBlockInContext(b->context, b->function, "none");
    LLVMValueRef choose = LLVMBuildSwitch(b->ir, jit_param(b, 0), none, count), world = jit_param(b, 1);
    LLVMPositionBuilderAtEnd(b->ir, none);
    LLVMBuildRetVoid(b->ir);
    for (unsigned n = 0; n < count; n++) {
        if (!functions[n])
            continue;
        LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(b->context, b->function, "call");
        LLVMAddCase(choose, jit_i32(b, n), block);
        LLVMPositionBuilderAtEnd(b->ir, block);
        LLVMBuildCall2(b->ir, type, functions[n], &world, 1, "");
        LLVMBuildRetVoid(b->ir);
    }
}

static int emit_batch(struct jit_builder *b, void *data)
{
    const struct world_batch *batch = data;
    LLVMValueRef *functions = calloc(batch->count, sizeof(LLVMValueRef));
    int result = functions ? 0 : -ENOMEM;
    for (unsigned n = 0; !result && n < batch->count; n++) {
        functions[n] = emit_program(b, batch, n, &result);
        batch->translated[n] = functions[n];
        if (result == -ENOTSUP)
            result = 0;
    }
    if (!result)
        emit_choice(b, functions, batch->count);
    free(functions);
    return result;
}

int world_compile(struct jit_engine *engine, const struct world_batch *batch, const uint64_t key[2],
                  world_fn *out, struct util_error *error)
{
    struct world_batch copy = *batch;
    struct jit_request request = {.key = key,
                                  .key_size = 2 * sizeof *key,
                                  .name = batch->set->isa->name,
                                  .emit = emit_batch,
                                  .data = &copy};
    void *code = NULL;
    int status = jit_engine_get(engine, &request, &code, error);
    *out = (world_fn)code;
    return status;
}

/* ---- comparing ---- */

static void call(world_fn code, uint32_t index, void *world)
{
    code(index, world);
}

bool world_compare(const struct world_set *set, const void *program, unsigned mode, world_fn code,
                   uint32_t index, const void *input, struct world_outcome *outcome)
{
    size_t bytes = (set->bytes + 63) & ~(size_t)63;
    char *both = aligned_alloc(64, bytes * 2);
    if (!both)
        abort();
    void *expected = both, *got = both + bytes;
    memcpy(expected, input, set->bytes);
    memcpy(got, input, set->bytes);
    set->run(program, mode, expected);
    call(code, index, got);
    set->count(expected, outcome);
    bool same = set->same(program, mode, input, expected, got);
    free(both);
    return same;
}

bool world_agrees(const struct world_set *set, void *program, unsigned mode, struct jit_engine *engine,
                  uint64_t number, unsigned inputs, bool *translated, struct world_outcome *outcome)
{
    struct world_batch batch = {set, &program, 1, mode, translated};
    const uint64_t key[2] = {number, mode};
    struct util_error error = {0};
    void *input = aligned_alloc(64, (set->bytes + 63) & ~(size_t)63);
    world_fn code;
    bool same = true;
    if (!input)
        abort();
    *translated = false;
    if (world_compile(engine, &batch, key, &code, &error))
        same = world_differs("%s", error.text);
    for (unsigned n = 0; *translated && same && n < inputs; n++) {
        set->fill(input, program, mode, number * inputs + n);
        same = world_compare(set, program, mode, code, 0, input, outcome) ||
               world_differs("%s, input %u", set->modes[mode], n);
    }
    free(input);
    return same;
}

bool world_returns(const struct isa_set *isa, world_disasm_fn disasm, const void *words, uint32_t count,
                   bool (*exempt)(const char *text))
{
    for (uint32_t at = 0, length = 1; length && at < count; at += length) {
        char text[ISA_LINE_MAX];
        void *again;
        uint32_t length_again;
        const uint8_t *here = (const uint8_t *)words + (size_t)at * isa->word_bytes;
        length = disasm(words, count, at, text);
        if (!length || isa_assemble(isa->syntax, text, strlen(text), &again, &length_again, NULL))
            return world_differs("no program: %s", text);
        const bool same =
            length == length_again &&
            ((exempt && exempt(text)) || memcmp(again, here, (size_t)length * isa->word_bytes) == 0);
        free(again);
        if (!same)
            return world_differs("other words: %s", text);
    }
    return true;
}

bool world_same_float(uint32_t x, uint32_t y)
{
    bool nan_x = (x & 0x7fffffff) > 0x7f800000, nan_y = (y & 0x7fffffff) > 0x7f800000;
    return x == y || (nan_x && nan_y);
}

bool world_differs(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}
