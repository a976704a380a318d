/* Simple-V instructions between halfwords and text: tests/isa/simple_v.cases in both directions, every row of the tables in some
 * case, any halfwords there and back, each field of prefixes and blocks in its own place, labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/random.h"
#include "isa/sets.h"
#include "isa/simple_v/asm.h"
#include "isa/simple_v/table.h"
#include "tests/isa/cases.h"
#include "util/bits.h"

static int assemble(const char *text, size_t length, uint8_t **bytes, size_t *size, struct util_error *error)
{
    void *words;
    uint32_t count;
    int err = simple_v_asm(text, length, &words, &count, error);
    if (err)
        return err;
    *bytes = words;
    *size = count * 2u;
    return 0;
}

static size_t disassemble(const uint8_t *bytes, size_t size, char *text)
{
    assert_int_equal(simple_v_disasm(bytes, (uint32_t)(size / 2), 0, text), size / 2);
    return strlen(text);
}

static const struct cases_isa isa = {SOURCE_DIR "/tests/isa/simple_v.cases", assemble, disassemble};

static void cases_hold(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count > 420);
    assert_true(cases.refused > 80);
    cases_free(&cases);
}

/* ---- every row ---- */

static struct simple_v_insn insns[600];
static size_t insn_count;
static struct simple_v_block blocks[40];
static size_t block_count;

static void take_cases(void)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    insn_count = block_count = 0;
    for (size_t n = 0; n < cases.count; n++) {
        uint16_t code[CASES_BYTES / 2];
        memcpy(code, cases.bytes[n], sizeof code);
        assert_true(insn_count < UTIL_ARRAY_SIZE(insns) && block_count < UTIL_ARRAY_SIZE(blocks));
        if (simple_v_is_block(code[0]))
            block_count += !simple_v_block_decode(code, UTIL_ARRAY_SIZE(code), &blocks[block_count], NULL);
        else
            insn_count += !simple_v_decode(code, UTIL_ARRAY_SIZE(code), &insns[insn_count], NULL);
    }
    cases_free(&cases);
}

static bool has_operand(const struct simple_v_insn *i, uint8_t operand)
{
    const struct simple_v_format *f = &simple_v_formats[simple_v_rows[i->op].format];
    return memchr(f->operand, operand, f->count);
}

static void every_row_has_a_case(void **state)
{
    take_cases();
#define INSN(id, text, format, match, class, ...)      CASES_SEEN("INSN " text, i->op == SIMPLE_V_##id);
#define COMPRESSED(id, text, format, match, as, class) CASES_SEEN("COMPRESSED " text, i->op == SIMPLE_V_##id);
#define OPERAND(name, kind, member, bias, rule, pieces)                                                      \
    CASES_SEEN("OPERAND " #name, has_operand(i, SIMPLE_V_OPERAND_##name));
#define FORMAT(name, prefix, operands)                                                                       \
    CASES_SEEN("FORMAT " #name, simple_v_rows[i->op].format == SIMPLE_V_FORMAT_##name);
#include "isa/simple_v/insns.inc"
    for (unsigned form = SIMPLE_V_FORM_LD; form <= SIMPLE_V_FORM_FR4; form++)
        for (unsigned prefix = 48; prefix <= 64; prefix += 16)
            if (prefix == 48 || (form != SIMPLE_V_FORM_FR && form != SIMPLE_V_FORM_FI))
                CASES_SEEN("a prefix of a form", i->prefix == prefix && simple_v_form_of(i->op) == form);
}

/* ---- there and back ---- */

/* Halfwords are refused with a reason, or come back. */
static bool comes_back(const uint16_t code[4])
{
    struct util_error error = {0};
    struct simple_v_insn insn;
    uint16_t again[4] = {0};
    if (simple_v_decode(code, 4, &insn, &error)) {
        assert_int_equal(error.code, -EBADMSG);
        assert_true(strstr(error.text, "reserved"));
        return false;
    }
    if (simple_v_encode(&insn, again, &error))
        fail_msg("%04x %04x %04x %04x: %s", code[0], code[1], code[2], code[3], error.text);
    assert_memory_equal(again, code, insn.length * sizeof *code);
    return true;
}

static void any_halfwords_come_back(void **state)
{
    struct isa_random r = {3};
    unsigned taken[5] = {0};
    take_cases();
    for (unsigned n = 0; n < 300000; n++) {
        uint64_t word = isa_random_next(&r);
        uint16_t code[4];
        memcpy(code, &word, sizeof code);
        comes_back(code);
    }
    for (unsigned n = 0; n < 300000; n++) {
        uint16_t code[4] = {0};
        const struct simple_v_insn *i = &insns[isa_random_below(&r, (uint32_t)insn_count)];
        assert_int_equal(simple_v_encode(i, code, NULL), 0);
        for (uint32_t flips = isa_random_below(&r, 4); flips--;)
            code[isa_random_below(&r, i->length)] ^= (uint16_t)(1u << isa_random_below(&r, 16));
        if (simple_v_length(code[0]) == i->length)
            taken[i->length] += comes_back(code);
    }
    for (unsigned length = 1; length <= 4; length++)
        assert_true(taken[length] > 3000);
}

/* Every value of a prefix's bits, of an instruction of each form: those that are fields change what they are, the others
 * are refused. */
static void prefix_is_exhausted(const struct simple_v_insn *i)
{
    uint16_t code[4];
    unsigned taken = 0;
    assert_int_equal(simple_v_encode(i, code, NULL), 0);
    for (uint32_t bits = 0; bits < 1u << 11; bits++) {
        uint64_t word = 0;
        memcpy(&word, code, i->length * sizeof *code);
        isa_set(&word, 7, 11, bits);
        uint16_t other[4];
        memcpy(other, &word, sizeof other);
        taken += comes_back(other);
    }
    /* Of pred one value in four, or in eight, is reserved, of tpred one in eight. */
    assert_true(taken >= 1u << 7 && taken < 1u << 11);
}

static void prefixes_are_exhausted(void **state)
{
    unsigned seen = 0;
    take_cases();
    for (size_t n = 0; n < insn_count; n++)
        if (insns[n].prefix) {
            prefix_is_exhausted(&insns[n]);
            seen++;
        }
    assert_true(seen > 30);
}

/* Headers, VL blocks and tables of any bits. */
static void any_block_comes_back(void **state)
{
    struct isa_random r = {4};
    unsigned taken = 0;
    for (unsigned n = 0; n < 200000; n++) {
        uint16_t code[12], again[12];
        struct simple_v_block b;
        struct util_error error = {0};
        for (unsigned k = 0; k < 12; k++)
            code[k] = (uint16_t)isa_random_next(&r);
        code[0] |= 0x7f;
        if (isa_random_one_in(&r, 2) && code[0] & 0x8000)
            code[1] &= 0x7fdf;
        /* entries whose keys are in range */
        for (unsigned k = 1; k < 12 && isa_random_one_in(&r, 2); k++)
            code[k] &= 0xff3f;
        if (simple_v_block_decode(code, 12, &b, &error)) {
            assert_int_equal(error.code, -EBADMSG);
            continue;
        }
        taken++;
        assert_in_range(b.head, 1, b.length);
        assert_in_range(b.length, 5, 11);
        simple_v_block_encode(&b, again);
        assert_memory_equal(again, code, b.head * sizeof *code);
    }
    assert_true(taken > 50000);
}

static void reserved_blocks_are_refused(void **state)
{
    static const struct {
        uint16_t code[11];
        const char *why;
    } rows[] = {
        {{0x807f, 0xc000}, "mode 3 of the VL block"}, {{0x807f, 0x0020}, "bit 5 of the VL block"},
        {{0x807f, 0x8021}, "bit 5 of the VL block"},  {{0x04ff, 0x0040}, "a predicate's key is 0 to 31"},
        {{0x04ff, 0x0600}, "a predicate of x0"},      {{0x0c7f | 0x0380, 0}, "longer than it is"},
    };
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct simple_v_block b;
        struct util_error error = {0};
        assert_int_equal(simple_v_block_decode(rows[n].code, 11, &b, &error), -EBADMSG);
        if (!strstr(error.text, rows[n].why))
            fail_msg("row %zu: %s", n, error.text);
    }
}

/* ---- lengths and labels ---- */

static void lengths_are_as_the_manual_has_them(void **state)
{
    static const uint16_t first[] = {0x0001, 0x0002, 0x0003, 0x001b, 0x001f, 0x005f,
                                     0x003f, 0x007f, 0x107f, 0x607f, 0x707f, 0xf07f};
    static const unsigned length[] = {1, 1, 2, 2, 3, 0, 4, 5, 6, 11, 0, 0};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(first); n++)
        assert_int_equal(simple_v_length(first[n]), length[n]);
}

static const char labelled[] =
    "    L0:\nbeq x1, x2, L19 # on\nc.j L0\n"
    "L3: vblock regs(x5=x40v) {\n"
    "    bne x5, x0, L0\n"
    "\n"
    "    c.beqz x8, L9 # out\n"
    "}\n"
    "c.nop\nL9: p48 add x2v, x4v, x6v\np64 add x2v, x4v, x6v\njal x1, L3\nL18: c.nop\nL19:\n";

static void labels_count_from_blocks(void **state)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (simple_v_asm(labelled, strlen(labelled), &words, &count, &error))
        fail_msg("%s", error.text);
    const uint16_t *code = words;
    struct simple_v_insn insn;
    assert_int_equal(count, 19);
    assert_int_equal(simple_v_decode(code, count, &insn, NULL), 0);
    assert_int_equal(insn.imm, 38);
    assert_int_equal(simple_v_decode(code + 5, count - 5, &insn, NULL), 0);
    assert_int_equal(insn.imm, -6); /* from the block */
    assert_int_equal(simple_v_decode(code + 7, count - 7, &insn, NULL), 0);
    assert_int_equal(insn.imm, 12);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(simple_v_disasm_program(out, words, count), 0);
    fclose(out);
    assert_non_null(strstr(text, "bne x5, x0, L0 ; c.beqz x8, L9 }"));
    assert_true(isa_assembles_to(&simple_v_syntax, text, length, words, count));
    free(text);
    free(words);
}

static void a_cut_instruction_is_none(void **state)
{
    static const uint16_t code[] = {0xe81f, 0x8032, 0x0100};
    struct simple_v_insn insn;
    struct util_error error = {0};
    char text[SIMPLE_V_TEXT_MAX];
    assert_int_equal(simple_v_decode(code, 2, &insn, &error), -EBADMSG);
    assert_non_null(strstr(error.text, "cut off"));
    assert_int_equal(simple_v_disasm(code, 2, 0, text), 1);
    assert_int_equal(strncmp(text, ".word 0xe81f", 12), 0);
    assert_int_equal(simple_v_disasm(code, 2, 2, text), 0);
    assert_ptr_equal(isa_set_find("simple-v"), &simple_v_set);
}

/* Zeros in the end are part of it: JALR has them, of a return. */
static void an_end_of_zeros_counts(void **state)
{
    static const char *const texts[] = {"jalr x0, 0(x1)", "c.nop\njalr x0, 0(x1)",
                                        "beq x5, x0, on\non: jalr x0, 0(x1)", "ecall",
                                        "p48 add x32v, x40v, x0"};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(texts); n++) {
        void *words;
        uint32_t count;
        assert_int_equal(simple_v_asm(texts[n], strlen(texts[n]), &words, &count, NULL), 0);
        assert_int_equal(simple_v_check(words, count, NULL, NULL), 0);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),
        cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(any_halfwords_come_back),
        cmocka_unit_test(prefixes_are_exhausted),
        cmocka_unit_test(any_block_comes_back),
        cmocka_unit_test(reserved_blocks_are_refused),
        cmocka_unit_test(lengths_are_as_the_manual_has_them),
        cmocka_unit_test(labels_count_from_blocks),
        cmocka_unit_test(a_cut_instruction_is_none),
        cmocka_unit_test(an_end_of_zeros_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
