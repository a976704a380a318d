/* QPU programs made of the fuzzer's bytes: decoded, printed, assembled back, analysed, checked, linted; and
 * the same bytes as text for the assembler. */
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/asm.h"
#include "isa/vc4_qpu/lint.h"
#include "isa/vc4_qpu/program.h"

/* Long enough for loops and queues of every length; each word takes its share of every check. */
#define MAX_WORDS 64

static void ignore_breach(void *data, uint32_t pc, const char *rule, const char *source)
{
    *(size_t *)data += strlen(rule) + strlen(source) + pc;
}

static void ignore_finding(void *data, const struct isa_finding *finding)
{
    *(size_t *)data += strlen(finding->rule->name) + strlen(finding->detail) + finding->pc;
}

/* Every word has a text, and the text gives back the word. */
static void go_round(uint64_t word, uint32_t pc)
{
    char text[VC4_QPU_TEXT_MAX];
    struct vc4_qpu_insn insn;
    uint64_t *words;
    uint32_t count;
    vc4_qpu_decode(word, &insn);
    size_t length = vc4_qpu_disasm(word, pc, text);
    if (vc4_qpu_asm(text, length, &words, &count, NULL) || count != 1 || words[0] != word)
        abort();
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint64_t words[MAX_WORDS];
    struct vc4_qpu_program *program = NULL;
    uint32_t count = (uint32_t)(size / 8 < MAX_WORDS ? size / 8 : MAX_WORDS);
    uint64_t *assembled;
    uint32_t assembled_count;
    size_t sum = 0;

    if (count)
        memcpy(words, bytes, count * sizeof *words);
    for (uint32_t pc = 0; pc < count; pc++)
        go_round(words[pc], pc);
    if (vc4_qpu_program_create(words, count, &program, NULL) == 0)
        vc4_qpu_program_destroy(program);
    vc4_qpu_check(words, count, ignore_breach, &sum);
    struct vc4_qpu_lint_options options = vc4_qpu_lint_nothing_known;
    options.stage = (enum vc4_qpu_stage)(size % 5);
    if (vc4_qpu_lint(words, count, &options, ignore_finding, &sum))
        abort();
    if (vc4_qpu_asm((const char *)bytes, size, &assembled, &assembled_count, NULL) == 0)
        free(assembled);
    return 0;
}
