/* Midgard instructions between words and text: tests/isa/midgard.cases in both directions, every row of the table
 * in some case, and programs taken whole. */
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
    p = taken("br.true +60, stop ; next alu1\njump +9, stop ; stop\n", &plain);
    assert_true(p->insn_count == 2 && p->block_count == 2 && !p->repeats);
    assert_true(p->blocks[0].target[0] == 2 && p->blocks[1].target[0] == 2);
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
        cmocka_unit_test(encoding_inverts_decoding),
        cmocka_unit_test(programs_are_analysed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
