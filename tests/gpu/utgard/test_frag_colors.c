/* Bytes as registers of fragment programs have them and back, compiled at every level. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/utgard/frag_emit.h"
#include "jit/engine.h"
#include "util/bits.h"
#include "util/fpenv.h"
#include "util/half.h"

struct io {
    uint32_t word[16], other[16], number[16];
    uint32_t byte[4][16];  /* what a program is given of `word` */
    uint32_t color[3][16]; /* words of registers */
    uint32_t depth[2][16]; /* 16 and 24 bits of `word` */
};

static LLVMValueRef at(struct jit_builder *b, size_t offset)
{
    return jit_offset_const(b, jit_param(b, 0), offset);
}

static LLVMValueRef load(struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32x16, at(b, offset), 4, false);
}

/* Registers: bytes in another order; of two words, and a number of its own; what only looks like a byte. */
static int emit_colors(struct jit_builder *b, void *data)
{
    struct utgard_frag_head head = {.numeric = (uint8_t)*(const enum isa_numeric *)data};
    struct utgard_frag_emit e = {.head = &head};
    LLVMTypeRef params[1] = {b->ptr};
    LLVMValueRef byte[4], other, word;

    jit_begin_function(b, b->void_, params, 1);
    word = load(b, offsetof(struct io, word));
    for (unsigned c = 0; c < 4; c++) {
        byte[c] = utgard_frag_byte(&e, b, word, c);
        jit_store(b, byte[c], at(b, offsetof(struct io, byte[c])), 4);
    }
    for (unsigned n = 0; n < 2; n++)
        jit_store(b, utgard_frag_part(&e, b, word, 8 * n, n ? 24 : 16), at(b, offsetof(struct io, depth[n])),
                  4);
    other = utgard_frag_byte(&e, b, load(b, offsetof(struct io, other)), 1);
    for (unsigned c = 0; c < 4; c++)
        e.end.reg[0][c] = byte[(c + 2) & 3];
    e.end.reg[1][0] = byte[3];
    e.end.reg[1][1] = other;
    e.end.reg[1][2] = load(b, offsetof(struct io, number));
    e.end.reg[1][3] = jit_splat_u32(b, 0x3f800000);
    for (unsigned c = 0; c < 4; c++)
        e.end.reg[2][c] = LLVMBuildXor(b->ir, byte[c], jit_splat_u32(b, 0x80000000), "");
    for (uint8_t n = 0; n < 3; n++)
        jit_store(b, utgard_frag_color_word(&e, b, n), at(b, offsetof(struct io, color[n])), 4);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static uint32_t number_of(float value, enum isa_numeric numeric)
{
    return util_f2u(numeric == ISA_EXACT ? util_round_to_half(value) : value);
}

static void check(void (*f)(struct io *), enum isa_numeric numeric)
{
    for (uint32_t v = 0; v < 256; v++) {
        struct io io;

        for (uint32_t l = 0; l < 16; l++) {
            io.word[l] = v * 0x01010101 + l * 0x05030110;
            io.other[l] = (v + 3 * l) << 8;
            io.number[l] = util_f2u((float)(v + l) / 300.0f);
        }
        f(&io);
        for (uint32_t l = 0; l < 16; l++) {
            uint32_t word = io.word[l], number = (uint32_t)rintf(fminf(util_u2f(io.number[l]), 1) * 255);

            for (unsigned c = 0; c < 4; c++)
                assert_int_equal(io.byte[c][l], number_of((float)(word >> 8 * c & 255) / 255.0f, numeric));
            assert_int_equal(io.depth[0][l], number_of((float)(word & 0xffff) / 65535.0f, numeric));
            assert_int_equal(io.depth[1][l], number_of((float)(word >> 8) / 16777215.0f, numeric));
            assert_int_equal(io.color[0][l], word >> 16 | word << 16);
            assert_int_equal(io.color[1][l], word >> 24 | (io.other[l] & 0xff00) | number << 16 | 0xff000000);
            assert_int_equal(io.color[2][l], 0);
        }
    }
}

static void test_bytes(void **state)
{
    static const enum isa_numeric numerics[2] = {ISA_EXACT, ISA_FAST};
    unsigned saved = util_fpenv_enter();

    for (unsigned n = 0; n < 2 * JIT_LEVEL_COUNT; n++) {
        struct jit_options options = {.level = (int)(n / 2), .optimize = 2, .cache_dir = ""};
        enum isa_numeric numeric = numerics[n & 1];
        struct jit_request request = {.key = &numeric,
                                      .key_size = sizeof numeric,
                                      .name = "test",
                                      .emit = emit_colors,
                                      .data = &numeric};
        struct jit_engine *engine;
        void *code;

        if (!jit_level_supported(n / 2))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        assert_int_equal(jit_engine_get(engine, &request, &code, NULL), 0);
        check((void (*)(struct io *))code, numeric);
        jit_engine_destroy(engine);
    }
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
