/* Bifrost clauses between words and text: tests/isa/bifrost.cases in both directions, every row of the table and every
 * name of Mesa's list in some case, and programs taken whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/names.h"
#include "isa/bifrost/program.h"
#include "isa/bifrost/table.h"
#include "isa/sets.h"
#include "tests/isa/cases.h"
#include "util/bits.h"

static int assemble(const char *text, size_t length, uint8_t **bytes, size_t *size, struct util_error *error)
{
    void *words;
    uint32_t count;
    int err = bifrost_asm(text, length, &words, &count, error);
    if (err)
        return err;
    *bytes = words;
    *size = count * (size_t)16;
    return 0;
}

static size_t disassemble(const uint8_t *bytes, size_t size, char *text)
{
    assert_int_equal(bifrost_disasm(bytes, (uint32_t)(size / 16), 0, text), size / 16);
    return strlen(text);
}

static const struct cases_isa isa = {SOURCE_DIR "/tests/isa/bifrost.cases", assemble, disassemble};

static void cases_hold(void **state)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    assert_true(cases.count > 250);
    assert_true(cases.refused > 40);
    cases_free(&cases);
}

/* ---- every row ---- */

enum { ROWS = 512, CODES = 256 };
static bool seen[ROWS][BIFROST_PLACES][BIFROST_WORD_COUNT]; /* of a row: words of its modifiers */
static bool rows_seen[ROWS];
static bool codes_seen[ROWS][CODES]; /* of a row: joint codes, whose words are there together */

static bool has_code(struct bifrost_insn *insn, const struct bifrost_code *c)
{
    const uint8_t *columns = bifrost_joint_columns(c->joint);
    bool down = insn->source[0].select > insn->source[1].select, has = true;
    for (unsigned k = 0; k < BIFROST_COLUMNS; k++)
        has &= columns[k] == BIFROST_NO_PLACE || *bifrost_place(insn, columns[k]) == c->word[k];
    return has && (c->order == BIFROST_EITHER || down == (c->order == BIFROST_DOWN));
}

static void note_insn(struct bifrost_insn *insn)
{
    for (size_t c = 0; c < bifrost_code_count; c++)
        codes_seen[insn->row][c] |= has_code(insn, &bifrost_codes[c]);
    rows_seen[insn->row] = true;
    for (unsigned n = 0; n < BIFROST_PLACES; n++)
        seen[insn->row][n][*bifrost_place(insn, (uint8_t)n)] = true;
}

static void take_cases(void)
{
    struct cases cases = {0};
    cases_read(&isa, &cases);
    for (size_t n = 0; n < cases.count; n++) {
        struct bifrost_clause clause;
        assert_true(bifrost_decode(cases.bytes[n], BIFROST_QUADS, 0, &clause, NULL) > 0);
        for (unsigned k = 0; k < clause.tuple_count * 2u; k++)
            note_insn(&clause.tuple[k / 2].insn[k % 2]);
    }
    cases_free(&cases);
}

static void check_codes(const struct bifrost_row *row, size_t n)
{
    for (unsigned k = 0; k < BIFROST_PIECES; k++)
        for (size_t c = 0; row->piece[k].what == BIFROST_PIECE_JOINT && c < bifrost_code_count; c++)
            if (bifrost_codes[c].joint == row->piece[k].list && !codes_seen[n][c])
                fail_msg("no case for row %zu, %s: joint code %zu", n, bifrost_op_info(row->op)->text, c);
}

static void check_words(const struct bifrost_row *row, size_t n)
{
    for (unsigned k = 0; k < BIFROST_PIECES; k++) {
        const struct bifrost_piece *p = &row->piece[k];
        for (uint32_t code = 0; p->what == BIFROST_PIECE_CODE && code < 1u << p->count; code++) {
            uint8_t word = bifrost_list_word(p->list, code);
            if (word != BIFROST_RESERVED && !seen[n][p->place][word])
                fail_msg("no case for row %zu, %s: .%s", n, bifrost_op_info(row->op)->text,
                         bifrost_word(word));
        }
    }
}

static void every_row_has_a_case(void **state)
{
    assert_true(bifrost_row_count < ROWS && bifrost_code_count < CODES);
    take_cases();
    for (size_t n = 0; n < bifrost_row_count; n++) {
        if (!rows_seen[n])
            fail_msg("no case for row %zu, %s", n, bifrost_op_info(bifrost_rows[n].op)->text);
        check_words(&bifrost_rows[n], n);
        check_codes(&bifrost_rows[n], n);
    }
}

static bool has_row(enum bifrost_unit unit, const char *name)
{
    for (size_t n = 0; n < bifrost_row_count; n++)
        if (bifrost_rows[n].unit == unit && !strcmp(bifrost_op_info(bifrost_rows[n].op)->text, name))
            return true;
    return false;
}

/* Each name is there, and each row is one of them: as many differ by unit and operation as there are names. */
static void names_are_those_of_the_list(void **state)
{
    FILE *file = fopen(SOURCE_DIR "/tests/isa/bifrost_names.txt", "r");
    bool counted[2][BIFROST_OP_COUNT] = {{false}};
    unsigned names = 0, own = 0;
    char line[160];
    if (!file) {
        fail_msg("bifrost_names.txt: %s", strerror(errno));
        return;
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#')
            continue;
        names++;
        if (!has_row(line[0] == '*' ? BIFROST_FMA : BIFROST_ADD, line + 1))
            fail_msg("%s has no row", line);
    }
    fclose(file);
    for (size_t n = 0; n < bifrost_row_count; n++) {
        bool *c = &counted[bifrost_rows[n].unit][bifrost_rows[n].op];
        own += !*c;
        *c = true;
    }
    assert_int_equal(names, 304);
    assert_int_equal(own, names);
}

/* ---- what a clause says ---- */

static struct bifrost_clause decoded(const char *text)
{
    struct util_error error = {0};
    struct bifrost_clause clause;
    void *words;
    uint32_t count;
    if (bifrost_asm(text, strlen(text), &words, &count, &error))
        fail_msg("'%s': %s", text, error.text);
    if (!bifrost_decode(words, count, 0, &clause, &error))
        fail_msg("'%s': %s", text, error.text);
    free(words);
    return clause;
}

static void sources_and_results_are_resolved(void **state)
{
    struct bifrost_clause c =
        decoded("ds(2) bb load td dwb(1, 6) { *FMA.f32.rtz r3:t0, r40.abs, r41, 0xc0490fdb.neg ; +FADD.v2f16 "
                "r7:t1.h1, t, 0x40000000.h10 ;"
                " *NOP t0 ; +LOAD.i64 t1, t0, t1, @r8 ; const 0x40000000, 0xc0490fdb }");
    const struct bifrost_insn *fma = &c.tuple[0].insn[BIFROST_FMA], *add = &c.tuple[0].insn[BIFROST_ADD],
                              *load = &c.tuple[1].insn[BIFROST_ADD];
    assert_true(c.slot == 2 && c.flow == BIFROST_FLOW_NEXT && c.message == BIFROST_MESSAGE_LOAD &&
                c.terminate);
    assert_int_equal(c.wait, 1 << 1 | 1 << 6);
    assert_int_equal(fma->op, BIFROST_OP_FMA_F32);
    assert_int_equal(fma->mod[BIFROST_MOD_ROUND], BIFROST_RTZ);
    assert_int_equal(fma->mod[BIFROST_MOD_CLAMP], BIFROST_NONE);
    assert_true(fma->source[0].from == BIFROST_FROM_REGISTER && fma->source[0].reg == 40);
    assert_int_equal(fma->source[0].mod[BIFROST_SOURCE_ABS], BIFROST_ABS);
    assert_true(fma->source[2].from == BIFROST_FROM_CONSTANT && fma->source[2].value == 0xc0490fdb);
    assert_int_equal(fma->source[2].mod[BIFROST_SOURCE_NEG], BIFROST_NEG);
    assert_true(fma->result.reg == 3 && fma->result.halves == 3);
    assert_true(add->source[0].from == BIFROST_FROM_FMA && add->result.reg == 7 && add->result.halves == 2);
    assert_true(load->source[0].from == BIFROST_FROM_FMA_LAST &&
                load->source[1].from == BIFROST_FROM_ADD_LAST);
    assert_true(load->staging == BIFROST_STAGING_WRITE && load->staging_reg == 8 && load->staging_count == 2);
    assert_int_equal(load->result.halves, 0);
}

/* ---- whole programs ---- */

static struct bifrost_program *taken(const char *text, int expected, const char *message)
{
    struct util_error error = {0};
    struct bifrost_program *p;
    void *words;
    uint32_t count;
    if (bifrost_asm(text, strlen(text), &words, &count, &error))
        fail_msg("'%s': %s", text, error.text);
    assert_int_equal(bifrost_program_create(words, count, &p, &error), expected);
    if (expected && !strstr(error.text, message))
        fail_msg("'%s': %s", text, error.text);
    free(words);
    return p;
}

static const char loop[] = "ds(0) nbb ncph {\n"
                           "    *NOP t0 # a comment\n"
                           "    +MOV.i32 r3:t1, r1\n"
                           "}\n"
                           "again: ds(0) nbb r_uncond {\n"
                           "    *IADDC.i32 r3:t0, r3, 0x00000007, #0\n"
                           "    +NOP t1\n"
                           "    *NOP t0\n"
                           "    +BRANCHZ.i32.ne t1, t0, again\n"
                           "    const 0x0, again\n"
                           "    const 0x7, 0x80000000\n"
                           "}\n"
                           "ds(0) eos { *NOP t0 ; +NOP t1 }\n"
                           "    ds(0) nbb { *NOP t0 ; +JUMP t1, r48 }\n";

static void programs_are_taken(void **state)
{
    struct bifrost_program *p = taken(loop, 0, "");
    assert_int_equal(p->clause_count, 3); /* nothing goes to the last */
    assert_int_equal(p->targets[1], 1);
    assert_true(p->repeats && !p->computed && p->targets[0] == BIFROST_NO_CLAUSE);
    bifrost_program_destroy(p);
    p = taken("ds(0) nbb { *NOP t0 ; +JUMP t1, r48 }", 0, "");
    assert_true(p->computed && !p->repeats);
    bifrost_program_destroy(p);
    taken("ds(0) nbb { *NOP t0 ; +NOP t1 }", -EBADMSG, "goes on behind");
    taken("ds(0) nbb { *NOP t0 ; +NOP t1 }\n.word 0x40", -EBADMSG, "quadword 1: tag 0x40 has no meaning");
    taken("ds(0) eos { *NOP t0 ; +BRANCHZ.i32.eq t1, r1, pc+1 ; const 0x0, pc+1 }\n"
          "ds(0) nbb { *NOP t0 ; +NOP t1 }",
          -EBADMSG, "goes to quadword 1, where no clause begins");
}

/* A program's text has labels, and reads back to the same words. */
static void programs_read_back(void **state)
{
    char *text = NULL;
    size_t length = 0;
    void *words, *again;
    uint32_t count, count_again;
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(bifrost_asm(loop, strlen(loop), &words, &count, NULL), 0);
    assert_int_equal(bifrost_disasm_program(out, words, count), 0);
    fclose(out);
    assert_non_null(strstr(text, "L1:\n"));
    assert_non_null(strstr(text, "+BRANCHZ.i32.ne t1, t0, L1\n"));
    assert_non_null(strstr(text, "const 0x0, L1\n"));
    assert_int_equal(bifrost_asm(text, length, &again, &count_again, NULL), 0);
    assert_int_equal(count_again, count);
    assert_memory_equal(words, again, count * 16);
    free(again);
    free(words);
    free(text);
}

static void the_set_is_found(void **state)
{
    assert_ptr_equal(isa_set_find("bifrost"), &bifrost_set);
}

/* What is known to be wrong only when the clause has been read is where it stands. */
static void refusals_have_places(void **unused)
{
    static const char *const text = "ds(0) eos {\n*NOP t0\n+NOP t1\n  *IADD.u32 r1:t0, r1, r2\n+NOP t1\n}\n";
    struct util_error error = {0};
    void *words = NULL;
    uint32_t count;
    (void)unused;
    assert_int_equal(bifrost_asm(text, strlen(text), &words, &count, &error), -EINVAL);
    assert_string_equal(error.text, "line 4, column 4: the other unit has this operation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),
        cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(names_are_those_of_the_list),
        cmocka_unit_test(sources_and_results_are_resolved),
        cmocka_unit_test(programs_are_taken),
        cmocka_unit_test(programs_read_back),
        cmocka_unit_test(refusals_have_places),
        cmocka_unit_test(the_set_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
