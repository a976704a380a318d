/* GP instructions between words and text: tests/isa/utgard_gp.cases in both directions, every row of the
 * table in some case, random instructions there and back, labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "isa/random.h"
#include "isa/utgard_gp/asm.h"
#include "tests/isa/cases.h"
#include "util/bits.h"

static int assemble(const char *text, size_t length, uint8_t **bytes, size_t *size, struct util_error *error)
{
    uint64_t *words;
    uint32_t count;
    int err = utgard_gp_asm(text, length, &words, &count, error);
    if (err)
        return err;
    *bytes = (uint8_t *)words;
    *size = count * 16u;
    return 0;
}

static size_t disassemble(const uint8_t *bytes, size_t size, char *text)
{
    uint64_t words[2];
    assert_int_equal(size, sizeof words);
    memcpy(words, bytes, sizeof words);
    return utgard_gp_disasm(words, text);
}

static const struct cases_isa isa = {SOURCE_DIR "/tests/isa/utgard_gp.cases", assemble, disassemble};

static void cases_hold(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count > 100);
    assert_true(cases.refused > 30);
    cases_free(&cases);
}

/* ---- every row ---- */

static struct utgard_gp_insn insns[256];
static size_t insn_count;

static bool reads(const struct utgard_gp_insn *i, uint8_t src)
{
    return i->mul_a[0] == src || i->mul_b[0] == src || i->mul_a[1] == src || i->mul_b[1] == src ||
           i->acc_a[0] == src || i->complex_src == src || i->pass_src == src;
}
static bool stores(const struct utgard_gp_insn *i, uint8_t src)
{
    return i->store_src[0][0] == src || i->store_src[0][1] == src || i->store_src[1][0] == src ||
           i->store_src[1][1] == src;
}

static void every_row_has_a_case(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count < UTIL_ARRAY_SIZE(insns));
    for (insn_count = 0; insn_count < cases.count; insn_count++) {
        uint64_t words[2];
        memcpy(words, cases.bytes[insn_count], sizeof words);
        utgard_gp_decode(words, &insns[insn_count]);
    }
#define SRC(value, text)   CASES_SEEN("SRC " text, reads(i, value));
#define STORE(value, text) CASES_SEEN("STORE " text, stores(i, value));
#define ACC_OP(name, text)                                                                                   \
    CASES_SEEN("ACC_OP " text, i->acc_op == UTGARD_GP_ACC_##name && (i->acc_a[0] & i->acc_a[1]) != 21);
#define MUL_OP(name, text)                                                                                   \
    CASES_SEEN("MUL_OP " text, i->mul_op == UTGARD_GP_MUL_##name && (i->mul_a[0] & i->mul_a[1]) != 21);
#define COMPLEX_OP(name, text) CASES_SEEN("COMPLEX_OP " text, i->complex_op == UTGARD_GP_COMPLEX_##name);
#define PASS_OP(name, text)                                                                                  \
    CASES_SEEN("PASS_OP " text, i->pass_op == UTGARD_GP_PASS_##name && i->pass_src != 21);
#define FIELD(member, lo, count) CASES_SEEN("FIELD " #member, i->member != utgard_gp_nop.member);
#include "isa/utgard_gp/insns.inc"
    cases_free(&cases);
}

/* ---- there and back ---- */

static void goes_round(const uint64_t word[2])
{
    char text[UTGARD_GP_TEXT_MAX];
    struct util_error error = {0};
    uint64_t *words;
    uint32_t count;
    size_t length = utgard_gp_disasm(word, text);
    assert_true(length < UTGARD_GP_TEXT_MAX - 1 && strlen(text) == length);
    if (utgard_gp_asm(text, length, &words, &count, &error))
        fail_msg("%016" PRIx64 "%016" PRIx64 " prints as '%s', refused: %s", word[1], word[0], text,
                 error.text);
    if (count != 1 || memcmp(words, word, 16) != 0)
        fail_msg("'%s' gives %016" PRIx64 "%016" PRIx64 ", not %016" PRIx64 "%016" PRIx64, text, words[1],
                 words[0], word[1], word[0]);
    free(words);
}

/* Random bits, most of them with the mark and branch bits that let the rest print. */
static void any_word_goes_round(void **state)
{
    struct isa_random random = {1};
    unsigned printed = 0;
    for (unsigned n = 0; n < 100000; n++) {
        uint64_t word[2] = {isa_random_next(&random), isa_random_next(&random)};
        struct utgard_gp_insn insn;
        char text[UTGARD_GP_TEXT_MAX];
        if (n % 8) {
            utgard_gp_decode(word, &insn);
            insn.branch_target = insn.branch ? insn.branch_target : 0;
            insn.branch_low &= insn.branch;
            insn.unknown = utgard_gp_mark(&insn);
            utgard_gp_encode(&insn, word);
        }
        goes_round(word);
        utgard_gp_disasm(word, text);
        printed += text[0] != '.';
    }
    assert_true(printed > 80000);
}

static void encoding_inverts_decoding(void **state)
{
    struct isa_random random = {2};
    uint64_t covered[2] = {0};
    static const struct isa_field fields[] = {
#define FIELD(member, lo, count) ISA_FIELD(struct utgard_gp_insn, member, lo, count),
#include "isa/utgard_gp/insns.inc"
    };
    isa_coverage(fields, UTIL_ARRAY_SIZE(fields), covered);
    assert_true(!~covered[0] && !~covered[1]);
    for (unsigned n = 0; n < 100000; n++) {
        uint64_t word[2] = {isa_random_next(&random), isa_random_next(&random)}, again[2];
        struct utgard_gp_insn insn;
        utgard_gp_decode(word, &insn);
        utgard_gp_encode(&insn, again);
        assert_memory_equal(word, again, sizeof word);
    }
}

static void programs_have_labels(void **state)
{
    static const char text[] = "start: attr 0 ; mul.0 f0.x, 1\n"
                               "    pass ^mul0 ; branch end # leaves\n"
                               "    pass ^pass ; branch start\n"
                               "end:\n";
    struct util_error error = {0};
    uint64_t *words, *again;
    uint32_t count, count_again;
    struct utgard_gp_insn insn;
    char *printed = NULL;
    size_t length = 0;
    assert_int_equal(utgard_gp_asm(text, strlen(text), &words, &count, &error), 0);
    assert_int_equal(count, 3);
    utgard_gp_decode(&words[2], &insn);
    assert_int_equal(utgard_gp_target(&insn), 3);
    utgard_gp_decode(&words[4], &insn);
    assert_int_equal(utgard_gp_target(&insn), 0);
    FILE *out = open_memstream(&printed, &length);
    assert_int_equal(utgard_gp_disasm_program(out, words, count), 0);
    fclose(out);
    assert_non_null(strstr(printed, "branch L3\n"));
    assert_int_equal(utgard_gp_asm(printed, length, &again, &count_again, &error), 0);
    assert_int_equal(count_again, count);
    assert_memory_equal(again, words, count * 16u);
    free(again);
    free(words);
    free(printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),           cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(any_word_goes_round),  cmocka_unit_test(encoding_inverts_decoding),
        cmocka_unit_test(programs_have_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
