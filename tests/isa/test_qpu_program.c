/* Programs taken whole: blocks, places in the uniform stream, texture requests, what a program touches, and
 * what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/program.h"
#include "util/bits.h"

#define NO    VC4_QPU_NO_OFFSET
#define END   "nop ; thrend\nnop\nnop\n"
#define SLOTS "nop\nnop\nnop\n"

static int create(const char *text, struct vc4_qpu_program **out, struct util_error *error)
{
    uint64_t *words;
    uint32_t count;
    if (vc4_qpu_asm(text, strlen(text), &words, &count, error))
        fail_msg("%s\nin\n%s", error->text, text);
    int err = vc4_qpu_program_create(words, count, out, error);
    free(words);
    return err;
}

static struct vc4_qpu_program *program(const char *text)
{
    struct vc4_qpu_program *p = NULL;
    struct util_error error = {0};
    if (create(text, &p, &error))
        fail_msg("%s\nin\n%s", error.text, text);
    return p;
}

static void straight_line(void **state)
{
    struct vc4_qpu_program *p =
        program("mov r0, unif\nadd r0, unif, b.unif\nmov r1, vary ; read b.unif\nnop\n"
                "fadd tmu0_t, r0, r1\nmov tmu0_s, r0\nmov r0, unif ; ldtmu0\n" END "mov r0, unif\n");
    static const uint32_t at[] = {0, 1, 2, NO, 3, 4, 5, NO, NO, NO};
    assert_int_equal(p->insn_count, 10);
    assert_memory_equal(p->uniform_at, at, sizeof at);
    assert_int_equal(p->uniform_count, 6);
    assert_int_equal(p->varying_count, 1);
    assert_int_equal(p->block_count, 1);
    assert_int_equal(p->blocks[0].count, 10);
    assert_int_equal(p->blocks[0].uniform_at_entry, 0);
    assert_int_equal(p->blocks[0].successor[0], NO);
    assert_int_equal(p->blocks[0].successor[1], NO);
    assert_true(p->uses_tmu);
    assert_false(p->has_branches || p->dynamic_uniforms || p->writes_z || p->is_threaded);
    vc4_qpu_program_destroy(p);
    vc4_qpu_program_destroy(NULL);
}

static void texture_requests(void **state)
{
    struct vc4_qpu_program *p =
        program("mov tmu1_r, r0 ; mov r0, r1\nmov tmu0_t, r0\nmov tmu1_t, r0\nmov tmu1_b, r0\nmov r3, unif\n"
                "mov tmu1_s, r0\nmov tmu0_s, r0\nadd tmu0_s, r0, unif\nmov r0, r1 ; mov tmu1_s, r1\n"
                "mov tmu0_t, r0 ; mov tmu0_s, r0\nmov.never tmu0_t, r0\nmov tmu0_s, r0\n" END);
    static const struct vc4_qpu_sample samples[] = {
        {.insn = 5,
         .unit = 1,
         .param_count = 4,
         .has_t = true,
         .has_r = true,
         .has_b = true,
         .param = {0, 2, 3, 5}},
        {.insn = 6, .unit = 0, .param_count = 2, .has_t = true, .param = {1, 6, NO, NO}},
        {.insn = 7, .unit = 0, .direct = true, .param = {NO, NO, NO, NO}},
        {.insn = 8, .unit = 1, .direct = true, .param = {NO, NO, NO, NO}},
        {.insn = 9, .unit = 0, .param_count = 2, .has_t = true, .param = {8, 9, NO, NO}},
        {.insn = 11, .unit = 0, .direct = true, .param = {NO, NO, NO, NO}},
    };
    assert_int_equal(p->sample_count, UTIL_ARRAY_SIZE(samples));
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(samples); i++)
        assert_memory_equal(&p->samples[i], &samples[i], sizeof samples[i]);
    assert_int_equal(p->uniform_at[7], 7);
    assert_int_equal(p->uniform_at[9], 8);
    assert_int_equal(p->uniform_count, 10);
    vc4_qpu_program_destroy(p);
}

/* As Mesa emits it: every block that reads uniforms first sets the stream to a fixed place; the word it takes
 * for that is the stream's address, wherever the path has left the stream. */
static const char resets_text[] = "mov r0, unif\n"               /* 0: word 0 */
                                  "brr.allzs else\n" SLOTS       /* 1 */
                                  "ldi r1, 8\n"                  /* 5 */
                                  "add unif_addr, r1, unif\n"    /* 6: word 1, then 2 */
                                  "nop\nnop\n"                   /* 7 */
                                  "mov r2, unif\n"               /* 9: word 2 */
                                  "brr end\n" SLOTS              /* 10 */
                                  "else: ldi ra1, 16\n"          /* 14 */
                                  "nop\n"                        /* 15 */
                                  "add unif_addr, ra1, b.unif\n" /* 16: word 1 (3 in order), then 4 */
                                  "nop\nnop\n"                   /* 17 */
                                  "mov r2, unif\n"               /* 19: word 4 */
                                  "end: ldi r0, 24\n"            /* 20 */
                                  "add unif_addr, r0, unif\n"    /* 21: word 3 or 5, then 6 */
                                  "nop\nnop\n"                   /* 22 */
                                  "mov tmu0_t, r0\n"             /* 24: word 6 */
                                  "mov tmu0_s, r0\n"             /* 25: word 7 */
    END;

static void stream_resets(void **state)
{
    struct vc4_qpu_program *p = program(resets_text);
    static const uint32_t words[] = {1, 3, 5};
    assert_false(p->dynamic_uniforms);
    assert_int_equal(p->block_count, 4);
    assert_int_equal(p->blocks[0].successor[0], 1);
    assert_int_equal(p->blocks[0].successor[1], 2);
    assert_int_equal(p->blocks[0].branch, 1);
    assert_int_equal(p->blocks[0].count, 5);
    assert_int_equal(p->blocks[1].successor[0], NO);
    assert_int_equal(p->blocks[1].successor[1], 3);
    assert_int_equal(p->blocks[2].successor[0], 3);
    assert_int_equal(p->blocks[2].branch, NO);
    assert_int_equal(p->blocks[1].uniform_at_entry, 1);
    assert_int_equal(p->blocks[2].uniform_at_entry, 1);
    assert_int_equal(p->blocks[3].uniform_at_entry, NO);
    assert_int_equal(p->uniform_at[6], 1);
    assert_int_equal(p->uniform_at[9], 2);
    assert_int_equal(p->uniform_at[16], 1);
    assert_int_equal(p->uniform_at[19], 4);
    assert_int_equal(p->uniform_at[21], NO);
    assert_int_equal(p->uniform_at[24], 6);
    assert_int_equal(p->samples[0].param[0], 6);
    assert_int_equal(p->samples[0].param[1], 7);
    assert_int_equal(p->uniform_count, 8);
    assert_int_equal(p->reset_word_count, UTIL_ARRAY_SIZE(words));
    assert_memory_equal(p->reset_words, words, sizeof words);
    vc4_qpu_program_destroy(p);
}

static void loops(void **state)
{
    /* With a reset at the loop's head positions stay fixed; it may take word 1 (entry) or 3 (round again). */
    struct vc4_qpu_program *p = program("mov r0, unif\nloop: ldi r1, 8\nadd unif_addr, r1, unif\nnop\nnop\n"
                                        "sub.sf r0, r0, unif\nbrr.anyzc loop\n" SLOTS
                                        "ldi r1, 16\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END);
    static const uint32_t words[] = {1, 3};
    assert_int_equal(p->uniform_at[2], NO);
    assert_int_equal(p->uniform_at[5], 2);
    assert_int_equal(p->uniform_at[11], 3);
    assert_int_equal(p->uniform_at[14], 4);
    assert_true(p->blocks[1].loop_header);
    assert_false(p->blocks[0].loop_header || p->blocks[2].loop_header || p->dynamic_uniforms);
    assert_int_equal(p->reset_word_count, 2);
    assert_memory_equal(p->reset_words, words, sizeof words);
    vc4_qpu_program_destroy(p);

    /* Without one the position depends on the path, in the loop and after it. */
    p = program("mov r0, unif\nloop: sub.sf r0, r0, unif\nbrr.anyzc loop\n" SLOTS "mov r0, unif\n" END);
    assert_int_equal(p->uniform_at[0], 0);
    assert_int_equal(p->uniform_at[1], NO);
    assert_int_equal(p->uniform_at[6], NO);
    assert_false(p->dynamic_uniforms);
    vc4_qpu_program_destroy(p);

    /* A loop that takes none leaves them fixed. */
    p = program("mov r0, unif\nloop: sub.sf r0, r0, 1\nbrr.anyzc loop\n" SLOTS "mov r0, unif\n" END);
    assert_int_equal(p->uniform_at[6], 1);
    vc4_qpu_program_destroy(p);
}

/* Writes of the stream's address that analysis must not believe to know. */
static void dynamic_streams(void **state)
{
    static const char *const texts[] = {
        "mov r1, unif\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi r1, 8\nsub unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi.zs r1, 8\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi r1, 8\nmov.zs r1, r0\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi r1, 8\nadd.zs unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi r1, 6\nadd unif_addr, r1, unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi ra1.16a, 8\nnop\nadd unif_addr, ra1, b.unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi ra1, 8\nnop\nadd unif_addr, ra1.16a, b.unif\nnop\nnop\nmov r0, unif\n" END,
        "ldi r1, 8\nadd unif_addr, r1, unif ; ws\nnop\nnop\nmov r0, unif\n" END,
        "ldi r1, 8\nnop ; mov unif_addr, r1 ; ws\nnop\nnop\nmov r0, unif\n" END,
        "loop: ldi r1, 8\nmov r2, unif\nbrr.allzs loop\n" SLOTS
        "ldi r1, 8\nadd unif_addr, r1, unif\nnop\nmov r0, unif\n" END,
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(texts); i++) {
        struct vc4_qpu_program *p = program(texts[i]);
        if (!p->dynamic_uniforms || p->uniform_at[p->insn_count - 4] != NO)
            fail_msg("a position is believed to be known in\n%s", texts[i]);
        vc4_qpu_program_destroy(p);
    }
}

static void z_payloads(void **state)
{
    static const struct {
        const char *text;
        bool payload, conditional;
    } cases[] = {
        {"mov tlb_z, rb15\n", true, false},
        {"mov.zs tlb_z, rb15\n", true, true},
        {"nop ; mov tlb_z, rb15\n", true, false},
        {"fmax tlb_z, rb15, rb15\n", true, false},
        {"mov r0, rb15\nmov ra3, r0\nnop\nnop ; mov tlb_z, ra3\n", true, false},
        {"mov tlb_z, ra15\n", false, false},
        {"fadd tlb_z, rb15, rb15\n", false, false},
        {"xor tlb_z, rb15, rb15\n", false, false},
        {"add tlb_z, rb15, r0\n", false, false},
        {"nop ; mov tlb_z.c8888, rb15\n", false, false},
        {"mov.zs r0, rb15\nmov tlb_z, r0\n", false, false},
        {"mov r0, rb15\nmov.zs r0, r1\nmov tlb_z, r0\n", false, false},
        {"mov ra3, rb15\nnop\nmov tlb_z, ra3.16a\n", false, false},
        {"mov r0, rb15\nnop\nnop ; mov tlb_z, r0 ; rot 1\n", false, false},
        {"mov rb15, r0\nnop\nmov tlb_z, rb15\n", false, false},
        {"mov tlb_z, rb15\nmov tlb_z, r0\n", false, false},
        {"mov r0, r1\n", false, false},
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        char text[256];
        snprintf(text, sizeof text, "nop\nnop\n%s" END, cases[i].text);
        struct vc4_qpu_program *p = program(text);
        if (p->z_is_payload != cases[i].payload || p->z_conditional != cases[i].conditional)
            fail_msg("payload %d, conditional %d in\n%s", p->z_is_payload, p->z_conditional, text);
        assert_int_equal(p->writes_z, i + 1 < UTIL_ARRAY_SIZE(cases));
        vc4_qpu_program_destroy(p);
    }
}

/* One instruction each that touches one thing. */
static void what_a_program_touches(void **state)
{
#define FACT(text, member) {text, offsetof(struct vc4_qpu_program, member)}
    static const struct {
        const char *text;
        size_t fact;
    } cases[] = {
        FACT("mov tlb_z, r0", writes_z),
        FACT("mov tlb_color, r0", writes_color),
        FACT("mov tlb_color_ms, r0", writes_color_ms),
        FACT("nop ; ldcol", reads_color),
        FACT("nop ; ldcov", reads_coverage),
        FACT("mov tlb_stencil, r0", writes_stencil),
        FACT("mov ms_flags, r0", writes_ms_mask),
        FACT("mov tmu0_s, r0", uses_tmu),
        FACT("nop ; ldtmu1", uses_tmu),
        FACT("nop ; read vpm", uses_vpm_read),
        FACT("mov vr_setup, r0", uses_vpm_read),
        FACT("mov vw_setup, r0", uses_vpm_write),
        FACT("mov vpm, r0", uses_vpm_write),
        FACT("mov vr_addr, r0", uses_dma),
        FACT("nop ; read vpm_st_wait", uses_dma),
        FACT("sinc -, 1", uses_semaphore),
        FACT("mov mutex, r0", uses_mutex),
        FACT("nop ; read mutex", uses_mutex),
        FACT("nop ; thrsw", is_threaded),
        FACT("nop ; lthrsw", is_threaded),
        {"mov rev_flag, r0", 0},
        {"mov.never tlb_z, r0", 0},
        {"add r0, r1, -1 ; imm -1", 0},
    };
    static const size_t facts[] = {
        offsetof(struct vc4_qpu_program, writes_z),        offsetof(struct vc4_qpu_program, writes_color),
        offsetof(struct vc4_qpu_program, writes_color_ms), offsetof(struct vc4_qpu_program, reads_color),
        offsetof(struct vc4_qpu_program, reads_coverage),  offsetof(struct vc4_qpu_program, writes_stencil),
        offsetof(struct vc4_qpu_program, writes_ms_mask),  offsetof(struct vc4_qpu_program, uses_tmu),
        offsetof(struct vc4_qpu_program, uses_vpm_read),   offsetof(struct vc4_qpu_program, uses_vpm_write),
        offsetof(struct vc4_qpu_program, uses_dma),        offsetof(struct vc4_qpu_program, uses_semaphore),
        offsetof(struct vc4_qpu_program, uses_mutex),      offsetof(struct vc4_qpu_program, has_branches),
        offsetof(struct vc4_qpu_program, is_threaded),     offsetof(struct vc4_qpu_program, dynamic_uniforms),
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        char text[128];
        snprintf(text, sizeof text, "%s\n" END "mov tlb_color, r0\n",
                 cases[i].text); /* what follows the end is dead */
        struct vc4_qpu_program *p = program(text);
        for (size_t k = 0; k < UTIL_ARRAY_SIZE(facts); k++)
            if (*((const bool *)p + facts[k]) != (facts[k] == cases[i].fact))
                fail_msg("'%s': fact %zu is wrong", cases[i].text, k);
        vc4_qpu_program_destroy(p);
    }
}

static void varyings(void **state)
{
    struct vc4_qpu_program *p = program("mov r0, vary\nbrr.allzs else\nmov r0, vary\nnop\nnop\n"
                                        "mov r0, vary\nmov r0, b.vary\nbrr end\n" SLOTS
                                        "else: mov r0, vary\nend: mov r0, vary\nadd r0, vary, b.vary\n" END);
    assert_int_equal(p->varying_count, 6);
    vc4_qpu_program_destroy(p);
}

static void odd_branches(void **state)
{
    /* Into another branch's delay slots: the two blocks overlap. */
    struct vc4_qpu_program *p =
        program("brr.allzs slot\n" SLOTS "mov r0, unif\nbrr end\nnop\nslot: mov r1, unif\nnop\n"
                "mov r2, unif\nend: mov r3, unif\n" END);
    assert_int_equal(p->block_count, 4);
    assert_int_equal(p->blocks[1].first + p->blocks[1].count, 9);
    assert_int_equal(p->blocks[2].first, 7);
    assert_int_equal(p->blocks[2].count, 3);
    assert_int_equal(p->uniform_at[4], 0);
    assert_int_equal(p->uniform_at[7], NO); /* word 1 as a slot, word 0 as a target */
    assert_int_equal(p->uniform_at[9], 1);
    assert_int_equal(p->uniform_at[10], 2);
    vc4_qpu_program_destroy(p);

    /* Outside the program, or between instructions: no successor. */
    p = program("brr.allzs .+800\n" SLOTS "brr.allzs .+36\n" SLOTS "bra.allzs 0xfffffff8\n" SLOTS END);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(p->blocks[i].successor[0], i + 1);
        assert_int_equal(p->blocks[i].successor[1], NO);
    }
    vc4_qpu_program_destroy(p);

    /* A branch in a delay slot stays in line. */
    p = program("brr .+48\nnop\nbrr .-8\nnop\nnop\nnop\n" END);
    assert_int_equal(p->block_count, 2);
    assert_int_equal(p->blocks[0].branch, 0);
    vc4_qpu_program_destroy(p);

    /* Computed: the return point of the linking branch is known, positions are not. */
    p = program("brr ra1, -, sub\n" SLOTS "mov r0, unif\n" END "sub: mov r1, r2\nbra 0x0+ra1\n" SLOTS);
    assert_true(p->computed_branches && p->has_branches);
    assert_int_equal(p->block_count, 3);
    assert_int_equal(p->blocks[1].first, 4);
    assert_int_equal(p->blocks[2].successor[1], NO);
    assert_int_equal(p->uniform_at[4], NO);
    vc4_qpu_program_destroy(p);

    /* For ever, without an end: nothing is wrong with that before fuel runs out. */
    p = program("loop: brr loop\n" SLOTS);
    assert_int_equal(p->insn_count, 4);
    vc4_qpu_program_destroy(p);
}

static void refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"nop\nnop\n", "pc 1: execution runs off"},
        {"nop ; thrend\nnop\n", "pc 0: no delay slots"},
        {"nop\nnop ; ldcolend\n", "pc 1: no delay slots"},
        {"brr.allzs .+32\nnop\nnop\n", "pc 0: execution runs off"},
        {"brr.allzs .+0\n" SLOTS, "pc 0: execution runs off"},
        {"brr end\nnop ; thrend\nnop\nnop\nend:" END, "pc 1: program end in the delay slots"},
        {"brr tmu0_t, -, .+32\n" SLOTS END, "pc 0: a branch links into a texture unit"},
        {"mov tmu0_t, r0\nbrr.allzs .+32\n" SLOTS "mov tmu0_s, r0\n" END, "pc 4: a texture set-up is open"},
        {"brr.allzs in\n" SLOTS "mov tmu0_t, r0\nin: mov tmu0_s, r0\n" END, "pc 4: a texture set-up is open"},
        {"mov tmu0_t, r0\nmov tmu0_r, r0\nmov tmu0_b, r0\nmov tmu0_t, r0\nmov tmu0_s, r0\n" END,
         "pc 4: more than four words"},
        {"brr.allzs slot\n" SLOTS "brr end\nmov tmu0_t, r0\nslot: mov tmu0_s, r0\nnop\nend: " END,
         "pc 6: two paths set up the texture request differently"},
    };
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct vc4_qpu_program *p = NULL;
        struct util_error error = {0};
        assert_int_equal(create(cases[i].text, &p, &error), -EBADMSG);
        if (!strstr(error.text, cases[i].message))
            fail_msg("'%s' instead of '%s' for\n%s", error.text, cases[i].message, cases[i].text);
        assert_null(p);
        assert_int_equal(create(cases[i].text, &p, NULL), -EBADMSG);
    }
    struct vc4_qpu_program *p = NULL;
    assert_int_equal(vc4_qpu_program_create(NULL, 0, &p, NULL), -EBADMSG);
    assert_int_equal(vc4_qpu_program_create(NULL, VC4_QPU_MAX_INSNS + 1, &p, NULL), -E2BIG);
}

static void hashes_are_of_the_code(void **state)
{
    struct vc4_qpu_program *a = program("mov r0, unif\n" END), *b = program("mov r0, unif\n" END "nop\n"),
                           *c = program("mov r1, unif\n" END);
    assert_true(a->hash == b->hash);
    assert_true(a->hash != c->hash);
    vc4_qpu_program_destroy(a);
    vc4_qpu_program_destroy(b);
    vc4_qpu_program_destroy(c);
}

/* Programs made to be hard: the largest, full of branches that go everywhere. Bounded work, whatever comes.
 */
static void hostile_programs(void **state)
{
    uint64_t *words = malloc(VC4_QPU_MAX_INSNS * sizeof *words), seed = 1;
    struct vc4_qpu_program *p;
    unsigned accepted = 0;
    assert_non_null(words);
    for (unsigned round = 0; round < 60; round++) {
        uint32_t count = round < 4 ? VC4_QPU_MAX_INSNS : 200 + round;
        for (uint32_t i = 0; i < count; i++) {
            struct vc4_qpu_insn insn;
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            uint32_t r = (uint32_t)(seed >> 32);
            vc4_qpu_decode(
                i % 4 == 0 ? 0xf0f809e700000000ull | (uint64_t)(r % 12) << 52 : 0x10020027159c0fc0ull, &insn);
            if (i % 4 == 0)
                insn.imm = (r % (count - 8) - i - 4) * 8;
            else if (r % 3 == 0)
                insn.raddr_a = VC4_QPU_R_UNIFORM;
            else if (r % 97 == 0)
                insn.waddr_add = VC4_QPU_W_UNIFORMS_ADDRESS;
            words[i] = vc4_qpu_encode(&insn);
        }
        for (uint32_t i = count - 8; i < count; i++)
            words[i] = 0x300009e7009e7000ull;
        p = NULL;
        if (vc4_qpu_program_create(words, count, &p, NULL) == 0) {
            accepted++;
            for (uint32_t i = 0; i < p->block_count; i++)
                assert_true(p->blocks[i].first + p->blocks[i].count <= p->insn_count);
            vc4_qpu_program_destroy(p);
        }
    }
    assert_true(accepted >= 30);
    for (unsigned round = 0; round < 20000; round++) { /* words of chance, with an end */
        for (uint32_t i = 0; i < 16; i++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            words[i] = seed ^ seed >> 29;
        }
        for (uint32_t i = 16; i < 20; i++)
            words[i] = 0x300009e7009e7000ull;
        p = NULL;
        if (vc4_qpu_program_create(words, 20, &p, NULL) == 0)
            vc4_qpu_program_destroy(p);
    }
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line),          cmocka_unit_test(texture_requests),
        cmocka_unit_test(stream_resets),          cmocka_unit_test(loops),
        cmocka_unit_test(dynamic_streams),        cmocka_unit_test(z_payloads),
        cmocka_unit_test(what_a_program_touches), cmocka_unit_test(varyings),
        cmocka_unit_test(odd_branches),           cmocka_unit_test(refused),
        cmocka_unit_test(hashes_are_of_the_code), cmocka_unit_test(hostile_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
