/* Functions of jit/math.h in compiled code, at every level: of numbers that are constant when code is made what
 * they give of the same numbers from memory. LLVM computes with constants as if denormals were kept. */
#include <string.h>

#include "jit/math.h"
#include "tests/jit/code.h"
#include "util/bits.h"
#include "util/fpenv.h"

typedef LLVMValueRef (*function)(struct jit_builder *b, LLVMValueRef x);

static LLVMValueRef unit_times(struct jit_builder *b, LLVMValueRef x)
{
    return jit_unit_times(b, x, 255);
}
static LLVMValueRef limit_great(struct jit_builder *b, LLVMValueRef x)
{
    return jit_limit_to_half(b, x, true);
}
static LLVMValueRef limit_small(struct jit_builder *b, LLVMValueRef x)
{
    return jit_limit_to_half(b, x, false);
}
static LLVMValueRef limited(struct jit_builder *b, LLVMValueRef x)
{
    return jit_f32_to_limited_i32(b, x, true);
}
static LLVMValueRef limited_unsigned(struct jit_builder *b, LLVMValueRef x)
{
    return jit_f32_to_limited_i32(b, x, false);
}

static const struct {
    const char *name;
    function make;
} functions[] = {
    {"exp2", jit_exp2},
    {"exp2_part", jit_exp2_part},
    {"limited", limited},
    {"limited, unsigned", limited_unsigned},
    {"log2", jit_log2},
    {"sin_turns", jit_sin_turns},
    {"cos_turns", jit_cos_turns},
    {"atan", jit_atan},
    {"unit_times", unit_times},
    {"limit, great", limit_great},
    {"limit, small", limit_small},
    {"round", jit_round_to_half},
};

static const uint32_t numbers[16] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff,
                                     0x00800000, 0x80800000, 0x00ffffff, 0x1e000000, 0x33000000, 0x9e000000,
                                     0x3f800000, 0xc2fc0000, 0x7f800000, 0x7fc00000};

/* Once of the sixteen numbers as a constant, and once of those in memory. */
static int emit(struct jit_builder *b, void *data)
{
    function make = *(const function *)data;
    LLVMTypeRef params[1] = {b->ptr};
    jit_begin_function(b, b->void_, params, 1);
    LLVMValueRef at = jit_param(b, 0), loaded = jit_load(b, b->f32x16, at, 4, false);
    jit_store(b, make(b, jit_as_f32(b, jit_vector_u32(b, numbers))), jit_offset_const(b, at, 64), 4);
    jit_store(b, make(b, loaded), jit_offset_const(b, at, 128), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static bool is_nan(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

static void check(struct jit_engine *engine, uint32_t n)
{
    uint32_t place[3][16];
    function make = functions[n].make;
    void *code;

    assert_int_equal(get(engine, n, emit, &make, &code, NULL), 0);
    memcpy(place[0], numbers, sizeof numbers);
    ((void (*)(uint32_t(*)[16]))code)(place);
    for (unsigned l = 0; l < 16; l++)
        if (place[1][l] != place[2][l] && !(is_nan(place[1][l]) && is_nan(place[2][l])))
            fail_msg("%s of %08x: %08x as a constant, %08x from memory", functions[n].name, numbers[l],
                     place[1][l], place[2][l]);
}

static void constants_are_as_numbers_in_memory(void **state)
{
    unsigned saved = util_fpenv_enter();
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!jit_level_supported(level))
            continue;
        struct jit_engine *engine = engine_at((int)level, "");
        for (uint32_t n = 0; n < UTIL_ARRAY_SIZE(functions); n++)
            check(engine, n);
        jit_engine_destroy(engine);
    }
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constants_are_as_numbers_in_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
