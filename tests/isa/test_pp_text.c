/* PP instructions between words and text: tests/isa/utgard_pp.cases in both directions, every row of the
 * table in some case, and programs taken whole. */
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
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/program.h"
#include "tests/isa/cases.h"
#include "util/bits.h"

static int assemble(const char *text, size_t length, uint8_t **bytes, size_t *size, struct util_error *error)
{
    uint32_t *words, count;
    int err = utgard_pp_asm(text, length, &words, &count, error);
    if (err)
        return err;
    *bytes = (uint8_t *)words;
    *size = count * 4u;
    return 0;
}

static size_t disassemble(const uint8_t *bytes, size_t size, char *text)
{
    uint32_t words[UTGARD_PP_WORDS];
    assert_true(size <= sizeof words);
    memcpy(words, bytes, size);
    assert_int_equal(utgard_pp_disasm(words, (uint32_t)(size / 4), 0, text), size / 4);
    return strlen(text);
}

static const struct cases_isa isa = {SOURCE_DIR "/tests/isa/utgard_pp.cases", assemble, disassemble};

static void cases_hold(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count > 150);
    assert_true(cases.refused > 35);
    cases_free(&cases);
}

/* ---- every row ---- */

static struct utgard_pp_insn insns[512];
static size_t insn_count;

static void every_row_has_a_case(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count < UTIL_ARRAY_SIZE(insns));
    for (insn_count = 0; insn_count < cases.count; insn_count++) {
        uint32_t words[UTGARD_PP_WORDS];
        memcpy(words, cases.bytes[insn_count], sizeof words);
        assert_true(utgard_pp_decode(words, UTGARD_PP_WORDS, 0, &insns[insn_count]) > 0);
    }
#define FIELD(name, bits) CASES_SEEN("FIELD " #name, utgard_pp_has(i, UTGARD_PP_##name));
#define MUL_OP(value, text, operands, lane_op, shape)                                                        \
    CASES_SEEN("MUL_OP " text, utgard_pp_has(i, UTGARD_PP_VMUL) && i->vmul.op == (value));
#define ADD_OP(value, text, operands, lane_op, shape)                                                        \
    CASES_SEEN("ADD_OP " text, utgard_pp_has(i, UTGARD_PP_VADD) && i->vadd.op == (value));
#define COMBINE_OP(value, text, operands)                                                                    \
    CASES_SEEN("COMBINE_OP " text, utgard_pp_has(i, UTGARD_PP_COMBINE) && i->combine.op == (value));
#include "isa/utgard_pp/insns.inc"
    for (uint8_t n = 0; n < 16; n++)
        CASES_SEEN("varying source", n / 4 == i->varying.type && utgard_pp_has(i, UTGARD_PP_VARYING));
    for (uint8_t n = 0; n < 4; n++) {
        CASES_SEEN("combiner", utgard_pp_has(i, UTGARD_PP_COMBINE) && i->combine.kind == n);
        CASES_SEEN("modifier", utgard_pp_has(i, UTGARD_PP_VMUL) && i->vmul.mod == n);
    }
    for (uint8_t n = 0; n < 8; n++)
        CASES_SEEN("condition", utgard_pp_has(i, UTGARD_PP_BRANCH) && i->branch.condition == n);
    cases_free(&cases);
}

/* ---- there and back ---- */

static void encoding_inverts_decoding(void **state)
{
    struct isa_random r = {2};
    unsigned decoded = 0;
    for (unsigned n = 0; n < 100000; n++) {
        uint32_t words[UTGARD_PP_WORDS], again[UTGARD_PP_WORDS];
        struct utgard_pp_insn insn;
        for (unsigned k = 0; k < UTGARD_PP_WORDS; k++)
            words[k] = (uint32_t)isa_random_next(&r);
        words[0] |= 31; /* long enough */
        if (!utgard_pp_decode(words, UTGARD_PP_WORDS, 0, &insn))
            continue;
        decoded++;
        utgard_pp_encode(&insn, again);
        assert_int_equal(words[0], again[0]);
        uint32_t whole =
            utgard_pp_length(insn.fields) - 1; /* the last word may hold bits behind the fields */
        assert_memory_equal(words, again, whole * sizeof *words);
    }
    assert_true(decoded > 80000);
}

/* ---- whole programs ---- */

static void refused(const char *text, const char *message)
{
    struct util_error error = {0};
    struct utgard_pp_program *p;
    uint32_t *words, count;
    assert_int_equal(utgard_pp_asm(text, strlen(text), &words, &count, &error), 0);
    assert_int_equal(utgard_pp_program_create(words, count, &p, &error), -EBADMSG);
    if (!strstr(error.text, message))
        fail_msg("'%s': %s", text, error.text);
    free(words);
}

static void programs_are_analysed(void **state)
{
    static const char text[] = "    var coords.xy, v1.xy ; tex2d 2 ; mov.v1 r0, tex ; sync\n"
                               "    uniform 3 ; mul.v0 r0, r0, uni\n"
                               "    c0 0.5, 0.0, 0.0, 0.0 ; branch.ge r0.w, c0.x, keep\n"
                               "    discard\n"
                               "keep: mov.v1 r1, r0 ; branch.gt r1.x, r0.x, keep\n"
                               "    mov.v1 r0, r1 ; stop\n"
                               "    mov.v1 r0, r5 ; stop\n";
    struct util_error error = {0};
    struct utgard_pp_program *p;
    uint32_t *words, count;
    assert_int_equal(utgard_pp_asm(text, strlen(text), &words, &count, &error), 0);
    assert_int_equal(utgard_pp_program_create(words, count, &p, &error), 0);
    assert_int_equal(p->insn_count, 6); /* the last is not reached */
    assert_true(p->word_count < count);
    assert_int_equal(p->sample_count, 1);
    assert_int_equal(p->samples[0].sampler, 2);
    assert_int_equal(p->uniforms, 16);
    assert_int_equal(p->varyings, 0x30);
    assert_int_equal(p->block_count, 4);
    assert_int_equal(p->blocks[0].target, 2);
    assert_true(p->blocks[1].ends && p->blocks[3].ends && !p->blocks[2].ends);
    assert_int_equal(p->blocks[2].target, 2);
    assert_true(p->discards && p->repeats && !p->derivatives && !p->temporaries);
    utgard_pp_program_destroy(p);
    free(words);
    refused("mov.v1 r0, r1", "word 3 is no instruction");
    refused("branch 3\nstop", "goes to word 3, where no instruction is");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),
        cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(encoding_inverts_decoding),
        cmocka_unit_test(programs_are_analysed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
