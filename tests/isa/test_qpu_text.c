/* QPU instructions between words and text: tests/isa/vc4_qpu.cases in both directions, every row of the table
 * in some case, every value of every field there and back, labels, and texts that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <inttypes.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "isa/random.h"
#include "isa/vc4_qpu/asm.h"
#include "util/bits.h"

struct cases {
    uint64_t words[1024]; /* of the lines read in both directions */
    size_t count, negative;
};

static void read_word_case(struct cases *cases, unsigned line, char *text)
{
    char *rest, out[VC4_QPU_TEXT_MAX];
    struct util_error error = {0};
    uint64_t word = strtoull(text, &rest, 16), *words;
    uint32_t count;
    bool both = strncmp(rest, " < ", 3) != 0;
    if (both && strncmp(rest, "  ", 2) != 0)
        fail_msg("line %u: not a case", line);
    rest += both ? 2 : 3;
    if (vc4_qpu_asm(rest, strlen(rest), &words, &count, &error))
        fail_msg("line %u: %s", line, error.text);
    assert_int_equal(count, 1);
    if (words[0] != word)
        fail_msg("line %u: '%s' assembles to %016" PRIx64 ", not to %016" PRIx64, line, rest, words[0], word);
    free(words);
    size_t length = vc4_qpu_disasm(word, 0, out);
    assert_int_equal(length, strlen(out));
    if (both != (strcmp(out, rest) == 0))
        fail_msg("line %u: %016" PRIx64 " prints as '%s'%s'%s'", line, word, out,
                 both ? ", not as " : " and so should ", rest);
    if (both) {
        assert_true(cases->count < UTIL_ARRAY_SIZE(cases->words));
        cases->words[cases->count++] = word;
    }
}

static void read_failing_case(struct cases *cases, unsigned line, char *text)
{
    char *message = strstr(text, " => ");
    struct util_error error = {0};
    uint64_t *words = NULL;
    uint32_t count;
    assert_non_null(message);
    *message = 0;
    message += 4;
    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error) != -EINVAL)
        fail_msg("line %u: '%s' assembles, or fails in another way", line, text);
    if (!*message || !strstr(error.text, message) || strncmp(error.text, "line 1, column ", 15) != 0)
        fail_msg("line %u: the message is '%s', not '%s'", line, error.text, message);
    assert_null(words);
    cases->negative++;
}

static void read_cases(struct cases *cases)
{
    FILE *file = fopen(SOURCE_DIR "/tests/isa/vc4_qpu.cases", "r");
    char text[512];
    assert_non_null(file);
    for (unsigned line = 1; fgets(text, sizeof text, file); line++) {
        text[strcspn(text, "\n")] = 0;
        if (text[0] == '!')
            read_failing_case(cases, line, text + 2);
        else if (text[0] && text[0] != '#')
            read_word_case(cases, line, text);
    }
    fclose(file);
}

static void cases_hold(void **state)
{
    struct cases cases = {0};
    read_cases(&cases);
    assert_true(cases.count > 300);
    assert_true(cases.negative > 50);
}

/* Whether some case has `value` in a member of an instruction of some kind. */
#define SEEN(name, condition)                                                                                \
    do {                                                                                                     \
        bool seen = false;                                                                                   \
        for (size_t i = 0; i < cases.count && !seen; i++) {                                                  \
            struct vc4_qpu_insn insn;                                                                        \
            vc4_qpu_decode(cases.words[i], &insn);                                                           \
            bool alu = insn.kind == VC4_QPU_ALU, small = insn.sig == VC4_QPU_SIG_SMALL_IMM;                  \
            bool branch = insn.kind == VC4_QPU_BRANCH;                                                       \
            (void)alu, (void)small, (void)branch;                                                            \
            seen = (condition);                                                                              \
        }                                                                                                    \
        if (!seen)                                                                                           \
            fail_msg("no case for the row %s", name);                                                        \
    } while (0)

static void every_row_has_a_case(void **state)
{
    struct cases cases = {0};
    read_cases(&cases);
#define SIG(name, text) SEEN("SIG " #name, alu &&insn.sig == VC4_QPU_SIG_##name);
#define ADD_OP(name, text, operands, fi, fo)                                                                 \
    SEEN("ADD_OP " #name, alu &&insn.op_add == VC4_QPU_A_##name && insn.cond_add);
#define MUL_OP(name, text, operands, fi, fo)                                                                 \
    SEEN("MUL_OP " #name, alu &&insn.op_mul == VC4_QPU_M_##name && insn.cond_mul);
#define COND(name, text)                                                                                     \
    SEEN("COND (add) " #name, !branch && insn.cond_add == VC4_QPU_COND_##name);                              \
    SEEN("COND (mul) " #name, !branch && insn.cond_mul == VC4_QPU_COND_##name);
#define BRANCH_COND(name, text) SEEN("BRANCH_COND " #name, branch &&insn.branch_cond == VC4_QPU_BR_##name);
#define PACK_A(value, text)     SEEN("PACK_A " text, !branch && !insn.pm && insn.pack == (value));
#define PACK_MUL(value, text)   SEEN("PACK_MUL " text, !branch && insn.pm && insn.pack == (value));
#define UNPACK(value, text)                                                                                  \
    SEEN("UNPACK (file A) " text, alu && !insn.pm && insn.unpack == (value) && insn.add_a == VC4_QPU_MUX_A); \
    SEEN("UNPACK (r4) " text, alu &&insn.pm &&insn.unpack == (value) && insn.add_a == VC4_QPU_MUX_R4);
#define READ(address, a, b)                                                                                  \
    SEEN("READ " a, alu &&insn.raddr_a == (address) && insn.add_a == VC4_QPU_MUX_A);                         \
    SEEN("READ " b, alu && !small && insn.raddr_b == (address) && insn.add_a == VC4_QPU_MUX_B);
#define WRITE(address, a, b)                                                                                 \
    SEEN("WRITE " a, !branch && !insn.ws && insn.waddr_add == (address));                                    \
    SEEN("WRITE " b, !branch && insn.ws && insn.waddr_add == (address));
#include "isa/vc4_qpu/insns.inc"
    for (unsigned code = 0; code < 64; code++)
        SEEN("small immediate", alu && small && insn.raddr_b == code);
    for (unsigned kind = VC4_QPU_ALU; kind <= VC4_QPU_BRANCH; kind++)
        SEEN("kind", insn.kind == kind);
}

static void goes_round(uint64_t word)
{
    char text[VC4_QPU_TEXT_MAX];
    struct util_error error = {0};
    uint64_t *words;
    uint32_t count;
    size_t length = vc4_qpu_disasm(word, 0, text);
    if (length >= VC4_QPU_TEXT_MAX - 1 || text[length] != 0)
        fail_msg("%016" PRIx64 " prints too long: %s", word, text);
    if (vc4_qpu_asm(text, length, &words, &count, &error))
        fail_msg("%016" PRIx64 " prints as '%s', refused: %s", word, text, error.text);
    if (count != 1 || words[0] != word)
        fail_msg("%016" PRIx64 " prints as '%s', which gives %016" PRIx64, word, text, words[0]);
    free(words);
}

struct field {
    uint8_t sig, mode; /* the format: its signal; for load immediates and semaphores the mode */
    uint8_t lo, count;
};

static void every_field_goes_round(void **state)
{
    static const struct field fields[] = {
#define ALU_FIELD(member, lo, count)    {1, 0, lo, count}, {13, 0, lo, count},
#define LDI_FIELD(member, lo, count)    {14, 0, lo, count}, {14, 1, lo, count}, {14, 3, lo, count},
#define SEMA_FIELD(member, lo, count)   {14, 4, lo, count},
#define BRANCH_FIELD(member, lo, count) {15, 0, lo, count},
#include "isa/vc4_qpu/insns.inc"
    };
    struct isa_random random = {1};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(fields); i++) {
        const struct field *f = &fields[i];
        uint64_t values = f->count > 6 ? 64 : 1ull << f->count;
        for (uint64_t v = 0; v < values; v++)
            for (unsigned n = 0; n < 80; n++) {
                uint64_t word = isa_random_next(&random);
                isa_set(&word, 60, 4, f->sig);
                if (f->sig == 14)
                    isa_set(&word, 57, 3, f->mode);
                if (f->mode == 4)
                    isa_set(&word, 5, 27, 0);
                if (f->sig == 15)
                    isa_set(&word, 56, 4, 0);
                isa_set(&word, f->lo, f->count, f->count > 6 ? isa_random_next(&random) >> v : v);
                goes_round(word);
            }
    }
}

/* Decoding keeps every bit of an ALU word, of a load immediate and of a well-formed branch or semaphore. */
static void encoding_inverts_decoding(void **state)
{
    struct isa_random random = {3};
    for (unsigned n = 0; n < 1000000; n++) {
        uint64_t word = isa_random_next(&random);
        struct vc4_qpu_insn insn;
        if (word >> 60 == 15)
            isa_set(&word, 56, 4, 0);
        vc4_qpu_decode(word, &insn);
        if (insn.kind == VC4_QPU_SEMAPHORE)
            isa_set(&word, 5, 27, 0);
        vc4_qpu_decode(word, &insn);
        assert_int_equal(insn.word, word);
        assert_int_equal(vc4_qpu_encode(&insn), word);
    }
}

/* A textured fragment program and a vertex program as Mesa emits them, and a loop with labels. */
static const uint64_t driver_words[] = {
    0x114049e080827036, 0x10020b27159cffc0, 0x10020ba7159e7000, 0x300009e7009e7000, 0x100009e7009e7000,
    0x500009e7009e7000, 0x1002112715827d80, 0x1002516121160637, 0x100248b4819e705b, 0xd0020827029e1ec0,
    0x1012402327127486, 0x10224022278036fe, 0xe0025c6700001a00, 0x10020c2701827780, 0x100209e715c27d80,
};

static const char loop_text[] = "# counts r0 down\n"
                                "start: ldi r0, 0x4\n"
                                "loop:\n"
                                "    sub.sf r0, r0, 1\r\n"
                                "    brr.anyzc loop\n"
                                "    nop\n"
                                "    nop # in the last slot but one\n"
                                "    nop\n"
                                "    bra ra1, -, start\n"
                                "    nop\n"
                                "    nop\n"
                                "    nop\n"
                                "    brr end\n"
                                "end: end2:\n"
                                "    nop ; thrend";

static void programs_go_round(void **state)
{
    struct util_error error = {0};
    uint64_t *words, *again;
    uint32_t count, count_again;
    assert_int_equal(vc4_qpu_asm(loop_text, sizeof loop_text - 1, &words, &count, &error), 0);
    assert_int_equal(count, 12);
    struct vc4_qpu_insn insn;
    vc4_qpu_decode(words[2], &insn);
    assert_int_equal((int32_t)insn.imm, (1 - 6) * 8);
    vc4_qpu_decode(words[6], &insn);
    assert_int_equal(insn.imm, 0);
    assert_false(insn.branch_rel);
    vc4_qpu_decode(words[10], &insn);
    assert_int_equal((int32_t)insn.imm, (11 - 14) * 8);

    words = realloc(words, sizeof(uint64_t) * count + sizeof driver_words);
    assert_non_null(words);
    memcpy(words + count, driver_words, sizeof driver_words);
    count += UTIL_ARRAY_SIZE(driver_words);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(vc4_qpu_disasm_program(out, words, count), 0);
    fclose(out);
    assert_non_null(strstr(text, "L1:\n    sub.sf r0, r0, 1\n    brr.anyzc L1\n"));
    assert_non_null(strstr(text, "L11:\n    nop ; thrend\n"));
    assert_int_equal(vc4_qpu_asm(text, length, &again, &count_again, &error), 0);
    assert_int_equal(count_again, count);
    assert_memory_equal(again, words, sizeof(uint64_t) * count);
    free(again);
    free(words);
    free(text);
}

static void errors_name_the_place(void **state)
{
    static const char text[] = "nop\n\n  fadd r0, r1, r9\n";
    struct util_error error = {0};
    uint64_t *words;
    uint32_t count;
    assert_int_equal(vc4_qpu_asm(text, sizeof text - 1, &words, &count, &error), -EINVAL);
    assert_string_equal(error.text, "line 3, column 16: a register is expected");
    assert_int_equal(vc4_qpu_asm("", 0, &words, &count, NULL), 0);
    assert_int_equal(count, 0);
    free(words);
    assert_int_equal(vc4_qpu_asm("x", 1, &words, &count, NULL), -EINVAL);
}

/* Any prefix of a text, and a text with any character changed, is read within its bounds. */
static void damaged_text_is_harmless(void **state)
{
    static const char text[] =
        "a: fadd.zs.sf ra3.16a, rb5, -3 ; fmul rb2, r4, unif.8a ; read vary ; pm\n"
        "ldis r0, [0,1,-1,-2,0,1,-1,-2,0,1,-1,-2,0,1,-1,-2]\nbrr.anyzs ra1, -, a+ra2\n.word 0x12";
    struct isa_random random = {4};
    for (size_t n = 0; n <= sizeof text * 40; n++) {
        size_t length = n < sizeof text ? n : sizeof text - 1;
        char *copy = malloc(length ? length : 1);
        uint64_t *words, r = isa_random_next(&random);
        uint32_t count;
        assert_non_null(copy);
        memcpy(copy, text, length);
        if (n >= sizeof text)
            copy[r % length] = (char)(r >> 32);
        if (vc4_qpu_asm(copy, length, &words, &count, NULL) == 0)
            free(words);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),
        cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(every_field_goes_round),
        cmocka_unit_test(encoding_inverts_decoding),
        cmocka_unit_test(programs_go_round),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(damaged_text_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
