/* What tests of the compiler share: an engine at a level, code from it, and a function that is easy to check.
 */
#ifndef VITRAIL_TESTS_JIT_CODE_H
#define VITRAIL_TESTS_JIT_CODE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jit/builder.h"
#include "jit/engine.h"

static inline struct jit_engine *engine_at(int level, const char *cache_dir)
{
    struct jit_options options = {.level = level, .optimize = 2, .cache_dir = cache_dir};
    struct util_error error = {0};
    struct jit_engine *engine = NULL;

    if (jit_engine_create(&options, &engine, &error))
        fail_msg("%s", error.text);
    return engine;
}

static inline int get(struct jit_engine *engine, uint32_t key, jit_emit_fn emit, void *data, void **code,
                      struct util_error *error)
{
    struct jit_request request = {
        .key = &key, .key_size = sizeof key, .name = "test", .emit = emit, .data = data};
    return jit_engine_get(engine, &request, code, error);
}

static inline void *must_get(struct jit_engine *engine, uint32_t key, jit_emit_fn emit)
{
    struct util_error error = {0};
    void *code = NULL;

    if (get(engine, key, emit, NULL, &code, &error))
        fail_msg("%s", error.text);
    return code;
}

/* x plus 1, or plus *data. */
static inline int emit_add(struct jit_builder *b, void *data)
{
    uint32_t addend = data ? *(uint32_t *)data : 1;
    jit_begin_function(b, b->i32, &b->i32, 1);
    LLVMBuildRet(b->ir, LLVMBuildAdd(b->ir, jit_param(b, 0), jit_i32(b, addend), ""));
    return 0;
}

static inline uint32_t call(void *code, uint32_t x)
{
    return ((uint32_t (*)(uint32_t))code)(x);
}

#endif
