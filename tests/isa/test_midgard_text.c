/* Midgard instructions between words and text: tests/isa/midgard.cases in both directions, every row of the table
 * in some case, random words there and back, what the checker finds, and programs taken whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/midgard/asm.h"
#include "isa/midgard/names.h"
#include "isa/random.h"
#include "tests/isa/cases.h"
#include "util/bits.h"

static int assemble(const char *text, size_t length, uint8_t **bytes, size_t *size, struct util_error *error)
{
    void *words;
    uint32_t count;
    int err = midgard_asm(text, length, &words, &count, error);
    if (err)
        return err;
    *bytes = words;
    *size = count * 16u;
    return 0;
}

static size_t disassemble(const uint8_t *bytes, size_t size, char *text)
{
    assert_int_equal(midgard_disasm(bytes, (uint32_t)(size / 16), 0, text), size / 16);
    return strlen(text);
}

static const struct cases_isa isa = {SOURCE_DIR "/tests/isa/midgard.cases", assemble, disassemble};

static void cases_hold(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count > 400);
    assert_true(cases.refused > 60);
    cases_free(&cases);
}

/* ---- every row ---- */

static struct midgard_insn insns[600];
static size_t insn_count;

static bool has_unit(const struct midgard_insn *i, unsigned unit, uint8_t op)
{
    return midgard_has(i, (enum midgard_unit)unit) && i->alu[unit].op == op;
}

static bool has_alu(const struct midgard_insn *i, uint8_t op)
{
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++)
        if (has_unit(i, u, op))
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

static bool expands(const struct midgard_insn *i, uint8_t n)
{
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++)
        if (!midgard_is_scalar((enum midgard_unit)u) && midgard_has(i, (enum midgard_unit)u) &&
            (i->alu[u].a.expand == n || i->alu[u].b.expand == n))
            return true;
    return false;
}

static void take_cases(void)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count < UTIL_ARRAY_SIZE(insns));
    for (insn_count = 0; insn_count < cases.count; insn_count++)
        assert_true(midgard_decode(cases.bytes[insn_count], MIDGARD_QUADS, 0, &insns[insn_count]) > 0);
    cases_free(&cases);
}

static void every_row_has_a_case(void **state)
{
    take_cases();
#define UNIT(name, bit, halves) CASES_SEEN("UNIT " #name, midgard_has(i, MIDGARD_##name));
#define ALU_OP(value, text, units, form, types, lane_op, policy)                                             \
    CASES_SEEN("ALU_OP " text, has_alu(i, value));
#define ALU_CONVERT(value, text, units, types, op16, op32, op64, policy)                                     \
    CASES_SEEN("ALU_CONVERT " text, has_alu(i, value));
#define MEMORY_OP(value, text, class, type, bytes, swap) CASES_SEEN("MEMORY_OP " text, has_memory(i, value));
#define ATOMIC_OP(value, text, op)                                                                           \
    for (uint32_t n = 0; n < 4; n++)                                                                         \
        CASES_SEEN("ATOMIC_OP " text, has_memory(i, (value) + n));
#define TEXTURE_OP(value, text) CASES_SEEN("TEXTURE_OP " text, has_texture(i) && i->texture.op == (value));
#include "isa/midgard/insns.inc"
    for (uint8_t n = 0; n < 8; n++) {
        CASES_SEEN("expansion", expands(i, n));
        CASES_SEEN("branch",
                   n == 0 || (midgard_has(i, MIDGARD_BRANCH) && i->jump[0].op == n) || i->jump[1].op == n);
    }
    for (uint8_t n = 0; n < 4; n++)
        CASES_SEEN("mode", midgard_has(i, MIDGARD_VMUL) && i->alu[MIDGARD_VMUL].mode == n);
    for (uint8_t n = 1; n < 16; n++)
        CASES_SEEN("next tag", i->next == n);
}

/* ---- there and back ---- */

static void goes_round(const uint64_t *words, uint32_t count)
{
    char text[MIDGARD_TEXT_MAX];
    struct util_error error = {0};
    void *again;
    uint32_t count_again, length = midgard_disasm(words, count, 0, text);
    assert_true(strlen(text) < MIDGARD_TEXT_MAX - 1);
    assert_true(length > 0 && length <= count);
    if (midgard_asm(text, strlen(text), &again, &count_again, &error))
        fail_msg("'%s' is refused: %s", text, error.text);
    if (count_again != length || memcmp(again, words, length * 16u) != 0)
        fail_msg("'%s' gives other words", text);
    free(again);
}

static void any_word_goes_round(void **state)
{
    struct isa_random r = {1};
    for (unsigned n = 0; n < 30000; n++) {
        uint64_t words[MIDGARD_QUADS * 2];
        for (unsigned k = 0; k < MIDGARD_QUADS * 2; k++)
            words[k] = isa_random_next(&r);
        goes_round(words, MIDGARD_QUADS);
    }
}

/* Random programs print without raw words, and come back whole. */
static void programs_go_round(void **state)
{
    for (uint64_t n = 0; n < 300; n++) {
        uint64_t words[2048];
        void *again;
        uint32_t count, count_again;
        struct util_error error = {0};
        char *text = NULL;
        size_t length = 0;
        count = midgard_random(n, (unsigned)(n % 3), words, 1024);
        assert_int_equal(midgard_check(words, count, NULL, NULL), 0);
        FILE *out = open_memstream(&text, &length);
        assert_int_equal(midgard_disasm_program(out, words, count), 0);
        fclose(out);
        if (strstr(text, ".word"))
            fail_msg("program %" PRIu64 " prints %.200s", n, strstr(text, ".word"));
        if (midgard_asm(text, length, &again, &count_again, &error))
            fail_msg("program %" PRIu64 ": %s\n%s", n, error.text, text);
        assert_int_equal(count_again, count);
        assert_memory_equal(again, words, count * 16u);
        free(again);
        free(text);
    }
}

/* All bits of loads, stores and textures have a field; of bundles those that no unit takes have none. */
static void encoding_inverts_decoding(void **state)
{
    struct isa_random r = {2};
    unsigned decoded = 0;
    for (unsigned n = 0; n < 50000; n++) {
        uint64_t words[MIDGARD_QUADS * 2], again[MIDGARD_QUADS * 2] = {0};
        struct midgard_insn insn, twice;
        for (unsigned k = 0; k < MIDGARD_QUADS * 2; k++)
            words[k] = isa_random_next(&r);
        uint32_t length = midgard_decode(words, MIDGARD_QUADS, 0, &insn);
        if (!length)
            continue;
        decoded++;
        midgard_encode(&insn, again);
        if (midgard_kind_of(insn.tag) != MIDGARD_ALU)
            assert_memory_equal(words, again, 16);
        assert_int_equal(midgard_decode(again, MIDGARD_QUADS, 0, &twice), length);
        assert_memory_equal(&insn, &twice, sizeof insn);
    }
    assert_true(decoded > 20000);
}

/* ---- the checker ---- */

static void note(void *data, uint32_t at, const char *rule, const char *source)
{
    char *all = data;
    snprintf(all + strlen(all), 1000 - strlen(all), "%u %s|", at, rule);
    assert_true(strlen(source) > 0);
}

/* Each text breaks one rule, which is named by a part of its words, at the given quadword. */
static const struct {
    const char *text, *rule;
} breaches[] = {
    {".word 0x0", "0 the quadword is no instruction"},
    {".word 0x118", "0 bits of the control word"},
    {"idle ; next ldst\nidle ; stop", "0 the next tag"},
    {"jump +1, alu1 ; next alu1\nidle ; stop", "0 the branch goes where"},
    {"jump +0, ldst ; next alu1\nidle ; stop", "0 the branch goes where"},
    {"idle ; next alu1", "0 the next tag"},
    {"vmul.op0.32 r0, r1, r2 ; stop", "0 this operation"},
    {"vmul.fsqrt.32 r0, r1, r2 ; stop", "0 this operation"},
    {"vmul.fmul.8 r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vlut.fsqrt.64 r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32 r0, r1.rl, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.8 r0, r1.el, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32 r0, r1.els, r2 ; stop", "0 the operation, an operand"},
    {"vmul.fmul.16 r0, r1.el, r2 ; stop", "0 the operation, an operand"},
    {"vmul.fmul.16.lo r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.8.lo r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32.sh3 r0, r1, r2 ; stop", "0 the operation, an operand"},
    {"vmul.iadd.32.ssat r0, r1, r2 ; stop", "0 a modifier for narrow results"},
    {"sadd.iadd.full.high r0.x, r1.x, r2.x ; stop", "0 a modifier for narrow results"},
    {"vmul.fadd.32 r0, r26, r2 ; stop", "0 this operation"},
    {"vmul.fmul.32 r0, r26, r2 ; stop", "0 constants are read"},
    {"vadd.fadd.32 r0, r24, r2 ; stop", "0 r24 or r25 is read"},
    {"vmul.fmul.32 r24, r0, r25 ; stop", "0 r24 or r25 is read"},
    {"vadd.icsel.32 r0, r1, r2 ; stop", "0 a selection or a branch"},
    {"br.true +0, alu1 ; next alu1\nidle ; stop", "0 a selection or a branch"},
    {"sadd.ine.full r31.w, r0.x, #0 ; op3.true +0, alu1 ; stop", "0 a branch of no known kind"},
    {"jump.call +0, alu1 ; next alu1\nidle ; stop", "0 a branch of no known kind"},
    {"ldop0 r0, al0.x, al0.x, 0 ; stop", "0 this load or store"},
    {"ld_32 r0, al0.x, al0.x, 0 ; stop", "0 an index register without"},
    {"st_32 r8, al0.x, al0.x.u32, 0 ; stop", "0 what is stored"},
    {"texop3.2d.1.f out0, in0, 0, 0 ; stop", "0 this texture operation"},
    {"tex.2d.0.f out0, in0, 0, 0 ; stop", "0 this texture operation"},
    {"derivative.2d.2.f out0, in0, 0, 0 ; stop", "0 this texture operation"},
    {"tex.2d.1.t0 out0, in0, 0, 0 ; stop", "0 bits of the texture word"},
    {"tex.2d.1.f out0.upper, in0, 0, 0 ; stop", "0 bits of the texture word"},
    {"tex.2d.1.f out0, in0, 0, 0 ; exec none ; stop", "0 bits of the texture word"},
    {"tex.2d.1.f out0, in0, 0, 0 ; as bar ; stop", "0 the tag is not for"},
    {"derivative.2d.1.f out0, in0, 0, 0 ; as vtex ; stop", "0 the tag is not for"},
};

static void breaches_are_found(void **state)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(breaches); n++) {
        char found[1000] = "";
        struct util_error error = {0};
        void *words;
        uint32_t count;
        if (midgard_asm(breaches[n].text, strlen(breaches[n].text), &words, &count, &error))
            fail_msg("%s: %s", breaches[n].text, error.text);
        midgard_check(words, count, note, found);
        if (strncmp(found, breaches[n].rule, strlen(breaches[n].rule)) != 0)
            fail_msg("'%s': %s", breaches[n].text, found);
        free(words);
    }
}

/* ---- whole programs ---- */

static const struct midgard_traits plain;

static struct midgard_program *taken(const char *text, const struct midgard_traits *traits)
{
    struct util_error error = {0};
    struct midgard_program *p;
    void *words;
    uint32_t count;
    if (midgard_asm(text, strlen(text), &words, &count, &error))
        fail_msg("'%s': %s", text, error.text);
    if (midgard_program_create(words, count, 0, traits, &p, &error))
        fail_msg("'%s': %s", text, error.text);
    free(words);
    return p;
}

static void refused(const char *text, uint8_t first, const char *message)
{
    struct util_error error = {0};
    struct midgard_program *p;
    void *words;
    uint32_t count;
    assert_int_equal(midgard_asm(text, strlen(text), &words, &count, &error), 0);
    assert_int_equal(midgard_program_create(words, count, first, &plain, &p, &error), -EBADMSG);
    if (!strstr(error.text, message))
        fail_msg("'%s': %s", text, error.text);
    free(words);
}

static void programs_are_analysed(void **state)
{
    static const char text[] =
        "    ld_vary_32 r28.xy, zero.x, zero.x, 3:80 ; ld_attr_32 r1, zero.x, al0.x, 2:0 ; next tex\n"
        "    tex.2d.1.f out0, in0, 2, 5 ; next alu1\n"
        "again: sadd.flt.full r31.w, r1.x, #0.5 ; discard.true +2, t0 ; next alu2\n"
        "    vmul.imov.32 r0, r24, r28 ; sadd.ine.full r31.w, r1.x, #0 ; br.true again, alu1 ; next alu3\n"
        "    vmul.imov.32 r0, r24, r0 ; vadd.imov.32 r1.xz, r24, r26.yyxy ; writex.always +0, alu3 ; "
        "const 0x302, 0x0, 0x0, 0x0 ; stop\n"
        "    writex.always -2, alu3 ; stop\n";
    struct midgard_program *p = taken(text, &plain);
    assert_int_equal(p->insn_count, 5); /* nothing goes to the last: writeouts do not fail */
    assert_int_equal(p->textures, 4);
    assert_int_equal(p->samplers, 32);
    assert_int_equal(p->varyings, 8);
    assert_true(p->any_attribute && !p->any_varying && !p->any_texture);
    assert_int_equal(p->block_count, 4);
    assert_int_equal(p->blocks[2].target[0], 1);
    assert_true(p->blocks[3].ends && !p->blocks[2].ends);
    assert_true(p->discards && p->repeats && p->derivatives && !p->loads && !p->barriers);
    assert_int_equal(p->write_count, 1);
    assert_true(p->writes[0].depth && !p->writes[0].stencil && p->writes[0].has_select);
    assert_int_equal(p->writes[0].select, 0x302);
    assert_int_equal(p->targets, 8);
    midgard_program_destroy(p);
    refused("idle ; next alu1", 0, "quadword 1 is no instruction");
    refused("jump +1, alu1 ; next alu1\nidle ; stop", 0, "quadword 2 is no instruction");
    refused("jump +1, alu1 ; next alu2\nidle ; const 0, 0, 0, 0 ; stop", 0, "goes to quadword 2, where no");
    refused("jump -3, alu1 ; next alu1\nidle ; stop", 0, "goes to quadword -2, where no instruction is");
    refused("idle ; stop", 5, "begins with tag 8, not 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),
        cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(any_word_goes_round),
        cmocka_unit_test(programs_go_round),
        cmocka_unit_test(encoding_inverts_decoding),
        cmocka_unit_test(breaches_are_found),
        cmocka_unit_test(programs_are_analysed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
