/* Whole programs of a stock driver (valhall_programs.txt): they print as the driver's own listing, break no rule, and
 * come back from their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/valhall/asm.h"
#include "isa/valhall/lint.h"
#include "isa/valhall/program.h"

enum { MOST = 512 };

static void note(void *data, uint32_t at, const char *rule, const char *source)
{
    fail_msg("%s, instruction %u: %s", (const char *)data, at, rule);
}

static void found(void *data, const struct isa_finding *finding)
{
    fail_msg("%s, instruction %u: %s", (const char *)data, finding->pc, finding->rule->name);
}

/* All of it is taken, and there is nothing in it that only faults. */
static void is_taken(const char *driver, const uint64_t *words, uint32_t count)
{
    struct util_error error = {0};
    struct warp_program *program = NULL;
    if (valhall_program_create(words, count + 2, &program, &error))
        fail_msg("%s: %s", driver, error.text);
    assert_int_equal(program->insn_count, count);
    for (uint32_t n = 0; n < count; n++)
        if (program->insns[n].kind == WARP_UNSUPPORTED)
            fail_msg("%s, instruction %u: %s", driver, n, program->insns[n].name);
    warp_program_destroy(program);
}

/* With the zeros that drivers put behind a program. */
static void program_holds(char *driver, uint64_t *words, uint32_t count)
{
    struct util_error error = {0};
    char *text = NULL;
    size_t length = 0;
    void *again;
    uint32_t count_again;
    assert_int_equal(valhall_check(words, count, note, driver), 0);
    assert_int_equal(valhall_check(words, count + 2, note, driver), 0);
    assert_int_equal(valhall_lint(words, count, 0, found, driver), 0);
    is_taken(driver, words, count);
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(valhall_disasm_program(out, words, count), 0);
    fclose(out);
    assert_null(strstr(text, ".word"));
    assert_int_equal(valhall_asm(text, length, &again, &count_again, &error), 0);
    assert_int_equal(count_again, count);
    assert_memory_equal(again, words, count * sizeof *words);
    free(again);
    free(text);
}

static void programs_hold(void **state)
{
    static uint64_t words[MOST + 2];
    char line[300], driver[300] = "", text[VALHALL_TEXT_MAX];
    uint32_t count = 0, programs = 0;
    FILE *file = fopen(SOURCE_DIR "/tests/isa/valhall_programs.txt", "r");
    if (!file)
        abort();
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == 'm') {
            if (count)
                program_holds(driver, words, count);
            memcpy(driver, line, sizeof driver);
            memset(words, 0, sizeof words);
            count = 0;
            programs++;
        } else if (line[0] != '#') {
            assert_true(count < MOST);
            words[count] = strtoull(line, NULL, 16);
            valhall_disasm(words, count + 1, count, text);
            assert_string_equal(text, line + 18);
            count++;
        }
    }
    fclose(file);
    program_holds(driver, words, count);
    assert_true(programs > 20);
}

/* Branches print as labels, which come back. */
static void branches_have_labels(void **state)
{
    static const char text[] = "again:\n"
                               "    IADD_IMM.i32 r0, r0, #0x1\n"
                               "    BRANCHZ.reconverge r0, offset:out\n"
                               "    BRANCHZ.eq 0x0, offset:again\n"
                               "out:\n"
                               "    NOP.end\n";
    static const char printed[] = "L0:\n"
                                  "    IADD_IMM.i32 r0, r0, #0x1\n"
                                  "    BRANCHZ.reconverge r0, offset:L3\n"
                                  "    BRANCHZ.eq 0x0, offset:L0\n"
                                  "L3:\n"
                                  "    NOP.end\n";
    struct util_error error = {0};
    char *out_text = NULL;
    size_t length = 0;
    void *words;
    uint32_t count;
    assert_int_equal(valhall_asm(text, strlen(text), &words, &count, &error), 0);
    FILE *out = open_memstream(&out_text, &length);
    assert_int_equal(valhall_disasm_program(out, words, count), 0);
    fclose(out);
    assert_string_equal(out_text, printed);
    free(out_text);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_hold),
        cmocka_unit_test(branches_have_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
