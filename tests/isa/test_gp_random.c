/* Random GP programs: the seed decides them, no rule is broken, they end without a fault of fuel, and
 * together they have every value of the table: operations, sources in every place, stores, and each field's
 * bits. */
#include <string.h>

#include "isa/isa.h"
#include "isa/utgard_gp/asm.h"
#include "tests/isa/seen.h"
#include "util/bits.h"

enum { SEEDS = 3000, CAPACITY = UTGARD_GP_MAX_INSNS, MARK = 116 };

static uint32_t make(uint64_t seed, uint32_t capacity, uint64_t *words)
{
    return utgard_gp_random(seed, seed % 2 ? UTGARD_GP_RANDOM_FULL : UTGARD_GP_RANDOM_STRAIGHT, words,
                            capacity);
}

/* Targets of branches have nine bits: some program must need the ninth. */
static void test_rules(void **state)
{
    static uint64_t words[CAPACITY * UTGARD_GP_WORDS], again[CAPACITY * UTGARD_GP_WORDS];
    unsigned longest = 0;
    SEEN_RULES(SEEDS, CAPACITY, UTGARD_GP_WORDS, words, again, make, utgard_gp_check,
               16 + (uint32_t)seed % 100, longest);
    assert_true(longest > 256);
}

/* ---- coverage ---- */

static struct utgard_gp_insn insns[SEEDS * 80];
#define SEEN(name, condition) SEEN_IN(insns, name, condition)

static bool multiplies(const struct utgard_gp_insn *i)
{
    return i->mul_a[0] != UTGARD_GP_SRC_NONE || i->mul_a[1] != UTGARD_GP_SRC_NONE;
}

static bool accumulates(const struct utgard_gp_insn *i, unsigned unit)
{
    return i->acc_a[unit] != UTGARD_GP_SRC_NONE;
}

/* A nop says nothing: it is left out. */
static void take_all(void)
{
    static uint64_t words[CAPACITY * UTGARD_GP_WORDS];
    uint64_t nop[UTGARD_GP_WORDS];
    utgard_gp_encode(&utgard_gp_nop, nop);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = make(seed, CAPACITY, words);
        for (uint32_t pc = 0; pc < count; pc++)
            if (memcmp(&words[pc * UTGARD_GP_WORDS], nop, sizeof nop)) {
                assert_true(seen_count < UTIL_ARRAY_SIZE(insns));
                utgard_gp_decode(&words[pc * UTGARD_GP_WORDS], &insns[seen_count++]);
            }
    }
}

/* Each bit of each field, 0 and 1; of the mark by what the checker has. */
static void test_bits(void)
{
    SEEN("no mark", i->unknown == UTGARD_GP_MARK_NONE);
    SEEN("mark of temporaries", i->unknown == UTGARD_GP_MARK_TEMPORARY);
    SEEN("mark of branches", i->unknown == UTGARD_GP_MARK_BRANCH);
#define FIELD(member, lo, count)                                                                             \
    for (unsigned bit = 0; bit < (count) && (lo) != MARK; bit++) {                                           \
        SEEN(#member ", a bit of 1", i->member >> bit & 1);                                                  \
        SEEN(#member ", a bit of 0", !(i->member >> bit & 1));                                               \
    }
#include "isa/utgard_gp/insns.inc"
}

static void test_operations(void)
{
#define ACC_OP(name, text)                                                                                   \
    for (unsigned unit = 0; unit < 2; unit++)                                                                \
        SEEN("accumulator: " text, accumulates(i, unit) && i->acc_op == UTGARD_GP_ACC_##name);
#define MUL_OP(name, text) SEEN("multiplier: " text, multiplies(i) && i->mul_op == UTGARD_GP_MUL_##name);
#define COMPLEX_OP(name, text)                                                                               \
    SEEN("complex: " text,                                                                                   \
         i->complex_src != UTGARD_GP_SRC_NONE && i->complex_op == (UTGARD_GP_COMPLEX_##name));
#define PASS_OP(name, text)                                                                                  \
    SEEN("pass: " text, i->pass_src != UTGARD_GP_SRC_NONE && i->pass_op == UTGARD_GP_PASS_##name);
#include "isa/utgard_gp/insns.inc"
}

/* Every source as every operand; 22 as the first of a program has nothing to name. */
static void test_sources(void)
{
#define SRC(value, text)                                                                                     \
    for (unsigned unit = 0; unit < 2; unit++) {                                                              \
        SEEN("mul a " text, i->mul_a[unit] == (value));                                                      \
        SEEN("mul b " text, i->mul_b[unit] == (value));                                                      \
        SEEN("acc a " text, i->acc_a[unit] == (value));                                                      \
        SEEN("acc b " text, i->acc_b[unit] == (value));                                                      \
    }                                                                                                        \
    SEEN("complex " text, i->complex_src == (value));                                                        \
    SEEN("pass " text, i->pass_src == (value));
#define STORE(value, text)                                                                                   \
    for (unsigned n = 0; n < 4; n++) {                                                                       \
        SEEN("register " text, i->store_src[n / 2][n % 2] == (value) && !i->store_varying[n / 2] &&          \
                                   !i->store_temporary[n / 2]);                                              \
        SEEN("varying " text, i->store_src[n / 2][n % 2] == (value) && i->store_varying[n / 2]);             \
        SEEN("temporary " text, i->store_src[n / 2][n % 2] == (value) && i->store_temporary[n / 2]);         \
    }
#include "isa/utgard_gp/insns.inc"
}

/* What the values of single fields do not show. */
static void test_places(void)
{
    for (unsigned n = 0; n < 16; n++) {
        SEEN("attribute", i->fetch0_attribute && i->fetch0 == n);
        SEEN("register 0", !i->fetch0_attribute && i->fetch0 == n);
        SEEN("register 1", i->fetch1 == n);
        for (unsigned pair = 0; pair < 2; pair++) {
            SEEN("varying", utgard_gp_stores(i, pair) && i->store_varying[pair] && i->store_addr[pair] == n);
            if (n < 15 || !pair)
                SEEN("register store", utgard_gp_stores(i, pair) && !i->store_varying[pair] &&
                                           !i->store_temporary[pair] && i->store_addr[pair] == n);
        }
    }
    for (unsigned n = 1; n <= 3; n++)
        SEEN("offset", i->load_offset == n);
    for (unsigned unit = 0; unit < 2; unit++) {
        SEEN("negated product", i->mul_neg[unit] && i->mul_a[unit] != UTGARD_GP_SRC_NONE);
        SEEN("negated sum, first", i->acc_a_neg[unit] && accumulates(i, unit));
        SEEN("negated sum, second", i->acc_b_neg[unit] && accumulates(i, unit));
        SEEN("moved by a product", i->mul_b[unit] == UTGARD_GP_SRC_COMPLEX_1 && i->mul_a[unit] < 21);
        SEEN("moved by a sum", accumulates(i, unit) && i->acc_b[unit] == UTGARD_GP_SRC_COMPLEX_1 &&
                                   i->acc_b_neg[unit] && i->acc_op == UTGARD_GP_ACC_ADD);
    }
    SEEN("near branch", i->branch && i->branch_low);
    SEEN("far branch", i->branch && !i->branch_low);
}

static void test_everything(void **state)
{
    take_all();
    test_bits();
    test_operations();
    test_sources();
    test_places();
    seen_print();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
