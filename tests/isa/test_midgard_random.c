/* Random Midgard programs: the seed decides them, no rule is broken, and together they have every value of the
 * table: fields and their bits, operations, modifiers, conditions, registers. */
#include <string.h>

#include "isa/midgard/asm.h"
#include "isa/midgard/names.h"
#include "tests/isa/seen.h"
#include "util/bits.h"

enum { SEEDS = 6000, CAPACITY = 1024 };

static uint32_t make(uint64_t seed, uint32_t capacity, uint64_t *words)
{
    return midgard_random(seed, (unsigned)(seed % 2 ? MIDGARD_RANDOM_FULL : MIDGARD_RANDOM_STRAIGHT), words,
                          capacity);
}

static void test_rules(void **state)
{
    static uint64_t words[CAPACITY * 2], again[CAPACITY * 2];
    unsigned longest = 0, different = 0;
    for (unsigned long long seed = 0; seed < SEEDS; seed++) {
        uint32_t capacity = seed % 5 ? CAPACITY : 128 + (uint32_t)seed % 500,
                 count = make(seed, capacity, words);
        assert_in_range(count, 1, capacity);
        midgard_check(words, count, seen_breach, &seed);
        assert_int_equal(make(seed, capacity, again), count);
        assert_memory_equal(words, again, count * 16u);
        different += make(seed + 2, capacity, again) != count || memcmp(words, again, count * 16u) != 0;
        longest = UTIL_MAX(longest, count);
    }
    assert_in_range(different, SEEDS - 5, SEEDS);
    assert_true(longest > 60);
}

/* Profiles have what they say: of bundles alone no other word is there. */
static void test_profiles(void **state)
{
    static uint64_t words[CAPACITY * 2];
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct midgard_insn i;
        uint32_t count = midgard_random(seed, MIDGARD_RANDOM_ARITHMETIC, words, CAPACITY);
        for (uint32_t at = 0; at < count; at += midgard_decode(words, count, at, &i))
            assert_in_range(words[at * 2] & 15, MIDGARD_TAG_ALU, 15);
    }
}

/* ---- coverage ---- */

static struct midgard_insn insns[SEEDS * 40];
#define SEEN(name, condition) SEEN_IN(insns, name, condition)

static void take_all(void)
{
    static uint64_t words[CAPACITY * 2];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = make(seed, CAPACITY, words);
        for (uint32_t at = 0; at < count;) {
            assert_true(seen_count < UTIL_ARRAY_SIZE(insns));
            at += midgard_decode(words, count, at, &insns[seen_count++]);
        }
    }
}

static bool has_alu(const struct midgard_insn *i, uint8_t op)
{
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++)
        if (midgard_has(i, (enum midgard_unit)u) && i->alu[u].op == op)
            return true;
    return false;
}

static bool has_memory(const struct midgard_insn *i, uint32_t op)
{
    return i->tag == MIDGARD_TAG_LOAD_STORE && (i->memory[0].op == op || i->memory[1].op == op);
}

static bool has_texture(const struct midgard_insn *i)
{
    return midgard_kind_of(i->tag) == MIDGARD_TEXTURE;
}

static void test_operations(void)
{
#define UNIT(name, bit, halves)                                          SEEN(#name, midgard_has(i, MIDGARD_##name));
#define ALU_OP(value, text, units, form, types, lane_op, policy)         SEEN(text, has_alu(i, value));
#define ALU_CONVERT(value, text, units, types, op16, op32, op64, policy) SEEN(text, has_alu(i, value));
#define MEMORY_OP(value, text, class, type, bytes, swap)                 SEEN(text, has_memory(i, value));
#define ATOMIC_OP(value, text, op)                                                                           \
    for (uint32_t n = 0; n < 4; n++)                                                                         \
        SEEN(text, has_memory(i, (value) + n));
#define TEXTURE_OP(value, text) SEEN(text, has_texture(i) && i->texture.op == (value));
#include "isa/midgard/insns.inc"
}

/* Of each unit: modes, expansions, modifiers, registers. */
static void test_units(void)
{
    for (unsigned n = 0; n < MIDGARD_ALU_UNITS; n++) {
        enum midgard_unit u = (enum midgard_unit)n;
        bool scalar = midgard_is_scalar(u);
        for (uint8_t v = 0; v < 32; v++) {
            SEEN("a", midgard_has(i, u) && (i->alu[u].a.reg == v || (v >= 24 && v < 26 && u < MIDGARD_VADD)));
            if (v < 15)
                SEEN("to", midgard_has(i, u) && i->alu[u].dest == v);
        }
        for (uint8_t v = 0; v < 4; v++) {
            SEEN("modifier of a result", midgard_has(i, u) && i->alu[u].outmod == v);
            SEEN("modifier of an operand", midgard_has(i, u) && i->alu[u].b.mod == v);
            if (!scalar && !(u == MIDGARD_VLUT && v == MIDGARD_MODE_8))
                SEEN("mode", midgard_has(i, u) && i->alu[u].mode == v);
            if (!scalar && v < 3)
                SEEN("narrow", midgard_has(i, u) && i->alu[u].shrink == v);
        }
        for (uint8_t v = 0; v < 8; v++) {
            if (scalar)
                SEEN("component", midgard_has(i, u) && i->alu[u].component == v);
            else if (!(u == MIDGARD_VLUT && v > MIDGARD_EXPAND_HIGH))
                SEEN("expansion", midgard_has(i, u) && i->alu[u].a.expand == v);
        }
        SEEN("immediate", midgard_has(i, u) && i->alu[u].immediate);
    }
    SEEN("constants", i->has_constants);
}

static void test_flow(void)
{
    for (uint8_t v = 0; v < 4; v++) {
        if (v)
            SEEN("condition", midgard_has(i, MIDGARD_BRANCH) && i->jump[0].condition == v);
        if (v)
            SEEN("extended condition", midgard_has(i, MIDGARD_BRANCHX) && i->jump[1].condition == v * 0x5555);
    }
    SEEN("table", midgard_has(i, MIDGARD_BRANCHX) && i->jump[1].condition % 0x5555);
    SEEN("jump", midgard_has(i, MIDGARD_BRANCH) && i->jump[0].op == MIDGARD_JUMP);
    SEEN("discard", midgard_has(i, MIDGARD_BRANCH) && i->jump[0].op == MIDGARD_DISCARD);
    SEEN("tile wait", midgard_has(i, MIDGARD_BRANCH) && i->jump[0].op == MIDGARD_TILE_PENDING);
    SEEN("writeout", midgard_has(i, MIDGARD_BRANCHX) && i->jump[1].op == MIDGARD_WRITEOUT);
    SEEN("backward", midgard_has(i, MIDGARD_BRANCH) && i->jump[0].offset < 0);
    for (uint8_t v = 1; v < 16; v++)
        if (v != 6 && v != 7)
            SEEN("next", i->next == v);
}

static void test_words(void)
{
    for (uint8_t v = 0; v < 16; v++)
        SEEN("mask", i->tag == MIDGARD_TAG_LOAD_STORE && i->memory[0].mask == v);
    for (uint8_t v = 0; v < 8; v++) {
        SEEN("argument", i->tag == MIDGARD_TAG_LOAD_STORE && i->memory[0].arg_reg == v);
        SEEN("index format", i->tag == MIDGARD_TAG_LOAD_STORE && i->memory[0].index_format == v / 2);
    }
    for (uint8_t v = 0; v < 16; v++) {
        if (v < 4)
            SEEN("dimensions", has_texture(i) && i->texture.dimensions == v);
        if (v < 4 && v)
            SEEN("exec", has_texture(i) && i->texture.exec == v);
        SEEN("registers", has_texture(i) && i->texture.in.full == (v & 1) &&
                              i->texture.in.select == (v >> 1 & 1) && i->texture.out_full == (v >> 2 & 1) &&
                              i->texture.out_select == v >> 3);
        SEEN("by register", has_texture(i) && i->texture.sampler_register == (v & 1) &&
                                i->texture.lod_register == (v >> 1 & 1) &&
                                (v < 8 || i->texture.texture_register) &&
                                i->texture.offset_register == (v >> 2 & 1));
        if (v == 1 || v == 5 || v == 6 || (v >= 8 && v < 12))
            SEEN("mode of a texture", has_texture(i) && i->texture.mode == v);
    }
}

static void test_everything(void **state)
{
    take_all();
    test_operations();
    test_units();
    test_flow();
    test_words();
    seen_print();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
